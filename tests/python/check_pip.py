#!/usr/bin/python3
"""pip install --no-build-isolation . from the source tree, into a virtual environment, and a first solve."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

USE = """
import pathlib, sys
import rgu
place = pathlib.Path(rgu.__file__)
assert place.is_relative_to(sys.argv[1]), place
assert (place.parent / "py.typed").exists() and (place.parent / "_core.pyi").exists()
result = rgu.solve("exploration", method="envelope")
assert result.status == "optimal (gap proven)", result
print(rgu.__version__, result)
"""


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(folder / "venv", ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder / "venv"], check=True)
    python = folder / "venv/bin/python3"
    environment = {**os.environ, "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
    environment.pop("PYTHONPATH", None)
    subprocess.run(
        [python, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", "--quiet", ROOT],
        check=True, env=environment)
    subprocess.run([python, "-I", "-c", USE, folder / "venv"], check=True, cwd=folder, env=environment)


if __name__ == "__main__":
    main()
