"""Least worst cases over all policies, of robust rewards and of constraints, on Garnet models.

With x >= 0 the occupancy of a policy, E x = (1-g) rho:
    rewards r in a box          minimise -<lower, x>
    |r - centre|_1 <= e         minimise -<centre, x> + e max x
    |r - centre|_2 <= e         minimise -<centre, x> + e |x|_2
    |r - centre|_inf <= e       minimise -<centre, x> + e sum x
    multipliers in [0, u]^K     minimise <c_0, x> + u sum_k max(0, <c_k, x> - tau_k)
The second-order cone program is solved by CVXOPT, the linear ones by HiGHS. What is stored is the
value of the policy found, recomputed from its occupancy, so it is never below the minimum; the
script fails unless the solver's dual bound is next to it. Weights of kernel and start are integers
and divided by their sums, all other inputs have few digits.
"""

import fixture
from numeric import SKIPPED, linprog, np

try:
    from cvxopt import matrix, solvers
except ImportError as missing:
    print(f"skipped, because the script needs CVXOPT: {missing}")
    raise SystemExit(SKIPPED) from missing

SEEDS = range(20)
AGREEMENT = 1e-9  # of a value and its dual bound, absolute

solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10)


class Model:
    """A Garnet model: each pair (s, a), row s * A + a, leads to a few states."""

    def __init__(self, seed):
        draw = np.random.RandomState(seed)
        self.draw = draw
        self.states, self.actions = int(draw.randint(5, 31)), int(draw.randint(2, 5))
        self.pairs = self.states * self.actions
        branching = draw.randint(2, 5)
        self.discount = round(draw.uniform(0.7, 0.97), 3)
        self.start = draw.randint(0, 10, self.states) + np.eye(self.states, dtype=int)[0]
        self.successors = np.array([np.sort(draw.choice(self.states, branching, replace=False))
                                    for _ in range(self.pairs)])
        self.weights = draw.randint(1, 100, (self.pairs, branching))
        self.kernel = np.zeros((self.pairs, self.states))
        np.put_along_axis(self.kernel, self.successors,
                          self.weights / self.weights.sum(axis=1, keepdims=True), axis=1)
        # E x = source.
        self.flow = np.repeat(np.eye(self.states), self.actions, axis=1)
        self.flow -= self.discount * self.kernel.T
        self.source = (1 - self.discount) * self.start / self.start.sum()

    def table(self, low, high):
        """A function of (s, a), flat."""
        return np.round(self.draw.uniform(low, high, self.pairs), 3)

    def member(self, occupancy):
        """The occupancy of the policy that `occupancy` has up to the errors of its solver."""
        mass = np.maximum(occupancy, 0).reshape(self.states, self.actions)
        visits = mass.sum(axis=1, keepdims=True)
        policy = np.where(visits > 0, mass / np.where(visits > 0, visits, 1), 1 / self.actions)
        moves = np.einsum("sa,sat->st", policy,
                          self.kernel.reshape(self.states, self.actions, self.states))
        visited = np.linalg.solve(np.eye(self.states) - self.discount * moves.T, self.source)
        return (visited[:, None] * policy).ravel()


def proven(value, bound):
    assert bound - AGREEMENT <= value <= bound + AGREEMENT, (value, bound)
    return value


def linear_minimum(model, cost, rows=None, limits=None):
    """x of the least <cost, (x, y)> over occupancies x and y >= 0 with rows (x, y) <= limits; and
    the dual bound."""
    extra = len(cost) - model.pairs
    equations = np.hstack([model.flow, np.zeros((model.states, extra))])
    found = linprog(cost, A_ub=rows, b_ub=limits, A_eq=equations, b_eq=model.source,
                    method="highs", options={"primal_feasibility_tolerance": 1e-10,
                                             "dual_feasibility_tolerance": 1e-10})
    assert found.status == 0, found.message
    bound = found.eqlin.marginals @ model.source
    if limits is not None:
        bound += found.ineqlin.marginals @ limits
    return found.x[:model.pairs], bound


def linear_cost(model, cost):
    x, bound = linear_minimum(model, cost)
    return proven(cost @ model.member(x), bound)


def max_norm_cost(model, cost, radius):
    """min <cost, x> + radius max x: one variable above all x."""
    rows = np.hstack([np.eye(model.pairs), -np.ones((model.pairs, 1))])
    x, bound = linear_minimum(model, np.append(cost, radius), rows, np.zeros(model.pairs))
    x = model.member(x)
    return proven(cost @ x + radius * x.max(), bound)


def euclidean_cost(model, cost, radius):
    """min <cost, x> + radius t over (t, x) in the second-order cone."""
    pairs = model.pairs
    nonnegative = np.hstack([-np.eye(pairs), np.zeros((pairs, 1))])
    cone = -np.eye(pairs + 1)[[pairs] + list(range(pairs))]
    equations = np.hstack([model.flow, np.zeros((model.states, 1))])
    found = solvers.socp(matrix(np.append(cost, radius)),
                         Gl=matrix(nonnegative), hl=matrix(np.zeros(pairs)),
                         Gq=[matrix(cone)], hq=[matrix(np.zeros(pairs + 1))],
                         A=matrix(equations), b=matrix(model.source), kktsolver="ldl")
    x = model.member(np.array(found["x"]).ravel()[:pairs])
    return proven(cost @ x + radius * np.linalg.norm(x), found["dual objective"])


def penalised_cost(model, objective, constraints, thresholds, price):
    """One variable above each constraint's excess."""
    count = len(constraints)
    rows = np.hstack([constraints, -np.eye(count)])
    cost = np.concatenate([objective, np.full(count, price)])
    x, bound = linear_minimum(model, cost, rows, thresholds)
    x = model.member(x)
    excess = np.maximum(constraints @ x - thresholds, 0)
    return proven(objective @ x + price * excess.sum(), bound)


def robust_rewards(model):
    reward = model.table(-1, 1)
    lower = np.round(reward - model.table(0, 0.5), 3)
    upper = np.round(reward + model.table(0, 0.5), 3)
    wide, medium, narrow = (round(scale * model.draw.uniform(0.1, 1), 2) for scale in (5, 2, 1))
    return {"centre": reward, "lower": lower, "upper": upper,
            "radius_1": wide, "radius_2": medium, "radius_inf": narrow,
            "minimum_box": linear_cost(model, -lower),
            "minimum_1": max_norm_cost(model, -reward, wide),
            "minimum_2": euclidean_cost(model, -reward, medium),
            "minimum_inf": linear_cost(model, -reward) + narrow}


def constrained(model, count):
    """Thresholds between the least of a constraint and its value at the best policy without."""
    objective = model.table(-1, 1)
    constraints = np.array([model.table(0, 1) for _ in range(count)])
    free = model.member(linear_minimum(model, objective)[0])
    least = np.array([linear_cost(model, c) for c in constraints])
    share = model.draw.uniform(0.2, 0.8, count)
    thresholds = np.round(least + share * (constraints @ free - least), 3)
    price = [0.7, 5.0, 50.0][model.draw.randint(3)]
    return {"objective": objective, "constraints": constraints, "thresholds": thresholds,
            "price": price,
            "minimum": penalised_cost(model, objective, constraints, thresholds, price)}


def compute():
    cases = []
    for seed in SEEDS:
        model = Model(seed)
        cases.append({"name": f"seed_{seed}", "states": model.states, "actions": model.actions,
                      "discount": model.discount, "start": model.start,
                      "successors": model.successors, "weights": model.weights,
                      "rewards": robust_rewards(model),
                      "constrained": constrained(model, 1 + seed % 3)})
    return cases


if __name__ == "__main__":
    fixture.run(__file__, compute)
