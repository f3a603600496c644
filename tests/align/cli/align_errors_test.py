"""Bad input to `rgu align`: refused in one line that says what is wrong and where, with nothing left in the way."""

import gzip
import json
import subprocess
import unittest

from align_case import PROMPTS, AlignCase, parts, score_models
from command_line import QUICK, RGU


class Refusals(AlignCase):
    def refuse(self, *further, says, code=2, **changes):
        self.align_refused(*self.small(**changes), *further, "--out", "run", says=says, code=code)
        self.assertFalse((self.folder / "run").exists(), "a folder is left in the way")

    def test_commands_and_options_that_are_misspelt_get_a_suggestion(self):
        self.align_refused("dmeo", says=["dmeo", "did you mean 'demo'"])
        self.align_refused("--iteratons", 3, says=["--iteratons", "did you mean '--iterations'"])

    def test_what_is_needed_is_asked_for(self):
        self.align_refused(says=["config file", "--model", "--reward", "--data"])
        self.align_refused("--model", parts() / "model", "--data", parts() / "prompts.txt", says=["--reward"])

    def test_a_missing_file_is_named(self):
        self.refuse(model="nowhere", says=["nowhere", "no such"])
        self.refuse(data=["nowhere.txt"], says=["nowhere.txt", "no such"])
        self.refuse("--tokenizer", "nowhere.json", says=["nowhere.json"])
        self.refuse("--adapter", "nowhere", says=["nowhere"])
        for scorer in ("lexicon:nowhere", "nowhere"):
            self.refuse(rewards=[f"good={scorer}"], says=['reward "good"', "nowhere", "o such file"])
        for scorer in ("linear:nowhere", "command:/nowhere"):
            self.refuse(costs=[f"bad={scorer}"], says=['"bad"', "nowhere", "o such file"])
        self.align_refused("nowhere.toml", "--out", "run", says=["nowhere.toml", "no such"])
        self.align_refused("resume", "nowhere", says=["no run folder", "nowhere"])

    def test_prompts_are_checked(self):
        self.write("broken.jsonl", '{"prompt": "a"}\n{"prompt": \n')
        self.refuse(data=["broken.jsonl"], says=["broken.jsonl:2", "not JSON"])
        self.write("other.jsonl", '{"prompt": "a"}\n\n{"promt": "b"}\n')
        self.refuse(data=["other.jsonl"], says=["other.jsonl:3", "'prompt'"])
        whole = gzip.compress("\n".join(PROMPTS).encode())
        (self.folder / "cut.txt.gz").write_bytes(whole[:-12])
        self.refuse(data=["cut.txt.gz"], says=["cut.txt.gz", "gzip"])
        self.write("empty.txt", "\n\n")
        self.refuse(data=["empty.txt"], says=["empty.txt", "no prompt"])
        self.refuse(sampling__max_new_tokens=125, says=["125", "128 positions", "max_new_tokens"])

    def test_the_tokenizer_must_be_the_models(self):
        words = ["lm", "train-tokenizer", parts() / "text.txt", "--vocabulary", 400, "--out", "large"]
        self.rgu(*map(str, words))
        self.refuse("--tokenizer", "large", says=["large", "tokens", "vocabulary of 320"])

    def test_scorers_are_checked(self):
        self.write("lexicon.txt", "1 good\nvery bad\n")
        self.refuse(rewards=["lexicon:lexicon.txt"], says=['reward "reward"', "lexicon.txt:2", "very"])
        self.write("linear.txt", "bias 1\n2 one two three\n")
        self.refuse(costs=["linear:linear.txt"], says=['"cost"', "linear.txt:2"])
        self.refuse(rewards=[parts() / "model"], says=['reward "reward"', "no score head"])
        for scorer in ("lexicon:", "command: ", "name="):
            self.refuse(rewards=[scorer], says=[f'scorer "{scorer}"', "NAME", "lexicon:FILE"])
        harm = parts() / "harm.txt"
        self.refuse(costs=[f"a=linear:{harm}", f"a=linear:{harm}"], says=['"a"', "twice"])
        self.refuse("--threshold", 1, costs=[], says=["--threshold", "--cost"])

    def test_a_damaged_score_model_is_refused(self):
        reward, _ = score_models()
        (self.folder / "damaged").mkdir()
        for path in reward.iterdir():
            if path.is_file():
                (self.folder / "damaged" / path.name).write_bytes(path.read_bytes())
        weights = self.folder / "damaged/model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1])
        self.refuse(rewards=["damaged"], says=['reward "reward"', "damaged/model.safetensors"])

    def test_values_are_checked(self):
        self.refuse("--set", "ppo.learning_rat=1", says=["learning_rat", "did you mean 'learning_rate'"])
        self.refuse("--set", "ppo.learning_rate=-1", says=["learning_rate", "-1", "> 0"])
        self.refuse("--set", "ppo.learning_rate", says=["ppo.learning_rate", "key=value"])
        self.refuse("--seeds", 0, says=["seeds", "0"])
        self.refuse(iterations=-1, says=["iterations", "-1", ">= 0"])
        self.refuse("--threshold", "nan", says=["threshold", "nan", "finite"])
        self.refuse("--device", "toaster", says=['device "toaster"'])

    def test_a_config_file_is_checked(self):
        self.align(*self.small(iterations=0), "--out", "good")
        text = (self.folder / "good/config.toml").read_text()
        for old, new, says in (("lora_rank", "lora_rnk", ["bad.toml:7:1", "'lora_rnk'", "did you mean 'lora_rank'"]),
                               ("[policy]", "[policy", ["bad.toml:5"]),
                               ('kind = "lexicon"', 'kind = "lexikon"', ["lexikon", "did you mean 'lexicon'"]),
                               ("[[rewards]]", "[[reward]]", ["'reward'", "did you mean 'rewards'"])):
            self.assertIn(old, text)
            self.write("bad.toml", text.replace(old, new, 1))
            self.align_refused("bad.toml", "--out", "run", says=says)
            self.assertFalse((self.folder / "run").exists())

    def test_where_nothing_can_be_written_it_says_so(self):
        self.write("file", "x")
        self.align_refused(*self.small(), "--out", "file", says=["file", "not a folder"])
        self.align_refused(*self.small(), "--out", "file/run", code=4, says=["file/run", "Not a directory"])
        self.align(*self.small(iterations=0), "--out", "run")
        with open("/dev/full", "w") as full:
            done = subprocess.run([RGU, "align", "report", "run"], cwd=self.folder, stdout=full, timeout=600,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)


class Consent(AlignCase):
    """A file can ask for a program; only the person at the command line can have it started."""

    ASK = "the config asks to run the program"

    def setUp(self):
        super().setUp()
        self.write("trap.py", "import pathlib, sys\npathlib.Path('started').touch()\n"
                              "for line in sys.stdin:\n    print(1, flush=True)\n")
        self.trap = f"command:python3 {self.path('trap.py')}"
        self.typed = self.small(costs=[f"trap={self.trap}"], iterations=1)

    def assert_not_started(self, *words):
        self.align_refused(*words, says=["trap.py", self.ASK, "--allow-commands"])
        self.assertFalse((self.folder / "started").exists(), "the program was started")

    def made(self):
        """A run whose config names the program, which has not left a trace of it."""
        self.align(*self.typed, "--out", "run")
        (self.folder / "started").unlink()

    def test_a_config_cannot_start_a_program_by_itself(self):
        self.made()
        text = (self.folder / "run/config.toml").read_text()
        for name in ("run/config.toml", self.write("absent.toml", text.replace(str(parts() / "model"), "/nowhere"))):
            self.assert_not_started(name, "--out", "other")  # before the model is looked for
            self.assertFalse((self.folder / "other").exists())
        self.align("run/config.toml", "--allow-commands", "--threads", 1, "-q", "--out", "other")
        self.assertTrue((self.folder / "started").exists())
        self.assert_same_run("run", "other")

    def test_a_run_folder_cannot_either(self):
        self.made()
        self.assert_not_started("resume", "run", "--iterations", 2, "--threads", 1, "-q")
        self.align("report", "run")
        self.assertFalse((self.folder / "started").exists())
        self.align("resume", "run", "--iterations", 2, "--threads", 1, "-q", "--allow-commands")
        self.assertTrue((self.folder / "started").exists())
        (self.folder / "started").unlink()
        self.assert_not_started("resume", "run", "--iterations", 3)

    def test_consent_leaves_no_trace(self):
        self.align(*self.typed, "--out", "typed")
        self.align(*self.typed, "--allow-commands", "--out", "allowed")
        self.assert_same_run("typed", "allowed")
        for name, content in self.files("allowed").items():
            self.assertNotIn(b"allow", content, name)

    def test_a_typed_program_is_consent_to_that_one_only(self):
        self.made()
        harm, good = parts() / "harm.txt", parts() / "good.txt"
        # The file's program stays among the constraints; another one is typed.
        self.assert_not_started("run/config.toml", "--reward", "command:cat", "--out", "other")
        self.assert_not_started(*self.small(costs=[f"linear:{harm}"]), "--set", 'constraints.0.kind=command', "--set",
                                f'constraints.0.command=["python3", "{self.path("trap.py")}"]', "--out", "other")
        # The same program, typed in another place.
        self.assert_not_started("run/config.toml", "--reward", self.trap, "--out", "other")
        # What is typed takes the place of the file's.
        self.align("run/config.toml", "--cost", f"linear:{harm}", "--reward", f"lexicon:{good}", "--threads", 1, "-q",
                   "--out", "replaced")
        self.assertFalse((self.folder / "started").exists())


class OtherRuns(AlignCase):
    """Folders of one kind given to commands for the other."""

    def setUp(self):
        super().setUp()
        self.rgu("solve", *QUICK, "--out", "solved", "-q")
        self.align(*self.small(iterations=1), "--out", "aligned")

    def test_they_are_refused_and_left_as_they_are(self):
        before = {name: self.files(name) for name in ("solved", "aligned")}
        for command in ("resume", "report"):
            self.align_refused(command, "solved", says=["solved", "no alignment run", "'rgu report'"])
        self.align_refused("resume", parts() / "model", says=["model", "not a run folder"])
        for command in ("resume", "report", "show", "evaluate", "certify"):
            self.refused(command, "aligned", says=["aligned", "an alignment run", "'rgu align resume'"])
        self.refused("lm", "train", "--resume", "aligned", says=["aligned", "not the folder of a training run"])
        self.assertEqual({name: self.files(name) for name in before}, before)

    def test_a_damaged_run_is_named(self):
        self.write("aligned/run.json", json.dumps({"kind": "alignment"}))
        self.align_refused("report", "aligned", says=["aligned/run.json", '"name"'])
        for text in ("{", "[]", '{"kind": 1}'):
            self.write("aligned/run.json", text)
            for command in ("report", "resume"):
                self.align_refused(command, "aligned", says=["aligned"])


if __name__ == "__main__":
    unittest.main()
