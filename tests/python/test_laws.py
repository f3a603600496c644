"""The laws that every set, utility, policy and occupancy obeys, through Python."""

import numpy as np
import pytest

import rgu
from worlds import random_kernel

ambiguity, utility = rgu.ambiguity, rgu.utility
RNG = np.random.default_rng(11)
CENTRE = RNG.normal(size=6)

SETS = {
    "singleton": ambiguity.Singleton(CENTRE),
    "l1": ambiguity.LpBall(CENTRE, 0.7, p=1),
    "l2": ambiguity.LpBall(CENTRE, 0.7),
    "l3": ambiguity.LpBall(CENTRE, 0.7, p=3),
    "linf": ambiguity.LpBall(CENTRE, 0.7, p=np.inf),
    "ellipsoid": ambiguity.Ellipsoid(CENTRE, 0.7, weights=[1, 2, 3, 4, 5, 6]),
    "quadratic": ambiguity.Ellipsoid(CENTRE, 0.7, matrix=np.eye(6) + 0.2),
    "box": ambiguity.Box(CENTRE - 1, CENTRE + 2),
    "cube": ambiguity.Box(-1, 1, dimension=6),
    "orthant": ambiguity.CappedOrthant(6, 2.0),
    "simplex": ambiguity.ProbabilitySimplex(6),
    "frobenius": ambiguity.FrobeniusBall(CENTRE.reshape(2, 3), 0.7),
    "spectral": ambiguity.SpectralBall(CENTRE.reshape(2, 3), 0.7),
    "polytope": ambiguity.Polytope(np.vstack([np.eye(6), -np.eye(6)]), np.ones(12)),
    "product": ambiguity.ProductSet(
        [ambiguity.LpBall(CENTRE[:2], 0.5), ambiguity.ProbabilitySimplex(4)]
    ),
    "intersection": ambiguity.IntersectionSet(
        [ambiguity.LpBall(np.full(6, 1 / 6), 0.3), ambiguity.ProbabilitySimplex(6)]
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_set_laws(name):
    members = SETS[name]
    assert members.dimension == 6
    for _ in range(20):
        point, other = RNG.normal(scale=3, size=(2, 6))
        projected = members.project(point)
        assert members.contains(projected, 1e-7)
        assert np.allclose(members.project(projected), projected, atol=1e-7)
        assert np.linalg.norm(projected - members.project(other)) <= (
            np.linalg.norm(point - other) * (1 + 1e-9) + 1e-9
        )
        # The variational inequality, against members.
        assert (point - projected) @ (members.project(other) - projected) <= 1e-6
        best = members.support_point(other)
        assert members.contains(best, 1e-6)
        assert other @ best >= other @ projected - 1e-6
        assert members.distance(point) == pytest.approx(np.linalg.norm(point - projected), abs=1e-7)
        assert np.linalg.norm(best - projected) <= members.diameter + 1e-7


def test_sets_mind_their_dimension():
    with pytest.raises(ValueError, match="lower and upper"):
        ambiguity.Box([0, 0], [1, 1], dimension=3)
    with pytest.raises(ValueError, match="dimension"):
        ambiguity.Box(0, 1, dimension=0)
    assert ambiguity.Box([0, 0], 1).dimension == 2


S, A = 4, 3
FEATURES = RNG.normal(size=(S, A, 5))
SIGNALS = RNG.normal(size=(2, S, A))

UTILITIES = {
    "reward": (utility.LinearReward(SIGNALS[0]), 0),
    "reward-robust": (utility.RewardRobust(S, A), S * A),
    "feature-reward": (utility.FeatureRewardRobust(SIGNALS), 2),
    "constrained": (utility.Constrained(SIGNALS[0], SIGNALS, [0.1, 0.2]), 2),
    "entropy": (utility.Entropy(S, A), 0),
    "entropy over pairs": (utility.Entropy(S, A, over="state-actions", delta=1e-3), 0),
    "kl-target": (utility.KlTarget(S, A), S),
    "quadratic-target": (utility.QuadraticTarget(S, A), S * A),
    "drift": (utility.Drift(FEATURES, dimension=2), 10),
    "smooth drift": (utility.Drift(FEATURES, dimension=2, smoothing=5.0), 10),
    "variance": (utility.Variance(SIGNALS, aversion=0.7), 2),
    "sum": (
        utility.Sum([(2.0, utility.RewardRobust(S, A)), (0.5, utility.KlTarget(S, A))]),
        S * A + S,
    ),
    "regularized": (
        utility.NatureRegularized(
            utility.RewardRobust(S, A), modulus=0.3, centre=np.zeros(S * A)
        ),
        S * A,
    ),
}


@pytest.mark.parametrize("name", UTILITIES)
def test_utility_gradients(name):
    f, dimension = UTILITIES[name]
    assert (f.states, f.actions, f.nature_dimension) == (S, A, dimension)
    nature = RNG.dirichlet(np.full(max(dimension, 1), 5.0))[:dimension]  # targets must be positive
    assert utility.check_gradients(f, nature=nature, tolerance=2e-5) < 2e-5
    value, by_occupancy, by_nature = f.evaluate(np.full((S, A), 1 / (S * A)), nature)
    assert by_occupancy.shape == (S, A) and by_nature.shape == (dimension,)
    assert isinstance(value, float)
    assert f.nature_shape in ("none", "linear", "strongly concave", "concave", "nonconcave")
    assert all(bound >= 0 for bound in f.constants(1.0).values())


def test_occupancies_obey_the_flow_equations():
    kernel, start = random_kernel(6, 3), RNG.dirichlet(np.ones(6))
    mdp = rgu.FiniteMdp(kernel, start, 0.95)
    policy = RNG.dirichlet(np.ones(3), size=6)
    occupancy = rgu.occupancy(mdp, policy)
    assert occupancy.sum() == pytest.approx(1, abs=1e-12)
    flow = 0.05 * start + 0.95 * np.einsum("sa,san->n", occupancy, kernel)
    assert np.abs(occupancy.sum(axis=1) - flow).max() < 1e-14
    assert rgu.flow_residual(mdp, occupancy) < 1e-14
    assert np.allclose(rgu.policy_from_occupancy(occupancy), policy)
    assert rgu.occupancy(mdp, policy, horizon=40).sum() == pytest.approx(1 - 0.95**40)


def test_plan_is_no_worse_than_any_policy():
    kernel, start = random_kernel(6, 3), RNG.dirichlet(np.ones(6))
    mdp = rgu.FiniteMdp(kernel, start, 0.9)
    cost = RNG.normal(size=(6, 3))
    policy, value = rgu.plan(mdp, cost)
    least = (rgu.occupancy(mdp, policy) * cost).sum()
    assert least == pytest.approx(0.1 * start @ value)
    for _ in range(50):
        other = RNG.dirichlet(np.ones(3), size=6)
        assert (rgu.occupancy(mdp, other) * cost).sum() >= least - 1e-12


@pytest.mark.parametrize(
    "policy",
    [rgu.policy.TabularSoftmax(4, 3), rgu.policy.LogLinearSoftmax(FEATURES)],
    ids=["tabular", "log-linear"],
)
def test_policy_scores_are_derivatives(policy):
    theta = RNG.normal(size=policy.dimension)
    weight = RNG.normal(size=(4, 3))
    assert np.allclose(policy.probabilities(theta).sum(axis=1), 1)
    score = policy.score(theta, weight)
    for i in range(policy.dimension):
        step = 1e-6 * np.eye(policy.dimension)[i]
        ahead, behind = (np.log(policy.probabilities(theta + s)) for s in (step, -step))
        assert score[i] == pytest.approx((weight * (ahead - behind)).sum() / 2e-6, abs=1e-6)


def test_saddle_gradients_are_derivatives():
    problem = rgu.Problem.from_file("exploration")
    theta, nature = RNG.normal(size=50), problem.nominal() + 0.01 * RNG.normal(size=200)
    value, by_theta, by_nature = rgu.saddle_gradient(problem, theta, nature)
    for i in (0, 17, 49):
        step = 1e-6 * np.eye(50)[i]
        ahead = rgu.saddle_gradient(problem, theta + step, nature)[0]
        behind = rgu.saddle_gradient(problem, theta - step, nature)[0]
        assert by_theta[i] == pytest.approx((ahead - behind) / 2e-6, abs=1e-7)
    for i in (0, 123):
        step = 1e-6 * np.eye(200)[i]
        ahead = rgu.saddle_gradient(problem, theta, nature + step)[0]
        behind = rgu.saddle_gradient(problem, theta, nature - step)[0]
        assert by_nature[i] == pytest.approx((ahead - behind) / 2e-6, abs=1e-7)
    assert isinstance(value, float)


def test_worst_cases_are_maxima():
    occupancy = RNG.dirichlet(np.ones(S * A)).reshape(S, A)
    centre = RNG.normal(size=S * A)
    worst = rgu.worst_case(utility.RewardRobust(S, A), ambiguity.LpBall(centre, 0.5), occupancy)
    assert worst.kind == "exact" and worst.gap == 0
    assert worst.value == pytest.approx(-centre @ occupancy.ravel() + 0.5 * np.linalg.norm(occupancy))
    ball = ambiguity.FrobeniusBall(np.eye(2, 5), 0.3)
    drift = UTILITIES["drift"][0]
    worst = rgu.worst_case(drift, ball, occupancy)
    assert worst.kind == "exact"
    for _ in range(200):
        member = ball.project(worst.nature + 0.1 * RNG.normal(size=10))
        assert drift.evaluate(occupancy, member)[0] <= worst.value + 1e-9
