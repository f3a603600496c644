"""Occupancies, values and optimal plans of small models, solved in rational arithmetic."""

from fractions import Fraction
from itertools import product

import fixture
from exact import dot, rational, solve, transpose
from models import ExactModel, chain, dense, random_policy, with_unreachable_state
from numeric import np

HORIZONS = [1, 7, 40]


def state_occupancy(world, policy):
    """d with (I - g P_pi') d = (1-g) rho."""
    right = [(1 - world.discount) * p for p in world.start]
    return solve(transpose(world.system(policy)), right)


def spread(masses, policy):
    """lambda(s,a) = d(s) pi(a|s)."""
    return [[mass * p for p in row] for mass, row in zip(masses, policy)]


def truncated(world, policy, horizon):
    """(1-g) sum_{t < horizon} g^t Pr(s_t = s, a_t = a), term by term."""
    present, weight = world.start, 1 - world.discount
    total = [Fraction(0)] * world.states
    for _ in range(horizon):
        total = [mass + weight * p for mass, p in zip(total, present)]
        present = world.pushed(spread(present, policy))
        weight *= world.discount
    return spread(total, policy)


def action_value(world, cost, value):
    return [[cost[s][a] + world.discount * dot(world.row(s, a), value)
             for a in range(world.actions)] for s in range(world.states)]


def value(world, policy, cost):
    return solve(world.system(policy), [dot(row, c) for row, c in zip(policy, cost)])


def check_series(world, policy, masses):
    """The first 60,000 terms of the series, in floating point, come to the same."""
    moves = np.array([[float((s == t) - entry) for t, entry in enumerate(row)]
                      for s, row in enumerate(world.system(policy))])  # g P_pi
    term = np.array([float((1 - world.discount) * p) for p in world.start])
    total = np.zeros(world.states)
    for _ in range(60000):
        total += term
        term = moves.T @ term
    assert np.abs(total - np.array(masses, dtype=float)).max() < 1e-12


def optimal_plan(model, world, cost):
    """The best deterministic policy: found by trying all, proven best by exact inequalities."""
    states, actions = world.states, world.actions
    choices = np.array(list(product(range(actions), repeat=states)))
    rows = np.arange(states) * actions + choices
    systems = np.eye(states) - model["discount"] * model["kernel"][rows]
    costs = np.array(cost, dtype=float).ravel()[rows]
    best = choices[np.argmin(np.linalg.solve(systems, costs[..., None]).sum(axis=(1, 2)))].tolist()
    policy = rational([[int(a == chosen) for a in range(actions)] for chosen in best])
    values = value(world, policy, cost)
    for s, row in enumerate(action_value(world, cost, values)):
        assert all(q > values[s] for a, q in enumerate(row) if a != best[s]), "not the only optimum"
    return {"action": best, "value": values}


def flow_residual(world, mass):
    """The largest violation of the flow equations and of mass >= 0."""
    pushed = world.pushed(mass)
    flows = [abs(sum(row) - (1 - world.discount) * p - world.discount * q)
             for row, p, q in zip(mass, world.start, pushed)]
    return max(flows + [-entry for row in mass for entry in row])


def recovered_policy(mass):
    return [[entry / sum(row) if sum(row) else Fraction(1, len(row)) for entry in row]
            for row in mass]


def case(name, model, draw):
    world = ExactModel(model)
    policy_given = random_policy(draw, model)
    cost_given = draw.uniform(-1, 1, (world.states, world.actions))
    stray = draw.uniform(-0.02, 0.2, (world.states, world.actions))
    mass = draw.random_sample((world.states, world.actions))
    mass[1] = 0
    policy, cost = rational(policy_given), rational(cost_given)
    masses = state_occupancy(world, policy)
    check_series(world, policy, masses)
    values = value(world, policy, cost)
    return {
        "name": name, "model": model, "policy": policy_given, "cost": cost_given,
        "state_occupancy": masses,
        "occupancy": spread(masses, policy),
        "truncated": [{"horizon": horizon, "occupancy": truncated(world, policy, horizon)}
                      for horizon in HORIZONS],
        "value": values,
        "action_value": action_value(world, cost, values),
        "plan": optimal_plan(model, world, cost),
        "stray": {"occupancy": stray, "flow_residual": flow_residual(world, rational(stray))},
        "recovered": {"occupancy": mass, "policy": recovered_policy(rational(mass))},
    }


def compute():
    draw = np.random.RandomState(11)
    models = {f"dense_at_discount_{str(g).replace('.', '_')}": dense(draw, 6, 3, g)
              for g in (0.5, 0.95, 0.999)}
    models["sparse_chain"] = chain(8, 0.97)
    models["unreachable_state"] = with_unreachable_state(draw, 5, 2, 0.9, unreachable=3)
    return [case(name, model, draw) for name, model in models.items()]


if __name__ == "__main__":
    fixture.run(__file__, compute)
