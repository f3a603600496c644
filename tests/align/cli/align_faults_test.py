"""Alignment runs that are stopped, killed or starved: nothing is lost, and resuming gives the same bytes."""

import json
import os
import random
import shutil
import signal
import time
import unittest

from align_case import AlignCase, parts

ITERATIONS = 40


class Faults(AlignCase):
    def long(self, iterations=ITERATIONS):
        return [*self.small(iterations=iterations, output__checkpoint_every=5), "--seeds", 2]

    def whole(self, iterations=ITERATIONS):
        """The folder of the same run uninterrupted, made once."""
        folder = parts() / f"whole-{iterations}"
        if not folder.exists():
            self.align(*self.long(iterations), "--out", folder)
        return folder

    def seconds(self):
        begin = time.monotonic()
        self.align(*self.long(), "--out", "timed")
        return time.monotonic() - begin

    def begun(self, name, iterations=ITERATIONS):
        """A process that is past its second checkpoint."""
        process = self.start(*self.long(iterations), "--out", name)
        self.wait_for_file(f"{name}/seed-0/checkpoint.previous")
        return process

    def resumed(self, name, *options):
        self.align("resume", name, "--threads", 1, "-q", *options)

    def test_kills_at_random_moments_change_nothing(self):
        duration = self.seconds()
        chance = random.Random()
        process = self.start(*self.long(), "--out", "killed")
        self.wait_for_file("killed/run.json")
        for _ in range(4):
            time.sleep(chance.uniform(0, 0.3) * duration)
            self.stop(process, signal.SIGKILL)
            process = self.start("resume", "killed", "--threads", 1, "-q")
        process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0)
        self.assert_same_run("timed", "killed")

    def test_an_interrupt_saves_every_whole_step(self):
        out = self.stop(self.begun("stopped"), signal.SIGINT)
        self.assertIn("interrupted; 'rgu align resume stopped' goes on", out)
        self.assertTrue((self.folder / "stopped/report.html").is_file())
        done = len(self.lines("stopped/seed-0/metrics.jsonl"))
        self.assertTrue(10 <= done < ITERATIONS, done)
        self.assertIn(f"interrupted ({done} steps)", self.align("report", "stopped").stdout)
        self.resumed("stopped")
        self.assertEqual(len(self.lines("stopped/seed-0/timing.jsonl")), ITERATIONS)
        self.assert_same_run(self.whole(), "stopped")

    def test_interrupts_in_a_row_change_nothing(self):
        chance = random.Random()
        process = self.start(*self.long(), "--json", "--out", "stopped")
        self.wait_for_file("stopped/seed-0/answers.jsonl")
        out = self.stop(process, signal.SIGINT)
        self.assertFalse(json.loads(out)["seeds"][0]["finished"])
        for _ in range(2):
            process = self.start("resume", "stopped", "--threads", 1, "-q")
            time.sleep(chance.uniform(0.2, 0.8))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)
            # While the files are opened nothing is to be saved, and the signal ends it by itself.
            self.assertIn(process.returncode, (130, -signal.SIGINT))
        self.resumed("stopped")
        self.assert_same_run(self.whole(), "stopped")

    def test_more_steps_are_as_if_asked_for_from_the_start(self):
        self.align(*self.long(ITERATIONS // 3), "--out", "longer")
        self.resumed("longer", "--iterations", ITERATIONS)
        self.assert_same_run(self.whole(), "longer")

    def test_a_damaged_checkpoint_is_replaced_by_the_one_before_it(self):
        self.stop(self.begun("damaged"), signal.SIGKILL)
        checkpoint = self.folder / "damaged/seed-0/checkpoint"
        if checkpoint.exists():
            checkpoint.write_bytes(checkpoint.read_bytes()[:-20])
        self.resumed("damaged")
        self.assert_same_run(self.whole(), "damaged")

    def test_a_finished_run_stays_and_a_deleted_result_is_made_again(self):
        self.align(*self.long(3), "--out", "run")
        before = self.files("run")
        self.resumed("run")
        self.assertEqual(self.files("run"), before)
        shutil.rmtree(self.folder / "run/seed-1")
        (self.folder / "run/seed-0/result.json").unlink()
        self.resumed("run")
        self.assertEqual(self.files("run"), before)

    def test_a_second_process_on_the_same_run_is_refused(self):
        process = self.begun("busy", 100000)
        self.align_refused("resume", "busy", says=["busy", "in use"])
        self.align_refused(*self.long(), "--out", "busy", "--force", says=["busy", "in use"])
        self.stop(process, signal.SIGKILL)
        self.align(*self.small(iterations=1), "--out", "busy", "--force")

    def test_a_scorer_that_fails_in_the_middle_is_mended_and_the_run_goes_on(self):
        for fault, says in (("die", "exited with status 3"), ("NaN", "wrote 'NaN'")):
            words = self.small(rewards=[f"length={self.judge(fault, 70)}"])
            says = ['reward "length"', "command 'python3'", says,
                    f"'rgu align resume {fault} --allow-commands' goes on"]
            self.align_refused(*words, "--out", fault, says=says)
            self.align_refused("resume", fault, "--threads", 1, "-q", "--allow-commands", says=says)
            self.write("mended", "")
            self.resumed(fault, "--allow-commands")
            self.align(*words, "--out", "whole", "--force")
            self.assert_same_run("whole", fault)
            (self.folder / "mended").unlink()

    def test_what_the_run_was_made_from_must_not_change(self):
        for name in ("model", "other"):
            shutil.copytree(parts() / "model", self.folder / name)
        prompts = (parts() / "prompts.txt").read_text()
        self.write("prompts.txt", prompts)
        self.align(*self.small(model="model", data=["prompts.txt"], iterations=2), "--out", "run")
        before = self.files("run")
        self.write("prompts.txt", prompts + "The last bird saw\n")
        self.align_refused("resume", "run", "--iterations", 3, says=["run", "prompts"])
        self.write("prompts.txt", prompts)
        weights = bytearray((self.folder / "model/model.safetensors").read_bytes())
        weights[-1] ^= 1
        (self.folder / "model/model.safetensors").write_bytes(weights)
        self.align_refused("resume", "run", "--iterations", 3, says=["run", "model"])
        self.assertEqual(self.files("run"), before)

    def test_a_full_disk_is_said_and_resuming_with_space_gives_the_same_bytes(self):
        for limit in (500, 3_000, 400_000):
            name = f"full-{limit}"
            words = [*self.long(6), "--out", name]
            environment = {**os.environ, "LD_PRELOAD": os.environ["RGU_FULL_DISK"],
                           "RGU_TEST_DISK_BYTES": str(limit), "ASAN_OPTIONS": "verify_asan_link_order=0"}
            self.align_refused(*words, code=4, env=environment, says=["No space left on device"])
            if (self.folder / name / "run.json").exists():
                self.resumed(name)
            else:
                self.align(*words)
            self.assert_same_run(self.whole(6), name)


if __name__ == "__main__":
    unittest.main()
