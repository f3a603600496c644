"""What files, folders and models say never steers the terminal, forges a line or turns text around: every command."""

import json
import os
import pathlib
import pty
import re
import subprocess
import termios
import threading
import unicodedata
import unittest

from command_line import RGU, CommandLineTest

# A colour, a bell, the two bytes of CSI, an override, an isolate and marks of direction, a line that looks like rgu's.
HOSTILE = "a\x1b[31mb\x07c\x9b2Jd\u202ee\u2066f\u200eg\u200fh\u061ci\u2028\x7fj\nFORGED"
FOLDER = HOSTILE + os.fsdecode(b"\x9b\xff")
DIRECTIONS = set("\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TOML = json.dumps(HOSTILE).replace("\x7f", "\\u007f")  # a basic string of TOML has the same escapes

SHAPE = {"model_type": "gpt_neox", "vocab_size": 320, "hidden_size": 32, "num_hidden_layers": 1,
         "num_attention_heads": 4, "intermediate_size": 64, "hidden_act": "gelu", "rotary_pct": 0.25,
         "rotary_emb_base": 10000, "max_position_embeddings": 64, "layer_norm_eps": 1e-5,
         "use_parallel_residual": True, "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 0}


def call(*arguments, **options):
    return subprocess.run([RGU, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=600, **options)


def subcommands(*command):
    """The names that the help of a command lists; none where it cannot be run (a part that was not built)."""
    text = call(*command, "--help").stdout.decode()
    listed = re.search(r"\nSubcommands:\n((?:  .*\n)+)", text)
    return re.findall(r"^  (\S+)", listed.group(1), re.MULTILINE) if listed else []


def all_commands(*command):
    names = subcommands(*command)
    return [found for name in names for found in [(*command, name), *all_commands(*command, name)]]


class TerminalCase(CommandLineTest):
    def assert_harmless(self, output, what):
        text = output.decode()  # strict: bytes that are no UTF-8 steer terminals, too
        wrong = {hex(ord(c)) for c in text
                 if c in DIRECTIONS or (unicodedata.category(c) == "Cc" and c not in "\n\t")}
        self.assertEqual(wrong, set(), f"{what}: {text!r}")
        self.assertIsNone(re.search(r"^FORGED", text, re.MULTILINE), f"{what}: {text!r}")

    def harmless(self, *arguments, code=None, **options):
        """The command's standard output, after a look at both."""
        result = call(*map(str, arguments), cwd=self.folder, **options)
        what = " ".join(map(repr, arguments))
        for output in (result.stdout, result.stderr):
            self.assert_harmless(output, what)
        self.assertNotIn(b"internal", result.stderr, what)
        if code is not None:
            self.assertEqual(result.returncode, code, what + result.stderr.decode())
        return result.stdout.decode()

    def on_a_terminal(self, *arguments):
        """What it writes there, without the escape sequences of the progress line."""
        leader, follower = pty.openpty()
        settings = termios.tcgetattr(follower)
        settings[1] &= ~termios.OPOST  # line feeds stay as they are
        termios.tcsetattr(follower, termios.TCSANOW, settings)
        parts = []

        def read():
            try:
                while part := os.read(leader, 4096):
                    parts.append(part)
            except OSError:  # how Linux says that nobody writes any more
                pass

        reader = threading.Thread(target=read)
        reader.start()
        code = subprocess.run([RGU, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=follower,
                              stderr=follower, timeout=600).returncode
        os.close(follower)
        reader.join()
        os.close(leader)
        return code, b"".join(parts).replace(b"\r\x1b[K", b"")


class HostileRuns(TerminalCase):
    def setUp(self):
        super().setUp()
        self.model = self.world()
        text = self.rgu("show", "inventory").stdout
        text = text.replace('name = "inventory"', f"name = {TOML}")
        text = re.sub("description = .*", lambda _: f"description = {TOML}", text)
        text = text.replace('"revenue"', TOML)
        text = re.sub(r"\[model\]\n.*?\n\n", '[model]\nfile = "world.json"\n\n', text, flags=re.DOTALL)
        self.problem = self.write("problem.toml", text)
        pathlib.Path(self.problem).rename(self.folder / (FOLDER + ".toml"))
        self.problem = FOLDER + ".toml"

    def world(self):
        """A model with a signal of that name."""
        self.rgu("convert", "inventory", "world.json")
        path = self.folder / "world.json"
        world = json.loads(path.read_text())
        world["signals"] = {HOSTILE if name == "revenue" else name: values
                            for name, values in world["signals"].items()}
        path.write_text(json.dumps(world))
        return str(path)

    def test_problems(self):
        for command in (["check"], ["theory"], ["sweep", "--radius", "0:1:1"]):
            text = self.harmless(*command, self.problem, code=0)
            self.assertIn("a\\x1b[31mb\\x07c\\u009b2Jd\\u202ee\\u2066f\\u200eg\\u200fh\\u061ci\\u2028\\x7fj\\x0aFORGED", text)
            self.harmless(*command, self.problem, "--json", code=0)
        for name in ("check", "theory"):
            self.assertEqual(json.loads(self.harmless(name, self.problem, "--json"))["name"], HOSTILE)

    def test_runs(self):
        run = FOLDER
        self.harmless("solve", self.problem, "--seeds", 2, "--out", run, code=0)
        self.assertIn("FORGED", self.harmless("show", run, code=0))
        self.assertEqual(json.loads(self.harmless("show", run, "--json", code=0))["name"], HOSTILE)
        for words in (["resume"], ["replay"], ["evaluate"], ["certify"], ["verify"], ["compare", run], ["theory"]):
            self.harmless(*words, run, code=0)
            json.loads(self.harmless(*words, run, "--json", code=0))
        self.harmless("report", run, code=0)
        self.harmless("solve", self.problem, "--out", run, code=2)  # it is there already
        self.harmless("compare", run, "--html", FOLDER + "/no/page.html", code=4)

    def test_what_a_run_folder_says(self):
        self.rgu("solve", self.problem, "--out", "run", "-q")
        whole = {path: path.read_text() for path in (self.folder / "run").rglob("*.json")}
        for path, text in whole.items():
            damaged = re.sub(r'": "(?:[^"\\]|\\.)*"', lambda _: f'": {json.dumps(HOSTILE)}', text)
            damaged = damaged.replace('"notes": []', f'"notes": [{json.dumps(HOSTILE)}]')
            path.write_text(damaged)
            for words in (["show"], ["show", "--json"], ["resume"], ["replay"], ["evaluate"], ["certify"], ["verify"],
                          ["compare", "run"], ["report"], ["theory"]):
                self.harmless(*words, "run")
            path.write_text(text)

    def test_models(self):
        # None of its names may be written: FORGED.csv is what the file is called.
        self.harmless("convert", "world.json", FOLDER + ".csv", "--reward", HOSTILE, code=0)
        self.harmless("convert", "world.json", FOLDER + ".json", "--json", code=0)
        self.harmless("convert", "world.json", "x.csv", "--reward", "lost_sales", code=0)  # names what it loses
        self.harmless("convert", FOLDER + ".csv", "world.json", "--discount", "0.5", code=2)  # it is there

    def test_keys_and_values_that_are_refused(self):
        for text in (f"{TOML} = 1\n", f"[{TOML}]\n", f"[model]\n{TOML} = 1\n", f"[model]\ngenerator = {TOML}\n",
                     f"[model]\nfile = {TOML}\n", f"name = \"x\" {HOSTILE}\n", f"# {HOSTILE}\n", HOSTILE):
            self.write("bad.toml", text)
            for command in ("check", "solve", "theory"):
                self.harmless(command, "bad.toml", code=2)

    def test_a_problem_is_copied_byte_for_byte_but_escaped_on_a_terminal(self):
        text = "# a comment \u202e in \u009b31m colours\nname = 'literal \u2066'\n"
        self.write("mine.toml", text)
        self.assertEqual(call("show", "mine.toml", cwd=self.folder).stdout, text.encode())
        code, shown = self.on_a_terminal("show", "mine.toml")
        self.assertEqual(code, 0)
        self.assertEqual(shown.decode(), "# a comment \\u202e in \\u009b31m colours\nname = 'literal \\u2066'\n")
        exact = json.loads(self.harmless("show", "mine.toml", "--json", code=0))
        self.assertEqual(exact["text"], text)

    def test_progress_on_a_terminal(self):
        for words in (["solve", self.problem, "--out", FOLDER], ["sweep", self.problem, "--radius", "0:1:1"]):
            code, shown = self.on_a_terminal(*words)
            self.assertEqual(code, 0, shown)
            self.assert_harmless(shown, words)


# Of every command: calls with hostile names, most of them of what is not there. A command without a line here fails
# the test below.
CALLS = {
    "solve": [[FOLDER], ["inventory", "--set", HOSTILE], ["inventory", "--method", HOSTILE], ["inventory", "--seeds", HOSTILE],
              ["inventory", "--set", f"model.{HOSTILE}=1"], ["inventory", "--out", "/proc/" + FOLDER]],
    "resume": [[FOLDER], [FOLDER, "--set", HOSTILE]],
    "replay": [[FOLDER], [FOLDER, "--seed", HOSTILE]],
    "evaluate": [[FOLDER], [FOLDER, "--members", HOSTILE]],
    "certify": [[FOLDER], [FOLDER, "--tolerance", HOSTILE]],
    "verify": [[FOLDER]],
    "sweep": [[FOLDER, "--radius", "0:1:1"], ["inventory", "--radius", HOSTILE]],
    "compare": [[FOLDER, FOLDER]],
    "report": [[FOLDER]],
    "show": [[FOLDER]],
    "list": [[FOLDER], ["--json"], []],
    "check": [[FOLDER], ["inventory", "--set", HOSTILE]],
    "convert": [[FOLDER, FOLDER], [FOLDER, "x.json"], ["inventory", FOLDER], ["inventory", "x.csv", "--reward", HOSTILE]],
    "theory": [[FOLDER], ["inventory", "--iterations", HOSTILE]],
    "lm": [[FOLDER]],
    "lm generate": [[FOLDER, "-p", HOSTILE], [FOLDER, "--prompts", FOLDER]],
    "lm tokenize": [[FOLDER, HOSTILE]],
    "lm train-tokenizer": [[FOLDER, "--out", FOLDER]],
    "lm info": [[FOLDER]],
    "lm init": [["--config", FOLDER, "--out", FOLDER], ["--size", HOSTILE, "--out", "x"]],
    "lm merge-adapter": [[FOLDER, "--out", FOLDER]],
    "lm perplexity": [[FOLDER, FOLDER]],
    "lm score": [[FOLDER, FOLDER]],
    "lm train": [["--model", FOLDER, "--text", FOLDER, "--out", FOLDER]],
    "lm train-scorer": [["--model", FOLDER, "--preferences", FOLDER, "--out", FOLDER]],
    "align": [[FOLDER], ["--model", FOLDER, "--reward", HOSTILE, "--data", FOLDER]],
    "align demo": [["--seeds", HOSTILE], ["--out", "/proc/" + FOLDER]],
    "align resume": [[FOLDER]],
    "align report": [[FOLDER]],
    "align keys": [[HOSTILE]],
    "large": [[FOLDER]],
    "large evaluate": [[FOLDER], ["inventory", "--policy", FOLDER], ["inventory", "--petsc", "-" + HOSTILE.split("\n")[0]]],
    "large plan": [[FOLDER], ["inventory", "--signal", HOSTILE]],
    "large solve": [[FOLDER], ["inventory", "--out", "/proc/" + FOLDER]],
    "doctor": [["--seconds", HOSTILE]],
    "keys": [[HOSTILE]],
    "completions": [[HOSTILE], ["bash"], ["zsh"], ["fish"]],
}


class EveryCommand(TerminalCase):
    def test_none_is_left_out(self):
        missing = {" ".join(command) for command in all_commands()} - set(CALLS)
        self.assertEqual(missing, set(), "commands without a line in CALLS")

    def test_names_that_are_typed(self):
        self.harmless(FOLDER, code=2)
        for name, calls in CALLS.items():
            command = name.split()
            with self.subTest(command=name):
                self.harmless(*command, "--" + HOSTILE)
                for arguments in calls:
                    self.harmless(*command, *arguments)

    def test_nothing_is_printed_past_the_module_that_escapes(self):
        sources = pathlib.Path(__file__).resolve().parents[2] / "src"
        allowed = {"cli/terminal.cpp", "cli/progress_line.cpp"}  # the line's own escape sequences
        printing = re.compile(r"fmt::print|std::(cout|cerr|clog|puts|fputs|printf|fprintf|fwrite|fputc|putchar)\b")
        found = {str(path.relative_to(sources)) for path in sources.rglob("*.[ch]pp")
                 if printing.search(path.read_text())}
        self.assertEqual(found - allowed, set(), "use say() of rgu/cli/terminal.hpp")


@unittest.skipIf(call("lm", "--parts").returncode != 0, "rgu-lm is not there")
class LanguageModels(TerminalCase):
    """Texts, tokens and folders of models."""

    def setUp(self):
        super().setUp()
        (self.folder / FOLDER).mkdir()
        (self.folder / FOLDER / "text.txt").write_text(3 * HOSTILE)
        self.write("shape.json", json.dumps(SHAPE))
        self.tokenizer = f"{FOLDER}/tokenizer"
        self.harmless("lm", "train-tokenizer", f"{FOLDER}/text.txt", "--vocabulary", 280, "--out", self.tokenizer, code=0)

    def test_tokens(self):
        ids = self.harmless("lm", "tokenize", self.tokenizer, HOSTILE, code=0).strip()
        self.harmless("lm", "info", self.tokenizer, code=0)
        for option in ("--pieces", "--count", "--ids"):
            self.harmless("lm", "tokenize", self.tokenizer, HOSTILE, option, "--json", code=0)
        exact = self.harmless("lm", "tokenize", self.tokenizer, "--decode", ids, "--json", code=0)
        self.assertEqual(json.loads(exact)["text"], HOSTILE)
        copied = call("lm", "tokenize", self.tokenizer, "--decode", ids, cwd=self.folder).stdout
        self.assertEqual(copied.decode(), HOSTILE + "\n")
        code, shown = self.on_a_terminal("lm", "tokenize", self.tokenizer, "--decode", ids)
        self.assertEqual((code, shown.decode().count("\x1b") + shown.decode().count("\u202e")), (0, 0))

    def test_models(self):
        model = f"{FOLDER}/model"
        self.harmless("lm", "init", "--config", "shape.json", "--tokenizer", self.tokenizer, "--out", model, code=0)
        self.harmless("lm", "info", model, "--tensors", code=0)
        self.harmless("lm", "generate", model, "-p", HOSTILE, "--json", code=0)
        code, shown = self.on_a_terminal("lm", "generate", model, "-p", HOSTILE)
        self.assertEqual((code, shown.decode().count("\x1b") + shown.decode().count("\u202e")), (0, 0))
        self.harmless("lm", "perplexity", model, f"{FOLDER}/text.txt")


if __name__ == "__main__":
    unittest.main()
