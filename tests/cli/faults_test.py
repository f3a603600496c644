"""Runs that are stopped, killed or starved: nothing is lost, and resuming gives the same bytes."""

import os
import random
import signal
import subprocess
import time
import unittest

from command_line import RGU, SAMPLED, CommandLineTest

ITERATIONS = int(os.environ.get("RGU_TEST_ITERATIONS", "600"))
RUN = [*SAMPLED, "--seeds", "3", "--threads", "2", "--set", f"stopping.iterations={ITERATIONS}", "-q"]


class Faults(CommandLineTest):
    def start(self, *arguments):
        return subprocess.Popen([RGU, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def wait_for(self, name):
        for _ in range(3000):
            if (self.folder / name).exists():
                return
            time.sleep(0.01)
        self.fail(f"{name} never came")

    def uninterrupted(self):
        begin = time.monotonic()
        self.rgu("solve", *RUN, "--out", "whole")
        return time.monotonic() - begin

    def test_five_kills_at_random_moments_change_nothing(self):
        duration = self.uninterrupted()
        chance = random.Random(2026)
        process = self.start("solve", *RUN, "--out", "killed")
        kills = 0
        while kills < 5:
            self.wait_for("killed/run.json")
            time.sleep(chance.uniform(0.02, 0.3) * duration)
            alive = process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if not alive:
                self.fail(f"the run ended before it was killed {kills + 1} times")
            kills += 1
            process = self.start("resume", "killed", "-q", "--threads", "2")
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assert_same_run("whole", "killed")

    def test_an_interrupt_saves_everything_and_resuming_gives_the_same_bytes(self):
        self.uninterrupted()
        for number in (signal.SIGINT, signal.SIGTERM):
            name = number.name
            process = self.start("solve", *RUN, "--out", name)
            self.wait_for(f"{name}/seed-0/checkpoint")
            process.send_signal(number)
            process.communicate()
            self.assertEqual(process.returncode, 130)
            self.assertTrue((self.folder / name / "report.html").is_file())
            self.assertIn("interrupted", self.rgu("show", name).stdout)
            self.rgu("resume", name, "-q")
            self.assert_same_run("whole", name)

    def test_a_full_disk_is_said_and_resuming_with_space_gives_the_same_bytes(self):
        self.uninterrupted()
        for limit in (500, 40_000, 400_000):
            name = f"full-{limit}"
            environment = {**os.environ, "LD_PRELOAD": os.environ["RGU_FULL_DISK"],
                           "RGU_TEST_DISK_BYTES": str(limit), "ASAN_OPTIONS": "verify_asan_link_order=0"}
            self.refused("solve", *RUN, "--out", name, code=4, env=environment,
                         says=["No space left on device"])
            if (self.folder / name / "run.json").exists():
                self.rgu("resume", name, "-q")
                self.assert_same_run("whole", name)

    def test_a_damaged_checkpoint_is_replaced_by_the_one_before_it(self):
        self.uninterrupted()
        process = self.start("solve", *RUN, "--out", "damaged")
        self.wait_for("damaged/seed-0/checkpoint.previous")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        checkpoint = self.folder / "damaged/seed-0/checkpoint"
        if checkpoint.exists():
            checkpoint.write_bytes(checkpoint.read_bytes()[:-20])
        self.rgu("resume", "damaged", "-q")
        self.assert_same_run("whole", "damaged")

    def test_a_second_process_on_the_same_run_is_refused(self):
        process = self.start("solve", *RUN, "--set", "stopping.iterations=1000000", "--out", "busy")
        self.wait_for("busy/seed-0/checkpoint")
        self.refused("resume", "busy", says=["busy", "in use"])
        self.refused("solve", *RUN, "--out", "busy", "--force", says=["busy", "in use"])
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def test_a_run_with_a_raised_limit_goes_on_as_if_it_had_been_there_from_the_start(self):
        self.uninterrupted()
        self.rgu("solve", *RUN, "--set", f"stopping.iterations={ITERATIONS // 3}", "--out", "longer")
        self.rgu("resume", "longer", "--set", f"stopping.iterations={ITERATIONS}", "-q")
        self.assert_same_run("whole", "longer")

    def test_a_kill_while_going_on_with_a_raised_limit_changes_nothing(self):
        self.uninterrupted()
        self.rgu("solve", *RUN, "--set", f"stopping.iterations={ITERATIONS // 6}", "--out", "raised")
        process = self.start("resume", "raised", "--set", f"stopping.iterations={ITERATIONS}", "-q")
        before = (self.folder / "raised/seed-0/checkpoint").read_bytes()
        for _ in range(3000):
            checkpoint = self.folder / "raised/seed-0/checkpoint"
            if checkpoint.exists() and checkpoint.read_bytes() != before:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.rgu("resume", "raised", "-q")
        self.assert_same_run("whole", "raised")

    def test_a_deleted_result_is_made_again(self):
        self.uninterrupted()
        before = self.files("whole")
        (self.folder / "whole/seed-1/policy.json").unlink()
        self.assertIn("not finished", self.rgu("show", "whole").stdout)
        self.rgu("resume", "whole", "-q")
        self.assertEqual(self.files("whole"), before)

    def test_what_a_kill_at_the_very_end_left_is_cleared_away(self):
        self.rgu("solve", *SAMPLED, "--seeds", "2", "--set", "stopping.iterations=20", "-q", "--out", "whole")
        before = self.files("whole")
        (self.folder / "whole/seed-1/checkpoint.previous").write_bytes(before["seed-1/checkpoint"])
        self.rgu("resume", "whole", "-q")
        self.assertEqual(sorted(self.files("whole")), sorted(before))

    def test_resuming_a_finished_run_changes_nothing(self):
        self.uninterrupted()
        before = self.files("whole")
        self.rgu("resume", "whole", "-q")
        self.assertEqual(self.files("whole"), before)


if __name__ == "__main__":
    unittest.main()
