"""Golden runs: what every method does on small problems, as numbers kept in expected/.

A run that leaves its golden numbers is not wrong for that, but somebody must have meant it:
'tests/golden/update' writes them anew.
"""

import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Other CPUs differ in last bits. Numbers of this size are nothing but last bits themselves.
TOLERANCE = 1e-9
# Interior points end where a gap of 1e-6 is proven. Around there the worst case is flat, and xi moves
# by 1e-8 with the kernels of the BLAS.
TOLERANCES = {"drift-envelope-exact": 1e-7}

EXACT = ["auto", "envelope", "occupancy", "worst-case", "pgda", "pgda-lp", "prox-extragradient"]
SAMPLED = ["auto", "worst-case", "pgda", "pgda-lp", "prox-extragradient"]
DRIFT = ["envelope", "worst-case", "prox-extragradient"]  # of those that need no concavity

CASES = {
    **{f"reward-{method}-exact": ("reward.toml", method, "exact") for method in EXACT},
    **{f"reward-{method}-sampled": ("reward.toml", method, "sampled") for method in SAMPLED},
    **{f"drift-{method}-exact": ("drift.toml", method, "exact") for method in DRIFT},
}


def run(name):
    """The metrics, the result and the worst case of a case, as its run folder has them."""
    problem, method, gradient = CASES[name]
    with tempfile.TemporaryDirectory(prefix="rgu-golden-") as folder:
        done = subprocess.run(
            [os.environ["RGU"], "solve", HERE / problem, "--method", method, "--set", f"gradient.kind={gradient}",
             "--out", "run", "-q", "--threads", "1"], cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"{name}: {done.stderr}")
        seed = pathlib.Path(folder) / "run/seed-0"
        result = json.loads((seed / "result.json").read_text())
        return {"status": result["status"],
                "solved": result["solved"],
                "worst_case": json.loads((seed / "worst_case.json").read_text()),
                "policy": json.loads((seed / "policy.json").read_text())["policy"],
                "metrics": [json.loads(line) for line in (seed / "metrics.jsonl").read_text().splitlines()]}


def expected_file(name):
    return HERE / "expected" / f"{name}.json"


def differences(expected, found, tolerance=TOLERANCE, place=""):
    """Where the two are not the same, as sentences."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            if key not in expected or key not in found:
                yield f"{place}.{key} is there only {'now' if key in found else 'in the golden run'}"
            else:
                yield from differences(expected[key], found[key], tolerance, f"{place}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{place} has {len(found)} entries, had {len(expected)}"
        for i, (one, other) in enumerate(zip(expected, found)):
            yield from differences(one, other, tolerance, f"{place}[{i}]")
    elif isinstance(expected, float) and isinstance(found, float):
        if abs(expected - found) > tolerance * max(1, abs(expected)):
            yield f"{place} is {found!r}, was {expected!r}"
    elif expected != found:
        yield f"{place} is {found!r}, was {expected!r}"
