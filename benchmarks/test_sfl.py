"""Ratios and slopes within one run, printed and never asserted: ``pytest benchmarks``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from fltheory.evidence.exact import exact_ball
from fltheory.evidence.sequential import simulate
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.sfl import algorithms, kernels
from fltheory.papers.sfl.upper.claims.theorem3 import UNIFORM
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout, stream_runs
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import AveragedGap, LastGap


def piecewise(clients: int, rounds: int, local_steps: int) -> Case:
    instance = PiecewiseQuadraticClients([1] * clients, ["1/10"] * clients, [1, -1] * (clients // 2), 1)
    return Case(instance, n_rounds=rounds, n_local_steps=local_steps, step_size="1/600")


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """The least of a few timings."""
    best = math.inf
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best


def loop_over_seeds(case: Case, seeds: int, rounds: int) -> np.ndarray:
    """The plain NumPy loop that one would write for this case alone: all seeds at once, any orders, two operations a step."""
    instance, c = case.instance, run_constants(case, None)
    left, right, slopes, *_ = (np.asarray(table, dtype=float) for table in instance._tables(np.zeros((1, 1))))
    eta, pull = c.step_size, c.step_size * slopes[:, 0]
    below, above = 1 - eta * left[0, 0], 1 - eta * right[0, 0]
    rng, x = np.random.default_rng(0), np.full(seeds, float(instance.start[0]))
    clients = np.tile(np.arange(c.n_clients), (seeds, 1))
    for _ in range(rounds):
        for pulls in pull[rng.permuted(clients, axis=1)].T.copy():
            for _ in range(c.n_local_steps):
                x = np.where(x < 0, below, above) * x - pulls
    return x


def arithmetic(local_steps: int) -> None:
    """So many steps of 250 seeds and nothing else: no orders, the same clients, all in the nearest cache."""
    rows = np.ones(250), *(np.full(250, v) for v in (1.0, 0.1, 1.0))
    kernels._noiseless_steps(*rows, 1 / 600, local_steps)


def processor_seconds(run: Callable[[], object], repeats: int = 3) -> tuple[float, float]:
    """The least of a few runs, in seconds of all processors and by the clock."""
    best = math.inf, math.inf
    for _ in range(repeats):
        began = time.process_time(), time.perf_counter()
        run()
        best = min(best[0], time.process_time() - began[0]), min(best[1], time.perf_counter() - began[1])
    return best


def test_compiled_reshuffled_sfl(benchmark, say):
    """10^9 local steps, M = 10, K = 10, R = 10^4, 1000 seeds; the loops on R = 400, linear in R."""
    case, short, seeds = piecewise(10, 10_000, 10), piecewise(10, 400, 10), 1000
    even = np.full(10_001, 1 / 10_001)
    stream_runs(algorithms.sequential, piecewise(10, 1, 1), 1, None)
    arithmetic(1)
    benchmark.pedantic(stream_runs, (algorithms.sequential, case, seeds, even), rounds=1)
    runs: dict[str, tuple[Callable[[], object], float]] = {
        "average streamed": (partial(stream_runs, algorithms.sequential, case, seeds, even), 1),
        "last streamed": (partial(stream_runs, algorithms.sequential, case, seeds, None), 1),
        "all states": (partial(rollout, algorithms.sequential, case, seeds), 1),
        "arithmetic alone": (partial(arithmetic, 10**6), 4),
        "NumPy loop": (partial(loop_over_seeds, short, seeds, 400), 25),
        "readable twin": (partial(rollout, algorithms.sequential, short, seeds, kernel=False), 25),
    }
    spent = {name: [part * times for part in processor_seconds(run, 2)] for name, (run, times) in runs.items()}
    for name, (cpu, clock) in spent.items():
        loop = spent["NumPy loop"]
        ratios = f"the NumPy loop is {loop[0] / cpu:.1f} times as dear, {loop[1] / clock:.1f} by the clock"
        say(f"10^9 local steps of SFL, {name}: {cpu:.2f} s of processors, {clock:.2f} s by the clock; {ratios}")


@pytest.mark.parametrize("algorithm", [algorithms.sequential, algorithms.parallel], ids=["SFL", "PFL"])
@pytest.mark.parametrize("along", ["clients", "rounds", "local steps", "seeds"])
def test_slopes_of_streamed_runs(benchmark, say, algorithm: Algorithm, along: str):
    """From 20 clients to 2560: the fitted exponent of processor time in each size."""
    sizes = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    shape = {"rounds": 20, "clients": 20, "local steps": 10, "seeds": 512}

    def run(factor: int) -> None:
        s = {**shape, along: shape[along] * factor}
        stream_runs(algorithm, piecewise(s["clients"], s["rounds"], s["local steps"]), s["seeds"], None)

    run(1)
    times = [processor_seconds(partial(run, int(f)))[0] for f in sizes]
    benchmark.pedantic(run, (1,), rounds=1)
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    say(f"{algorithm.name}, cost in {along}: exponent {slope:.2f} over x{sizes[-1]}")


@pytest.mark.parametrize("measure", [LastGap(), UNIFORM], ids=["last", "averaged"])
def test_exact_moments(benchmark, say, measure: LastGap | AveragedGap):
    """Exact moments against the Monte Carlo that would give three digits (standard error 1e-3 of the mean)."""
    instance = QuadraticClients((1, "1/2", "1/4", "1/10"), (2, -1, -2, 1), -2, noise_std=1)
    case = Case(instance, n_rounds=1000, n_local_steps=5, step_size="1/120")
    value = benchmark(exact_ball, measure, algorithms.sequential, case).value
    seeds = 2000
    spent = seconds(lambda: simulate(measure, algorithms.sequential, case, seeds, 0))
    values = simulate(measure, algorithms.sequential, case, seeds, 0)
    needed = (float(values.std()) / (1e-3 * to_float(value))) ** 2
    ratio = spent * needed / seeds / benchmark.stats.stats.min
    exact = f"exact {benchmark.stats.stats.min * 1e3:.1f} ms for {value.rel_accuracy_bits()} bits"
    say(f"{measure.name}: {exact}; Monte Carlo needs {needed:.2g} seeds for 3 digits, {ratio:.3g} times as long")
