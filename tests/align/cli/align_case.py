"""What the tests of `rgu align` share: a small model with its scorers, made once, and short runs of it."""

import atexit
import functools
import itertools
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from command_line import RGU, CommandLineTest

TEXT = "".join(f"The {size} {animal} saw {count} {thing} and {verb} home. "
               for size in ("small", "old", "quick", "green")
               for animal in ("frog", "horse", "owl")
               for count, thing in (("two", "stones"), ("many", "leaves"), ("no", "stars"))
               for verb in ("went", "ran", "hopped"))

SHAPE = {"model_type": "gpt_neox", "vocab_size": 320, "hidden_size": 32, "num_hidden_layers": 2,
         "num_attention_heads": 4, "intermediate_size": 64, "hidden_act": "gelu", "rotary_pct": 0.25,
         "rotary_emb_base": 10000, "max_position_embeddings": 128, "layer_norm_eps": 1e-5,
         "use_parallel_residual": True, "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 0}

PROMPTS = [f"The {size} {animal} saw" for size in ("small", "old", "quick", "green")
           for animal in ("frog", "horse", "owl")]

# Scores by the length of an answer. As long as there is no file `mended` in its folder, line number N is not
# answered as it should be.
JUDGE = """
import json, os, sys
fault, number = sys.argv[1], int(sys.argv[2])
for count, line in enumerate(sys.stdin):
    if count == number and not os.path.exists("mended"):
        if fault == "die":
            sys.exit(3)
        print(fault, flush=True)
    else:
        print(len(json.loads(line)["answer"]) / 10 - 2, flush=True)
"""

# Steps of hundredths of a second.
SMALL = {"data.template": "none", "sampling.prompts": 4, "sampling.answers": 4, "sampling.evaluation_prompts": 4,
         "sampling.evaluation_answers": 2, "sampling.max_new_tokens": 12, "ppo.learning_rate": 0.01,
         "output.checkpoint_every": 2}


def lm(folder, *arguments):
    subprocess.run([RGU, "lm", *map(str, arguments)], cwd=folder, check=True, capture_output=True, timeout=600)


@functools.cache
def parts():
    """The folder of a tokenizer and a language model, of prompts, and of scorers of files."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rgu-align-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "text.txt").write_text(TEXT)
    (folder / "shape.json").write_text(json.dumps(SHAPE))
    (folder / "prompts.txt").write_text("\n".join(PROMPTS) + "\n")
    (folder / "good.txt").write_text("default -1\n2 leaves\n1 owl\n0.5 went home\n")
    (folder / "harm.txt").write_text("bias -0.2\n0.75 stones\n0.5 two stones\n-0.25 stars\n")
    (folder / "judge.py").write_text(JUDGE)
    lm(folder, "train-tokenizer", "text.txt", "--vocabulary", 300, "--out", "tokenizer")
    lm(folder, "train", "--config", "shape.json", "--tokenizer", "tokenizer", "--text", "text.txt", "--steps", 60,
       "--batch", 8, "--sequence-length", 32, "--learning-rate", "1e-2", "--out", "model", "-q")
    return folder


@functools.cache
def score_models():
    """Score models on the language model: a reward, all its weights trained, and a cost by an adapter."""
    folder = parts()
    pairs = [{"prompt": f"The {i} frogs saw", "response_0": " many leaves.", "response_1": " two stones.",
              "is_response_0_safe": True, "is_response_1_safe": False, "better_response_id": 0,
              "safer_response_id": 0} for i in range(16)]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    for kind, options in (("reward", ()), ("cost", ("--lora", 4))):
        lm(folder, "train-scorer", "--kind", kind, "--model", "model", "--preferences", "pairs.jsonl", "--steps", 6,
           "--batch", 4, "--max-length", 128, "--learning-rate", "1e-2", *options, "--out", kind, "-q")
    return folder / "reward", folder / "cost"


def set_options(values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


class AlignCase(CommandLineTest):
    def align(self, *arguments, **options):
        return self.rgu("align", *map(str, arguments), **options)

    def align_json(self, *arguments, **options):
        return json.loads(self.align(*arguments, "--json", **options).stdout)

    def align_refused(self, *arguments, code=2, says=(), **options):
        """Refused in one line, which is all there is on stderr, and no run folder is left in the way."""
        result = self.refused("align", *map(str, arguments), code=code, says=says, **options)
        self.assertEqual(len(result.stderr.strip().split("\n")), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("rgu align: "), result.stderr)
        self.assertEqual(result.stdout, "")
        return result

    def small(self, model=None, data=None, rewards=None, costs=None, iterations=6, **sets):
        """The options of a small run."""
        folder = parts()
        words = ["--model", model or folder / "model", "--iterations", iterations, "--threads", 1, "--quiet"]
        for path in data or [folder / "prompts.txt"]:
            words += ["--data", path]
        for scorer in rewards if rewards is not None else [f"lexicon:{folder / 'good.txt'}"]:
            words += ["--reward", scorer]
        for scorer in costs if costs is not None else [f"linear:{folder / 'harm.txt'}"]:
            words += ["--cost", scorer]
        return words + set_options({**SMALL, **{key.replace("__", "."): value for key, value in sets.items()}})

    def judge(self, fault="none", number=-1):
        return f"command:python3 {parts() / 'judge.py'} {fault} {number}"

    def lines(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().split("\n") if line]

    def start(self, *arguments):
        process = subprocess.Popen([RGU, "align", *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def stop(self, process, how):
        """Its standard output; it must not have been at its end already."""
        self.assertIsNone(process.poll(), "it ended before it could be stopped")
        process.send_signal(how)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130 if how == signal.SIGINT else -how, out + err)
        return out

    def wait_for(self, happened, what):
        for _ in itertools.takewhile(lambda _: not happened(), range(12000)):
            time.sleep(0.005)
        self.assertTrue(happened(), f"{what} never came")

    def wait_for_file(self, name):
        self.wait_for((self.folder / name).exists, name)
