"""rgu convert: models between files, and from problems to files."""

import json
import unittest

from command_line import CommandLineTest

GRID = """
[model]
generator = "grid"
map = \"\"\"
S.a
H.G
\"\"\"
[utility]
type = "reward"
[ambiguity]
set = "singleton"
"""


class Convert(CommandLineTest):
    def read(self, name):
        return (self.folder / name).read_bytes()

    def test_a_model_goes_through_every_format_that_holds_everything_unchanged(self):
        self.write("grid.toml", GRID)
        for problem in ("exploration", "inventory", "grid.toml"):
            said = self.rgu("convert", problem, "a.rgum", "--force")
            self.assertEqual(said.stderr, "")
            self.assertRegex(said.stdout, r"^wrote a\.rgum: \d+ states, \d+ actions, \d+ transitions "
                                          r"\((dense|sparse)\), \d+ bytes\n$")
            self.rgu("convert", "a.rgum", "b.json", "--force")
            self.rgu("convert", "b.json", "c.rgum", "--force")
            self.assertEqual(self.read("a.rgum"), self.read("c.rgum"), problem)

    def test_json_tells_what_was_written(self):
        said = json.loads(self.rgu("convert", "exploration", "m.rgum", "--seed", "0", "--json").stdout)
        self.assertEqual(said, {"file": "m.rgum", "states": 10, "actions": 5, "transitions": 500,
                                "bytes": len(self.read("m.rgum")), "lost": []})

    def test_seeds_and_keys_choose_the_model_of_a_problem(self):
        self.rgu("convert", "exploration", "a.rgum")
        self.rgu("convert", "exploration", "b.rgum", "--seed", "0")
        self.rgu("convert", "exploration", "c.rgum", "--seed", "1")
        self.assertEqual(self.read("a.rgum"), self.read("b.rgum"))
        self.assertNotEqual(self.read("a.rgum"), self.read("c.rgum"))
        said = self.rgu("convert", "exploration", "d.rgum", "--set", "model.states=7", "--json").stdout
        self.assertEqual(json.loads(said)["states"], 7)

    def test_a_problem_with_the_file_is_that_with_the_generator(self):
        self.rgu("convert", "inventory", "m.rgum")
        direct = self.rgu("solve", "inventory", "--seeds", "1", "-q", "--json", "--out", "one").stdout
        text = self.rgu("show", "inventory").stdout
        head, model = text.split("[model]\n")
        rest = model[model.index("\n["):]
        self.write("p.toml", head + "[model]\nfile = \"m.rgum\"\n" + rest)
        by_file = self.rgu("solve", "p.toml", "--seeds", "1", "-q", "--json", "--out", "two").stdout
        self.assertEqual(json.loads(direct)["seeds"][0]["worst_case"],
                         json.loads(by_file)["seeds"][0]["worst_case"])

    def test_a_run_refuses_to_go_on_with_another_model(self):
        self.rgu("convert", "inventory", "m.rgum")
        self.write("p.toml", "[model]\nfile = 'm.rgum'\n[utility]\ntype = 'reward'\n"
                             "[ambiguity]\nset = 'singleton'\n")
        self.rgu("solve", "p.toml", "--seeds", "1", "-q", "--out", "run")
        self.rgu("evaluate", "run")
        self.rgu("convert", "inventory", "m.rgum", "--set", "model.price=9", "--force")
        self.refused("evaluate", "run", says=["chang"])

    def test_what_a_format_cannot_hold_is_said(self):
        self.write("grid.toml", GRID)
        said = self.rgu("convert", "grid.toml", "m.csv")
        self.assertEqual(said.stderr, "note: m.csv does not hold the discount 0.95, the start distribution, "
                                      "the signal a, the signal goal, the signal hazard, the grid\n")
        said = self.rgu("convert", "grid.toml", "m.tra", "--reward", "a", "--json")
        self.assertNotIn("start", said.stderr)
        facts = json.loads(said.stdout)
        self.assertIn("the signal reward", facts["lost"])
        self.assertEqual(facts["bytes"], sum(len(self.read("m." + e)) for e in ("tra", "trew", "srew", "lab")))
        self.rgu("convert", "m.tra", "back.json", "--discount", "0.5")
        back = json.loads(self.read("back.json"))
        self.assertEqual((back["discount"], list(back["signals"])), (0.5, ["reward"]))

    def test_a_model_without_signals_is_written_with_zeros(self):
        self.rgu("convert", "exploration", "m.csv")
        self.rgu("convert", "m.csv", "m.json", "--discount", "0.9")
        rewards = json.loads(self.read("m.json"))["signals"]["reward"]
        self.assertEqual({r for row in rewards for r in row}, {0})

    def test_states_with_missing_actions_are_filled_as_asked(self):
        self.write("m.csv", "idstatefrom,idaction,idstateto,probability,reward\n"
                            "0,0,0,1,0\n0,1,1,1,2\n1,0,0,1,0\n")
        self.refused("convert", "m.csv", "m.json", "--discount", "0.9", says=["m.csv"])
        self.rgu("convert", "m.csv", "m.json", "--discount", "0.9", "--missing-actions", "repeat-first")
        self.assertEqual(json.loads(self.read("m.json"))["actions"], 2)

    def test_nothing_is_replaced_without_force(self):
        self.write("m.rgum", "mine")
        self.refused("convert", "inventory", "m.rgum", says=["m.rgum is there already", "--force"])
        self.assertEqual(self.read("m.rgum"), b"mine")
        self.write("m.lab", "mine")
        self.refused("convert", "inventory", "m.tra", says=["m.lab is there already"])
        self.rgu("convert", "inventory", "m.rgum", "--force")

    def test_a_file_may_replace_itself(self):
        self.rgu("convert", "inventory", "m.rgum")
        before = self.read("m.rgum")
        self.rgu("convert", "m.rgum", "m.rgum", "--force")
        self.assertEqual(self.read("m.rgum"), before)

    def test_mistakes_are_named(self):
        self.rgu("convert", "inventory", "m.rgum")
        self.rgu("convert", "m.rgum", "m.csv")
        self.refused("convert", "inventory", "m.xml", says=["m.xml", ".rgum, .json, .csv or .tra"])
        self.refused("convert", "inventary", "n.rgum", says=["unknown problem 'inventary'", "inventory"])
        self.refused("convert", "none.json", "n.rgum", says=["none.json: no such file"])
        self.refused("convert", "m.csv", "n.rgum", says=["m.csv holds no discount", "--discount"])
        self.refused("convert", "m.rgum", "n.csv", "--reward", "renevue",
                     says=["no signal 'renevue'", "did you mean 'revenue'"])
        self.refused("convert", "m.rgum", "n.json", "--reward", "revenue", says=["--reward is for .csv and .tra"])
        self.refused("convert", "m.rgum", "n.json", "--seed", "1", says=["--seed and --set are for problems"])
        self.refused("convert", "inventory", "n.json", "--discount", "0.5",
                     says=["are for model files", "--set model.discount"])
        self.refused("convert", "m.rgum", "n.json", "--discount", "1", says=["discount is 1"])
        self.refused("convert", "m.rgum", "none/n.json", code=4, says=["No such file or directory"])
        self.rgu("convert", "m.rgum", "n.json", "--dead-states", "kill", code=2)

    def test_damage_is_found(self):
        self.rgu("convert", "inventory", "m.rgum")
        damaged = bytearray(self.read("m.rgum"))
        damaged[-1] ^= 1
        (self.folder / "m.rgum").write_bytes(damaged)
        self.refused("convert", "m.rgum", "n.json", says=["m.rgum: bytes ", "checksum", "damaged"])
        (self.folder / "m.rgum").write_bytes(damaged[:-1])
        self.refused("convert", "m.rgum", "n.json", says=["m.rgum: ", "cut or has grown"])


if __name__ == "__main__":
    unittest.main()
