#!/usr/bin/python3
"""Runs the C++ test programs and the golden runs with every set of OpenBLAS kernels that this CPU can execute.

    run.py BUILD [--kernels NAME ...] [--threads N ...] [--tests REGEX]

BUILD is a build folder; its tests with the label `unit` or `golden` are run by ctest, once per set of kernels
(OPENBLAS_CORETYPE) and number of BLAS threads. Prints a table, which is also in BUILD/blas_kernels.md: kernels, threads,
how many passed, which failed. Exits with 1 if any failed.
"""

import argparse
import os
import re
import subprocess
import sys

# The kernels, and the CPU flags without which they are illegal instructions.
KERNELS = {
    "Prescott": {"pni"},
    "Nehalem": {"sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"},
}
THREADS = (1, 2)


def cpu_flags():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split(":")[1].split())
    return set()


def executed(kernels, threads):
    """The name of the kernels that OpenBLAS really takes, or None: an unknown name is ignored without a word."""
    program = (
        "import ctypes; blas = ctypes.CDLL('libopenblas.so.0'); "
        "blas.openblas_get_corename.restype = ctypes.c_char_p; print(blas.openblas_get_corename().decode())"
    )
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernels, "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run(["/usr/bin/python3", "-c", program], env=environment, capture_output=True, text=True)
    return done.stdout.strip() or None


def run(build, kernels, threads, tests):
    """(passed, total, names that failed)."""
    command = ["ctest", "--test-dir", build, "-L", "^(unit|golden)$", "-LE", "nightly", "--parallel", str(max(1, (os.cpu_count() or 1) // threads))]
    if tests:
        command += ["-R", tests]
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernels, "OPENBLAS_NUM_THREADS": str(threads)}
    output = subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    failed = re.findall(r"^\s*\d+ - (\S+) \(", output, re.MULTILINE)
    summary = re.search(r"tests passed(?:, (\d+) tests failed)? out of (\d+)", output)  # CMake 4 leaves out 0
    if not summary:
        return 0, 0, [output[-500:]]
    return int(summary[2]) - int(summary[1] or 0), int(summary[2]), failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=list(KERNELS))
    parser.add_argument("--threads", nargs="+", type=int, default=list(THREADS))
    parser.add_argument("--tests", default="", help="only tests whose names match")
    arguments = parser.parse_args()
    flags = cpu_flags()
    bad = False
    table = open(os.path.join(arguments.build, "blas_kernels.md"), "w", encoding="utf-8")

    def row(text):
        print(text, flush=True)
        print(text, file=table, flush=True)

    row("| kernels | threads | passed | failed |\n|---|---|---|---|")
    for kernels in arguments.kernels:
        if not KERNELS[kernels] <= flags:
            row(f"| {kernels} | – | – | this CPU lacks {', '.join(sorted(KERNELS[kernels] - flags))} |")
            continue
        for threads in arguments.threads:
            taken = executed(kernels, threads)
            if taken is None or taken.lower() != kernels.lower():
                row(f"| {kernels} | {threads} | – | OpenBLAS takes {taken} instead |")
                bad = True
                continue
            passed, total, failed = run(arguments.build, kernels, threads, arguments.tests)
            bad = bad or passed < total or total == 0
            row(f"| {kernels} | {threads} | {passed} of {total} | {' '.join(failed)} |")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
