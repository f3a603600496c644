"""Run folders that are damaged, hostile, not writable or in use, and a clock that jumps."""

import json
import os
import shutil
import signal
import unittest

from command_line import DESCENT, RGU
from fault_case import SEED, FaultCase

FLIPS = int(os.environ.get("RGU_TEST_FLIPS", "50"))
SMALL = [*DESCENT, "--seeds", 1, "--threads", 1, "--set", "output.checkpoint_seconds=0.005", "-q"]


def run_words(iterations):
    return ["solve", *SMALL, "--set", f"stopping.iterations={iterations}", "--out"]


class DamagedCheckpoints(FaultCase):
    def setUp(self):
        super().setUp()
        self.rgu(*map(str, run_words(1000)), "whole")
        process = self.start(*run_words(1000), "stopped")
        while not (self.folder / "stopped/seed-0/checkpoint.previous").exists():
            self.assertIsNone(process.poll(), "it ended before it could be stopped")
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def resumed_with(self, **contents):
        shutil.rmtree(self.folder / "damaged", ignore_errors=True)
        shutil.copytree(self.folder / "stopped", self.folder / "damaged")
        for name, content in contents.items():
            (self.folder / "damaged/seed-0" / name.replace("_", ".")).write_bytes(content)
        self.rgu("resume", "damaged", "-q", "--threads", "1")
        self.assert_same_run("whole", "damaged")

    def test_bytes_that_changed_are_noticed_wherever_they_are(self):
        names = [name for name in ("checkpoint", "checkpoint.previous")
                 if (self.folder / "stopped/seed-0" / name).exists()]
        for flip in range(FLIPS):
            name = names[flip % len(names)]
            content = bytearray((self.folder / "stopped/seed-0" / name).read_bytes())
            region = len(content) * (flip // len(names)) * len(names) // FLIPS  # every part has its turn
            at = min(len(content) - 1, region + self.chance.randrange(1 + len(content) * len(names) // FLIPS))
            content[at] ^= 1 << self.chance.randrange(8)
            with self.subTest(seed=SEED, file=name, byte=at, of=len(content)):
                self.resumed_with(**{name.replace(".", "_"): bytes(content)})

    def test_checkpoints_that_are_cut_short_are_noticed(self):
        previous = (self.folder / "stopped/seed-0/checkpoint.previous").read_bytes()
        for size in (0, 1, 20, len(previous) // 2, len(previous) - 1):
            self.resumed_with(checkpoint=previous[:size])

    def test_without_any_whole_checkpoint_it_begins_anew(self):
        self.resumed_with(checkpoint=b"rgu-checkpoint 1 0000000f 0\n", checkpoint_previous=b"")


class Permissions(FaultCase):
    """As somebody who is not root, for whom nothing is forbidden."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        lines = self.folder / "counted-lines"  # of a build that counts them: its own folder is closed to others
        self.who = {"env": {**os.environ, "GCOV_PREFIX": str(lines)}}
        if os.geteuid() == 0:
            self.who.update(user=65534, group=65534, extra_groups=[])
        try:
            self.rgu("--version", **self.who)
        except OSError:
            self.skipTest(f"{RGU} cannot be started by another user")

    def closed(self, name, mode):
        path = self.folder / name
        before = path.stat().st_mode
        os.chmod(path, mode)
        self.addCleanup(os.chmod, path, before)

    def test_a_folder_that_must_not_be_written_to_is_named(self):
        (self.folder / "closed").mkdir()
        self.closed("closed", 0o555)
        self.refused(*map(str, run_words(20)), "closed/run", code=4, says=["closed/run", "Permission denied"],
                     **self.who)
        self.refused("convert", "inventory", "closed/model.json", code=4, says=["closed/model.json", "Permission"],
                     **self.who)
        self.refused("sweep", "inventory", "--radius", "0.1", "--html", "closed/page.html", "-q", "--seeds", "1",
                     code=4, says=["closed/page.html", "Permission denied"], **self.who)
        self.assertEqual(list((self.folder / "closed").iterdir()), [])

    def test_files_of_a_run_that_must_not_be_written_to_are_named(self):
        self.rgu(*map(str, run_words(20)), "run", **self.who)
        before = self.files("run")
        longer = ["resume", "run", "-q", "--set", "stopping.iterations=40"]
        self.closed("run/seed-0/metrics.jsonl", 0o444)
        self.refused(*longer, code=4, says=["metrics.jsonl", "Permission denied"], **self.who)
        os.chmod(self.folder / "run/seed-0/metrics.jsonl", 0o644)
        self.assertEqual(self.files("run")["seed-0/metrics.jsonl"], before["seed-0/metrics.jsonl"])
        self.closed("run", 0o555)
        self.refused("report", "run", code=4, says=["report.html", "Permission denied"], **self.who)
        os.chmod(self.folder / "run", 0o777)
        self.closed("run/config.toml", 0o000)
        self.refused("show", "run", says=["config.toml", "Permission denied"], **self.who)


class HostileFolders(FaultCase):
    """A run folder or a name out of a file leads to nothing outside of the folder for results."""

    def setUp(self):
        super().setUp()
        self.rgu(*map(str, run_words(20)), "run")
        (self.folder / "outside").mkdir()
        self.write("outside/precious", "precious")

    def assert_refused_untouched(self, link):
        before = self.files("outside")
        for words in (["resume", "run", "-q", "--set", "stopping.iterations=40"], ["report", "run"],
                      ["certify", "run"], [*map(str, run_words(20)), "run", "--force"]):
            self.refused(*words, says=[link, "is a link"])
        self.assertEqual(self.files("outside"), before)

    def test_links_in_a_run_folder_are_refused(self):
        shutil.copytree(self.folder / "run", self.folder / "kept")
        for name in ("seed-0", "figures", "report.html", "config.toml", "run.json", "lock", "seed-0/metrics.jsonl",
                     "seed-0/checkpoint", "seed-0/policy.json", "seed-0/new.jsonl"):
            shutil.rmtree(self.folder / "run")
            shutil.copytree(self.folder / "kept", self.folder / "run")
            path = self.folder / "run" / name
            target = self.folder / "outside" / path.name
            if path.is_dir():
                shutil.move(path, target)
            else:
                target.write_bytes(path.read_bytes() if path.exists() else b"")
                path.unlink(missing_ok=True)
            path.symlink_to(target)
            with self.subTest(name):
                self.assert_refused_untouched(name)

    def test_the_run_folder_itself_may_be_a_link(self):
        (self.folder / "link").symlink_to("run")
        self.rgu("resume", "link", "-q")

    def test_names_of_problems_do_not_lead_out_of_the_folder_for_runs(self):
        text = self.rgu("show", "inventory").stdout
        names = ("..", ".", "../../up", "/tmp/rgu-absolute", "...", "a\\u0000b", "a\\nb", "..\\u0000", "\\u202Etxt.exe",
                 "<script>")
        for count, name in enumerate(names):
            body = "\n".join(line for line in text.split("\n") if not line.startswith("name"))
            place = self.folder / f"place-{count}"
            place.mkdir()
            (place / "problem.toml").write_text(f'name = "{name}"\n{body}')
            with self.subTest(name):
                self.rgu("solve", str(place / "problem.toml"), "-q", "--seeds", "1", "--set", "stopping.iterations=3",
                         "--set", "solver.method=worst-case", cwd=place)
                self.assertEqual(sorted(path.name for path in place.iterdir()), ["problem.toml", "runs"])
                (run,) = (place / "runs").iterdir()
                self.assertTrue((run / "run.json").is_file())
        self.assertFalse(os.path.exists("/tmp/rgu-absolute"))


class Clock(FaultCase):
    def jumping(self):
        return {**os.environ, "LD_PRELOAD": os.environ["RGU_CLOCK_JUMP"], "RGU_TEST_CLOCK_DAYS": "400",
                "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def test_a_clock_that_jumps_by_a_year_changes_nothing(self):
        words = ["solve", *map(str, SMALL), "--set", "stopping.iterations=200", "--tensorboard", "--out"]
        self.rgu(*words, "whole")
        self.rgu(*words, "jumped", env=self.jumping())
        self.assert_same_run("whole", "jumped")
        seconds = [json.loads(line)["seconds"] for line in
                   (self.folder / "jumped/seed-0/timing.jsonl").read_text().splitlines()]
        self.assertEqual(seconds, sorted(seconds))
        self.assertTrue(0 <= seconds[0] and seconds[-1] < 600, seconds)

    def test_a_limit_in_seconds_is_by_the_monotonic_clock(self):
        self.rgu("solve", *map(str, SMALL), "--set", "stopping.seconds=300", "--set", "stopping.iterations=50", "--out",
                 "run", env=self.jumping())
        self.assertIn("iteration limit", self.rgu("show", "run").stdout)


if __name__ == "__main__":
    unittest.main()
