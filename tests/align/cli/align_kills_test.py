"""Training and alignment killed at random moments, starved of disk space and with damaged checkpoints.

RGU_TEST_KILLS, RGU_TEST_WRITES and RGU_TEST_SEED are as in tests/cli/kills_test.py.
"""

import json
import re
import shutil
import signal
import unittest

from align_case import AlignCase, parts, score_models
from fault_case import RUDE_OR_POLITE, FaultCase

TRAIN = ["lm", "train", "--sequence-length", 32, "--steps", 40, "--batch", 8, "--learning-rate", "1e-2", "--threads", 1,
         "--checkpoint-interval", 4, "-q"]
SCORER = ["lm", "train-scorer", "--kind", "reward", "--steps", 24, "--batch", 4, "--max-length", 128, "--threads", 1,
          "--learning-rate", "1e-2", "--checkpoint-interval", 3, "-q"]


class AlignFaultCase(FaultCase, AlignCase):
    start = FaultCase.start

    def files(self, run):
        """But for the speed that lines of training tell."""
        return {name: re.sub(b'"tokens_per_second":[^,}]*', b"", content) if name == "metrics.jsonl" else content
                for name, content in super().files(run).items()}

    def long(self, iterations=24):
        return ["align", *self.small(iterations=iterations, output__checkpoint_every=3), "--seeds", 2]

    def train(self):
        return [*TRAIN, "--config", parts() / "shape.json", "--tokenizer", parts() / "tokenizer", "--text",
                parts() / "text.txt"]


def has_command(folder):
    return (folder / "command.json").exists()


class Kills(AlignFaultCase):
    def killed(self, begin, go_on, is_begun):
        duration = self.seconds(*begin, "--out", "whole")

        def next_words(number):
            name = f"killed-{number}"
            return [*go_on, name] if is_begun(self.folder / name) else [*begin, "--out", name]

        def check(number, ended):
            if ended:
                self.assert_same_run("whole", f"killed-{number}")

        self.kill_often(next_words, 0.6 * duration, check, signals=RUDE_OR_POLITE)

    def test_alignment(self):
        self.killed(self.long(), ["align", "resume", "--threads", 1, "-q"],
                    lambda folder: (folder / "run.json").exists())

    def test_training_of_a_language_model(self):
        self.killed(self.train(), ["lm", "train", "-q", "--resume"], has_command)

    def test_training_of_a_scorer(self):
        score_models()
        self.killed([*SCORER, "--model", parts() / "model", "--preferences", parts() / "pairs.jsonl"],
                    ["lm", "train-scorer", "-q", "--resume"], has_command)


class FullDisk(AlignFaultCase):
    def test_alignment_goes_on_once_there_is_space(self):
        failed = self.starved([*self.long(8), "--out"], look=lambda name: self.align("report", name),
                              go_on=lambda name: self.align("resume", name, "--threads", 1, "-q"))
        self.assertGreater(failed, 10)


class DamagedCheckpoints(AlignFaultCase):
    def flipped(self, path):
        content = bytearray(path.read_bytes())
        content[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(8)
        path.write_bytes(content)

    def stopped(self, words, name, sign):
        process = self.start(*words, "--out", name)
        self.wait_for(lambda: any((self.folder / name).glob(sign)), f"{name}/{sign}")
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def test_tensors_that_changed_are_noticed_and_the_checkpoint_before_counts(self):
        words = self.long(12)
        self.rgu(*map(str, words), "--out", "whole")
        self.stopped(words, "stopped", "seed-0/checkpoint.previous")
        for _ in range(8):
            shutil.rmtree(self.folder / "damaged", ignore_errors=True)
            shutil.copytree(self.folder / "stopped", self.folder / "damaged")
            self.flipped(self.chance.choice(sorted((self.folder / "damaged/seed-0").glob("tensors-*"))))
            self.align("resume", "damaged", "--threads", 1, "-q")
            self.assert_same_run("whole", "damaged")

    def test_training_says_that_its_checkpoint_is_damaged(self):
        self.stopped(self.train(), "stopped", "checkpoint*/state.json")
        for name in ("parameters.safetensors", "optimizer.safetensors"):
            for _ in range(4):
                shutil.rmtree(self.folder / "damaged", ignore_errors=True)
                shutil.copytree(self.folder / "stopped", self.folder / "damaged")
                found = sorted((self.folder / "damaged").glob(f"checkpoint*/{name}"))
                for path in found:
                    self.flipped(path)
                self.refused("lm", "train", "-q", "--resume", "damaged", says=["checkpoint"])
        state = sorted((self.folder / "stopped").glob("checkpoint*/state.json"))[0]
        text = json.loads(state.read_text())
        state.write_text(json.dumps({**text, "step": text["step"] + 1}))
        self.refused("lm", "train", "-q", "--resume", "stopped", says=["is damaged", "checksum"])


class Folders(AlignFaultCase):
    def test_links_are_not_written_through(self):
        self.align(*self.small(iterations=1), "--out", "run")
        self.rgu(*map(str, self.train()), "--out", "trained")
        for name, words in (("run/seed-0/metrics.jsonl", ("align", "resume", "run", "--iterations", "2")),
                            ("trained/metrics.jsonl", ("lm", "train", "-q", "--resume", "trained"))):
            self.write("precious", "precious")
            path = self.folder / name
            path.unlink()
            path.symlink_to(self.folder / "precious")
            self.refused(*words, says=["metrics.jsonl", "is a link"])
            self.assertEqual((self.folder / "precious").read_text(), "precious")

    def test_a_second_training_in_the_same_folder_is_refused(self):
        words = [*map(str, self.train())]
        words[words.index("--steps") + 1] = "100000"
        process = self.start(*words, "--out", "busy")
        self.wait_for(lambda: any(self.folder.glob("busy/checkpoint*/state.json")), "a checkpoint")
        self.refused("lm", "train", "-q", "--resume", "busy", says=["busy", "in use"])
        process.send_signal(signal.SIGKILL)
        process.communicate()


if __name__ == "__main__":
    unittest.main()
