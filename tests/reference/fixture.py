"""Files of reference numbers: x.py writes x.json beside itself, x.py --check compares with it."""

import argparse
import json
import pathlib
import sys
from decimal import Decimal
from fractions import Fraction

TOLERANCE = 1e-12  # relative to max(1, |number|); integers and strings must be equal
SHOWN = 10  # differences listed before the rest is only counted


def plain(value):
    """The value in the types of JSON. Fractions and decimals are rounded once."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, (Fraction, Decimal)) else value


def text(value, indent=""):
    """JSON with one line for each field and each row of numbers; floats keep every digit."""
    deeper = indent + " "
    if isinstance(value, dict):
        items = [json.dumps(key) + ": " + text(item, deeper) for key, item in value.items()]
        brackets = "{}"
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        items = [text(item, deeper) for item in value]
        brackets = "[]"
    else:
        return json.dumps(value, allow_nan=False)
    lines = ",\n".join(deeper + item for item in items)
    return brackets[0] + "\n" + lines + "\n" + indent + brackets[1]


def differences(stored, found, place=""):
    """One line for each place where the two values differ."""
    if type(stored) is not type(found):
        yield f"{place}: stored {stored!r}, computed {found!r}"
    elif isinstance(stored, dict):
        if stored.keys() != found.keys():
            yield f"{place}: stored fields {list(stored)}, computed {list(found)}"
        for key in stored.keys() & found.keys():
            yield from differences(stored[key], found[key], f"{place}/{key}")
    elif isinstance(stored, list):
        if len(stored) != len(found):
            yield f"{place}: {len(stored)} entries stored, {len(found)} computed"
        for i, (one, other) in enumerate(zip(stored, found)):
            yield from differences(one, other, f"{place}[{i}]")
    elif isinstance(stored, float):
        if not abs(stored - found) <= TOLERANCE * max(1.0, abs(stored)):  # a NaN differs
            yield f"{place}: stored {stored!r}, computed {found!r}"
    elif stored != found:
        yield f"{place}: stored {stored!r}, computed {found!r}"


def run(script, compute):
    """The whole of a script: compute() is what its file holds. Exits with 1 on a difference."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    check = parser.parse_args().check
    path = pathlib.Path(script).with_suffix(".json")
    found = plain(compute())
    if not check:
        path.write_text(text(found) + "\n", encoding="ascii")
        return
    lines = list(differences(json.loads(path.read_text(encoding="ascii")), found, path.name))
    for line in lines[:SHOWN]:
        print(line)
    if lines:
        sys.exit(f"differences: {len(lines)}")
    print(f"{path.name} is what {pathlib.Path(script).name} computes")
