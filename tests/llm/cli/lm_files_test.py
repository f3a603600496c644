"""rgu lm tokenize, train-tokenizer, info, init, merge-adapter."""

import gzip
import json
import re
import struct
import unittest

from lm_case import REFERENCE, TEXT, TINY, LmCase, data_file, parts, read_safetensors


class Help(LmCase):
    def test_help_of_every_command_has_an_example(self):
        text = self.lm("--help").stdout
        self.assertIn("Exit codes", text)
        commands = re.findall(r"^  ([a-z-]+) +[A-Z]", text.split("Subcommands:")[1], re.M)
        self.assertLessEqual({"generate", "tokenize", "train-tokenizer", "info", "init", "merge-adapter", "perplexity",
                              "score", "train", "train-scorer"}, set(commands))
        for command in commands:
            self.assertIn("Example", self.lm(command, "--help").stdout, command)

    def test_parts_are_what_doctor_shows(self):
        self.assertIn(parts()["decode"], ("portable", "avx2", "avx512"))
        doctor = json.loads(self.rgu("doctor", "--json", "--seconds", "0.01").stdout)
        self.assertEqual(doctor["parts"]["language_models"], parts())

    def test_version(self):
        self.assertRegex(self.lm("--version").stdout, r"rgu \d+\.\d+\.\d+")


class Tokenizing(LmCase):
    def test_text_goes_to_ids_and_back(self):
        tokenizer = self.tokenizer()
        for text in ("The small frog saw two stones", "  spaces,\ttabs ", "Grüße 你好 🙂", "<|endoftext|>"):
            ids = self.lm("tokenize", tokenizer, "--", text).stdout.strip()
            self.assertEqual(self.lm("tokenize", tokenizer, "--decode", ids).stdout, text + "\n")
        facts = self.lm_json("tokenize", tokenizer, "The frog")
        self.assertEqual(facts["tokens"], len(facts["ids"]))
        self.assertEqual(facts["bytes"], len("The frog"))
        self.assertEqual("".join(facts["pieces"]), "TheĠfrog")

    def test_input_may_be_arguments_a_file_or_standard_input(self):
        tokenizer = self.tokenizer()
        count = self.lm("tokenize", tokenizer, TEXT, "--count").stdout
        self.assertEqual(self.lm("tokenize", tokenizer, "--file", "text.txt", "--count").stdout, count)
        self.assertEqual(self.lm("tokenize", tokenizer, "--count", input=TEXT).stdout, count)
        (self.folder / "lines.gz").write_bytes(gzip.compress(b"The frog\n\nThe owl\n"))
        lines = self.lm("tokenize", tokenizer, "--lines", "--file", "lines.gz").stdout.splitlines()
        self.assertEqual(len(lines), 2)

    def test_training_merges_what_is_frequent(self):
        facts = self.tokenizer(400) and self.lm_json("info", "tokenizer")
        self.assertEqual(facts["kind"], "tokenizer")
        self.assertLessEqual(facts["size"], 400)
        self.assertEqual(facts["eos"], {"id": 0, "piece": "<|endoftext|>"})
        self.assertEqual(facts["pad"], {"id": 1, "piece": "<|padding|>"})
        self.assertEqual(self.lm("tokenize", "tokenizer", " home", "--count").stdout, "1\n")
        self.lm_refused("train-tokenizer", "text.txt", "--out", "tokenizer", says=["tokenizer", "exists", "--force"])

    def test_json_lines_are_read_by_field(self):
        self.write("a.jsonl", json.dumps({"text": TEXT}) + "\n")
        self.write("b.txt", TEXT)
        for name in ("a.jsonl", "b.txt"):
            self.lm("train-tokenizer", name, "--vocabulary", 300, "--out", name + ".out")
        self.assertEqual((self.folder / "a.jsonl.out/tokenizer.json").read_bytes(),
                         (self.folder / "b.txt.out/tokenizer.json").read_bytes())
        self.write("c.jsonl", '{"body": "x"}\n')
        self.lm_refused("train-tokenizer", "c.jsonl", "--out", "c", says=["c.jsonl:1", "text"])

    def test_the_real_neox_tokenizer_counts_as_the_golden_texts_say(self):
        tokenizer = data_file("tokenizers/gpt-neox-20B_tokenizer.json")
        with open(data_file("tokenizers/golden_neox.jsonl")) as file:
            golden = [json.loads(line) for line in file]
        golden = [entry for entry in golden if entry["text"] and "\0" not in entry["text"]]
        self.assertGreater(len(golden), 120)
        lines = self.lm_lines("tokenize", tokenizer, "--ids", "--", *(entry["text"] for entry in golden))
        for entry, line in zip(golden, lines, strict=True):
            self.assertEqual(line["ids"], entry["ids"], repr(entry["text"]))


class Info(LmCase):
    def test_a_model_a_tokenizer_and_plain_tensors(self):
        facts = self.lm_json("info", TINY)
        self.assertEqual((facts["kind"], facts["architecture"], facts["parameters"]),
                         ("language model", "gpt_neox", 162368))
        self.assertEqual(facts["weights"]["types"], {"F32": 162368})
        self.assertIsNone(facts["problem"])
        tensors = self.lm_json("info", TINY, "--tensors")["tensor_list"]
        self.assertEqual({entry["name"] for entry in tensors}, set(read_safetensors(TINY)))
        self.assertIn("[96, 64]", self.lm("info", TINY, "--tensors").stdout)

    def test_weights_that_do_not_fit_are_named(self):
        self.model()
        path = self.folder / "model/config.json"
        config = json.loads(path.read_text())
        config["num_hidden_layers"] = 3
        path.write_text(json.dumps(config))
        facts = self.lm_json("info", "model", code=2)
        self.assertIn("gpt_neox.layers.2.", facts["problem"])
        self.assertIn("missing", facts["problem"])

    def test_a_real_llama2c_model(self):
        facts = self.lm_json("info", data_file("models/stories260K.bin"))
        self.assertEqual((facts["architecture"], facts["layers"], facts["vocabulary"]), ("llama", 5, 512))
        self.assertEqual(self.lm_json("info", data_file("models/tok512.bin"))["size"], 512)


class Init(LmCase):
    def test_a_seed_gives_one_model(self):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.model(name, "--seed", str(seed))
        a, b, c = ((self.folder / name / "model.safetensors").read_bytes() for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)
        self.assertTrue((self.folder / "a/tokenizer.json").exists())

    def test_a_size_gets_the_vocabulary_of_the_tokenizer(self):
        self.tokenizer()
        facts = self.lm_json("init", "--size", "14m", "--tokenizer", "tokenizer", "--out", "m", "--type", "bf16")
        self.assertEqual(facts["vocabulary"], 384)
        self.assertEqual(set(self.lm_json("info", "m")["weights"]["types"]), {"BF16"})
        self.lm_refused("init", "--size", "15m", "--out", "n", says=["15m", "14m"])
        self.lm_refused("init", "--out", "n", says=["--size", "--config"])

    def test_a_scorer(self):
        self.model("scorer", "--scorer", "cost")
        self.assertEqual(self.lm_json("info", "scorer")["score"], "cost")


class Merging(LmCase):
    def adapter(self):
        (self.folder / "adapter").mkdir()
        (self.folder / "adapter/adapter_model.safetensors").write_bytes(
            (REFERENCE / "tiny_neox_lora.safetensors").read_bytes())
        self.write("adapter/adapter_config.json", json.dumps(
            {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "lora_dropout": 0.0, "bias": "none",
             "target_modules": ["query_key_value"], "task_type": "CAUSAL_LM"}))
        return "adapter"

    def floats(self, path, name):
        kind, shape, content = read_safetensors(path)[name]
        self.assertEqual(kind, "F32")
        return struct.unpack(f"<{len(content) // 4}f", content), shape

    def test_merged_weights_are_w_plus_scaled_b_a(self):
        self.lm("merge-adapter", TINY, self.adapter(), "--out", "merged")
        module = "gpt_neox.layers.1.attention.query_key_value"
        lora = self.folder / "adapter/adapter_model.safetensors"
        a, (rank, inputs) = self.floats(lora, f"base_model.model.{module}.lora_A.weight")
        b, (outputs, _) = self.floats(lora, f"base_model.model.{module}.lora_B.weight")
        w, _ = self.floats(TINY, f"{module}.weight")
        got, _ = self.floats(self.folder / "merged/model.safetensors", f"{module}.weight")
        for i in range(0, outputs, 7):
            for j in range(0, inputs, 5):
                change = 2 * sum(b[i * rank + k] * a[k * inputs + j] for k in range(rank))
                self.assertAlmostEqual(got[i * inputs + j], w[i * inputs + j] + change, delta=1e-6)
        self.lm("merge-adapter", "merged", "adapter", "--subtract", "--out", "back")
        back, _ = self.floats(self.folder / "back/model.safetensors", f"{module}.weight")
        self.assertLess(max(abs(x - y) for x, y in zip(back, w)), 1e-6)

    def test_an_adapter_generates_as_the_merged_model(self):
        self.lm("merge-adapter", TINY, self.adapter(), "--out", "merged")
        ask = ["--ids", "-p", "5 17 3", "--max-new", 12, "-t", 0]
        alone = self.lm_lines("generate", TINY, *ask)
        adapted = self.lm_lines("generate", TINY, "--adapter", "adapter", *ask)
        self.assertEqual(adapted, self.lm_lines("generate", "merged", *ask))
        self.assertNotEqual(adapted, alone)
        self.assertEqual(self.lm_json("info", "adapter")["rank"], 4)

    def test_tokenizer_and_type_go_along(self):
        self.model()
        self.lm_refused("merge-adapter", "model", self.adapter(), "--out", "merged", says=["query_key_value"])
        self.lm_refused("merge-adapter", TINY, "adapter", "--out", "model", says=["model", "exists"])
        self.lm("merge-adapter", TINY, "adapter", "--out", "half", "--type", "f16")
        self.assertIn("F16", self.lm_json("info", "half")["weights"]["types"])


if __name__ == "__main__":
    unittest.main()
