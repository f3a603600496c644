"""The small models of the fixtures. A model is a dictionary, as in the JSON files:

states S, actions A, discount g, start (S), kernel (S * A, S) with P(s'|s,a) in row s * A + a.
"""

from fractions import Fraction

from exact import rational
from numeric import np


def normalised(table):
    return table / table.sum(axis=1, keepdims=True)


def model(kernel, start, discount):
    states = len(start)
    return {"states": states, "actions": len(kernel) // states, "discount": discount,
            "start": start, "kernel": kernel}


def dense(draw, states, actions, discount):
    """Every transition is possible; some are rare."""
    kernel = normalised(draw.random_sample((states * actions, states)) ** 3 + 0.001)
    start = normalised(draw.random_sample((1, states)))[0]
    return model(kernel, start, discount)


def chain(states, discount):
    """Sparse: action 0 steps back, action 1 forward against a current. Starts at 0."""
    kernel = np.zeros((states * 2, states))
    for s in range(states):
        back, ahead = max(s - 1, 0), min(s + 1, states - 1)
        for action, moves in enumerate([[(back, 0.9), (s, 0.1)],
                                        [(back, 0.05), (s, 0.35), (ahead, 0.6)]]):
            for target, probability in moves:
                kernel[s * 2 + action, target] += probability
    return model(kernel, np.eye(states)[0], discount)


def with_unreachable_state(draw, states, actions, discount, unreachable):
    """Nothing leads to one state and no run starts there, though it has transitions of its own."""
    kernel = draw.random_sample((states * actions, states)) + 0.05
    start = draw.random_sample((1, states)) + 0.05
    kernel[:, unreachable] = 0
    start[:, unreachable] = 0
    return model(normalised(kernel), normalised(start)[0], discount)


def random_policy(draw, world):
    return normalised(draw.random_sample((world["states"], world["actions"])) ** 2 + 0.01)


class ExactModel:
    """The model in fractions, with its policy evaluation equations."""

    def __init__(self, world):
        self.states, self.actions = world["states"], world["actions"]
        self.discount = Fraction(world["discount"])
        self.start = rational(world["start"])
        self.kernel = rational(world["kernel"])

    def row(self, state, action):
        return self.kernel[state * self.actions + action]

    def pushed(self, mass):
        """sum_{s,a} P(s'|s,a) mass(s,a), (S). mass: (S, A) fractions."""
        result = [Fraction(0)] * self.states
        for s, masses in enumerate(mass):
            for a, m in enumerate(masses):
                result = [r + m * p for r, p in zip(result, self.row(s, a))]
        return result

    def system(self, policy):
        """I - g P_pi, (S, S)."""
        moves = [[sum(weight * self.row(s, a)[t] for a, weight in enumerate(policy[s]))
                  for t in range(self.states)] for s in range(self.states)]
        return [[(s == t) - self.discount * moves[s][t] for t in range(self.states)]
                for s in range(self.states)]
