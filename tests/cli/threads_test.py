"""rgu on any number of threads: the same files, and under ThreadSanitizer no race."""

import signal
import subprocess
import time
import unittest

from command_line import RGU, SAMPLED, CommandLineTest


class Threads(CommandLineTest):
    PROBLEM = [*SAMPLED, "--seeds", "3", "--set", "stopping.iterations=15", "-q"]

    def test_every_number_of_threads_writes_the_same_bytes(self):
        self.rgu("solve", *self.PROBLEM, "--threads", "1", "--out", "one")
        for threads in ("2", "4", "7"):
            self.rgu("solve", *self.PROBLEM, "--threads", threads, "--out", threads)
            self.assert_same_run("one", threads)

    def test_other_methods_on_threads(self):
        for method in ("envelope", "occupancy", "prox-extragradient"):
            self.rgu("solve", "reward-robust", "--method", method, "--set", "stopping.iterations=5",
                     "--seeds", "2", "-q", "--threads", "4", "--out", method, code=None)

    def test_an_interruption_reaches_all_threads(self):
        with subprocess.Popen([RGU, "solve", *SAMPLED, "--seeds", "4", "--set",
                               "stopping.iterations=100000", "--threads", "4", "--out", "long"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                if len(list(self.folder.glob("long/seed-*/checkpoint"))) == 4:
                    break
                time.sleep(0.05)
            run.send_signal(signal.SIGINT)
            output, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 130, output + errors)
        self.assertNotIn(b"ThreadSanitizer", errors)


if __name__ == "__main__":
    unittest.main()
