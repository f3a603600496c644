"""Utilities written in Python."""

import gc
import resource
import weakref

import numpy as np
import pytest

import rgu
from worlds import random_kernel

S, A = 5, 3
WORLD = rgu.World(rgu.FiniteMdp(random_kernel(S, A), None, 0.9))
REWARD = np.random.default_rng(1).normal(size=(S, A))


class Robust(rgu.utility.CustomUtility):
    """RewardRobust again, in Python."""

    def __init__(self):
        super().__init__(S, A, S * A, convex_in_occupancy=True, nature_shape="linear")

    def evaluate(self, occupancy, nature):
        return -nature @ occupancy.ravel(), -nature.reshape(S, A), -occupancy.ravel()


def robust_functions():
    return rgu.utility.FunctionUtility(
        lambda occupancy, nature: -nature @ occupancy.ravel(),
        lambda occupancy, nature: (-nature.reshape(S, A), -occupancy.ravel()),
        states=S, actions=A, nature_dimension=S * A, convex_in_occupancy=True, nature_shape="linear",
    )


def problem_with(utility):
    return rgu.Problem(WORLD, utility, rgu.ambiguity.LpBall(REWARD, 0.2))


@pytest.mark.parametrize("method", ["envelope", "worst-case", "pgda", "prox-extragradient"])
@pytest.mark.parametrize("make", [Robust, robust_functions])
def test_equals_the_built_in_one(make, method):
    ours = rgu.solve(problem_with(make()), method=method, iterations=60)
    built_in = rgu.solve(problem_with(rgu.utility.RewardRobust(S, A)), method=method, iterations=60)
    # The structure of a built-in utility is known: another method of the envelope solver proves the same.
    proven = method == "envelope"
    assert proven or np.allclose(ours.policy, built_in.policy, atol=1e-9)
    assert ours.worst_case.value == pytest.approx(built_in.worst_case.value, rel=2e-6 if proven else 1e-12)
    assert ours.worst_case.kind == "exact"


def test_parts_of_sums_and_regularisation():
    summed = rgu.utility.Sum([(0.5, Robust()), (1.0, rgu.utility.Entropy(S, A))])
    same = rgu.utility.Sum([(0.5, rgu.utility.RewardRobust(S, A)), (1.0, rgu.utility.Entropy(S, A))])
    gc.collect()  # only the sum knows the part written in Python
    occupancy, nature = np.full((S, A), 1 / (S * A)), REWARD.ravel()
    for one, two in zip(summed.evaluate(occupancy, nature), same.evaluate(occupancy, nature)):
        assert np.allclose(one, two)
    regularized = rgu.utility.NatureRegularized(Robust(), modulus=0.1, centre=nature)
    assert regularized.nature_shape == "strongly concave"
    assert regularized.evaluate(occupancy, nature)[0] == pytest.approx(
        -nature @ occupancy.ravel())


def test_a_problem_keeps_its_utility_alive_and_lets_it_go():
    utility = Robust()
    seen = weakref.ref(utility)
    problem = problem_with(utility)
    del utility
    gc.collect()
    assert seen() is not None
    assert rgu.solve(problem, iterations=5).policy.shape == (S, A)
    assert isinstance(problem.utility(), Robust)
    del problem
    gc.collect()
    assert seen() is None


def test_gradients_are_checked_entry_by_entry():
    assert rgu.utility.check_gradients(Robust()) < 1e-6

    class WrongNature(Robust):
        def evaluate(self, occupancy, nature):
            value, by_occupancy, by_nature = super(WrongNature, self).evaluate(occupancy, nature)
            by_nature[7] += 0.25
            return value, by_occupancy, by_nature

    with pytest.raises(ValueError, match=r"WrongNature: gradient in the nature \[7\]"):
        rgu.utility.check_gradients(WrongNature())

    class WrongOccupancy(Robust):
        def evaluate(self, occupancy, nature):
            value, by_occupancy, by_nature = super(WrongOccupancy, self).evaluate(occupancy, nature)
            by_occupancy = by_occupancy.copy()
            by_occupancy[3, 1] *= -1
            return value, by_occupancy, by_nature

    with pytest.raises(ValueError, match=r"gradient in the occupancy \[3, 1\]"):
        rgu.utility.check_gradients(WrongOccupancy())


def returning(result):
    class Mine(rgu.utility.CustomUtility):
        def evaluate(self, occupancy, nature):
            return result(occupancy, nature)

    return Mine(S, A, 2, nature_shape="linear")


NAN = float("nan")
GOOD = np.zeros((S, A))


@pytest.mark.parametrize(
    "result, error, message",
    [
        (lambda o, n: 1.0, ValueError, "Mine.evaluate returned .*float.* must return"),
        (lambda o, n: (1.0, GOOD), ValueError, "returned 2 things"),
        (lambda o, n: (NAN, GOOD, n), ValueError, "Mine.evaluate: the value is nan"),
        (lambda o, n: ("much", GOOD, n), ValueError, "the value is 'much', must be a number"),
        (lambda o, n: (1.0, GOOD.T, n), ValueError, r"occupancy has shape \(3, 5\), must be \(5, 3\)"),
        (lambda o, n: (1.0, GOOD, n[:1]), ValueError, r"nature has shape \(1,\), must have 2 entries"),
        (lambda o, n: (1.0, np.where(np.arange(15).reshape(5, 3) == 7, NAN, 0), n), ValueError,
         r"gradient in the occupancy\[2, 1\] is nan"),
        (lambda o, n: (1.0, GOOD, n + [0, np.inf]), ValueError, r"gradient in nature\[1\] is inf"),
        (lambda o, n: (1.0, "abc", n), TypeError, "gradient in the occupancy"),
        (lambda o, n: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_what_a_utility_must_not_return(result, error, message):
    problem = rgu.Problem(WORLD, returning(result), rgu.ambiguity.Box(-1, 1, dimension=2))
    with pytest.raises(error, match=message):
        rgu.solve(problem, method="pgda", iterations=5)


def test_a_class_without_evaluate():
    class Empty(rgu.utility.CustomUtility):
        pass

    empty = Empty(S, A, convex_in_occupancy=True)
    with pytest.raises(ValueError, match="Empty has no method evaluate"):
        rgu.solve(rgu.Problem(WORLD, empty))
    Empty.evaluate = lambda self, occupancy, nature: ((occupancy**2).sum(), 2 * occupancy)
    assert rgu.solve(rgu.Problem(WORLD, empty)).solved  # as in a notebook, where it comes later


def test_parts_that_are_no_pairs():
    with pytest.raises(TypeError, match="weight of entry 0 is 'a'"):
        rgu.utility.Sum([("a", Robust())])
    with pytest.raises(TypeError, match="no rgu.utility.Utility"):
        rgu.utility.Sum([(1.0, "f")])


def test_gradient_checks_find_a_nature_that_every_utility_has():
    assert rgu.utility.check_gradients(rgu.utility.KlTarget(S, A)) < 1e-5


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"nature_shape": "wavy"}, 'nature_shape is "wavy"'),
        ({"nature_dimension": 2, "nature_shape": "none"}, "xi"),
        ({"nature_dimension": 2, "nature_shape": "strongly concave"}, "mu|concav"),
    ],
)
def test_declarations_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        rgu.utility.CustomUtility(S, A, **arguments)


def test_torch_finds_the_gradients():
    torch = pytest.importorskip("torch")
    weights = torch.tensor(REWARD)
    utility = rgu.utility.TorchUtility(
        lambda occupancy, nature: (weights * occupancy).sum() ** 2 + nature @ occupancy.sum(0),
        states=S, actions=A, nature_dimension=A, convex_in_occupancy=True, nature_shape="linear",
    )
    assert rgu.utility.check_gradients(utility) < 1e-6
    result = rgu.solve(
        rgu.Problem(WORLD, utility, rgu.ambiguity.LpBall(np.zeros(A), 0.1)), iterations=200
    )
    assert result.worst_case.kind == "exact" and result.solved
    useless = rgu.utility.TorchUtility(lambda o, n: torch.tensor(1.0), states=S, actions=A)
    with pytest.raises(ValueError, match="does not depend"):
        rgu.solve(rgu.Problem(WORLD, useless))
    wide = rgu.utility.TorchUtility(lambda o, n: o, states=S, actions=A)
    with pytest.raises(ValueError, match=r"one entry, not Tensor of shape \(5, 3\)"):
        rgu.solve(rgu.Problem(WORLD, wide))


def test_errors_and_solves_do_not_leak():
    problem = rgu.Problem(
        WORLD, returning(lambda o, n: (NAN, GOOD, n)), rgu.ambiguity.Box(-1, 1, dimension=2))
    good = problem_with(Robust())

    def work():
        for _ in range(200):
            with pytest.raises(ValueError):
                rgu.solve(problem, method="pgda", iterations=5)
            rgu.solve(good, method="pgda", iterations=2).metrics
            rgu.FiniteMdp(random_kernel(40, 5), None, 0.9).kernel

    work()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work()
    work()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024  # KB
