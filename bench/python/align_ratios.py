#!/usr/bin/python3
"""One outer step of rgu's alignment against the same step written plainly in PyTorch, in one run.

Both programs take turns, with the same BLAS kernels and threads. The first step of each run warms up
and does not count; medians over all other steps, ratios of the medians of a round.

  bench/python/align_ratios.py [--build build/release] [--rounds 3] [--size 70m]
"""

import argparse
import math
import pathlib
import statistics
import sys

from llm_ratios import HERE, lines_of

PARTS = ("sampling", "scoring", "update", "total")
SAME_WORK = ("sampled_answers", "learned_tokens", "optimizer_steps")


def steps_of(command, arguments):
    options = [f"--{name}" for name in ("size", "threads", "answers-tokens", "prompt-tokens", "minibatch")]
    values = [arguments.size, arguments.threads, arguments.answers_tokens, arguments.prompt_tokens,
              arguments.minibatch]
    pairs = [str(part) for pair in zip(options, values) for part in pair]
    lines = lines_of([*command, *pairs, "--steps", str(arguments.steps + 1)])
    for line in lines:
        if not math.isfinite(line["loss"]):
            sys.exit(f"a loss that is not finite: {line}")
    return lines[1:]


def check_same_work(ours, theirs):
    for name in SAME_WORK:
        if {line[name] for line in ours} != {line[name] for line in theirs}:
            sys.exit(f"not the same work: {name} is {ours[0][name]} and {theirs[0][name]}")


def median(lines, name):
    return statistics.median(line[name] for line in lines)


def one_round(arguments):
    ours = steps_of([arguments.build / "bench/bench_align_step"], arguments)
    theirs = steps_of([sys.executable, str(HERE / "ppo_plain.py")], arguments)
    check_same_work(ours, theirs)
    return ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1, help="steps of a run that count")
    parser.add_argument("--size", choices=("70m", "14m", "demo"), default="70m")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--answers-tokens", type=int, default=64)
    parser.add_argument("--prompt-tokens", type=int, default=32)
    parser.add_argument("--minibatch", type=int, default=16)
    arguments = parser.parse_args()
    rounds = [one_round(arguments) for _ in range(arguments.rounds)]
    ours = [line for first, _ in rounds for line in first]
    theirs = [line for _, second in rounds for line in second]
    print("both: " + ", ".join(f"{name} {ours[0][name]}" for name in SAME_WORK))
    print(f"{'':<12}{'rgu':>10}{'PyTorch':>10}{'ratio':>8}   (seconds, medians)")
    for part in PARTS:
        ratio = statistics.median(median(second, part) / median(first, part) for first, second in rounds)
        print(f"{part:<12}{median(ours, part):>10.2f}{median(theirs, part):>10.2f}{ratio:>8.2f}")
    peaks = [max(line["peak_mb"] for line in lines) for lines in (ours, theirs)]
    print(f"{'peak MB':<12}{peaks[0]:>10}{peaks[1]:>10}{peaks[1] / peaks[0]:>8.2f}")


if __name__ == "__main__":
    main()
