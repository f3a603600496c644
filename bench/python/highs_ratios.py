#!/usr/bin/python3
"""Time to the proof against SciPy's HiGHS, in one run and in turns: linear programs of 30 to 10^4 state-action pairs.

  PYTHONPATH=build/release/python bench/python/highs_ratios.py [--check] [--least 30] [--most 10000] [--seconds 5]

Two problems: three constraints with a box of multipliers, and an l1 ball of rewards. Kernels with three successors, and
dense ones up to 3000 pairs. Both sides are called from Python on what is already built: linprog on its sparse matrices,
rgu.solve on its Problem. HiGHS solves the linear program of the problem; rgu must prove a gap of 1e-6 and have its
optimum. A row is the ratio of the medians over instances and repetitions, a single one where HiGHS takes longer than
--seconds. --check exits with 1 if rgu is anywhere slower, or less than 10 times faster at 10^4 pairs, or wrong.
"""

import argparse
import os
import statistics
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402, after the threads are set
import scipy.sparse as sparse
import scipy.sparse.linalg
from scipy.optimize import linprog

import rgu

SIZES = {
    30: (10, 3),
    100: (25, 4),
    300: (60, 5),
    1000: (200, 5),
    3000: (300, 10),
    10000: (1000, 10),
}  # pairs: (S, A)
MOST_DENSE = 3000
SUCCESSORS = 3
DISCOUNT = 0.95
MULTIPLIERS = 100.0  # far above those of the optimum
RADIUS = 2.0
AGREEMENT = 1e-6
LEAST_RATIO, LEAST_AT_MOST = 1.0, 10.0
INSTANCES, REPETITIONS = 3, 3


def random_kernel(rng, states, actions, dense):
    """(S A, S), rows sum to 1."""
    pairs = states * actions
    if dense:
        weights = rng.random((pairs, states)) ** 3
        return sparse.csr_matrix(weights / weights.sum(axis=1, keepdims=True))
    to = np.array([rng.choice(states, SUCCESSORS, replace=False) for _ in range(pairs)])
    weights = 0.05 + rng.random((pairs, SUCCESSORS))
    weights /= weights.sum(axis=1, keepdims=True)
    return sparse.csr_matrix(
        (weights.ravel(), (np.repeat(np.arange(pairs), SUCCESSORS), to.ravel())), (pairs, states)
    )


def flow(kernel, states, actions):
    own = sparse.kron(sparse.eye(states), np.ones((1, actions)))
    return sparse.csr_matrix(own - DISCOUNT * kernel.T), np.full(states, (1 - DISCOUNT) / states)


def even_occupancy(kernel, states, actions):
    """Of the policy that chooses all actions alike: (S A)."""
    chain = sparse.kron(sparse.eye(states), np.full((1, actions), 1 / actions)) @ kernel
    system = (sparse.eye(states) - DISCOUNT * chain.T).tocsc()
    return np.repeat(sparse.linalg.spsolve(system, np.full(states, (1 - DISCOUNT) / states)), actions) / actions


def model_of(kernel, states, actions, dense):
    table = kernel.toarray() if dense else kernel
    return rgu.FiniteMdp(table, np.full(states, 1 / states), DISCOUNT)


def constrained(rng, states, actions, dense):
    """(rgu's problem, the arguments of linprog): three constraints, between the even policy's costs and the cheapest."""
    kernel = random_kernel(rng, states, actions, dense)
    pairs = states * actions
    objective, costs = rng.standard_normal(pairs), rng.random((3, pairs))
    equal, right = flow(kernel, states, actions)
    thresholds = 0.97 * costs @ even_occupancy(kernel, states, actions)
    shape = (states, actions)
    utility = rgu.utility.Constrained(objective.reshape(shape), [c.reshape(shape) for c in costs], thresholds)
    problem = rgu.Problem(
        model_of(kernel, states, actions, dense), utility, rgu.ambiguity.Box(np.zeros(3), np.full(3, MULTIPLIERS))
    )
    return problem, {"c": objective, "A_eq": equal, "b_eq": right, "A_ub": costs, "b_ub": thresholds}


def l1_ball(rng, states, actions, dense):
    """As above: rewards in an l1 ball, which costs the radius times the largest mass t >= lambda(s, a)."""
    kernel = random_kernel(rng, states, actions, dense)
    pairs = states * actions
    reward = rng.standard_normal(pairs)
    equal, right = flow(kernel, states, actions)
    problem = rgu.Problem(
        model_of(kernel, states, actions, dense),
        rgu.utility.RewardRobust(states, actions),
        rgu.ambiguity.LpBall(reward, RADIUS, 1),
    )
    rows = sparse.csr_matrix(sparse.hstack([sparse.eye(pairs), -np.ones((pairs, 1))]))
    equal = sparse.csr_matrix(sparse.hstack([equal, sparse.csr_matrix((states, 1))]))
    return problem, {
        "c": np.append(-reward, RADIUS),
        "A_eq": equal,
        "b_eq": right,
        "A_ub": rows,
        "b_ub": np.zeros(pairs),
    }


PROBLEMS = {"constrained": constrained, "l1 ball": l1_ball}


def timed(call):
    begin = time.perf_counter()
    answer = call()
    return time.perf_counter() - begin, answer


def disagreement(result, found):
    """In words, or empty."""
    if found.status != 0:
        return f"HiGHS: {found.message}"
    value, scale = result.worst_case.value, max(1e-3, abs(found.fun))
    gap = (value - result.lower_bound) / scale
    if not gap <= AGREEMENT:
        return f"gap {gap:.1e}, {result.status}"
    if abs(value - found.fun) > AGREEMENT * scale:
        return f"value {value:.9g}, HiGHS {found.fun:.9g}"
    return ""


def measure(make, pairs, dense, seconds):
    """(HiGHS' seconds, rgu's seconds, trouble in words)."""
    theirs, ours, trouble = [], [], []
    for seed in range(INSTANCES):
        problem, program = make(np.random.default_rng([pairs, dense, seed]), *SIZES[pairs], dense)
        for _ in range(REPETITIONS):
            one, found = timed(lambda: linprog(method="highs", **program))
            other, result = timed(lambda: rgu.solve(problem))
            theirs.append(one)
            ours.append(other)
            trouble.append(disagreement(result, found))
            if one > seconds:
                break
        if theirs[-1] > seconds:
            break
    return theirs, ours, next((text for text in trouble if text), "")


def duration(seconds):
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument("--least", type=int, default=30, help="pairs of the smallest model")
    parser.add_argument("--most", type=int, default=10000, help="pairs of the largest model")
    parser.add_argument("--seconds", type=float, default=5.0, help="of HiGHS, above which it runs once")
    arguments = parser.parse_args()
    missed = []
    print("| problem | kernel | pairs | HiGHS | rgu | ratio | |\n|---|---|---|---|---|---|---|")
    for name, make in PROBLEMS.items():
        for pairs in (size for size in SIZES if arguments.least <= size <= arguments.most):
            for dense in (False, True) if pairs <= MOST_DENSE else (False,):
                theirs, ours, trouble = measure(make, pairs, dense, arguments.seconds)
                slow, fast = statistics.median(theirs), statistics.median(ours)
                kernel = "dense" if dense else f"{SUCCESSORS} successors"
                print(
                    f"| {name} | {kernel} | {pairs} | {duration(slow)} | {duration(fast)} | {slow / fast:.2f} | {trouble} |",
                    flush=True,
                )
                least = LEAST_AT_MOST if pairs == max(SIZES) else LEAST_RATIO
                if trouble or slow < least * fast:
                    missed.append(
                        f"{name}, {kernel}, {pairs} pairs: {slow / fast:.2f}, must be {least:g}"
                        + (trouble and f"; {trouble}")
                    )
    for text in missed:
        print(f"missed: {text}")
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
