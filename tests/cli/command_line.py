"""What the tests of the command line share: running rgu and looking at what it leaves behind."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

RGU = os.environ["RGU"]

# A problem of many iterations, one whose gradients are sampled, and one that takes no time.
DESCENT = ["exploration", "--set", "solver.method=worst-case", "--set", "stopping.iterations=1000", "--set",
           "output.published=false"]
SAMPLED = [*DESCENT, "--set", "gradient.kind=sampled", "--set", "output.checkpoint_seconds=0.02"]
QUICK = ["inventory", "--set", "solver.method=worst-case", "--set", "stopping.iterations=20"]

# Times are the one thing that differs between two runs of the same problem; the report shows them.
TIMED = {"timing.jsonl", "report.html"}


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rgu-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.path(name)

    def rgu(self, *arguments, code=0, **options):
        result = subprocess.run([RGU, *arguments], **{"cwd": self.folder, **options}, capture_output=True,
                                text=True, timeout=600)
        self.assertNotIn("Sanitizer", result.stderr)
        if code is not None:
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def refused(self, *arguments, code=2, says=(), **options):
        """The command fails with this code and one line on stderr that has all of `says`."""
        result = self.rgu(*arguments, code=code, **options)
        lines = result.stderr.strip().split("\n")
        for part in says:
            self.assertIn(part, lines[-1])
        self.assertNotIn("terminate called", result.stderr)
        return result

    def files(self, run):
        root = self.folder / run
        return {str(path.relative_to(root)): path.read_bytes()
                for path in sorted(root.rglob("*")) if path.is_file() and path.name not in TIMED}

    def assert_same_run(self, one, other):
        first, second = self.files(one), self.files(other)
        self.assertEqual(sorted(first), sorted(second))
        for name, content in first.items():
            self.assertTrue(content == second[name], f"{name} differs")
