"""Lazy greedy facility location is plain greedy to the last bit, whatever its copy in 16 bits rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.papers.fedcg.instances.facility_greedy import (
    PART,
    _pack_all,
    _pack_scores,
    _run,
    facility_greedy,
    reference_greedy,
)

WORDS = st.integers(0, 2**32 - 1)


def assert_plain(c: np.ndarray, weights: np.ndarray, size: int) -> None:
    """The same items and the same bits as plain greedy."""
    chosen, gains, evaluations = facility_greedy(c, weights, size)
    expected, found = reference_greedy(c, weights, size)
    assert np.array_equal(chosen, expected)
    assert np.array_equal(gains, found)
    assert evaluations <= c.shape[1] * size


@pytest.mark.turns(3)
@given(WORDS, st.sampled_from([np.float32, np.float64]), st.booleans())
def test_lazy_facility_location_is_plain_greedy_bit_for_bit(seed: int, kind: type, ties: bool) -> None:
    """Also with many equal gains, with scores below 0, and with weights whose sums are rounded."""
    rng = np.random.default_rng(seed)
    n_clients, n_items = rng.integers(1, 100), rng.integers(1, 20)
    c = rng.integers(-1, 3, (n_clients, n_items)) if ties else rng.random((n_clients, n_items)) - 0.1
    c, weights = c.astype(kind), np.full(n_clients, 1 / n_clients) if ties else rng.random(n_clients)
    size = int(rng.integers(0, n_items + 1))
    assert_plain(c, weights, size)
    chosen, gains, _ = facility_greedy(c, weights, size)
    assert np.isclose(gains.sum(), c[:, chosen].max(axis=1, initial=0) @ weights)


@given(WORDS, st.integers(1, 20), st.sampled_from([1, 3, 40]))
def test_ties_of_dyadic_scores(seed: int, n_items: int, n_clients: int) -> None:
    """Sums are exact, so that ties are ties; the highest of equal items would be another choice."""
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 4, (n_clients, n_items)) / 4
    weights = rng.integers(0, 5, n_clients) / 8
    assert_plain(c, weights, n_items)
    twice = np.concatenate([c, c], axis=1)  # every item ties with its twin
    assert_plain(twice, weights, 1)
    chosen = facility_greedy(twice, weights, 1)[0]
    assert chosen[0] < n_items
    backwards = 2 * n_items - 1 - facility_greedy(twice[:, ::-1], weights, 1)[0]
    assert backwards[0] >= n_items


def run_with(c: np.ndarray, packed: np.ndarray, totals: np.ndarray, scale: float, size: int) -> list[int]:
    """The items a lazy run chooses by a copy in units that may be a wrong one."""
    chosen, gains = np.empty(size, dtype=np.int64), np.empty(size)
    _run(np.ascontiguousarray(c.T), np.ones(len(c)), packed, totals, scale, chosen, gains)
    return chosen.tolist()


@given(WORDS, st.sampled_from([2.0**-20, 2.0**-40, 2.0**-50]))
def test_scores_closer_than_a_unit_are_told_apart(seed: int, width: float) -> None:
    """And would not be, were they rounded down where they must be rounded up."""
    rng = np.random.default_rng(seed)
    c = 1 + width * rng.integers(0, 4, (40, 6))
    packed, totals, scale = _pack_scores(np.ascontiguousarray(c.T), np.ones(40), 1)
    expected = reference_greedy(c, np.ones(40), 3)[0].tolist()
    assert facility_greedy(c, np.ones(40), 3)[0].tolist() == run_with(c, packed, totals, scale, 3) == expected
    first = 1 + width * np.arange(6) * np.ones((40, 1))  # the last item is the best one
    packed, totals, scale = _pack_scores(np.ascontiguousarray(first.T), np.ones(40), 1)
    assert run_with(first, packed, totals, scale, 1) == [5]
    assert run_with(first, packed - np.uint16(2), totals - 80, scale, 1) != [5]


@given(WORDS)
def test_bounds_are_bounds_and_not_loose(seed: int) -> None:
    """A copy that says half must lead astray somewhere: a run believes its bounds."""
    rng = np.random.default_rng(seed)
    c = rng.random((60, 12))
    packed, totals, scale = _pack_scores(np.ascontiguousarray(c.T), np.ones(60), 1)
    assert (packed.T >= c * scale * (1 - 2.0**-24)).all()
    assert (packed.T <= c * scale * (1 + 2.0**-24) + 1).all()
    assert np.array_equal(totals, packed.sum(axis=1))
    best = int(reference_greedy(c, np.ones(60), 1)[0][0])
    packed[best] //= 2
    totals[best] //= 2
    assert run_with(c, packed, totals, scale, 1) != [best]


@given(WORDS, st.sampled_from([1e-300, 1e-310, 2.0**-1060, 1e300, 2.0**40]))
def test_lazy_greedy_at_any_scale(seed: int, factor: float) -> None:
    """Also where the greatest score is far above those that the unit is guessed from, and where floats end."""
    rng = np.random.default_rng(seed)
    c = rng.random((9, 70)) * factor
    c[rng.integers(9), rng.integers(70)] *= 1e6
    assert_plain(c, np.ones(9), 6)


@pytest.mark.parametrize("n_clients", [PART - 1, PART, PART + 1, 2 * PART + 33])
def test_clients_in_several_parts(n_clients: int) -> None:
    """Every part is packed and summed, and one that doesn't fit, or is no number, is seen wherever it is."""
    rng = np.random.default_rng(n_clients)
    c, weights = rng.random((n_clients, 5)) ** 3, rng.random(n_clients)
    assert_plain(c, weights, 4)
    columns = np.ascontiguousarray(c.T)
    packed, totals, scale = _pack_scores(columns, weights, 1)
    assert np.array_equal(packed, np.ceil(np.float32(weights * columns * scale)))
    assert np.array_equal(totals, packed.sum(axis=1, dtype=np.int64))
    assert not _pack_all(columns, weights, 8 * scale, packed, totals, 1)
    for client in (0, n_clients // 2, n_clients - 1):
        for wrong in (np.nan, np.inf):
            spoilt = c.copy()
            spoilt[client, 3] = wrong
            with pytest.raises(ValueError, match="finite"):
                facility_greedy(spoilt, weights, 1)


def test_a_sum_beyond_floats_is_infinite() -> None:
    """Finite scores are fine whatever they add up to."""
    c = np.full((3, 2), 1.5e308)
    with np.errstate(over="ignore"):
        assert_plain(c, np.ones(3), 1)


def test_many_clients_overflow_no_sum_and_threads_change_nothing() -> None:
    """200000 clients of 2^14 units and more are beyond 32 bits; 24 items make two threads' work."""
    c = np.asfortranarray(1 - np.random.default_rng(0).random((200_000, 24)) / 100)
    weights = np.ones(len(c))
    expected, found = reference_greedy(c, weights, 3)
    for threads in (1, 2, 3):
        chosen, gains, evaluations = facility_greedy(c, weights, 3, threads=threads)
        assert np.array_equal(chosen, expected)
        assert np.array_equal(gains, found)
        assert evaluations < 3 * 24


def test_memory_order_does_not_matter_and_laziness_pays() -> None:
    c = np.random.default_rng(0).random((50, 200)) ** 8
    weights = np.ones(50)
    chosen, gains, evaluations = facility_greedy(c, weights, 20)
    again = facility_greedy(np.asfortranarray(c), weights, 20)
    assert np.array_equal(chosen, again[0])
    assert np.array_equal(gains, again[1])
    assert evaluations < 0.4 * 200 * 20
    alone = np.argsort(-c.sum(axis=0), kind="stable")[:20]  # gains that are never refreshed
    assert set(alone) != set(chosen)
    assert c[:, alone].max(axis=1).sum() < gains.sum()


@pytest.mark.parametrize(
    "call",
    [
        lambda: facility_greedy(np.ones((2, 3)), np.ones(2), 4),
        lambda: facility_greedy(np.ones((2, 3)), np.ones(3), 1),
        lambda: facility_greedy(np.ones((2, 3), dtype=int), np.ones(2), 1),
        lambda: facility_greedy(np.array([[1.0, np.nan]]), np.ones(1), 1),
        lambda: facility_greedy(np.array([[1.0, np.inf]]), np.ones(1), 1),
        lambda: facility_greedy(np.ones((2, 3)), np.array([1.0, -1.0]), 1),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        call()
