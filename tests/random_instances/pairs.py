"""Random instances of every pair (utility, ambiguity set) whose worst case rgu knows exactly or with a certificate.

A proof needs the worst case of a policy itself to be known (src/robustness/worst_case.hpp), so these pairs are left out:

  utility              set                                      why
  ------------------   --------------------------------------   ---------------------------------------------------------
  QuadraticTarget      l_p with p other than 1, 2, infinity;    convex in xi and the set has no short list of vertices:
                       ellipsoid, spectral, polytope,           the worst case is only the best one found
                       products, intersections
  KlTarget             the same, and l2, Frobenius              the same; of l2 balls only the quadratic is known
  Drift, d > 1         all but one point and balls of the       nonconcave in W; known in closed form only where
                       Frobenius, spectral and l2 norms         perturbations of rank one are those of a ball
  Drift, smoothing     all, unless d = 1                        the worst case is certified within (log d) / b only
  Variance             all                                      not convex in the occupancy: no global proof
  CustomUtility        all                                      its formula is not known to a reference
  Sum                  products that do not match its parts     the parts' worst cases cannot be taken one by one
                       where one part is nonconcave in xi
  Constrained          sets with members below 0                rejected as input: multipliers must be >= 0
  regularized forms    of targets and of Drift with d > 1       nonconcave in xi; the others are here
  one point            NatureRegularized                        nothing is left to choose, so nothing to regularize
"""

import zlib

import numpy as np
from models import normalised, random_model, random_policy, random_table
from pieces import Constrained, Divergence, Drift, DriftRow, FeatureReward, Quadratic, Reward, RewardRobust
from sets import (
    Ball,
    Box,
    Capped,
    Ellipsoid,
    Frobenius,
    Intersection,
    Polytope,
    Product,
    Simplex,
    Singleton,
    Spectral,
)

import rgu


class Instance:
    """A model and terms (weight, piece), counted in `scale`; infeasible: no policy meets the constraints."""

    def __init__(self, model, terms, scale=1.0, infeasible=False, note=""):
        self.model, self.terms, self.scale, self.infeasible, self.note = model, terms, scale, infeasible, note

    def problem(self):
        """As rgu's Problem."""
        parts, sets = [], []
        for weight, piece in self.terms:
            built = piece.build(self.scale)
            if built is None:
                weight, built = weight * self.scale, piece.build(1.0)
            parts.append((weight, built[0]))
            if built[1] is not None:
                sets.append(built[1])
        utility = parts[0][1] if len(parts) == 1 and parts[0][0] == 1 else rgu.utility.Sum(parts)
        ambiguity = None
        if len(sets) == 1:
            ambiguity = sets[0]
        elif len(sets) > 1:
            ambiguity = rgu.ambiguity.ProductSet(sets)
        mdp = rgu.FiniteMdp(self.model.kernel, self.model.start, self.model.discount)
        return rgu.Problem(mdp, utility, ambiguity)

    def __str__(self):
        model = self.model
        return (
            f"{model.states}x{model.actions} {model.kind}, discount {model.discount:.6g}, scale {self.scale:.1e}"
            + (f", {self.note}" if self.note else "")
        )


def random_scale(rng):
    return 1.0 if rng.random() < 0.3 else float(10 ** rng.uniform(-6, 6))


def random_radius(rng):
    return float(10 ** rng.uniform(-2, 0.5))


# ---- Sets of any dimension, around a centre; `positive` keeps all members >= 0. ----


def _centre(rng, n, centre, radius, positive):
    if centre is None:
        centre = rng.standard_normal(n)
        if rng.random() < 0.3:
            centre = np.round(centre)
    return np.abs(centre) + radius * (1 + 1e-9) if positive else centre


def ball(p):
    def make(rng, n, shape, centre=None, positive=False):
        radius = random_radius(rng)
        return Ball(_centre(rng, n, centre, radius, positive), radius, p)

    return make


def singleton(rng, n, shape, centre=None, positive=False):
    return Singleton(_centre(rng, n, centre, 0.0, positive))


def frobenius(rng, n, shape, centre=None, positive=False):
    radius = random_radius(rng)
    return Frobenius(_centre(rng, n, centre, radius, positive), shape, radius)


def spectral(rng, n, shape, centre=None, positive=False):
    radius = random_radius(rng)
    return Spectral(_centre(rng, n, centre, radius, positive), shape, radius)


def box(rng, n, shape, centre=None, positive=False):
    half = random_radius(rng) * rng.random(n)
    if rng.random() < 0.3:
        half[rng.random(n) < 0.5] = 0  # some coordinates are certain
    middle = _centre(rng, n, centre, half, positive)
    lower = np.maximum(middle - half, 0) if positive else middle - half
    return Box(lower, middle + half)


def capped(rng, n, shape, centre=None, positive=False):
    return Capped(n, random_radius(rng) * 2)


def simplex(rng, n, shape, centre=None, positive=False):
    return Simplex(n)


def ellipsoid(rng, n, shape, centre=None, positive=False):
    radius = random_radius(rng)
    if rng.random() < 0.5 or n > 30:
        matrix = 10 ** rng.uniform(-1, 1, n)
        reach = radius / np.sqrt(matrix.min())
    else:
        root = rng.standard_normal((n, n)) / np.sqrt(n) + 0.5 * np.eye(n)
        matrix = root @ root.T + 0.1 * np.eye(n)
        matrix = 0.5 * (matrix + matrix.T)
        reach = radius / np.sqrt(np.linalg.eigvalsh(matrix)[0])
    return Ellipsoid(_centre(rng, n, centre, reach, positive), radius, matrix)


def polytope(rng, n, shape, centre=None, positive=False):
    """A box cut by a few half-spaces, some of them redundant, some repeated."""
    size = random_radius(rng)
    middle = _centre(rng, n, centre, size, positive)
    cuts = rng.standard_normal((int(rng.integers(1, 4)), n))
    cuts /= np.linalg.norm(cuts, axis=1, keepdims=True)
    if rng.random() < 0.3:
        cuts = np.vstack([cuts, cuts[:1]])
    depth = size * rng.uniform(0.2, 2.0, len(cuts))
    normals = np.vstack([np.eye(n), -np.eye(n), cuts])
    offsets = np.concatenate([middle + size, size - middle, cuts @ middle + depth])
    return Polytope(normals, offsets, middle)


def product(rng, n, shape, centre=None, positive=False):
    if n == 1:
        return Product([box(rng, 1, None, centre, positive)])
    first = n // 2
    kinds = [ball(1), ball(2), ball(np.inf), box, ellipsoid, capped]
    parts = []
    for size, begin in ((first, 0), (n - first, first)):
        kind = kinds[rng.integers(len(kinds))]
        parts.append(kind(rng, size, None, None if centre is None else centre[begin : begin + size], positive))
    return Product(parts)


def budget(rng, n, shape, centre=None, positive=False):
    """Box with an l1 ball: budgeted uncertainty."""
    half = random_radius(rng) * (0.1 + rng.random(n))
    middle = _centre(rng, n, centre, half, positive)
    total = half.sum() * rng.uniform(0.2, 0.9)
    lower = np.maximum(middle - half, 0) if positive else middle - half
    return Intersection([Box(lower, middle + half), Ball(middle, total, 1)], middle)


def box_and_ball(rng, n, shape, centre=None, positive=False):
    half = random_radius(rng) * (0.1 + rng.random(n))
    middle = _centre(rng, n, centre, half, positive)
    lower = np.maximum(middle - half, 0) if positive else middle - half
    return Intersection(
        [Box(lower, middle + half), Ball(middle, np.linalg.norm(half) * rng.uniform(0.3, 0.9), 2)], middle
    )


def expert_ball(rng, n, shape, centre=None, positive=False):
    """The probability simplex with a Euclidean ball around an expert."""
    expert = rng.dirichlet(np.ones(n)) if n > 1 else np.ones(1)
    expert = normalised(expert + 0.02)
    return Intersection([Simplex(n), Ball(expert, float(rng.uniform(0.05, 0.6)), 2)], expert)


ANY_SETS = {
    "singleton": singleton,
    "l1": ball(1),
    "l2": ball(2),
    "linf": ball(np.inf),
    "p1.5": ball(1.5),
    "p3": ball(3),
    "box": box,
    "capped": capped,
    "simplex": simplex,
    "ellipsoid": ellipsoid,
    "frobenius": frobenius,
    "spectral": spectral,
    "polytope": polytope,
    "product": product,
    "box-l1": budget,
    "box-l2": box_and_ball,
    "simplex-l2": expert_ball,
}
# Where the program of the reference, or a Polytope's construction, grows too fast with the dimension of xi.
MOST_PAIRS = {
    "spectral": 30,
    "p1.5": 60,
    "p3": 60,
    "polytope": 40,
    "box-l2": 100,
    "simplex-l2": 100,
    "ellipsoid": 150,
}
UNSCALED = ("simplex", "simplex-l2")  # sets without a size of their own


# ---- Utilities ----


def make_reward(rng, most):
    model = random_model(rng, most_pairs=most)
    return Instance(model, [(1.0, Reward(model, random_table(rng, model)))], random_scale(rng))


def make_reward_robust(name, modulus=False):
    def make(rng, most):
        model = random_model(rng, most_pairs=min(most, MOST_PAIRS.get(name, most)))
        ambiguity = ANY_SETS[name](rng, model.pairs, (model.states, model.actions), random_table(rng, model))
        mu = float(10 ** rng.uniform(-2, 1)) if modulus else 0.0
        scale = 1.0 if name in UNSCALED else random_scale(rng)
        return Instance(model, [(1.0, RewardRobust(model, ambiguity, mu))], scale)

    return make


def shape_of(rng, n):
    return (2, n // 2) if n % 2 == 0 else (1, n)


def feature_table(rng, model):
    count = int(rng.integers(2, 6))
    features = np.array([random_table(rng, model) for _ in range(count)])
    if rng.random() < 0.15:
        features[-1] = features[0]
    if rng.random() < 0.1:
        features[-1] = -features[0]  # opposed: the optimum may be 0
    return features


def make_feature_reward(name, modulus=False):
    def make(rng, most):
        model = random_model(rng, most_pairs=most)
        features = feature_table(rng, model)
        n = len(features)
        ambiguity = ANY_SETS[name](rng, n, shape_of(rng, n))
        mu = float(10 ** rng.uniform(-2, 1)) if modulus else 0.0
        share = 0.0 if name in UNSCALED else float(rng.choice([0.0, 0.5, 1.0]))
        return Instance(
            model,
            [(1.0, FeatureReward(model, features, ambiguity, mu, share))],
            random_scale(rng),
            note=f"{n} features",
        )

    return make


def constraint_tables(rng, model, count=None):
    count = int(rng.integers(1, 5)) if count is None else count
    return random_table(rng, model), np.array([random_table(rng, model) for _ in range(count)])


def attainable_thresholds(rng, model, objective, constraints):
    """(thresholds, note): every one met by the same policy, at one of many degrees of tightness."""
    _, best = model.least(objective)
    free = constraints @ model.occupancy(best)
    inside = constraints @ model.occupancy(random_policy(rng, model))
    kind = str(
        rng.choice(["binding", "redundant", "just active", "tightest", "mixed"], p=[0.4, 0.1, 0.15, 0.15, 0.2])
    )
    if kind == "redundant":
        return np.maximum(free, inside) + rng.uniform(0, 1, len(constraints)), kind
    if kind == "just active":
        return free.copy(), kind
    if kind == "tightest":
        # The first at the smallest cost that any policy attains, the others as that policy has them, or looser.
        _, safest = model.least(constraints[0])
        return (
            constraints @ model.occupancy(safest)
            + np.concatenate([[0], rng.uniform(0, 0.5, len(constraints) - 1)]),
            kind,
        )
    if kind == "mixed":
        return inside + rng.choice([0, 0.05, 2.0], size=len(constraints)), kind
    return inside + 0.05 * rng.random(len(constraints)), kind


def make_constrained(name, modulus=False):
    def make(rng, most):
        model = random_model(rng, most_pairs=most)
        objective, constraints = constraint_tables(rng, model)
        thresholds, note = attainable_thresholds(rng, model, objective, constraints)
        n = len(constraints)
        ambiguity = ANY_SETS[name](rng, n, shape_of(rng, n), positive=True)
        mu = float(10 ** rng.uniform(-3, 0)) if modulus else 0.0
        inner = None if name in UNSCALED or rng.random() < 0.5 else random_scale(rng)
        return Instance(
            model,
            [(1.0, Constrained(model, objective, constraints, thresholds, ambiguity, mu, inner))],
            random_scale(rng),
            note=f"{n} constraints, {note}",
        )

    return make


def make_multipliers(kind, modulus=False):
    """Boxes and capped orthants of multipliers from 0 up to so much that constraints hold where they can."""

    def make(rng, most):
        model = random_model(rng, most_pairs=most)
        objective, constraints = constraint_tables(rng, model)
        thresholds, note = attainable_thresholds(rng, model, objective, constraints)
        n = len(constraints)
        large = float(10 ** rng.uniform(0, 4))
        ambiguity = Box(np.zeros(n), np.full(n, large)) if kind == "box" else Capped(n, large)
        mu = float(10 ** rng.uniform(-3, 0)) if modulus else 0.0
        inner = None if rng.random() < 0.5 else random_scale(rng)
        return Instance(
            model,
            [(1.0, Constrained(model, objective, constraints, thresholds, ambiguity, mu, inner))],
            random_scale(rng),
            note=f"{n} constraints, {note}, multipliers up to {large:.3g}",
        )

    return make


def make_infeasible(kind):
    """Thresholds that a mixture of the constraints proves out of reach, by a margin."""

    def make(rng, most):
        model = random_model(rng, most_pairs=most)
        objective, constraints = constraint_tables(rng, model)
        n = len(constraints)
        mixture = rng.dirichlet(np.ones(n)) if rng.random() < 0.6 else np.eye(n)[rng.integers(n)]
        least, policy = model.least(mixture @ constraints)
        size = max(np.abs(constraints).max(), 1e-3)
        # At that policy the mixture is least, so no policy has less in all constraints of the mixture.
        margin = size * 10 ** rng.uniform(-4, 0)
        thresholds = (
            constraints @ model.occupancy(policy) - margin * (mixture > 0) + rng.uniform(0, 1, n) * (mixture == 0)
        )
        assert mixture @ thresholds < least
        large = float(10 ** rng.uniform(0, 4))
        ambiguity = Box(np.zeros(n), np.full(n, large)) if kind == "box" else Capped(n, large)
        inner = None if rng.random() < 0.5 else random_scale(rng)
        return Instance(
            model,
            [(1.0, Constrained(model, objective, constraints, thresholds, ambiguity, 0.0, inner))],
            random_scale(rng),
            infeasible=True,
            note=f"{n} constraints, short by {margin / size:.1e}",
        )

    return make


def make_entropy(over):
    def make(rng, most):
        model = random_model(rng, most_pairs=most)
        delta = 1e-6 if rng.random() < 0.7 else float(10 ** rng.uniform(-6, -3))
        return Instance(model, [(1.0, Divergence(model, over, None, delta))])

    return make


def target_of(rng, model, over, attainable=None):
    """A distribution over states or pairs: the occupancy of a policy, or any."""
    attainable = rng.random() < 0.5 if attainable is None else attainable
    pairs = model.occupancy(random_policy(rng, model)) if attainable else rng.dirichlet(np.ones(model.pairs))
    return pairs.reshape(model.states, -1).sum(axis=1) if over == "states" else pairs


def make_kl(over, name):
    def make(rng, most):
        model = random_model(rng, most_pairs=most)
        target = target_of(rng, model, over)
        n, radius = len(target), float(10 ** rng.uniform(-3, -1)) / len(target)
        if name == "singleton":
            ambiguity = Singleton(target)
        elif name == "linf":
            ambiguity = Ball(target + radius, radius, np.inf)
        elif name == "l1":
            ambiguity = Ball(target + radius, radius, 1)
        elif name == "box":
            ambiguity = Box(np.maximum(target - radius, 0), target + radius)
        elif name == "capped":
            ambiguity = Capped(n, float(rng.uniform(0.1, 1)))
        else:
            ambiguity = Simplex(n)
        return Instance(model, [(1.0, Divergence(model, over, ambiguity))])

    return make


def make_quadratic(name):
    def make(rng, most):
        model = random_model(rng, most_pairs=most)
        target = target_of(rng, model, "pairs")
        n, radius = model.pairs, float(10 ** rng.uniform(-3, 0))
        shape = (model.states, model.actions)
        ambiguity = {
            "singleton": lambda: Singleton(target),
            "l2": lambda: Ball(target, radius, 2),
            "frobenius": lambda: Frobenius(target, shape, radius),
            "linf": lambda: Ball(target, radius / n, np.inf),
            "box": lambda: Box(target - radius * rng.random(n) / n, target + radius * rng.random(n) / n),
            "l1": lambda: Ball(target, radius, 1),
            "simplex": lambda: Simplex(n),
            "capped": lambda: Capped(n, radius),
        }[name]()
        return Instance(model, [(1.0, Quadratic(model, ambiguity))])

    return make


def drift_parts(rng, model, name):
    wide = int(rng.integers(2, 7))
    d = int(rng.integers(1, min(wide, 4) + 1))
    features = rng.standard_normal((model.pairs, wide))
    centre = np.eye(d, wide) if rng.random() < 0.5 else rng.standard_normal((d, wide))
    least = np.linalg.svd(centre, compute_uv=False)[-1]
    radius = least * float(rng.choice([0.1, 0.3, 0.6, 0.9]))
    flat = centre.ravel()
    ambiguity = {
        "singleton": lambda: Singleton(flat),
        "l2": lambda: Ball(flat, radius, 2),
        "frobenius": lambda: Frobenius(flat, (d, wide), radius),
        "spectral": lambda: Spectral(flat, (d, wide), radius),
    }[name]()
    return Drift(model, features, ambiguity, (d, wide))


def make_drift_row(name, modulus=False):
    """d = 1: f = -(W M W') is concave in the row W, so that every set will do."""

    def make(rng, most):
        model = random_model(rng, most_states=12, most_pairs=min(most, 40))
        wide = int(rng.integers(2, 6))
        features = rng.standard_normal((model.pairs, wide))
        centre = 2 * rng.standard_normal(wide)
        ambiguity = ANY_SETS[name](rng, wide, shape_of(rng, wide), centre)
        mu = float(10 ** rng.uniform(-2, 1)) if modulus else 0.0
        return Instance(model, [(1.0, DriftRow(model, features, ambiguity, mu))], random_scale(rng))

    return make


def make_drift(name):
    def make(rng, most):
        model = random_model(rng, most_states=20, most_pairs=min(most, 80))
        return Instance(model, [(1.0, drift_parts(rng, model, name))], random_scale(rng))

    return make


def make_sum(*names):
    """Weighted sums; the names say which terms."""

    def term(rng, model, name):
        n, shape = model.pairs, (model.states, model.actions)
        if name == "reward":
            return Reward(model, random_table(rng, model))
        if name.startswith("robust-"):
            return RewardRobust(model, ANY_SETS[name[7:]](rng, n, shape, random_table(rng, model)))
        if name.startswith("feature-"):
            features = feature_table(rng, model)
            return FeatureReward(
                model, features, ANY_SETS[name[8:]](rng, len(features), shape_of(rng, len(features)))
            )
        if name == "constrained":
            objective, constraints = constraint_tables(rng, model)
            thresholds, _ = attainable_thresholds(rng, model, objective, constraints)
            return Constrained(
                model,
                objective,
                constraints,
                thresholds,
                Box(np.zeros(len(constraints)), np.full(len(constraints), 10.0)),
            )
        if name.startswith("entropy"):
            return Divergence(model, "states" if name == "entropy" else "state-actions")
        if name == "kl":
            return Divergence(model, "states", Singleton(target_of(rng, model, "states")))
        if name == "quadratic":
            return Quadratic(model, Singleton(target_of(rng, model, "pairs")))
        if name == "quadratic-l2":
            return Quadratic(model, Ball(target_of(rng, model, "pairs"), float(10 ** rng.uniform(-3, 0)), 2))
        return drift_parts(rng, model, name[6:])

    # Simplices have no size, and the scale of features is their own.
    scalable = not any("robust-simplex" in name for name in names)

    def make(rng, most):
        drift = any(name.startswith("drift") for name in names)
        model = random_model(rng, most_states=20 if drift else None, most_pairs=min(most, 60) if drift else most)
        terms = [(float(10 ** rng.uniform(-1.5, 0.5)), term(rng, model, name)) for name in names]
        return Instance(model, terms, float(10 ** rng.uniform(-3, 3)) if scalable and rng.random() < 0.5 else 1.0)

    return make


def _pairs():
    pairs = {"reward/none": make_reward}
    for name in ANY_SETS:
        pairs[f"reward-robust/{name}"] = make_reward_robust(name)
    for name in ANY_SETS:
        pairs[f"feature-reward/{name}"] = make_feature_reward(name)
    for name in ANY_SETS:
        pairs[f"constrained/{name}"] = make_constrained(name)
    for kind in ("box", "capped"):
        pairs[f"constrained/multipliers-{kind}"] = make_multipliers(kind)
        pairs[f"constrained/infeasible-{kind}"] = make_infeasible(kind)
        pairs[f"regularized-constrained/multipliers-{kind}"] = make_multipliers(kind, True)
    for name in ANY_SETS:
        if name != "singleton":  # a single xi leaves nothing to regularize
            pairs[f"regularized-constrained/{name}"] = make_constrained(name, True)
            pairs[f"regularized-feature-reward/{name}"] = make_feature_reward(name, True)
            pairs[f"regularized-reward-robust/{name}"] = make_reward_robust(name, True)
    for over in ("states", "state-actions"):
        pairs[f"entropy-{over}/none"] = make_entropy(over)
        for name in ("singleton", "linf", "box", "l1", "simplex", "capped"):
            pairs[f"kl-{over}/{name}"] = make_kl(over, name)
    for name in ("singleton", "l2", "frobenius", "linf", "box", "l1", "simplex", "capped"):
        pairs[f"quadratic/{name}"] = make_quadratic(name)
    for name in ("singleton", "l2", "frobenius", "spectral"):
        pairs[f"drift/{name}"] = make_drift(name)
    for name in (
        "singleton",
        "l1",
        "l2",
        "linf",
        "p1.5",
        "p3",
        "box",
        "simplex",
        "ellipsoid",
        "polytope",
        "product",
        "box-l1",
        "box-l2",
        "simplex-l2",
    ):
        pairs[f"drift-row/{name}"] = make_drift_row(name)
    for name in ("l1", "l2", "linf", "box", "simplex", "ellipsoid", "polytope"):
        pairs[f"regularized-drift-row/{name}"] = make_drift_row(name, True)
    for names in (
        ("reward", "entropy"),
        ("reward", "entropy-pairs"),
        ("robust-l2", "entropy"),
        ("robust-l1", "entropy"),
        ("robust-box", "quadratic"),
        ("feature-simplex", "entropy"),
        ("feature-l2", "kl"),
        ("feature-simplex", "robust-l1"),
        ("constrained", "entropy"),
        ("constrained", "robust-l2"),
        ("constrained", "quadratic"),
        ("reward", "quadratic-l2"),
        ("reward", "kl"),
        ("entropy", "kl", "quadratic"),
        ("reward", "drift-frobenius"),
        ("entropy", "drift-frobenius"),
        ("feature-polytope", "feature-linf", "reward"),
        ("feature-simplex-l2", "entropy"),
        ("robust-box-l1", "quadratic"),
        ("kl", "quadratic-l2"),
        ("robust-linf", "feature-l1", "kl"),
    ):
        pairs["sum:" + "+".join(names)] = make_sum(*names)
    return pairs


PAIRS = _pairs()


def instance(pair, seed, most_pairs=200):
    """The instance of a pair with a seed."""
    rng = np.random.default_rng([zlib.crc32(pair.encode()), seed])
    return PAIRS[pair](rng, most_pairs)
