#!/usr/bin/python3
"""The package is typed: mypy accepts it, and the stubs say what the compiled module has."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What pybind11 does differently from classes written in Python: metaclasses, constructors.
ALLOWED = r"""
rgu\._core\.[A-Z]\w*
rgu\._core\.[A-Z]\w*\.__\w+__
"""


def main() -> int:
    built = sys.argv[1]
    environment = {**os.environ, "MYPYPATH": built}
    with tempfile.TemporaryDirectory() as cache:
        common = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", cache]
        user = pathlib.Path(cache) / "user.py"
        user.write_text(
            "import rgu\n"
            "result = rgu.solve('exploration', method='envelope')\n"
            "value: float = result.worst_case.value\n"
            "mdp = rgu.FiniteMdp([[[1.0]]], None, 0.9)\n"
            "states: int = mdp.states\n"
        )
        wrong = pathlib.Path(cache) / "wrong.py"
        wrong.write_text("import rgu\nrgu.solve('exploration', itterations=3)\n")
        code = subprocess.run(
            [sys.executable, "-m", "mypy", *common, "--no-incremental", str(ROOT / "python/rgu"), str(user)],
            env=environment, check=False).returncode
        if code != 0:
            return code
        refused = subprocess.run(
            [sys.executable, "-m", "mypy", *common, "--no-incremental", str(wrong)],
            env=environment, capture_output=True, text=True, check=False)
        if refused.returncode == 0 or "itterations" not in refused.stdout:
            print("mypy did not see a wrong argument:", refused.stdout)
            return 1
        allowed = pathlib.Path(cache) / "allowed.txt"
        allowed.write_text(ALLOWED)
        return subprocess.run(
            [sys.executable, "-m", "mypy.stubtest", "rgu._core", "--allowlist", str(allowed),
             "--ignore-unused-allowlist", "--mypy-config-file", str(ROOT / "pyproject.toml")], env=environment, cwd=built, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
