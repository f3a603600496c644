"""Environments whose model is not known: Gymnasium's interface as a source of trajectories."""

from __future__ import annotations

import operator
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

ENDED = -1  # in trajectories: they ended before

_TERMINALS = ("absorb", "restart")


def _whole(value: Any, what: str) -> int:
    """A whole number, also where it comes as an array with one entry."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{what} is {value!r}, must be a whole number") from None


def _numbers(value: Any, parallel: int, what: str) -> NDArray[np.int64]:
    """One whole number for each of the environments side by side."""
    numbers = np.asarray(value)
    if numbers.shape != (parallel,) or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"{what} gave observations of shape {numbers.shape} and dtype {numbers.dtype}, "
            f"must be {parallel} whole numbers"
        )
    return numbers.astype(np.int64)


def _count(given: Optional[int], space: Any, name: str) -> int:
    if given is None:
        return _size(space, name)
    count = _whole(given, name)
    if count < 1:
        raise ValueError(f"{name} is {count}, must be >= 1")
    return count


def _size(space: Any, name: str) -> int:
    count = getattr(space, "n", None)
    if count is None or int(count) < 1:
        raise ValueError(f"{name} is {space!r}, must be discrete: an object with a number n >= 1")
    if int(getattr(space, "start", 0)) != 0:
        raise ValueError(f"{name} is {space!r}, must begin at 0")
    return int(count)


def _observation(result: Any) -> Any:
    """Of reset: (observation, info) in Gymnasium, the observation alone in older ones."""
    return result[0] if isinstance(result, tuple) else result


def _step(result: Any) -> Tuple[Any, Any, Any, Any]:
    """(observation, terminated, truncated, info) of the five or, in older ones, four of step."""
    if not isinstance(result, tuple) or len(result) not in (4, 5):
        raise ValueError(
            "step must return (observation, reward, terminated, truncated, info), "
            f"not {type(result).__name__} of {len(result) if isinstance(result, tuple) else 1}"
        )
    if len(result) == 5:
        return result[0], result[2], result[3], result[4]
    # Older ones: one flag, and a time limit is told by the info, one of them or a list.
    observation, _, done, info = result
    infos = info if isinstance(info, (list, tuple)) else [info]
    limits = [bool(isinstance(i, dict) and i.get("TimeLimit.truncated", False)) for i in infos]
    cut = np.asarray(done, dtype=bool) & np.asarray(limits if isinstance(info, (list, tuple)) else limits[0])
    return observation, np.asarray(done, dtype=bool) & ~cut, cut, info if isinstance(info, dict) else {}


class Environment:
    """An environment with discrete spaces as the world of a problem: only trajectories are known.

    env: any object with reset(seed=..) and step(action) as Gymnasium has them, single or
      vectorised (num_envs). Observations and actions are whole numbers from 0.
    discount: strictly between 0 and 1.
    states, actions: where the object has no observation_space.n and action_space.n.
    terminal: what follows the end of an episode. "absorb": the last state holds for ever;
      "restart": a new episode begins within the same trajectory (single environments only).
    Episodes that are truncated by a time limit end their trajectory: what would follow counts as
    nothing, and `truncated` counts them.

    All that is random is a function of the seed of `solve`, as far as the environment keeps to the
    seed it is given.

    >>> import numpy as np
    >>> import rgu
    >>> class Coin:
    ...     observation_space = type("Discrete", (), {"n": 2})()
    ...     action_space = type("Discrete", (), {"n": 2})()
    ...     def reset(self, seed=None):
    ...         self.rng = np.random.default_rng(seed)
    ...         return 0, {}
    ...     def step(self, action):
    ...         return int(self.rng.random() < 0.9) if action == 1 else 0, 0.0, False, False, {}
    >>> environment = rgu.Environment(Coin(), discount=0.8)
    >>> environment
    Environment(states=2, actions=2, discount=0.8, terminal='absorb')
    """

    def __init__(
        self,
        env: Any,
        discount: float,
        *,
        states: Optional[int] = None,
        actions: Optional[int] = None,
        terminal: str = "absorb",
    ) -> None:
        for method in ("reset", "step"):
            if not callable(getattr(env, method, None)):
                raise TypeError(f"{type(env).__name__} has no method {method}")
        if terminal not in _TERMINALS:
            raise ValueError(f'terminal is "{terminal}", must be "absorb" or "restart"')
        if not 0 < discount < 1:
            raise ValueError(f"discount is {discount}, must lie strictly between 0 and 1")
        self.env = env
        self.discount = float(discount)
        self.terminal = terminal
        self.parallel: Optional[int] = getattr(env, "num_envs", None)
        if self.parallel is not None and terminal == "restart":
            raise ValueError(
                'terminal="restart" is not for vectorised environments, whose own resets differ; '
                'use a single environment or terminal="absorb"'
            )
        prefix = "" if self.parallel is None else "single_"
        name = prefix + "observation_space"
        self.states = _count(states, getattr(env, name, None), name if states is None else "states")
        name = prefix + "action_space"
        self.actions = _count(actions, getattr(env, name, None), name if actions is None else "actions")
        self.truncated = 0  # trajectories that a time limit has cut so far

    def __repr__(self) -> str:
        return (
            f"Environment(states={self.states}, actions={self.actions}, "
            f"discount={self.discount}, terminal='{self.terminal}')"
        )

    def trajectories(
        self, policy: NDArray[np.float64], count: int, horizon: int, seed: Any
    ) -> Tuple[NDArray[np.int32], NDArray[np.int32]]:
        """States and actions, (count, horizon) each, of `count` trajectories of a policy (S, A).

        Entries after an early end are -1. seed: a number, or several.

        >>> import numpy as np
        >>> import rgu
        >>> class Stay:
        ...     def reset(self, seed=None): return 0, {}
        ...     def step(self, action): return 0, 0.0, False, False, {}
        >>> stay = rgu.Environment(Stay(), 0.5, states=1, actions=1)
        >>> stay.trajectories(np.ones((1, 1)), 2, 3, seed=0)[0]
        array([[0, 0, 0],
               [0, 0, 0]], dtype=int32)
        """
        if np.shape(policy) != (self.states, self.actions):
            raise ValueError(
                f"the policy has shape {np.shape(policy)}, must be ({self.states}, {self.actions})"
            )
        rng = np.random.default_rng(seed)
        cumulative = np.cumsum(policy, axis=1)
        cumulative[:, -1] = np.inf  # rounding must not leave a gap above the last action
        if self.parallel is None:
            return self._one_by_one(cumulative, count, horizon, rng)
        return self._side_by_side(cumulative, count, horizon, rng, self.parallel)

    def _state(self, observation: Any) -> int:
        state = _whole(observation, "an observation")
        if not 0 <= state < self.states:
            raise ValueError(
                f"the environment gave the observation {state}, must be in 0 .. {self.states - 1}"
            )
        return state

    def _one_by_one(
        self, cumulative: NDArray[np.float64], count: int, horizon: int, rng: np.random.Generator
    ) -> Tuple[NDArray[np.int32], NDArray[np.int32]]:
        states = np.full((count, horizon), ENDED, dtype=np.int32)
        actions = np.full((count, horizon), ENDED, dtype=np.int32)
        for i in range(count):
            draws = rng.random(horizon)
            state = self._state(_observation(self.env.reset(seed=int(rng.integers(2**31)))))
            absorbed = False
            for h in range(horizon):
                action = int(np.searchsorted(cumulative[state], draws[h], side="right"))
                states[i, h], actions[i, h] = state, action
                if absorbed or h + 1 == horizon:
                    continue
                observation, terminated, truncated, _ = _step(self.env.step(action))
                state = self._state(observation)
                if terminated and self.terminal == "restart":
                    state = self._state(_observation(self.env.reset()))
                elif terminated:
                    absorbed = True
                elif truncated:
                    self.truncated += 1
                    break
        return states, actions

    def _side_by_side(
        self,
        cumulative: NDArray[np.float64],
        count: int,
        horizon: int,
        rng: np.random.Generator,
        parallel: int,
    ) -> Tuple[NDArray[np.int32], NDArray[np.int32]]:
        rounds = -(-count // parallel)
        states = np.full((rounds * parallel, horizon), ENDED, dtype=np.int32)
        actions = np.full((rounds * parallel, horizon), ENDED, dtype=np.int32)
        for begin in range(0, rounds * parallel, parallel):
            rows = slice(begin, begin + parallel)
            seed = int(rng.integers(2**31))
            state = _numbers(_observation(self.env.reset(seed=seed)), parallel, "reset")
            alive = np.ones(parallel, dtype=bool)  # steps still count
            cut = np.zeros(parallel, dtype=bool)
            for h in range(horizon):
                if state.min() < 0 or state.max() >= self.states:
                    raise ValueError(
                        f"the environment gave observations from {state.min()} to {state.max()}, "
                        f"must be in 0 .. {self.states - 1}"
                    )
                draws = rng.random(parallel)
                action = (cumulative[state] <= draws[:, None]).sum(axis=1)
                states[rows, h] = np.where(cut, ENDED, state)
                actions[rows, h] = np.where(cut, ENDED, action)
                if h + 1 == horizon or not alive.any():
                    continue
                observation, terminated, truncated, info = _step(self.env.step(action))
                following = _numbers(observation, parallel, "step")
                ended = alive & np.asarray(terminated, dtype=bool)
                final = info.get("final_obs", info.get("final_observation"))
                for i in np.flatnonzero(ended):
                    if final is not None and final[i] is not None:
                        following[i] = int(final[i])
                state = np.where(alive, following, state)
                stopped = alive & ~ended & np.asarray(truncated, dtype=bool)
                self.truncated += int(stopped.sum())
                cut |= stopped
                alive &= ~(ended | stopped)
        return states[:count], actions[:count]
