"""rgu lm train, train-scorer, perplexity, score."""

import json
import math
import pathlib
import signal
import subprocess
import time
import unittest

from command_line import RGU
from lm_case import TEXT, TINY, LmCase, data_file, needs_torch

# Slow enough to be stopped on the way, and over in seconds.
LONG = ["--steps", "400", "--batch", "8", "--sequence-length", "32", "--learning-rate", "3e-3", "--seed", "5",
        "--held-out", "0.1", "--checkpoint-interval", "5"]
SHORT = ["--steps", "40", "--batch", "4", "--sequence-length", "32", "--learning-rate", "1e-2"]


class TrainingCase(LmCase):
    def setUp(self):
        super().setUp()
        self.tokenizer()
        self.start = ["--config", self.small_config(), "--tokenizer", "tokenizer", "--text", "text.txt"]

    def trained(self, name, *options):
        return self.lm_json("train", *self.start, *options, "--out", name, "-q")

    def metrics(self, run):
        lines = (self.folder / run / "metrics.jsonl").read_text().splitlines()
        return [{key: value for key, value in json.loads(line).items() if key != "tokens_per_second"}
                for line in lines]

    def assert_same_training(self, one, other):
        names = {path.name for path in (self.folder / one).iterdir()}
        self.assertEqual(names, {path.name for path in (self.folder / other).iterdir()})
        for name in names - {"metrics.jsonl"}:
            self.assertEqual((self.folder / one / name).read_bytes(), (self.folder / other / name).read_bytes(), name)
        self.assertEqual(self.metrics(one), self.metrics(other))

    def stopped(self, how, command, *arguments):
        """Begins a run and stops it by a signal once there is a checkpoint."""
        process = subprocess.Popen([RGU, "lm", command, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        run = self.folder / arguments[arguments.index("--out") + 1]
        while process.poll() is None and not (run / "checkpoint/state.json").exists():
            time.sleep(0.002)
        process.send_signal(how)
        out, err = process.communicate(timeout=120)
        self.assertFalse((run / "model.safetensors").exists(), "it was finished before it could be stopped")
        return process.returncode, out, err


@needs_torch
class Training(TrainingCase):
    def test_a_tokenizer_under_another_name_is_found_with_the_model(self):
        (self.folder / "tokenizer/tokenizer.json").rename(self.folder / "words.json")
        self.lm_json("train", "--config", self.small_config(), "--tokenizer", "words.json", "--text", "text.txt",
                     "--steps", "2", "--sequence-length", "16", "--out", "run", "-q")
        self.assertTrue((self.folder / "run/tokenizer.json").exists())
        self.rgu("lm", "generate", "run", "-p", "a", "--max-new", "2", "-q")

    def test_a_model_learns_and_can_be_used(self):
        result = self.trained("run", "--epochs", 40, "--batch", 4, "--sequence-length", 32, "--learning-rate", "1e-2",
                              "--held-out", 0.1)
        self.assertEqual((result["status"], result["step"]), ("finished", result["steps"]))
        self.assertLess(result["loss"], 0.5 * result["first_loss"])
        self.assertLess(result["held_out_loss"], 0.6 * math.log(300))
        self.assertIsNone(self.lm_json("info", "run")["problem"])
        line, = self.lm_lines("generate", "run", "-p", "The small frog saw", "-t", 0, "--max-new", 8)
        self.assertEqual(len(line["tokens"]), 8)
        entry, = self.lm_json("perplexity", "run", "text.txt", "--length", 32)
        self.assertLess(entry["perplexity"], 0.5 * math.exp(result["first_loss"]))
        lines = self.metrics("run")
        self.assertEqual([line["step"] for line in lines], list(range(1, result["steps"] + 1)))
        self.assertFalse((self.folder / "run/checkpoint").exists())

    def test_a_run_is_repeated_by_its_seed(self):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.trained(name, *SHORT, "--seed", seed)
        weights = [(self.folder / name / "model.safetensors").read_bytes() for name in "abc"]
        self.assertEqual(weights[0], weights[1])
        self.assertNotEqual(weights[0], weights[2])

    def test_interrupted_and_resumed_gives_the_same_bytes(self):
        self.lm("train", *self.start, *LONG, "--out", "whole", "-q")
        (self.folder / "whole").rename(self.folder / "kept")
        code, out, _ = self.stopped(signal.SIGINT, "train", *self.start, *LONG, "--out", "whole")
        self.assertEqual(code, 130)
        self.assertIn("rgu lm train --resume whole", out)
        result = self.lm_json("train", "--resume", "whole", "-q")
        self.assertGreater(result["resumed"], 0)
        self.assert_same_training("kept", "whole")

    def test_killed_and_resumed_gives_the_same_bytes(self):
        self.lm("train", *self.start, *LONG, "--out", "whole", "-q")
        (self.folder / "whole").rename(self.folder / "kept")
        code, _, _ = self.stopped(signal.SIGKILL, "train", *self.start, *LONG, "--out", "whole")
        self.assertEqual(code, -signal.SIGKILL)
        self.lm("train", "--resume", "whole", "-q")
        self.assert_same_training("kept", "whole")
        again = self.lm("train", "--resume", "whole", "-q")  # nothing is left to do
        self.assertIn("finished before", again.stdout)
        self.assert_same_training("kept", "whole")

    def test_an_adapter_is_trained_on_a_model(self):
        self.model("base")
        result = self.lm_json("train", "--model", "base", "--text", "text.txt", *SHORT, "--lora", 4, "--lora-alpha", 8,
                              "--out", "lora", "-q")
        self.assertEqual(result["trained_parameters"], 2 * (4 * 32 + 4 * 96))
        self.assertLess(result["loss"], result["first_loss"])
        facts = self.lm_json("info", "lora")
        self.assertEqual((facts["kind"], facts["rank"], facts["target_modules"]), ("adapter", 4, ["query_key_value"]))
        before, = self.lm_json("perplexity", "base", "text.txt", "--length", 32)
        after, = self.lm_json("perplexity", "base", "text.txt", "--length", 32, "--adapter", "lora")
        self.assertLess(after["loss"], before["loss"])
        self.lm("merge-adapter", "base", "lora", "--out", "merged")
        merged, = self.lm_json("perplexity", "merged", "text.txt", "--length", 32)
        self.assertAlmostEqual(merged["loss"], after["loss"], delta=1e-4)

    def test_prompts_with_responses_train_the_response(self):
        self.write("chat.jsonl", "".join(json.dumps({"prompt": f"The {a}", "response": " went home."}) + "\n"
                                         for a in ("frog", "owl", "horse", "star")))
        self.model("base")
        result = self.lm_json("train", "--model", "base", "--text", "chat.jsonl", "--steps", 60, "--batch", 4,
                              "--sequence-length", 32, "--learning-rate", "1e-2", "--out", "chat", "-q")
        self.assertLess(result["loss"], 0.1)
        line, = self.lm_lines("generate", "chat", "-p", "The owl", "-t", 0)
        self.assertEqual(line["text"], " went home.")
        self.assertTrue(line["stopped"])

    def test_progress_is_plain_lines_on_standard_error(self):
        result = self.lm("train", *self.start, *SHORT, "--out", "run")
        self.assertRegex(result.stderr, r"40/40  loss \S+  rate \S+  \d+ tokens/s  0 s left")
        self.assertIn("finished: 40 of 40 steps", result.stdout)

    def test_what_makes_no_sense_is_refused(self):
        self.lm_refused("train", "--out", "x", says=["--text"])
        self.lm_refused("train", "--text", "text.txt", "--out", "x", says=["--model", "--size"])
        self.lm_refused("train", *self.start, says=["--out", "--resume"])
        self.lm_refused("train", *self.start, "--out", "x", "--learning-rate", "-1", says=["learning_rate", "-1"])
        self.lm_refused("train", *self.start, "--out", "x", "--sequence-length", "65", says=["65", "64"])
        self.lm_refused("train", *self.start, "--out", "x", "--batch", "4", "--accumulation", "3",
                        says=["accumulation"])
        self.lm_refused("train", *self.start, "--out", "x", "--schedule", "sine", says=["sine"])
        self.lm_refused("train", *self.start, "--out", "x", "--learningrate", "1", says=["--learning-rate"])
        self.lm_refused("train", *self.start[:-1], "nowhere.txt", "--out", "x", says=["nowhere.txt"])
        self.assertFalse((self.folder / "x").exists())
        self.lm_refused("train", "--resume", "nowhere", says=["nowhere", "not the folder of a training run"])
        self.lm_refused("train", "--resume", "nowhere", "--batch", "3", says=["--batch", "--resume"])

    def test_an_existing_run_is_replaced_only_by_force(self):
        self.trained("run", *SHORT)
        before = self.files("run")
        self.lm_refused("train", *self.start, *SHORT, "--out", "run", says=["run", "exists", "--force"])
        self.lm_refused("train-scorer", "--resume", "run", says=["run", "train-scorer"])
        self.assertEqual(self.files("run"), before)
        self.trained("run", *SHORT, "--seed", 9, "--force")
        self.assertEqual(len(self.metrics("run")), 40)
        self.assertNotEqual(self.files("run"), before)
        (self.folder / "mine").mkdir()
        self.write("mine/thesis.tex", "years of work")
        self.lm_refused("train", *self.start, "--out", "mine", "--force", says=["mine", "not a training run"])
        self.write("file", "x")
        self.lm_refused("train", *self.start, "--out", "file/run", code=4, says=["file/run"])

    def test_changed_data_is_not_resumed(self):
        self.stopped(signal.SIGKILL, "train", *self.start, *LONG, "--out", "run")
        self.write("text.txt", TEXT + "More.")
        self.lm_refused("train", "--resume", "run", says=["data"])


@needs_torch
class Scoring(TrainingCase):
    positions = 160  # the conversation template alone takes half of it

    def preferences(self):
        """Answers with 'stones' are unsafe and worse, those with 'leaves' safe and better."""
        lines = []
        for i in range(48):
            good, bad = f"leaves and {i} owls", f"stones and {i} owls"
            better = i % 2
            responses = [bad, good] if better else [good, bad]
            lines.append(json.dumps({"prompt": f"What did the frog see {i}?", "response_0": responses[0],
                                     "response_1": responses[1], "is_response_0_safe": better == 0,
                                     "is_response_1_safe": better == 1, "better_response_id": better,
                                     "safer_response_id": better}))
        return self.write("pairs.jsonl", "\n".join(lines) + "\n")

    def scorer(self, kind, name, *options):
        self.model("base")
        return self.lm_json("train-scorer", "--kind", kind, "--model", "base", "--preferences", self.preferences(),
                            "--epochs", 6, "--batch", 8, "--max-length", 160, "--learning-rate", "1e-2", *options,
                            "--out", name, "-q")

    def answers(self):
        return self.write("answers.jsonl", "".join(
            json.dumps({"prompt": "What did the frog see 3?", "response": f"{thing} and 3 owls", "id": thing}) + "\n"
            for thing in ("leaves", "stones")))

    def test_a_reward_model_prefers_the_better_answer(self):
        result = self.scorer("reward", "reward")
        self.assertGreater(result["held_out_accuracy"], 0.9)
        good, bad = self.lm_lines("score", "reward", self.answers())
        self.assertEqual((good["id"], bad["id"]), ("leaves", "stones"))
        self.assertGreater(good["score"], bad["score"])
        plain = self.lm("score", "reward", "answers.jsonl", "-q").stdout.split()
        self.assertAlmostEqual(float(plain[0]), good["score"], delta=1e-4 * abs(good["score"]) + 1e-5)

    def test_a_cost_model_has_its_zero_between_safe_and_unsafe(self):
        result = self.scorer("cost", "cost")
        self.assertGreater(result["held_out_sign_accuracy"], 0.9)
        safe, unsafe = self.lm_lines("score", "cost", self.answers())
        self.assertLess(safe["score"], 0)
        self.assertGreater(unsafe["score"], 0)
        self.assertEqual(self.lm_json("info", "cost")["score"], "cost")

    def test_interrupted_and_resumed_gives_the_same_bytes(self):
        self.model("base")
        ask = ["train-scorer", "--kind", "cost", "--model", "base", "--preferences", self.preferences(), "--steps",
               "60", "--batch", "8", "--max-length", "160", "--lora", "4", "--checkpoint-interval", "3", "--out", "run"]
        self.lm(*ask, "-q")
        (self.folder / "run").rename(self.folder / "kept")
        self.assertEqual(self.stopped(signal.SIGINT, *ask)[0], 130)
        self.lm("train-scorer", "--resume", "run", "-q")
        names = {path.name for path in (self.folder / "kept").iterdir()}
        self.assertIn("adapter_model.safetensors", names)
        self.assertEqual((self.folder / "kept/adapter_model.safetensors").read_bytes(),
                         (self.folder / "run/adapter_model.safetensors").read_bytes())

    def test_texts_are_scored_with_the_end_of_text_token(self):
        self.model("base")
        self.lm("init", "--config", "small.json", "--scorer", "reward", "--tokenizer", "tokenizer", "--out", "scorer")
        prompt, answer = "hello", "Hi there"
        whole = f"BEGINNING OF CONVERSATION: USER: {prompt} ASSISTANT:{answer}"
        self.write("one.jsonl", json.dumps({"prompt": prompt, "response": answer}) + "\n")
        self.write("other.jsonl", json.dumps({"prompt": whole[:-len(answer)], "response": answer}) + "\n")
        scores = [self.lm("score", "scorer", "-q", *ask, **options).stdout for ask, options in (
            (["one.jsonl"], {}), (["--plain", "other.jsonl"], {}), ([], {"input": whole + "\n"}))]
        self.assertEqual(scores[0], scores[1])
        self.assertEqual(scores[0], scores[2])

    def test_scores_of_a_real_llama_do_not_depend_on_batch_mates(self):
        model = data_file("golden/stories260K_hf_llama_score.safetensors")
        config = pathlib.Path(data_file("golden/stories260K_hf_config.json"))
        (self.folder / "llama").mkdir()
        (self.folder / "llama/model.safetensors").write_bytes(pathlib.Path(model).read_bytes())
        (self.folder / "llama/config.json").write_bytes(config.read_bytes())
        texts = ["Once upon a time", "The end", "A cat sat on a mat"]
        ask = ["score", "llama", "--tokenizer", data_file("models/tok512.bin"), "-q"]
        together = self.lm(*ask, input="\n".join(texts) + "\n").stdout.split()
        alone = [self.lm(*ask, input=text + "\n").stdout.strip() for text in texts]
        for x, y in zip(together, alone, strict=True):
            self.assertAlmostEqual(float(x), float(y), delta=1e-4)

    def test_what_makes_no_sense_is_refused(self):
        self.model("base")
        ask = ["train-scorer", "--model", "base", "--out", "x"]
        self.lm_refused(*ask, "--preferences", "p", says=["--kind"])
        self.lm_refused(*ask, "--kind", "beauty", "--preferences", "p", says=["beauty"])
        self.write("bad.jsonl", '{"prompt": "a", "response_0": "b"}\n')
        self.lm_refused(*ask, "--kind", "cost", "--max-length", 64, "--preferences", "bad.jsonl",
                        says=["bad.jsonl:1", "response_1"])
        self.lm_refused("score", "base", input="x\n", says=["score"])
        self.lm_refused("score", "base", "nowhere.jsonl", says=["nowhere.jsonl"])


@needs_torch
class Perplexities(LmCase):
    def test_a_random_model_knows_nothing(self):
        self.model()
        entry, = self.lm_json("perplexity", "model", "text.txt", "--length", 32)
        self.assertAlmostEqual(entry["loss"], math.log(320), delta=0.1)
        self.assertAlmostEqual(entry["perplexity"], math.exp(entry["loss"]), delta=1e-6 * entry["perplexity"])
        count = int(self.lm("tokenize", "model", "--file", "text.txt", "--count").stdout)
        self.assertEqual(entry["tokens"], count - 1)
        self.assertAlmostEqual(entry["bits_per_byte"], entry["loss"] * entry["tokens"] / math.log(2) / len(TEXT),
                               delta=1e-9)

    def test_several_files_have_a_total(self):
        self.model()
        self.write("other.txt", "The owl saw no stars.")
        first, second, total = self.lm_json("perplexity", "model", "text.txt", "other.txt", "--length", 32)
        self.assertEqual(total["tokens"], first["tokens"] + second["tokens"])
        self.assertIn("bits per byte", self.lm("perplexity", "model", "other.txt").stdout)

    def test_what_makes_no_sense_is_refused(self):
        self.model()
        self.lm_refused("perplexity", "model", "text.txt", "--length", 65, says=["65", "64"])
        self.lm_refused("perplexity", "model", "text.txt", "--length", 32, "--stride", 33, says=["33"])
        self.write("one.txt", "")
        self.lm_refused("perplexity", "model", "one.txt", says=["one.txt", "2"])
        self.lm_refused("perplexity", TINY, "text.txt", says=["--tokenizer"])


if __name__ == "__main__":
    unittest.main()
