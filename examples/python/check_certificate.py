"""Checks the proofs in a run folder with NumPy alone, without rgu: python3 check_certificate.py RUN"""
import json
import sys
from pathlib import Path
import numpy as np

SAME = 1e-9  # relative, for values that are found again; the lower bound itself has no tolerance
array = lambda numbers: np.array(numbers, dtype=float)

def tangent(u, lam, xi, directions=None):
    """(slope, offset): f_xi(l) >= slope l + offset for every l; equal at lam (S, A), unless directions are given."""
    kind, flat, get = u["type"], lam.ravel(), lambda name: array(u[name])
    if kind == "reward": return -get("reward").ravel(), 0.0
    if kind == "reward-robust": return -xi, 0.0
    if kind == "feature-reward": return -get("features") @ xi, 0.0
    if kind == "constrained": return get("objective").ravel() + get("constraints") @ xi, -xi @ get("thresholds")
    if kind == "quadratic-target": return flat - xi, (xi - flat) @ (xi + flat) / 2
    if kind in ("entropy", "kl-target"):
        p, delta = lam.sum(1) if u["over"] == "states" else flat, u["delta"]
        slope = np.log(p + delta) + p / (p + delta) - (np.log(xi + delta) if kind == "kl-target" else 0)
        return np.repeat(slope, flat.size // p.size), -(p * p / (p + delta)).sum()
    if kind == "drift" and u["smoothing"] == 0:  # lmin(W M W') <= v'W M W'v for every unit vector v
        psi, W = get("features"), xi.reshape(u["dimension"], -1)
        least = lambda: np.linalg.eigh(W @ (psi.T * flat) @ psi @ W.T)[1][:, 0]
        v = least() if directions is None else array([directions.pop(0) for _ in W])
        return -((psi @ W.T @ v) ** 2) / (v @ v), 0.0
    assert kind == "sum", f"there is no rule here for the utility '{kind}'"
    pieces = np.split(xi, np.cumsum([part["dimension"] for part in u["parts"]]))
    cuts = [(q["weight"], tangent(q["utility"], lam, x, directions)) for q, x in zip(u["parts"], pieces)]
    return sum(w * cut[0] for w, cut in cuts), sum(w * cut[1] for w, cut in cuts)

def is_member(s, xi, tolerance):
    kind, y, size = s["set"], xi - array(s.get("centre", np.zeros(xi.size))).ravel(), np.linalg.norm(xi)
    if kind in ("product", "intersection"):
        sizes = [part["dimension"] for part in s["parts"]]
        pieces = np.split(xi, np.cumsum(sizes)) if kind == "product" else [xi] * len(sizes)
        return all(is_member(part, x, tolerance) for part, x in zip(s["parts"], pieces))
    if kind in ("simplex", "capped-orthant", "box", "polytope"):  # inequalities A xi <= b
        eye, n = np.eye(xi.size), xi.size
        A, b = {"simplex": lambda: (np.r_[-eye, [[1] * n, [-1] * n]], [0] * n + [1, -1]),
                "capped-orthant": lambda: (np.r_[-eye, [[1] * n]], [0] * n + [s["total"]]),
                "box": lambda: (np.r_[eye, -eye], np.r_[s["upper"], -array(s["lower"])]),
                "polytope": lambda: (s["normals"], s["offsets"])}[kind]()
        slack = tolerance * np.linalg.norm(A, axis=1) * (size + abs(array(b)).max())
        return bool((array(A) @ xi <= array(b) + slack).all())
    y, size = [z * np.sqrt(s.get("weights", 1)) for z in (y, size)]  # of ellipsoids
    order = {"lp-ball": float(s.get("p", 2)), "spectral": 2}.get(kind)
    length = np.linalg.norm(y.reshape(np.shape(s["centre"])), order)
    return bool(length <= s.get("radius", 0) * (1 + tolerance) + tolerance * np.max(size))

def check(folder):
    """The policy's value at its worst xi, and the lower bound; raises AssertionError where a claim does not hold."""
    problem, claim, policy, worst = (json.loads((folder / f"{name}.json").read_text())
                                     for name in ("problem", "certificate", "policy", "worst_case"))
    model, utility, ambiguity, witness = problem["model"], problem["utility"], problem["ambiguity"], claim["witness"]
    S, A, g, start, slope, offset = *(model[n] for n in ("states", "actions", "discount")), array(model["start"]), 0, 0
    V, weights, P = array(witness["potential"]), array([q["weight"] for q in witness["pieces"]]), np.zeros((S * A, S))
    P[np.repeat(np.arange(S * A), np.diff(model["offsets"])), model["next"]] = model["probability"]
    assert weights.min() >= 0 and abs(weights.sum() - 1) <= SAME, "the weights are not a distribution"
    for weight, piece in zip(weights / weights.sum(), witness["pieces"]):
        xi, lam = array(piece["xi"]), array(piece.get("occupancy", np.zeros((S, A))))
        assert is_member(ambiguity, xi, 1e-11) and lam.min() >= 0, "a xi or an occupancy is not in its set"
        cut = tangent(utility, lam, xi, list(piece.get("direction", [])))
        slope, offset = slope + weight * cut[0], offset + weight * cut[1]
    bound = offset + (1 - g) * start @ V - (np.repeat(V, A) - slope - g * P @ V).max()
    assert claim["lower_bound"] <= bound, f"the witness proves {bound!r}, not {claim['lower_bound']!r}"
    pi, xi = array(policy["policy"]), array(worst["nature"])
    flow = np.eye(S) - g * np.einsum("sa,sat->ts", pi, P.reshape(S, A, S))
    lam = (1 - g) * np.linalg.solve(flow, start)[:, None] * pi
    slope, offset = tangent(utility, lam, xi)
    assert pi.min() >= 0 and abs(pi.sum(1) - 1).max() <= SAME and is_member(ambiguity, xi, SAME), "no policy"
    off, size = slope @ lam.ravel() + offset - worst["value"], abs(slope) @ lam.ravel() + abs(offset)
    assert abs(off) <= SAME * size, f"the worst case is off by {off!r}"
    return worst["value"], bound

if __name__ == "__main__":
    for seed in sorted(Path(sys.argv[1]).glob("seed-*")):
        value, bound = check(seed)
        print(f"{seed.name}: worst case {value:.12g}, lower bound {bound:.12g}, gap {max(0.0, value - bound):.2g}")
