#!/usr/bin/python3
"""rgu's decode path and LoRA training against the same model written plainly in PyTorch, in one run.

Both programs take turns, with the same BLAS kernels and threads; medians over the rounds.

  bench/python/llm_ratios.py [--build build/release] [--rounds 3] [--check]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = {("decode", 1): 3.5, ("decode", 16): 2.2, ("decode", 128): 1.7, ("train", 16): 1.4}


def environment():
    """What rgu sets for itself, for PyTorch too."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    wide = "avx512bw" in flags
    settings = {"OMP_WAIT_POLICY": "passive", "OPENBLAS_CORETYPE": "SkylakeX" if wide else "Haswell"}
    if wide:
        settings |= {"ATEN_CPU_CAPABILITY": "avx512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"}
    return {**settings, **os.environ}


def lines_of(command):
    text = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def rate(line):
    return line.get("tokens_per_s_median", line.get("tokens_per_second_median"))


def decode_rates(command):
    lines = [line for line in lines_of(command) if line.get("what", line.get("mode")) == "decode"]
    return {("decode", line["batch"]): rate(line) for line in lines}


def train_rates(command):
    lines = [line for line in lines_of(command) if line["mode"] == "train"]
    return {("train", line["batch"]): rate(line) for line in lines}


def one_round(arguments):
    plain = [sys.executable, str(HERE / "neox_plain.py")]
    decode = ["--prompt", "16", "--new", str(arguments.new), "--threads", str(arguments.threads),
              "--batch", "1,16,128"]
    train = ["--batch", "16", "--tokens", "64", "--threads", str(arguments.threads)]
    bench = arguments.build / "bench"
    ours = decode_rates([bench / "bench_llm_decode", *decode, "--repetitions", "3"])
    theirs = decode_rates([*plain, "decode", *decode, "--repeat", "2"])
    ours |= train_rates([bench / "bench_llm_training", *train])
    theirs |= train_rates([*plain, "train", *train])
    return ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--new", type=int, default=64, help="tokens to decode")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a target is missed")
    arguments = parser.parse_args()
    rounds = [one_round(arguments) for _ in range(arguments.rounds)]
    missed = False
    print(f"{'':<18}{'rgu':>10}{'PyTorch':>10}{'ratio':>8}{'target':>8}   (tokens/s, medians)")
    for key, target in TARGETS.items():
        ours = statistics.median(first[key] for first, _ in rounds)
        theirs = statistics.median(second[key] for _, second in rounds)
        ratio = statistics.median(first[key] / second[key] for first, second in rounds)
        missed |= ratio < target
        name = f"{key[0]}, batch {key[1]}"
        print(f"{name:<18}{ours:>10.0f}{theirs:>10.0f}{ratio:>8.2f}{target:>8.1f}")
    sys.exit(1 if arguments.check and missed else 0)


if __name__ == "__main__":
    main()
