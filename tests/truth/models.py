"""Models and convex optima written again, apart from the library: what its runs are judged by."""

import math
import tomllib

import numpy as np
from scipy.optimize import linprog


class Model:
    """Kernel (S, A, S), start (S), discount, and named signals (S, A)."""

    def __init__(self, kernel, start, discount, signals):
        self.kernel, self.start, self.discount, self.signals = kernel, start, discount, signals
        self.states, self.actions, _ = kernel.shape

    def flow(self):
        """A, b with A lambda = b exactly on the occupancy polytope (and lambda >= 0)."""
        s, a = self.states, self.actions
        own = np.repeat(np.eye(s), a, axis=1)
        return own - self.discount * self.kernel.reshape(s * a, s).T, (1 - self.discount) * self.start

    def occupancy(self, policy):
        """lambda of a policy (S, A), by solving the flow equations for the state masses."""
        chain = np.einsum("sa,sat->st", policy, self.kernel)
        masses = np.linalg.solve((np.eye(self.states) - self.discount * chain).T,
                                 (1 - self.discount) * self.start)
        return masses[:, None] * policy

    def least(self, cost, constraints=(), thresholds=()):
        """min <cost, lambda> over the polytope, with <c_k, lambda> <= tau_k: (value, lambda)."""
        matrix, right = self.flow()
        upper = {}
        if len(constraints) > 0:
            upper = {"A_ub": np.array([c.ravel() for c in constraints]), "b_ub": thresholds}
        result = linprog(cost.ravel(), A_eq=matrix, b_eq=right, method="highs", **upper)
        assert result.status == 0, result.message
        return result.fun, result.x.reshape(self.states, self.actions)


def grid(config):
    """A grid world as the problem file describes it; letters name signals."""
    rows = config["map"].strip("\n").split("\n")
    cells = [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark != "#"]
    state = {cell: i for i, cell in enumerate(cells)}
    moves = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    kernel = np.zeros((len(cells), 4, len(cells)))
    marks = {}
    for (r, c), i in state.items():
        mark = rows[r][c]
        marks.setdefault(mark, np.zeros((len(cells), 4)))[i] = 1
        for a in range(4):
            if mark == "G" and config.get("goals", "absorbing") == "absorbing":
                kernel[i, a, i] = 1
                continue
            slip = config["slip"]
            for way, chance in ((a, 1 - slip), ((a + 1) % 4, slip / 2), ((a + 3) % 4, slip / 2)):
                to = (r + moves[way][0], c + moves[way][1])
                kernel[i, a, state.get(to, i)] += chance
    start = marks["S"][:, 0] / marks["S"][:, 0].sum()
    none = np.zeros((len(cells), 4))
    signals = {"goal": marks.get("G", none), "reward": marks.get("G", none),
               "hazard": marks.get("H", none)}
    signals.update({mark: table for mark, table in marks.items() if mark.islower()})
    return Model(kernel, start, config["discount"], signals)


def inventory(config):
    """One product, Poisson demand cut at 20, lost sales."""
    capacity = config["capacity"]
    orders = config.get("largest_order", capacity)
    demand = [math.exp(-config["mean_demand"]) * config["mean_demand"] ** d / math.factorial(d)
              for d in range(20)]
    demand.append(1 - sum(demand))
    shape = (capacity + 1, orders + 1)
    kernel = np.zeros((*shape, capacity + 1))
    signals = {name: np.zeros(shape) for name in ("revenue", "ordering", "holding", "lost_sales")}
    for s in range(capacity + 1):
        for a in range(orders + 1):
            stock = min(s + a, capacity)
            signals["ordering"][s, a] = config.get("unit_cost", 4) * (stock - s)
            for d, chance in enumerate(demand):
                kernel[s, a, max(stock - d, 0)] += chance
                signals["revenue"][s, a] += chance * config.get("price", 8) * min(stock, d)
                signals["holding"][s, a] += chance * config.get("holding_cost", 1) * max(stock - d, 0)
                signals["lost_sales"][s, a] += chance * max(d - stock, 0)
    start = np.zeros(capacity + 1)
    start[0] = 1
    return Model(kernel, start, config["discount"], signals)


def read_problem(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


class Envelope:
    """A convex cost of the occupancy with a subgradient: value(x), slope(x)."""

    def __init__(self, value, slope):
        self.value, self.slope = value, slope


def convex_optimum(model, cost, start, tolerance=1e-4, steps=400):
    """min of a convex cost over the polytope, by cutting planes in a box around nothing: upper and
    lower bound. Each step solves a linear program over all cuts so far."""
    matrix, right = model.flow()
    size = model.states * model.actions
    equal = np.hstack([matrix, np.zeros((model.states, 1))])
    cuts, offsets = [], []
    point, upper, lower = start.ravel(), math.inf, -math.inf
    best = point
    for _ in range(steps):
        value, slope = cost.value(point), cost.slope(point)
        if value < upper:
            upper, best = value, point
        cuts.append(np.append(slope, -1.0))
        offsets.append(slope @ point - value)
        result = linprog(np.append(np.zeros(size), 1.0), A_ub=np.array(cuts), b_ub=offsets,
                         A_eq=equal, b_eq=right, bounds=[(0, None)] * size + [(None, None)],
                         method="highs")
        assert result.status == 0, result.message
        lower = max(lower, result.fun)
        if upper - lower <= tolerance * max(abs(upper), 1e-12):
            break
        # Between the minimiser of the cuts and the best point: cuts alone jump from end to end.
        point = 0.4 * result.x[:size] + 0.6 * best
    return upper, lower
