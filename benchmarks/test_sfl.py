"""Ratios and slopes within one run, printed and never asserted: ``pytest benchmarks``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from fltheory.case import Case
from fltheory.evidence.exact import exact_ball
from fltheory.evidence.looks import simulate
from fltheory.number import to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.claims.upper import UNIFORM
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.algorithm import rollout
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


def test_compiled_reshuffled_sfl(benchmark, say):
    """M = 10, K = 10, R = 10^4, 1000 seeds, against NumPy over the same seeds (measured on R = 100, linear in R)."""
    rollout(algorithms.sequential, piecewise(10, 1, 1), 1)
    benchmark.pedantic(rollout, (algorithms.sequential, piecewise(10, 10_000, 10), 1000), rounds=3)
    compiled = benchmark.stats.stats.min
    short = piecewise(10, 100, 10)
    plain = seconds(lambda: rollout(algorithms.sequential, short, 1000, kernel=False)) * 100
    times = f"numba {compiled:.2f} s, NumPy {plain:.1f} s, ratio {plain / compiled:.1f}"
    say(f"reshuffled SFL, M=10 K=10 R=10^4, 1000 seeds: {times}")


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


@pytest.mark.parametrize("along", ["rounds", "clients", "local steps", "seeds"])
def test_slopes(benchmark, say, along: str):
    """Cost grows linearly: the fitted exponent in each size."""
    sizes = np.array([1, 2, 4, 8])
    shape = {"rounds": 400, "clients": 10, "local steps": 10, "seeds": 512}

    def run(factor: int) -> None:
        s = {**shape, along: shape[along] * factor}
        rollout(algorithms.sequential, piecewise(s["clients"], s["rounds"], s["local steps"]), s["seeds"])

    times = [seconds(partial(run, int(f))) for f in sizes]
    benchmark.pedantic(run, (1,), rounds=3)
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    say(f"cost in {along}: exponent {slope:.2f} over x{sizes[-1]}")
