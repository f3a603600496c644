#!/usr/bin/python3
"""Solves random instances of every pair (utility, ambiguity set) and judges rgu by independent optima.

    run.py [--per-pair N] [--seed BASE] [--pair NAME] [--only SEED] [--most-pairs N] [--proofs-only] [--verbose]

For every instance: rgu proves its gap, the worst-case value is the optimum of HiGHS or CVXOPT, the lower bound is not
above it, the value is that of the policy, and where no policy meets the constraints rgu says so. Failures are listed
with the command that repeats them; any makes the exit code 1.
"""

import argparse
import math
import os
import statistics
import sys
import time
import traceback

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402, after the threads are set
from pairs import PAIRS, instance
from pieces import Constrained
from program import ReferenceFailed
from reference import Interval, optimum, sdpa_disagrees, value_from_below, value_of

import rgu

TOLERANCE = 1e-6  # of the proof and of the agreement, relative to Interval.size
SOUND = 1e-9  # by how much a lower bound may exceed the optimum, and a value differ from that of its policy: Interval.cost
KEPT, BROKEN = 1e-9, 1e-3  # excess over a limit, relative: up to the first it is kept, above the second broken
WIDEST = 2e-7  # of the interval that the reference proves


def says_proven(result):
    return "gap proven" in result.status


def says_infeasible(result):
    return "infeasible" in result.status


def says_limits_broken(result):
    """The proof is there, but the best worst case breaks a limit: the set has too small multipliers."""
    return result.status == "constraints not met"


def excess_over_limits(case, occupancy):
    """The largest excess over a limit, relative to the sizes of the limit and its costs; None if there are none."""
    worst = None
    for _, piece in case.terms:
        if isinstance(piece, Constrained):
            sizes = np.abs(piece.slopes).max(axis=1) + np.abs(piece.thresholds)
            excess = ((piece.slopes @ occupancy - piece.thresholds) / np.maximum(sizes, 1e-300)).max()
            worst = excess if worst is None else max(worst, excess)
    return worst


class Outcome:
    """The verdicts on one instance, and what failed in words."""

    def __init__(self, pair, seed):
        self.pair, self.seed = pair, seed
        self.proven = self.agrees = self.sound = True
        self.milliseconds = self.gap = math.nan
        self.failures = []

    def expect(self, held, verdict, text):
        if not held:
            setattr(self, verdict, False)
            self.failures.append(text)


def judge(outcome, case, result, reference):
    """Compares in units of the instance's scale."""
    value, lower = result.worst_case.value / case.scale, result.lower_bound / case.scale
    outcome.gap = max(value - lower, result.optimality_gap / case.scale) / reference.size
    if case.infeasible:
        outcome.expect(says_infeasible(result), "agrees", f"not called infeasible: {result.status!r}")
        return
    # rgu's own policy, evaluated apart from it: its value, and one more upper bound on the optimum.
    occupancy = case.model.occupancy(np.array(result.policy))
    own, own_least = value_of(case.terms, occupancy), value_from_below(case.terms, occupancy)
    excess = excess_over_limits(case, occupancy)
    # Infeasible would be wrong here: every instance that is not meant to be has a policy that meets its limits.
    outcome.expect(
        not says_infeasible(result), "agrees", "it is called infeasible, but some policies meet all limits"
    )
    claimed = says_proven(result) or says_limits_broken(result)
    outcome.expect(claimed, "proven", f"status {result.status!r}")
    outcome.expect(outcome.gap <= TOLERANCE * (1 + 1e-9), "proven", f"gap {outcome.gap:.2e}")
    if says_limits_broken(result):
        outcome.expect(excess is not None and excess > KEPT, "agrees", f"a kept limit is called broken: {excess}")
    elif says_proven(result):
        outcome.expect(
            excess is None or excess <= BROKEN, "agrees", f"a limit is broken by {excess}, and nothing says so"
        )
    least = min(reference.upper, own)
    above, below = (value - reference.upper) / reference.size, (reference.lower - value) / reference.cost
    error = max(value - own, own_least - value) / reference.cost
    unsound = (lower - least) / reference.cost
    far = f"value {value:.12g} is {above:.2e} above the optimum {reference.upper:.12g}"
    outcome.expect(above <= TOLERANCE, "agrees", far)
    low = f"value {value:.12g} is {below:.2e} below the optimum {reference.lower:.12g}"
    outcome.expect(below <= SOUND, "agrees", low)
    other = f"value {value:.12g}, but its policy has [{own_least:.12g}, {own:.12g}], an error of {error:.2e}"
    outcome.expect(own - own_least <= WIDEST * reference.size, "agrees", "the value of the policy is uncertain")
    outcome.expect(error <= SOUND, "agrees", other)
    outcome.expect(unsound <= SOUND, "sound", f"lower bound {lower:.12g} is {unsound:.2e} above {least:.12g}")


def unknown_optimum(case, result):
    """The Interval below the policy that was found, for judging it by its own proof alone."""
    occupancy = case.model.occupancy(np.array(result.policy))
    unit = sum(weight * piece.unit(occupancy, np.zeros_like(occupancy)) for weight, piece in case.terms)
    return Interval(-math.inf, value_of(case.terms, occupancy), unit, occupancy, "the policy itself")


def find_optimum(outcome, case):
    try:
        reference = optimum(case.model, case.terms)
        widest = WIDEST + SOUND * reference.cost / reference.size
        outcome.expect(
            abs(reference.width) <= widest, "agrees", f"the reference is uncertain by {reference.width:.1e}"
        )
        doubt = sdpa_disagrees(case.model, case.terms, reference)
        outcome.expect(not doubt, "agrees", doubt)
        return reference
    except ReferenceFailed as error:
        outcome.expect(False, "agrees", f"no reference: {error}")
        return None


def solve_one(pair, seed, arguments):
    outcome = Outcome(pair, seed)
    case = instance(pair, seed, arguments.most_pairs)
    reference = None if arguments.proofs_only else find_optimum(outcome, case)
    try:
        problem = case.problem()
        begin = time.perf_counter()
        result = rgu.solve(problem)
        outcome.milliseconds = 1e3 * (time.perf_counter() - begin)
    except Exception as error:  # whatever rgu throws is a failure of this instance, not of the run
        outcome.expect(False, "proven", f"{type(error).__name__}: {error}")
        return outcome, case, reference
    if arguments.proofs_only:
        reference = unknown_optimum(case, result)
    if reference is not None:
        judge(outcome, case, result, reference)
    outcome.result = result
    return outcome, case, reference


def explain(outcome, case, reference):
    known = (
        ""
        if reference is None
        else f", optimum [{reference.lower:.12g}, {reference.upper:.12g}] by {reference.solver}"
    )
    lines = [f"{outcome.pair} seed {outcome.seed}: {case}{known}, {outcome.milliseconds:.0f} ms"]
    result = getattr(outcome, "result", None)
    if result is not None:
        lines.append(
            f"    value {result.worst_case.value / case.scale:.12g}, lower bound {result.lower_bound / case.scale:.12g}, "
            f"status {result.status!r}"
        )
    return "\n".join(lines + [f"    {failure}" for failure in outcome.failures])


def run_pair(pair, seeds, arguments):
    outcomes = []
    for seed in seeds:
        outcome, case, reference = solve_one(pair, seed, arguments)
        if arguments.verbose:
            print(explain(outcome, case, reference), flush=True)
        outcome.text = explain(outcome, case, reference) if outcome.failures else ""
        outcome.result = None
        outcomes.append(outcome)
    times = [outcome.milliseconds for outcome in outcomes if math.isfinite(outcome.milliseconds)]
    gaps = [outcome.gap for outcome in outcomes if math.isfinite(outcome.gap)]
    counts = [sum(getattr(outcome, verdict) for outcome in outcomes) for verdict in ("proven", "agrees", "sound")]
    print(
        f"{pair:44} | {len(outcomes):9} | {counts[0]:6} | {counts[1]:5} | {counts[2]:5} | "
        f"{statistics.median(times) if times else math.nan:9.1f} | {max(times, default=math.nan):8.0f} | "
        f"{max(gaps, default=math.nan):9.1e}",
        flush=True,
    )
    return [outcome for outcome in outcomes if outcome.failures]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-pair", type=int, default=10, help="instances of each pair")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--pair", help="only this pair, or those whose name begins so")
    parser.add_argument("--only", type=int, help="only this seed")
    parser.add_argument("--most-pairs", type=int, default=200, help="of a model; beyond 200 the models grow too")
    parser.add_argument(
        "--proofs-only", action="store_true", help="no reference: only the proof and the value of the policy are judged"
    )
    parser.add_argument("--verbose", action="store_true", help="tell about every instance")
    parser.add_argument("--failures", type=int, default=5, help="how many failures of a pair to show")
    arguments = parser.parse_args()
    chosen = [pair for pair in PAIRS if arguments.pair is None or pair.startswith(arguments.pair)]
    chosen = [arguments.pair] if arguments.pair in PAIRS else chosen
    if not chosen:
        sys.exit(f"there is no pair {arguments.pair!r}; there are {', '.join(PAIRS)}")
    seeds = range(arguments.seed, arguments.seed + arguments.per_pair)
    if arguments.only is not None:
        seeds = [arguments.only]
    print(f"{'pair':44} | instances | proven | agree | sound | median ms |   max ms | worst gap")
    failed = []
    for pair in chosen:
        failed += run_pair(pair, seeds, arguments)
    shown = {}
    for outcome in failed:
        shown[outcome.pair] = shown.get(outcome.pair, 0) + 1
        if shown[outcome.pair] <= arguments.failures:
            print(f"\n{outcome.text}\n    again: run.py --pair {outcome.pair} --only {outcome.seed}")
    for pair, count in shown.items():
        if count > arguments.failures:
            print(
                f"\n{pair}: {count - arguments.failures} more, seeds "
                + ", ".join(str(outcome.seed) for outcome in failed if outcome.pair == pair)
            )
    print(
        f"\n{len(chosen) * len(seeds) - len(failed)} of {len(chosen) * len(seeds)} instances of {len(chosen)} pairs passed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        traceback.print_exc()
        sys.exit(130)
