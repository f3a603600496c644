"""What the tests of faults share: processes that are killed at random moments, and full disks."""

import os
import random
import signal
import struct
import subprocess
import time

from command_line import RGU, CommandLineTest

KILLS = int(os.environ.get("RGU_TEST_KILLS", "5"))
WRITES = int(os.environ.get("RGU_TEST_WRITES", "25"))  # of the first 200, how many fail, one a run
SEED = int(os.environ.get("RGU_TEST_SEED", str(random.SystemRandom().randrange(10**6))))

EVENTS = "events.out.tfevents"
RUDE_OR_POLITE = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)


def failing_writes():
    """WRITES numbers from 1 to 200: all the small ones, then a spread."""
    return sorted({max(i + 1, round(200 * ((i + 1) / WRITES) ** 2)) for i in range(WRITES)})


def untimed_events(content):
    """The records of a TensorBoard file without their wall time, which is the first field of each."""
    records, at = [], 0
    while at < len(content):
        (size,) = struct.unpack_from("<Q", content, at)
        record = content[at + 12:at + 12 + size]
        assert len(record) == size and record[:1] == b"\x09", "not a record"
        records.append(record[9:])
        at += 16 + size
    return records


class FaultCase(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(f"{SEED} {self.id()}")

    def files(self, run):
        found = super().files(run)
        return {name: untimed_events(content) if EVENTS in name else content for name, content in found.items()}

    def start(self, *arguments):
        process = subprocess.Popen([RGU, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def seconds(self, *arguments):
        begin = time.monotonic()
        self.rgu(*map(str, arguments))
        return time.monotonic() - begin

    def was_killed(self, words, within, signals):
        """Starts the command and ends it at a random moment; False where it ended, well, before."""
        how = self.chance.choice(signals)
        process = self.start(*words)
        try:
            process.wait(self.chance.uniform(0, within))
        except subprocess.TimeoutExpired:
            process.send_signal(how)
        _, err = process.communicate(timeout=600)
        codes = (0, -how, 130) if how == signal.SIGTERM else (0, -how)
        self.assertIn(process.returncode, codes, f"RGU_TEST_SEED={SEED}: {words}: {err}")
        return process.returncode != 0

    def kill_often(self, next_words, within, check, kills=KILLS, signals=(signal.SIGKILL,)):
        """Rounds of a command that is killed, looked at and started again until it ends by itself.

        next_words(round) says how to begin or go on; check(round, ended) looks at what is there.
        """
        left, number = kills, 0
        while left > 0:
            number += 1
            while left > 0 and self.was_killed(next_words(number), within, signals):
                left -= 1
                check(number, False)
            self.rgu(*map(str, next_words(number)))
            check(number, True)

    def full_disk(self, number):
        self.failed = self.folder / f"failed-{number}"
        return {**os.environ, "LD_PRELOAD": os.environ["RGU_FULL_DISK"], "RGU_TEST_DISK_WRITES": str(number),
                "RGU_TEST_DISK_FAILED": str(self.failed), "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def run_on_full_disk(self, number, *words):
        """Whether the disk was full before the end: then the command must have said so."""
        done = subprocess.run([RGU, *map(str, words)], cwd=self.folder, env=self.full_disk(number), timeout=600,
                              capture_output=True, text=True)
        told = f"write {number}: {done.stdout}{done.stderr}"
        if not self.failed.exists():
            self.assertEqual(done.returncode, 0, told)
            return False
        self.failed.unlink()
        self.assertEqual(done.returncode, 4, told)
        self.assertEqual(len(done.stderr.strip().split("\n")), 1, told)
        self.assertIn("No space left on device", done.stderr, told)
        return True

    def starved(self, words, look, go_on):
        """How many runs of `words` NAME met a full disk. What each left is looked at by look(NAME) and
        finished by go_on(NAME), or begun anew where nothing stands: then it is the run "whole"."""
        self.rgu(*map(str, words), "whole")
        failed = 0
        for number in failing_writes():
            name = f"full-{number}"
            if not self.run_on_full_disk(number, *words, name):
                break
            failed += 1
            if (self.folder / name / "run.json").exists():
                look(name)
                go_on(name)
            else:
                self.rgu(*map(str, words), name)
            self.assert_same_run("whole", name)
        return failed
