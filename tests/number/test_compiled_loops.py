"""Compiled loops do what their Python says, which is compared with whole arrays, orders and edges of exp."""

from __future__ import annotations

import math
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from fltheory.number import streams
from fltheory.number.reproducible import arithmetic, loops
from fltheory.number.streams import kernels

U64 = np.uint64
WORDS = [0, 1, 5, 2**31, 2**62, 2**63 - 1]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("state", [0, 1, 2**63, 2**64 - 1])
def test_a_link_of_a_chain(state: int, word: int) -> None:
    """SplitMix64's finaliser, in integers modulo 2^64."""
    golden, first, second = (int(v) for v in (streams.GOLDEN, streams.MIX_1, streams.MIX_2))
    z = ((state ^ ((word + 1) * golden % 2**64)) + golden) % 2**64
    z = (z ^ (z >> 30)) * first % 2**64
    z = (z ^ (z >> 27)) * second % 2**64
    z ^= z >> 31
    with np.errstate(over="ignore"):
        assert int(kernels.absorb.py_func(U64(state), word)) == z
    assert int(kernels.absorb(U64(state), word)) == z
    assert int(streams.absorb_word(np.array([state], dtype=U64), word)[0]) == z
    assert int(kernels.link(np.array([state], dtype=U64), np.int64(word))[0]) == z


@pytest.mark.parametrize("bits", [0, 2047, 2048, 2**63, 2**64 - 1])
def test_bits_as_a_float(bits: int) -> None:
    wanted = (bits // 2048) / 2**53
    assert kernels.as_uniform.py_func(U64(bits)) == kernels.as_uniform(U64(bits)) == wanted
    assert 0 <= wanted < 1


@pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 1), (5, 3), (5, 5), (9, 4)])
def test_an_order_is_drawn_by_exchanges_that_are_undone(n: int, size: int) -> None:
    """Compiled, and as plain Python, whose words are made unsigned here."""
    plain = kernels.ordered_sample.py_func
    words = {
        "absorb": lambda state, word: U64(kernels.absorb(U64(state), word)),
        "as_uniform": lambda bits: kernels.as_uniform(U64(bits)),
    }
    interpreted = FunctionType(plain.__code__, {**plain.__globals__, **words})
    for repetition in range(5):
        state = streams.round_chain(3, repetition, 2)[0]
        wanted = streams.ordered_samples(3, np.array([repetition]), 2, n, size)[0]
        for draw in (kernels.ordered_sample, interpreted):
            clients, chosen, places = np.arange(n), np.full(size, -1), np.full(size, -1)
            with np.errstate(over="ignore"):
                draw(state, clients, chosen, places)
            assert chosen.tolist() == wanted.tolist()
            assert clients.tolist() == list(range(n))


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernels.threads_for(kernels.STEPS_PER_THREAD_START - 1) == 1
    monkeypatch.setattr(kernels, "MAX_THREADS", 4)
    for told, threads in (("3", 3), ("9", 4), ("1", 1)):
        monkeypatch.setenv("OMP_NUM_THREADS", told)
        assert kernels.max_threads() == threads
        assert kernels.threads_for(kernels.STEPS_PER_THREAD_START) == threads
    monkeypatch.setattr(kernels.os, "cpu_count", lambda: 2)
    for told in ("0", "", "many", "-1"):
        monkeypatch.setenv("OMP_NUM_THREADS", told)
        assert kernels.max_threads() == 2
    monkeypatch.setattr(kernels.os, "cpu_count", lambda: None)
    assert kernels.max_threads() == 1


def test_items_are_mapped_in_order_by_as_many_threads_as_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    pools: list[int] = []
    plain = kernels.ThreadPoolExecutor

    def pool(threads: int) -> Any:
        pools.append(threads)
        return plain(threads)

    monkeypatch.setattr(kernels, "ThreadPoolExecutor", pool)
    for items, threads, made in (([1, 2, 3], 1, []), ([1], 3, []), ([1, 2, 3], 2, [2]), ([], 2, [2])):
        pools.clear()
        assert kernels.map_threads(lambda v: v * v, iter(items), threads) == [v * v for v in items]
        assert pools == made


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 4, 2), (2, 1, 5, 3), (1, 2, 8, 2), (3, 2, 11, 1), (1, 1, 0, 2)])
@pytest.mark.parametrize("product", [loops.product, loops.product.py_func], ids=["compiled", "plain"])
def test_products_add_their_terms_in_order(shape: tuple[int, ...], product: Any) -> None:
    rows, n, inner, m = shape
    random = np.random.default_rng(sum(shape))
    a, b = random.standard_normal((rows, n, inner)), random.standard_normal((rows, inner, m))
    out = np.ones((rows, n, m))
    product(a, b, out)
    for r in range(rows):
        for i in range(n):
            for j in range(m):
                total = 1.0
                for k in range(inner):
                    total += a[r, i, k] * b[r, k, j]
                assert out[r, i, j] == total
    assert (arithmetic.product(a, b) == arithmetic.product_in_numpy(a, b)).all()


@pytest.mark.parametrize(
    "series", [loops.exponential_series, loops.exponential_series.py_func], ids=["compiled", "plain"]
)
@pytest.mark.parametrize("terms", [0, 1, 2, 5, 14])
def test_the_exponential_series(series: Any, terms: int) -> None:
    x = np.array([-0.3, 0.0, 0.25, 0.34])
    out = np.full(4, 9.0)
    series(x, terms, out)
    assert out == pytest.approx([sum(v**k / math.factorial(k) for k in range(terms + 1)) for v in x], rel=1e-15)
    assert (out == arithmetic.exponential_series_in_numpy(x, terms)).all()


def test_exp_and_log_at_their_edges() -> None:
    x = np.array([-746.0, -745.0, -1.0, 0.0, 1.0, 709.78, 709.79, math.inf, -math.inf])
    with np.errstate(over="ignore", invalid="ignore"):
        found = arithmetic.exp(x)
    assert found[[0, 8]].tolist() == [0.0, 0.0]
    assert np.isinf(found[[6, 7]]).all()
    assert found[1:6] == pytest.approx(np.exp(x[1:6]), rel=1e-14)
    assert np.isnan(arithmetic.exp(np.array([math.nan]))).all()
    assert arithmetic.exp(np.float32([1.0])).dtype == np.float32
    points = np.array([1e-300, 0.5, 0.7, 0.71, 1.0, 1.41, 1.42, 2.0, 3.0, 1e300])
    assert arithmetic.log(points) == pytest.approx(np.log(points), rel=4e-16, abs=1e-300)
    assert arithmetic.log(np.float32([2.0])).dtype == np.float32
