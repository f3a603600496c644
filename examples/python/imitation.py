#!/usr/bin/python3
"""Imitate an expert of whom a few trajectories were seen, the target being uncertain."""

import numpy as np

import rgu

world = rgu.generators.grid_world(
    """S....#..
.##..#..
..#.....
..###.#.
....#.#G
.##.....
.#..#.#.
....#...""",
    slip=0.2,
    discount=0.9,
)
mdp = world.mdp
S, A = mdp.states, mdp.actions
expert, _ = rgu.plan(mdp, -world.signals["goal"])

# Demonstrations: 30 trajectories of 60 steps, and their discounted occupancy.
rng = np.random.default_rng(0)
kernel = mdp.kernel.toarray().reshape(S, A, S)
target = np.zeros((S, A))
for _ in range(30):
    state = rng.choice(S, p=mdp.start)
    for t in range(60):
        action = rng.choice(A, p=expert[state])
        target[state, action] += (1 - 0.9) * 0.9**t / 30
        state = rng.choice(S, p=kernel[state, action])

# Nature may move the target: every entry by at most 0.002.
problem = rgu.Problem(
    mdp, rgu.utility.QuadraticTarget(S, A), rgu.ambiguity.LpBall(target, 0.002, p=np.inf)
)
result = rgu.solve(problem, iterations=500)
learned = rgu.occupancy(mdp, result.policy)
reached = {
    name: float((world.signals["goal"] * rgu.occupancy(mdp, policy)).sum())
    for name, policy in [
        ("expert", expert),
        ("imitation", result.policy),
        ("uniform", np.full((S, A), 1 / A)),
    ]
}
print(f"distance to the demonstrations {np.linalg.norm(learned - target):.4f}")
print(f"worst case {result.worst_case.value:.6f} ({result.worst_case.kind}), {result.status}")
for name, share in reached.items():
    print(f"{name:<10} in the goal {share:.3f} of the time")

assert reached["imitation"] > 0.8 * reached["expert"] > reached["uniform"]
