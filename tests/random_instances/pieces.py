"""Utilities from their formulas, each with its ambiguity set: the terms that problems are sums of.

A piece stands for Gamma(lambda) = max over xi in the set of f_xi(lambda) and has
  add(program, occupancy)         adds Gamma to the objective of a program
  value(occupancy)                Gamma as a number, or an upper bound on it that is tight up to rounding
  minorant(occupancy, solution, variant)
                                  (constant, gradient): constant + <gradient, lambda> <= Gamma(lambda) on the whole
                                  occupancy polytope, tight at a minimiser; valid whatever the solver said; some have
                                  two variants, neither always the better one
  unit(occupancy, gradient)       the size of its costs, which absolute tolerances are relative to
  build(scale)                    rgu's (utility, set or None) of scale * Gamma, or None where only a weight scales it

All numbers are of size about 1; `scale` only enters when rgu's objects are built.
"""

import numpy as np
from program import Program
from scipy.optimize import minimize_scalar
from sets import Ball, Singleton, as_box, vertices_of

import rgu

_names = iter(range(10**9))


class Linear:
    """f_xi(lambda) = <cost, lambda> + xi'(slopes lambda - thresholds) - (modulus/2) |xi - middle|^2."""

    def __init__(self, cost, slopes, thresholds, ambiguity, modulus=0.0, middle=None):
        self.cost, self.slopes, self.thresholds, self.ambiguity = cost, slopes, thresholds, ambiguity
        self.modulus, self.middle, self.name = modulus, middle, f"xi{next(_names)}"

    def add(self, program, occupancy):
        if self.cost is not None:
            program.minimise(occupancy.times(self.cost))
        if self.ambiguity is None:
            return
        signal = occupancy.times(self.slopes) - self.thresholds
        u = program.variables(len(signal))
        program.equal(signal - u, self.name)
        self.weight = program.weight  # multipliers are in its unit
        if self.modulus > 0:
            self._add_regularized(program, signal, u)
        else:
            program.minimise(self.ambiguity.add_support(program, u))

    def _add_regularized(self, program, signal, u):
        """min over v of support(v) + <middle, signal - v> + |signal - v|^2 / (2 modulus); u is the signal."""
        v = program.variables(len(u))
        program.minimise(self.ambiguity.add_support(program, v) + (u - v).times(self.middle))
        program.add_square((u - v) * (1 / np.sqrt(self.modulus)))

    def value(self, occupancy):
        total = 0.0 if self.cost is None else self.cost @ occupancy
        if self.ambiguity is None:
            return total
        signal = self.slopes @ occupancy - self.thresholds
        if self.modulus == 0:
            return total + self.ambiguity.support(signal)
        # min over v of support(v) + <middle, signal - v> + |signal - v|^2 / (2 modulus): every v is an upper bound.
        away = signal - self._dual_signal(signal)
        return total + self.ambiguity.support(signal - away) + self.middle @ away + away @ away / (2 * self.modulus)

    def value_from_below(self, occupancy):
        """The value at one member of the set. `value` itself is as accurate as a conic solver where sets intersect."""
        if self.ambiguity is None or self.modulus == 0:
            return self.value(occupancy)
        signal = self.slopes @ occupancy - self.thresholds
        xi = self._best_member(signal)
        off = xi - self.middle
        own = 0.0 if self.cost is None else self.cost @ occupancy
        return own + signal @ xi - 0.5 * self.modulus * off @ off

    def _dual_signal(self, signal):
        """The v of that minimum: signal - modulus (xi - middle) at the best xi, the projection of middle + signal / modulus."""
        if self.ambiguity.projects:
            return signal - self.modulus * (self.ambiguity.nearest(self.middle + signal / self.modulus) - self.middle)
        program = Program()
        v = program.variables(len(signal))
        program.minimise(self.ambiguity.add_support(program, v) - v.times(self.middle))
        program.add_square((v - signal) * (1 / np.sqrt(self.modulus)))
        return program.solve().value(v)

    def _best_member(self, signal):
        """The xi that maximises signal'xi - (modulus/2) |xi - middle|^2."""
        return self.ambiguity.member(self.middle + (signal - self._dual_signal(signal)) / self.modulus)

    def minorant(self, occupancy, solution, variant=0):
        if self.ambiguity is None:
            return 0.0, self.cost
        if self.modulus > 0 and variant == 0:
            xi = self._best_member(self.slopes @ occupancy - self.thresholds)
        else:
            xi = self.ambiguity.member(solution.multipliers[self.name] / self.weight)
        gradient = self.slopes.T @ xi + (0 if self.cost is None else self.cost)
        constant = -self.thresholds @ xi
        if self.modulus > 0:
            constant -= 0.5 * self.modulus * (xi - self.middle) @ (xi - self.middle)
        return constant, gradient

    def unit(self, occupancy, gradient):
        # At the optimal xi, and without constraints or anywhere in the set: xi = 0 alone would say nothing.
        if self.cost is not None and np.abs(self.cost).max() > 0:
            return max(np.abs(gradient).max(), np.abs(self.cost).max())
        if self.ambiguity is None:
            return 0.0
        return max(np.abs(gradient).max(), (np.abs(self.slopes).T @ self.ambiguity.reach()).max())


class Reward(Linear):
    """LinearReward."""

    def __init__(self, model, reward):
        super().__init__(-reward, None, None, None)
        self.shape = (model.states, model.actions)

    def build(self, scale):
        return rgu.utility.LinearReward(-scale * self.cost.reshape(self.shape)), None


class RewardRobust(Linear):
    def __init__(self, model, ambiguity, modulus=0.0):
        super().__init__(None, -np.eye(model.pairs), np.zeros(model.pairs), ambiguity, modulus, ambiguity.centre)
        self.shape = (model.states, model.actions)

    def build(self, scale):
        utility = rgu.utility.RewardRobust(*self.shape)
        if self.modulus > 0:
            utility = rgu.utility.NatureRegularized(
                utility, modulus=self.modulus / scale, centre=scale * self.middle
            )
        return utility, self.ambiguity.build(scale)


class FeatureReward(Linear):
    """`share` of the scale goes to the set, as a power; the rest to the features."""

    def __init__(self, model, features, ambiguity, modulus=0.0, share=0.0):
        super().__init__(None, -features, np.zeros(len(features)), ambiguity, modulus, ambiguity.centre)
        self.shape, self.share = (model.states, model.actions), share

    def build(self, scale):
        outer = scale**self.share
        features = [-(scale / outer) * row.reshape(self.shape) for row in self.slopes]
        utility = rgu.utility.FeatureRewardRobust(features)
        if self.modulus > 0:
            utility = rgu.utility.NatureRegularized(
                utility, modulus=self.modulus * scale / outer**2, centre=outer * self.middle
            )
        return utility, self.ambiguity.build(outer)


class Constrained(Linear):
    """The costs of the constraints may have a scale of their own; multipliers then have the ratio."""

    def __init__(self, model, objective, constraints, thresholds, ambiguity, modulus=0.0, constraint_scale=None):
        super().__init__(objective, constraints, thresholds, ambiguity, modulus, np.zeros(len(constraints)))
        self.shape, self.constraint_scale = (model.states, model.actions), constraint_scale

    def build(self, scale):
        inner = scale if self.constraint_scale is None else self.constraint_scale
        ratio = scale / inner
        utility = rgu.utility.Constrained(
            scale * self.cost.reshape(self.shape),
            [inner * row.reshape(self.shape) for row in self.slopes],
            inner * self.thresholds,
        )
        if self.modulus > 0:
            utility = rgu.utility.NatureRegularized(
                utility, modulus=self.modulus * scale / ratio**2, centre=ratio * self.middle
            )
        return utility, self.ambiguity.build(ratio)


class Divergence:
    """Entropy (no set) and KlTarget: sum p log(p + delta) - <log(xi + delta), p>, p the masses of states or of pairs."""

    def __init__(self, model, over, ambiguity=None, delta=1e-6):
        self.model, self.over, self.ambiguity, self.delta = model, over, ambiguity, delta
        self.name = f"weights{next(_names)}"
        pairs = np.eye(model.pairs)
        self.masses = pairs.reshape(model.states, model.actions, -1).sum(axis=1) if over == "states" else pairs
        self.costs = None if ambiguity is None else -np.log(self._targets() + delta)  # (targets, masses)

    def _targets(self):
        box = as_box(self.ambiguity)
        # The divergence falls in every xi_i, so of a box only the lowest corner counts.
        return box.lower[None] if box is not None else vertices_of(self.ambiguity)

    def add(self, program, occupancy):
        masses = occupancy.times(self.masses)
        program.add_logarithms(masses, self.delta)
        if self.costs is not None and len(self.costs) == 1:
            program.minimise(masses.times(self.costs))
        elif self.costs is not None:
            t = program.variables(1)
            program.nonnegative(t - masses.times(self.costs), self.name)
            program.minimise(t)

    def value(self, occupancy):
        p = self.masses @ occupancy
        total = p @ np.log(p + self.delta)
        return total if self.costs is None else total + (self.costs @ p).max()

    def minorant(self, occupancy, solution, variant=0):
        p = self.masses @ occupancy
        slope = np.log(p + self.delta) + p / (p + self.delta)
        constant = p @ np.log(p + self.delta) - slope @ p
        if self.costs is not None:
            weights = np.maximum(solution.multipliers.get(self.name, np.ones(1)), 0)
            slope = slope + (weights / weights.sum()) @ self.costs
        return constant, self.masses.T @ slope

    def unit(self, occupancy, gradient):
        return -np.log(self.delta)  # the largest slope of p log(p + delta)

    def build(self, scale):
        if scale != 1:
            return None
        shape = (self.model.states, self.model.actions)
        if self.ambiguity is None:
            return rgu.utility.Entropy(*shape, over=self.over, delta=self.delta), None
        return rgu.utility.KlTarget(*shape, over=self.over, delta=self.delta), self.ambiguity.build(1.0)


class Quadratic:
    """QuadraticTarget on Euclidean balls, on boxes, and on sets with few vertices."""

    def __init__(self, model, ambiguity, alone=False):
        self.model, self.ambiguity, self.alone, self.name = model, ambiguity, alone, f"weights{next(_names)}"
        self.ball = ambiguity if isinstance(ambiguity, Ball) and ambiguity.p == 2 else None
        self.box = as_box(ambiguity)
        self.vertices = None if self.ball or self.box else vertices_of(ambiguity)

    def add(self, program, occupancy):
        if self.ball:
            # (|lambda - c| + r)^2 / 2, of which the terms with r do not matter if there are no others.
            program.add_square(occupancy - self.ball.centre)
            if not self.alone:
                t = program.variables(1)
                program.within(t, occupancy - self.ball.centre, self.name)
                program.minimise(self.ball.radius * t)
        elif self.box:
            z = program.variables(len(occupancy))
            program.nonnegative(z - (occupancy - self.box.centre), self.name + "+")
            program.nonnegative(z + (occupancy - self.box.centre), self.name + "-")
            program.add_square(z + 0.5 * (self.box.upper - self.box.lower))
        else:
            t = program.variables(1)
            halves = 0.5 * (self.vertices**2).sum(axis=1)
            program.nonnegative(t + occupancy.times(self.vertices) - halves, self.name)
            program.minimise(t)
            program.add_square(occupancy)

    def value(self, occupancy):
        if self.ball:
            return 0.5 * (np.linalg.norm(occupancy - self.ball.centre) + self.ball.radius) ** 2
        if self.box:
            return (
                0.5 * ((np.abs(occupancy - self.box.centre) + 0.5 * (self.box.upper - self.box.lower)) ** 2).sum()
            )
        return 0.5 * ((occupancy - self.vertices) ** 2).sum(axis=1).max()

    def minorant(self, occupancy, solution, variant=0):
        if self.ball:
            # d^2/2 >= <a, lambda - c> - |a|^2/2 for a = lambda_bar - c, and r d >= r <v, lambda - c> for |v| <= 1.
            away = occupancy - self.ball.centre
            slope = away + self.ball.radius * self._direction(away, solution, variant)
            return self.ball.radius**2 / 2 - 0.5 * away @ away - slope @ self.ball.centre, slope
        if self.box:
            half = 0.5 * (self.box.upper - self.box.lower)
            distance = np.abs(occupancy - self.box.centre)
            plus, minus = solution.multipliers[self.name + "+"], solution.multipliers[self.name + "-"]
            size = np.maximum(plus + minus, 1e-300)
            slope = (distance + half) * np.clip((plus - minus) / size, -1, 1)
            return (
                0.5 * (distance + half) ** 2 - (distance + half) * distance
            ).sum() - slope @ self.box.centre, slope
        weights = np.maximum(solution.multipliers[self.name], 0)
        weights = weights / weights.sum()
        halves = 0.5 * (self.vertices**2).sum(axis=1)
        return weights @ halves - 0.5 * occupancy @ occupancy, occupancy - weights @ self.vertices

    def _direction(self, away, solution, variant):
        """v, from the occupancy or, at the kink, from the multipliers of the cone."""
        if variant == 0:
            distance = np.linalg.norm(away)
            return away / distance if distance > 0 else away
        cone = solution.multipliers.get(self.name)
        if cone is None:
            return np.zeros_like(away)
        v = -cone[1:] / max(cone[0], 1e-300)
        return v / max(1.0, np.linalg.norm(v))

    def unit(self, occupancy, gradient):
        return max(np.abs(gradient).max(), occupancy.max())

    def build(self, scale):
        if scale != 1:
            return None
        return rgu.utility.QuadraticTarget(self.model.states, self.model.actions), self.ambiguity.build(1.0)


class Drift:
    """-lmin(W M W') on Frobenius, spectral and Euclidean balls of maps W (d, d'), or at one map (radius 0).

    The program is  max t - mu r^2  with  [[W0 M W0' - t I, W0 M], [M W0', M + mu I]] >= 0, whose dual is over matrices
    Z = [[Z11, Z12], [Z21, Z22]] >= 0 with tr Z11 = 1, tr Z22 <= r^2: the moments of (u, p), u'W = u'W0 + p', |p| <= r |u|.
    """

    def __init__(self, model, features, ambiguity, shape):
        self.model, self.features, self.ambiguity, self.shape = model, features, ambiguity, shape
        self.centre = ambiguity.centre.reshape(shape)
        self.radius = getattr(ambiguity, "radius", 0.0)
        assert not isinstance(ambiguity, Ball) or ambiguity.p == 2
        self.name = f"moments{next(_names)}"

    def _seen(self):
        mapped = self.features @ self.centre.T
        return mapped if self.radius == 0 else np.hstack([mapped, self.features])

    def add(self, program, occupancy):
        d, wide = self.shape
        seen = self._seen()
        order = seen.shape[1]
        t = program.variables(1)
        squares = np.einsum("ki,kj->ijk", seen, seen).reshape(order * order, -1)
        level = np.diag([1.0] * d + [0.0] * (order - d)).reshape(-1, 1)
        block = occupancy.times(squares) - t.times(level)
        program.minimise(-t)
        if self.radius > 0:
            mu = program.variables(1)
            program.nonnegative(mu)
            program.minimise(self.radius**2 * mu)
            block = block + mu.times(np.diag([0.0] * d + [1.0] * wide).reshape(-1, 1))
        program.semidefinite(order, block, self.name)

    def value(self, occupancy):
        moment = self.features.T @ (occupancy[:, None] * self.features)
        if self.radius == 0:
            return -np.linalg.eigvalsh(self.centre @ moment @ self.centre.T)[0]
        values, vectors = np.linalg.eigh(moment)
        values, rotated = np.maximum(values, 0), self.centre @ vectors
        size = max(values[-1], 1e-300)

        def bound(log_mu):
            # lmin(W0 K W0') - mu r^2, K = mu M (M + mu I)^-1: below the least for every mu.
            mu = size * np.exp(log_mu)
            return (
                mu * self.radius**2 - np.linalg.eigvalsh((rotated * (mu * values / (values + mu))) @ rotated.T)[0]
            )

        grid = np.linspace(-30, 30, 61)
        best = grid[np.argmin([bound(x) for x in grid])]
        found = minimize_scalar(bound, bounds=(best - 1, best + 1), method="bounded", options={"xatol": 1e-12})
        return min(0.0, found.fun, bound(best))  # mu = 0 gives 0

    def minorant(self, occupancy, solution, variant=0):
        d = self.shape[0]
        values, vectors = np.linalg.eigh(solution.multipliers[self.name])
        moments = (vectors * np.maximum(values, 0)) @ vectors.T
        factors = np.ones(len(moments))
        factors[:d] /= np.sqrt(np.trace(moments[:d, :d]))
        if self.radius > 0:
            rest = np.trace(moments[d:, d:])
            factors[d:] = min(factors[0], self.radius / np.sqrt(rest)) if rest > 0 else factors[0]
        moments = moments * np.outer(factors, factors)
        seen = self._seen()
        return 0.0, -np.einsum("ki,ij,kj->k", seen, moments, seen)

    def unit(self, occupancy, gradient):
        return ((self.features @ self.centre.T) ** 2).sum(axis=1).max()

    def build(self, scale):
        """The features take the square root of the scale."""
        factor = np.sqrt(scale)
        features = factor * self.features
        return rgu.utility.Drift(
            features.reshape(self.model.states, self.model.actions, -1), self.shape[0]
        ), self.ambiguity.build(1.0)


class DriftRow:
    """-(W M W') - (modulus/2) |W - centre|^2 for rows W (d') in any set; M = sum of lambda psi psi'.

    max over W of -sum_i lambda_i (psi_i W)^2 = min over a of support(sum_i a_i psi_i) + sum_i a_i^2 / (4 lambda_i).
    """

    def __init__(self, model, features, ambiguity, modulus=0.0):
        self.model, self.features, self.ambiguity, self.modulus = model, features, ambiguity, modulus
        self.name = f"row{next(_names)}"

    def add(self, program, occupancy):
        self.weight = program.weight
        if isinstance(self.ambiguity, Singleton):
            program.minimise(occupancy.times(-((self.features @ self.ambiguity.centre) ** 2)))
            return
        a, q = program.variables(len(occupancy)), program.variables(len(occupancy))
        program.product_above(4 * occupancy, q, a)
        program.minimise(q.total())
        self._add_support(program, a.times(self.features.T), self.name)

    def _add_support(self, program, signal, name):
        """Adds max over W of <signal, W> - (modulus/2) |W - centre|^2, with W as the multipliers of that name."""
        u = program.variables(len(signal))
        program.equal(signal - u, name)
        if self.modulus > 0:
            v = program.variables(len(signal))
            program.add_square(v * (1 / np.sqrt(self.modulus)))
            program.minimise(v.times(self.ambiguity.centre))
            u = u - v
        program.minimise(self.ambiguity.add_support(program, u))

    def value(self, occupancy):
        moment = self.features.T @ (occupancy[:, None] * self.features)
        if isinstance(self.ambiguity, Singleton):
            return -self.ambiguity.centre @ moment @ self.ambiguity.centre
        values, vectors = np.linalg.eigh(moment)
        root = (vectors * np.sqrt(2 * np.maximum(values, 0))).T
        # -W'M W = min over y of <root'y, W> + |y|^2/2, root'root = 2 M: the same program with the moment fixed.
        program = Program()
        y = program.variables(len(values))
        program.add_square(y)
        self._add_support(program, y.times(root.T), "row")
        best = np.inf
        for solution in program.solutions():
            row = self.ambiguity.member(solution.multipliers["row"])
            # A concave function is below its tangent.
            away = row - self.ambiguity.centre
            here = -row @ moment @ row - 0.5 * self.modulus * away @ away
            slope = -2 * moment @ row - self.modulus * away
            best = min(best, here - slope @ row + self.ambiguity.support(slope))
            if best - here <= 1e-12 * (values[-1] + self.modulus) * (row @ row):
                break
        return best

    def minorant(self, occupancy, solution, variant=0):
        row = self.ambiguity.member(solution.multipliers.get(self.name, np.zeros(0)) / self.weight)
        away = row - self.ambiguity.centre
        return -0.5 * self.modulus * away @ away, -((self.features @ row) ** 2)

    def unit(self, occupancy, gradient):
        return max(np.abs(gradient).max(), ((self.features @ self.ambiguity.centre) ** 2).max())

    def build(self, scale):
        """The features take the square root of the scale."""
        features = (np.sqrt(scale) * self.features).reshape(self.model.states, self.model.actions, -1)
        utility = rgu.utility.Drift(features, 1)
        if self.modulus > 0:
            utility = rgu.utility.NatureRegularized(
                utility, modulus=scale * self.modulus, centre=self.ambiguity.centre
            )
        return utility, self.ambiguity.build(1.0)
