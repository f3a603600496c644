#!/usr/bin/python3
"""Runs the notebook from top to bottom, as Jupyter does; what a cell raises fails the test."""

import pathlib
import sys

import nbformat
from nbconvert.preprocessors import ExecutePreprocessor

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main() -> None:
    path = ROOT / "examples/python/tour.ipynb"
    notebook = nbformat.read(path, as_version=4)
    ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(
        notebook, {"metadata": {"path": str(path.parent)}})
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    print(f"{len(cells)} cells ran")
    if len(sys.argv) > 1:
        nbformat.write(notebook, sys.argv[1])


if __name__ == "__main__":
    main()
