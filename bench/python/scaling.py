#!/usr/bin/env python3
"""Measures spread models on 1 and 2 ranks, in turns, fits the cost model of docs/scaling.md and says
what it predicts.

    bench/python/scaling.py build/release/bench/bench_spread_model [--states 10000 100000 1000000]

The cost of one matrix product on R ranks of a model with n transitions and S states is taken as
    t = a n / R + b g + sums,    g = the vector entries that a rank gets from others,
a from one rank, b from two on this machine; between machines b is at least 8 bytes over the bandwidth, and
three sums over all ranks take the latency times log2 R each. For a Garnet g is nearly S (R - 1) / R; for a
model whose transitions are local it is far less, and t is nearly a n / R.
"""

import argparse
import json
import math
import os
import statistics
import subprocess


def measured(program, states, ranks, rounds, whole=False):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), program, str(states), "0.99", str(rounds)]
    if whole:
        command.append("whole")
    text = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    return json.loads(text)


def ghosts(states, ranks, transitions):
    """Vector entries that a rank of a Garnet gets from others: each of them unless no own row has it."""
    own_rows_entries = transitions / ranks
    others = states * (ranks - 1) / ranks
    return others * (1 - (1 - 1 / states) ** own_rows_entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", nargs="?", default="build/release/bench/bench_spread_model")
    parser.add_argument("--states", type=int, nargs="+", default=[10000, 100000, 1000000])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--bandwidth", type=float, default=1, help="of the network, GB/s for each rank")
    parser.add_argument("--latency", type=float, default=5, help="of the network, microseconds")
    parser.add_argument("--predict", type=float, nargs=5, metavar=("A", "B", "ASSEMBLY", "MEMORY", "PRODUCTS"),
                        help="only predict, from these: nanoseconds (three), bytes a transition, products")
    arguments = parser.parse_args()
    if arguments.predict:
        a, b, assembly, memory, products = arguments.predict
        predict(a * 1e-9, b * 1e-9, assembly * 1e-9, memory, products, arguments)
        return

    rows = []
    for states in arguments.states:
        turns = {1: [], 2: []}
        for turn in range(arguments.turns):
            for ranks in (1, 2):
                turns[ranks].append(measured(arguments.program, states, ranks, 1))
        whole = measured(arguments.program, states, 1, 3, whole=True)
        middle = {ranks: {key: statistics.median(run["spread"][key] for run in runs)
                          for key in ("assembly", "occupancy", "gradient", "products")}
                  for ranks, runs in turns.items()}
        peak = {ranks: statistics.median(run["peak_bytes_of_a_rank"] for run in runs)
                for ranks, runs in turns.items()}
        made = {ranks: statistics.median(run["made"] for run in runs) for ranks, runs in turns.items()}
        transitions = turns[1][0]["transitions"]
        residual = max(run["flow_residual"] for runs in turns.values() for run in runs)
        print(f"S = {states}, {transitions:.3g} transitions: gradient {middle[1]['gradient']:.3g} s on 1 rank, "
              f"{middle[2]['gradient']:.3g} s on 2 ({middle[1]['gradient'] / middle[2]['gradient']:.2f}x), "
              f"whole solver {whole['whole']['gradient']:.3g} s beside {whole['spread']['gradient']:.3g} s; "
              f"made in {made[1]:.3g} / {made[2]:.3g} s; peak {peak[1] / 1e6:.0f} / {peak[2] / 1e6:.0f} MB; "
              f"{middle[1]['products']:.0f} / {middle[2]['products']:.0f} products; flow residual {residual:.1g}")
        rows.append((states, transitions, middle, peak))

    states, transitions, middle, peak = rows[-1]
    per_product = {ranks: (middle[ranks]["gradient"] - middle[ranks]["assembly"]) / middle[ranks]["products"]
                   for ranks in (1, 2)}
    a = per_product[1] / transitions
    b = max(0.0, per_product[2] - a * transitions / 2) / ghosts(states, 2, transitions)
    assembly = middle[1]["assembly"] / transitions
    memory = (peak[1] - 60e6) / transitions
    print(f"\na = {a * 1e9:.3g} ns a transition and product, b = {b * 1e9:.3g} ns an entry from another rank, "
          f"assembly {assembly * 1e9:.3g} ns a transition, memory {memory:.0f} bytes a transition")
    predict(a, b, assembly, memory, middle[1]["products"], arguments)


def predict(a, b, assembly, memory, products, arguments):
    """What other sizes would take, where an entry from another rank costs at least what the network says."""
    entry = max(b, 8 / (arguments.bandwidth * 1e9))
    print(f"\npredicted for an occupancy and a gradient ({products:.0f} products), {arguments.bandwidth} GB/s and "
          f"{arguments.latency} us for each rank: seconds and memory of a rank")
    for n in (1e8, 1e9):
        for ranks in (16, 64, 256, 1024):
            sums = 3 * arguments.latency * 1e-6 * math.log2(ranks)  # of one number each, in a Krylov step
            line = f"  {n:.0e} transitions, {ranks:5d} ranks:"
            for kind in ("Garnet", "local"):
                size = n / 32
                g = ghosts(size, ranks, n) if kind == "Garnet" else 4 * (size / ranks) ** 0.5
                seconds = products * (a * n / ranks + entry * g + sums) + assembly * n / ranks
                line += f"  {kind} {seconds:.3g} s, {(memory * n / ranks + 24 * g) / 1e9:.2g} GB"
            print(line)


if __name__ == "__main__":
    main()
