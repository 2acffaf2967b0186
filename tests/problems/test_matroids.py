"""Matroids: axioms by enumeration, bases of largest weight against all bases, ties, the polytope, and what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.number import Number
from fltheory.papers.fedcg.instances.families import FIXED, PAVED, SQUARE, in_polytope, matroids
from fltheory.problems.sets import matroids as module
from fltheory.problems.sets.matroids import (
    ByBases,
    Graphic,
    Matroid,
    Partition,
    Uniform,
    bases,
    best_bases,
    independent_sets,
    n_independent,
    rank_of,
    ranking,
)
from fltheory.problems.sets.set_functions import as_kind_of

any_matroid = st.integers(1, 5).flatmap(matroids)


def exact(values: Sequence[Number]) -> np.ndarray:
    return as_kind_of(values, np.empty(0, dtype=object))


def subsets(n: int) -> list[frozenset[int]]:
    return [frozenset(s) for k in range(n + 1) for s in itertools.combinations(range(n), k)]


def broken_axiom(matroid: Matroid) -> str | None:
    """Which axiom of independent sets fails, over all sets."""
    own = [s for s in subsets(matroid.n_items) if matroid.independent(s)]
    if frozenset() not in own:
        return "empty"
    if any(s - {e} not in own for s in own for e in s):
        return "hereditary"
    if any(not any(a | {e} in own for e in b - a) for a in own for b in own if len(a) < len(b)):
        return "exchange"
    return None


@given(any_matroid)
def test_the_axioms_of_independent_sets(matroid: Matroid) -> None:
    assert broken_axiom(matroid) is None
    own = [s for s in subsets(matroid.n_items) if matroid.independent(s)]
    assert sorted(map(sorted, independent_sets(matroid))) == sorted(map(sorted, own))
    assert n_independent(matroid) == len(own)
    assert {len(b) for b in bases(matroid)} == {matroid.rank} == {max(map(len, own))}
    for items in subsets(matroid.n_items):
        assert rank_of(matroid, items) == max(len(s) for s in own if s <= items)


class Matching:
    """Sets of disjoint edges of a path: no matroid."""

    n_items, rank = 3, 2

    def independent(self, items: frozenset[int]) -> bool:
        return not {0, 1} <= items and not {1, 2} <= items


def test_what_is_no_matroid_is_seen() -> None:
    assert broken_axiom(Matching()) == "exchange"


weights = st.integers(1, 5).flatmap(
    lambda n: st.tuples(matroids(n), st.lists(st.integers(0, 3), min_size=n, max_size=n), st.permutations(range(n)))
)


@given(weights)
def test_the_greedy_base_is_the_best_of_all(drawn: tuple[Matroid, list[int], list[int]]) -> None:
    matroid, values, order = drawn
    for row in (exact(values)[None], np.array(values, dtype=float)[None]):
        found = best_bases(matroid, row, tuple(order))[0]
        chosen = frozenset(np.nonzero(found)[0].tolist())
        assert matroid.independent(chosen)
        assert len(chosen) == matroid.rank
        assert sum(values[e] for e in chosen) == max(sum(values[e] for e in b) for b in bases(matroid))


@given(weights)
def test_equal_weights_are_taken_in_the_order_given(drawn: tuple[Matroid, list[int], list[int]]) -> None:
    matroid, values, order = drawn
    ranked = ranking(exact(values)[None], tuple(order))[0].tolist()
    place = {e: i for i, e in enumerate(order)}
    assert ranked == sorted(range(len(values)), key=lambda e: (-values[e], place[e]))
    flat = best_bases(matroid, exact([1] * len(values))[None], tuple(order))[0]
    first = next(
        s for k in [matroid.rank] for s in itertools.combinations(order, k) if matroid.independent(frozenset(s))
    )
    assert frozenset(np.nonzero(flat)[0].tolist()) == frozenset(first)


def test_floats_that_differ_by_rounding_are_equal() -> None:
    row = np.array([[0.1 + 0.2, 0.3, 1.0]])
    assert ranking(row, (2, 1, 0)).tolist() == [[2, 1, 0]]
    assert ranking(np.array([[0.3, 0.31, 1.0]]), (0, 1, 2)).tolist() == [[2, 1, 0]]
    assert ranking(np.array([[-1.0, -1.0]]), (1, 0)).tolist() == [[1, 0]]


def test_ties_that_are_ignored_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ranking", lambda w, order: ranking(w, tuple(range(w.shape[1]))))
    flat = best_bases(Uniform(3, 1), exact((1, 1, 1))[None], (2, 1, 0))
    assert flat.tolist() == [[1, 0, 0]]  # where the order is respected it is the last item
    monkeypatch.undo()
    assert best_bases(Uniform(3, 1), exact((1, 1, 1))[None], (2, 1, 0)).tolist() == [[0, 0, 1]]


@given(any_matroid.flatmap(lambda m: st.tuples(st.just(m), in_polytope(m))))
def test_means_of_bases_are_in_the_polytope_and_more_is_not(drawn: tuple[Matroid, tuple[Fraction, ...]]) -> None:
    matroid, x = drawn
    at = np.array([*x, None], dtype=object)[:-1]
    assert module.in_polytope(matroid, at)
    assert sum(x) == matroid.rank
    beyond = at.copy()
    beyond[0] += Fraction(1, 1000)
    assert not module.in_polytope(matroid, beyond)
    below = at.copy()
    below[0] = Fraction(-1, 1000)
    assert not module.in_polytope(matroid, below)


def test_the_graph_and_the_paved_matroid_by_hand() -> None:
    assert SQUARE.rank == 3
    assert n_independent(SQUARE) == 15
    assert not SQUARE.independent(frozenset(range(4)))
    assert not Graphic(((0, 1), (0, 1))).independent(frozenset({0, 1}))
    assert [sorted(b) for b in bases(PAVED)] == [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert n_independent(Uniform(5, 2)) == 16
    assert n_independent(Partition(((0, 1), (2,)), (1, 1))) == 6


@given(any_matroid)
def test_matroids_rebuild_from_their_text(matroid: Matroid) -> None:
    assert eval(repr(matroid)) == matroid
    assert hash(eval(repr(matroid))) == hash(matroid)


def test_the_fixed_ones_are_not_all_uniform() -> None:
    fewer = [m for m in FIXED if len(list(bases(m))) < len(list(bases(Uniform(m.n_items, m.rank))))]
    assert len(fewer) == 2


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Uniform(2, 3), "more than the 2 items"),
        (lambda: Uniform(2, 0), "at least 1"),
        (lambda: Partition(((0, 1), (1, 2)), (1, 1)), "different integers"),
        (lambda: Partition(((0, 1),), (3,)), "expected 1 to 2"),
        (lambda: Partition(((0, 1),), (1, 1)), "same length"),
        (lambda: Graphic(((0, 0),)), "two different vertices"),
        (lambda: ByBases(3, ((0, 1), (2,))), "same size"),
        (lambda: ByBases(4, ((0, 1), (2, 3))), "can't be exchanged"),
        (lambda: list(bases(Uniform(60, 30))), "more than 200000"),
        (lambda: module.in_polytope(Uniform(17, 1), np.zeros(17)), "too many"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
