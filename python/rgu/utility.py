"""Utilities: costs of the occupancy, and how to write one's own."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import (
    Constrained,
    CustomUtility,
    Drift,
    Entropy,
    FeatureRewardRobust,
    KlTarget,
    LinearReward,
    NatureRegularized,
    QuadraticTarget,
    RewardRobust,
    Sum,
    Utility,
    Variance,
)

__all__ = [
    "Constrained",
    "CustomUtility",
    "Drift",
    "Entropy",
    "FeatureRewardRobust",
    "FunctionUtility",
    "KlTarget",
    "LinearReward",
    "NatureRegularized",
    "QuadraticTarget",
    "RewardRobust",
    "Sum",
    "TorchUtility",
    "Utility",
    "Variance",
    "check_gradients",
]

Array = NDArray[np.float64]


class FunctionUtility(CustomUtility):
    """A utility from a pair of functions.

    value(occupancy (S, A), nature (n,)) returns a number; gradient(occupancy, nature) returns
    (gradient in the occupancy (S, A), gradient in nature (n,)), without nature the first alone.
    The other arguments are those of CustomUtility.

    >>> import rgu
    >>> f = rgu.utility.FunctionUtility(
    ...     lambda occupancy, nature: 0.5 * (occupancy**2).sum(),
    ...     lambda occupancy, nature: occupancy,
    ...     states=2, actions=3, convex_in_occupancy=True)
    >>> f
    FunctionUtility(states=2, actions=3, nature=0)
    """

    def __init__(
        self,
        value: Callable[[Array, Array], float],
        gradient: Callable[[Array, Array], Any],
        *,
        states: int,
        actions: int,
        nature_dimension: int = 0,
        convex_in_occupancy: bool = False,
        nature_shape: str = "nonconcave",
        strong_concavity: float = 0.0,
    ) -> None:
        super().__init__(
            states,
            actions,
            nature_dimension,
            convex_in_occupancy=convex_in_occupancy,
            nature_shape=nature_shape,
            strong_concavity=strong_concavity,
        )
        self._value = value
        self._gradient = gradient

    def evaluate(self, occupancy: Any, nature: Any = None) -> Any:
        """(value, gradient in the occupancy, gradient in nature), by the two functions."""
        gradient = self._gradient(occupancy, nature)
        if self.nature_dimension == 0:
            if not isinstance(gradient, tuple):
                gradient = (gradient,)
            return (self._value(occupancy, nature), gradient[0])
        if not isinstance(gradient, (tuple, list)) or len(gradient) != 2:
            raise ValueError(
                "gradient must return (gradient in the occupancy, gradient in nature), "
                f"not {type(gradient).__name__}"
            )
        return (self._value(occupancy, nature), gradient[0], gradient[1])


class TorchUtility(CustomUtility):
    """A utility of which only the value is written; PyTorch finds the gradients.

    value(occupancy (S, A), nature (n,)) takes and returns float64 tensors, the result a scalar.
    The other arguments are those of CustomUtility. Needs torch.

    >>> import rgu
    >>> try:
    ...     f = rgu.utility.TorchUtility(
    ...         lambda occupancy, nature: 0.5 * (occupancy**2).sum(),
    ...         states=2, actions=3, convex_in_occupancy=True)
    ... except ImportError as error:
    ...     f = rgu.utility.Entropy(2, 3)
    >>> f.nature_dimension
    0
    """

    def __init__(
        self,
        value: Callable[[Any, Any], Any],
        *,
        states: int,
        actions: int,
        nature_dimension: int = 0,
        convex_in_occupancy: bool = False,
        nature_shape: str = "nonconcave",
        strong_concavity: float = 0.0,
    ) -> None:
        super().__init__(
            states,
            actions,
            nature_dimension,
            convex_in_occupancy=convex_in_occupancy,
            nature_shape=nature_shape,
            strong_concavity=strong_concavity,
        )
        try:
            import torch
        except ImportError as error:
            raise ImportError(
                "TorchUtility needs PyTorch (Debian: python3-torch; pip: torch). "
                "CustomUtility and FunctionUtility do without it"
            ) from error
        self._torch = torch
        self._value = value

    def evaluate(self, occupancy: Any, nature: Any = None) -> Any:
        """(value, gradient in the occupancy, gradient in nature), by automatic differentiation."""
        torch = self._torch
        mass = torch.tensor(np.asarray(occupancy, dtype=np.float64), requires_grad=True)
        chosen = np.zeros(0) if nature is None else np.asarray(nature, dtype=np.float64)
        xi = torch.tensor(chosen, requires_grad=True)
        value = self._value(mass, xi)
        if not isinstance(value, torch.Tensor) or value.numel() != 1:
            raise ValueError(
                f"value must return a tensor with one entry, not {type(value).__name__}"
                + (f" of shape {tuple(value.shape)}" if isinstance(value, torch.Tensor) else "")
            )
        if not value.requires_grad:
            raise ValueError("value does not depend on the occupancy or on nature by torch operations")
        by_mass, by_xi = torch.autograd.grad(value, (mass, xi), allow_unused=True)
        zero = torch.zeros_like
        return (
            float(value),
            (zero(mass) if by_mass is None else by_mass).numpy(),
            (zero(xi) if by_xi is None else by_xi).numpy(),
        )


def check_gradients(
    utility: Utility,
    occupancy: Optional[ArrayLike] = None,
    nature: Optional[ArrayLike] = None,
    *,
    step: float = 1e-6,
    tolerance: float = 1e-5,
    seed: int = 0,
) -> float:
    """Checks both gradients of a utility by central differences; says which entry is wrong.

    occupancy: (S, A), positive; nature: (n,). Random ones are drawn where none is given.
    Returns the largest error, relative to max(1, largest entry of the gradient). Raises ValueError
    where it is above the tolerance.

    >>> import rgu
    >>> rgu.utility.check_gradients(rgu.utility.Entropy(3, 2)) < 1e-5
    True
    >>> class Wrong(rgu.utility.CustomUtility):
    ...     def evaluate(self, occupancy, nature):
    ...         gradient = 2 * occupancy
    ...         gradient[1, 0] = 0
    ...         return (occupancy**2).sum(), gradient
    >>> rgu.utility.check_gradients(Wrong(2, 1), [[0.5], [0.5]])
    Traceback (most recent call last):
    ...
    ValueError: Wrong: gradient in the occupancy [1, 0] is 0, finite differences say 1
    """
    rng = np.random.default_rng(seed)
    shape = (utility.states, utility.actions)
    if occupancy is None:
        mass = rng.dirichlet(np.full(shape[0] * shape[1], 5.0)).reshape(shape)
    else:
        mass = np.array(occupancy, dtype=np.float64)
    if nature is None:
        # Positive: some utilities, such as KL divergences from a target, have no other.
        xi = 0.1 + np.abs(rng.standard_normal(utility.nature_dimension))
    else:
        xi = np.array(nature, dtype=np.float64).ravel()

    def evaluated(at_mass: Array, at_xi: Array) -> Tuple[float, Array, Array]:
        # By way of the library, so that what a class written in Python returns is checked as well.
        return Utility.evaluate(utility, at_mass, at_xi)

    _, by_mass, by_xi = evaluated(mass, xi)

    def differences(point: Array, value: Callable[[Array], float]) -> Array:
        found = np.empty_like(point)
        for i in np.ndindex(point.shape):
            size = step * max(1.0, abs(point[i]))
            ahead, behind = point.copy(), point.copy()
            ahead[i] += size
            behind[i] -= size
            found[i] = (value(ahead) - value(behind)) / (ahead[i] - behind[i])
        return found

    worst = 0.0
    for what, given, found in (
        ("occupancy", by_mass, differences(mass, lambda x: evaluated(x, xi)[0])),
        ("nature", by_xi, differences(xi, lambda x: evaluated(mass, x)[0])),
    ):
        if given.size == 0:
            continue
        errors = np.abs(given - found) / max(1.0, float(np.abs(found).max()))
        at = np.unravel_index(int(errors.argmax()), errors.shape)
        worst = max(worst, float(errors[at]))
        if errors[at] > tolerance:
            index = ", ".join(str(int(i)) for i in at)
            raise ValueError(
                f"{type(utility).__name__}: gradient in the {what} [{index}] is {given[at]:.6g}, "
                f"finite differences say {found[at]:.6g}"
            )
    return worst
