#!/usr/bin/python3
"""A utility of one's own in 15 lines: visit what nature weighs, but spread out."""

import numpy as np

import rgu


class SpreadOut(rgu.utility.CustomUtility):
    """-<xi, d> + |d|^2 / 2, d the masses of the states: convex in the occupancy, linear in xi."""

    def __init__(self, states, actions):
        super().__init__(states, actions, states, convex_in_occupancy=True, nature_shape="linear")

    def evaluate(self, occupancy, nature):
        mass = occupancy.sum(axis=1)
        gradient = np.repeat((mass - nature)[:, None], self.actions, axis=1)
        return -nature @ mass + mass @ mass / 2, gradient, -mass


utility = SpreadOut(10, 5)
print("gradients are right to", f"{rgu.utility.check_gradients(utility):.0e}")
problem = rgu.Problem(
    rgu.generators.random_model(10, 5), utility, rgu.ambiguity.ProbabilitySimplex(10)
)
result = rgu.solve(problem)
print(result)
assert result.status == "optimal (gap proven)"
