"""Set functions: closed forms against tables of all sets, the list of inequalities, and what bad data is called."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fltheory.number import RATIONAL, Number
from fltheory.papers.fedcg.instances.families import functions, inner, of_any_size, points, simple, vertex, vertices
from fltheory.problems.sets.independent_sets import IndependentCoverage
from fltheory.problems.sets.matroids import Graphic, Uniform, rank_of
from fltheory.problems.sets.set_functions import (
    FEW,
    Capped,
    Coverage,
    FacilityLocation,
    Mixture,
    Modular,
    SetFunction,
    Table,
    WeightedRank,
    as_kind_of,
    products_of_others,
    table_violation,
)

EXACT = np.empty(0, dtype=object)
TILES = IndependentCoverage(((0,), (1, 2)), ((3, 4), (5,)), ("1/2", "1/3"), (1, 2))


def row(values: Sequence[Number]) -> np.ndarray:
    return as_kind_of(values, EXACT)


def subsets(n: int) -> list[frozenset[int]]:
    return [frozenset(e for e in range(n) if s >> e & 1) for s in range(1 << n)]


def tabulated(f: SetFunction) -> Table:
    """Any function as the list of its values."""
    return Table([f.value(s) for s in subsets(f.n_items)])


def mean_value(f: SetFunction, x: tuple[Fraction, ...]) -> Fraction:
    """E f(R) by all sets: the definition of the extension."""
    total = Fraction(0)
    for items in subsets(f.n_items):
        chance = Fraction(1)
        for e, v in enumerate(x):
            chance *= Fraction(v) if e in items else 1 - Fraction(v)
        total += chance * Fraction(f.value(items))
    return total


@st.composite
def with_point(
    draw: st.DrawFn, family: Callable[[int], st.SearchStrategy[SetFunction]] = functions
) -> tuple[SetFunction, tuple[Fraction, ...]]:
    n = draw(st.integers(1, 4))
    return draw(family(n)), draw(points(n))


def agrees(f: SetFunction, x: tuple[Fraction, ...]) -> bool:
    """Extension and gradient against sums over all sets."""
    at = row(x)[None]
    if f.extension(at)[0] != RATIONAL.scalar(mean_value(f, x)):
        return False
    for e in range(f.n_items):
        ends = [mean_value(f, (*x[:e], v, *x[e + 1 :])) for v in (Fraction(1), Fraction(0))]
        if f.gradient(at)[0, e] != RATIONAL.scalar(ends[0] - ends[1]):
            return False
    return True


@given(with_point())
def test_closed_forms_are_means_over_all_sets(pair: tuple[SetFunction, tuple[Fraction, ...]]) -> None:
    assert agrees(*pair)


@given(points(6))
def test_independent_sets_too(x: tuple[Fraction, ...]) -> None:
    assert agrees(TILES, x)


@pytest.mark.parametrize("items", subsets(6), ids=str)
def test_parts_met_are_worth_what_the_definition_says(items: frozenset[int]) -> None:
    missed = sum((s for b, s in zip(TILES.blocks, TILES.shares, strict=True) if items.isdisjoint(b)), Fraction(0))
    for group, density in zip(TILES.groups, TILES.densities, strict=True):
        missed *= 1 if items.isdisjoint(group) else 1 - density
    assert TILES.value(items) == 1 - missed


@pytest.mark.parametrize(
    "f",
    [
        TILES,
        Coverage(((0, 1, 5), (2, 3), (1, 4)), 6, (1, "1/3", 2)),
        FacilityLocation(((3, 1, "1/7", 0, 2, 2), (0, 5, 1, "2/3", 0, 1)), (1, "1/9")),
    ],
    ids=lambda f: type(f).__name__,
)
def test_points_one_by_one_have_the_gradients_of_points_side_by_side(f: SetFunction) -> None:
    many = np.random.default_rng(7).random((FEW + 1, 6))
    many[0], many[1] = 0.0, 1.0
    found = f.gradient(many)
    for one, gradient in zip(many, found, strict=True):
        assert f.gradient(one[None])[0].tobytes() == gradient.tobytes()
    exact = np.stack([row([Fraction(v) for v in point]) for point in many])
    assert (f.gradient(exact) == np.concatenate([f.gradient(one[None]) for one in exact])).all()


def test_numbers_that_are_kept_are_not_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Modular((1, 2)).gradient(np.zeros((1, 2)))[0, 0] = 5.0


class Wrong(FacilityLocation):
    """Customers in the wrong order: the largest score isn't taken first."""

    @property
    def _sorted(self) -> Any:
        return (tuple(range(self.n_items)),) * len(self.scores)


def test_a_wrong_order_of_scores_is_seen() -> None:
    scores, x = ((1, 3, 2),), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 4))
    assert agrees(FacilityLocation(scores), x)
    assert not agrees(Wrong(scores), x)


@given(with_point(simple), st.integers(1, 3))
def test_floats_follow_the_rationals_over_many_rows(pair: tuple[SetFunction, tuple[Fraction, ...]], rows: int) -> None:
    f, x = pair
    exact = np.stack([row(x)] * rows)
    close = np.array(x, dtype=float)[None].repeat(rows, axis=0)
    np.testing.assert_allclose(f.extension(close), f.extension(exact).astype(float), atol=1e-9)
    np.testing.assert_allclose(np.array(f.gradient(close)), np.array(f.gradient(exact)).astype(float), atol=1e-9)


@given(of_any_size())
def test_every_family_is_monotone_and_submodular_from_zero(f: SetFunction) -> None:
    table = tabulated(f)
    assert table_violation(table) is None
    assert f.value(frozenset()) == 0
    assert slowly_flawed(table) is False


def slowly_flawed(f: Table) -> bool:
    """By the definitions, over all pairs of sets."""
    sets = subsets(f.n_items)
    for a, b in itertools.product(sets, sets):
        if a <= b and f.value(a) > f.value(b):
            return True
        if f.value(a) + f.value(b) < f.value(a | b) + f.value(a & b):
            return True
    return False


@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.integers(0, 3), min_size=2**n - 1, max_size=2**n - 1)))
def test_the_short_list_of_inequalities_says_what_the_definitions_say(values: list[int]) -> None:
    table = Table((0, *values))
    assert (table_violation(table) is not None) == slowly_flawed(table)


@pytest.mark.parametrize(
    ("values", "words"),
    [((0, 1, 1, 3), "gain more together"), ((0, 2, 1, 1), "falls when"), ((0, 1, 1, 1, 1, 1, 1, 2), "gain more")],
)
def test_a_flaw_is_named(values: tuple[int, ...], words: str) -> None:
    assert words in (table_violation(Table(values)) or "")


@given(st.integers(2, 4).flatmap(lambda n: st.one_of(vertices(n), inner(n))))
def test_functions_of_the_linear_program_are_exact(f: Table) -> None:
    assert table_violation(f) is None
    assert f.values[-1] > 0


def test_a_vertex_is_best_for_its_objective() -> None:
    objective = (1, 1, -2, 1, -1, 0, 3)
    best = vertex(3, objective)
    assert best is not None

    def cost(f: SetFunction) -> Fraction:
        return sum((Fraction(c) * v for c, v in zip(objective, tabulated(f).values[1:], strict=True)), Fraction(0))

    others: list[SetFunction] = [
        Modular(["1/3"] * 3),
        Coverage(((0, 1, 2),), 3),
        Capped((1, 1, 1), 2),
        Modular((1, 0, 0)),
    ]
    assert all(cost(best) <= cost(f) / Fraction(f.value(frozenset(range(3)))) for f in others)


def test_values_by_hand() -> None:
    f = Coverage(((0, 1), (1, 2)), 3, (2, 5))
    assert [f.value(frozenset(s)) for s in ((), (0,), (1,), (0, 2))] == [0, 2, 7, 7]
    g = FacilityLocation(((1, 4), (3, 2)), (1, 10))
    assert [g.value(frozenset(s)) for s in ((), (0,), (1,), (0, 1))] == [0, 31, 24, 34]
    assert WeightedRank(Graphic(((0, 1), (1, 2), (2, 0))), (3, 2, 1)).value(frozenset({0, 1, 2})) == 5
    assert Capped((2, 2, 1), 3).value(frozenset({0, 1})) == 3
    assert Mixture((Modular((1, 2)), Modular((3, 0))), (2, 1)).value(frozenset({0})) == 5
    assert TILES.value(frozenset({0})) == Fraction(1, 3)
    assert TILES.value(frozenset({3, 5})) == 1 - Fraction(1, 2) * Fraction(2, 3)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(0, 5), min_size=n, max_size=n)))
def test_a_weighted_rank_is_the_best_independent_subset(weights: list[int]) -> None:
    n = len(weights)
    matroid = Uniform(n, max(1, n // 2))
    f = WeightedRank(matroid, weights)
    for items in subsets(n):
        inside = (sum(weights[e] for e in s) for s in subsets(n) if s <= items and matroid.independent(s))
        assert f.value(items) == max(inside)
        assert rank_of(matroid, items) == min(len(items), matroid.rank)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=5))
def test_products_of_all_others_need_no_division(values: list[int]) -> None:
    found = products_of_others([row((v,)) for v in values])
    for i, product in enumerate(found):
        expected = fmpq(1)
        for j, v in enumerate(values):
            expected *= v if j != i else 1
        assert product[0] == expected


@given(of_any_size())
def test_functions_rebuild_from_their_text(f: SetFunction) -> None:
    from fltheory.problems.sets import matroids

    names = {c.__name__: c for c in (Capped, Coverage, FacilityLocation, Mixture, Modular, Table, WeightedRank)}
    names |= {c.__name__: c for c in (matroids.Uniform, matroids.Partition, matroids.Graphic, matroids.ByBases)}
    assert eval(repr(f), names) == f
    assert hash(f) == hash(eval(repr(f), names))


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Table((0, 1, 1)), r"2\^n values"),
        (lambda: Table((1, 1)), "empty set 0"),
        (lambda: Modular((1, -1)), "nonnegative"),
        (lambda: Coverage(((0, 2),), 2), "point covered by"),
        (lambda: Coverage(((0, 0),), 2), "different integers"),
        (lambda: Coverage(((0,),), 2, (1, 2)), "same length"),
        (lambda: Coverage(((0,),), 0), "at least 1"),
        (lambda: FacilityLocation(((1, 2), (1,))), "score for every item"),
        (lambda: FacilityLocation(((1, -2),)), "nonnegative"),
        (lambda: Capped((1, 1), -1), "nonnegative"),
        (lambda: WeightedRank(Uniform(2, 1), (1,)), "1 weights for 2 items"),
        (lambda: Mixture((Modular((1,)), Modular((1, 1)))), "same items"),
        (lambda: Mixture((Modular((1,)),), (-1,)), "nonnegative"),
        (lambda: IndependentCoverage(((0,),), ((1,),), 2), "densities"),
        (lambda: IndependentCoverage(((0,),), ((0,),), "1/2"), "different integers"),
        (lambda: Capped((1,) * 17, 3).table, "at most 16"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
