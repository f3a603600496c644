"""Projections and support points of curved sets, by bisection in decimal numbers of 60 digits.

The optimality conditions leave one unknown, the multiplier nu of the curved constraint. Vectors are
lists of decimals.
"""

from decimal import Decimal, localcontext

DIGITS = 60
HALVINGS = 240  # of an interval that doubling has found: more than 60 digits


def decimals(value):
    """The same numbers as decimals, whatever the nesting; a float is taken as it is, exactly."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [decimals(item) for item in value] if isinstance(value, list) else Decimal(value)


def precise(function):
    """Decimal numbers in, 60 digits inside, decimal numbers out."""
    def wrapped(*arguments):
        with localcontext() as context:
            context.prec = DIGITS
            return function(*(decimals(argument) for argument in arguments))
    return wrapped


def dot(x, y):
    return sum((a * b for a, b in zip(x, y)), Decimal(0))


def root(excess):
    """The nu > 0 where the decreasing function `excess` changes its sign."""
    low, high = Decimal(0), Decimal(1)
    while excess(high) > 0:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def solve(matrix, right):
    """Gaussian elimination for a positive definite matrix, which needs no pivots."""
    rows = [row + [b] for row, b in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    x = [Decimal(0)] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - dot(rows[k][k + 1:n], x[k + 1:])) / rows[k][k]
    return x


def power(x, p):
    return x**p if x else Decimal(0)


# l_p balls, 1 < p < infinity. ------------------------------------------------

def lp_scalar(p):
    """(nu, z) -> the y >= 0 with y + nu y^(p-1) = z, in closed form for these p."""
    if p == 2:
        return lambda nu, z: z / (1 + nu)
    if p == 3:
        return lambda nu, z: 2 * z / (1 + (1 + 4 * nu * z).sqrt())
    assert p == Decimal("1.5")
    return lambda nu, z: (2 * z / (nu + (nu * nu + 4 * z).sqrt())) ** 2 if z else Decimal(0)


@precise
def lp_nearest(centre, radius, p, point):
    """With y = |x - centre| and z = |point - centre|: y + nu y^(p-1) = z and |y|_p = radius."""
    offset = [x - c for x, c in zip(point, centre)]
    if sum(power(abs(z), p) for z in offset) <= radius**p:
        return point
    scalar = lp_scalar(p)

    def moved(nu):
        return [scalar(nu, abs(z)) for z in offset]

    nu = root(lambda nu: sum(power(y, p) for y in moved(nu)) - radius**p)
    return [c + y.copy_sign(z) for c, y, z in zip(centre, moved(nu), offset)]


@precise
def lp_highest(centre, radius, p, direction):
    """The point of Hoelder's equality: the only x on the sphere with <g, x - c> = radius |g|_q."""
    q = p / (p - 1)
    norm = sum(power(abs(g), q) for g in direction) ** (1 / q)
    offset = [(radius * power(abs(g) / norm, q - 1)).copy_sign(g) for g in direction]
    assert abs(dot(direction, offset) - radius * norm) < Decimal("1e-50") * radius * norm
    assert abs(sum(power(abs(y), p) for y in offset) - radius**p) < Decimal("1e-50") * radius**p
    return [c + y for c, y in zip(centre, offset)]


# Ellipsoids (x - c)' Q (x - c) <= r^2. ---------------------------------------

def quadratic(matrix, x):
    return dot(x, [dot(row, x) for row in matrix])


@precise
def ellipsoid_nearest(centre, matrix, radius, point):
    """(I + nu Q)(x - c) = point - c, with nu such that x lies on the boundary."""
    offset = [x - c for x, c in zip(point, centre)]
    if quadratic(matrix, offset) <= radius**2:
        return point

    def moved(nu):
        system = [[nu * entry + (i == j) for j, entry in enumerate(row)]
                  for i, row in enumerate(matrix)]
        return solve(system, offset)

    nu = root(lambda nu: quadratic(matrix, moved(nu)) - radius**2)
    return [c + y for c, y in zip(centre, moved(nu))]


@precise
def ellipsoid_highest(centre, matrix, radius, direction):
    """x - c is along Q^-1 g."""
    along = solve(matrix, direction)
    scale = radius / dot(direction, along).sqrt()
    return [c + scale * y for c, y in zip(centre, along)]


# A box and sum_i w_i (x_i - c_i)^2 <= r^2 together. --------------------------

def clipped(x, lower, upper):
    return [min(max(entry, low), high) for entry, low, high in zip(x, lower, upper)]


def weighted_excess(centre, weights, radius, x):
    return sum(w * (a - c) ** 2 for w, a, c in zip(weights, x, centre)) - radius**2


@precise
def ball_and_box_nearest(ball, box, point):
    """For each nu, |x - point|^2 + nu sum_i w_i (x_i - c_i)^2 is least over the box by clipping."""
    centre, weights, radius = ball

    def moved(nu):
        mixed = [(z + nu * w * c) / (1 + nu * w) for z, w, c in zip(point, weights, centre)]
        return clipped(mixed, *box)

    def excess(nu):
        return weighted_excess(centre, weights, radius, moved(nu))

    return moved(root(excess)) if excess(Decimal(0)) > 0 else moved(Decimal(0))


@precise
def ball_and_box_highest(ball, box, direction):
    """As above, from -2 <g, x> + nu sum_i w_i (x_i - c_i)^2; a corner if that is in the ball."""
    centre, weights, radius = ball

    def moved(nu):
        mixed = [c + g / (nu * w) for c, w, g in zip(centre, weights, direction)]
        return clipped(mixed, *box)

    corner = [high if g > 0 else low for g, low, high in zip(direction, *box)]
    if weighted_excess(centre, weights, radius, corner) <= 0:
        return corner
    return moved(root(lambda nu: weighted_excess(centre, weights, radius, moved(nu)) if nu else 1))
