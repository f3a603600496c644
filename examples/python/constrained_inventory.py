#!/usr/bin/python3
"""A shop that may lose only so many sales: constrained reinforcement learning, certified.

Maximise revenue - ordering - holding subject to a bound on the units of demand not met, as
min over the policy, max over the multiplier.
"""

import numpy as np

import rgu

world = rgu.generators.inventory(capacity=15, largest_order=8, mean_demand=4.0)
lost = world.signals["lost_sales"]
S, A = lost.shape
LIMIT = 0.05

free = rgu.plan(world.mdp, -world.signals["reward"])[0]
utility = rgu.utility.Constrained(-world.signals["reward"], [lost], [LIMIT])
problem = rgu.Problem(world, utility, rgu.ambiguity.Box([0.0], [200.0]), nominal=[0.0])
result = rgu.solve(problem, options={"solver": {"method": "envelope", "tolerance": 1e-7}},
                   iterations=2000)


def told(name, policy):
    occupancy = rgu.occupancy(world.mdp, policy)
    profit, unmet = ((world.signals["reward"] * occupancy).sum(), (lost * occupancy).sum())
    print(f"{name:<16} profit {profit:.4f} a period, lost sales {unmet:.4f}")
    return profit, unmet


profit_free, lost_free = told("without a limit", free)
profit, unmet = told("with a limit", result.policy)
print(result.status)
print("orders by stock:", " ".join(f"{order:.1f}" for order in result.policy @ np.arange(A)))

assert lost_free > LIMIT and unmet <= LIMIT + 1e-5
assert profit <= profit_free
