#!/usr/bin/python3
"""What Python costs: the same solve from C++ and from Python in turns, and a utility written in Python.

  PYTHONPATH=build/release/python bench/python/overhead.py [--build build/release] [--rounds 7]
"""

import argparse
import pathlib
import statistics
import subprocess
import time

import numpy as np

import rgu

HERE = pathlib.Path(__file__).resolve().parent
PROBLEM = "exploration"


def seconds_in_cpp(program):
    """(seconds, worst case), the first repetition left out."""
    done = subprocess.run([program, PROBLEM, "4"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()][1:]
    return [float(row[0]) for row in rows], float(rows[0][1])


def seconds_in_python():
    times = []
    for _ in range(4):
        begin = time.perf_counter()
        result = rgu.solve(PROBLEM, method="worst-case", iterations=1000)
        times.append(time.perf_counter() - begin)
    return times[1:], result.worst_case.value


def solve_overhead(program, rounds):
    ratios, ours, theirs = [], [], []
    for _ in range(rounds):
        cpp, worst_cpp = seconds_in_cpp(program)
        python, worst_python = seconds_in_python()
        assert worst_cpp == worst_python, (worst_cpp, worst_python)
        ratios.append(min(python) / min(cpp))
        ours += cpp
        theirs += python
    print(f"{PROBLEM}: C++ {1e3 * statistics.median(ours):.1f} ms, Python "
          f"{1e3 * statistics.median(theirs):.1f} ms, {100 * (statistics.median(ratios) - 1):+.1f}% "
          f"(median over {rounds} rounds of the ratio of the quickest of 3)")


class Robust(rgu.utility.CustomUtility):
    """RewardRobust in Python."""

    def evaluate(self, occupancy, nature):
        return -nature @ occupancy.ravel(), -nature.reshape(occupancy.shape), -occupancy.ravel()


def time_per_call(utility, occupancy, nature, calls):
    begin = time.perf_counter()
    for _ in range(calls):
        rgu.utility.Utility.evaluate(utility, occupancy, nature)
    return (time.perf_counter() - begin) / calls


def utility_overhead(states, actions):
    rng = np.random.default_rng(0)
    occupancy = rng.dirichlet(np.ones(states * actions)).reshape(states, actions)
    nature = rng.normal(size=states * actions)
    written = Robust(states, actions, states * actions, convex_in_occupancy=True, nature_shape="linear")
    built_in = rgu.utility.RewardRobust(states, actions)
    plain = []
    python = []
    for _ in range(7):
        plain.append(time_per_call(built_in, occupancy, nature, 2000))
        python.append(time_per_call(written, occupancy, nature, 2000))
    begin = time.perf_counter()
    for _ in range(2000):
        written.evaluate(occupancy, nature)
    alone = (time.perf_counter() - begin) / 2000
    difference = statistics.median(python) - statistics.median(plain)
    print(f"utility of {states} x {actions}: written in Python {1e6 * statistics.median(python):.1f} us a call, "
          f"built in {1e6 * statistics.median(plain):.1f} us; of the difference, {1e6 * difference:.1f} us, "
          f"{1e6 * alone:.1f} us are the Python function itself")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    solve_overhead(arguments.build / "bench/bench_solve_in_memory", arguments.rounds)
    utility_overhead(10, 5)
    utility_overhead(1000, 10)


if __name__ == "__main__":
    main()
