"""Every long command killed at random moments, again and again: what it leaves is whole or not there.

RGU_TEST_KILLS says how often (100 at night), RGU_TEST_SEED which moments; a failure names the seed.
"""

import json
import subprocess
import unittest

from command_line import DESCENT, RGU
from fault_case import EVENTS, RUDE_OR_POLITE, FaultCase

COMMON = ["--seeds", 2, "--threads", 2, "--set", "output.checkpoint_seconds=0.02", "-q"]
EXACT = [*DESCENT, *COMMON, "--set", "stopping.iterations=1500"]
SAMPLED = [*DESCENT, *COMMON, "--set", "gradient.kind=sampled", "--set", "stopping.iterations=600"]
SWEEP = ["sweep", *DESCENT, "--radius", "0:0.4:0.1", "--seeds", 1, "--threads", 1, "-q"]
GARNET = """name = "garnet"
[model]
generator = "garnet"
states = 40000
[utility]
type = "reward"
"""


def has_large():
    return subprocess.run([RGU, "large", "--help"], capture_output=True).returncode == 0


class Kills(FaultCase):
    def solve_killed(self, *words):
        duration = self.seconds("solve", *words, "--out", "whole")

        def next_words(number):
            if (self.folder / f"killed-{number}/run.json").exists():
                return ["resume", f"killed-{number}", "-q", "--threads", 2]
            return ["solve", *words, "--out", f"killed-{number}"]

        def check(number, ended):
            if ended:
                self.assert_same_run("whole", f"killed-{number}")

        self.kill_often(next_words, 0.6 * duration, check, signals=RUDE_OR_POLITE)

    def test_solving_by_exact_gradients(self):
        self.solve_killed(*EXACT)

    def test_solving_by_samples(self):
        self.solve_killed(*SAMPLED)

    def test_solving_with_events_for_tensorboard(self):
        self.solve_killed(*SAMPLED, "--tensorboard")
        self.assertTrue(any(EVENTS in name for name in self.files("whole")))

    def files_killed(self, words, duration, names, expected):
        """Of a command that cannot go on: of `names` each is whole or absent, and nothing else comes to be."""
        before = {path.name for path in self.folder.iterdir()}

        def check(_, ended):
            for name in names:
                path = self.folder / name
                if ended or path.exists():
                    self.assertTrue(path.read_bytes() == expected[name], f"{name} is not whole")
                if ended:
                    path.unlink()
            for path in self.folder.iterdir():
                if path.name.endswith(".partial"):
                    path.unlink()  # nobody takes it for a result
                self.assertTrue(path.name in before or path.name in names or path.suffix == ".partial", path.name)

        self.kill_often(lambda _: words, 1.1 * duration, check)

    def test_sweeping_leaves_whole_pages_or_none(self):
        duration = self.seconds(*SWEEP, "--html", "page.html")
        names = ["page.html", "page.svg"]
        expected = {name: (self.folder / name).read_bytes() for name in names}
        for name in names:
            (self.folder / name).unlink()
        self.files_killed([*SWEEP, "--html", "page.html"], duration, names, expected)

    def test_converting_leaves_a_whole_model_or_none(self):
        self.write("garnet.toml", GARNET)
        for name in ("model.rgum", "model.json"):
            duration = self.seconds("convert", "garnet.toml", name)
            expected = {name: (self.folder / name).read_bytes()}
            self.files_killed(["convert", "garnet.toml", name, "--force"], duration, [name], expected)

    def test_certifying_leaves_whole_certificates_or_none(self):
        self.rgu("solve", *DESCENT, "--seeds", "4", "-q", "--set", "stopping.iterations=50", "--out", "whole")
        self.rgu("solve", *DESCENT, "--seeds", "4", "-q", "--set", "stopping.iterations=50", "--out", "killed")
        duration = self.seconds("certify", "whole")
        certified = self.files("whole")

        def check(_, ended):
            for seed in range(4):
                path = self.folder / f"killed/seed-{seed}/certificate.json"
                if ended or path.exists():
                    self.assertTrue(path.read_bytes() == certified[f"seed-{seed}/certificate.json"])
            if ended:
                self.assert_same_run("whole", "killed")
                for path in (self.folder / "killed").glob("seed-*/certificate.json"):
                    path.unlink()

        self.kill_often(lambda _: ["certify", "killed"], 1.1 * duration, check)

    @unittest.skipUnless(has_large(), "this rgu was built without PETSc")
    def test_large_solutions_are_whole_or_absent(self):
        words = ["large", "solve", "exploration", "-q", "--force", "--set", "model.states=60", "--tolerance", 0.3,
                 "--out"]
        duration = self.seconds(*words, "whole")
        names = ["config.toml", "policy.rgup", "result.json"]
        expected = self.files("whole")
        self.assertEqual(sorted(expected), names)

        def unmeasured(content):
            measures = ("second", "bytes")  # time and memory, which no two runs take alike
            return {key: value for key, value in json.loads(content).items() if not any(m in key for m in measures)}

        def check(_, ended):
            found = self.files("killed") if (self.folder / "killed").exists() else {}
            for name, content in found.items():
                if name == "result.json":
                    self.assertEqual(unmeasured(content), unmeasured(expected[name]))
                elif name in names:
                    self.assertTrue(content == expected[name], f"{name} is not whole")
                else:
                    self.assertTrue(name.endswith(".partial"), name)
            if ended or "result.json" in found:
                self.assertTrue(set(names) <= set(found), found)  # the result comes last

        self.kill_often(lambda _: [*words, "killed"], 1.1 * duration, check)


if __name__ == "__main__":
    unittest.main()
