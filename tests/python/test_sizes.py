"""Sizes that no memory holds: refused at once, by name, before anything is copied or multiplied."""

import time

import numpy as np
import pytest
import scipy.sparse

import rgu

HUGE = 2**40
WIDE = 2**30


def huge(*shape):
    """A view that looks like that array and has one number."""
    return np.broadcast_to(np.float64(0.5), shape)


MDP = rgu.FiniteMdp([[[1.0]]], [1.0], 0.5)
BALL = rgu.ambiguity.LpBall([0.0], 1.0)

# 10^13 numbers.
BROADCASTS = {
    "transitions": lambda: rgu.FiniteMdp(huge(10**5, 10**3, 10**5), None, 0.9),
    "transitions in rows": lambda: rgu.FiniteMdp(huge(10**8, 10**5), None, 0.9),
    "transitions of integers": lambda: rgu.FiniteMdp(np.broadcast_to(np.int8(1), (10**5, 10**3, 10**5)), None, 0.9),
    "start": lambda: rgu.FiniteMdp([[[1.0]]], huge(10**13), 0.9),
    "signal": lambda: rgu.World(MDP, {"reward": huge(10**10, 10**3)}),
    "reward": lambda: rgu.utility.LinearReward(huge(10**10, 10**3)),
    "features": lambda: rgu.utility.FeatureRewardRobust(huge(10**3, 10**5, 10**5)),
    "features in a list": lambda: rgu.utility.FeatureRewardRobust([huge(10**8, 10**5)]),
    "features of a drift": lambda: rgu.utility.Drift(huge(10**5, 10**5, 10**3), dimension=2),
    "features of a variance": lambda: rgu.utility.Variance(huge(10**3, 10**5, 10**5), aversion=0.5),
    "features of a policy": lambda: rgu.policy.LogLinearSoftmax(huge(10**5, 10**5, 10**3)),
    "objective": lambda: rgu.utility.Constrained(huge(10**8, 10**5), [[[1.0]]], [0.5]),
    "constraints": lambda: rgu.utility.Constrained([[0.0]], huge(10**3, 10**5, 10**5), [0.5]),
    "thresholds": lambda: rgu.utility.Constrained([[0.0]], [[[1.0]]], huge(10**13)),
    "centre of a regularisation": lambda: rgu.utility.NatureRegularized(
        rgu.utility.RewardRobust(1, 1), modulus=0.1, centre=huge(10**13)),
    "occupancy": lambda: rgu.utility.RewardRobust(1, 1).evaluate(huge(10**8, 10**5), [1.0]),
    "nature": lambda: rgu.utility.RewardRobust(1, 1).evaluate([[1.0]], huge(10**13)),
    "centre of an l_p ball": lambda: rgu.ambiguity.LpBall(huge(10**13), 1.0),
    "centre of an ellipsoid": lambda: rgu.ambiguity.Ellipsoid(huge(10**13), 1.0, weights=[1.0]),
    "weights of an ellipsoid": lambda: rgu.ambiguity.Ellipsoid([0.0], 1.0, weights=huge(10**13)),
    "matrix of an ellipsoid": lambda: rgu.ambiguity.Ellipsoid([0.0], 1.0, matrix=huge(10**8, 10**5)),
    "centre of a Frobenius ball": lambda: rgu.ambiguity.FrobeniusBall(huge(10**8, 10**5), 1.0),
    "centre of a spectral ball": lambda: rgu.ambiguity.SpectralBall(huge(10**8, 10**5), 1.0),
    "lower": lambda: rgu.ambiguity.Box(huge(10**13), 1.0),
    "upper": lambda: rgu.ambiguity.Box(0.0, huge(10**13)),
    "a box of one number": lambda: rgu.ambiguity.Box(0.0, 1.0, dimension=10**13),
    "normals": lambda: rgu.ambiguity.Polytope(huge(10**8, 10**5), [1.0]),
    "offsets": lambda: rgu.ambiguity.Polytope([[1.0]], huge(10**13)),
    "point of a singleton": lambda: rgu.ambiguity.Singleton(huge(10**13)),
    "point": lambda: BALL.project(huge(10**13)),
    "direction": lambda: BALL.support_point(huge(10**13)),
    "theta": lambda: rgu.policy.TabularSoftmax(1, 1).probabilities(huge(10**13)),
    "weight": lambda: rgu.policy.TabularSoftmax(1, 1).score([0.0], huge(10**8, 10**5)),
    "policy": lambda: rgu.occupancy(MDP, huge(10**8, 10**5)),
    "an occupancy": lambda: rgu.policy_from_occupancy(huge(10**8, 10**5)),
    "cost": lambda: rgu.plan(MDP, huge(10**8, 10**5)),
}


@pytest.mark.parametrize("name", BROADCASTS)
def test_arrays_larger_than_the_memory_are_refused_at_once(name):
    begin = time.monotonic()
    with pytest.raises(MemoryError, match=r"of shape \(.*\) takes 80000000000000 bytes"):
        BROADCASTS[name]()
    assert time.monotonic() - begin < 5


def test_a_sparse_matrix_cannot_claim_states_for_nothing():
    with pytest.raises(ValueError, match="rows for|fewer than 2"):
        rgu.FiniteMdp(scipy.sparse.csr_matrix((4, 2**31 - 1)), None, 0.9)
    with pytest.raises(ValueError, match="rows for|fewer than 2"):
        rgu.FiniteMdp(scipy.sparse.coo_matrix((4, 2**50)), None, 0.9)


# Products that overflow 64 bits, most of them to 0.
PRODUCTS = {
    "tabular": lambda: rgu.policy.TabularSoftmax(HUGE, WIDE),
    "reward robust": lambda: rgu.utility.RewardRobust(HUGE, WIDE),
    "quadratic target": lambda: rgu.utility.QuadraticTarget(HUGE, WIDE),
    "KL target": lambda: rgu.utility.KlTarget(HUGE, WIDE, over="state-actions"),
    "KL target over states": lambda: rgu.utility.KlTarget(HUGE, WIDE),
    "entropy": lambda: rgu.utility.Entropy(HUGE, WIDE),
    "custom": lambda: rgu.utility.CustomUtility(HUGE, WIDE),
    "random model": lambda: rgu.generators.random_model(HUGE, WIDE),
    "square random model": lambda: rgu.generators.random_model(2**32, 1),
    "garnet": lambda: rgu.generators.garnet(HUGE, WIDE),
    "grid": lambda: rgu.generators.random_grid_map(HUGE, WIDE),
    "river": lambda: rgu.generators.river_swim(2**62),
    "inventory": lambda: rgu.generators.inventory(capacity=2**62),
    "orders": lambda: rgu.generators.inventory(largest_order=2**62),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_sizes_do_not_overflow(name):
    with pytest.raises(ValueError, match=r"\d{7,}"):
        PRODUCTS[name]()


def test_the_message_names_the_sizes():
    with pytest.raises(ValueError, match="number of states x number of actions is 1099511627776 x 1073741824, must be"):
        rgu.policy.TabularSoftmax(HUGE, WIDE)


def test_dimensions_do_not_overflow():
    for make in (rgu.ambiguity.ProbabilitySimplex, lambda n: rgu.ambiguity.CappedOrthant(n, 1.0),
                 lambda n: rgu.utility.CustomUtility(1, 1, n)):
        with pytest.raises(ValueError, match="dimension.* is 4611686018427387904, must be at most"):
            make(2**62)
    half = rgu.ambiguity.ProbabilitySimplex(2**59)
    with pytest.raises(ValueError, match="dimension of the product"):
        rgu.ambiguity.ProductSet([half, half])
    part = rgu.utility.CustomUtility(1, 1, 2**59)
    with pytest.raises(ValueError, match="dimension of xi of a sum"):
        rgu.utility.Sum([(1.0, part), (1.0, part)])
    with pytest.raises(ValueError, match="dimension d of the drift is 4611686018427387904"):
        rgu.utility.Drift(np.ones((3, 2, 5)), dimension=2**62)


def test_large_sizes_that_fit_are_still_taken():
    assert rgu.policy.TabularSoftmax(HUGE, 4).dimension == 2**42
    assert rgu.utility.RewardRobust(HUGE, 4).nature_dimension == 2**42
