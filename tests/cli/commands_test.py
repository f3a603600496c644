"""Every command as a user types it."""

import json
import math
import os
import pathlib
import re
import subprocess
import unittest

from command_line import DESCENT, QUICK, RGU, SAMPLED, CommandLineTest


class Looking(CommandLineTest):
    def test_help_of_every_command_has_an_example(self):
        text = self.rgu("--help").stdout
        self.assertIn("Exit codes", text)
        commands = re.findall(r"^  ([a-z]+) ", text.split("Subcommands:")[1], re.M)
        self.assertGreaterEqual(len(commands), 11)
        for command in set(commands) - {"rgu"}:
            page = self.rgu(command, "--help").stdout
            self.assertIn("Example", page, command)

    def test_version_names_compiler_and_build(self):
        self.assertRegex(self.rgu("--version").stdout, r"rgu \d+\.\d+\.\d+, .*(release|debug)")

    def test_doctor_measures_the_machine_and_finds_the_fast_kernels(self):
        facts = json.loads(self.rgu("doctor", "--seconds", "0.05", "--json").stdout)
        self.assertGreaterEqual(facts["cpu"]["threads"], 1)
        self.assertGreater(facts["memory"]["bytes"], facts["memory"]["available"])
        for rates in (facts["measured"]["one"], facts["measured"]["all"]):
            for rate in rates.values():
                self.assertGreater(rate, 0)
        if facts["cpu"]["instructions"] != "SSE2":
            self.assertNotEqual(facts["blas"]["kernels"], "Prescott")
        text = self.rgu("doctor", "--seconds", "0.05", "--threads", "1").stdout
        for part in ("cpu", "memory", "OpenBLAS", "kernels", "GFLOPS", "GB/s", "language models", "autodiff"):
            self.assertIn(part, text)

    def test_doctor_tells_of_settings_that_the_user_has_changed(self):
        text = self.rgu("doctor", "--seconds", "0.01",
                        env={**os.environ, "OMP_WAIT_POLICY": "active"}).stdout
        self.assertIn("OMP_WAIT_POLICY is active in your environment", text)

    def test_list_names_all_built_in_problems(self):
        names = self.rgu("list", "--names").stdout.split()
        for name in ("paper/exploration", "exploration", "reward-robust", "constrained", "entropy",
                     "imitation", "risk", "inventory"):
            self.assertIn(name, names)
        listed = json.loads(self.rgu("list", "--json").stdout)
        self.assertEqual([entry["name"] for entry in listed], names)
        table = self.rgu("list").stdout
        for entry in listed:
            self.assertIn(entry["description"], table)

    def test_the_text_of_a_built_in_problem_is_a_problem_file(self):
        self.write("mine.toml", self.rgu("show", "exploration").stdout)
        self.assertIn("the problem is sound", self.rgu("check", "mine.toml").stdout)

    def test_check_tells_sizes_cost_and_warnings(self):
        text = self.rgu("check", "paper/exploration").stdout
        self.assertIn("10 states, 5 actions", text)
        self.assertIn("the worst case is 0 for every policy", text)
        facts = json.loads(self.rgu("check", *QUICK, "--json").stdout)
        self.assertEqual(facts["iterations"], 20)
        self.assertGreater(facts["seconds_per_iteration"], 0)
        sampled = json.loads(self.rgu("check", *SAMPLED, "--json").stdout)
        # A worst-case answer and a gradient: three batches of 256 x 50 transitions.
        self.assertEqual(sampled["expected_samples"], 3 * 256 * 50 * sampled["iterations"])

    def test_keys_lists_what_files_may_hold(self):
        keys = json.loads(self.rgu("keys", "--json").stdout)
        names = {entry["key"] for entry in keys}
        self.assertLessEqual({"ambiguity.radius", "stopping.iterations", "seeds", "solver.step"}, names)
        only = json.loads(self.rgu("keys", "stopping", "--json").stdout)
        self.assertTrue(all(entry["key"].startswith("stopping.") for entry in only))
        self.assertIn("stopping.seconds", self.rgu("keys", "stopping").stdout)
        self.assertIn('"pgda-lp"', self.rgu("keys", "solver").stdout)

    def test_completions_are_scripts_that_know_commands_and_options(self):
        bash = self.rgu("completions", "bash").stdout
        subprocess.run(["bash", "-n"], input=bash, text=True, check=True)
        script = bash + """
COMP_WORDS=(rgu so); COMP_CWORD=1; _rgu; echo "${COMPREPLY[@]}"
COMP_WORDS=(rgu solve --te); COMP_CWORD=2; _rgu; echo "${COMPREPLY[@]}"
COMP_WORDS=(rgu solve explo); COMP_CWORD=2; _rgu; echo "${COMPREPLY[@]}"
"""
        path = str(pathlib.Path(RGU).parent)
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.folder,
                              env={"PATH": f"{path}:/usr/bin:/bin"}, check=True)
        self.assertEqual(done.stdout.split("\n")[:3], ["solve", "--tensorboard", "exploration"])
        for shell in ("zsh", "fish"):
            self.assertIn("tensorboard", self.rgu("completions", shell).stdout)


class Solving(CommandLineTest):
    def test_solve_leaves_a_whole_run_folder_and_says_where(self):
        result = self.rgu("solve", *QUICK, "--out", "run")
        for name in ("config.toml", "run.json", "report.html", "seed-0/metrics.jsonl",
                     "seed-0/timing.jsonl", "seed-0/policy.json", "seed-0/worst_case.json",
                     "seed-0/result.json", "seed-0/checkpoint"):
            self.assertTrue((self.folder / "run" / name).is_file(), name)
        self.assertTrue(list((self.folder / "run/figures").glob("*.svg")))
        self.assertIn("(exact)", result.stdout)
        self.assertIn("report: run/report.html", result.stdout)
        lines = (self.folder / "run/seed-0/metrics.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["iteration"] for line in lines], list(range(1, 21)))

    def test_method_takes_the_place_of_the_problems_own(self):
        result = self.rgu("solve", "exploration", "--seeds", "2", "--method", "auto", "--out", "auto", "-q")
        self.assertIn("envelope solver", result.stdout)
        self.assertIn("chosen: the utility is convex in the occupancy", result.stdout)
        self.assertIn("optimal (gap proven)", result.stdout)
        self.assertIn('method = "auto"', (self.folder / "auto/config.toml").read_text())
        for entry in json.loads(self.rgu("certify", "auto", "--json").stdout):
            self.assertLessEqual(entry["gap"], 1.01e-6 * abs(entry["worst_case"]))
        tight = self.rgu("solve", "reward-robust", "--method", "envelope", "--set", "solver.tolerance=1e-8", "--json",
                         "-q", "--out", "tight").stdout
        seed = json.loads(tight)["seeds"][0]
        self.assertLessEqual(seed["optimality_gap"], 1e-8 * abs(seed["worst_case"]))
        text = self.rgu("solve", "constrained", "--method", "occupancy", "--set", "solver.schedule=theory", "--set",
                        "stopping.iterations=20", "--out", "occupancy", "-q", code=3).stdout
        self.assertIn("occupancy PGDA", text)
        last = (self.folder / "occupancy/seed-0/metrics.jsonl").read_text().splitlines()[-1]
        self.assertLess(json.loads(last)["saddle_gap"], json.loads(last)["saddle_gap_bound"])
        self.refused("solve", "exploration", "--method", "envelop", says=["envelop", "envelope"])
        self.refused("solve", "exploration", "--method", "occupancy", says=["concave"])

    def test_an_envelope_run_that_proves_too_little_is_not_solved(self):
        self.rgu("solve", "entropy", "--set", "stopping.iterations=3", "--out", "run", "-q", code=3)
        self.assertIn("not proven", self.rgu("show", "run").stdout)
        self.rgu("resume", "run", "--set", "stopping.iterations=5000", "-q")
        self.rgu("solve", "entropy", "--out", "whole", "-q")
        for name in ("policy.json", "metrics.jsonl", "certificate.json"):
            self.assertEqual((self.folder / "run/seed-0" / name).read_bytes(),
                             (self.folder / "whole/seed-0" / name).read_bytes(), name)

    def test_without_a_terminal_progress_is_plain_lines_on_stderr(self):
        result = self.rgu("solve", *QUICK, "--out", "run")
        self.assertIn("it/s", result.stderr)
        self.assertNotIn("\x1b", result.stderr)
        self.assertEqual(self.rgu("solve", *QUICK, "--out", "quiet", "-q").stderr, "")

    def test_on_a_terminal_progress_is_a_bar(self):
        done = subprocess.run(
            ["script", "-qec", f"{RGU} solve {' '.join(DESCENT)} --set stopping.iterations=50 --out run",
             "/dev/null"], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\x1b\[K\[#+\.*\] 250/250 .*it/s")

    def test_json_is_the_only_thing_on_stdout(self):
        result = json.loads(self.rgu("solve", *QUICK, "--out", "run", "--json").stdout)
        self.assertEqual(result["seeds"][0]["kind"], "exact")
        self.assertEqual(result["seeds"][0]["gap"], 0)
        self.assertTrue(result["seeds"][0]["solved"])
        shown = json.loads(self.rgu("show", "run", "--json").stdout)
        self.assertEqual(shown["seeds"], result["seeds"])

    def test_without_out_each_run_gets_a_folder_of_its_own(self):
        for _ in range(2):
            self.rgu("solve", *QUICK, "-q")
        self.assertTrue((self.folder / "runs/inventory/config.toml").is_file())
        self.assertTrue((self.folder / "runs/inventory-2/config.toml").is_file())

    def test_the_recorded_config_repeats_the_run_byte_for_byte(self):
        self.rgu("solve", *SAMPLED, "--set", "stopping.iterations=30", "--seeds", "2", "--out", "a", "-q")
        self.rgu("solve", "a/config.toml", "--out", "b", "-q")
        self.assert_same_run("a", "b")

    def test_the_number_of_threads_changes_nothing(self):
        for threads in ("1", "2", "3"):
            self.rgu("solve", *SAMPLED, "--set", "stopping.iterations=25", "--seeds", "2", "--out",
                     f"t{threads}", "--threads", threads, "-q")
        self.assert_same_run("t1", "t2")
        self.assert_same_run("t1", "t3")

    def test_a_problem_without_a_name_is_called_by_its_file(self):
        text = self.rgu("show", "inventory").stdout.replace('name = "inventory"', "")
        self.write("shop.toml", text)
        self.rgu("solve", "shop.toml", "--set", "stopping.iterations=5", "-q")
        self.assertTrue((self.folder / "runs/shop/config.toml").is_file())

    def test_schedules_change_the_samples_of_an_iteration(self):
        self.rgu("solve", "paper/exploration", "--set", "gradient.trajectories=[10, 20]", "--set",
                 "gradient.horizon=5", "--set", "solver.inner_steps=[1, 2]", "--seeds", "1", "--set",
                 "stopping.iterations=3", "--out", "run", "-q")
        lines = (self.folder / "run/seed-0/metrics.jsonl").read_text().splitlines()
        # Two gradients an inner step, two batches a gradient, m H transitions a batch.
        self.assertEqual([json.loads(line)["samples"] for line in lines],
                         [4 * 50, 4 * 50 + 8 * 100, 4 * 50 + 16 * 100])

    def test_tensorboard_files_hold_the_metrics(self):
        self.rgu("solve", *QUICK, "--out", "run", "--tensorboard", "-q")
        files = list((self.folder / "run/seed-0").glob("events.out.tfevents.*"))
        self.assertEqual(len(files), 1)
        data = files[0].read_bytes()
        self.assertEqual(data.count(b"brain.Event:2"), 1)
        self.assertEqual(data.count(b"policy_mapping"), 20)

    def test_every_stopping_rule_stops(self):
        def status(*sets):
            arguments = [word for pair in sets for word in ("--set", pair)]
            self.rgu("solve", *SAMPLED, "--seeds", "1", *arguments, "--out", "run", "--force", "-q")
            text = (self.folder / "run/seed-0/metrics.jsonl").read_text()
            return (json.loads((self.folder / "run/seed-0/result.json").read_text())["status"],
                    json.loads(text.splitlines()[-1])["iteration"])

        self.assertEqual(status("stopping.samples=100000"), ("sample limit", 3))
        self.assertEqual(status("stopping.residual=1e9"), ("converged", 1))
        self.assertEqual(status("stopping.iterations=7"), ("iteration limit", 7))
        words, iterations = status("stopping.seconds=0.05", "stopping.iterations=1000000")
        self.assertEqual(words, "time limit")
        self.assertLess(iterations, 1000000)

    def test_the_last_iteration_is_measured_whatever_ends_the_run(self):
        self.rgu("solve", *SAMPLED, "--seeds", "1", "--set", "stopping.samples=100000", "--set",
                 "output.metrics_every=7", "--out", "run", "-q")
        shown = json.loads(self.rgu("show", "run", "--json").stdout)
        self.assertEqual(shown["seeds"][0]["iterations"], 3)

    def test_a_step_that_the_bounds_hold_in_place_does_not_grow(self):
        self.rgu("solve", "reward-robust", "--set", "solver.method=prox-extragradient", "--set",
                 "ambiguity.set=singleton", "--set", "policy.bound=0.1", "--set",
                 "stopping.iterations=1500", "--out", "run", "-q")

    def test_numbers_that_overflow_end_with_the_last_good_iterate(self):
        result = self.rgu("solve", "exploration", "--seeds", "1", "--set", "solver.method=pgda", "--set",
                          "ambiguity.radius=1e200", "--set", "stopping.iterations=5", "--out", "run",
                          "-q", code=3)
        self.assertIn("diverged", result.stdout)
        self.assertTrue((self.folder / "run/seed-0/policy.json").is_file())

    def test_a_tiny_radius_is_as_good_as_none(self):
        worst = []
        for radius in ("0", "1e-155"):
            self.rgu("solve", *DESCENT, "--seeds", "1", "--set", f"ambiguity.radius={radius}",
                     "--set", "stopping.iterations=5", "--out", "run", "--force", "-q")
            worst.append(json.loads((self.folder / "run/seed-0/worst_case.json").read_text()))
        self.assertEqual(worst[1]["kind"], "exact")
        self.assertAlmostEqual(worst[0]["value"], worst[1]["value"], delta=1e-12)

    def test_event_files_survive_a_pause_of_tensorboard(self):
        self.rgu("solve", *QUICK, "--out", "run", "--tensorboard", "-q")
        events = next((self.folder / "run/seed-0").glob("events.out.tfevents.*"))
        size = events.stat().st_size
        self.rgu("resume", "run", "--set", "output.tensorboard=false", "--set",
                 "stopping.iterations=30", "-q")
        self.rgu("resume", "run", "--set", "output.tensorboard=true", "--set",
                 "stopping.iterations=40", "-q")
        self.assertGreater(events.stat().st_size, size)
        self.assertEqual(events.read_bytes().count(b"policy_mapping"), 30)

    def test_a_constraint_that_is_exceeded_is_not_called_solved(self):
        result = self.rgu("solve", "constrained", "--set", "stopping.iterations=3", "--out", "run", "-q",
                          code=3)
        self.assertIn("constraints not met", result.stdout)
        self.assertIn("above its limit", result.stdout)
        self.rgu("resume", "run", "-q", code=3)

    def test_a_constraint_that_is_met_is_not_called_broken(self):
        result = self.rgu("solve", "constrained", "--method", "pgda", "--out", "run", "-q")
        self.assertNotIn("not met", result.stdout)

    def test_constraints_that_no_policy_meets_are_called_infeasible_with_a_proof(self):
        result = self.rgu("solve", "constrained", "--method", "envelope", "--set",
                          'utility.constraints=[{signal="hazard", at_most=-0.002}]', "--out", "run", "-q", code=5)
        self.assertIn("infeasible: no policy meets the constraints", result.stdout)
        record = json.loads((self.folder / "run/seed-0/result.json").read_text())
        self.assertFalse(record["solved"])
        self.assertEqual(record["limits"]["infeasible"]["combination"], [1])
        self.assertAlmostEqual(record["limits"]["infeasible"]["excess"], 0.002, delta=1e-6)

    def test_a_proven_optimum_that_breaks_a_limit_is_not_called_solved(self):
        result = self.rgu("solve", "constrained", "--method", "envelope", "--set",
                          'utility.constraints=[{signal="hazard", at_most=0.002}]', "--out", "run", "-q", code=3)
        self.assertIn("constraints not met", result.stdout)
        self.assertNotIn("optimal", result.stdout)
        record = json.loads((self.folder / "run/seed-0/result.json").read_text())
        self.assertAlmostEqual(record["limits"]["needed_multipliers"][0], 59.1, delta=0.1)

    def test_a_set_of_multipliers_that_is_too_small_is_named(self):
        result = self.rgu("solve", "constrained", "--set", "ambiguity.upper=10", "--set",
                          "stopping.iterations=200", "--out", "run", "-q", code=3)
        self.assertIn("ambiguity set is too small", result.stdout)
        self.assertIn("12.6, 10.75", result.stdout)
        record = json.loads((self.folder / "run/seed-0/result.json").read_text())
        self.assertFalse(record["solved"])
        self.assertIn("constraints not met", (self.folder / "run/report.html").read_text())


class Judging(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.rgu("solve", *DESCENT, "--set", "stopping.iterations=60", "--seeds", "2", "--out",
                 "robust", "-q")
        self.rgu("solve", *DESCENT, "--set", "stopping.iterations=60", "--seeds", "2", "--set",
                 "ambiguity.set=singleton", "--out", "nominal", "-q")

    def test_evaluate_finds_again_what_the_run_recorded(self):
        for report in json.loads(self.rgu("evaluate", "robust", "--json").stdout):
            worst = json.loads(
                (self.folder / f"robust/seed-{report['seed']}/worst_case.json").read_text())
            self.assertAlmostEqual(report["worst_case"], worst["value"], delta=1e-12)
            self.assertAlmostEqual(report["nominal"], worst["nominal"], delta=1e-12)
            self.assertEqual(report["kind"], "exact")
            self.assertLess(report["flow_residual"], 1e-12)
            self.assertEqual(len(report["at_members"]), 100)
            self.assertLessEqual(max(report["at_members"]), report["worst_case"] + 1e-12)
            self.assertAlmostEqual(report["worst_distance"], 0.5, delta=1e-9)
        text = self.rgu("evaluate", "robust", "--members", "10").stdout
        self.assertIn("(exact)", text)
        self.assertIn("10 random members", text)

    def test_compare_judges_all_runs_by_the_first_ambiguity_set(self):
        runs = json.loads(self.rgu("compare", "robust", "nominal", "--json").stdout)
        for robust, nominal in zip(runs[0]["seeds"], runs[1]["seeds"]):
            self.assertLess(robust["worst_case"], nominal["worst_case"])
            self.assertGreater(nominal["worst_distance"], 0.4)  # not the one point it was trained on
        text = self.rgu("compare", "robust", "nominal", "--html", "page.html").stdout
        self.assertRegex(text, r"robust .*\*")
        page = (self.folder / "page.html").read_text()
        for run in runs:
            for report in run["seeds"]:  # the page judges as the table does
                self.assertIn(f"{abs(report['worst_case']):.3f}"[:5], page)

    def test_compare_judges_policies_not_parameters(self):
        self.rgu("solve", *DESCENT, "--set", "stopping.iterations=60", "--seeds", "2", "--set",
                 "policy.class=log-linear", "--set", "policy.features=7", "--out", "linear", "-q")
        own = json.loads(self.rgu("evaluate", "robust", "--json").stdout)
        judged = json.loads(self.rgu("compare", "linear", "robust", "--json").stdout)[1]["seeds"]
        for mine, theirs in zip(own, judged):
            self.assertAlmostEqual(mine["worst_case"], theirs["worst_case"], delta=1e-12)

    def test_certify_proves_how_far_policies_are_from_the_best(self):
        for run in ("robust", "nominal"):
            recorded = json.loads(self.rgu("evaluate", run, "--json").stdout)
            for report, policy in zip(json.loads(self.rgu("certify", run, "--json").stdout), recorded):
                self.assertEqual(report["worst_case"], policy["worst_case"])
                self.assertTrue(report["certified"])
                self.assertLessEqual(report["lower_bound"], report["worst_case"])
                self.assertAlmostEqual(report["gap"], report["worst_case"] - report["lower_bound"], 12)
        text = self.rgu("certify", "robust").stdout
        self.assertRegex(text, r"within [0-9.e+-]+% of the global optimum, proven")
        certificate = json.loads((self.folder / "robust/seed-0/certificate.json").read_text())
        self.assertEqual(certificate["lower_bound"],
                         json.loads(self.rgu("certify", "robust", "--json").stdout)[0]["lower_bound"])
        self.assertIn("of the global optimum", (self.folder / "robust/report.html").read_text())
        self.assertIn("lower bound", self.rgu("show", "robust").stdout)
        self.rgu("solve", "risk", "--set", "stopping.iterations=5", "--out", "risk", "-q")
        self.refused("certify", "risk", says=["not convex"])

    def test_sweep_tabulates_price_and_gain(self):
        points = json.loads(self.rgu("sweep", *DESCENT, "--set", "stopping.iterations=60", "--seeds",
                                     "2", "--radius", "0:0.4:0.2", "--json", "-q").stdout)
        self.assertEqual([(p["radius"], p["seed"]) for p in points],
                         [(r, s) for r in (0, 0.2, 0.4) for s in (0, 1)])
        for point in points:
            if point["radius"] == 0:
                self.assertEqual(point["robust_worst"], point["nominal_worst"])
            self.assertLessEqual(point["robust_worst"], point["nominal_worst"])
        text = self.rgu("sweep", *DESCENT, "--set", "stopping.iterations=20", "--seeds", "1",
                        "--radius", "0.5", "--html", "sweep.html").stdout
        self.assertRegex(text, r"price +gain")
        self.assertTrue((self.folder / "sweep.svg").is_file())

    def test_report_is_rebuilt_from_the_files_alone(self):
        before = (self.folder / "robust/report.html").read_bytes()
        (self.folder / "robust/report.html").unlink()
        self.rgu("report", "robust")
        self.assertEqual((self.folder / "robust/report.html").read_bytes(), before)

    def test_seeds_with_worlds_of_different_sizes_have_a_report(self):
        self.write("grids.toml", "[model]\ngenerator = 'random-grid'\nrows = 5\ncolumns = 6\n[utility]\ntype = 'reward-robust'\n"
                                 "[ambiguity]\nset = 'lp-ball'\nradius = 0.3\n[stopping]\niterations = 20\n")
        self.rgu("solve", "grids.toml", "--seeds", "3", "--out", "run", "-q", code=None)
        first = json.loads((self.folder / "run/run.json").read_text())
        worlds = [json.loads((self.folder / f"run/seed-{seed}/world.json").read_text()) for seed in (1, 2)]
        self.assertFalse((self.folder / "run/seed-0/world.json").exists())
        for seed, world in enumerate([first, *worlds]):
            policy = json.loads((self.folder / f"run/seed-{seed}/policy.json").read_text())["policy"]
            self.assertEqual(len(policy), world["states"])
            self.assertEqual(world["states"], len(world["grid"]["cell_of_state"]))
        counts = [world["states"] for world in [first, *worlds]]
        self.assertLess(min(counts), max(counts))
        self.assertIn(f"{min(counts)} to {max(counts)} states", (self.folder / "run/report.html").read_text())

    def test_show_tells_results_and_notes(self):
        text = self.rgu("show", "robust").stdout
        self.assertIn("mean ± sd over 2 seeds", text)
        self.assertIn("warning:", text)


if __name__ == "__main__":
    unittest.main()
