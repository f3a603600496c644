"""Linear algebra and small quadratic programs in rational arithmetic: no rounding anywhere.

Vectors are lists and matrices are lists of rows. A float stands for its exact value.
"""

from fractions import Fraction
from functools import cached_property
from itertools import combinations


def rational(value):
    """The same numbers as fractions, whatever the nesting."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [rational(item) for item in value] if isinstance(value, list) else Fraction(value)


def dot(x, y):
    return sum((a * b for a, b in zip(x, y)), Fraction(0))


def times(matrix, x):
    return [dot(row, x) for row in matrix]


def transpose(matrix):
    return [list(column) for column in zip(*matrix)]


def solve(matrix, right):
    """x with matrix x = right by Gauss-Jordan elimination; None where the matrix is singular."""
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k][k:] = [entry / rows[k][k] for entry in rows[k][k:]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                rows[i][k:] = [a - rows[i][k] * b for a, b in zip(rows[i][k:], rows[k][k:])]
    return [row[n] for row in rows]


class Polyhedron:
    """{x : normals x <= offsets, and the first `equalities` rows hold with equality}."""

    def __init__(self, normals, offsets, equalities=0):
        self.normals = rational(normals)
        self.offsets = rational(offsets)
        self.equalities = equalities

    def holds(self, x):
        slack = (b - dot(row, x) for row, b in zip(self.normals, self.offsets))
        return all(s == 0 if i < self.equalities else s >= 0 for i, s in enumerate(slack))

    @cached_property
    def gram(self):
        return [[dot(row, other) for other in self.normals] for row in self.normals]

    def active_sets(self, sizes):
        """Every set of rows of these sizes that may hold with equality together."""
        fixed = tuple(range(self.equalities))
        free = range(self.equalities, len(self.normals))
        for size in sizes:
            for chosen in combinations(free, size - self.equalities):
                yield fixed + chosen

    def nearest(self, point):
        """The Euclidean projection: the only point with multipliers. Tries every active set."""
        point = rational(point)
        excess = [dot(row, point) - b for row, b in zip(self.normals, self.offsets)]
        for active in self.active_sets(range(self.equalities, len(point) + 1)):
            gram = [[self.gram[i][j] for j in active] for i in active]
            multipliers = solve(gram, [excess[i] for i in active])
            if multipliers is None or any(m < 0 for m in multipliers[self.equalities:]):
                continue
            x = [z - sum(m * self.normals[i][j] for m, i in zip(multipliers, active))
                 for j, z in enumerate(point)]
            if self.holds(x):
                return x
        raise ValueError("no active set is optimal: the polyhedron is empty")

    @cached_property
    def vertices(self):
        """Every vertex, some more than once."""
        active_sets = self.active_sets([len(self.normals[0])])
        points = [solve([self.normals[i] for i in active], [self.offsets[i] for i in active])
                  for active in active_sets]
        return [x for x in points if x is not None and self.holds(x)]

    def highest(self, direction):
        """The maximiser of <direction, x>, which must be the only one, of a bounded polyhedron."""
        direction = rational(direction)
        heights = [(dot(direction, x), x) for x in self.vertices]
        top = max(height for height, _ in heights)
        best = [x for height, x in heights if height == top]
        assert all(x == best[0] for x in best), "the maximiser is not unique"
        return best[0]
