"""Ambiguity sets from their formulas: support functions as numbers and as conic constraints, and rgu's own objects.

Every set has `dimension`, `centre` and
  support(u)         max over members of <u, xi>, or an upper bound on it that is tight up to a solver's accuracy
  add_support(p, u)  a scalar expression that, minimised, is the support function of the affine expression u
  member(xi)         a member near xi
  contains(xi)
  nearest(xi)        the Euclidean projection, if `projects`
  build(factor)      rgu's set of the points factor * xi
"""

import numpy as np
from program import Affine, Program, ReferenceFailed
from scipy.optimize import linprog

import rgu

_INSIDE = 1e-13  # relative: what counts as a member


def _absolute(program, u):
    """z >= |u|."""
    z = program.variables(len(u))
    program.nonnegative(z - u)
    program.nonnegative(z + u)
    return z


def _on_simplex(xi, total):
    """The point of {x >= 0, sum x = total} nearest to xi."""
    falling = np.sort(xi)[::-1]
    levels = (np.cumsum(falling) - total) / np.arange(1, len(xi) + 1)
    return np.maximum(xi - levels[np.nonzero(falling > levels)[0][-1]], 0)


class Set:
    projects = False  # whether there is a `nearest`

    def member(self, xi):
        """On the way from the centre to xi, as far as the set goes."""
        xi = np.asarray(xi, float)
        if self.contains(xi):
            return xi
        low, high = 0.0, 1.0
        for _ in range(80):
            middle = 0.5 * (low + high)
            if self.contains(self.centre + middle * (xi - self.centre)):
                low = middle
            else:
                high = middle
        return self.centre + low * (xi - self.centre)

    def reach(self):
        """An upper bound on |xi_i| over the members, about the least one."""
        return np.abs(self.centre) + getattr(self, "radius", 0.0)


class Singleton(Set):
    projects = True

    def __init__(self, point):
        self.centre, self.dimension = np.asarray(point, float), len(point)

    def support(self, u):
        return self.centre @ u

    def add_support(self, program, u):
        return u.times(self.centre)

    def contains(self, xi):
        return bool((xi == self.centre).all())

    def member(self, xi):
        return self.centre

    nearest = member

    def build(self, factor):
        return rgu.ambiguity.Singleton(factor * self.centre)


class Ball(Set):
    """Of the norm p: 1, 1.5, 2, 3 or infinity."""

    def __init__(self, centre, radius, p):
        self.centre, self.radius, self.p, self.dimension = np.asarray(centre, float), radius, p, len(centre)

    @property
    def projects(self):
        return self.p in (1, 2, np.inf)

    def support(self, u):
        dual = {1: np.inf, np.inf: 1}.get(self.p) or self.p / (self.p - 1)
        return self.centre @ u + self.radius * np.linalg.norm(u, dual)

    def add_support(self, program, u):
        return u.times(self.centre) + self.radius * self._dual_norm(program, u)

    def _dual_norm(self, program, u):
        if self.p == np.inf:
            return _absolute(program, u).total()
        t = program.variables(1)
        if self.p == 1:
            program.nonnegative(t - u)
            program.nonnegative(t + u)
        elif self.p == 2:
            program.within(t, u)
        else:
            # q = 3: x^3 <= s t^2 from x^2 <= t w, w^2 <= s x; q = 3/2: x^3 <= s^2 t from x^2 <= s w, w^2 <= t x.
            x, w, s = _absolute(program, u), program.variables(len(u)), program.variables(len(u))
            wide = t.times(np.ones((len(u), 1)))
            program.product_above(wide if self.p == 1.5 else s, w, x)
            program.product_above(s if self.p == 1.5 else wide, x, w)
            program.nonnegative(t - s.total())
        return t

    def contains(self, xi):
        return np.linalg.norm(xi - self.centre, self.p) <= self.radius * (1 + _INSIDE)

    def nearest(self, xi):
        away = xi - self.centre
        if self.p == np.inf:
            return self.centre + np.clip(away, -self.radius, self.radius)
        if self.p == 2:
            return self.centre + away * min(1.0, self.radius / max(np.linalg.norm(away), 1e-300))
        if self.p == 1 and np.abs(away).sum() > self.radius:
            return self.centre + np.sign(away) * _on_simplex(np.abs(away), self.radius)
        return xi

    def build(self, factor):
        return rgu.ambiguity.LpBall(factor * self.centre, factor * self.radius, self.p)


class Frobenius(Ball):
    def __init__(self, centre, shape, radius):
        super().__init__(centre, radius, 2)
        self.shape = shape

    def build(self, factor):
        return rgu.ambiguity.FrobeniusBall(factor * self.centre.reshape(self.shape), factor * self.radius)


class Spectral(Set):
    def __init__(self, centre, shape, radius):
        self.centre, self.shape, self.radius, self.dimension = np.asarray(centre, float), shape, radius, len(centre)

    def support(self, u):
        return self.centre @ u + self.radius * np.linalg.svd(u.reshape(self.shape), compute_uv=False).sum()

    def add_support(self, program, u):
        # |U|_* = min (tr X + tr Y)/2 with [[X, U], [U', Y]] >= 0.
        rows, columns = self.shape
        order = rows + columns
        place = np.arange(order)
        row, column = np.meshgrid(place, place, indexing="ij")
        same = (row < rows) == (column < rows)
        upper = same & (row <= column)
        free = program.variables(int(upper.sum()))
        number = np.full((order, order), -1)
        number[upper] = np.arange(upper.sum())
        number = np.maximum(number, number.T)
        picks = np.zeros((order * order, len(free)))
        places_u = np.zeros((order * order, self.dimension))
        for j in range(order):  # column after column
            for i in range(order):
                if same[i, j]:
                    picks[j * order + i, number[i, j]] = 1
                else:
                    r, c = (i, j - rows) if i < rows else (j, i - rows)
                    places_u[j * order + i, r * columns + c] = 1
        program.semidefinite(order, free.times(picks) + u.times(places_u))
        trace = np.zeros((1, len(free)))
        trace[0, number[place, place]] = 0.5
        return u.times(self.centre) + self.radius * free.times(trace)

    def contains(self, xi):
        return np.linalg.norm((xi - self.centre).reshape(self.shape), 2) <= self.radius * (1 + _INSIDE)

    def build(self, factor):
        return rgu.ambiguity.SpectralBall(factor * self.centre.reshape(self.shape), factor * self.radius)


class Box(Set):
    projects = True

    def __init__(self, lower, upper):
        self.lower, self.upper = np.asarray(lower, float), np.asarray(upper, float)
        self.centre, self.dimension = 0.5 * (self.lower + self.upper), len(self.lower)

    def support(self, u):
        return np.maximum(self.lower * u, self.upper * u).sum()

    def add_support(self, program, u):
        wide = self.upper > self.lower
        if not wide.any():
            return u.times(self.lower)
        z = program.variables(int(wide.sum()))
        program.nonnegative(z)
        program.nonnegative(z - u[wide])
        return u.times(self.lower) + z.times((self.upper - self.lower)[wide])

    def contains(self, xi):
        return bool(((xi >= self.lower) & (xi <= self.upper)).all())

    def member(self, xi):
        return np.clip(xi, self.lower, self.upper)

    nearest = member

    def reach(self):
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def build(self, factor):
        return rgu.ambiguity.Box(factor * self.lower, factor * self.upper)


class Capped(Set):
    """{xi >= 0, sum xi <= total}."""

    projects = True

    def __init__(self, dimension, total):
        self.dimension, self.total = dimension, total
        self.centre = np.full(dimension, 0.5 * total / dimension)

    def support(self, u):
        return self.total * max(0.0, u.max())

    def add_support(self, program, u):
        t = program.variables(1)
        program.nonnegative(t)
        program.nonnegative(t - u)
        return self.total * t

    def contains(self, xi):
        return bool(xi.min() >= 0 and xi.sum() <= self.total)

    def member(self, xi):
        xi = np.maximum(xi, 0)
        return xi if xi.sum() <= self.total else xi * (self.total * (1 - 1e-15) / xi.sum())

    def nearest(self, xi):
        above = np.maximum(xi, 0)
        return above if above.sum() <= self.total else _on_simplex(xi, self.total)

    def reach(self):
        return np.full(self.dimension, self.total)

    def build(self, factor):
        return rgu.ambiguity.CappedOrthant(self.dimension, factor * self.total)


class Simplex(Set):
    """Of probabilities; it has no other size, so it is never scaled."""

    projects = True

    def __init__(self, dimension):
        self.dimension, self.centre = dimension, np.full(dimension, 1 / dimension)

    def support(self, u):
        return u.max()

    def add_support(self, program, u):
        t = program.variables(1)
        program.nonnegative(t - u)
        return t

    def contains(self, xi):
        return bool(xi.min() >= 0 and abs(xi.sum() - 1) <= 1e-12)

    def member(self, xi):
        xi = np.maximum(xi, 0)
        return xi / xi.sum() if xi.sum() > 0 else self.centre

    def nearest(self, xi):
        return _on_simplex(xi, 1.0)

    def reach(self):
        return np.ones(self.dimension)

    def build(self, factor):
        assert factor == 1
        return rgu.ambiguity.ProbabilitySimplex(self.dimension)


class Ellipsoid(Set):
    """{(xi - centre)' matrix (xi - centre) <= radius^2}; a vector in place of the matrix is its diagonal."""

    def __init__(self, centre, radius, matrix):
        self.centre, self.radius, self.given, self.dimension = (
            np.asarray(centre, float),
            radius,
            matrix,
            len(centre),
        )
        full = np.diag(matrix) if matrix.ndim == 1 else matrix
        self.root = np.linalg.cholesky(full).T  # matrix = root' root
        self.inverse = np.linalg.inv(self.root).T  # |inverse u|^2 = u' matrix^-1 u

    def support(self, u):
        return self.centre @ u + self.radius * np.linalg.norm(self.inverse @ u)

    def add_support(self, program, u):
        t = program.variables(1)
        program.within(t, u.times(self.inverse))
        return u.times(self.centre) + self.radius * t

    def contains(self, xi):
        return np.linalg.norm(self.root @ (xi - self.centre)) <= self.radius * (1 + _INSIDE)

    def reach(self):
        return np.abs(self.centre) + self.radius * np.linalg.norm(self.inverse, axis=0)

    def build(self, factor):
        name = "weights" if self.given.ndim == 1 else "matrix"
        return rgu.ambiguity.Ellipsoid(factor * self.centre, factor * self.radius, **{name: self.given})


class Polytope(Set):
    """{normals xi <= offsets}, with a member `centre` in its interior."""

    def __init__(self, normals, offsets, centre):
        self.normals, self.offsets, self.centre = normals, offsets, np.asarray(centre, float)
        self.dimension = normals.shape[1]

    def support(self, u):
        size = np.abs(u).max()
        if size == 0:
            return 0.0
        found = linprog(
            -u / size,
            A_ub=self.normals,
            b_ub=self.offsets,
            bounds=(None, None),
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status != 0:
            raise ReferenceFailed(f"HiGHS: {found.message}")
        return -size * found.fun

    def add_support(self, program, u):
        y = program.variables(len(self.offsets))
        program.nonnegative(y)
        program.equal(y.times(self.normals.T) - u)
        return y.times(self.offsets)

    def contains(self, xi):
        return bool((self.normals @ xi <= self.offsets + _INSIDE * (1 + np.abs(self.offsets))).all())

    def reach(self):
        """Its first rows are those of a box."""
        n = self.dimension
        return np.maximum(np.abs(self.offsets[:n]), np.abs(self.offsets[n : 2 * n]))

    def build(self, factor):
        return rgu.ambiguity.Polytope(self.normals, factor * self.offsets)


class Product(Set):
    def __init__(self, parts):
        self.parts = parts
        self.dimension = sum(part.dimension for part in parts)
        self.centre = np.concatenate([part.centre for part in parts])
        self.cuts = np.cumsum([part.dimension for part in parts])[:-1]

    def support(self, u):
        return sum(part.support(piece) for part, piece in zip(self.parts, np.split(u, self.cuts)))

    def add_support(self, program, u):
        sums, begin = None, 0
        for part in self.parts:
            one = part.add_support(program, u[begin : begin + part.dimension])
            sums, begin = one if sums is None else sums + one, begin + part.dimension
        return sums

    def contains(self, xi):
        return all(part.contains(piece) for part, piece in zip(self.parts, np.split(xi, self.cuts)))

    def member(self, xi):
        return np.concatenate([part.member(piece) for part, piece in zip(self.parts, np.split(xi, self.cuts))])

    def reach(self):
        return np.concatenate([part.reach() for part in self.parts])

    def build(self, factor):
        return rgu.ambiguity.ProductSet([part.build(factor) for part in self.parts])


class Intersection(Set):
    """With a common point `centre` that is inside all parts but simplices."""

    def __init__(self, parts, centre):
        self.parts, self.centre, self.dimension = parts, np.asarray(centre, float), parts[0].dimension

    def _split(self, program, u):
        """u as a sum of one expression for each part."""
        pieces = [program.variables(self.dimension) for _ in self.parts[1:]]
        rest = u
        for piece in pieces:
            rest = rest - piece
        return [rest, *pieces]

    def support(self, u):
        # The infimal convolution of the parts' support functions; every split of u is an upper bound.
        size = np.abs(u).max()
        if size == 0:
            return 0.0
        program = Program()
        pieces = self._split(program, Affine(np.zeros((len(u), 1)), u / size))
        for part, piece in zip(self.parts, pieces):
            program.minimise(part.add_support(program, piece))
        least = min(part.support(u) for part in self.parts)
        try:
            solution = program.solve()
        except ReferenceFailed:
            return least
        split = [solution.value(piece) for piece in pieces]
        return min(least, size * sum(part.support(piece) for part, piece in zip(self.parts, split)))

    def add_support(self, program, u):
        sums = None
        for part, piece in zip(self.parts, self._split(program, u)):
            one = part.add_support(program, piece)
            sums = one if sums is None else sums + one
        return sums

    def contains(self, xi):
        return all(part.contains(xi) for part in self.parts)

    def member(self, xi):
        for part in self.parts:
            if isinstance(part, (Simplex, Box, Capped)):
                xi = part.member(xi)
        return super().member(xi)

    def reach(self):
        return np.min([part.reach() for part in self.parts], axis=0)

    def build(self, factor):
        return rgu.ambiguity.IntersectionSet([part.build(factor) for part in self.parts])


def vertices_of(one):
    """(count, n): of sets with few vertices, else None."""
    n = one.dimension
    if isinstance(one, Singleton):
        return one.centre[None]
    if isinstance(one, Simplex):
        return np.eye(n)
    if isinstance(one, Capped):
        return np.vstack([np.zeros(n), one.total * np.eye(n)])
    if isinstance(one, Ball) and one.p == 1:
        return np.vstack([one.centre + one.radius * np.eye(n), one.centre - one.radius * np.eye(n)])
    return None


def as_box(one):
    if isinstance(one, Box):
        return one
    if isinstance(one, Ball) and one.p == np.inf:
        return Box(one.centre - one.radius, one.centre + one.radius)
    return None
