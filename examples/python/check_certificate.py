"""Checks the lower bounds of a run folder with NumPy alone: python3 check_certificate.py RUN (docs/cli.md describes the files)."""
import json
import sys
from pathlib import Path

import numpy as np

array = lambda numbers: np.array(numbers, dtype=float)
TOLERANCE = 1e-9  # relative, of members and of values; the bound itself has none


def drift_direction(psi, lam, W):  # a unit eigenvector of the least eigenvalue of W M W'
    return np.linalg.eigh(W @ (psi * lam.reshape(-1, 1)).T @ psi @ W.T)[1][:, 0]


def tangent(u, lam, xi, directions=None):
    """(slope, offset) with f_xi(l) >= slope l + offset for every l, equal at l = lam (S, A)."""
    kind, flat = u["type"], lam.ravel()
    if kind == "reward":
        return -array(u["reward"]).ravel(), 0.0
    if kind == "reward-robust":
        return -xi, 0.0
    if kind == "feature-reward":
        return -array(u["features"]) @ xi, 0.0
    if kind == "constrained":
        return array(u["objective"]).ravel() + array(u["constraints"]) @ xi, -xi @ array(u["thresholds"])
    if kind == "quadratic-target":
        return flat - xi, 0.5 * (xi - flat) @ (xi + flat)
    if kind in ("entropy", "kl-target"):
        over_states, delta = u["over"] == "states", u["delta"]
        p = lam.sum(1) if over_states else flat
        slope = np.log(p + delta) - (np.log(xi + delta) if kind == "kl-target" else 0) + p / (p + delta)
        return np.repeat(slope, lam.shape[1]) if over_states else slope, -(p * p / (p + delta)).sum()
    if kind == "drift":
        psi, W = array(u["features"]), xi.reshape(u["dimension"], -1)
        if u["smoothing"] == 0:
            v = drift_direction(psi, lam, W) if directions is None else array([directions.pop(0) for _ in W])
            return -((psi @ W.T @ v) ** 2) / (v @ v), 0.0
        values, vectors = np.linalg.eigh(W @ (psi * flat[:, None]).T @ psi @ W.T)
        weights = np.exp(-u["smoothing"] * (values - values[0]))
        slope = -((psi @ W.T @ vectors) ** 2) @ weights / weights.sum()
        return slope, np.log(weights.sum()) / u["smoothing"] - values[0] - slope @ flat
    if kind == "regularized":
        slope, offset = tangent(u["utility"], lam, xi, directions)
        return slope, offset - u["modulus"] / 2 * ((xi - array(u["centre"])) ** 2).sum()
    assert kind == "sum", f"there is no rule for the utility {kind}"
    pieces = np.split(xi, np.cumsum([part["dimension"] for part in u["parts"]]))
    cuts = [(part["weight"], *tangent(part["utility"], lam, x, directions)) for part, x in zip(u["parts"], pieces)]
    return sum(w * slope for w, slope, _ in cuts), sum(w * offset for w, _, offset in cuts)


def excess(s, xi):
    """How far xi is outside the set; at most 0 inside."""
    kind, y = s["set"], xi - array(s.get("centre", np.zeros(xi.size))).ravel()
    if kind in ("product", "intersection"):
        ends = np.cumsum([part["dimension"] for part in s["parts"]])
        return max(excess(part, np.split(xi, ends)[i] if kind == "product" else xi) for i, part in enumerate(s["parts"]))
    if kind == "polytope":
        return (array(s["normals"]) @ xi - array(s["offsets"])).max()
    if kind == "box":
        return max((array(s["lower"]) - xi).max(), (xi - array(s["upper"])).max())
    if kind in ("simplex", "capped-orthant"):
        return max(-xi.min(), abs(xi.sum() - 1) if kind == "simplex" else xi.sum() - s["total"])
    if kind == "ellipsoid":
        return np.sqrt(array(s["weights"]) @ (y @ array(s["axes"]) if "axes" in s else y) ** 2) - s["radius"]
    if kind == "spectral":
        return np.linalg.norm(y.reshape(np.shape(s["centre"])), 2) - s["radius"]
    return np.linalg.norm(y, float(s.get("p", 2))) - s.get("radius", 0)  # lp-ball, frobenius, singleton


def check(folder):
    """The worst case claimed and the lower bound found; raises AssertionError on a claim that does not hold."""
    read = lambda name: json.loads((folder / name).read_text())
    problem, claim, policy, worst = (read(n + ".json") for n in ("problem", "certificate", "policy", "worst_case"))
    model, utility, ambiguity, witness = problem["model"], problem["utility"], problem["ambiguity"], claim["witness"]
    S, A, g, start = model["states"], model["actions"], model["discount"], array(model["start"])
    P = np.zeros((S * A, S))
    P[np.repeat(np.arange(S * A), np.diff(model["offsets"])), model["next"]] = model["probability"]
    w, V, slope, offset = array([p["weight"] for p in witness["pieces"]]), array(witness["potential"]), 0, 0
    assert w.min() >= 0 and abs(w.sum() - 1) <= TOLERANCE, "the weights are not a distribution"
    for weight, piece in zip(w / w.sum(), witness["pieces"]):
        xi, lam = array(piece["xi"]), array(piece.get("occupancy", np.zeros((S, A))))
        assert excess(ambiguity, xi) <= 1e-11 * (1 + abs(xi).sum()), "a xi is outside the ambiguity set"
        assert lam.min() >= 0, "an occupancy is negative"
        cut = tangent(utility, lam, xi, list(piece.get("direction", [])))
        slope, offset = slope + weight * cut[0], offset + weight * cut[1]
    bound = offset + (1 - g) * start @ V - (np.repeat(V, A) - slope - g * P @ V).max()
    assert claim["lower_bound"] <= bound, f"the witness proves {bound!r}, not {claim['lower_bound']!r}"
    pi, xi = array(policy["policy"]), array(worst["nature"])
    flow = np.eye(S) - g * np.einsum("sa,sat->ts", pi, P.reshape(S, A, S))
    lam = (1 - g) * np.linalg.solve(flow, start)[:, None] * pi
    slope, offset = tangent(utility, lam, xi)
    size = abs(slope * lam.ravel()).sum() + abs(offset)
    assert pi.min() >= 0 and np.allclose(pi.sum(1), 1, atol=TOLERANCE) and excess(ambiguity, xi) <= TOLERANCE * (1 + abs(xi).sum())
    assert abs(slope @ lam.ravel() + offset - worst["value"]) <= TOLERANCE * size, "not the value of the policy at the worst xi"
    return worst["value"], bound


if __name__ == "__main__":
    for seed in sorted(Path(sys.argv[1]).glob("seed-*")):
        value, bound = check(seed)
        print(f"{seed.name}: value {value:.12g} at the worst xi, lower bound {bound:.12g}, gap {max(0.0, value - bound):.2g}")
