"""Costs of set functions, ratios within one run, printed; values are asserted, times never: ``pytest benchmarks``."""

from __future__ import annotations

import functools
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.papers.fedcg.instances.facility_greedy import facility_greedy
from fltheory.papers.fedcg.instances.facility_kernels import (
    facility_extension,
    facility_sampled_gradient,
    items_by_score,
)

SIZES = {"1000 choose 50": (1000, 50), "10^4 choose 100": (10_000, 100)}


def uniform(n: int) -> np.ndarray:
    """Symmetric scores without structure, the hardest case for a lazy greedy: all gains are alike."""
    c = np.random.default_rng(0).random((n, n))
    c += c.T.copy()
    return c


def close(n: int, width: float, dim: int, groups: int) -> np.ndarray:
    """exp(-|a - b|^2 / width^2) of normal points in some groups."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, dim)) + 4 * rng.normal(size=(groups, dim))[rng.integers(groups, size=n)]
    squares = (points**2).sum(axis=1)
    c = points @ points.T
    c *= -2
    c += squares[:, None]
    c += squares
    np.maximum(c, 0, out=c)
    c += c.T.copy()  # symmetric to the last bit
    c /= -2 * width**2
    return np.exp(c, out=c)


KINDS: dict[str, Callable[[int], np.ndarray]] = {
    "uniform": uniform,
    "plane": functools.partial(close, width=0.5, dim=2, groups=5),
    "groups": functools.partial(close, width=3.0, dim=10, groups=20),
}


def seconds(run: Callable[[], Any], times: int = 3) -> float:
    """The least of some runs."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        found.append(time.perf_counter() - began)
    return min(found)


def value(c: np.ndarray, items: np.ndarray) -> float:
    return float(c[:, items].max(axis=1).sum())


@pytest.fixture
def rival() -> Callable[[np.ndarray, int], Any]:
    """apricot's lazy greedy facility location, or a skip where the extra ``bench`` isn't installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, when it is compiled
        apricot = pytest.importorskip("apricot", reason="needs the extra bench: pip install -e '.[bench]'")

    def run(c: np.ndarray, size: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return apricot.FacilityLocationSelection(size, metric="precomputed", optimizer="lazy").fit(c)

    return run


@pytest.fixture
def compiled_once(monkeypatch: pytest.MonkeyPatch, rival: Callable[..., Any]) -> None:
    """apricot compiles its kernels anew in every fit; here it keeps them, so that work is compared with work."""
    location = sys.modules["apricot.functions.facilityLocation"]
    for name in ("calculate_gains", "calculate_gains_sieve"):
        monkeypatch.setattr(location, name, functools.cache(getattr(location, name)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_lazy_greedy(benchmark, say, rival, compiled_once, size: str, kind: str) -> None:
    """The same matrix in memory, all kernels warm: ours on one thread, as apricot's lazy greedy is, and as users call it."""
    n, k = SIZES[size]
    c, weights = KINDS[kind](n), np.ones(n)
    narrow = c.astype(np.float32)
    rival(c[:9, :9].copy(), 2)
    for warm in (c, narrow):
        facility_greedy(warm[:9, :9].copy().T, weights[:9], 2)
    theirs = rival(c, k)
    ours, gains, evaluations = benchmark.pedantic(facility_greedy, (c.T, weights, k), rounds=1)
    times = 1 if n > 1000 else 7
    rounds = [
        (
            seconds(lambda: facility_greedy(c.T, weights, k, threads=1)),
            seconds(lambda: rival(c, k), times),
            seconds(lambda: facility_greedy(narrow.T, weights, k, threads=1)),
            seconds(lambda: facility_greedy(c.T, weights, k)),
        )
        for _ in range(2)
    ]
    mine, other, half, threaded = np.min(rounds, axis=0)
    say(
        f"{size}, {kind}: {mine * 1e3:.1f} ms ({evaluations} gains), apricot {other * 1e3:.0f} ms, ratio {other / mine:.1f};"
        f" on all threads {threaded * 1e3:.1f} ms, ratio {other / threaded:.1f};"
        f" from float32 scores {half * 1e3:.1f} ms, ratio {other / half:.1f}"
    )
    assert value(c, ours) == pytest.approx(value(c, theirs.ranking), rel=1e-9, abs=0)
    assert gains.sum() == pytest.approx(value(c, ours), rel=1e-9, abs=0)


def test_a_call_as_users_make_it(benchmark, say, rival) -> None:
    """n = 1000, k = 50: apricot's fit with the compilation that is part of it."""
    c, weights = uniform(1000), np.ones(1000)
    facility_greedy(c.T, weights, 2)
    rival(c, 2)
    benchmark.pedantic(facility_greedy, (c.T, weights, 50), rounds=3)
    mine, other = seconds(lambda: facility_greedy(c.T, weights, 50)), seconds(lambda: rival(c, 50), 1)
    say(f"1000 choose 50, a call as it is: {mine * 1e3:.1f} ms, apricot {other:.2f} s, ratio {other / mine:.0f}")


@pytest.mark.parametrize(("n_clients", "n_items"), [(1000, 100), (1000, 1000)])
def test_exact_gradient_against_samples(benchmark, say, n_clients: int, n_items: int) -> None:
    """The exact gradient against the mean of 1000 sampled differences, at a point of sum 5."""
    rng = np.random.default_rng(0)
    c, weights = rng.random((n_clients, n_items)), np.full(n_clients, 1 / n_clients)
    x = rng.dirichlet(np.ones(n_items)) * 5
    x = np.minimum(x, 1)
    uniforms = rng.random((1000, n_items))
    order = items_by_score(c)
    facility_sampled_gradient(c[:2], weights[:2], x, uniforms[:2])
    _, exact = benchmark.pedantic(facility_extension, (c, order, weights, x), rounds=3, warmup_rounds=1)
    found = facility_sampled_gradient(c, weights, x, uniforms)
    mine = seconds(lambda: facility_extension(c, order, weights, x))
    sort = seconds(lambda: items_by_score(c), 1)
    other = seconds(lambda: facility_sampled_gradient(c, weights, x, uniforms), 1)
    error = abs(found - exact).max()
    say(
        f"N={n_clients} n={n_items}: exact {mine * 1e3:.2f} ms (sorting once {sort * 1e3:.0f} ms), 1000 samples"
        f" {other * 1e3:.0f} ms, ratio {other / mine:.0f}; their error {error:.4f} of a largest slope {exact.max():.4f}"
    )
    assert error <= np.sqrt(np.log(2 * n_items / 1e-9) / 2000)  # Hoeffding: a sample is in [0, 1]; 1e-9 for all items


PEAK = """
import re, sys, time
from pathlib import Path
import numpy as np
from fltheory.papers.fedcg.instances.facility_kernels import facility_extension, facility_top_items, items_by_score

def peak():  # of this program alone: getrusage would count what its parent held when it was forked
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

n, kind = 10_000, np.dtype(sys.argv[1])
rng = np.random.default_rng(0)
small = rng.random((9, 9), dtype=kind)
facility_extension(small, items_by_score(small), np.ones(9), np.zeros(9))
facility_top_items(small, items_by_score(small), np.zeros(9), 2)
base = peak()
c = rng.random((n, n), dtype=kind)
scores = peak()
times = [time.perf_counter()]
order = items_by_score(c)
times.append(time.perf_counter())
weights, x = np.full(n, 1 / n), rng.dirichlet(np.ones(n)) * 50
value, gradient = facility_extension(c, order, weights, x)
times.append(time.perf_counter())
facility_top_items(c, order, x, 50)
times.append(time.perf_counter())
sort, one, top = np.diff(times)
print(f"start {base:.0f} MiB, with scores {scores:.0f}, at most {peak():.0f}; sorting once {sort:.1f} s, "
      f"value and gradient {one:.2f} s, 50 items of each client {top:.2f} s")
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak where Linux keeps it")
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_memory(benchmark, say, kind: str) -> None:
    """N = n = 10^4 in a process of its own: scores, their order (16 bits an item), value, gradient and each client's base."""
    done = benchmark.pedantic(
        subprocess.run,
        ([sys.executable, "-c", PEAK, kind],),
        {"check": True, "capture_output": True, "text": True},
        rounds=1,
    )
    say(f"N = n = 10^4, {kind}: {done.stdout.strip()}")
