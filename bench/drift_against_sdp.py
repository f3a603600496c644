"""The envelope solver against SDPA and CVXOPT on drift problems.

    drift_against_sdp.py build/release/bench/bench_drift_times

One run, one thread, the programs in turn: the median of a few rounds each, all to a relative gap of 1e-7.
SDPA (Debian's package `sdpa`) is timed by its own "main loop time", without reading the problem.

1. The problems of tests/reference/drift_sdp.json (S = 10, A = 5, d = 10, d' = 20). SDPA gets the program in lambda, nu and t
   with the flow equations eliminated, the fastest of the forms tried.
2. S = 1000, A = 10, d = 4, d' = 8, three successors for every pair: SDPA alone, in the smaller dual form (y and Z as
   variables).
SDPA's tolerances are absolute below 1, so its objective is multiplied by 100. Prints a table for each; exits with 1 if a ratio
is below its target or the values differ.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

os.environ["OPENBLAS_NUM_THREADS"] = "1"
REFERENCE = pathlib.Path(__file__).resolve().parents[1] / "tests" / "reference"
sys.path.insert(0, str(REFERENCE))
sys.dont_write_bytecode = True

import drift_sdp  # noqa: E402, after the threads are set
import scipy.linalg  # noqa: E402
from numeric import np  # noqa: E402

ROUNDS = 5
UNIT = 100  # of SDPA's objective
SMALL_TARGET, LARGE_TARGET = 3, 1  # times faster
AGREEMENT = 1e-5  # of the values, relative: what SDPA reaches
LARGE = {"states": 1000, "actions": 10, "discount": 0.95, "dimension": 4, "radii": [0.5]}
LARGE_FEATURES, SUCCESSORS = 8, 3


def ours(program, file, name):
    """(milliseconds, value) by radius."""
    lines = subprocess.run([program, file, name], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [[float(word) for word in line.split()] for line in lines]
    return {radius: (milliseconds, value) for radius, milliseconds, value, _ in rows}


def cvxopt(seed, radius):
    value, seconds = drift_sdp.optimum(*drift_sdp.instance(seed), radius, "chol")
    return 1e3 * seconds, value


def sdpa(file, folder):
    """(milliseconds of the main loop, value)."""
    answer = pathlib.Path(folder, "answer")
    run = subprocess.run(["sdpa", "-ds", str(file), "-o", str(answer), "-numThreads", "1"], check=True, capture_output=True,
                         text=True)
    text = run.stdout + answer.read_text()
    number = {name: float(re.search(rf"{name}\s*=\s*(\S+)", text)[1])
              for name in ("objValPrimal", "objValDual", "main loop time")}
    return 1e3 * number["main loop time"], -abs(number["objValPrimal"] + number["objValDual"]) / 2 / UNIT


def write_sdpa(file, cost, sizes, entries):
    """SDPA's sparse format: minimise <cost, x> subject to sum_k x_k F_k - F_0 >= 0. Entries: (k, block, i, j, value)."""
    with open(file, "w", encoding="ascii") as out:
        out.write(f"{len(cost)}\n{len(sizes)}\n{' '.join(map(str, sizes))}\n{' '.join(repr(UNIT * float(c)) for c in cost)}\n")
        for k, block, i, j, value in entries:
            out.write(f"{k} {block} {i + 1} {j + 1} {float(value)!r}\n")


def upper(k, block, matrix):
    return [(k, block, i, j, matrix[i, j]) for i in range(len(matrix)) for j in range(i, len(matrix)) if matrix[i, j] != 0]


def diagonal(k, block, values):
    return [(k, block, i, i, value) for i, value in enumerate(values) if value != 0]


def write_primal(file, weights, features, radius):
    """x = (xi, nu, t) with lambda = lambda_0 + N xi, the columns of N a basis of the kernel of the flow equations."""
    kernel = weights / weights.sum(axis=1, keepdims=True)
    rows, columns = drift_sdp.ROWS, drift_sdp.COLUMNS
    seen = np.hstack([features[:, :rows], radius * features])  # W0 is the partial identity
    flow = drift_sdp.flow(kernel)
    source = np.full(drift_sdp.STATES, (1 - drift_sdp.DISCOUNT) / drift_sdp.STATES)
    start, basis = np.linalg.lstsq(flow, source, rcond=None)[0], scipy.linalg.null_space(flow)
    pairs, free = basis.shape
    entries = upper(0, 1, -(seen.T * start) @ seen) + diagonal(0, 2, -start)
    for k in range(free):
        entries += upper(k + 1, 1, (seen.T * basis[:, k]) @ seen) + diagonal(k + 1, 2, basis[:, k])
    entries += diagonal(free + 1, 1, [0] * rows + [1] * columns) + [(free + 1, 2, pairs, pairs, 1)]
    entries += diagonal(free + 2, 1, [-1] * rows)
    write_sdpa(file, [0] * free + [1, -1], [rows + columns, -(pairs + 1)], entries)


def large_instance():
    draw = np.random.RandomState(0)
    pairs = LARGE["states"] * LARGE["actions"]
    return {"name": "large", **LARGE, "successors": draw.randint(LARGE["states"], size=(pairs, SUCCESSORS)),
            "weights": np.round(draw.uniform(0.01, 1, (pairs, SUCCESSORS)), 2),
            "features": np.round(draw.normal(size=(pairs, LARGE_FEATURES)), 3)}


def write_dual(file, data):
    """x = (y, the entries of Z but Z_11 = 1 - the other ones of its trace): minimise <source, y> subject to Z >= 0,
    B y >= v'Z v and 1 >= tr Z22."""
    states, actions, d, radius = (data[name] for name in ("states", "actions", "dimension", "radii"))
    radius, g, pairs = radius[0], data["discount"], states * actions
    seen = np.hstack([data["features"][:, :d], radius * data["features"]])
    balance = [{} for _ in range(states)]
    shares = data["weights"] / data["weights"].sum(axis=1, keepdims=True)
    for i in range(pairs):
        balance[i // actions][i] = balance[i // actions].get(i, 0) + 1
        for s, share in zip(data["successors"][i].tolist(), shares[i].tolist()):
            balance[s][i] = balance[s].get(i, 0) - g * share
    entries = [(0, 1, 0, 0, -1), *diagonal(0, 2, seen[:, 0] ** 2), (0, 2, pairs, pairs, -1)]
    for s in range(states):
        entries += [(s + 1, 2, i, i, value) for i, value in sorted(balance[s].items())]
    number, order = states, seen.shape[1]
    for i in range(order):
        for j in range(i, order):
            if i == j == 0:
                continue
            number += 1
            cost = seen[:, i] * seen[:, j] * (1 if i == j else 2)
            entries.append((number, 1, i, j, 1))
            if i == j and i < d:
                entries.append((number, 1, 0, 0, -1))
                cost = cost - seen[:, 0] ** 2
            entries += diagonal(number, 2, -cost)
            if i == j and i >= d:
                entries.append((number, 2, pairs, pairs, -1))
    write_sdpa(file, [(1 - g) / states] * states + [0] * (number - states), [order, -(pairs + 1)], entries)


def check_value(found, other, about):
    if abs(found - other) > AGREEMENT * abs(other):
        sys.exit(f"{about}: {found} against {other}")


def median(runs):
    return statistics.median(milliseconds for milliseconds, _ in runs)


def compare_small(program, folder):
    print("| radius | CVXOPT | SDPA, main loop | envelope solver | times faster than CVXOPT | than SDPA (target >= 3) |\n"
          "|---|---|---|---|---|---|")
    worst = float("inf")
    table = {radius: [] for radius in drift_sdp.RADII}
    for seed in drift_sdp.SEEDS:
        files = {radius: pathlib.Path(folder, f"{seed}_{radius}.dat-s") for radius in drift_sdp.RADII}
        for radius, file in files.items():
            write_primal(file, *drift_sdp.instance(seed), radius)
        runs = {radius: ([], [], []) for radius in files}
        for _ in range(ROUNDS):
            own = ours(program, REFERENCE / "drift_sdp.json", f"seed_{seed}")
            for radius, file in files.items():
                for column, run in zip(runs[radius], (cvxopt(seed, radius), sdpa(file, folder), own[radius])):
                    column.append(run)
        for radius, columns in runs.items():
            for other in columns[:2]:
                check_value(columns[2][0][1], other[0][1], f"seed {seed}, radius {radius}")
            table[radius].append([median(column) for column in columns])
    for radius, rows in table.items():
        times = [statistics.median(column) for column in zip(*rows)]
        faster = [statistics.median(row[k] / row[2] for row in rows) for k in range(2)]
        worst = min(worst, faster[1])
        print(f"| {radius} | {times[0]:.1f} ms | {times[1]:.1f} ms | {times[2]:.2f} ms | {faster[0]:.1f} | {faster[1]:.1f} |")
    return worst >= SMALL_TARGET


def compare_large(program, folder):
    data = large_instance()
    table = pathlib.Path(folder, "large.json")
    table.write_text(json.dumps([{name: value.tolist() if hasattr(value, "tolist") else value for name, value in data.items()}]))
    file = pathlib.Path(folder, "large.dat-s")
    write_dual(file, data)
    theirs, own = [], []
    for _ in range(ROUNDS):
        theirs.append(sdpa(file, folder))
        own.append(ours(program, table, "large")[data["radii"][0]])
    check_value(own[0][1], theirs[0][1], "large")
    ratio = median(theirs) / median(own)
    print("\n| S, A, d, d' | SDPA, main loop | envelope solver | times faster (target >= 1) |\n|---|---|---|---|\n"
          f"| {data['states']}, {data['actions']}, {data['dimension']}, {LARGE_FEATURES} | {median(theirs) / 1e3:.2f} s "
          f"| {median(own) / 1e3:.2f} s | {ratio:.1f} |")
    return ratio >= LARGE_TARGET


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    drift_sdp.solvers.options.update(reltol=1e-7, feastol=1e-7)
    with tempfile.TemporaryDirectory() as folder:
        fast = [compare(sys.argv[1], folder) for compare in (compare_small, compare_large)]
    if not all(fast):
        sys.exit("a ratio is below its target")


if __name__ == "__main__":
    main()
