"""Convex programs written as they are on paper, and solved by HiGHS (linear) or CVXOPT (everything else).

Variables, affine expressions of them, and constraints are collected by a Program; solving returns values and the
multipliers of equations. How far a solution can be trusted is for the caller to check: no number of a solver is
believed here, see reference.py.
"""

import numpy as np
import scipy.sparse as sparse
from cvxopt import matrix, solvers, spmatrix
from scipy.optimize import linprog
from scipy.sparse.linalg import splu

HIGHS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
CVXOPT_STEPS = tuple(
    {"abstol": 0.1 * small, "reltol": small, "feastol": small} for small in (1e-10, 1e-9, 1e-8, 1e-7)
)


class ReferenceFailed(Exception):
    """The reference solver has no solution to offer."""


class Affine:
    """matrix x + offset, in the variables x that exist so far."""

    __array_ufunc__ = None  # so that NumPy leaves products and sums with arrays to this class

    def __init__(self, matrix, offset):
        self.matrix = sparse.csr_matrix(matrix)
        self.offset = np.atleast_1d(np.asarray(offset, float))

    def __len__(self):
        return len(self.offset)

    def wide(self, columns):
        if self.matrix.shape[1] == columns:
            return self.matrix
        wider = self.matrix.copy()
        wider.resize(self.matrix.shape[0], columns)
        return wider

    def _aligned(self, other):
        columns = max(self.matrix.shape[1], other.matrix.shape[1])
        one, two = self.wide(columns), other.wide(columns)
        if len(self) == 1 and len(other) > 1:
            one = sparse.vstack([one] * len(other))
        if len(other) == 1 and len(self) > 1:
            two = sparse.vstack([two] * len(self))
        return one, two

    def __add__(self, other):
        if not isinstance(other, Affine):
            return Affine(self.matrix, self.offset + other)
        one, two = self._aligned(other)
        return Affine(one + two, self.offset + other.offset)

    __radd__ = __add__

    def __neg__(self):
        return Affine(-self.matrix, -self.offset)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, factor):
        """By a number or, entry by entry, by a vector."""
        factors = np.broadcast_to(np.asarray(factor, float), (len(self),))
        return Affine(sparse.diags(factors) @ self.matrix, self.offset * factors)

    __rmul__ = __mul__

    def __getitem__(self, rows):
        rows = np.atleast_1d(np.arange(len(self))[rows])
        return Affine(self.matrix[rows], self.offset[rows])

    def times(self, left):
        """left (k, m) @ self."""
        left = sparse.csr_matrix(np.atleast_2d(left) if not sparse.issparse(left) else left)
        return Affine(left @ self.matrix, left @ self.offset)

    def total(self):
        return self.times(np.ones((1, len(self))))


def stacked(parts):
    columns = max(part.matrix.shape[1] for part in parts)
    return Affine(
        sparse.vstack([part.wide(columns) for part in parts]), np.concatenate([part.offset for part in parts])
    )


class Solution:
    """Values of expressions, multipliers of named equations, and the solver's own words."""

    def __init__(self, point, multipliers, status):
        self.point, self.multipliers, self.status = point, multipliers, status

    def value(self, expression):
        return expression.wide(len(self.point)) @ self.point + expression.offset


def _cvxopt(sparse_matrix):
    coo = sparse.coo_matrix(sparse_matrix)
    return spmatrix(coo.data.tolist(), coo.row.tolist(), coo.col.tolist(), coo.shape, tc="d")


class Program:
    """minimise objective + sum of squares + smooth terms, subject to equations, signs, and cones."""

    def __init__(self):
        self.size = 0
        self.equations = []  # (name, Affine == 0)
        self.signs = []  # Affine >= 0
        self.named_signs = []  # (name, position in signs)
        self.rounds = []  # |tail| <= head: Affine, head first
        self.named_rounds = []  # (name, position in rounds)
        self.matrices = []  # (name, order, Affine of order^2 entries, column after column) >= 0
        self.squares = []  # Affine y: adds |y|^2 / 2
        self.logarithms = []  # (weight, Affine p, delta): adds weight sum p log(p + delta)
        self.objective = None
        self.begin = np.zeros(0)  # values of the first variables to start with, where the method takes any
        self.weight = 1.0  # of the terms that are added next

    def variables(self, count):
        begin, self.size = self.size, self.size + count
        return Affine(
            sparse.csr_matrix(
                (np.ones(count), (np.arange(count), np.arange(begin, self.size))), shape=(count, self.size)
            ),
            np.zeros(count),
        )

    def minimise(self, expression):
        expression = self.weight * expression
        self.objective = expression if self.objective is None else self.objective + expression

    def equal(self, expression, name=None):
        self.equations.append((name, expression))

    def nonnegative(self, expression, name=None):
        if name is not None:
            self.named_signs.append((name, len(self.signs)))
        self.signs.append(expression)

    def within(self, head, tail, name=None):
        """|tail| <= head."""
        if name is not None:
            self.named_rounds.append((name, len(self.rounds)))
        self.rounds.append(stacked([head, tail]))

    def product_above(self, one, two, middle):
        """middle_i^2 <= one_i two_i, one and two >= 0, entry by entry."""
        one, two = one + two, one - two
        for i in range(len(middle)):
            self.rounds.append(stacked([one[min(i, len(one) - 1)], 2 * middle[i], two[min(i, len(two) - 1)]]))

    def semidefinite(self, order, expression, name=None):
        self.matrices.append((name, order, expression))

    def add_square(self, expression):
        self.squares.append(np.sqrt(self.weight) * expression)

    def add_logarithms(self, masses, delta):
        self.logarithms.append((self.weight, masses, delta))

    def _linear(self):
        return not (self.rounds or self.matrices or self.squares or self.logarithms)

    def solutions(self):
        """Solutions for smaller tolerances first; which one is good enough is for the caller to say."""
        if self.objective is None:
            self.objective = Affine(sparse.csr_matrix((1, self.size)), [0.0])
        if not (self.signs or self.rounds or self.matrices):
            self.signs.append(
                Affine(sparse.csr_matrix((1, self.size)), [1.0])
            )  # 1 >= 0: solvers want an inequality
        if self._linear():
            yield from self._by_highs()
        else:
            yield from self._by_cvxopt()

    def solve(self):
        """The first solution."""
        for solution in self.solutions():
            return solution
        raise ReferenceFailed("CVXOPT found no solution")

    def _equations(self):
        if not self.equations:
            return sparse.csr_matrix((0, self.size)), np.zeros(0)
        every = stacked([expression for _, expression in self.equations])
        return every.wide(self.size), -every.offset

    def _by_name(self, multipliers):
        named, begin = {}, 0
        for name, expression in self.equations:
            if name is not None:
                named[name] = multipliers[begin : begin + len(expression)]
            begin += len(expression)
        return named

    def _signs_by_name(self, named, multipliers):
        ends = np.concatenate([[0], np.cumsum([len(sign) for sign in self.signs])]).astype(int)
        for name, position in self.named_signs:
            named[name] = multipliers[ends[position] : ends[position + 1]]

    def _by_highs(self):
        equal, right = self._equations()
        signs = stacked(self.signs)
        cost = self.objective.wide(self.size).toarray().ravel()
        program = {
            "c": cost,
            "A_eq": equal,
            "b_eq": right,
            "A_ub": -signs.wide(self.size),
            "b_ub": signs.offset,
            "bounds": (None, None),
        }
        for method, options in (("highs", HIGHS), ("highs-ds", {}), ("highs-ipm", {})):
            found = linprog(method=method, options=options, **program)
            if found.status == 0 and found.x is not None:
                y, z = -found.eqlin.marginals, -found.ineqlin.marginals
                yield self._named_solution(found.x, y, z, "HiGHS optimal")
                yield self._refined(found.x, y, z, cost, signs, equal, right)

    def _named_solution(self, point, y, z, status):
        named = self._by_name(y)
        self._signs_by_name(named, z)
        return Solution(point, named, status)

    def _refined(self, point, y, z, cost, signs, equal, right):
        """The nearest point and multipliers that meet the active rows and the optimality conditions to rounding: errors of
        1e-12 in the flow equations grow by 1/(1 - discount)."""
        slack = signs.wide(self.size) @ point + signs.offset
        active = np.abs(slack) < 1e-8
        rows = sparse.vstack([equal, -signs.wide(self.size)[active]]).toarray()
        target = np.concatenate([right, signs.offset[active]])
        multipliers = np.concatenate([y, z[active]])
        for _ in range(2):
            point = point + np.linalg.lstsq(rows, target - rows @ point, rcond=1e-13)[0]
            multipliers = multipliers + np.linalg.lstsq(rows.T, -cost - rows.T @ multipliers, rcond=1e-13)[0]
        z = np.zeros(len(z))
        z[active] = np.maximum(multipliers[len(y) :], 0)
        return self._named_solution(point, multipliers[: len(y)], z, "HiGHS, active set")

    def _by_cvxopt(self):
        equal, right = self._equations()
        blocks = [*self.signs, *self.rounds, *[expression for _, _, expression in self.matrices]]
        every = stacked(blocks)
        dims = {
            "l": sum(len(sign) for sign in self.signs),
            "q": [len(cone) for cone in self.rounds],
            "s": [order for _, order, _ in self.matrices],
        }
        g, h = _cvxopt(-every.wide(self.size)), matrix(every.offset)
        a, b = _cvxopt(equal), matrix(right)
        cost = self.objective.wide(self.size).toarray().ravel()
        quadratic = None
        if self.squares:
            wide = sparse.vstack([y.wide(self.size) for y in self.squares])
            offsets = np.concatenate([y.offset for y in self.squares])
            quadratic = (wide.T @ wide).tocsr()
            cost = cost + wide.T @ offsets
        if self.logarithms:
            yield from self._by_newton(quadratic, cost, every, equal, right, g, h, dims, a, b)
        for factorisation in (None, "ldl"):
            for options in CVXOPT_STEPS[:1] if self.logarithms else CVXOPT_STEPS:
                settings = {"show_progress": False, "maxiters": 60, **options}
                try:
                    found = self._call_cvxopt(quadratic, cost, g, h, dims, a, b, settings, factorisation)
                except (ValueError, ArithmeticError, ZeroDivisionError):
                    continue
                if found["x"] is None or found["y"] is None:
                    continue
                if quadratic is not None and not (self.rounds or self.matrices or self.logarithms):
                    yield self._polished(found, quadratic, cost, every, equal, right)
                yield self._solution_of(found, dims)
                if self.logarithms:
                    break

    def _polished(self, found, quadratic, cost, signs, equal, right):
        """The optimality conditions of a quadratic program solved with the active inequalities as equations, which are
        updated by the signs of slacks and multipliers (the primal-dual active-set method)."""
        rows = signs.wide(self.size)
        point, y = np.array(found["x"]).ravel(), np.array(found["y"]).ravel()
        z, s = np.array(found["z"]).ravel(), np.array(found["s"]).ravel()
        seen = set()
        for _ in range(30):
            active = z > s
            if active.tobytes() in seen:
                break
            seen.add(active.tobytes())
            point, y, z = self._equality_constrained(point, y, z, active, quadratic, cost, signs, equal, right)
            s = np.where(active, 0.0, rows @ point + signs.offset)
        named = self._by_name(y)
        self._signs_by_name(named, np.maximum(z, 0))
        return Solution(point, named, "CVXOPT, active set")

    def _equality_constrained(self, point, y, z, active, quadratic, cost, signs, equal, right):
        rows = sparse.vstack([equal, -signs.wide(self.size)[active]])
        right = np.concatenate([right, signs.offset[active]])
        system = sparse.bmat([[quadratic, rows.T], [rows, None]]).tocsc()
        target = np.concatenate([-cost, right])
        shift = sparse.diags(np.concatenate([np.full(self.size, 1e-9), np.full(len(right), -1e-9)]))
        factors = splu((system + shift).tocsc())
        whole = np.concatenate([point, y, z[active]])
        for _ in range(20):
            whole = whole + factors.solve(target - system @ whole)
        multipliers = np.zeros(len(z))
        multipliers[active] = whole[self.size + len(y) :]
        return whole[: self.size], whole[self.size : self.size + len(y)], multipliers

    def _solution_of(self, found, dims):
        named = self._by_name(np.array(found["y"]).ravel())
        cone = np.array(found["zl"] if "zl" in found else found["z"]).ravel()
        self._signs_by_name(named, cone)
        for name, position in self.named_rounds:
            begin = dims["l"] + sum(dims["q"][:position])
            named[name] = cone[begin : begin + dims["q"][position]]
        begin = dims["l"] + sum(dims["q"])
        for name, order, _ in self.matrices:
            if name is not None:
                lower = np.tril(cone[begin : begin + order * order].reshape(order, order).T)
                named[name] = lower + np.tril(lower, -1).T
            begin += order * order
        return Solution(np.array(found["x"]).ravel(), named, "CVXOPT " + found["status"])

    def _call_cvxopt(self, quadratic, cost, g, h, dims, a, b, settings, factorisation):
        chosen = {"kktsolver": factorisation, "options": settings}
        if self.logarithms:
            evaluate = self._smooth(quadratic, cost)
            return solvers.cp(lambda x=None, z=None: self._for_cp(evaluate, x, z), g, h, dims, a, b, **chosen)
        if quadratic is None and factorisation is None:
            return solvers.conelp(matrix(cost), g, h, dims, a, b, kktsolver="chol", options=settings)
        if quadratic is None:  # another method for the same program, without its embedding
            quadratic = sparse.csr_matrix((self.size, self.size))
        return solvers.coneqp(_cvxopt(quadratic), matrix(cost), g, h, dims, a, b, **chosen)

    def _first_point(self):
        begin = np.zeros(self.size)
        begin[: len(self.begin)] = self.begin
        return begin

    def _for_cp(self, evaluate, x, z):
        if x is None:
            return 0, matrix(self._first_point())
        value, gradient, hessian = evaluate(np.array(x).ravel())
        answer = matrix([float(value)]), matrix(gradient, (1, self.size))
        return answer if z is None else (*answer, _cvxopt(hessian * z[0]))

    def _by_newton(self, quadratic, cost, every, equal, right, g, h, dims, a, b):
        """Newton's method, each step a cone program: where CVXOPT's own method for smooth objectives stalls."""
        evaluate = self._smooth(quadratic, cost)
        point, found = None, None
        for _ in range(60):
            at = self._first_point() if point is None else point
            value, gradient, hessian = evaluate(at)
            model = gradient - hessian @ at
            found = self._quadratic_model(hessian, model, g, h, dims, a, b)
            if found is None:
                return
            there = np.array(found["x"]).ravel()
            if point is None:
                point = there  # the first point has no values for variables besides the occupancy
                continue
            decrease = gradient @ (there - point)
            step = 1.0
            while step > 1e-8 and evaluate(point + step * (there - point))[0] > value + 0.1 * step * decrease:
                step *= 0.5
            point = point + step * (there - point)
            if decrease > -1e-13:
                break
        if not (self.rounds or self.matrices):
            _, gradient, hessian = evaluate(point)
            yield self._polished(found, hessian, gradient - hessian @ point, every, equal, right)
        yield self._solution_of({**found, "status": "Newton"}, dims)

    @staticmethod
    def _quadratic_model(hessian, cost, g, h, dims, a, b):
        for factorisation in (None, "ldl"):
            for options in CVXOPT_STEPS:
                chosen = {
                    "kktsolver": factorisation,
                    "options": {"show_progress": False, "maxiters": 40, **options},
                }
                try:
                    found = solvers.coneqp(_cvxopt(hessian), matrix(cost), g, h, dims, a, b, **chosen)
                except (ValueError, ArithmeticError, ZeroDivisionError):
                    continue
                if found["status"] == "optimal":
                    return found
        return None

    def _smooth(self, quadratic, cost):
        """x -> value, gradient and Hessian of the whole objective."""
        masses = [(weight, p.wide(self.size), p.offset, delta) for weight, p, delta in self.logarithms]

        def evaluate(point):
            value, gradient = cost @ point, cost.copy()
            hessian = sparse.csr_matrix((self.size, self.size)) if quadratic is None else quadratic
            if quadratic is not None:
                value, gradient = value + 0.5 * point @ (quadratic @ point), gradient + quadratic @ point
            for weight, p, offset, delta in masses:
                mass = p @ point + offset
                # Below 0, where no solution is, the parabola with the same value and derivatives at 0.
                above, below = np.maximum(mass, 0), np.minimum(mass, 0)
                value += weight * (
                    above @ np.log(above + delta) + below.sum() * np.log(delta) + below @ below / delta
                )
                gradient = gradient + p.T @ (
                    weight * (np.log(above + delta) + above / (above + delta) + 2 * below / delta)
                )
                second = weight * (1 / (above + delta) + delta / (above + delta) ** 2)
                hessian = hessian + p.T @ sparse.diags(second) @ p
            return value, gradient, hessian

        return evaluate
