"""The calls that take time."""

from __future__ import annotations

import operator
import os
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import GlobalSolution, WorstCase
from ._problem import Options, Problem
from ._result import PathLike, Result, Run

Callback = Callable[[Dict[str, Any]], Any]
ProblemLike = Union[Problem, str, "os.PathLike[str]"]


def _problem(problem: ProblemLike) -> Problem:
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, (str, os.PathLike)):
        return Problem.from_file(problem)
    raise TypeError(
        f"problem is a {type(problem).__name__}, must be a Problem, the name of a built-in one "
        "or the path of a problem file"
    )


def _options(
    method: Optional[str],
    iterations: Optional[int],
    gradient: Optional[str],
    trajectories: Optional[int],
    horizon: Optional[int],
    options: Optional[Options],
) -> Dict[str, Any]:
    chosen: Dict[str, Any] = {}
    if method is not None:
        # In place of the whole table: keys of another method would only be refused.
        chosen["solver"] = {"method": str(method)}
    for key, value in (
        ("stopping.iterations", iterations),
        ("gradient.kind", gradient),
        ("gradient.trajectories", trajectories),
        ("gradient.horizon", horizon),
    ):
        if value is not None:
            chosen[key] = value
    chosen.update(options or {})
    return chosen


def _seed(seed: Any) -> int:
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed is {seed!r}, must be a whole number") from None
    if not 0 <= number < 2**64:
        raise ValueError(f"seed is {number}, must be in 0 .. 2^64 - 1")
    return number


class _Progress:
    """One line on standard error, at most ten times a second."""

    def __init__(self, callback: Optional[Callback]) -> None:
        self._callback = callback
        self._last = 0.0
        self._shown = False

    def __call__(self, row: Dict[str, Any]) -> Any:
        now = time.monotonic()
        if now - self._last >= 0.1:
            self._last = now
            seed = f"seed {row['seed']}  " if "seed" in row else ""
            value = row.get("envelope", float("nan"))
            sys.stderr.write(f"\r{seed}iteration {row['iteration']}  worst case {value:.6g}    ")
            sys.stderr.flush()
            self._shown = True
        return self._callback(row) if self._callback is not None else None

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


def _following(callback: Optional[Callback], progress: bool) -> Tuple[Optional[Callback], Any]:
    if not progress:
        return callback, None
    line = _Progress(callback)
    return line, line


def solve(
    problem: ProblemLike,
    *,
    method: Optional[str] = None,
    seed: int = 0,
    iterations: Optional[int] = None,
    gradient: Optional[str] = None,
    trajectories: Optional[int] = None,
    horizon: Optional[int] = None,
    threads: int = 1,
    baseline: Optional[bool] = None,
    callback: Optional[Callback] = None,
    progress: bool = False,
    options: Optional[Options] = None,
) -> Result:
    """Solves a problem for one seed, in memory.

    problem: a Problem, the name of a built-in one, or the path of a problem file.
    method: "auto", "envelope", "occupancy", "worst-case", "pgda", "pgda-lp" or
      "prox-extragradient", with its own defaults; None: what the problem says.
    iterations: the most outer iterations.
    gradient: "exact" or "sampled", the latter with `trajectories` of length `horizon`.
    threads: for sampling a known model; the result does not depend on it.
    baseline: also train the policy that ignores the ambiguity; None: only where `options` ask for it.
    callback: called after every measured iteration with a dictionary of its metrics; where it
      returns something true, the solve stops. Metrics that were not measured are absent.
    progress: a line on standard error.
    options: {"table.key": value} for every other key of a problem file: `rgu keys` lists them.

    Ctrl-C stops it after the iteration at hand and what was reached is returned, with `interrupted`
    set; a second Ctrl-C raises KeyboardInterrupt. The same problem, seed and options give the same
    bits as `rgu solve`.

    >>> import rgu
    >>> result = rgu.solve("exploration")
    >>> result.status, round(result.worst_case.value, 4)
    ('optimal (gap proven)', -0.1204)
    """
    given = _problem(problem)
    if given._core.is_environment and (gradient == "exact" or baseline):
        raise ValueError(
            "exact gradients and a baseline need the model; an environment only gives trajectories"
        )
    # First, so that options of the same name come after it.
    chosen: Dict[str, Any] = {"output.baseline": bool(baseline), "output.published": False}
    chosen.update(_options(method, iterations, gradient, trajectories, horizon, options))
    configured = given.with_options(chosen)
    follow, line = _following(callback, progress)
    try:
        solution = _core.solve(configured._core, _seed(seed), threads, follow)
    finally:
        if line is not None:
            line.end()
    return Result(solution)


def run(
    problem: ProblemLike,
    out: PathLike,
    *,
    method: Optional[str] = None,
    seeds: Union[int, Iterable[int], None] = None,
    iterations: Optional[int] = None,
    gradient: Optional[str] = None,
    trajectories: Optional[int] = None,
    horizon: Optional[int] = None,
    threads: int = 1,
    force: bool = False,
    callback: Optional[Callback] = None,
    progress: bool = False,
    options: Optional[Options] = None,
) -> Run:
    """Solves all seeds of a problem into a run folder, as `rgu solve` does. It can be resumed.

    out: the folder; `force` replaces a run that is there.
    seeds: how many, or which ones; None: what the problem says.
    The other arguments are those of `solve`.

    >>> import os, tempfile
    >>> import rgu
    >>> folder = os.path.join(tempfile.mkdtemp(), "run")
    >>> len(rgu.run("reward-robust", folder, seeds=2, iterations=5))
    2
    """
    chosen = _options(method, iterations, gradient, trajectories, horizon, options)
    if seeds is not None:
        several = isinstance(seeds, Iterable) and not isinstance(seeds, str)
        chosen["seeds"] = [_seed(seed) for seed in seeds] if several else _seed(seeds)  # type: ignore[union-attr]
    configured = _problem(problem)
    if not configured._core.is_file:
        raise ValueError(
            "a run folder needs a problem from a file or a built-in one, so that it can be "
            "resumed; this problem was made of parts: use solve"
        )
    configured = configured.with_options(chosen)
    follow, line = _following(callback, progress)
    try:
        _core.run(configured._core, os.fspath(out), force, threads, follow)
    finally:
        if line is not None:
            line.end()
    return load_run(out)


def resume(
    folder: PathLike,
    *,
    threads: int = 1,
    callback: Optional[Callback] = None,
    progress: bool = False,
) -> Run:
    """Goes on with a run that was interrupted: the same bytes as without the interruption.

    >>> import os, tempfile
    >>> import rgu
    >>> folder = os.path.join(tempfile.mkdtemp(), "run")
    >>> stopped = rgu.run(
    ...     "entropy", folder, method="worst-case", iterations=5, callback=lambda row: True
    ... )
    >>> stopped[0].interrupted
    True
    >>> rgu.resume(folder)[0].status
    'iteration limit'
    """
    follow, line = _following(callback, progress)
    try:
        _core.resume(os.fspath(folder), threads, follow)
    finally:
        if line is not None:
            line.end()
    return load_run(folder)


def load_run(folder: PathLike) -> Run:
    """The record of a run folder, of `rgu solve` or of `rgu.run`.

    >>> import os, tempfile
    >>> import rgu
    >>> folder = os.path.join(tempfile.mkdtemp(), "run")
    >>> made = rgu.run("entropy", folder, iterations=20)
    >>> bool((rgu.load_run(folder)[0].policy == made[0].policy).all())
    True
    """
    return Run(_core.load_run(os.fspath(folder)), folder)


def envelope(
    problem: ProblemLike, *, seed: int = 0, tolerance: float = 1e-6, iterations: int = 10000
) -> GlobalSolution:
    """The least worst case of all policies, with a proof: a GlobalSolution.

    For every utility that is convex in the occupancy. tolerance: the gap to prove, relative.
    Ctrl-C stops it with what was reached.

    >>> import rgu
    >>> rgu.envelope("inventory").certified
    True
    """
    return _core.envelope(_problem(problem)._core, _seed(seed), tolerance, iterations)


class Certificate(NamedTuple):
    """How far a policy is from the best possible, proven."""

    worst_case: WorstCase  # of the policy
    best: GlobalSolution  # the best policy there is, with its own proof
    lower_bound: float  # no policy has a smaller worst case
    gap: float  # the policy is within this of the global optimum


def certify(
    problem: ProblemLike,
    policy: Union[Result, ArrayLike],
    *,
    seed: Optional[int] = None,
    tolerance: float = 1e-6,
    iterations: int = 10000,
) -> Certificate:
    """How far a policy (S, A), or that of a Result, is from the best possible: a Certificate.

    For every utility that is convex in the occupancy.

    >>> import rgu
    >>> result = rgu.solve("exploration", method="worst-case", iterations=200)
    >>> certificate = rgu.certify("exploration", result)
    >>> 0 < certificate.gap < 0.01
    True
    """
    if isinstance(policy, Result):
        seed = policy.seed if seed is None else seed
        policy = policy.policy
    judged = _core.certify(_problem(problem)._core, policy, _seed(seed or 0), tolerance, iterations)
    return Certificate(**judged)


class Verification(NamedTuple):
    """What a check of one seed's certificate found."""

    seed: int
    holds: bool  # does every claim hold?
    failures: List[str]  # those that do not, one sentence each
    worst_case: WorstCase  # of the policy, found again
    claimed_bound: float  # NaN: there is no certificate
    proven_bound: float  # by its witness
    gap: float  # the policy is within this of the optimum


def verify(folder: PathLike) -> List[Verification]:
    """Checks the certificates of a run folder, as `rgu verify` does: one Verification per seed.

    >>> import os, tempfile
    >>> import rgu
    >>> folder = os.path.join(tempfile.mkdtemp(), "run")
    >>> made = rgu.run("inventory", folder, method="envelope")
    >>> rgu.verify(folder)[0].holds
    True
    """
    return [Verification(**entry) for entry in _core.verify(os.fspath(folder))]


def saddle_gradient(
    problem: ProblemLike, parameters: ArrayLike, nature: ArrayLike, *, seed: int = 0
) -> Tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """f_xi(lambda_theta) and its exact gradients in theta and xi: (value, (dimension,), (n,)).

    parameters: theta, (dimension,); nature: xi, (n,).

    >>> import numpy as np
    >>> import rgu
    >>> problem = rgu.Problem.from_file("exploration")
    >>> value, by_theta, by_xi = rgu.saddle_gradient(problem, np.zeros(50), problem.nominal())
    >>> by_theta.shape, by_xi.shape
    ((50,), (200,))
    """
    return _core.gradient(_problem(problem)._core, parameters, nature, _seed(seed))
