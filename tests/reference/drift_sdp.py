"""Global minima over policies of the drift utility's worst case on Frobenius balls.

As a semidefinite program in the occupancy, the multiplier mu and t,
    maximise t - mu e^2  subject to  [[W0 M W0' - t I, W0 M], [M W0', M + mu I]] >= 0,
solved by CVXOPT, whose interior-point method scales and factorises in another way than the
library's. Features and the weights of the kernel have few digits; each kernel row is divided by its
sum. The script fails unless primal and dual agree.
"""

import sys
import time

import fixture
from numeric import SKIPPED, np

try:
    from cvxopt import matrix, solvers
except ImportError as missing:
    print(f"skipped, because the script needs CVXOPT: {missing}")
    raise SystemExit(SKIPPED) from missing

STATES, ACTIONS, ROWS, COLUMNS, DISCOUNT = 10, 5, 10, 20, 0.95  # the paper's
RADII = [0.1, 0.2, 0.5, 0.8]
SEEDS = range(5)
AGREEMENT = 1e-7  # of primal and dual, relative

# With smaller tolerances it fails on some cases.
solvers.options.update(show_progress=False, abstol=1e-12, reltol=1e-8, feastol=1e-8)


def instance(seed):
    draw = np.random.RandomState(seed)
    weights = np.round(draw.uniform(0.01, 1, (STATES * ACTIONS, STATES)), 2)
    features = np.round(draw.normal(size=(STATES * ACTIONS, COLUMNS)), 3)
    return weights, features


def flow(kernel):
    """Rows s': sum_a lambda(s',a) - g sum P(s'|s,a) lambda(s,a)."""
    here = np.repeat(np.eye(STATES), ACTIONS, axis=1)
    return here - DISCOUNT * kernel.T


def optimum(weights, features, radius, factorisation="qr"):
    """CVXOPT minimises c'x over G x + s = h, A x = b, s in the cone. x = (lambda, t, mu)."""
    kernel = weights / weights.sum(axis=1, keepdims=True)
    pairs, order = len(features), ROWS + COLUMNS
    centre = np.eye(ROWS, COLUMNS)
    seen = np.hstack([features @ centre.T, features])
    blocks = [-np.outer(v, v) for v in seen]
    blocks.append(np.diag([1.0] * ROWS + [0.0] * COLUMNS))
    blocks.append(np.diag([0.0] * ROWS + [-1.0] * COLUMNS))
    positive = np.zeros((pairs + 1, pairs + 2))
    positive[:pairs, :pairs] = -np.eye(pairs)
    positive[pairs, pairs + 1] = -1
    cost = np.concatenate([np.zeros(pairs), [-1, radius ** 2]])
    equations = np.hstack([flow(kernel), np.zeros((STATES, 2))])
    source = np.full(STATES, (1 - DISCOUNT) / STATES)
    program = {"c": matrix(cost), "Gl": matrix(positive), "hl": matrix(np.zeros(pairs + 1)),
               "Gs": [matrix(np.column_stack([b.ravel() for b in blocks]))],
               "hs": [matrix(np.zeros((order, order)))], "A": matrix(equations),
               "b": matrix(source), "kktsolver": factorisation}
    begin = time.perf_counter()
    found = solvers.sdp(**program)
    seconds = time.perf_counter() - begin
    primal, dual = found["primal objective"], found["dual objective"]
    assert abs(primal - dual) < AGREEMENT * abs(primal), (radius, found["status"], primal, dual)
    return (primal + dual) / 2, seconds


def compute():
    cases = []
    for seed in SEEDS:
        weights, features = instance(seed)
        optima = [optimum(weights, features, radius)[0] for radius in RADII]
        cases.append({"name": f"seed_{seed}", "states": STATES, "actions": ACTIONS,
                      "discount": DISCOUNT, "dimension": ROWS, "weights": weights,
                      "features": features, "radii": RADII,
                      "optima": optima})
    return cases


def print_times(repetitions=5):
    """Milliseconds of CVXOPT for each case, at its fastest: the least of a few runs with the faster
    factorisation, to a gap of 1e-7."""
    solvers.options.update(reltol=1e-7, feastol=1e-7)
    for seed in SEEDS:
        for radius in RADII:
            times = [optimum(*instance(seed), radius, "chol")[1] for _ in range(repetitions)]
            print(f"seed_{seed} radius {radius}: {1e3 * min(times):.2f} ms")


if __name__ == "__main__":
    if sys.argv[1:] == ["--time"]:
        print_times()
    else:
        fixture.run(__file__, compute)
