"""Certificates that anyone can check: rgu verify, and the checker that needs NumPy alone."""

import importlib.util
import json
import pathlib
import random
import unittest

from command_line import CommandLineTest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/python"

MODEL = """
seeds = 2
[model]
generator = "garnet"
states = 12
actions = 3
branching = 4
discount = 0.9
[solver]
method = "envelope"
"""

PROBLEMS = {
    "constrained": ["constrained"],
    "drift": ["exploration", "--seeds", "2"],
    "drift on a spectral ball": ["exploration", "--seeds", "1", "--set", "ambiguity.set=spectral"],
    "entropy": ["entropy"],
    "feature-reward": ["inventory"],
    "feature-reward on a box": ["inventory", "--set", 'ambiguity={set="box",radius=0.2}'],
    "quadratic target": ["imitation", "--seeds", "2"],
    "reward-robust": ["reward-robust"],
    "reward-robust, l1": ["reward-robust", "--set", "ambiguity.p=1"],
    "reward-robust, p = 3": ["reward-robust", "--set", "ambiguity.p=3"],
}


def load_checker():
    spec = importlib.util.spec_from_file_location("check_certificate", EXAMPLES / "check_certificate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKER = load_checker()


class VerifyTest(CommandLineTest):
    def solve(self, *arguments, out="run"):
        self.rgu("solve", *arguments, "--method", "envelope", "--out", out, "-q")
        return self.folder / out

    def seeds(self, run):
        return sorted(run.glob("seed-*"))

    def verify(self, run, code=0):
        return json.loads(self.rgu("verify", str(run), "--json", code=code).stdout)

    def change(self, file, change):
        """Applies `change` to the JSON of a file and returns its text before."""
        text = file.read_text()
        data = json.loads(text)
        change(data)
        file.write_text(json.dumps(data))
        return text

    def assert_proven(self, run):
        found = self.verify(run)
        for folder, seed in zip(self.seeds(run), found):
            self.assertEqual(seed["failures"], [])
            value, bound = CHECKER.check(folder)
            size = max(abs(value), abs(bound))
            self.assertLessEqual(seed["gap"], 1.1e-6 * size)
            self.assertAlmostEqual(bound, seed["proven_bound"], delta=1e-10 * size)
            self.assertLessEqual(seed["claimed_bound"], bound)
            self.assertAlmostEqual(value, seed["worst_case"], delta=1e-9 * size)

    def test_certificates_of_built_in_problems_hold_by_both_checkers(self):
        for name, arguments in PROBLEMS.items():
            with self.subTest(name):
                self.assert_proven(self.solve(*arguments, out=name.replace(" ", "-")))

    def test_certificates_of_sums_and_targets_hold_by_both_checkers(self):
        utilities = {
            "kl": ('type = "kl-target"\nexpert = { trajectories = 50, horizon = 40 }', 'set = "box"\nradius = 0.01'),
            "sum": (
                'type = "sum"\nparts = [\n'
                '  { weight = 0.5, type = "drift", dimension = 2, feature_dimension = 4, features = "normal" },\n'
                '  { weight = 2.0, type = "entropy", over = "state-actions" },\n'
                '  { weight = 1.0, type = "reward-robust" },\n]',
                'set = "product"\nparts = [{ set = "frobenius", radius = 0.2 }, { set = "lp-ball", p = "inf", radius = 0.1 }]',
            ),
        }
        for name, (utility, ambiguity) in utilities.items():
            with self.subTest(name):
                text = MODEL + f"[utility]\n{utility}\n[ambiguity]\n{ambiguity}\n"
                run = self.solve(self.write(f"{name}.toml", text), out=name)
                self.assert_proven(run)

    def test_one_changed_digit_that_weakens_a_proof_is_refused_by_both(self):
        run = self.solve("inventory")
        file = self.seeds(run)[0] / "certificate.json"
        text = file.read_text()
        digits = [i for i, c in enumerate(text) if c.isdigit()]
        rng = random.Random(1)
        refused = 0
        for i in rng.sample(digits, 60):
            changed = text[:i] + str((int(text[i]) + rng.randint(1, 9)) % 10) + text[i + 1:]
            file.write_text(changed)
            code = self.rgu("verify", str(run), code=None).returncode
            self.assertIn(code, (0, 2, 3))
            try:
                CHECKER.check(self.seeds(run)[0])
                fails = False
            except (AssertionError, ValueError):
                fails = True
            # rgu also reads what the other does not need, and allows for rounding.
            if fails:
                self.assertNotEqual(code, 0, changed[max(0, i - 30):i + 10])
                refused += 1
        file.write_text(text)
        self.verify(run)
        self.assertGreater(refused, 15)

    def test_a_claim_stronger_than_its_witness_is_refused(self):
        run = self.solve("constrained")
        seed = self.seeds(run)[0]
        certificate, worst, result = (seed / f"{name}.json" for name in ("certificate", "worst_case", "result"))

        def refused(file, change, says):
            text = self.change(file, change)
            failures = " ".join(self.verify(run, code=3)[0]["failures"])
            self.assertIn(says, failures)
            file.write_text(text)

        def put(*keys, value):
            def change(data):
                for key in keys[:-1]:
                    data = data[key]
                data[keys[-1]] = value(data[keys[-1]]) if callable(value) else value
            return change

        piece = ("witness", "pieces", 0)
        refused(certificate, put("lower_bound", value=lambda x: x + 1e-9), "the lower bound is")
        refused(certificate, put("witness", "shortfall", value=-1e-3), "the shortfall is")
        refused(certificate, put(*piece, "weight", value=0.9), "the weights sum to 0.9")
        refused(certificate, put(*piece, "weight", value=-1.0), "weight 0 is -1")
        refused(certificate, put(*piece, "xi", 0, value=-1e-3), "xi 0 is outside the ambiguity set")
        refused(certificate, put(*piece, "xi", 0, value=lambda x: 1.001 * x), "the witness proves")
        refused(certificate, put(*piece, "xi", value=[1.0]), "does not fit the problem")
        refused(certificate, put("witness", "potential", 3, value=lambda x: x + 0.01), "the witness proves")
        refused(certificate, put("best_known", value=-0.4), "the best known worst case is")
        refused(certificate, put("gap_asked", value=1e-15), "the status says 'optimal (gap proven)'")
        refused(certificate, lambda data: data.pop("witness"), "has no witness")
        refused(worst, put("value", value=lambda x: x - 1e-6), "worst_case.json says")
        refused(worst, put("nature", value=[-1.0, 0.0]), "not in the ambiguity set")
        refused(seed / "problem.json", put("utility", "thresholds", 0, value=0.02),
                "problem.json is not the problem of config.toml: utility.thresholds[0]")
        text = self.change(result, put("status", value="iteration limit"))
        self.verify(run)  # a status that claims nothing needs no proof
        result.write_text(text)
        self.verify(run)

    def test_a_policy_other_than_the_certified_one_is_refused(self):
        run = self.solve("reward-robust")
        policy = self.seeds(run)[0] / "policy.json"

        def uniform(data):
            data["policy"] = [[1 / len(row)] * len(row) for row in data["policy"]]

        text = self.change(policy, uniform)
        failures = " ".join(self.verify(run, code=3)[0]["failures"])
        self.assertIn("worst_case.json says", failures)
        self.assertIn("the status says", failures)
        with self.assertRaises(AssertionError):
            CHECKER.check(self.seeds(run)[0])
        policy.write_text(text)
        self.verify(run)

    def test_files_that_cannot_be_read_are_bad_input(self):
        run = self.solve("inventory")
        seed = self.seeds(run)[0]
        for name in ("certificate", "policy", "worst_case", "result", "problem"):
            file = seed / f"{name}.json"
            text = file.read_text()
            file.write_text(text[: len(text) // 2])
            self.refused("verify", "run", says=[f"{name}.json"])
            file.write_text("[1, 2]")
            if name != "problem":
                self.refused("verify", "run", says=[f"{name}.json"])
            file.write_text(text)
        self.refused("verify", "nowhere", says=["nowhere"])
        config = run / "config.toml"
        config.write_text(config.read_text().replace("radius = ", "radius = 1"))
        self.refused("verify", "run", says=["was changed after the run began"])

    def test_a_run_without_a_certificate_proves_nothing_until_it_is_certified(self):
        self.rgu("solve", "inventory", "--method", "worst-case", "--out", "run", "-q")
        result = self.rgu("verify", "run", code=3)
        self.assertIn("there is no certificate; 'rgu certify' makes one", result.stdout)
        self.rgu("certify", "run")
        result = self.rgu("verify", "run")
        self.assertIn("every claim holds", result.stdout)
        value, bound = CHECKER.check(self.folder / "run/seed-0")
        self.assertLess(bound, value)

    def test_a_run_that_is_certified_again_still_holds(self):
        self.assert_proven(self.solve("inventory"))
        self.rgu("certify", "run")
        self.assert_proven(self.folder / "run")

    def test_large_problems_have_a_certificate_but_no_copy_of_the_problem(self):
        text = MODEL.replace("states = 12", "states = 9000").replace("seeds = 2", "seeds = 1")
        text += '[utility]\ntype = "reward"\n'
        run = self.solve(self.write("large.toml", text))
        self.assertFalse((run / "seed-0/problem.json").exists())
        self.verify(run)


if __name__ == "__main__":
    unittest.main()
