"""Projections and support points of the ambiguity sets.

Polyhedral sets by trying every active set in rational arithmetic (exact.py), curved ones by
bisection with 60 digits (curved.py), the spectral ball by singular values, with its optimality
condition checked.
"""

import fixture
from curved import (ball_and_box_highest, ball_and_box_nearest, ellipsoid_highest,
                    ellipsoid_nearest, lp_highest, lp_nearest)
from exact import Polyhedron, dot, rational
from numeric import np

SCALES = [0.3, 2.0, 300.0]  # of the points around the centre: inside mostly, near, far


def case(name, description, centre, solver, draw):
    """solver: (nearest, highest), functions of one vector."""
    nearest, highest = solver
    size = len(centre)
    points = [centre + scale * draw.uniform(-1, 1, size) for scale in SCALES]
    points.append(centre + 3 * np.eye(size)[1])  # most coordinates as in the centre
    directions = [scale * draw.uniform(-1, 1, size) for scale in SCALES]
    return {"name": name, "set": description,
            "projections": [{"point": point, "nearest": nearest(point)} for point in points],
            "supports": [{"direction": g, "member": highest(g)} for g in directions]}


def box_rows(size):
    return np.vstack([np.eye(size), -np.eye(size)])


def polyhedral(polyhedron):
    return polyhedron.nearest, polyhedron.highest


# Sets. Each returns (description, centre, solver). ---------------------------

def lp_ball(draw, p):
    centre, radius = draw.uniform(-1, 1, 5), 0.8
    solver = (lambda z: lp_nearest(centre, radius, p, z),
              lambda g: lp_highest(centre, radius, p, g))
    return {"kind": "lp_ball", "centre": centre, "radius": radius, "p": p}, centre, solver


def l1_ball(draw):
    """|x - c|_1 <= r is sum_i s_i (x_i - c_i) <= r for every choice of signs s."""
    centre, radius = draw.uniform(-1, 1, 4), 0.8
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1).T
    offsets = [radius + dot(row, rational(centre)) for row in rational(signs)]
    solver = polyhedral(Polyhedron(signs, offsets))
    return {"kind": "lp_ball", "centre": centre, "radius": radius, "p": 1.0}, centre, solver


def max_ball(draw):
    centre, radius = draw.uniform(-1, 1, 4), 0.8
    middle = rational(centre)
    offsets = rational([radius] * 8)
    offsets = [b + shift for b, shift in zip(offsets, middle + [-c for c in middle])]
    solver = polyhedral(Polyhedron(box_rows(4), offsets))
    return {"kind": "lp_ball", "centre": centre, "radius": radius, "p": "infinity"}, centre, solver


def weighted_ball(draw):
    centre, weights, radius = draw.uniform(-1, 1, 5), draw.uniform(0.05, 6, 5), 0.7
    matrix = np.diag(weights)
    solver = (lambda z: ellipsoid_nearest(centre, matrix, radius, z),
              lambda g: ellipsoid_highest(centre, matrix, radius, g))
    return {"kind": "weighted_ball", "centre": centre, "weights": weights,
            "radius": radius}, centre, solver


def quadratic_ball(draw):
    centre, radius = draw.uniform(-1, 1, 4), 0.7
    root = draw.uniform(-1, 1, (4, 4))
    matrix = root @ root.T + 0.1 * np.eye(4)
    matrix = (matrix + matrix.T) / 2
    solver = (lambda z: ellipsoid_nearest(centre, matrix, radius, z),
              lambda g: ellipsoid_highest(centre, matrix, radius, g))
    return {"kind": "quadratic_ball", "centre": centre, "matrix": matrix,
            "radius": radius}, centre, solver


def box(draw):
    lower = draw.uniform(-1, 0, 4)
    upper = lower + draw.uniform(0.2, 1.5, 4)
    solver = polyhedral(Polyhedron(box_rows(4), np.concatenate([upper, -lower])))
    return {"kind": "box", "lower": lower, "upper": upper}, (lower + upper) / 2, solver


def simplex(_):
    rows = np.vstack([np.ones(5), -np.eye(5)])
    solver = polyhedral(Polyhedron(rows, [1, 0, 0, 0, 0, 0], equalities=1))
    return {"kind": "simplex", "dimension": 5}, np.full(5, 0.2), solver


def capped_orthant(_):
    rows = np.vstack([np.ones(5), -np.eye(5)])
    solver = polyhedral(Polyhedron(rows, [1.7, 0, 0, 0, 0, 0]))
    return {"kind": "capped_orthant", "dimension": 5, "total": 1.7}, np.full(5, 0.3), solver


def frobenius_ball(draw):
    centre, radius = draw.uniform(-1, 1, (2, 3)), 0.9
    flat = centre.ravel()
    solver = (lambda z: lp_nearest(flat, radius, 2, z), lambda g: lp_highest(flat, radius, 2, g))
    return {"kind": "frobenius_ball", "centre": centre, "radius": radius}, flat, solver


def spectral_ball(draw):
    """P is nearest to X if no member is higher along X - P: <X - P, P - C> = r |X - P|_nuclear."""
    centre, radius = draw.uniform(-1, 1, (3, 4)), 0.6

    def nearest(point):
        x = point.reshape(centre.shape) - centre
        u, sigma, v = np.linalg.svd(x, full_matrices=False)
        y = (u * np.minimum(sigma, radius)) @ v
        reached, highest = ((x - y) * y).sum(), radius * np.linalg.norm(x - y, "nuc")
        assert abs(reached - highest) <= 1e-13 * max(1, highest)
        return (centre + y).ravel()

    def highest(direction):
        """The polar factor (G G')^-1/2 G, which has full rank here."""
        g = direction.reshape(centre.shape)
        squares, u = np.linalg.eigh(g @ g.T)
        y = radius * (u / np.sqrt(squares)) @ u.T @ g
        assert abs((g * y).sum() / (radius * np.linalg.norm(g, "nuc")) - 1) < 1e-13
        return (centre + y).ravel()

    description = {"kind": "spectral_ball", "centre": centre, "radius": radius}
    return description, centre.ravel(), (nearest, highest)


def polytope(draw):
    """Random facets around a point inside, in a box that bounds them."""
    inside = draw.uniform(-1, 1, 3)
    normals = np.vstack([draw.uniform(-1, 1, (7, 3)), box_rows(3)])
    offsets = normals @ inside + draw.uniform(0.1, 0.5, len(normals))
    solver = polyhedral(Polyhedron(normals, offsets))
    return {"kind": "polytope", "normals": normals, "offsets": offsets}, inside, solver


def capped_simplex(_):
    """A simplex and a box together: a distribution with bounded masses."""
    rows = np.vstack([np.ones(4), box_rows(4)])
    lower, upper = np.full(4, 0.05), np.full(4, 0.4)
    solver = polyhedral(Polyhedron(rows, [1, *upper, *-lower], equalities=1))
    parts = [{"kind": "simplex", "dimension": 4}, {"kind": "box", "lower": lower, "upper": upper}]
    return {"kind": "intersection", "parts": parts}, np.full(4, 0.25), solver


def ball_and_box(draw, weights):
    """A ball that the box cuts on every side."""
    size = len(weights)
    centre, radius = draw.uniform(-0.5, 0.5, size), 0.8
    sides = (centre - draw.uniform(0.2, 0.7, size), centre + draw.uniform(0.2, 0.7, size))
    ball = (centre, weights, radius)
    solver = (lambda z: ball_and_box_nearest(list(ball), list(sides), z),
              lambda g: ball_and_box_highest(list(ball), list(sides), g))
    round_part = {"kind": "lp_ball", "centre": centre, "radius": radius, "p": 2.0}
    if (weights != 1).any():
        round_part = {"kind": "weighted_ball", "centre": centre, "weights": weights,
                      "radius": radius}
    parts = [round_part, {"kind": "box", "lower": sides[0], "upper": sides[1]}]
    return {"kind": "intersection", "parts": parts}, centre, solver


def product_set(draw):
    """Of a simplex and a ball: each block by itself."""
    first, second = simplex(draw), lp_ball(draw, 1.5)
    size = len(first[1])

    def blockwise(which):
        return lambda x: (fixture.plain(first[2][which](x[:size])) +
                          fixture.plain(second[2][which](x[size:])))

    description = {"kind": "product", "parts": [first[0], second[0]]}
    return description, np.concatenate([first[1], second[1]]), (blockwise(0), blockwise(1))


def compute():
    draw = np.random.RandomState(37)
    makers = {
        "l1_ball": l1_ball,
        "l1_5_ball": lambda draw: lp_ball(draw, 1.5),
        "l2_ball": lambda draw: lp_ball(draw, 2.0),
        "l3_ball": lambda draw: lp_ball(draw, 3.0),
        "max_ball": max_ball,
        "weighted_ball": weighted_ball,
        "quadratic_ball": quadratic_ball,
        "box": box,
        "capped_orthant": capped_orthant,
        "simplex": simplex,
        "frobenius_ball": frobenius_ball,
        "spectral_ball": spectral_ball,
        "polytope": polytope,
        "simplex_and_box": capped_simplex,
        "ball_and_box": lambda draw: ball_and_box(draw, np.ones(4)),
        "ellipsoid_and_box": lambda draw: ball_and_box(draw, draw.uniform(0.3, 2, 5)),
        "product": product_set,
    }
    return [case(name, *maker(draw), draw) for name, maker in makers.items()]


if __name__ == "__main__":
    fixture.run(__file__, compute)
