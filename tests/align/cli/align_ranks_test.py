"""`rgu align` on several ranks: what one rank does, and what is left when one of them is lost."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from align_case import AlignCase, parts, score_models
from command_line import RGU

MPIEXEC = os.environ["RGU_MPIEXEC"]


def rank_of(process):
    """The rank that a process is, if it is one."""
    try:
        words = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    for word in words:
        name, _, value = word.partition(b"=")
        if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK"):
            return int(value)
    return None


class Ranks(AlignCase):
    def words(self, ranks, *arguments):
        return [MPIEXEC, "-n", str(ranks), RGU, *map(str, arguments)]

    def on(self, ranks, *arguments, code=0):
        """The result of a job. What the launcher itself says on stderr is of no interest."""
        result = subprocess.run(self.words(ranks, *arguments), cwd=self.folder, capture_output=True, text=True,
                                timeout=300, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def told(self, result):
        return [line for line in result.stderr.split("\n") if line.startswith("rgu ")]

    def assert_near(self, one, other, where):
        if isinstance(one, float) or isinstance(other, float):
            self.assertAlmostEqual(one, other, delta=1e-5 * (1 + abs(one)), msg=where)
        elif isinstance(one, dict):
            self.assertEqual(list(one), list(other), where)
            for key in one:
                self.assert_near(one[key], other[key], f"{where}: {key}")
        else:
            self.assertEqual(one, other, where)

    def assert_like_run(self, one, other, seeds=1):
        """The same answers, and numbers that differ by rounding only."""
        for seed in range(seeds):
            for name in ("metrics", "answers", "shown"):
                left, right = (self.lines(f"{run}/seed-{seed}/{name}.jsonl") for run in (one, other))
                self.assertEqual(len(left), len(right))
                for number, pair in enumerate(zip(left, right, strict=True)):
                    self.assert_near(*pair, f"{other}, {name}, line {number + 1}")

    def test_a_run_is_that_of_one_rank_and_the_same_bytes_again(self):
        words = [*self.small(iterations=4), "--seeds", 2]
        self.align(*words, "--out", "one")
        for ranks in (2, 3):
            result = self.on(ranks, "align", *words, "--out", f"of-{ranks}")
            self.assertEqual(result.stdout.count("run folder:"), 1)
            self.assertEqual(self.told(result), [])
            self.assert_like_run("one", f"of-{ranks}", seeds=2)
        self.on(2, "align", *words, "--out", "again")
        self.assert_same_run("of-2", "again")

    def test_scorers_of_every_kind_may_be_shared(self):
        reward, cost = score_models()
        words = self.small(rewards=[reward, f"words=lexicon:{parts() / 'good.txt'}"], iterations=3,
                           costs=[f"harm={cost}", f"length={self.judge()}"], ppo__critics="separate",
                           ppo__learning_rate=0.001)
        self.align(*words, "--out", "one")
        self.on(2, "align", *words, "--out", "two")
        self.assert_like_run("one", "two")

    def test_there_may_be_more_ranks_than_answers(self):
        words = self.small(iterations=2, sampling__prompts=1, sampling__answers=2, sampling__evaluation_prompts=1,
                           sampling__evaluation_answers=1)
        self.align(*words, "--out", "one")
        self.on(4, "align", *words, "--out", "four")
        self.assert_like_run("one", "four")

    def test_a_run_goes_on_with_another_number_of_ranks(self):
        self.align(*self.small(iterations=6), "--out", "one")
        for first, second in ((1, 2), (2, 1)):
            name = f"from-{first}"
            self.on(first, "align", *self.small(iterations=3), "--out", name)
            self.on(second, "align", "resume", name, "--iterations", 6, "--threads", 1, "-q")
            self.assert_like_run("one", name)

    def long(self, iterations=60):
        """Steps so small that rounding does not grow."""
        return self.small(iterations=iterations, ppo__learning_rate=1e-4)

    def begun(self, name, iterations=60):
        """A long run on two ranks, past its second checkpoint."""
        words = self.words(2, "align", *self.long(iterations), "--out", name)
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.wait_for_file(f"{name}/seed-0/checkpoint.previous")
        return process

    def child(self, launcher, rank):
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(launcher.pid)], capture_output=True, text=True,
                               check=True)
        return next(pid for pid in map(int, found.stdout.split()) if rank_of(pid) == rank)

    def test_a_rank_that_dies_leaves_a_run_to_go_on_with(self):
        self.align(*self.long(), "--out", "one")
        for rank in (1, 0):
            name = f"lost-{rank}"
            process = self.begun(name)
            os.kill(self.child(process, rank), signal.SIGKILL)
            out, err = process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            if rank != 0:
                self.assertIn(f"'rgu align resume {name}' goes on", out + err)
            self.assertLess(len(self.lines(f"{name}/seed-0/metrics.jsonl")), 60)
            self.align("resume", name, "--threads", 1, "-q")
            self.assert_like_run("one", name)

    def test_an_interrupt_saves_every_whole_step(self):
        steps = 400  # a launcher takes its time to hand a signal on
        process = self.begun("stopped", steps)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("'rgu align resume stopped' goes on", out + err)
        self.on(2, "align", "resume", "stopped", "--threads", 1, "-q")
        self.on(2, "align", *self.long(steps), "--out", "whole")
        self.assert_same_run("whole", "stopped")

    def test_errors_are_told_once_and_name_the_rank(self):
        self.align(*self.small(iterations=1), "--out", "run")
        result = self.on(2, "align", *self.small(), "--out", "run", code=2)
        self.assertEqual(len(self.told(result)), 1, result.stderr)
        self.assertIn("the run folder run exists", result.stderr)
        result = self.on(2, "align", *self.small(model="absent"), "--out", "other", code=2)
        self.assertEqual(len(self.told(result)), 1, result.stderr)
        self.assertIn("absent", result.stderr)
        self.assertFalse((self.folder / "other").exists())
        result = self.on(2, "align", *self.small(), "--outt", "other", code=2)
        self.assertEqual(len(self.told(result)), 1, result.stderr)

    def test_a_scorer_that_fails_on_one_rank_is_named_and_mended(self):
        judge = self.folder / "judge.py"  # fails on rank 1
        judge.write_text("import os, sys\n"
                         "if os.environ.get('OMPI_COMM_WORLD_RANK') == '1' and not os.path.exists('mended'):\n"
                         "    sys.exit(3)\n"
                         "for line in sys.stdin:\n    print(len(line) % 7, flush=True)\n")
        words = self.small(costs=[f"length=command:python3 {judge}"], iterations=2)
        told = self.told(self.on(2, "align", *words, "--out", "run", code=2))
        self.assertEqual(len(told), 1, told)
        for said in ("rank 1: cost \"length\"", "exited with status 3",
                     "'rgu align resume run --allow-commands' goes on"):
            self.assertIn(said, told[0])
        self.write("mended", "")
        self.on(2, "align", "resume", "run", "--threads", 1, "-q", "--allow-commands")
        self.align(*words, "--out", "one")
        self.assert_like_run("one", "run")

    def test_commands_of_one_process_refuse_to_run_twice(self):
        self.align(*self.small(iterations=1), "--out", "run")
        for words, said in ((["align", "report", "run"], "rgu align: 'rgu align report' runs in one process; 2 were"),
                            (["align", "demo"], "rgu align: 'rgu align demo' runs in one process; 2 were"),
                            (["lm", "info", parts() / "model"], "rgu: 'rgu lm' runs in one process, and 2 were")):
            told = [line for line in self.on(2, *words, code=2).stderr.split("\n") if line.startswith("rgu")]
            self.assertEqual(told, [f"{said} started"])

    def test_json_is_printed_once(self):
        result = self.on(2, "align", *self.small(iterations=1), "--json", "--out", "run")
        self.assertEqual(json.loads(result.stdout)["seeds"][0]["steps"], 1)


if __name__ == "__main__":
    unittest.main()
