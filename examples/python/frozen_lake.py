#!/usr/bin/python3
"""A slippery lake whose reward map is not trusted, from a dictionary as Gymnasium's environments have.

With Gymnasium itself: table = gymnasium.make("FrozenLake-v1").unwrapped.P.
"""

import numpy as np

import rgu

LAKE = ["SFFF", "FHFH", "FFFH", "HFFG"]
SIZE = len(LAKE)
MOVES = [(0, -1), (1, 0), (0, 1), (-1, 0)]  # left, down, right, up


def lake_table():
    """P[s][a] = [(probability, next state, reward, terminated), ..]; a third each to the sides."""

    def outcome(row, column, move):
        row = min(max(row + MOVES[move][0], 0), SIZE - 1)
        column = min(max(column + MOVES[move][1], 0), SIZE - 1)
        cell = LAKE[row][column]
        return row * SIZE + column, float(cell == "G"), cell in "GH"

    table = {}
    for state in range(SIZE * SIZE):
        row, column = divmod(state, SIZE)
        if LAKE[row][column] in "GH":
            table[state] = {a: [(1.0, state, 0.0, True)] for a in range(4)}
        else:
            table[state] = {
                a: [(1 / 3, *outcome(row, column, move)) for move in ((a - 1) % 4, a, (a + 1) % 4)]
                for a in range(4)
            }
    return table


start = np.eye(SIZE * SIZE)[0]
world = rgu.World.from_gymnasium(lake_table(), start, 0.95, terminal="restart")
reward = world.signals["reward"]
S, A = reward.shape

# The true reward is within 0.03 of the map, in the Euclidean norm over all states and actions.
problem = rgu.Problem(world, rgu.utility.RewardRobust(S, A), rgu.ambiguity.LpBall(reward, 0.03))
result = rgu.solve(problem)
nominal_policy, _ = rgu.plan(world.mdp, -reward)
nominal = rgu.worst_case(
    problem.utility(), problem.ambiguity(), rgu.occupancy(world.mdp, nominal_policy)
)

print(f"robust policy:  reward {-result.nominal:.4f}, at worst {-result.worst_case.value:.4f}")
occupancy = rgu.occupancy(world.mdp, nominal_policy)
print(f"nominal policy: reward {(reward * occupancy).sum():.4f}, at worst {-nominal.value:.4f}")
print("where the robust policy goes (its most likely action):")
arrows = "<v>^"
for row in range(SIZE):
    print(
        "  "
        + "".join(
            LAKE[row][column]
            if LAKE[row][column] in "GH"
            else arrows[int(result.policy[row * SIZE + column].argmax())]
            for column in range(SIZE)
        )
    )

assert result.status == "optimal (gap proven)"
assert result.worst_case.value <= nominal.value
