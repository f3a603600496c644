"""rgu on the ranks of an MPI job: the same files on any number, lost ranks, models that are spread."""

import json
import os
import signal
import subprocess
import time
import unittest

from command_line import RGU, SAMPLED, CommandLineTest

MPIRUN = [os.environ["RGU_MPIRUN"], "--oversubscribe", "--bind-to", "none"]
ITERATIONS = int(os.environ["RGU_TEST_ITERATIONS"])
HAS_PETSC = os.environ["RGU_HAS_PETSC"] == "1"


class MpiTest(CommandLineTest):
    def mpirun(self, ranks, *arguments, code=0):
        result = subprocess.run([*MPIRUN, "-n", str(ranks), RGU, *arguments], cwd=self.folder,
                                capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result


class Runs(MpiTest):
    SHORT = [*SAMPLED, "--seeds", "3", "--set", "stopping.iterations=20", "-q"]

    def test_every_number_of_ranks_and_every_spread_writes_the_same_bytes(self):
        self.rgu("solve", *self.SHORT, "--threads", "2", "--out", "alone")
        for ranks in (1, 2, 4):
            for spread in ("samples", "seeds"):
                run = f"{spread}-{ranks}"
                self.mpirun(ranks, "solve", *self.SHORT, "--spread", spread, "--out", run)
                self.assert_same_run("alone", run)

    def test_exact_seeds_are_handed_out(self):
        problem = ["inventory", "--seeds", "5", "--set", "solver.method=worst-case", "--set",
                   "stopping.iterations=20", "-q"]
        self.rgu("solve", *problem, "--out", "alone")
        self.mpirun(3, "solve", *problem, "--out", "shared")
        self.assert_same_run("alone", "shared")

    def test_a_lost_rank_ends_the_run_and_any_number_of_ranks_resumes_it(self):
        problem = [*SAMPLED, "--seeds", "2", "--set", f"stopping.iterations={ITERATIONS}"]
        self.rgu("solve", *problem, "-q", "--out", "alone")
        for spread, before, after in (("samples", 2, 4), ("seeds", 4, 1), ("samples", 4, 2)):
            run = f"{spread}-{before}"
            job = subprocess.Popen([*MPIRUN, "-n", str(before), RGU, "solve", *problem, "--spread",
                                    spread, "--out", run], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            victim = self.last_rank(job.pid, run, before)
            os.kill(victim, signal.SIGKILL)
            output, errors = job.communicate(timeout=120)
            self.assertNotEqual(job.returncode, 0, output)
            self.assertIn("Killed", errors)  # the launcher names the rank
            if spread == "samples":
                self.assertIn(f"'rgu resume {run}' goes on, with any number of processes", errors)
            self.mpirun(after, "resume", run, "-q")
            self.assert_same_run("alone", run)

    def last_rank(self, launcher, run, ranks):
        """The process of the last rank, once the run has a checkpoint."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = subprocess.run(["pgrep", "-P", str(launcher), "-f", "rgu-mpi"],
                                   capture_output=True, text=True).stdout.split()
            if len(found) == ranks and list((self.folder / run).glob("seed-*/checkpoint")):
                return int(found[-1])
            time.sleep(0.01)
        self.fail("the job does not start")

    def test_bad_input_is_said_once_and_nobody_waits(self):
        result = self.mpirun(3, "solve", "nosuch", code=2)
        self.assertEqual(result.stderr.count("unknown problem 'nosuch'"), 1)
        result = self.mpirun(3, "solve", "inventory", "--nosuch", code=2)
        self.assertEqual(result.stderr.count("--nosuch"), 1)
        result = self.mpirun(2, "list", code=2)
        self.assertEqual(result.stderr.count("'rgu list' runs in one process, and 2 were started"), 1)
        self.mpirun(2, "solve", *self.SHORT, "--out", "there")
        result = self.mpirun(2, "solve", *self.SHORT, "--out", "there", code=2)
        self.assertIn("there", result.stderr)


@unittest.skipUnless(HAS_PETSC, "rgu was built without PETSc")
class Large(MpiTest):
    PROBLEM = """
        [model]
        generator = "garnet"
        states = 3000
        actions = 3
        branching = 4
        discount = 0.95
        row_streams = true
        [utility]
        type = "reward-robust"
        [ambiguity]
        set = "lp-ball"
        radius = 2.0
        """

    def setUp(self):
        super().setUp()
        self.problem = self.write("big.toml", self.PROBLEM)

    def large(self, ranks, *arguments, code=0):
        return json.loads(self.mpirun(ranks, "large", *arguments, "--json", "-q", code=code).stdout)

    def test_occupancies_and_gradients_do_not_depend_on_the_ranks_or_the_source(self):
        self.rgu("convert", self.problem, "big.rgum", "--seed", "3")
        from_file = self.write("file.toml", self.PROBLEM.replace(
            self.PROBLEM[self.PROBLEM.index("generator"):self.PROBLEM.index("[utility]")],
            'file = "big.rgum"\n'))
        first = self.large(1, "evaluate", self.problem, "--seed", "3")
        self.assertLess(first["flow_residual"], 1e-12)
        for ranks in (1, 2, 4):
            for problem in (self.problem, from_file):
                facts = self.large(ranks, "evaluate", problem, "--seed", "3")
                self.assertEqual(facts["ranks"], ranks)
                for key in ("worst_case", "policy_gradient_norm"):
                    self.assertAlmostEqual(facts[key], first[key], delta=1e-9)

    def test_the_least_worst_case_is_that_of_rgu_solve(self):
        self.rgu("solve", self.problem, "--method", "envelope", "--set", "solver.tolerance=1e-6",
                 "--seeds", "1", "-q", "--out", "whole")
        whole = json.loads((self.folder / "whole/seed-0/worst_case.json").read_text())
        bound = json.loads((self.folder / "whole/seed-0/certificate.json").read_text())
        for ranks in (1, 2, 4):
            facts = self.large(ranks, "solve", self.problem, "--tolerance", "1e-6", "--out", f"l{ranks}")
            self.assertTrue(facts["certified"])
            self.assertGreaterEqual(facts["value"], bound["lower_bound"] - 1e-9)
            self.assertLessEqual(facts["lower_bound"], whole["value"] + 1e-9)
        # The policy that was written has that worst case, read by another number of ranks.
        again = self.large(3, "evaluate", self.problem, "--policy", "l2/policy.rgup")
        stored = json.loads((self.folder / "l2/result.json").read_text())
        self.assertAlmostEqual(again["worst_case"], stored["value"], delta=1e-9)

    def test_policy_iteration_takes_options_and_far_fewer_passes(self):
        slow = ["--set", "model.discount=0.999", "--tolerance", "1e-8"]
        policy = self.large(2, "plan", self.problem, *slow)
        gmres = self.large(2, "plan", self.problem, *slow, "--petsc", "-ksp_type gmres -pc_type jacobi")
        value = self.large(2, "plan", self.problem, *slow, "--method", "value-iteration")
        self.assertAlmostEqual(policy["value"], gmres["value"], delta=1e-6)
        self.assertAlmostEqual(policy["value"], value["value"], delta=1e-5)
        self.assertGreaterEqual(value["matrix_products"], 5 * policy["matrix_products"])

    def test_what_cannot_be_spread_is_refused_once(self):
        result = self.mpirun(2, "large", "solve", "exploration", "--set", "utility.smoothing=1", code=2)
        self.assertEqual(result.stderr.count("drift on a spread model has no smoothing"), 1)
        result = self.mpirun(2, "large", "evaluate", self.problem, "--policy", "nosuch.rgup", code=2)
        self.assertIn("nosuch.rgup: cannot be read", result.stderr)
        self.write("plain", "")
        result = self.mpirun(2, "large", "solve", self.problem, "--out", "plain/run", code=4)
        self.assertEqual(result.stderr.count("cannot make the folder plain/run"), 1)
        noted = self.mpirun(1, "large", "evaluate", self.problem, "--petsc", "-ksp_tipe gmres")
        self.assertIn("PETSc had no use for -ksp_tipe", noted.stderr)


if __name__ == "__main__":
    unittest.main()
