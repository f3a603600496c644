"""Bad input, refused clearly: one line that names the thing, its value, the rule and the place."""

import pathlib
import subprocess
import unittest

from command_line import QUICK, RGU, CommandLineTest


class Refusals(CommandLineTest):
    def test_an_unknown_problem_gets_a_suggestion(self):
        for command in (["solve"], ["check"], ["show"], ["sweep", "--radius", "0:1:1"]):
            self.refused(*command, "explorationn", says=["explorationn", "did you mean", "exploration"])

    def test_a_missing_file_is_named(self):
        self.refused("solve", "nowhere.toml", says=["nowhere.toml", "no such file"])

    def test_bad_toml_is_shown_with_line_and_column(self):
        self.write("bad.toml", 'name = "x"\n[model\ngenerator = "grid"\n')
        self.refused("solve", "bad.toml", says=["bad.toml:2:"])

    def test_an_unknown_key_gets_line_column_and_suggestion(self):
        text = self.rgu("show", "exploration").stdout.replace("radius = 0.5", "radus = 0.5")
        line = 1 + text[:text.index("radus")].count("\n")
        self.write("typo.toml", text)
        self.refused("check", "typo.toml", says=[f"typo.toml:{line}:1", "radus", "did you mean 'radius'"])

    def test_what_a_file_says_does_not_steer_the_terminal(self):
        self.write("hostile.toml", '[model]\ngenerator = "random"\n[utility]\ntype = "reward"\n'
                                   'signal = "a\\u001b[31m\\nb"\n')
        self.refused("check", "hostile.toml", says=["a\\x1b[31m\\x0ab"])

    def test_a_bad_value_names_key_value_and_rule(self):
        self.refused("solve", *QUICK, "--set", "ambiguity.radius=-1", says=["ambiguity.radius=-1"])
        self.refused("solve", *QUICK, "--set", "model.discount=1.5", says=["discount", "1.5"])
        self.refused("solve", *QUICK, "--set", "nonsense", says=["nonsense"])
        self.refused("solve", *QUICK, "--seeds", "0", says=["seeds"])
        self.refused("solve", *QUICK, "--seeds", "x", says=["seeds"])

    def test_an_existing_run_is_never_overwritten_without_force(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        before = self.files("run")
        self.refused("solve", *QUICK, "--out", "run", says=["run", "exists", "--force"])
        self.assertEqual(self.files("run"), before)
        self.rgu("solve", *QUICK, "--out", "run", "--force", "-q")

    def test_a_folder_that_is_no_run_is_never_overwritten(self):
        (self.folder / "mine").mkdir()
        self.write("mine/thesis.tex", "years of work")
        self.refused("solve", *QUICK, "--out", "mine", "--force", says=["mine", "not a run"])
        self.assertEqual((self.folder / "mine/thesis.tex").read_text(), "years of work")

    def test_output_that_cannot_be_written_is_said(self):
        self.write("file", "x")
        self.refused("solve", *QUICK, "--out", "file/run", code=4, says=["file/run", "cannot"])
        self.refused("solve", *QUICK, "--out", "/proc/rgu/run", code=4, says=["/proc/rgu", "cannot"])
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        self.refused("compare", "run", "--html", "file/page.html", code=4, says=["page.html"])
        self.refused("sweep", *QUICK, "--radius", "0.1", "--html", "no/page.html", "-q", code=4,
                     says=["page.html"])

    def test_what_is_no_run_is_refused(self):
        (self.folder / "empty").mkdir()
        for command in ("evaluate", "certify", "report", "resume", "compare"):
            self.refused(command, "nowhere", says=["nowhere"])
            self.refused(command, "empty", says=["empty", "not a run folder"])
        self.refused("show", "empty", says=["empty", "not a run folder"])

    def test_a_damaged_run_is_named_with_file_and_line(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        metrics = pathlib.Path(self.path("run/seed-0/metrics.jsonl"))
        metrics.write_text(metrics.read_text() + "nonsense\n")
        self.refused("show", "run", says=["metrics.jsonl:21", "not JSON"])
        self.write("run/seed-0/policy.json", '{"policy": [[0.5, 0.5]]}')
        self.refused("evaluate", "run", says=["policy.json", "1 states and 2 actions"])
        self.write("run/config.toml", "[")
        self.refused("resume", "run", says=["config.toml:1:"])

    def test_runs_of_other_sizes_cannot_be_compared(self):
        self.rgu("solve", *QUICK, "--out", "a", "-q")
        self.rgu("solve", *QUICK, "--set", "model.capacity=5", "--out", "b", "-q")
        self.refused("compare", "a", "b", says=["states", "inventory"])

    def test_a_radius_that_makes_no_sense_is_refused(self):
        for radius in ("1:0:0.1", "0:1:0", "-1", "a:b:c", "0:1", "0:1:1e-9", "nan"):
            self.refused("sweep", "exploration", f"--radius={radius}", says=["radius", radius])
        self.refused("sweep", "constrained", "--radius", "0.1", says=["constrained", "no radius"])

    def test_only_limits_can_be_changed_on_resuming(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        self.refused("resume", "run", "--set", "ambiguity.radius=9", says=["ambiguity.radius=9", "stopping"])

    def test_the_command_line_itself_is_checked(self):
        self.rgu(code=2)
        self.refused("slove", "exploration", says=["slove", "did you mean 'solve'"])
        self.refused("keys", "solvers", says=["solvers", "did you mean 'solver'"])
        self.rgu("solve", code=2)
        self.rgu("solve", *QUICK, "--threads", "0", code=2)
        self.rgu("solve", *QUICK, "--colour", code=2)
        self.rgu("completions", "tcsh", code=2)

    def test_a_changed_problem_cannot_be_resumed_or_evaluated(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        config = self.folder / "run/config.toml"
        config.write_text(config.read_text().replace("capacity = 15", "capacity = 14"))
        for command in ("resume", "evaluate", "compare"):
            self.refused(command, "run", says=["config.toml", "changed after the run began"])

    def test_iterations_that_were_done_cannot_be_undone(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        self.refused("resume", "run", "--set", "stopping.iterations=10", says=["10", "20"])

    def test_sets_where_the_utility_makes_no_sense_are_refused(self):
        self.refused("check", "constrained", "--set", 'ambiguity={set="lp-ball", radius=5}',
                     says=["ambiguity", "multipliers", ">= 0"])
        self.refused("check", "imitation", "--set", "utility.type=kl-target",
                     says=["ambiguity", "kl-target", "delta"])

    def test_output_that_has_no_room_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([RGU, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("standard output", done.stderr)

    def test_a_name_that_is_too_long_is_refused_by_the_system(self):
        self.refused("solve", *QUICK, "--set", "name=" + 300 * "x", code=4, says=["cannot make"])

    def test_schedules_belong_to_the_prox_extragradient_method(self):
        self.refused("solve", "exploration", "--set", "gradient.kind=sampled", "--set",
                     "gradient.trajectories=[10, 20]", "--out", "run", says=["prox-extragradient"])


if __name__ == "__main__":
    unittest.main()
