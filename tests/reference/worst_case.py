"""Worst cases of the drift utility on Frobenius balls: min over |W - W0| <= e of lmin(W M W').

Twice, from both sides. From below the dual: max over mu >= 0 of lmin(W0 K W0') - mu e^2,
K = mu M (M + mu I)^-1, by golden section with nothing but eigenvalues. From above the primal:
(W0'u + v)' M (W0'u + v) over |u| = 1 and |v| = e, which is smooth also where eigenvalues meet, by
BFGS from many starts. The script fails unless both agree.
"""

import fixture
from numeric import np, minimize

STARTS = 40
AGREEMENT = 1e-9  # of primal and dual, relative to the value at the centre


def moment(features, occupancy):
    return features.T @ (occupancy.ravel()[:, None] * features)


def least(matrix):
    return np.linalg.eigvalsh((matrix + matrix.T) / 2)[0]


def bracket(m, centre, radius, mu):
    kernel = mu * m @ np.linalg.inv(m + mu * np.eye(len(m)))
    return least(centre @ kernel @ centre.T) - mu * radius ** 2


def dual(m, centre, radius):
    """Golden section; the bracket is concave, 0 at mu = 0 and <= 0 at the right end."""
    ratio = (np.sqrt(5) - 1) / 2
    low, high = 0.0, least(centre @ m @ centre.T) / radius ** 2
    points = [high - ratio * (high - low), low + ratio * (high - low)]
    values = [bracket(m, centre, radius, mu) for mu in points]
    best = 0.0
    while high - low > 1e-16 * high and points[0] < points[1]:
        best = max(best, *values)
        if values[0] < values[1]:
            low, points[0], values[0] = points[0], points[1], values[1]
            points[1] = low + ratio * (high - low)
            values[1] = bracket(m, centre, radius, points[1])
        else:
            high, points[1], values[1] = points[1], points[0], values[0]
            points[0] = high - ratio * (high - low)
            values[0] = bracket(m, centre, radius, points[0])
    return best


def primal(m, centre, radius, draw):
    size = len(centre)

    def cost(z):
        a, b = z[:size], z[size:]
        u, v = a / np.linalg.norm(a), radius * b / np.linalg.norm(b)
        seen = m @ (centre.T @ u + v)
        in_u, in_v = 2 * centre @ seen, 2 * radius * seen
        slope = np.concatenate([(in_u - u * (u @ in_u)) / np.linalg.norm(a),
                                (in_v - v * (v @ in_v) / radius ** 2) / np.linalg.norm(b)])
        return (centre.T @ u + v) @ seen, slope

    starts = [draw.normal(size=sum(centre.shape)) for _ in range(STARTS)]
    results = [minimize(cost, z, jac=True, method="BFGS", options={"gtol": 1e-12}) for z in starts]
    best = min(results, key=lambda result: result.fun)
    a, b = best.x[:size], best.x[size:]
    worst = centre + np.outer(a, b) * (radius / np.linalg.norm(a) / np.linalg.norm(b))
    return least(worst @ m @ worst.T)


def case(name, features, occupancy, centre, radius, draw):
    m = moment(features, occupancy)
    scale = least(centre @ m @ centre.T)
    below, above = dual(m, centre, radius), primal(m, centre, radius, draw)
    assert -1e-13 * scale < above - below < AGREEMENT * scale, (name, below, above, scale)
    return {"name": name, "features": features, "occupancy": occupancy, "centre": centre,
            "radius": radius, "nominal": -scale, "worst": -below}


def masses(draw, *shape):
    weights = draw.uniform(0.1, 1, shape)
    return weights / weights.sum()


def balanced(features, size, steps=400):
    """An occupancy under which the small eigenvalues are close to each other: exponentiated ascent
    of a smoothed lmin of the first `size` coordinates, and then few digits, so that rounding on
    the way leaves no trace."""
    occupancy = np.full(len(features), 1 / len(features))
    for _ in range(steps):
        values, vectors = np.linalg.eigh(moment(features, occupancy)[:size, :size])
        weights = np.exp(-40 * (values - values[0]))
        gain = ((features[:, :size] @ vectors) ** 2) @ (weights / weights.sum())
        occupancy = occupancy * np.exp(0.1 * gain)
        occupancy /= occupancy.sum()
    return np.round(occupancy, 5)


def rotation(draw, size):
    return np.linalg.qr(draw.normal(size=(size, size)))[0]


def crossing(name, moments, mu, count, draw):
    """The first `count` eigenvalues of W0 K W0' all meet at mu, some rising faster than e^2 and some
    slower, so that the optimum is there. In the axes of M the centre is diag(a): the eigenvalues
    are a_j^2 mu m_j/(m_j + mu), of slope a_j^2 m_j^2/(m_j + mu)^2."""
    moments = np.array(moments)
    squares = (moments + mu) / moments
    squares[count:] *= 3
    slopes = squares * (moments / (moments + mu)) ** 2
    radius = np.sqrt((slopes[:count].min() + slopes[:count].max()) / 2)
    left, right = rotation(draw, len(moments)), rotation(draw, len(moments))
    occupancy = masses(draw, len(moments))
    features = right * np.sqrt(moments / occupancy)  # psi_j: column j of `right`, scaled
    centre = left @ np.diag(np.sqrt(squares)) @ right.T
    return case(name, features.T, occupancy[:, None], centre, radius, draw)


def compute():
    draw = np.random.RandomState(41)
    wide = draw.normal(size=(50, 20))
    flat = draw.normal(size=(12, 6))
    flat[:, 4:] = flat[:, :2] @ draw.normal(size=(2, 2))  # M has rank 4
    tall = draw.normal(size=(30, 8))
    partial = np.eye(10, 20)
    return [
        case("random_small", draw.normal(size=(12, 5)), masses(draw, 4, 3),
             draw.normal(size=(3, 5)), 0.2, draw),
        case("one_row", draw.normal(size=(6, 4)), masses(draw, 3, 2), draw.normal(size=(1, 4)), 0.3,
             draw),
        case("paper_size", wide, masses(draw, 10, 5), partial, 0.5, draw),
        case("paper_size_tiny_radius", wide, masses(draw, 10, 5), partial, 1e-3, draw),
        case("paper_size_near_degenerate", wide, masses(draw, 10, 5), partial, 0.99, draw),
        case("paper_size_balanced", wide, balanced(wide, 10).reshape(10, 5), partial, 0.5, draw),
        case("balanced_square", tall, balanced(tall, 8).reshape(10, 3), np.eye(8), 0.4, draw),
        case("singular_moment", flat, masses(draw, 4, 3), np.eye(3, 6) + 0.1, 0.3, draw),
        crossing("two_meet", [4.0, 1.0, 2.0], 1.5, 2, draw),
        crossing("three_meet", [4.0, 1.0, 0.2, 2.0], 0.8, 3, draw),
        crossing("five_meet", [3.0, 1.0, 0.3, 2.0, 0.7, 1.4], 0.5, 5, draw),
    ]


if __name__ == "__main__":
    fixture.run(__file__, compute)
