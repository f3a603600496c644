"""What a solve came to: policies, worst cases, curves, pictures, tables."""

from __future__ import annotations

import html
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._core import WorstCase

if TYPE_CHECKING:
    import pandas

PathLike = Union[str, "os.PathLike[str]"]

Array = NDArray[np.float64]

_LOGARITHMIC = {"residual", "optimality_gap", "saddle_gap", "vi_gap", "policy_mapping", "nature_mapping"}


def _matplotlib() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError(
            "plot needs matplotlib (Debian: python3-matplotlib; pip: matplotlib); "
            "report writes a page with the same curves and needs nothing"
        ) from error
    return pyplot


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "to_pandas needs pandas (Debian: python3-pandas; pip: pandas); "
            "metrics has the same columns as NumPy arrays"
        ) from error
    return pandas


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.6g}"


def _table(rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(
        "<tr>"
        + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table>{cells}</table>"


class Mixture(NamedTuple):
    """A distribution over members of the ambiguity set."""

    weights: Array  # (k,), >= 0, sum 1
    members: Array  # (k, n)

    @property
    def mean(self) -> Array:
        """(n,): for a utility linear in xi, as good for the adversary as the mixture itself."""
        return np.asarray(self.weights @ self.members)


class Adversary(NamedTuple):
    """The adversary's side of a solution."""

    last: Array  # (n,): xi of the last iterate
    drawn: Array  # (n,): xi of the uniformly drawn iterate, the one that theorems speak of
    average: Optional[Array]  # (n,): of the iterates; None: the method does not average
    mixture: Optional[Mixture]  # what proves the lower bound; None: there is no such proof


class _Recorded:
    """What Result and Run have in common: a record and the pictures made of it."""

    _solution: "_core.Solution"

    @property
    def method(self) -> str:
        """The method in words, and why it was chosen."""
        return self._solution.method

    @property
    def warnings(self) -> List[str]:
        """What a reader must know, in whole sentences."""
        return self._solution.warnings

    @property
    def sampled(self) -> bool:
        """Was the model unknown? Then every number is an estimate from trajectories."""
        return self._solution.sampled

    def report(self, path: PathLike) -> Path:
        """Writes one HTML page that needs nothing else. Returns its path.

        >>> import os, tempfile
        >>> import rgu
        >>> result = rgu.solve("reward-robust")
        >>> result.report(os.path.join(tempfile.mkdtemp(), "out.html")).name
        'out.html'
        """
        page = Path(path)
        page.write_text(self._solution.html_report(), encoding="utf-8")
        return page

    def figures(self) -> Dict[str, str]:
        """Every figure of the report: name -> SVG text.

        >>> import rgu
        >>> "objective" in rgu.solve("entropy", iterations=20).figures()
        True
        """
        return self._solution.figures()

    def _results(self) -> List["Result"]:
        raise NotImplementedError

    def plot(self, *metrics: str, axes: Any = None) -> Any:
        """Draws metrics against iterations with matplotlib; returns the figure.

        metrics: names of columns of `metrics`; none: the worst case and the objective.
        axes: matplotlib axes to draw on, one for each metric.

        >>> import rgu
        >>> figure = rgu.solve("entropy", iterations=20).plot("objective")
        >>> len(figure.axes)
        1
        """
        pyplot = _matplotlib()
        results = self._results()
        names = list(metrics) or [
            name for name in ("envelope", "objective") if name in results[0].metrics
        ]
        for name in names:
            if name not in results[0].metrics:
                known = ", ".join(results[0].metrics)
                raise ValueError(f'there is no metric "{name}"; there are {known}')
        if axes is None:
            _, axes = pyplot.subplots(
                1, len(names), figsize=(4.5 * len(names), 3.2), squeeze=False, layout="constrained"
            )
        panels = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
        if len(panels) != len(names):
            raise ValueError(f"{len(panels)} axes for {len(names)} metrics")
        for panel, name in zip(panels, names):
            for result in results:
                panel.plot(
                    result.metrics["iteration"], result.metrics[name], label=f"seed {result.seed}"
                )
            panel.set_xlabel("iteration")
            panel.set_title(name.replace("_", " "))
            if name in _LOGARITHMIC:
                panel.set_yscale("log")
            if len(results) > 1:
                panel.legend(fontsize="small")
        return panels[0].figure


class Result(_Recorded):
    """What one seed of a problem came to.

    >>> import rgu
    >>> result = rgu.solve("inventory")
    >>> result.policy.shape
    (16, 9)
    >>> bool(result.worst_case.value >= result.nominal)
    True
    """

    def __init__(
        self, solution: "_core.Solution", index: int = 0, folder: Optional[Path] = None
    ) -> None:
        self._solution = solution
        self._index = index
        self._seed = solution.seed(index)
        self._folder = folder
        self._metrics: Optional[Dict[str, NDArray[Any]]] = None

    @property
    def seed(self) -> int:
        """The seed."""
        return self._seed.seed

    @property
    def status(self) -> str:
        """How it ended, in words."""
        return self._seed.status

    @property
    def solved(self) -> bool:
        """False: diverged, interrupted or infeasible; `status` and `notes` say."""
        return self._seed.solved

    @property
    def interrupted(self) -> bool:
        """Did Ctrl-C or the callback stop it? What was reached is there."""
        return self._seed.status == "interrupted"

    @property
    def policy(self) -> Array:
        """(S, A): pi(a|s), a read-only view."""
        return self._seed.policy

    @property
    def occupancy(self) -> Array:
        """(S, A): its occupancy, exact, or sampled where the model is not known."""
        return self._seed.occupancy

    @property
    def parameters(self) -> Array:
        """(dimension,): theta; the occupancy row by row where the method works on occupancies."""
        known = self._solution.parameters(self._index)
        if known.size == 0 and self._folder is not None:
            file = self._folder / f"seed-{self.seed}" / "policy.json"
            return np.array(json.loads(file.read_text(encoding="utf-8"))["parameters"])
        return known

    @property
    def nominal(self) -> float:
        """f at the nominal nature."""
        return self._seed.nominal

    @property
    def worst_case(self) -> WorstCase:
        """The worst case of the policy."""
        return self._seed.worst_case

    @property
    def adversary(self) -> Adversary:
        """What the adversary chose: last, drawn and average xi, and the mixture of the proof.

        >>> import rgu
        >>> mixture = rgu.solve("inventory", method="envelope").adversary.mixture
        >>> mixture.members.shape, float(mixture.weights.sum())
        ((1, 4), 1.0)
        """
        last, drawn, average, mixture = self._seed.adversary
        return Adversary(last, drawn, average, Mixture(*mixture) if mixture is not None else None)

    @property
    def multipliers(self) -> Optional[Array]:
        """(K,): of the limits of a constrained problem; None where the method does not find them.

        >>> import rgu
        >>> rgu.solve("constrained", method="envelope").multipliers.round(1)
        array([12.6, 10.8])
        """
        return self._seed.multipliers

    @property
    def lower_bound(self) -> float:
        """No policy has a smaller worst case; NaN where nothing was proven."""
        return self._seed.lower_bound

    @property
    def optimality_gap(self) -> float:
        """The worst case is within this of the global optimum; NaN: not known."""
        return self._seed.optimality_gap

    @property
    def baseline_worst_case(self) -> float:
        """The worst case of the policy trained without ambiguity; NaN where none was trained."""
        return self._seed.baseline_worst_case

    @property
    def published_worst_case(self) -> float:
        """The worst case of the published method's policy; NaN where it was not run."""
        return self._seed.published_worst_case

    @property
    def baseline_nominal(self) -> float:
        """f of that policy at the nominal nature."""
        return self._seed.baseline_nominal

    @property
    def notes(self) -> List[str]:
        """About this seed, then about the problem, in whole sentences."""
        return self._seed.notes + self._solution.notes

    @property
    def metrics(self) -> Dict[str, NDArray[Any]]:
        """Columns by name, one entry for each measured iteration; those never measured are absent.

        >>> import rgu
        >>> rgu.solve("entropy", iterations=20).metrics["iteration"][0]
        1
        """
        if self._metrics is None:
            self._metrics = self._seed.metrics
        return self._metrics

    def to_pandas(self) -> "pandas.DataFrame":
        """The metrics as a table, the iteration as its index. Needs pandas.

        >>> import rgu
        >>> "objective" in rgu.solve("entropy", iterations=20).to_pandas().columns
        True
        """
        return _pandas().DataFrame(dict(self.metrics)).set_index("iteration")

    def _results(self) -> List["Result"]:
        return [self]

    def __repr__(self) -> str:
        rows = len(self.metrics["iteration"])
        return (
            f"Result(seed={self.seed}, status={self.status!r}, "
            f"worst_case={self.worst_case.value:.6g} ({self.worst_case.kind}), "
            f"nominal={self.nominal:.6g}, policy={self.policy.shape}, measured={rows})"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("problem", self._solution.name),
            ("method", self.method),
            ("seed", str(self.seed)),
            ("status", self.status),
            ("worst case", f"{_number(self.worst_case.value)} ({self.worst_case.kind})"),
            ("nominal", _number(self.nominal)),
        ]
        if not math.isnan(self.optimality_gap):
            rows.append(("optimality gap", _number(self.optimality_gap)))
        if not math.isnan(self.baseline_worst_case):
            rows.append(("worst case of the nominal policy", _number(self.baseline_worst_case)))
        rows += [("warning", warning) for warning in self.warnings]
        rows += [("note", note) for note in self._seed.notes]
        return _table(rows)


class Run(_Recorded):
    """All seeds of a run folder.

    >>> import os, tempfile
    >>> import rgu
    >>> run = rgu.run("entropy", os.path.join(tempfile.mkdtemp(), "run"), iterations=20)
    >>> run
    Run('entropy', seeds=1, states=..., actions=...)
    """

    def __init__(self, solution: "_core.Solution", folder: PathLike) -> None:
        self._solution = solution
        self.folder = Path(folder).resolve()
        self.seeds = [Result(solution, i, self.folder) for i in range(len(solution))]

    @property
    def name(self) -> str:
        """Of the problem."""
        return self._solution.name

    @property
    def description(self) -> str:
        """Of the problem."""
        return self._solution.description

    @property
    def config(self) -> str:
        """The problem, complete, as TOML."""
        return self._solution.config

    @property
    def version(self) -> str:
        """Of rgu, and the compiler."""
        return self._solution.version

    @property
    def notes(self) -> List[str]:
        """What theory says, in whole sentences."""
        return self._solution.notes

    def to_pandas(self) -> "pandas.DataFrame":
        """The metrics of all seeds as one table, (seed, iteration) as its index. Needs pandas."""
        pandas = _pandas()
        frames = {result.seed: result.to_pandas() for result in self.seeds}
        return pandas.concat(frames, names=["seed"])

    def _results(self) -> List[Result]:
        return self.seeds

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, index: int) -> Result:
        return self.seeds[index]

    def __repr__(self) -> str:
        return (
            f"Run({self.name!r}, seeds={len(self.seeds)}, states={self._solution.states}, "
            f"actions={self._solution.actions})"
        )

    def _repr_html_(self) -> str:
        head = [("seed", "status", "worst case", "nominal")]
        rows = [
            (
                str(result.seed),
                result.status,
                f"{_number(result.worst_case.value)} ({result.worst_case.kind})",
                _number(result.nominal),
            )
            for result in self.seeds
        ]
        return f"<b>{html.escape(self.name)}</b><br>{html.escape(self.method)}" + _table(head + rows)
