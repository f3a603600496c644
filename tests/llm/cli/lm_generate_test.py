"""rgu lm generate."""

import gzip
import json
import math
import pathlib
import re
import signal
import subprocess
import unittest

from command_line import RGU
from lm_case import REFERENCE, TINY, LmCase, data_file, json_lines, needs_torch

ASK = ["generate", TINY, "--ids", "-p", "5 17 3", "-p", "88 42", "--max-new", "16", "--no-stop"]


class Generating(LmCase):
    def test_greedy_tokens_are_the_most_probable_of_the_golden_logits(self):
        golden = json.loads((REFERENCE / "tiny_neox_golden.json").read_text())
        for position in (0, 3, 7, 11):
            prompt = " ".join(map(str, golden["input_ids"][:position + 1]))
            line, = self.lm_lines("generate", TINY, "--ids", "-p", prompt, "-t", 0, "--max-new", 1)
            logits = golden["logits"][position]
            best = max(range(len(logits)), key=logits.__getitem__)
            self.assertEqual(line["tokens"], [best])
            top = max(logits)
            total = math.log(sum(math.exp(value - top) for value in logits))
            self.assertAlmostEqual(line["log_probabilities"][0], -total, delta=golden["tolerance"])

    def test_a_sequence_does_not_depend_on_batch_threads_or_mates(self):
        whole = self.lm_lines(*ASK, "-n", 5, "--seed", 3)
        self.assertEqual(len(whole), 10)
        self.assertEqual(whole, self.lm_lines(*ASK, "-n", 5, "--seed", 3, "--batch", 1))
        self.assertEqual(whole, self.lm_lines(*ASK, "-n", 5, "--seed", 3, "--threads", 1, "--batch", 3))
        self.assertNotEqual(whole, self.lm_lines(*ASK, "-n", 5, "--seed", 4))
        self.assertEqual([entry["sample"] for entry in whole], [0, 1, 2, 3, 4] * 2)
        self.assertTrue(all(len(entry["tokens"]) == 16 == len(entry["log_probabilities"]) for entry in whole))

    def test_instruction_sets_agree(self):
        whole = self.lm_lines(*ASK, "-t", 0)
        portable = self.lm_lines(*ASK, "-t", 0, "--instructions", "portable")
        for one, other in zip(whole, portable):
            self.assertEqual(one["tokens"], other["tokens"])
            for x, y in zip(one["log_probabilities"], other["log_probabilities"]):
                self.assertAlmostEqual(x, y, delta=1e-4)

    def test_top_k_of_one_is_greedy(self):
        greedy = self.lm_lines(*ASK, "-t", 0)
        for options in (["--top-k", 1], ["--top-p", 1e-6]):
            sampled = self.lm_lines(*ASK, *options)
            self.assertEqual([e["tokens"] for e in sampled], [e["tokens"] for e in greedy])

    def test_prompts_come_from_arguments_files_and_standard_input(self):
        self.model()
        ask = ["generate", "model", "--max-new", 4, "--seed", 1]
        texts = ["The small frog", "Many owls"]
        given = self.lm_lines(*ask, "-p", texts[0], "-p", texts[1])
        self.assertEqual([entry["prompt"] for entry in given], texts)
        self.write("lines.txt", texts[0] + "\n\n" + texts[1] + "\n")
        objects = "".join(json.dumps({"prompt": text, "id": 7}) + "\n" for text in texts)
        (self.folder / "objects.jsonl.gz").write_bytes(gzip.compress(objects.encode()))
        self.assertEqual(given, self.lm_lines(*ask, "--prompts", "lines.txt"))
        self.assertEqual(given, self.lm_lines(*ask, "--prompts", "objects.jsonl.gz"))
        self.assertEqual(given, self.lm_lines(*ask, input=objects))
        self.lm(*ask, "--prompts", "lines.txt", "--out", "answers.jsonl")
        self.assertEqual(given, json_lines((self.folder / "answers.jsonl").read_text()))
        plain = self.lm(*ask, "--prompts", "lines.txt").stdout
        self.assertTrue(plain.startswith(texts[0]))

    def test_the_conversation_template_is_put_around_prompts(self):
        self.model()
        ask = ["generate", "model", "--max-new", 4, "-t", 0]
        wrapped = self.lm_lines(*ask, "-p", "hello", "--conversation")
        by_hand = self.lm_lines(*ask, "-p", "BEGINNING OF CONVERSATION: USER: hello ASSISTANT:")
        self.assertEqual(wrapped[0]["tokens"], by_hand[0]["tokens"])
        self.assertEqual(wrapped[0]["prompt"], "hello")

    def test_progress_and_rate_go_to_standard_error(self):
        result = self.lm(*ASK)
        self.assertRegex(result.stderr, r"2 sequences, 32 tokens in .* tokens/s")
        self.assertEqual(self.lm(*ASK, "-q").stderr, "")

    def test_an_interruption_keeps_what_is_finished(self):
        self.model()
        ask = [RGU, "lm", "generate", "model", "-p", "The", "-n", "3000000", "--max-new", "60", "--no-stop", "--out",
               "answers.jsonl"]
        process = subprocess.Popen(ask, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not re.match("[1-9]", process.stderr.readline()):
            pass  # until progress tells of finished sequences
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, rest)
        self.assertIn("are kept", rest)
        answers = json_lines((self.folder / "answers.jsonl").read_text())
        self.assertGreater(len(answers), 0)
        self.assertTrue(all(len(answer["tokens"]) == 60 for answer in answers))

    def test_the_real_story_model_tells_the_golden_story(self):
        golden = json.loads(pathlib.Path(data_file("golden/stories260K_golden.json")).read_text())
        length = len(golden["input_ids"])
        ask = ["generate", data_file("models/stories260K.bin"), "-t", 0, "--max-new", len(golden["greedy_ids"]) - length]
        line, = self.lm_lines(*ask, "--ids", "-p", " ".join(map(str, golden["input_ids"])))
        self.assertEqual(line["tokens"], golden["greedy_ids"][length:])
        story = self.lm(*ask, "--tokenizer", data_file("models/tok512.bin"), "-p", "Once upon a time").stdout
        self.assertTrue(story.startswith("Once upon a time, there was a little girl named Lily."), story)

    @needs_torch
    def test_libtorch_samples_the_same_tokens(self):
        for options in (["-t", 0], ["--seed", 5]):
            fast = self.lm_lines(*ASK, *options)
            slow = self.lm_lines(*ASK, *options, "--libtorch")
            for one, other in zip(fast, slow):
                self.assertEqual(one["tokens"], other["tokens"])
                for x, y in zip(one["log_probabilities"], other["log_probabilities"]):
                    self.assertAlmostEqual(x, y, delta=1e-4)


if __name__ == "__main__":
    unittest.main()
