"""Utilities and their gradients in lambda, xi and theta, by complex steps.

For an analytic F that is real on the reals, Im F(x + i h) / h is the derivative up to O(h^2), and
no difference is taken: with h = 1e-30 it is exact up to rounding. Theta goes through the softmax,
the linear system of the occupancy and the value of the utility; no formula of a gradient is used.
"""

import fixture
from models import dense, with_unreachable_state
from numeric import np
from utilities import STATES, STATE_ACTIONS, nature_size, value

STEP = 1e-30
SHAPE = STATE_COUNT, ACTION_COUNT = 6, 3
PAIRS = STATE_COUNT * ACTION_COUNT


def complex_gradient(function, at):
    """The gradient of function: array -> scalar, in the shape of `at`."""
    gradient = np.empty(at.shape)
    for index in np.ndindex(at.shape):
        moved = at.astype(complex)
        moved[index] += 1j * STEP
        gradient[index] = function(moved).imag / STEP
    return gradient


def check_by_differences(function, at, gradient, draw):
    """A sixth-order difference in one random direction: catches a function that is not analytic."""
    direction = draw.uniform(-1, 1, at.shape)
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    step = 2e-3
    slope = sum(weight * (function(at + k * step * direction) - function(at - k * step * direction))
                for k, weight in weights.items()).real / step
    expected = (gradient * direction).sum()
    assert abs(slope - expected) < 1e-7 * max(1, abs(expected)), (slope, expected)


def softmax(setting, theta):
    features = setting["policy"].get("features")
    logits = (theta if features is None else features @ theta).reshape(SHAPE)
    weights = np.exp(logits - logits.real.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def occupancy(setting, theta):
    """lambda_theta, from (I - g P_pi') d = (1-g) rho."""
    model = setting["model"]
    pi = softmax(setting, theta)
    moves = np.einsum("sa,sat->st", pi, model["kernel"].reshape(*SHAPE, STATE_COUNT))
    g = model["discount"]
    d = np.linalg.solve(np.eye(STATE_COUNT) - g * moves.T, (1 - g) * model["start"] + 0j)
    return d[:, None] * pi


def settings(draw):
    models = {"dense": dense(draw, *SHAPE, 0.9),
              "unreachable": with_unreachable_state(draw, *SHAPE, 0.97, unreachable=2)}
    found = []
    for name, model in models.items():
        features = draw.uniform(-1, 1, (PAIRS, 4))
        found.append({"name": name + "_tabular", "model": model, "policy": {"kind": "tabular"},
                      "theta": draw.uniform(-2, 2, PAIRS)})
        found.append({"name": name + "_log_linear", "model": model,
                      "policy": {"kind": "log_linear", "features": features},
                      "theta": draw.uniform(-2, 2, 4)})
    for setting in found:
        setting["probabilities"] = softmax(setting, setting["theta"])
        setting["occupancy"] = occupancy(setting, setting["theta"]).real
    return found


def utilities(draw):
    def tables(count):
        return draw.uniform(-1, 1, (count, *SHAPE))

    constrained = {"kind": "constrained", "objective": tables(1)[0], "constraints": tables(2),
                   "thresholds": draw.uniform(-1, 1, 2)}
    drift = {"kind": "drift", "features": draw.uniform(-1, 1, (PAIRS, 5)), "dimension": 3}
    kl_states = {"kind": "kl_target", "over": STATES, "delta": 1e-3}
    variance = {"kind": "variance", "features": tables(3), "aversion": 0.8}
    smoothed = {**drift, "smoothing": 7.5}
    return {
        "reward": {"kind": "reward", "reward": tables(1)[0]},
        "reward_robust": {"kind": "reward_robust"},
        "feature_reward_robust": {"kind": "feature_reward_robust", "features": tables(3)},
        "constrained": constrained,
        "entropy_of_states": {"kind": "entropy", "over": STATES, "delta": 1e-6},
        "entropy_of_state_actions": {"kind": "entropy", "over": STATE_ACTIONS, "delta": 1e-3},
        "kl_target_of_states": kl_states,
        "kl_target_of_state_actions": {"kind": "kl_target", "over": STATE_ACTIONS, "delta": 1e-2},
        "quadratic_target": {"kind": "quadratic_target"},
        "drift": {**drift, "smoothing": 0.0},
        "drift_smoothed": smoothed,
        "variance": variance,
        "weighted_sum": {"kind": "sum", "parts": [
            {"weight": 0.3, "utility": variance},
            {"weight": 0.5, "utility": {"kind": "entropy", "over": STATES, "delta": 1e-3}},
            {"weight": 2.0, "utility": kl_states},
            {"weight": 1.25, "utility": constrained}]},
        "regularized_constrained": {"kind": "regularized", "utility": constrained, "modulus": 0.7,
                                    "centre": draw.uniform(0, 1, 2)},
        "regularized_drift": {"kind": "regularized", "utility": smoothed, "modulus": 1.5,
                              "centre": draw.uniform(-1, 1, 15)},
    }


def at_occupancy(utility, nature, mass):
    return {"value": value(utility, mass, nature).real,
            "occupancy": complex_gradient(lambda moved: value(utility, moved, nature), mass),
            "nature": complex_gradient(lambda moved: value(utility, mass, moved), nature)}


def at_setting(utility, nature, setting, draw):
    def objective(theta):
        return value(utility, occupancy(setting, theta), nature)

    result = at_occupancy(utility, nature, setting["occupancy"])
    result["policy"] = complex_gradient(objective, setting["theta"])
    check_by_differences(objective, setting["theta"], result["policy"], draw)
    return result


def case(name, utility, places, stray, draw):
    nature = draw.uniform(0.05, 1, nature_size(utility, SHAPE))
    if utility["kind"] == "drift":
        nature = 2 * nature - 1
    there = at_occupancy(utility, nature, stray)
    lifted = stray + 0.02  # away from zero, where a logarithm allows no differences
    check_by_differences(lambda mass: value(utility, mass, nature), lifted,
                         at_occupancy(utility, nature, lifted)["occupancy"], draw)
    check_by_differences(lambda moved: value(utility, stray, moved), nature, there["nature"], draw)
    return {"name": name, "utility": utility, "nature": nature, "stray": there,
            "at_settings": [at_setting(utility, nature, place, draw) for place in places]}


def compute():
    draw = np.random.RandomState(23)
    places = settings(draw)
    # Not an occupancy of any policy: it does not sum to 1, and one state has no mass.
    stray = draw.random_sample(SHAPE) / 12
    stray[4] = 0
    return {"settings": places, "stray": stray,
            "utilities": [case(name, utility, places, stray, draw)
                          for name, utility in utilities(draw).items()]}


if __name__ == "__main__":
    fixture.run(__file__, compute)
