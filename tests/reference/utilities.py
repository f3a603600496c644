"""The values of the utilities, and nothing of their gradients.

Each is written so that it is analytic in the occupancy lambda (S, A) and in xi: no absolute values,
no conjugates. A utility is a dictionary with a `kind` and the fields of that kind, as in the JSON.
"""

from numeric import np

STATES, STATE_ACTIONS = "states", "state_actions"


def inner(x, y):
    return (x * y).sum()


def combined(weights, features):
    """sum_i weights_i features_i, (S, A)."""
    return np.tensordot(weights, features, axes=1)


def masses(over, occupancy):
    return occupancy.sum(axis=1) if over == STATES else occupancy.ravel()


def constrained(options, occupancy, nature):
    cost = options["objective"] + combined(nature, options["constraints"])
    return inner(cost, occupancy) - inner(nature, options["thresholds"])


def entropy(options, occupancy, _):
    p = masses(options["over"], occupancy)
    return inner(p, np.log(p + options["delta"]))


def kl_target(options, occupancy, nature):
    p = masses(options["over"], occupancy)
    return inner(p, np.log((p + options["delta"]) / (nature + options["delta"])))


def quadratic_target(_, occupancy, nature):
    return ((occupancy.ravel() - nature) ** 2).sum() / 2


def variance(options, occupancy, nature):
    reward = combined(nature, options["features"])
    mean = inner(reward, occupancy)
    return -mean + options["aversion"] * (inner(reward**2, occupancy) - mean**2)


def seen_moment(options, occupancy, nature):
    """W M(lambda) W', by a sum of outer products."""
    features = options["features"]
    moment = sum(mass * np.outer(psi, psi) for mass, psi in zip(occupancy.ravel(), features))
    seeing = nature.reshape(options["dimension"], features.shape[1])
    return seeing @ moment @ seeing.T


def eigenvalues(matrix):
    """Of a symmetric matrix, by Jacobi's rotations, which are analytic in the entries."""
    matrix = matrix.astype(complex)
    n = len(matrix)
    for _ in range(12):  # sweeps; convergence is quadratic
        for p in range(n):
            for q in range(p + 1, n):
                if matrix[p, q] != 0:
                    rotate(matrix, p, q)
    return np.sort_complex(matrix.diagonal())


def rotate(matrix, p, q):
    """Makes the entry (p, q) zero."""
    if abs(matrix[p, q]) < 1e-30 * abs(matrix[p, p] - matrix[q, q]):
        return
    tau = (matrix[q, q] - matrix[p, p]) / (2 * matrix[p, q])
    root = np.sqrt(1 + tau**2)
    tangent = 1 / (tau + (root if tau.real >= 0 else -root))
    cosine = 1 / np.sqrt(1 + tangent**2)
    turn = np.eye(len(matrix), dtype=complex)
    turn[p, p] = turn[q, q] = cosine
    turn[p, q], turn[q, p] = tangent * cosine, -tangent * cosine
    matrix[:] = turn.T @ matrix @ turn


def trace_of_exponential(matrix):
    """tr exp(X): Taylor's series for X / 2^k, then k squarings."""
    halvings = 12
    small = matrix / 2**halvings
    term = total = np.eye(len(matrix), dtype=complex)
    for n in range(1, 20):
        term = term @ small / n
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return np.trace(total)


def drift(options, occupancy, nature):
    seen = seen_moment(options, occupancy, nature)
    b = options["smoothing"]
    if b == 0:
        values = eigenvalues(seen)
        assert values[1].real - values[0].real > 1e-3, "the least eigenvalue must be simple"
        return -values[0]
    shift = np.trace(seen).real / len(seen)  # any constant gives the same value
    return np.log(trace_of_exponential(-b * (seen - shift * np.eye(len(seen))))) / b - shift


def weighted_sum(options, occupancy, nature):
    total, start = 0, 0
    for part in options["parts"]:
        end = start + nature_size(part["utility"], occupancy.shape)
        total += part["weight"] * value(part["utility"], occupancy, nature[start:end])
        start = end
    return total


def regularized(options, occupancy, nature):
    penalty = options["modulus"] / 2 * ((nature - options["centre"]) ** 2).sum()
    return value(options["utility"], occupancy, nature) - penalty


VALUES = {
    "reward": lambda options, occupancy, _: -inner(options["reward"], occupancy),
    "reward_robust": lambda _, occupancy, nature: -inner(nature, occupancy.ravel()),
    "feature_reward_robust": lambda options, occupancy, nature: -inner(
        combined(nature, options["features"]), occupancy),
    "constrained": constrained,
    "entropy": entropy,
    "kl_target": kl_target,
    "quadratic_target": quadratic_target,
    "variance": variance,
    "drift": drift,
    "sum": weighted_sum,
    "regularized": regularized,
}


def value(options, occupancy, nature):
    return VALUES[options["kind"]](options, occupancy, nature)


def nature_size(options, shape):
    states, actions = shape
    kind = options["kind"]
    if kind in ("reward", "entropy"):
        return 0
    if kind == "kl_target" and options["over"] == STATES:
        return states
    if kind in ("reward_robust", "kl_target", "quadratic_target"):
        return states * actions
    if kind in ("feature_reward_robust", "variance"):
        return len(options["features"])
    if kind == "constrained":
        return len(options["constraints"])
    if kind == "drift":
        return options["dimension"] * options["features"].shape[1]
    if kind == "regularized":
        return nature_size(options["utility"], shape)
    return sum(nature_size(part["utility"], shape) for part in options["parts"])
