"""A second solver for semidefinite programs: Debian's `sdpa`, as a program of its own.

Equations are eliminated first (x = a point that meets them + N y, the columns of N a basis of what they leave free), for
SDPA takes only inequalities and needs an interior.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np
import scipy.linalg

# Those it comes with, but a hundred times more accurate.
SETTINGS = """100 unsigned int maxIteration;
1.0E-9 double 0.0 < epsilonStar;
1.0E2 double 0.0 < lambdaStar;
2.0 double 1.0 < omegaStar;
-1.0E5 double lowerBound;
1.0E5 double upperBound;
0.1 double 0.0 <= betaStar < 1.0;
0.2 double 0.0 <= betaBar < 1.0, betaStar <= betaBar;
0.9 double 0.0 < gammaStar < 1.0;
1.0E-9 double 0.0 < epsilonDash;
%+8.3e char* xPrint
%+8.3e char* XPrint
%+8.3e char* YPrint
%+10.16e char* infPrint
"""


def is_installed():
    return shutil.which("sdpa") is not None


def fits(program):
    """Is it linear with semidefinite matrices?"""
    return bool(program.matrices) and not (program.rounds or program.squares or program.logarithms)


def objectives(program):
    """(primal, dual) objective values of SDPA for a Program that fits; they enclose the optimum up to its tolerances."""
    equal, right = (
        np.asarray(part.todense()) if hasattr(part, "todense") else part for part in program._equations()
    )
    particular = np.linalg.lstsq(equal, right, rcond=None)[0]
    free = scipy.linalg.null_space(equal)
    cost = program.objective.wide(program.size).toarray().ravel()
    blocks = []  # (sizes as SDPA writes them, constant, coefficients): one matrix for each y
    for signs in program.signs:
        rows = signs.wide(program.size).toarray()
        blocks.append((-len(signs), rows @ particular + signs.offset, rows @ free))
    for _, order, expression in program.matrices:
        rows = expression.wide(program.size).toarray()
        blocks.append((order, rows @ particular + expression.offset, rows @ free))
    constant = cost @ particular + program.objective.offset[0]
    primal, dual = _run(cost @ free, blocks)
    return primal + constant, dual + constant


def _entries(number, block, size, values):
    """The lines of one matrix in one block: upper triangle, or the diagonal."""
    if size < 0:
        return [
            f"{number} {block} {i + 1} {i + 1} {value!r}" for i, value in enumerate(values.tolist()) if value != 0
        ]
    table = values.reshape(size, size)
    return [
        f"{number} {block} {i + 1} {j + 1} {table[i, j].item()!r}"
        for i in range(size)
        for j in range(i, size)
        if table[i, j] != 0
    ]


def _run(cost, blocks):
    lines = [
        str(len(cost)),
        str(len(blocks)),
        " ".join(str(size) for size, _, _ in blocks),
        " ".join(repr(c) for c in cost.tolist()),
    ]
    for block, (size, constant, coefficients) in enumerate(blocks, 1):
        lines += _entries(0, block, size, -constant)
    for k in range(len(cost)):
        for block, (size, _, coefficients) in enumerate(blocks, 1):
            lines += _entries(k + 1, block, size, coefficients[:, k])
    with tempfile.TemporaryDirectory() as folder:
        data, settings, answer = (pathlib.Path(folder, name) for name in ("program.dat-s", "settings", "answer"))
        data.write_text("\n".join(lines) + "\n")
        settings.write_text(SETTINGS)
        subprocess.run(
            ["sdpa", "-ds", str(data), "-o", str(answer), "-p", str(settings), "-numThreads", "1"],
            check=True,
            capture_output=True,
        )
        text = answer.read_text()
    return tuple(float(re.search(rf"{name}\s*=\s*(\S+)", text).group(1)) for name in ("objValPrimal", "objValDual"))
