"""`rgu align demo`, which trains its parts first: stopped and gone on with, and again when all is there."""

import json
import signal
import unittest

from align_case import AlignCase

DEMO = ["demo", "--seeds", 1, "--iterations", 3, "--out", "demo", "--quiet"]
METHODS = ["unconstrained", "fixed-penalty", "pgda"]


class Demo(AlignCase):
    def times(self, *patterns):
        root = self.folder / "demo"
        return {str(path.relative_to(root)): path.stat().st_mtime_ns
                for pattern in patterns for path in sorted(root.glob(pattern)) if path.is_file()}

    def trained(self):
        found = self.times("parts/*/model.safetensors", "*/seed-0/metrics.jsonl", "*/seed-0/adapter/*")
        self.assertEqual(len(found), 3 + 3 * 3)
        return found

    def stopped(self, sign, how):
        """Stopped once there is a file of this name."""
        process = self.start(*DEMO)
        self.wait_for(lambda: list((self.folder / "demo").glob(sign)), sign)
        return self.stop(process, how)

    def test_it_is_stopped_goes_on_and_is_there(self):
        out = self.stopped("parts/policy/checkpoint/state.json", signal.SIGINT)
        self.assertEqual(out, "interrupted; the same command goes on\n")
        self.stopped("parts/reward/*", signal.SIGKILL)
        policy = self.times("parts/policy/model.safetensors")
        self.assertEqual(len(policy), 1)
        self.stopped("fixed-penalty/run.json", signal.SIGKILL)
        done = self.times("parts/*/model.safetensors", "unconstrained/seed-0/metrics.jsonl")
        self.assertEqual(len(done), 4)
        self.assertEqual({**done, **policy}, done)

        table = self.align(*DEMO).stdout
        trained = self.trained()
        self.assertEqual({**trained, **done}, trained)
        for method in METHODS:
            self.assertRegex(table, rf"(?m)^{method} +\S+ ")
            self.assertEqual(len(self.lines(f"demo/{method}/seed-0/metrics.jsonl")), 3)
        self.assertIn("before:", table)
        self.assertIn("report: demo/report.html\n", table)
        page = (self.folder / "demo/report.html").read_text()
        for method in METHODS:
            self.assertIn(method, page)

        self.assertEqual(self.align(*DEMO).stdout, table)
        self.assertEqual(self.trained(), trained)
        json.loads(self.align(*DEMO, "--json").stdout)

        self.align(*DEMO[:3], "--iterations", 4, *DEMO[5:])
        longer = self.trained()
        self.assertEqual(len(self.lines("demo/pgda/seed-0/metrics.jsonl")), 4)
        self.assertEqual([name for name in longer if longer[name] == trained[name]],
                         [name for name in trained if name.startswith("parts/")])


if __name__ == "__main__":
    unittest.main()
