"""The envelope solver against CVXOPT on the drift problems of tests/reference/drift_sdp.json.

    drift_against_sdp.py build/release/bench/bench_drift_times

One run times both on every seed and radius, in turn and on one thread: the least of five runs each,
CVXOPT with its faster factorisation, both to a gap of 1e-7. Prints a table with the median over the
seeds of their ratio; exits with 1 where a ratio is below 3 or a value is not CVXOPT's.
"""

import os
import pathlib
import statistics
import subprocess
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"
REFERENCE = pathlib.Path(__file__).resolve().parents[1] / "tests" / "reference"
sys.path.insert(0, str(REFERENCE))
sys.dont_write_bytecode = True

import drift_sdp  # noqa: E402, after the threads are set

REPETITIONS = 5
LEAST_RATIO = 3
AGREEMENT = 1e-6  # of the values, relative


def ours(program, seed):
    """(milliseconds, value) by radius."""
    lines = subprocess.run([program, str(REFERENCE / "drift_sdp.json"), f"seed_{seed}"],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [[float(word) for word in line.split()] for line in lines]
    return {radius: (milliseconds, value) for radius, milliseconds, value, _ in rows}


def theirs(seed, radius):
    runs = [drift_sdp.optimum(*drift_sdp.instance(seed), radius, "chol")
            for _ in range(REPETITIONS)]
    return 1e3 * min(seconds for _, seconds in runs), runs[0][0]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    drift_sdp.solvers.options.update(reltol=1e-7, feastol=1e-7)
    times = {radius: [] for radius in drift_sdp.RADII}
    for seed in drift_sdp.SEEDS:
        found = ours(sys.argv[1], seed)
        for radius in drift_sdp.RADII:
            milliseconds, value = theirs(seed, radius)
            if abs(found[radius][1] - value) > AGREEMENT * abs(value):
                sys.exit(f"seed {seed}, radius {radius}: {found[radius][1]} against {value}")
            times[radius].append((milliseconds, found[radius][0]))
    print("| radius | CVXOPT | envelope solver | ratio, median of the seeds |")
    print("|---|---|---|---|")
    ratios = []
    for radius, pairs in times.items():
        ratios.append(statistics.median(one / other for one, other in pairs))
        slow, fast = (statistics.median(column) for column in zip(*pairs))
        print(f"| {radius} | {slow:.1f} ms | {fast:.2f} ms | {ratios[-1]:.1f} |")
    if min(ratios) < LEAST_RATIO:
        sys.exit(f"the least ratio is below {LEAST_RATIO}")


if __name__ == "__main__":
    main()
