"""NumPy and SciPy; where they are missing, the script that asks for them counts as skipped."""

SKIPPED = 77  # the exit code that CTest takes for "skipped"

try:
    import numpy as np
    from scipy.optimize import linprog, minimize
except ImportError as missing:
    print(f"skipped, because the script needs NumPy and SciPy: {missing}")
    raise SystemExit(SKIPPED) from missing

__all__ = ["np", "linprog", "minimize"]
