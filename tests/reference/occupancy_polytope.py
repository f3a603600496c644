"""Projections onto the occupancy polytope and its support points, with a proof of each.

An interior-point method (projections) and HiGHS (support points) tell which entries are zero. Given
that, the optimality conditions are linear: they are solved and checked in rational arithmetic, so
what is written is the exact answer, rounded once.
"""

from fractions import Fraction

import fixture
import interior_point
from exact import dot, rational, solve, times, transpose
from models import dense, random_policy, with_unreachable_state
from numeric import linprog, np

SCALES = [0.05, 0.2, 1.0, 40.0]  # of the points around an occupancy, and of the directions


class Flow:
    """{x >= 0 : E x = (1-g) rho} over the state-action pairs of the states that can be reached.

    On all others x is 0: what flows through a set of states is what enters it.
    """

    def __init__(self, model):
        self.shape = model["states"], model["actions"]
        states = self.reachable(model)
        kernel = rational(model["kernel"])
        discount = Fraction(model["discount"])
        self.pairs = [s * self.shape[1] + a for s in states for a in range(self.shape[1])]
        self.matrix = [[(pair // self.shape[1] == t) - discount * kernel[pair][t]
                        for pair in self.pairs] for t in states]
        self.right = [(1 - discount) * Fraction(model["start"][t]) for t in states]

    @staticmethod
    def reachable(model):
        moves = model["kernel"].reshape(model["states"], model["actions"], -1).any(axis=1)
        found = model["start"] > 0
        for _ in found:
            found = found | moves[found].any(axis=0)
        return np.flatnonzero(found).tolist()

    def columns(self, chosen):
        return [[row[j] for j in chosen] for row in self.matrix]

    def rounded(self):
        return np.array(self.matrix, dtype=float), np.array(self.right, dtype=float)

    def restricted(self, x):
        return [x[pair] for pair in self.pairs]

    def extended(self, positive, values):
        """The vector over all pairs with these values on the positive entries, 0 elsewhere."""
        x = [Fraction(0)] * (self.shape[0] * self.shape[1])
        for j, entry in zip(positive, values):
            x[self.pairs[j]] = entry
        return x


def split(flags):
    """The positions where the flag is set, and the others."""
    return np.flatnonzero(flags).tolist(), np.flatnonzero(np.logical_not(flags)).tolist()


def nearest(flow, point):
    """x = z + E'y on the positive entries; z + E'y <= 0 proves that the others are rightly 0."""
    z = flow.restricted(rational(point))
    x, s = interior_point.nearest(*flow.rounded(), np.array(z, dtype=float))
    positive, zero = split(x > s)
    free = flow.columns(positive)
    gram = [[dot(row, other) for other in free] for row in free]
    gap = [b - image for b, image in zip(flow.right, times(free, [z[j] for j in positive]))]
    y = solve(gram, gap)
    pulled = [entry + pull for entry, pull in zip(z, times(transpose(flow.matrix), y))]
    assert all(pulled[j] > 0 for j in positive) and all(pulled[j] <= 0 for j in zero)
    exact = [pulled[j] for j in positive]
    assert times(free, exact) == flow.right
    assert np.abs(np.array(exact, dtype=float) - x[positive]).max() < 1e-9
    return flow.extended(positive, exact)


def highest(flow, direction):
    """A vertex: one action in each state. Negative reduced rewards of all others prove it best."""
    g = flow.restricted(rational(direction))
    matrix, right = flow.rounded()
    result = linprog(-np.array(g, dtype=float), A_eq=matrix, b_eq=right, method="highs")
    assert result.status == 0, result.message
    positive, zero = split(result.x > 1e-9)
    basis = flow.columns(positive)
    values = solve(basis, flow.right)
    prices = solve(transpose(basis), [g[j] for j in positive])
    reduced = [reward - price for reward, price in zip(g, times(transpose(flow.matrix), prices))]
    assert all(value > 0 for value in values) and all(reduced[j] < 0 for j in zero)
    return flow.extended(positive, values)


def some_occupancy(model, draw):
    """The occupancy of a random policy, in floating point."""
    pi = random_policy(draw, model)
    moves = np.einsum("sa,sat->st", pi, model["kernel"].reshape(*pi.shape, -1))
    g = model["discount"]
    d = np.linalg.solve(np.eye(len(pi)) - g * moves.T, (1 - g) * model["start"])
    return (d[:, None] * pi).ravel()


def case(name, model, draw):
    flow = Flow(model)
    around = some_occupancy(model, draw)
    size = len(around)
    points = [around] + [around + scale * draw.uniform(-1, 1, size) for scale in SCALES]
    directions = [scale * draw.uniform(-1, 1, size) for scale in SCALES]
    return {"name": name, "model": model,
            "projections": [{"point": point, "nearest": nearest(flow, point)} for point in points],
            "supports": [{"direction": g, "member": highest(flow, g)} for g in directions]}


def compute():
    draw = np.random.RandomState(53)
    models = {"dense_at_discount_0_9": dense(draw, 5, 4, 0.9),
              "dense_at_discount_0_99": dense(draw, 7, 3, 0.99),
              "unreachable_state": with_unreachable_state(draw, 6, 3, 0.95, unreachable=1)}
    return [case(name, model, draw) for name, model in models.items()]


if __name__ == "__main__":
    fixture.run(__file__, compute)
