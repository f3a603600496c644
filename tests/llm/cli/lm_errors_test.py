"""Bad input to `rgu lm`, refused clearly in one line."""

import struct
import unittest

from lm_case import TINY, LmCase, parts


class Refusals(LmCase):
    def test_commands_and_options_that_are_misspelt_get_a_suggestion(self):
        self.lm_refused("genrate", says=["genrate", "did you mean 'generate'"])
        self.lm_refused("generate", TINY, "--temprature", "1", says=["--temprature", "did you mean '--temperature'"])
        self.lm_refused("generate", TINY, "--instructions", "avx3", says=["avx3"])
        self.lm_refused(says=["command"])
        self.lm_refused("generate", says=["model"])

    def test_missing_files_are_named(self):
        self.lm_refused("generate", "nowhere", "-p", "x", says=["nowhere"])
        self.lm_refused("info", "nowhere", says=["nowhere", "no such"])
        self.lm_refused("tokenize", "nowhere", "x", says=["nowhere"])
        self.lm_refused("generate", TINY, "--adapter", "nowhere", "--ids", "-p", "1", says=["nowhere"])
        self.lm_refused("train-tokenizer", "nowhere.txt", "--out", "t", says=["nowhere.txt"])
        self.model()
        self.lm_refused("generate", "model", "--prompts", "nowhere.txt", says=["nowhere.txt"])

    def test_a_model_without_a_tokenizer_asks_for_one(self):
        self.lm_refused("generate", TINY, "-p", "x", says=["tiny_neox", "--tokenizer"])

    def test_the_tokenizer_of_another_model_is_refused(self):
        self.tokenizer()
        self.lm_refused("generate", TINY, "--tokenizer", "tokenizer", "-p", "x",
                        says=["tokenizer", "300", "96", "another model"])

    def test_sampling_options_are_checked(self):
        for option, value in (("--temperature", "-1"), ("--top-p", "0"), ("--top-p", "1.5"), ("--top-k", "-2"),
                              ("--max-new", "0"), ("--temperature", "nan")):
            self.lm_refused("generate", TINY, "--ids", "-p", "1", f"{option}={value}", says=[value.lstrip("-")])
        self.lm_refused("generate", TINY, "--ids", "-p", "1", "--samples", "0", says=["samples"])
        self.lm_refused("generate", TINY, "--ids", "-p", "1", "--device", "toaster", says=["toaster"])

    def test_prompts_are_checked(self):
        self.model()
        self.lm_refused("generate", "model", "-p", "", says=["prompt 1", "empty"])
        self.lm_refused("generate", "model", "-p", "frog " * 100, says=["prompt 1", "64 positions"])
        self.lm_refused("generate", TINY, "--ids", "-p", "1 2 x", says=["prompt 1", "x"])
        self.lm_refused("generate", TINY, "--ids", "-p", "96", says=["96", "95"])
        self.lm_refused("generate", "model", input="", says=["standard input", "no prompts"])
        self.write("bad.jsonl", '{"prompt": "a"}\n{"promt": "b"}\n')
        self.lm_refused("generate", "model", "--prompts", "bad.jsonl", says=["bad.jsonl:2", "prompt"])
        self.write("broken.jsonl", '{"prompt": "a"}\n{"prompt": \n')
        self.lm_refused("generate", "model", "--prompts", "broken.jsonl", says=["broken.jsonl:2"])
        self.lm_refused("generate", "model", "-p", "a", "--prompts", "bad.jsonl", says=["--prompt", "--prompts"])

    def test_damaged_safetensors_are_refused(self):
        self.model()
        path = self.folder / "model/model.safetensors"
        whole = path.read_bytes()
        size = struct.unpack("<Q", whole[:8])[0]
        for damaged in (b"", whole[:7], whole[:100], whole[:-1], whole + b"x", struct.pack("<Q", 2**63) + whole[8:],
                        whole[:8] + b"{" * size + whole[8 + size:],
                        whole[:8] + whole[8:8 + size].replace(b'"F32"', b'"F99"', 1) + whole[8 + size:]):
            path.write_bytes(damaged)
            for command in (["generate", "model", "-p", "x"], ["info", "model"]):
                self.lm_refused(*command, says=["model.safetensors"])
        self.write("model/config.json", "{")
        self.lm_refused("generate", "model", "-p", "x", says=["config.json"])

    def test_output_that_cannot_be_written_is_said(self):
        self.model()
        self.write("file", "x")
        self.lm_refused("generate", "model", "-p", "a", "--out", "file/a.jsonl", code=4, says=["a.jsonl"])
        self.lm_refused("init", "--config", "small.json", "--out", "file/m", code=4, says=["file/m"])
        self.lm_refused("train-tokenizer", "text.txt", "--out", "file/t", code=4, says=["file/t"])
        self.lm_refused("init", "--config", "small.json", "--out", "model", says=["model", "exists", "--force"])

    def test_ids_outside_a_tokenizer_are_refused(self):
        self.lm_refused("tokenize", self.tokenizer(), "--decode", "99999", says=["99999"])

    def test_a_gpu_that_is_not_there_is_refused(self):
        if not parts()["cuda"]:
            self.lm_refused("generate", TINY, "--ids", "-p", "1", "--device", "cuda", says=["cuda"])


@unittest.skipIf(parts()["torch"], "this build has LibTorch")
class WithoutLibTorch(LmCase):
    def test_training_says_that_it_is_not_there(self):
        for command in ("train", "train-scorer", "perplexity", "score"):
            self.lm_refused(command, "anything", "--at", "all", says=[command, "LibTorch", "RGU_TORCH"])


if __name__ == "__main__":
    unittest.main()
