#!/usr/bin/python3
"""Prox-extragradient on the paper's experiment: rgu against straightforward vectorised NumPy, in one run.

The NumPy version is [RGU, Alg. pe-pgda] with sampled gradients as a careful person would write it: all m
trajectories advance together, suffix sums instead of double sums, one matrix product for the second moment.
Both run on one thread and take turns; the ratio is of the medians of their CPU seconds for one outer iteration,
which other programs on the machine disturb less than wall-clock seconds. With --instructions, NumPy and OpenBLAS are
limited to that set as well. First the NumPy gradients are checked: their mean must be rgu's exact gradient within five standard errors.

  PYTHONPATH=build/release/python bench/python/prox_numpy.py [--iterations 20] [--rounds 5] [--check]
      [--instructions portable | avx2 | avx512]
"""

import argparse
import os
import sys

# At least this ratio, with --check.
TARGET = {"portable": 10, "avx2": 30, "avx512": 30}
# What NumPy and OpenBLAS must not use, or be, to stay within a set. They read it when they are loaded.
LIMITS = {
    "portable": {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL",
                 "OPENBLAS_CORETYPE": "Nehalem"},
    "avx2": {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL",
             "OPENBLAS_CORETYPE": "Haswell"},
    "avx512": {},
}

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--iterations", type=int, default=20)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--check", action="store_true", help="exit with 1 if the target is missed")
parser.add_argument("--instructions", choices=TARGET, help="default: the widest of the CPU")
arguments = parser.parse_args()
if arguments.instructions:
    os.environ.update(LIMITS[arguments.instructions], RGU_INSTRUCTIONS=arguments.instructions)
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import statistics  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402

import rgu  # noqa: E402

PROBLEM = "paper/exploration"
STEP, WEIGHT, INNER, TRAJECTORIES, HORIZON, RADIUS, BOUND = 0.03, 1.5, 6, 256, 50, 1.0, 10.0


class Experiment:
    """Model, features and centre of seed 0 of the paper's experiment, as NumPy arrays."""

    def __init__(self):
        self.problem = rgu.Problem.from_file(PROBLEM)
        world = self.problem.world(0)
        self.kernel = np.array(world.mdp.kernel)
        self.states, self.actions, _ = self.kernel.shape
        self.discount = world.mdp.discount
        self.start = np.array(world.mdp.start)
        self.features = self.problem.utility(0).features.reshape(self.states * self.actions, -1)
        self.centre = self.problem.nominal(0).reshape(10, 20)
        self.next_cdf = np.cumsum(self.kernel, axis=2)
        self.start_cdf = np.cumsum(self.start)
        self.weights = self.discount ** np.arange(HORIZON)


def softmax(theta):
    shifted = np.exp(theta - theta.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def draw(cdf, uniform):
    """One index for each row of a table of cumulative probabilities."""
    return np.minimum((cdf < uniform[:, None]).sum(axis=1), cdf.shape[1] - 1)


def trajectories(x, policy, rng):
    """States and actions, (m, H)."""
    policy_cdf = np.cumsum(policy, axis=1)
    states = np.empty((TRAJECTORIES, HORIZON), dtype=np.int64)
    actions = np.empty_like(states)
    state = np.searchsorted(x.start_cdf, rng.random(TRAJECTORIES))
    for h in range(HORIZON):
        action = draw(policy_cdf[state], rng.random(TRAJECTORIES))
        states[:, h], actions[:, h] = state, action
        state = draw(x.next_cdf[state, action], rng.random(TRAJECTORIES))
    return states, actions


def gradients(x, theta, nature, rng):
    """Value and stochastic gradients in theta (S, A), divided by 1 - g as published, and in W."""
    policy = softmax(theta)
    pairs = x.states * x.actions
    states, actions = trajectories(x, policy, rng)
    weights = np.broadcast_to(x.weights, states.shape)
    occupancy = np.bincount((states * x.actions + actions).ravel(), weights.ravel(), pairs)
    occupancy *= (1 - x.discount) / TRAJECTORIES
    moment = x.features.T @ (occupancy[:, None] * x.features)
    values, vectors = np.linalg.eigh(nature @ moment @ nature.T)
    least = vectors[:, 0]
    cost = -((x.features @ (nature.T @ least)) ** 2)
    by_nature = -2 * np.outer(least, least @ nature @ moment)

    states, actions = trajectories(x, policy, rng)
    index = states * x.actions + actions
    suffix = np.cumsum((x.weights * cost[index])[:, ::-1], axis=1)[:, ::-1]
    counted = np.bincount(index.ravel(), suffix.ravel(), pairs).reshape(x.states, x.actions)
    by_theta = (counted - policy * counted.sum(axis=1, keepdims=True)) / TRAJECTORIES
    return -values[0], by_theta, by_nature


def on_ball(nature, centre):
    offset = nature - centre
    return centre + offset * min(1.0, RADIUS / max(np.linalg.norm(offset), 1e-300))


def prox_extragradient(x, iterations, rng):
    theta, nature = np.zeros((x.states, x.actions)), x.centre.copy()
    values = []
    for _ in range(iterations):
        anchor_theta, anchor_nature = theta, nature

        def moved(at_theta, at_nature, from_theta, from_nature):
            value, by_theta, by_nature = gradients(x, at_theta, at_nature, rng)
            by_theta = by_theta + WEIGHT * (at_theta - anchor_theta)
            by_nature = by_nature - WEIGHT * (at_nature - anchor_nature)
            return (value, np.clip(from_theta - STEP * by_theta, -BOUND, BOUND),
                    on_ball(from_nature + STEP * by_nature, x.centre))

        for _ in range(INNER):
            _, mid_theta, mid_nature = moved(theta, nature, theta, nature)
            value, theta, nature = moved(mid_theta, mid_nature, theta, nature)
        values.append(value)
    return values, theta, nature


def check_equal_in_expectation(x):
    rng = np.random.default_rng(1)
    theta, nature = rng.normal(size=(x.states, x.actions)), x.centre + 0.02 * rng.normal(size=(10, 20))
    samples = [gradients(x, theta, nature, rng) for _ in range(400)]
    exact = rgu.saddle_gradient(x.problem, theta, nature)
    for name, part, expected in (
        ("theta", 1, exact[1].reshape(theta.shape) / (1 - x.discount)),
        ("nature", 2, exact[2].reshape(nature.shape)),
    ):
        drawn = np.array([sample[part] for sample in samples])
        error = drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
        # The horizon cuts g^H = 8% of the mass, and a function of an estimate has a bias: allow for both.
        bias = 0.15 * np.abs(expected).max()
        off = np.abs(drawn.mean(axis=0) - expected)
        assert (off <= 5 * error + bias).all(), (name, off.max(), np.abs(expected).max())
        correlation = np.corrcoef(drawn.mean(axis=0).ravel(), expected.ravel())[0, 1]
        assert correlation > 0.98, (name, correlation)
        print(f"gradient in {name}: mean of 400 estimates against the exact one, correlation {correlation:.4f}")


def main():
    x = Experiment()
    check_equal_in_expectation(x)
    k = arguments.iterations
    options = {"output.metrics_every": 10**6, "gradient.trajectories": TRAJECTORIES}
    seconds = {"numpy": [], "rgu": []}
    for _ in range(arguments.rounds):
        begin = time.process_time()
        values, theta, nature = prox_extragradient(x, k, np.random.default_rng(0))
        seconds["numpy"].append((time.process_time() - begin) / k)
        # The difference of two lengths leaves out what is done once, at start and end.
        times = []
        for length in (k, 11 * k):
            begin = time.process_time()
            result = rgu.solve(x.problem, iterations=length, threads=1, options=options)
            times.append(time.process_time() - begin)
        seconds["rgu"].append((times[1] - times[0]) / (10 * k))
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    print(f"after {k} iterations: NumPy objective {values[-1]:.4f}, |W - W0| {np.linalg.norm(nature - x.centre):.3f}; "
          f"rgu objective {result.metrics['objective'][-1]:.4f} after {11 * k}")
    ratio = medians["numpy"] / medians["rgu"]
    target = TARGET[arguments.instructions or "avx2"]
    print(f"NumPy {1e3 * medians['numpy']:.2f} ms, rgu {1e3 * medians['rgu']:.3f} ms an outer iteration: "
          f"{ratio:.1f}x, at least {target} {'reached' if ratio >= target else 'MISSED'} "
          f"(instructions: {arguments.instructions or 'the widest of the CPU'})")
    return 1 if arguments.check and ratio < target else 0


if __name__ == "__main__":
    sys.exit(main())
