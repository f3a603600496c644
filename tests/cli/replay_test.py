"""rgu replay: the same bits again, or where they first differ."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import time
import unittest

from command_line import DESCENT, QUICK, RGU, SAMPLED, CommandLineTest

SHORT = ["--set", "stopping.iterations=12"]
LONG = int(os.environ["RGU_TEST_ITERATIONS"])


class ReplayTest(CommandLineTest):
    def replay(self, run, *arguments, code=0):
        return json.loads(self.rgu("replay", run, "--json", *arguments, code=code).stdout)

    def differences(self, run="run"):
        """Those of the only seed that differs."""
        seeds = [seed for seed in self.replay(run, code=3)["seeds"] if not seed["identical"]]
        self.assertEqual(len(seeds), 1)
        return seeds[0]["differences"]

    def change(self, name, edit):
        """The JSON of a file of seed 0, or of one of its lines, changed by edit(value)."""
        path = self.folder / "run/seed-0" / name
        value = json.loads(path.read_text())
        edit(value)
        path.write_text(json.dumps(value, indent=1, separators=(",", ": ")) + "\n")

    def change_line(self, number, edit):
        path = self.folder / "run/seed-0/metrics.jsonl"
        lines = path.read_text().splitlines()
        value = json.loads(lines[number - 1])
        edit(value)
        lines[number - 1] = json.dumps(value, separators=(",", ":"))
        path.write_text("\n".join(lines) + "\n")


class Identical(ReplayTest):
    def test_every_kind_of_run_replays_on_any_number_of_threads(self):
        runs = {"exact": QUICK,
                "sampled": [*SAMPLED, *SHORT, "--seeds", "2"],
                "envelope": ["exploration", "--method", "envelope", "--seeds", "2"],
                "occupancy": ["constrained", "--method", "occupancy", *SHORT],
                "prox": ["exploration", "--method", "prox-extragradient", *SHORT, "--seeds", "3,1"],
                "searched": ["risk", *SHORT, "--seeds", "1"]}
        for name, problem in runs.items():
            with self.subTest(name):
                subprocess.run([RGU, "solve", *problem, "--out", name, "-q"], cwd=self.folder,
                               capture_output=True, timeout=600)
                before = self.files(name)
                for threads in ("1", "3"):
                    told = self.replay(name, "--threads", threads)
                    self.assertTrue(told["identical"])
                    self.assertEqual(told["build_differences"], [])
                    for seed in told["seeds"]:
                        self.assertTrue(seed["finished"])
                        lines = (self.folder / name / f"seed-{seed['seed']}/metrics.jsonl").read_text().count("\n")
                        self.assertEqual(seed["lines"], lines)
                self.assertEqual(self.files(name), before)

    def test_seeds_are_chosen_and_told_in_words(self):
        self.rgu("solve", *DESCENT, *SHORT, "--seeds", "3", "--out", "run", "-q")
        told = self.replay("run", "--seed", "2", "--seed", "0")
        self.assertEqual([seed["seed"] for seed in told["seeds"]], [2, 0])
        text = self.rgu("replay", "run").stdout
        for seed in range(3):
            self.assertIn(f"seed {seed}: identical (12 iterations, 12 lines of metrics)", text)
        self.assertIn("build: the same", text)

    def test_a_folder_that_may_only_be_read(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        paths = [self.folder / "run", *(self.folder / "run").rglob("*")]
        (self.folder / "run/lock").unlink(missing_ok=True)
        for path in reversed(paths):
            if path.exists():
                path.chmod(stat.S_IRUSR | (stat.S_IXUSR if path.is_dir() else 0))
        try:
            self.assertTrue(self.replay("run")["identical"])
            self.assertFalse((self.folder / "run/lock").exists())
        finally:
            for path in paths:
                if path.exists():
                    path.chmod(0o700)

    def test_a_limit_that_was_raised_leaves_a_line_that_replays_too(self):
        self.rgu("solve", *DESCENT, "--seeds", "1", "--set", "stopping.iterations=25", "--set",
                 "output.metrics_every=10", "--out", "run", "-q")
        self.rgu("resume", "run", "--set", "stopping.iterations=40", "-q")
        lines = (self.folder / "run/seed-0/metrics.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["iteration"] for line in lines], [10, 20, 25, 30, 40])
        self.assertEqual(self.replay("run")["seeds"][0]["lines"], 5)

    def test_a_run_that_was_ended_by_time_ends_there_again(self):
        self.rgu("solve", *SAMPLED, "--seeds", "1", "--set", "stopping.iterations=1000000", "--set",
                 "stopping.seconds=0.3", "--set", "output.metrics_every=3", "--out", "run", "-q")
        result = json.loads((self.folder / "run/seed-0/result.json").read_text())
        self.assertIn("time limit", result["status"])
        self.assertTrue(self.replay("run")["seeds"][0]["finished"])

    def test_an_interrupted_run_replays_as_far_as_it_got_and_then_whole(self):
        problem = [*SAMPLED, "--seeds", "2", "--set", f"stopping.iterations={LONG}"]
        process = subprocess.Popen([RGU, "solve", *problem, "--out", "run", "-q", "--threads", "2"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL)
        metrics = self.folder / "run/seed-0/metrics.jsonl"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (metrics.exists() and metrics.stat().st_size > 0):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with open(metrics, "a") as file:
            file.write('{"iteration":')  # cut off
        told = self.replay("run")
        self.assertTrue(told["identical"])
        self.assertFalse(told["seeds"][0]["finished"])
        self.assertLess(told["seeds"][0]["iterations"], LONG)
        self.assertIn("identical as far as it got; not finished", self.rgu("replay", "run").stdout)
        self.rgu("resume", "run", "-q")
        self.assertTrue(all(seed["finished"] for seed in self.replay("run")["seeds"]))

    def test_a_certificate_of_rgu_certify_is_not_the_runs_own(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        self.rgu("certify", "run")
        self.assertEqual(self.replay("run")["seeds"][0]["left_out"], ["certificate.json"])

    def test_the_record_says_what_it_was_made_with(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        path = self.folder / "run/run.json"
        about = json.loads(path.read_text())
        for fact in ("version", "compiler", "build", "flags", "sanitizers", "instructions", "dense kernels", "blas"):
            self.assertTrue(about["build"][fact], fact)
        about["build"]["compiler"] = "c++ 1.0"
        path.write_text(json.dumps(about))
        told = self.replay("run")
        self.assertEqual([(one["name"], one["recorded"]) for one in told["build_differences"]], [("compiler", "c++ 1.0")])
        self.assertIn("build: compiler was c++ 1.0, is ", self.rgu("replay", "run").stdout)
        del about["build"]  # as in older folders
        path.write_text(json.dumps(about))
        self.assertFalse(self.replay("run")["build_recorded"])
        self.assertIn("does not say", self.rgu("replay", "run").stdout)
        self.rgu("show", "run")


class Different(ReplayTest):
    def setUp(self):
        super().setUp()
        self.rgu("solve", *QUICK, "--out", "run", "-q")

    def test_a_changed_metric_is_named_with_its_place(self):
        self.change_line(7, lambda line: line.update(envelope=line["envelope"] + 0.5))
        (difference,) = self.differences()
        self.assertEqual((difference["file"], difference["line"], difference["iteration"], difference["field"]),
                         ("metrics.jsonl", 7, 7, "envelope"))
        self.assertAlmostEqual(difference["distance"], 0.5)
        self.assertAlmostEqual(float(difference["stored"]) - float(difference["replayed"]), 0.5)
        text = self.rgu("replay", "run", code=3).stdout
        self.assertIn("seed 0: differs", text)
        self.assertIn("metrics.jsonl line 7, iteration 7, envelope: ", text)
        self.assertIn("0.5 apart", text)

    def test_the_last_bit_counts(self):
        import math
        self.change_line(3, lambda line: line.update(objective=math.nextafter(line["objective"], math.inf)))
        (difference,) = self.differences()
        self.assertEqual((difference["line"], difference["field"]), (3, "objective"))
        self.assertLess(difference["distance"], 1e-10)

    def test_a_changed_entry_of_the_policy_is_named(self):
        def edit(policy):
            policy["policy"][4][2] = 0.25
        self.change("policy.json", edit)
        (difference,) = self.differences()
        self.assertEqual((difference["file"], difference["field"], difference["stored"]),
                         ("policy.json", "policy[4][2]", "0.25"))

    def test_results_and_worst_cases_are_compared(self):
        self.change("worst_case.json", lambda worst: worst.update(method="a guess"))
        self.change("result.json", lambda result: result.update(notes=["all is well"]))
        first, second = self.differences()
        self.assertEqual((first["file"], first["field"], first["stored"]), ("worst_case.json", "method", '"a guess"'))
        self.assertEqual((second["file"], second["field"]), ("result.json", "notes[0]"))

    def test_a_missing_line_is_said(self):
        path = self.folder / "run/seed-0/metrics.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:4] + lines[5:]))
        self.assertIn("no line for iteration 5", self.differences()[0]["remark"])
        path.write_text("".join(lines[:15]))
        self.assertIn("the run ends after iteration 15, the replay goes on", self.differences()[0]["remark"])


class BadInput(ReplayTest):
    def test_what_cannot_be_replayed_is_refused(self):
        self.refused("replay", "nothing", says=["no run folder"])
        self.refused("replay", code=2)
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        self.refused("replay", "run", "--seed", "7", says=["no seed 7"])
        path = self.folder / "run/config.toml"
        text = path.read_text()
        path.write_text(text.replace("capacity = 15", "capacity = 14"))
        self.refused("replay", "run", says=["was changed"])
        path.write_text(text)
        metrics = self.folder / "run/seed-0/metrics.jsonl"
        lines = metrics.read_text().splitlines(keepends=True)
        metrics.write_text("".join(lines[:2] + ["{\n"] + lines[3:]))
        self.refused("replay", "run", says=["metrics.jsonl:3"])
        metrics.write_text("".join(lines[:2] + lines[1:]))
        self.refused("replay", "run", says=["metrics.jsonl:3", "iteration 2 after 2"])

    def test_a_run_that_has_not_begun_and_one_of_another_kind(self):
        self.rgu("solve", *QUICK, "--out", "run", "-q")
        for path in (self.folder / "run/seed-0").iterdir():
            path.unlink()
        self.refused("replay", "run", says=["nothing to replay yet"])
        about = self.folder / "run/run.json"
        about.write_text(json.dumps({**json.loads(about.read_text()), "kind": "alignment"}))
        self.refused("replay", "run", says=["alignment run", "rgu align"])


if __name__ == "__main__":
    unittest.main()
