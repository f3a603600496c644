"""What the tests of `rgu lm` share: small models and texts, made on the spot."""

import functools
import json
import os
import pathlib
import struct
import subprocess
import unittest

from command_line import RGU, CommandLineTest

REFERENCE = pathlib.Path(os.environ["RGU_REFERENCE"]) / "llm"
DATA = pathlib.Path(os.environ.get("RGU_DATA", os.environ.get("RGU_DATA_DEFAULT", "")))
TINY = str(REFERENCE / "tiny_neox.safetensors")

TEXT = "".join(f"The {size} {animal} saw {count} {thing} and {verb} home. "
               for size in ("small", "old", "quick", "green")
               for animal in ("frog", "horse", "owl")
               for count, thing in (("two", "stones"), ("many", "leaves"), ("no", "stars"))
               for verb in ("went", "ran", "hopped"))


@functools.cache
def parts():
    return json.loads(subprocess.run([RGU, "lm", "--parts"], capture_output=True, text=True, check=True).stdout)


needs_torch = unittest.skipUnless(parts()["torch"], "this build has no LibTorch")


def data_file(name):
    path = DATA / name
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not there; RGU_DATA may name the folder of it")
    return str(path)


def json_lines(text):
    """Lines end at line feeds only: other separators may be in a string."""
    return [json.loads(line) for line in text.split("\n") if line]


def read_safetensors(path):
    """Name -> (dtype, shape, bytes), by the format's own definition."""
    content = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    data = content[8 + size:]
    return {name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
            for name, entry in header.items()}


class LmCase(CommandLineTest):
    positions = 64  # of small models

    def lm(self, *arguments, **options):
        return self.rgu("lm", *map(str, arguments), **options)

    def lm_json(self, command, *arguments, **options):
        return json.loads(self.lm(command, "--json", *arguments, **options).stdout)

    def lm_lines(self, command, *arguments, **options):
        return json_lines(self.lm(command, "--json", *arguments, **options).stdout)

    def lm_refused(self, *arguments, **options):
        result = self.refused("lm", *map(str, arguments), **options)
        lines = result.stderr.strip().split("\n")
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("rgu lm: "), result.stderr)
        return result

    def tokenizer(self, vocabulary=300):
        """The folder of a tokenizer trained on TEXT."""
        self.write("text.txt", TEXT)
        self.lm("train-tokenizer", "text.txt", "--vocabulary", vocabulary, "--out", "tokenizer")
        return "tokenizer"

    def small_config(self, **changes):
        config = {"model_type": "gpt_neox", "vocab_size": 320, "hidden_size": 32, "num_hidden_layers": 2,
                  "num_attention_heads": 4, "intermediate_size": 64, "hidden_act": "gelu", "rotary_pct": 0.25,
                  "rotary_emb_base": 10000, "max_position_embeddings": self.positions, "layer_norm_eps": 1e-5,
                  "use_parallel_residual": True, "tie_word_embeddings": False, "bos_token_id": 0,
                  "eos_token_id": 0}
        return self.write("small.json", json.dumps({**config, **changes}))

    def model(self, name="model", *options):
        """A random model with its tokenizer."""
        if not (self.folder / "tokenizer").exists():
            self.tokenizer()
        self.lm("init", "--config", self.small_config(), "--tokenizer", "tokenizer", "--out", name, *options)
        return name
