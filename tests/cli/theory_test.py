"""rgu theory: the theorems as numbers, and as the schedule of a solver."""

import json
import math
import unittest

from command_line import CommandLineTest

# Smooth and strongly concave, with small constants.
SMALL = """
name = "small"
seeds = [3]
[model]
generator = "garnet"
states = 2
actions = 2
branching = 2
discount = 0.3
[policy]
bound = 1
start = "normal"
[utility]
type = "reward-robust"
regularization = 1
[ambiguity]
set = "lp-ball"
radius = 0.5
[stopping]
iterations = 30
"""


def numbers(rows):
    return {row["symbol"]: row for row in rows}


class Theory(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("small.toml", SMALL)

    def report(self, *arguments):
        return json.loads(self.rgu("theory", *arguments, "--json").stdout)

    def test_text_has_every_constant_condition_step_and_bound(self):
        text = self.rgu("theory", "small.toml").stdout
        for symbol in ("l_pi", "L_pi", "l_lambda", "L_lambda", "l_xi", "L_xi", "L_lambda,xi", "mu", "D_Theta",
                       "D_Xi", "l_theta", "L_thth", "L_thxi", "L_xith", "L_xixi", "L_Gamma", "L_F", "E_theta", "E_xi",
                       "PGDA eta", "PGDA beta", "prox sigma", "prox alpha", "occupancy eta", "occupancy beta",
                       "bounded sets", "Minty solution", "bound at K = 30", "T_k"):
            self.assertIn(f"{symbol} ", text)
        self.assertNotIn("none", text)
        self.assertNotIn("inf", text)

    def test_scales_differ_by_one_over_one_minus_discount(self):
        report = self.report("small.toml")
        constants = numbers(report["constants"])
        for symbol in ("l_theta", "L_thth", "L_thxi"):
            self.assertAlmostEqual(constants[symbol]["paper"] * 0.7, constants[symbol]["derivative"], places=12)
        self.assertAlmostEqual(constants["E_theta"]["paper"] * 0.49, constants["E_theta"]["derivative"], places=12)
        for symbol in ("l_pi", "l_lambda", "L_xith", "L_xixi", "E_xi", "D_Theta"):
            self.assertEqual(constants[symbol]["paper"], constants[symbol]["derivative"])
        steps = numbers(report["steps"])
        for scale in ("derivative", "paper"):
            field = constants["L_F"][scale]
            self.assertAlmostEqual(steps["prox sigma"][scale], 2 * field, places=9)
            self.assertAlmostEqual(steps["prox alpha"][scale], 1 / (12 * field), places=12)
            self.assertAlmostEqual(steps["PGDA eta"][scale], 1 / constants["L_Gamma"][scale], places=12)

    def test_bounds_shrink_with_iterations_and_the_plan_reaches_its_accuracy(self):
        few, many = (numbers(self.report("small.toml", "--iterations", k)["bounds"]) for k in ("100", "10000"))
        self.assertAlmostEqual(few["PGDA"]["derivative"], 100 * many["PGDA"]["derivative"], places=9)
        self.assertAlmostEqual(few["occupancy PGDA"]["derivative"], 10 * many["occupancy PGDA"]["derivative"],
                               places=9)
        plan = self.report("small.toml", "--accuracy", "5")["plan"]
        at_end = numbers(self.report("small.toml", "--iterations", str(int(plan["iterations"])))["bounds"])
        before = numbers(self.report("small.toml", "--iterations", str(int(plan["iterations"]) - 1))["bounds"])
        self.assertLessEqual(at_end["prox-extragradient"]["derivative"], 5)
        self.assertGreater(before["prox-extragradient"]["derivative"], 5)
        self.assertEqual(plan["counts"][-1]["k"], plan["iterations"] - 1)

    def test_what_there_is_not_is_none_with_a_reason(self):
        text = self.rgu("theory", "exploration").stdout
        self.assertIn("grad_lambda f is not Lipschitz", text)
        self.assertRegex(text, r"L_F +none +none .*through L_lambda")
        self.assertRegex(text, r"the theorem applies +no +no +no +no")
        report = self.report("exploration")
        self.assertEqual(numbers(report["constants"])["L_F"]["derivative"], "inf")
        self.assertIsNone(report["plan"])
        self.assertIn("not smooth", report["no_plan"])
        self.assertEqual([theorem["state"] for theorem in report["theorems"]], ["fails"] * 4)

    def test_steps_of_the_published_experiment_are_outside_the_theorem(self):
        report = self.report("paper/exploration", "--set", "utility.smoothing=10")
        proximal = next(theorem for theorem in report["theorems"] if theorem["name"] == "prox-extragradient")
        checks = {check["name"]: check["state"] for check in proximal["configured_steps"]}
        self.assertEqual(checks["sigma > L_F"], "fails")
        self.assertEqual(report["scale"], "paper")

    def test_a_run_also_has_constants_measured_below_those_guaranteed(self):
        self.rgu("solve", "small.toml", "--set", "solver.method=worst-case", "--out", "run", "-q")
        self.assertIn("measured in this run", self.rgu("theory", "run").stdout)
        report = self.report("run")
        constants = numbers(report["constants"])
        self.assertEqual([(at["seed"], at["point"]) for at in report["measured"]],
                         [(3, "last iterate"), (3, "drawn iterate")])
        for at in report["measured"]:
            for symbol in ("L_thth", "L_thxi", "L_xith", "L_xixi", "L_F"):
                self.assertLessEqual(at[symbol], constants[symbol]["derivative"] * (1 + 1e-6))
                self.assertGreater(at[symbol], 0)
        self.assertNotIn("measured", self.report("small.toml"))
        self.refused("theory", "run", "--set", "seeds=2", says=["--set goes with a problem"])

    def test_a_run_over_occupancies_has_no_parameters_to_measure_at(self):
        self.rgu("solve", "small.toml", "--set", "solver.method=occupancy", "--out", "run", "-q")
        self.assertIn("nothing is measured", self.rgu("theory", "run").stdout)
        self.assertEqual(self.report("run")["measured"], [])

    def test_the_seed_chooses_the_instance(self):
        self.assertEqual(self.report("small.toml")["seed"], 3)
        other = self.report("small.toml", "--seed", "4")
        self.assertEqual(other["seed"], 4)
        self.assertNotEqual(numbers(other["constants"])["l_lambda"]["derivative"],
                            numbers(self.report("small.toml")["constants"])["l_lambda"]["derivative"])

    def test_bad_arguments_are_refused(self):
        for arguments in (["--accuracy", "0"], ["--iterations", "0"], ["--seed", "x"]):
            self.rgu("theory", "small.toml", *arguments, code=2)
        self.refused("theory", "nowhere.toml", says=["nowhere.toml"])


class Schedule(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("small.toml", SMALL)

    def test_every_method_runs_by_its_theorem(self):
        for method in ("worst-case", "pgda", "pgda-lp", "prox-extragradient"):
            result = self.rgu("solve", "small.toml", "--set", f"solver.method={method}", "--set",
                              "solver.schedule=theory", "--out", method, "-q")
            self.assertIn("steps and schedule by the theorem", result.stdout)
            first = json.loads((self.folder / method / "seed-3/metrics.jsonl").read_text().splitlines()[0])
            steps = numbers(json.loads(self.rgu("theory", "small.toml", "--json").stdout)["steps"])
            symbol = "prox alpha" if method == "prox-extragradient" else "PGDA eta"
            self.assertTrue(math.isclose(first["policy_step"], steps[symbol]["derivative"], rel_tol=1e-12))

    def test_steps_beside_it_are_refused(self):
        self.refused("check", "small.toml", "--set", "solver.method=pgda", "--set", "solver.schedule=theory", "--set",
                     "solver.policy_step=0.1", says=['schedule = "theory" chooses policy_step'])

    def test_a_theorem_that_fails_is_named_before_anything_is_written(self):
        self.refused("solve", "reward-robust", "--method", "worst-case", "--set", "solver.schedule=theory", "--out", "run",
                     says=["solver: ", "1/L_Gamma", "mu = 0"])
        self.assertFalse((self.folder / "run").exists())

    def test_counts_beyond_reach_are_refused_with_the_number(self):
        self.refused("solve", "small.toml", "--set", "solver.method=prox-extragradient", "--set",
                     "solver.schedule=theory", "--set", "gradient.kind=sampled", "--set",
                     "stopping.iterations=1000000", "--out", "run", says=["the theorem asks for m", "at k = 999999"])


if __name__ == "__main__":
    unittest.main()
