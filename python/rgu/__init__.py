"""Robust general-utility reinforcement learning.

    min over policies   max over utilities in an ambiguity set   f_xi(occupancy of the policy)

A problem is a model, a utility and an ambiguity set; ``solve`` finds a policy that does well under
the worst utility in the set.

>>> import numpy as np
>>> import rgu
>>> world = rgu.generators.grid_world("S..\\n.#.\\n..G", goals="open")
>>> S, A = world.mdp.states, world.mdp.actions
>>> problem = rgu.Problem(
...     world,
...     rgu.utility.RewardRobust(S, A),
...     rgu.ambiguity.LpBall(world.signals["reward"], radius=0.2),
... )
>>> result = rgu.solve(problem)
>>> result.worst_case.kind, result.status
('exact', 'optimal (gap proven)')
>>> result.policy.shape
(8, 4)
"""

from . import ambiguity, generators, policy, utility
from ._core import (
    FiniteMdp,
    GlobalSolution,
    World,
    WorstCase,
    __version__,
    flow_residual,
    occupancy,
    plan,
    policy_from_occupancy,
    read_world,
    worst_case,
    write_world,
)
from ._environment import Environment
from ._problem import Problem, built_in_problems
from ._result import Adversary, Mixture, Result, Run
from ._solving import (
    Certificate,
    Verification,
    certify,
    envelope,
    load_run,
    resume,
    run,
    saddle_gradient,
    solve,
    verify,
)

__all__ = [
    "Adversary",
    "Certificate",
    "Environment",
    "FiniteMdp",
    "GlobalSolution",
    "Mixture",
    "Problem",
    "Result",
    "Run",
    "Verification",
    "World",
    "WorstCase",
    "__version__",
    "ambiguity",
    "built_in_problems",
    "certify",
    "envelope",
    "flow_residual",
    "generators",
    "load_run",
    "occupancy",
    "plan",
    "policy",
    "policy_from_occupancy",
    "read_world",
    "resume",
    "run",
    "saddle_gradient",
    "solve",
    "utility",
    "verify",
    "worst_case",
    "write_world",
]
