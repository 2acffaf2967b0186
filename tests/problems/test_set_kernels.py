"""Kernels of set functions against the definition over all 2^n sets, against their NumPy twins, and greedy algorithms.

Points in quarters and small whole scores make all sums exact in floating point, so that results are equal, not close.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.papers.fedcg.instances import facility_kernels as facility
from fltheory.papers.fedcg.instances.facility_kernels import (
    facility_client_gradients,
    facility_extension,
    facility_sampled_gradient,
    facility_top_items,
    items_by_score,
)
from fltheory.papers.fedcg.instances.greedy import greedy, lazy_greedy
from fltheory.problems.sets import coverage_kernels as coverage
from fltheory.problems.sets.coverage_kernels import coverage_client_gradients, coverage_extension, memberships
from fltheory.problems.sets.set_kernels import all_subsets, extension_by_sets, gradient_by_sets, sampled_gradient

WORDS = st.integers(0, 2**32 - 1)


def scores_of(sets: np.ndarray, c: np.ndarray) -> np.ndarray:
    """max_{j in S} c_ij of every set and client, (sets, clients); 0 for the empty set."""
    return np.where(sets[:, None, :], c, 0).max(axis=2, initial=0)


def covered(sets: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Whether a set has an item of a client's row, (sets, clients)."""
    return (sets[:, None, :] & rows).any(axis=2).astype(float)


def small(seed: int, most: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Whole scores with ties, 0/1 rows, weights in eighths, a point in quarters."""
    rng = np.random.default_rng(seed)
    n_clients, n_items = rng.integers(1, most + 1, 2)
    c = rng.integers(0, 5, (n_clients, n_items)).astype(float)
    rows = rng.random((n_clients, n_items)) < 0.5
    return c, rows, rng.integers(0, 9, n_clients) / 8, rng.integers(0, 5, n_items) / 4


def large(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same without any structure; some coordinates are 0 or 1."""
    rng = np.random.default_rng(seed)
    n_clients, n_items = rng.integers(1, 80, 2)
    c = rng.random((n_clients, n_items)) * rng.integers(0, 2, (n_clients, n_items))
    x = np.clip(rng.random(n_items) * 1.4 - 0.2, 0, 1)
    return c, rng.random((n_clients, n_items)) < 0.3, rng.random(n_clients), x


@given(WORDS)
def test_coverage_is_the_sum_over_all_sets(seed: int) -> None:
    _, rows, weights, x = small(seed)
    values = covered(all_subsets(len(x)), rows)
    value, gradient = coverage_extension(*memberships(rows), weights, x)
    assert value == extension_by_sets(values @ weights, x)
    assert np.array_equal(gradient, gradient_by_sets(values @ weights, x))
    found = np.zeros(rows.shape)
    found[rows] = coverage_client_gradients(*memberships(rows), x)
    assert np.array_equal(found, [gradient_by_sets(values[:, i], x) for i in range(len(rows))])


@given(WORDS)
def test_facility_location_is_the_sum_over_all_sets(seed: int) -> None:
    c, _, weights, x = small(seed)
    values = scores_of(all_subsets(len(x)), c)
    value, gradient = facility_extension(c, items_by_score(c), weights, x)
    assert value == extension_by_sets(values @ weights, x)
    assert np.array_equal(gradient, gradient_by_sets(values @ weights, x))
    found = facility_client_gradients(c, items_by_score(c), x)
    assert np.array_equal(found, [gradient_by_sets(values[:, i], x) for i in range(len(c))])


@pytest.mark.turns(3)
@given(WORDS)
def test_the_twins_agree_bit_for_bit(seed: int) -> None:
    c, rows, weights, x = large(seed)
    for kernel, twin, arguments in (
        (coverage_extension, coverage.reference_extension, (*memberships(rows), weights, x)),
        (facility_extension, facility.reference_extension, (c, items_by_score(c), weights, x)),
        (facility_extension, facility.reference_extension, (c.astype(np.float32), items_by_score(c), weights, x)),
    ):
        value, gradient = kernel(*arguments)
        expected, slopes = twin(*arguments)
        assert value == expected
        assert np.array_equal(gradient, slopes)
    assert np.array_equal(
        coverage_client_gradients(*memberships(rows), x), coverage.reference_client_gradients(*memberships(rows), x)
    )
    gradients = facility_client_gradients(c, items_by_score(c), x)
    assert np.array_equal(gradients, facility.reference_client_extensions(c, items_by_score(c), x)[1])
    for rank in {0, 1, min(3, len(x)), len(x)}:
        found = facility_top_items(c, items_by_score(c), x, rank)
        assert np.array_equal(found, facility.reference_top_items(gradients, rank))


def test_other_formulas_are_told_apart() -> None:
    """Rows sorted the wrong way, slopes without the products behind an item, ties to the highest item."""
    c, weights, x = np.array([[1.0, 2.0], [4.0, 2.0]]), np.ones(2), np.array([0.5, 0.25])
    value, gradient = facility_extension(c, items_by_score(c), weights, x)
    wrong = facility_extension(c, items_by_score(c)[:, ::-1], weights, x)
    assert wrong[0] != value
    assert not np.array_equal(wrong[1], gradient)
    indptr, indices = memberships(np.array([[True, True]]))
    before = np.array([1, 1 - 0.5])
    assert not np.array_equal(coverage_client_gradients(indptr, indices, np.array([0.5, 0.25])), before)
    tied = np.ones((1, 3))
    last = 2 - facility.reference_top_items(
        facility_client_gradients(tied, items_by_score(tied), np.zeros(3))[:, ::-1], 1
    )
    assert facility_top_items(tied, items_by_score(tied), np.zeros(3), 1) == 0
    assert last == 2


@given(WORDS)
def test_vertices_and_steps_are_exact(seed: int) -> None:
    """At a vertex the extension is the set's value; along one coordinate it is a line, whatever the step."""
    c, rows, weights, x = small(seed)
    indptr, indices = memberships(rows)
    for corner in all_subsets(len(x))[:: max(1, 2 ** len(x) // 8)]:
        value, _ = facility_extension(c, items_by_score(c), weights, corner.astype(float))
        assert value == scores_of(corner[None], c)[0] @ weights
        value, _ = coverage_extension(indptr, indices, weights, corner.astype(float))
        assert value == covered(corner[None], rows)[0] @ weights
    step = np.zeros(len(x))
    step[seed % len(x)] = 1.5  # beyond the cube too
    for at in (
        lambda y: facility_extension(c, items_by_score(c), weights, y),
        lambda y: coverage_extension(indptr, indices, weights, y),
    ):
        assert at(x + step)[0] - at(x)[0] == at(x)[1] @ step


@given(WORDS, st.sampled_from([1e-3, 7.0, 1e3, 2.0**40]))
def test_values_scale_with_the_scores_and_the_weights(seed: int, factor: float) -> None:
    c, rows, weights, x = large(seed)
    order = items_by_score(c)
    value, gradient = facility_extension(c, order, weights, x)
    for scaled in (
        facility_extension(factor * c, order, weights, x),
        facility_extension(c, order, factor * weights, x),
    ):
        np.testing.assert_allclose(scaled[0], factor * value, rtol=1e-13)
        np.testing.assert_allclose(scaled[1], factor * gradient, rtol=1e-11, atol=1e-15 * factor)
    value, gradient = coverage_extension(*memberships(rows), weights, x)
    scaled = coverage_extension(*memberships(rows), factor * weights, x)
    np.testing.assert_allclose(scaled[0], factor * value, rtol=1e-13)
    np.testing.assert_allclose(scaled[1], factor * gradient, rtol=1e-13)


@given(WORDS)
def test_the_top_items_are_the_best_base(seed: int) -> None:
    c, _, _, x = small(seed)
    rank = 1 + seed % len(x)
    gradients = facility_client_gradients(c, items_by_score(c), x)
    for slopes, found in zip(gradients, facility_top_items(c, items_by_score(c), x, rank), strict=True):
        bases = list(combinations(range(len(x)), rank))
        most = max(sum(slopes[list(base)]) for base in bases)
        assert tuple(sorted(found)) in [base for base in bases if sum(slopes[list(base)]) == most]


def test_an_order_names_the_lowest_item_first_and_is_narrow() -> None:
    order = items_by_score(np.array([[1.0, 2, 1, 2], [0, 0, 0, 0]]))
    assert order.tolist() == [[1, 3, 0, 2], [0, 1, 2, 3]]
    assert order.dtype == np.uint16
    c = (
        np.round(np.random.default_rng(0).random((20, 50)) * [[1e9]] + 1) // np.logspace(0, 9, 20)[:, None]
    )  # ever more ties
    assert np.array_equal(items_by_score(c), np.argsort(-c, axis=1, kind="stable"))
    assert items_by_score(np.zeros((1, 1 + (1 << 16)))).dtype == np.uint32


@given(WORDS)
def test_all_samples_give_the_exact_gradient(seed: int) -> None:
    """One sample for each of the 4^n equally likely cells of a point in quarters: their mean is the gradient itself."""
    c, _, weights, x = small(seed, 3)
    cells = (np.array(list(product(range(4), repeat=len(x)))) + 0.5) / 4
    _, exact = facility_extension(c, items_by_score(c), weights, x)
    assert np.array_equal(facility_sampled_gradient(c, weights, x, cells), exact)
    assert np.array_equal(sampled_gradient(lambda sets: scores_of(sets, c) @ weights, x, cells), exact)


@given(WORDS)
def test_the_sampled_kernel_is_the_generic_estimate(seed: int) -> None:
    c, _, weights, x = small(seed)
    uniforms = np.random.default_rng(seed).random((16, len(x)))
    found = facility_sampled_gradient(c, weights, x, uniforms)
    assert np.array_equal(found, sampled_gradient(lambda sets: scores_of(sets, c) @ weights, x, uniforms))


def test_an_estimate_that_only_adds_items_is_told_apart() -> None:
    """f(R + e) - f(R) is 0 whenever e is drawn, too little by the factor 1 - x_e."""
    cells = (np.array(list(product(range(4), repeat=2))) + 0.5) / 4
    x, c = np.array([0.5, 0.25]), np.array([[2.0, 1.0]])
    drawn = cells < x
    adding = [np.mean(scores_of(drawn | e, c) - scores_of(drawn, c)) for e in np.eye(2, dtype=bool)]
    assert np.array_equal(adding, (1 - x) * facility_sampled_gradient(c, np.ones(1), x, cells))
    assert not np.array_equal(adding, facility_sampled_gradient(c, np.ones(1), x, cells))


def partitioned(parts: list[int], capacity: int) -> Callable[[frozenset[int]], bool]:
    return lambda items: all(sum(parts[e] == part for e in items) <= capacity for part in set(parts))


def weighted_cover(seed: int) -> tuple[Callable[[frozenset[int]], Fraction], int]:
    """Coverage of weighted points, exactly; ties are common."""
    rng = np.random.default_rng(seed)
    n_items = int(rng.integers(1, 8))
    groups = [set(np.flatnonzero(rng.random(6) < 0.4)) for _ in range(n_items)]
    weights = [Fraction(int(w), 3) for w in rng.integers(0, 4, 6)]
    return lambda items: sum((weights[i] for i in set().union(*(groups[e] for e in items))), Fraction(0)), n_items


@given(WORDS)
def test_lazy_greedy_on_an_oracle_is_greedy(seed: int) -> None:
    f, n = weighted_cover(seed)
    parts = [e % 3 for e in range(n)]
    for feasible in (partitioned(parts, 1), partitioned(parts, 2), partitioned([0] * n, 3)):
        calls: list[frozenset[int]] = []

        def counted(items: frozenset[int], calls: list[Any] = calls) -> Fraction:
            calls.append(items)
            return f(items)

        plain = greedy(counted, feasible, range(n))
        n_plain = len(calls)
        assert lazy_greedy(counted, feasible, range(n)) == plain
        assert len(calls) - n_plain <= n_plain + 1  # and f of the empty set
        assert feasible(frozenset(plain))
        assert not any(feasible(frozenset(plain) | {e}) for e in set(range(n)) - set(plain))
        best = max(f(frozenset(s)) for k in range(n + 1) for s in combinations(range(n), k) if feasible(frozenset(s)))
        assert 2 * f(frozenset(plain)) >= best


@given(WORDS)
def test_greedy_keeps_its_guarantee_under_a_cardinality(seed: int) -> None:
    f, n = weighted_cover(seed)
    size = min(3, n)
    chosen = greedy(f, lambda items: len(items) <= size, range(n))
    best = max(f(frozenset(s)) for s in combinations(range(n), size))
    assert f(frozenset(chosen)) >= (1 - (1 - Fraction(1, size)) ** size) * best


def test_greedy_takes_what_adds() -> None:
    """Two items that cover the same, and one that covers less: greedy takes the third."""
    groups = [{0, 1, 2}, {0, 1, 2}, {3}]

    def f(items: frozenset[int]) -> int:
        return len(set().union(*(groups[e] for e in items)))

    def pair(items: frozenset[int]) -> bool:
        return len(items) <= 2

    assert greedy(f, pair, range(3)) == lazy_greedy(f, pair, range(3)) == (0, 2)
    assert greedy(f, lambda items: not items, range(3)) == ()


def test_a_lazy_run_needs_submodularity() -> None:
    """Items 0 and 2 are worth more together: a gain grows, and the lazy run doesn't see it."""

    def f(items: frozenset[int]) -> int:
        return sum(3 - e for e in items) + (4 if {0, 2} <= items else 0)

    assert greedy(f, lambda items: len(items) <= 2, range(3)) == (0, 2)
    assert lazy_greedy(f, lambda items: len(items) <= 2, range(3)) == (0, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: coverage_extension(np.array([0, 2]), np.array([0]), np.ones(1), np.zeros(2)),
        lambda: coverage_extension(np.array([0, 1]), np.array([2]), np.ones(1), np.zeros(2)),
        lambda: coverage_extension(np.array([0, 1]), np.array([0]), np.ones(2), np.zeros(2)),
        lambda: coverage_client_gradients(np.array([[0, 1]]), np.array([0]), np.zeros(2)),
        lambda: facility_extension(np.ones((2, 3)), items_by_score(np.ones((2, 2))), np.ones(2), np.zeros(3)),
        lambda: facility_extension(
            np.ones((2, 3), dtype=int), items_by_score(np.ones((2, 3))), np.ones(2), np.zeros(3)
        ),
        lambda: facility_extension(np.ones((2, 3)), items_by_score(np.ones((2, 3))), np.ones(3), np.zeros(3)),
        lambda: facility_extension(np.ones((2, 3)), items_by_score(np.ones((2, 3))), np.ones(2), np.zeros(2)),
        lambda: items_by_score(np.array([[1.0, -1.0]])),
        lambda: items_by_score(np.array([[1.0, np.nan]])),
        lambda: facility_top_items(np.ones((2, 3)), items_by_score(np.ones((2, 3))), np.zeros(3), 4),
        lambda: facility_sampled_gradient(np.ones((2, 3)), np.ones(2), np.zeros(3), np.zeros((0, 3))),
        lambda: sampled_gradient(lambda sets: sets.sum(axis=1), np.zeros(3), np.zeros((1, 2))),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"must|need"):
        call()
