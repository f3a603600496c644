#!/usr/bin/python3
"""The paper's experiment: explore every direction of a feature space that may drift.

The utility is minus the least eigenvalue of W M W', M the second moment of the features under the
policy; nature moves W within a Frobenius ball around the partial identity. The model, the features
and the ball are made here; the built-in problem "exploration" is the same.
"""

import numpy as np

import rgu

S, A, D, FEATURES = 10, 5, 10, 20
world = rgu.generators.random_model(S, A, 0.95, seed=0)
psi = np.random.default_rng(0).normal(size=(S, A, FEATURES))
centre = np.eye(D, FEATURES)

utility = rgu.utility.Drift(psi, dimension=D)
problem = rgu.Problem(world, utility, rgu.ambiguity.FrobeniusBall(centre, 0.5), name="exploration")

best = rgu.envelope(problem)
print(f"least worst case of all policies   {best.value:.4f}, proven within {best.gap:.1e}")

oracle = rgu.solve(problem, method="worst-case", iterations=500)
published = rgu.solve(
    problem,
    method="prox-extragradient",
    iterations=300,
    options={"solver.step": 0.03, "solver.proximal_weight": 1.5, "gradient.policy_gradient": "paper"},
)
uniform = np.full((S, A), 1 / A)
for name, policy in [
    ("PGDA with the worst-case oracle", oracle.policy),
    ("prox-extragradient as published", published.policy),
    ("uniform policy", uniform),
]:
    certificate = rgu.certify(problem, policy)
    print(f"{name:<34} {certificate.worst_case.value:.4f}, at most {certificate.gap:.4f} above the least")

assert best.certified
assert oracle.worst_case.value <= 0.97 * best.value  # within 3%
