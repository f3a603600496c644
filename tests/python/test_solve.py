"""Solving: equal to the command line, interruptible, with callbacks and clear errors."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import rgu
from worlds import DESCENT, random_kernel

RGU = os.environ.get("RGU_PROGRAM")


def small_problem(**arguments):
    world = rgu.World(rgu.FiniteMdp(random_kernel(5, 3), None, 0.9))
    reward = np.random.default_rng(1).normal(size=(5, 3))
    return rgu.Problem(
        world, rgu.utility.RewardRobust(5, 3), rgu.ambiguity.LpBall(reward, 0.2), **arguments
    )


def files_of(folder, seed):
    part = folder / f"seed-{seed}"
    metrics = [json.loads(line) for line in (part / "metrics.jsonl").read_text().splitlines()]
    return metrics, json.loads((part / "policy.json").read_text()), json.loads(
        (part / "worst_case.json").read_text())


@pytest.mark.skipif(RGU is None, reason="RGU_PROGRAM does not name the program rgu")
@pytest.mark.parametrize(
    "problem, options",
    [
        ("exploration", {}),
        ("exploration", {"solver.method": "worst-case", "stopping.iterations": 60}),
        ("exploration", {"stopping.iterations": 20, "gradient.kind": "sampled"}),
        ("paper/exploration", {"stopping.iterations": 15}),
        ("constrained", {"stopping.iterations": 40}),
        ("inventory", {}),
        ("imitation", {"stopping.iterations": 50}),
    ],
)
def test_equals_the_command_line_to_the_bit(problem, options, tmp_path):
    folder = tmp_path / "run"
    sets = [part for key, value in options.items() for part in ("--set", f"{key}={value}")]
    command = [RGU, "solve", problem, "--out", str(folder), "--seeds", "1", "-q", *sets]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    metrics, policy, worst = files_of(folder, 0)
    result = rgu.solve(problem, seed=0, options=options)
    assert ended.returncode == (0 if result.solved else 3), ended.stderr
    assert np.array_equal(result.policy, np.array(policy["policy"]))
    assert np.array_equal(result.parameters, np.array(policy["parameters"]))
    assert result.worst_case.value == worst["value"]
    assert np.array_equal(result.worst_case.nature, np.array(worst["nature"]))
    assert list(result.metrics["iteration"]) == [row["iteration"] for row in metrics]
    for name in ("objective", "envelope", "residual"):
        written = [row.get(name, float("nan")) for row in metrics]
        assert np.array_equal(result.metrics.get(name, np.full(len(metrics), np.nan)), written,
                              equal_nan=True)
    loaded = rgu.load_run(folder)
    assert np.array_equal(loaded[0].adversary.last, result.adversary.last)
    assert np.array_equal(loaded[0].adversary.drawn, result.adversary.drawn)
    assert (loaded[0].adversary.mixture is None) == (result.adversary.mixture is None)
    assert np.array_equal(loaded[0].policy, result.policy)
    assert np.array_equal(loaded[0].parameters, result.parameters)


def test_runs_in_folders_equal_those_in_memory(tmp_path):
    run = rgu.run(DESCENT, tmp_path / "run", seeds=[2, 5], iterations=10, threads=2)
    assert [result.seed for result in run.seeds] == [2, 5]
    for result in run.seeds:
        again = rgu.solve(DESCENT, seed=result.seed, iterations=10)
        assert np.array_equal(again.policy, result.policy)
        assert again.worst_case.value == result.worst_case.value
    with pytest.raises(ValueError, match="run"):
        rgu.run(DESCENT, tmp_path / "run", iterations=10)
    assert len(rgu.run(DESCENT, tmp_path / "run", seeds=1, iterations=3, force=True)) == 1


def test_threads_do_not_change_the_result():
    one, two = (
        rgu.solve(DESCENT, gradient="sampled", iterations=10, threads=n) for n in (1, 2)
    )
    assert np.array_equal(one.policy, two.policy)


@pytest.mark.parametrize(
    "method", ["auto", "envelope", "occupancy", "worst-case", "pgda", "pgda-lp", "prox-extragradient"]
)
def test_every_method_on_a_problem_of_parts(method):
    problem = small_problem()
    least = rgu.envelope(problem)
    assert least.certified
    result = rgu.solve(problem, method=method, iterations=400)
    assert result.worst_case.kind == "exact"
    assert result.worst_case.value >= least.lower_bound - 1e-9
    assert result.worst_case.value <= least.value + 0.1 * abs(least.value)
    occupancy = rgu.occupancy(problem.world().mdp, result.policy)
    worst = rgu.worst_case(problem.utility(), problem.ambiguity(), occupancy)
    assert worst.value == pytest.approx(result.worst_case.value, abs=1e-12)


def test_parts_and_files_give_the_same_bits():
    file = rgu.Problem.from_file("exploration")
    parts = rgu.Problem(
        file.world(0), file.utility(0), file.ambiguity(0), nominal=file.nominal(0)
    )
    options = {"solver": {"method": "worst-case"}, "stopping.iterations": 30}
    one, two = rgu.solve(file, options=options), rgu.solve(parts, options=options)
    assert np.array_equal(one.policy, two.policy)
    assert one.worst_case.value == two.worst_case.value


def test_certificates():
    problem = small_problem()
    result = rgu.solve(problem, method="worst-case", iterations=100)
    certificate = rgu.certify(problem, result)
    best = rgu.envelope(problem)
    assert certificate.lower_bound == best.lower_bound
    assert certificate.gap >= result.worst_case.value - best.value - 1e-12
    uniform = np.full((5, 3), 1 / 3)
    assert rgu.certify(problem, uniform).gap > certificate.gap


def test_baseline():
    result = rgu.solve(DESCENT, baseline=True, iterations=100)
    assert result.baseline_worst_case > result.worst_case.value
    assert np.isnan(rgu.solve(DESCENT, iterations=5).baseline_worst_case)
    asked = rgu.solve(DESCENT, iterations=5, options={"output": {"baseline": True}})
    assert not np.isnan(asked.baseline_worst_case)


def test_published_method_beside():
    asked = rgu.solve(DESCENT, iterations=5, options={"output.published": True})
    assert -0.12 < asked.published_worst_case < -0.05
    assert np.isnan(rgu.solve(DESCENT, iterations=5).published_worst_case)


def test_the_adversarys_answers_are_arrays():
    saddle = rgu.solve("constrained", iterations=400)
    assert saddle.multipliers == pytest.approx([12.6, 10.75], rel=0.01)
    assert np.array_equal(saddle.adversary.last, saddle.multipliers)
    assert saddle.adversary.drawn.shape == (2,)
    assert saddle.adversary.average is None and saddle.adversary.mixture is None
    optimum = rgu.solve("constrained", method="envelope")
    assert optimum.multipliers == pytest.approx([12.6, 10.75], rel=0.01)
    mixture = optimum.adversary.mixture
    assert mixture.weights == pytest.approx([1])
    assert mixture.mean == pytest.approx(optimum.multipliers)
    averaged = rgu.solve("constrained", method="occupancy", iterations=50)
    assert np.array_equal(averaged.adversary.average, averaged.multipliers)
    assert rgu.solve("constrained", method="worst-case", iterations=5).multipliers is None
    assert rgu.solve("inventory").multipliers is None
    weights, members = rgu.envelope("imitation").mixture
    assert weights.sum() == pytest.approx(1) and len(members) == len(weights)


def test_verify_checks_certificates(tmp_path):
    rgu.run("inventory", tmp_path / "run", method="envelope")
    (seed,) = rgu.verify(tmp_path / "run")
    assert seed.holds and seed.failures == [] and 0 <= seed.gap < 1e-5
    assert seed.claimed_bound <= seed.proven_bound <= seed.worst_case.value
    file = tmp_path / "run/seed-0/certificate.json"
    certificate = json.loads(file.read_text())
    certificate["lower_bound"] += 1e-6
    file.write_text(json.dumps(certificate))
    (seed,) = rgu.verify(tmp_path / "run")
    assert not seed.holds and "the lower bound is" in seed.failures[0]
    file.write_text("{")
    with pytest.raises(ValueError, match="certificate.json"):
        rgu.verify(tmp_path / "run")


@pytest.mark.parametrize("method", ["envelope", "worst-case", "prox-extragradient"])
def test_no_iterations_leave_the_start(method):
    result = rgu.solve(DESCENT, method=method, iterations=0)
    assert np.allclose(result.policy, 1 / 5)


def test_callback_sees_every_iteration_and_stops():
    rows = []

    def callback(row):
        rows.append(row)
        return row["iteration"] == 7

    result = rgu.solve(DESCENT, iterations=100, callback=callback)
    assert [row["iteration"] for row in rows] == list(range(1, 8))
    assert rows[3]["objective"] == result.metrics["objective"][3]
    assert result.interrupted and not result.solved
    assert result.policy.shape == (10, 5)


def test_what_a_callback_raises_comes_out():
    def callback(row):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rgu.solve(DESCENT, callback=callback)
    assert rgu.solve(DESCENT, iterations=2).status == "iteration limit"


def test_ctrl_c_returns_what_was_reached():
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    result = rgu.solve(DESCENT, iterations=10**7)
    assert time.monotonic() - begin < 20
    assert result.interrupted
    assert result.metrics["iteration"][-1] >= 1
    assert np.allclose(result.policy.sum(axis=1), 1)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):  # Python's own handler is back
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


class Enough(Exception):
    """What a program's own handler raises."""


@contextlib.contextmanager
def own_handler():
    def handler(*_):
        raise Enough

    previous = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def test_ones_own_signal_handler_stays_in_charge():
    with own_handler():
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(Enough):
            rgu.solve(DESCENT, iterations=10**7)


LOOPS = """
import os, signal, threading, time
import rgu
def callback(row):
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    while True:
        time.sleep(0.01)
try:
    rgu.solve("exploration", method="worst-case", callback=callback)
except KeyboardInterrupt:
    print("out")
"""

DAEMON = """
import threading, time
import rgu
threading.Thread(target=lambda: rgu.solve("exploration", method="worst-case", iterations=10**7), daemon=True).start()
time.sleep(0.3)
print("end")
"""


@pytest.mark.parametrize("script, said", [(LOOPS, "out"), (DAEMON, "end")])
def test_programs_end(script, said):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip() == said, done.stderr


def test_ones_own_handler_is_heard_by_every_long_call(tmp_path):
    with own_handler():
        for call in (
            lambda: rgu.run(DESCENT, tmp_path / "run", seeds=2, iterations=10**6, force=True,
                            options={"output.metrics_every": 10**5}),
            lambda: rgu.envelope(garnet_problem(), tolerance=1e-14, iterations=10**6),
        ):
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            with pytest.raises(Enough):
                call()
            assert time.monotonic() - begin < 10


def garnet_problem():
    world = rgu.generators.garnet(300, 5, 4, seed=1)
    return rgu.Problem(
        world, rgu.utility.RewardRobust(300, 5), rgu.ambiguity.LpBall(world.signals["reward"], 5.0, p=1))


def test_what_a_callback_raises_stops_the_other_seeds(tmp_path):
    calls = []

    def callback(row):
        calls.append(row["seed"])
        if len(calls) == 20:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rgu.run(DESCENT, tmp_path / "run", seeds=2, threads=2, iterations=1500, callback=callback)
    assert len(calls) < 100


def test_the_lock_is_released():
    ticks = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.monotonic()
    rgu.solve(DESCENT, iterations=2000)
    end = time.monotonic()
    stop.set()
    counter.join()
    during = [tick for tick in ticks if begin < tick < end]
    assert len(during) > 50 * (end - begin)


def test_several_solves_at_once():
    results = [None] * 3

    def work(i):
        results[i] = rgu.solve(DESCENT, seed=i, iterations=50)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, result in enumerate(results):
        assert np.array_equal(result.policy, rgu.solve(DESCENT, seed=i, iterations=50).policy)


def test_progress_goes_to_standard_error(capfd):
    rgu.solve(DESCENT, iterations=20, progress=True)
    assert "iteration" in capfd.readouterr().err


def test_resumed_runs_are_the_same(tmp_path):
    whole = rgu.run(DESCENT, tmp_path / "whole", seeds=1, iterations=40)
    cut = rgu.run(DESCENT, tmp_path / "cut", seeds=1, iterations=40,
                  callback=lambda row: row["iteration"] >= 15)
    assert cut[0].interrupted
    resumed = rgu.resume(tmp_path / "cut")
    assert np.array_equal(resumed[0].policy, whole[0].policy)
    assert (tmp_path / "cut/seed-0/metrics.jsonl").read_bytes() == (
        tmp_path / "whole/seed-0/metrics.jsonl").read_bytes()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"method": "magic"}, "magic"),
        ({"iterations": -1}, "stopping.iterations"),
        ({"gradient": "guessed"}, "gradient.kind"),
        ({"options": {"solver.stepp": 1}}, "stepp"),
        ({"options": {"ambiguity.radius": "wide"}}, "ambiguity.radius"),
        ({"threads": 0}, "threads"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is 18446744073709551616"),
    ],
)
def test_bad_options(arguments, message):
    with pytest.raises(ValueError, match=message):
        rgu.solve(DESCENT, **arguments)


def test_bad_problems(tmp_path):
    with pytest.raises(ValueError, match="explorations"):
        rgu.solve("explorations")
    with pytest.raises(TypeError, match="seed is None"):
        rgu.solve(DESCENT, seed=None)
    with pytest.raises(ValueError, match="threads"):
        rgu.run(DESCENT, tmp_path / "kept", threads=0)
    assert not (tmp_path / "kept").exists()
    with pytest.raises(TypeError, match="seed is '12'"):
        rgu.run(DESCENT, tmp_path / "kept", seeds="12")
    assert len(rgu.run(DESCENT, tmp_path / "kept", seeds=np.int64(2), iterations=2)) == 2
    with pytest.raises(TypeError, match="problem is a int"):
        rgu.solve(3)
    with pytest.raises(TypeError, match="cannot be a object"):
        rgu.solve(DESCENT, options={"stopping.iterations": object()})
    with pytest.raises(ValueError, match="only the tables"):
        rgu.solve(small_problem(), options={"model.states": 3})
    with pytest.raises(ValueError, match="made of parts"):
        rgu.run(small_problem(), tmp_path / "run")
    with pytest.raises(ValueError, match="5 states and 3 actions"):
        rgu.Problem(rgu.FiniteMdp(random_kernel(4, 3), None, 0.9), rgu.utility.RewardRobust(5, 3),
                    rgu.ambiguity.Box(-1, 1, dimension=15))
    world = rgu.FiniteMdp(random_kernel(5, 3), None, 0.9)
    with pytest.raises(ValueError, match="dimension 14, must have that of the utility's nature, 15"):
        rgu.Problem(world, rgu.utility.RewardRobust(5, 3), rgu.ambiguity.Box(-1, 1, dimension=14))
    with pytest.raises(ValueError, match="an ambiguity set, or a nominal nature"):
        rgu.Problem(world, rgu.utility.RewardRobust(5, 3))
    with pytest.raises(TypeError, match="no rgu.utility.Utility"):
        rgu.Problem(world, lambda x: x)
    with pytest.raises(TypeError, match="model is a list"):
        rgu.Problem([1], rgu.utility.RewardRobust(5, 3))
    with pytest.raises(ValueError, match="not a run|run.json|no run"):
        rgu.load_run(tmp_path)


def test_a_fixed_nature_needs_no_set():
    world = rgu.FiniteMdp(random_kernel(5, 3), None, 0.9)
    reward = np.random.default_rng(1).normal(size=15)
    result = rgu.solve(rgu.Problem(world, rgu.utility.RewardRobust(5, 3), nominal=reward))
    _, value = rgu.plan(world, -reward.reshape(5, 3))
    assert result.worst_case.value == pytest.approx(0.1 * value.mean(), abs=1e-6)
