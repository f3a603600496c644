"""Models that do not fit: refused before they are made."""

import json
import os
import subprocess
import unittest

from command_line import RGU, CommandLineTest

BIG = """
name = "big"
seeds = 1
[model]
generator = "garnet"
states = {states}
actions = 4
branching = 5
[utility]
type = "reward-robust"
signal = "reward"
[ambiguity]
set = "lp-ball"
radius = 0.5
"""


class Memory(CommandLineTest):
    def test_an_enormous_model_is_refused_with_an_estimate(self):
        self.write("big.toml", BIG.format(states=2000000000))
        for command in (["solve", "big.toml", "--out", "run"], ["check", "big.toml"], ["convert", "big.toml", "x.rgum"]):
            self.refused(*command, says=["2e+09 states", "4e+10 transitions", "needs about", "are available"])
        self.assertFalse((self.folder / "run").exists())

    def test_check_tells_the_estimate(self):
        self.write("small.toml", BIG.format(states=100))
        facts = json.loads(self.rgu("check", "small.toml", "--json").stdout)
        self.assertGreater(facts["memory_bytes"], 12 * 2000)
        self.assertGreater(facts["available_bytes"], facts["memory_bytes"])
        self.assertIn("memory: at least", self.rgu("check", "small.toml").stdout)

    # Sanitizers take terabytes of address space for themselves.
    @unittest.skipIf(os.environ.get("RGU_SANITIZERS"), "sanitizers and ulimit -v do not go together")
    def test_the_limit_of_the_shell_counts(self):
        def limited(kilobytes, *arguments):
            return subprocess.run(["bash", "-c", f'ulimit -v {kilobytes} && exec "$@"', "bash", RGU, *arguments],
                                  cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.write("middle.toml", BIG.format(states=2000000))  # about 1.2 GB
        done = limited(1000000, "solve", "middle.toml", "--threads", "1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("are available", done.stderr)
        # Memory that no estimate speaks of: half a gigabyte to measure with.
        done = limited(400000, "doctor", "--seconds", "0.01", "--threads", "1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("rgu: out of memory", done.stderr)


if __name__ == "__main__":
    unittest.main()
