"""Counter-based streams: uniform, independent, the same for any cut."""

import math
from itertools import permutations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fltheory.number import streams
from fltheory.number.streams.kernels import absorb, as_uniform, map_threads, ordered_sample, threads_for

words = st.integers(0, 2**62)


@numba.njit
def _compiled(seed, repetition, round_, client, index):
    state = absorb(absorb(absorb(np.uint64(0), seed), repetition), round_)
    return as_uniform(absorb(absorb(state, client), index))


def _plain(seed, repetition, round_, client, index):
    state = np.zeros(1, np.uint64)
    for word in (seed, repetition, round_, client, index):
        state = streams.absorb_word(state, word)
    return (state >> np.uint64(11)).astype(float) * 2.0**-53


@given(words, words, words, words, words)
def test_numpy_and_numba_give_the_same_bits(seed, repetition, round_, client, index):
    found = streams.uniform(seed, repetition, round_, client, index)
    assert found.shape == (1,)
    assert (
        found[0]
        == _compiled(seed, repetition, round_, client, index)
        == _plain(seed, repetition, round_, client, index)[0]
    )
    assert 0 <= found[0] < 1


def test_arrays_of_keys_broadcast_as_in_numpy():
    keys = (4, np.arange(3)[:, None], np.array([[7], [1], [0]]), streams.ORDER_STREAM, np.arange(5))
    assert (streams.uniform(*keys) == _plain(*keys)).all()
    assert streams.uniform(*keys).shape == (3, 5)


def test_a_draw_is_known():
    assert streams.uniform(1, 2, 3, 4, 5)[0] == 0.3201568524961068  # as long as records and seeds shall mean the same


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.integers(0, 2**40), st.integers(0, 9))
def test_any_split_into_blocks_gives_the_same_draws(sizes, first, round_):
    n = sum(sizes)
    whole = streams.uniform(3, np.arange(first, first + n), round_, 1, 2)
    orders = streams.ordered_samples(3, np.arange(first, first + n), round_, 5, 3)
    at = 0
    for size in sizes:
        block = np.arange(first + at, first + at + size)
        assert (streams.uniform(3, block, round_, 1, 2) == whole[at : at + size]).all()
        assert (streams.ordered_samples(3, block, round_, 5, 3) == orders[at : at + size]).all()
        at += size


@numba.njit
def _compiled_order(seed, repetition, round_, clients, size):
    chosen, places = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    ordered_sample(absorb(absorb(absorb(np.uint64(0), seed), repetition), round_), clients, chosen, places)
    return chosen


@given(st.integers(1, 60), st.integers(0, 2**40), words, words, words)
def test_compiled_ordered_samples_are_the_plain_ones(n, cut, seed, repetition, round_):
    clients, size = np.arange(n), 1 + cut % n
    found = _compiled_order(seed, repetition, round_, clients, size)
    assert (found == streams.ordered_samples(seed, np.array([repetition]), round_, n, size)).all()
    assert (clients == np.arange(n)).all()


def test_a_compiled_ordered_sample_of_another_round_differs():
    found = _compiled_order(1, 2, 4, np.arange(50), 10)
    assert (found != streams.ordered_samples(1, np.array([2]), 3, 50, 10)).any()


@pytest.mark.parametrize("axis", range(5))
def test_uniform_along_every_word_of_the_key(axis):
    """Chi-square over 64 cells, and no correlation between neighbours."""
    key = [7, 0, 0, 0, 0]
    key[axis] = np.arange(100_000)
    draws = streams.uniform(*key)
    counts = np.histogram(draws, bins=64, range=(0, 1))[0]
    assert 1e-6 < stats.chisquare(counts).pvalue < 1 - 1e-6
    correlation = np.corrcoef(draws[:-1], draws[1:])[0, 1]
    assert abs(correlation) < 5 / math.sqrt(len(draws))


def test_every_bit_is_fair():
    bits = streams.round_chain(0, np.arange(50_000), 3)
    for position in range(64):
        ones = int(((bits >> np.uint64(position)) & np.uint64(1)).sum())
        assert abs(ones - 25_000) < 6 * math.sqrt(12_500)


def test_streams_of_clients_rounds_and_orders_are_apart():
    repetitions = np.arange(20_000)
    family = [
        streams.uniform(0, repetitions, r, m, k)
        for r in range(2)
        for m in (0, 1, streams.ORDER_STREAM)
        for k in range(2)
    ]
    matrix = np.corrcoef(np.array(family)) - np.eye(len(family))
    assert np.abs(matrix).max() < 5.5 / math.sqrt(len(repetitions))
    assert len({tuple(f[:4]) for f in family}) == len(family)


def test_the_stream_of_orders_is_no_clients_stream():
    assert streams.ORDER_STREAM > 2**40


def test_seeds_differ_and_may_be_large_or_negative():
    seen = {float(streams.uniform(seed, 0, 0, 0, 0)[0]) for seed in (0, 1, -1, 2**62, -(2**62))}
    assert len(seen) == 5


@pytest.mark.parametrize(("n", "size"), [(4, 4), (4, 2), (5, 3), (1, 1)])
def test_ordered_samples_are_uniform(n, size):
    orders = streams.ordered_samples(11, np.arange(48_000), 5, n, size)
    cells = dict.fromkeys(permutations(range(n), size), 0)
    for row in orders:
        cells[tuple(int(v) for v in row)] += 1
    if len(cells) > 1:
        assert 1e-6 < stats.chisquare(list(cells.values())).pvalue < 1 - 1e-6


def test_a_shorter_sample_is_the_beginning_of_a_longer_one():
    repetitions = np.arange(100)
    assert (
        streams.ordered_samples(1, repetitions, 0, 6, 3) == streams.ordered_samples(1, repetitions, 0, 6, 6)[:, :3]
    ).all()


def test_threads_are_as_many_as_the_environment_allows_and_the_work_is_worth(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert (threads_for(1e12), threads_for(10)) == (3, 1)
    for other in ("", "0", "many", "-1"):
        monkeypatch.setenv("OMP_NUM_THREADS", other)
        assert 1 <= threads_for(1e12) <= 16


def test_results_come_in_the_order_of_the_items():
    for threads in (1, 2, 5):
        assert map_threads(lambda i: i * i, iter(range(20)), threads) == [i * i for i in range(20)]
        assert map_threads(abs, [], threads) == []
