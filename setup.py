"""Builds the Python module with CMake: pip install --no-build-isolation ."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def version() -> str:
    found = re.search(r"project\(rgu VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found.group(1)


class CMakeBuild(build_ext):
    """The target rgu_python, in a build of its own, without tests, programs and language models."""

    def build_extension(self, extension: Extension) -> None:
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        build = Path(self.build_temp).resolve()
        build.mkdir(parents=True, exist_ok=True)
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "Python_EXECUTABLE": sys.executable,
            "RGU_PYTHON_MODULE": "ON",
            **dict.fromkeys(
                ("RGU_BUILD_TESTS", "RGU_BUILD_BENCHMARKS", "RGU_BUILD_EXAMPLES", "RGU_INSTALL",
                 "RGU_AUTODIFF", "RGU_LLM", "RGU_TORCH"), "OFF"),
        }
        if shutil.which("ccache"):
            options["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja",
             *(f"-D{key}={value}" for key, value in options.items())], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "rgu_python"], check=True)
        made = next((build / "python" / "rgu").glob("_core*.so"))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(made.read_bytes())
        target.chmod(0o755)


setup(
    version=version(),
    package_dir={"": "python"},
    packages=["rgu"],
    package_data={"rgu": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("rgu._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
