"""Problems: a world, a utility and an ambiguity set."""

from __future__ import annotations

import html
import math
import os
from typing import Any, Dict, List, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import ConvexSet, FiniteMdp, PolicyClass, Utility, World
from ._environment import Environment

Options = Mapping[str, Any]

# What a problem that a program made of parts has besides its parts.
_FREE_TABLES = ("solver", "gradient", "stopping", "output")


def _toml(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isinf(number) or math.isnan(number):
            return repr(number)
        text = repr(number)
        return text if any(c in text for c in ".e") else text + ".0"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(entry) for entry in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + "}"
    raise TypeError(f"an option cannot be a {type(value).__name__}: {value!r}")


def overrides_of(options: Optional[Options]) -> List[str]:
    """{"table.key": value} as "table.key=value"."""
    return [f"{key}={_toml(value)}" for key, value in (options or {}).items()]


def built_in_problems() -> Dict[str, str]:
    """The problems that come with rgu: name -> description.

    >>> import rgu
    >>> "exploration" in rgu.built_in_problems()
    True
    """
    return _core.built_in_problems()


class Problem:
    """A world, a utility and an ambiguity set: min over policies, max over the set, of the utility.

    model: a FiniteMdp, a World, or an Environment of which only trajectories are known.
    utility: of `rgu.utility`, for the model's states and actions.
    ambiguity: of `rgu.ambiguity`, for the utility's nature. None: nature plays `nominal`.
    policy: of `rgu.policy`; None is TabularSoftmax.
    parameters: the set of policy parameters; None is the box [-10, 10].
    nominal: (n,), the utility to compare with; None is the centre of the ambiguity set.
    start: (dimension,), where the policy's parameters begin; None is 0.

    `Problem.from_file` takes the built-in problems and problem files instead.

    >>> import numpy as np
    >>> import rgu
    >>> world = rgu.generators.random_model(4, 2)
    >>> rgu.Problem(world, rgu.utility.Entropy(4, 2))
    Problem('problem', states=4, actions=2, nature=0, parameters=8)
    """

    def __init__(
        self,
        model: Union[FiniteMdp, World, Environment],
        utility: Utility,
        ambiguity: Optional[ConvexSet] = None,
        *,
        policy: Optional[PolicyClass] = None,
        parameters: Optional[ConvexSet] = None,
        nominal: Optional[ArrayLike] = None,
        start: Optional[ArrayLike] = None,
        name: str = "problem",
        description: str = "",
    ) -> None:
        parts = (utility, ambiguity, policy, parameters, nominal, start, name, description)
        if isinstance(model, Environment):
            if (utility.states, utility.actions) != (model.states, model.actions):
                raise ValueError(
                    f"the utility is for {utility.states} states and {utility.actions} actions, "
                    f"the environment has {model.states} and {model.actions}"
                )
            self._core = _core.Problem.from_environment(model.trajectories, model.discount, *parts)
            return
        if isinstance(model, FiniteMdp):
            model = World(model)
        if not isinstance(model, World):
            raise TypeError(
                f"model is a {type(model).__name__}, must be a FiniteMdp, a World or an Environment"
            )
        self._core = _core.Problem.from_parts(model, *parts)

    @classmethod
    def _of(cls, core: _core.Problem) -> "Problem":
        problem = cls.__new__(cls)
        problem._core = core
        return problem

    @classmethod
    def from_file(
        cls, name: Union[str, "os.PathLike[str]"], options: Optional[Options] = None
    ) -> "Problem":
        """A built-in problem by its name, else a problem file (TOML).

        options: {"table.key": value}, on top of what the file says.

        >>> import rgu
        >>> rgu.Problem.from_file("exploration", {"ambiguity.radius": 0.3})
        Problem('exploration', states=10, actions=5, nature=200, parameters=50)
        """
        return cls._of(_core.Problem.from_file(os.fspath(name), overrides_of(options)))

    @classmethod
    def from_text(cls, text: str, options: Optional[Options] = None) -> "Problem":
        """A problem from the text of a problem file (TOML).

        >>> import rgu
        >>> rgu.Problem.from_text('''
        ... name = "river"
        ... [model]
        ... generator = "river-swim"
        ... [utility]
        ... type = "reward"
        ... ''').name
        'river'
        """
        return cls._of(_core.Problem.from_text(text, overrides_of(options)))

    def with_options(self, options: Options) -> "Problem":
        """The same problem with other options: {"table.key": value}.

        A problem made of parts has the tables solver, gradient, stopping and output.

        >>> import rgu
        >>> rgu.Problem.from_file("entropy").with_options({"stopping.iterations": 5}).name
        'entropy'
        """
        if not self._core.is_file:
            for key in options:
                if key.split(".")[0] not in _FREE_TABLES:
                    raise ValueError(
                        f"{key}: a problem made of parts has only the tables "
                        + ", ".join(_FREE_TABLES)
                    )
        return Problem._of(self._core.with_options(overrides_of(options)))

    @property
    def name(self) -> str:
        """Its name."""
        return self._core.name

    @property
    def description(self) -> str:
        """What it is about, in a sentence."""
        return self._core.description

    @property
    def seeds(self) -> List[int]:
        """The seeds that a run of it has."""
        return self._core.seeds

    def world(self, seed: int = 0) -> World:
        """The World of one seed.

        >>> import rgu
        >>> rgu.Problem.from_file("inventory").world().mdp.states
        16
        """
        return self._core.world(seed)

    def utility(self, seed: int = 0) -> Utility:
        """The utility of one seed.

        >>> import rgu
        >>> rgu.Problem.from_file("exploration").utility()
        Drift(states=10, actions=5, nature=200)
        """
        return self._core.utility(seed)

    def ambiguity(self, seed: int = 0) -> ConvexSet:
        """The ambiguity set of one seed.

        >>> import rgu
        >>> rgu.Problem.from_file("exploration").ambiguity()
        FrobeniusBall(rows=10, columns=20, radius=0.5)
        """
        return self._core.ambiguity(seed)

    def nominal(self, seed: int = 0) -> NDArray[np.float64]:
        """The nominal nature of one seed, (n,).

        >>> import rgu
        >>> rgu.Problem.from_file("inventory").nominal()
        array([ 1., -1., -1., -2.])
        """
        return self._core.nominal(seed)

    def to_toml(self) -> str:
        """The problem as the text of a problem file, every key with its value.

        >>> import rgu
        >>> 'radius = 0.5' in rgu.Problem.from_file("exploration").to_toml()
        True
        """
        if not self._core.is_file:
            raise ValueError("a problem made of parts has no file")
        return self._core.to_toml()

    def __repr__(self) -> str:
        sizes = self._core.sizes(self._first_seed())
        return (
            f"Problem({self.name!r}, states={sizes['states']}, actions={sizes['actions']}, "
            f"nature={sizes['nature']}, parameters={sizes['parameters']})"
        )

    def _first_seed(self) -> int:
        return self.seeds[0] if self.seeds else 0

    def _repr_html_(self) -> str:
        sizes = self._core.sizes(self._first_seed())
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
            f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>"
            for key, value in sizes.items()
        )
        about = f"<p>{html.escape(self.description)}</p>" if self.description else ""
        return f"<b>{html.escape(self.name)}</b>{about}<table>{rows}</table>"
