"""Environments without a known model."""

import numpy as np
import pytest

import rgu
from worlds import Discrete, TabularEnvironment, VectorEnvironment, random_kernel

S, A = 4, 2
KERNEL = random_kernel(S, A, seed=3)
START = np.array([0.4, 0.3, 0.2, 0.1])
POLICY = np.random.default_rng(4).dirichlet(np.ones(A), size=S)
MDP = rgu.FiniteMdp(KERNEL, START, 0.8)


def sampled_occupancy(environment, count, horizon, seed=0):
    states, actions = environment.trajectories(POLICY, count, horizon, seed)
    occupancy = np.zeros((count, S, A))
    for h in range(horizon):
        there = states[:, h] >= 0
        np.add.at(occupancy, (np.flatnonzero(there), states[there, h], actions[there, h]),
                  0.2 * 0.8**h)
    return occupancy


def assert_mean(samples, expected):
    """Within 4.5 standard errors, entry by entry."""
    error = samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    assert (np.abs(samples.mean(axis=0) - expected) <= 4.5 * error + 1e-12).all()


@pytest.mark.parametrize("parallel", [None, 16])
def test_trajectories_have_the_occupancy_of_the_model(parallel):
    env = (TabularEnvironment(KERNEL, START) if parallel is None
           else VectorEnvironment(KERNEL, START, parallel))
    environment = rgu.Environment(env, 0.8)
    expected = rgu.occupancy(MDP, POLICY, horizon=15)
    assert_mean(sampled_occupancy(environment, 2000, 15), expected)


@pytest.mark.parametrize("parallel", [None, 16])
def test_ends_of_episodes_absorb(parallel):
    closed = KERNEL.copy()
    closed[2] = np.eye(S)[2]
    env = (TabularEnvironment(KERNEL, START, terminal=[2]) if parallel is None
           else VectorEnvironment(KERNEL, START, parallel, terminal=[2]))
    start = np.array([0.5, 0.3, 0.0, 0.2])  # episodes do not begin where they end
    env_parts = [env] if parallel is None else env.parts
    for part in env_parts:
        part.start = start
    expected = rgu.occupancy(rgu.FiniteMdp(closed, start, 0.8), POLICY, horizon=15)
    assert_mean(sampled_occupancy(rgu.Environment(env, 0.8), 2000, 15), expected)


def test_ends_of_episodes_restart():
    env = TabularEnvironment(KERNEL, np.array([0.5, 0.3, 0.0, 0.2]), terminal=[2])
    again = KERNEL.copy()
    again += again[:, :, 2:3] * env.start
    again[:, :, 2] = 0
    expected = rgu.occupancy(rgu.FiniteMdp(again, env.start, 0.8), POLICY, horizon=15)
    environment = rgu.Environment(env, 0.8, terminal="restart")
    assert_mean(sampled_occupancy(environment, 2000, 15), expected)


def test_time_limits_cut_and_are_counted():
    environment = rgu.Environment(TabularEnvironment(KERNEL, START, limit=5), 0.8)
    states, actions = environment.trajectories(POLICY, 10, 12, seed=0)
    assert (states[:, :5] >= 0).all() and (states[:, 5:] == -1).all()
    assert (actions[:, 5:] == -1).all()
    assert environment.truncated == 10


def problem_with(env, **arguments):
    reward = np.random.default_rng(5).normal(size=(S, A))
    return rgu.Problem(
        rgu.Environment(env, 0.8, **arguments), rgu.utility.RewardRobust(S, A),
        rgu.ambiguity.LpBall(reward, 0.1))


@pytest.mark.parametrize("method", ["worst-case", "pgda", "pgda-lp", "prox-extragradient", "auto"])
def test_solved_by_samples_alone(method):
    problem = problem_with(TabularEnvironment(KERNEL, START))
    result = rgu.solve(problem, method=method, iterations=40, trajectories=40, horizon=20)
    known = rgu.Problem(MDP, problem.utility(), problem.ambiguity())
    best = rgu.envelope(known)
    reached = rgu.worst_case(
        problem.utility(), problem.ambiguity(), rgu.occupancy(MDP, result.policy)).value
    uniform = rgu.worst_case(
        problem.utility(), problem.ambiguity(),
        rgu.occupancy(MDP, np.full((S, A), 1 / A))).value
    assert reached < uniform - 0.5 * (uniform - best.value)
    # Only estimates are reported, and that is said.
    assert result.sampled
    assert result.worst_case.kind == "best found"
    assert "estimate" in result.worst_case.method
    assert any("not known" in note for note in result.notes)
    assert "residual" not in result.metrics and "policy_mapping" not in result.metrics
    assert result.metrics["samples"][-1] > 40 * 40 * 20
    assert result.worst_case.value == pytest.approx(reached, abs=0.15)
    assert "trajectories" in result._repr_html_() or result.report


def test_the_same_seed_gives_the_same_result(tmp_path):
    results = [
        rgu.solve(problem_with(TabularEnvironment(KERNEL, START)), seed=seed, iterations=5,
                  trajectories=10, horizon=10)
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(results[0].policy, results[1].policy)
    assert not np.array_equal(results[0].policy, results[2].policy)
    assert results[0].report(tmp_path / "page.html").read_text().startswith("<!")


class FourValues(TabularEnvironment):
    """Before Gymnasium: one flag, and a time limit told by the info."""

    def reset(self, seed=None):
        return super().reset(seed)[0]

    def step(self, action):
        state, reward, ended, cut, _ = super().step(action)
        return state, reward, ended or cut, {"TimeLimit.truncated": True} if cut else {}


def test_older_environments():
    environment = rgu.Environment(FourValues(KERNEL, START, limit=5), 0.8)
    states, _ = environment.trajectories(POLICY, 10, 12, seed=0)
    assert (states[:, :5] >= 0).all() and (states[:, 5:] == -1).all()
    assert environment.truncated == 10
    ending = rgu.Environment(FourValues(KERNEL, START, terminal=[2]), 0.8)
    states, _ = ending.trajectories(POLICY, 50, 30, seed=0)
    assert (states[:, -1] == 2).all() and ending.truncated == 0


def test_the_last_iteration_is_measured_whatever_stops_it():
    problem = problem_with(TabularEnvironment(KERNEL, START))
    result = rgu.solve(problem, trajectories=5, horizon=10, iterations=100,
                       options={"output.metrics_every": 50, "stopping.samples": 700})
    assert len(result.metrics["iteration"]) == 1
    assert rgu.solve(problem, iterations=0, trajectories=5, horizon=10).policy.shape == (S, A)


class OwnTrajectories(rgu.Environment):
    def __init__(self, answer):
        super().__init__(TabularEnvironment(KERNEL, START), 0.8)
        self.answer = answer

    def trajectories(self, policy, count, horizon, seed):
        return self.answer(count, horizon)


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda m, h: (["a"], ["b"]), "states must be an array of whole numbers"),
        (lambda m, h: (np.zeros((m, h)), np.zeros((m, h), int)), "states must be an array of whole"),
        (lambda m, h: (np.zeros((1, h), int), np.zeros((1, h), int)), r"must be \(4, 6\)"),
        (lambda m, h: (np.full((m, h), 2**40), np.zeros((m, h), int)), "one of the states is"),
        (lambda m, h: np.zeros((m, h), int), "must return two arrays"),
    ],
)
def test_trajectories_of_ones_own_are_checked(answer, message):
    problem = rgu.Problem(OwnTrajectories(answer), rgu.utility.RewardRobust(S, A),
                          rgu.ambiguity.Box(-1, 1, dimension=S * A))
    with pytest.raises(ValueError, match=message):
        rgu.solve(problem, iterations=2, trajectories=4, horizon=6)


class Failing(TabularEnvironment):
    def step(self, action):
        if self.steps == 3:
            raise RuntimeError("the robot fell over")
        return super().step(action)


class Wandering(TabularEnvironment):
    def step(self, action):
        super().step(action)
        return 99, 0.0, False, False, {}


class Odd(TabularEnvironment):
    def step(self, action):
        return 1


class Between(TabularEnvironment):
    def step(self, action):
        return 1.5, 0.0, False, False, {}


class Column(VectorEnvironment):
    def step(self, actions):
        observations, *rest = super().step(actions)
        return (observations[:, None], *rest)


@pytest.mark.parametrize(
    "env, error, message",
    [
        (Failing(KERNEL, START), RuntimeError, "the robot fell over"),
        (Wandering(KERNEL, START), ValueError, "observation 99, must be in 0 .. 3"),
        (Odd(KERNEL, START), ValueError, "step must return"),
        (Between(KERNEL, START), ValueError, "an observation is 1.5, must be a whole number"),
        (Column(KERNEL, START, 4), ValueError, r"step gave observations of shape \(4, 1\)"),
    ],
)
def test_environments_that_go_wrong(env, error, message):
    with pytest.raises(error, match=message):
        rgu.solve(problem_with(env), iterations=3, trajectories=4, horizon=6)
    assert rgu.solve("exploration", iterations=2).solved


def test_bad_environments():
    env = TabularEnvironment(KERNEL, START)
    with pytest.raises(TypeError, match="has no method reset"):
        rgu.Environment(object(), 0.9)
    with pytest.raises(ValueError, match="discount is 1"):
        rgu.Environment(env, 1.0)
    with pytest.raises(ValueError, match='terminal is "stop"'):
        rgu.Environment(env, 0.9, terminal="stop")
    with pytest.raises(ValueError, match="not for vectorised"):
        rgu.Environment(VectorEnvironment(KERNEL, START, 2), 0.9, terminal="restart")
    for states in (-3, 0, 3.5):
        with pytest.raises(ValueError, match="states is"):
            rgu.Environment(env, 0.9, states=states)
    with pytest.raises(ValueError, match="the policy has shape"):
        rgu.Environment(env, 0.9).trajectories(POLICY.T, 1, 1, 0)
    env.observation_space = type("Box", (), {})()
    with pytest.raises(ValueError, match="observation_space is .* must be discrete"):
        rgu.Environment(env, 0.9)
    env.observation_space = Discrete(5)
    with pytest.raises(ValueError, match="4 states and 2 actions, the environment has 5 and 2"):
        problem_with(env)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"method": "envelope"}, "need the model"),
        ({"method": "occupancy"}, "need the model"),
        ({"gradient": "exact"}, "need the model"),
        ({"baseline": True}, "need the model"),
        ({"options": {"stopping.residual": 0.1}}, "residual needs exact gradients"),
        ({"options": {"solver": {"method": "pgda", "schedule": "theory"}}}, "constants of the model"),
    ],
)
def test_what_needs_the_model_is_refused(arguments, message):
    problem = problem_with(TabularEnvironment(KERNEL, START))
    with pytest.raises(ValueError, match=message):
        rgu.solve(problem, **arguments)
    with pytest.raises(ValueError, match="not known"):
        rgu.envelope(problem)
    with pytest.raises(ValueError, match="not known"):
        problem.world()
