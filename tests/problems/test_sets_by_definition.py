"""Set functions, matroids and their clients against definitions written out over all sets, and what they refuse."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number
from fltheory.problems import decomposable
from fltheory.problems.decomposable import GRADIENT_COST, SetOracle, SubmodularClients, monotone_submodular
from fltheory.problems.sets import coverage_kernels, matroids, set_checks, set_functions, set_optimum
from fltheory.problems.sets.coverage_kernels import (
    coverage_client_gradients,
    coverage_extension,
    memberships,
    reference_client_gradients,
    reference_extension,
)
from fltheory.problems.sets.independent_sets import IndependentCoverage
from fltheory.problems.sets.matroids import (
    TIE,
    ByBases,
    Graphic,
    Partition,
    Uniform,
    bases,
    basis_of,
    best_bases,
    in_polytope,
    independent_sets,
    n_independent,
    rank_of,
    ranking,
)
from fltheory.problems.sets.set_checks import client_mismatch, matroid_violation, submodularity_violation
from fltheory.problems.sets.set_functions import (
    Capped,
    Coverage,
    FacilityLocation,
    Mixture,
    Modular,
    Table,
    WeightedRank,
    as_kind_of,
    average_over_items,
    by_coordinates,
    products_of_others,
    table_violation,
)
from fltheory.problems.sets.set_kernels import all_subsets, extension_by_sets, gradient_by_sets, sampled_gradient
from fltheory.problems.sets.set_optimum import (
    greedy_set,
    integer_scores,
    optimum,
    optimum_by_enumeration,
    optimum_by_milp,
    score_sets,
    weighted_value,
)
from fltheory.runs.distributions.randomness import ScriptedChance, StreamChance
from fltheory.runs.method import VariantError
from fltheory.work import separate_meter

F = Fraction
Items = frozenset[int]


def subsets(n: int) -> list[Items]:
    return [frozenset(s) for k in range(n + 1) for s in itertools.combinations(range(n), k)]


def exact(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.stack([as_kind_of([F(v) for v in row], np.empty(0, dtype=object)) for row in rows])


# Matroids ---------------------------------------------------------------------------------------------------------------

TRIANGLES = Graphic(((0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)))
MATROIDS: dict[str, tuple[Any, Callable[[Items], bool]]] = {
    "uniform": (Uniform(5, 2), lambda s: len(s) <= 2),
    "free": (Uniform(3, 3), lambda s: True),
    "partition": (Partition(((0, 3), (1, 2, 4)), (1, 2)), lambda s: len(s & {0, 3}) <= 1 and len(s & {1, 2, 4}) <= 2),
    "graphic": (TRIANGLES, lambda s: not {0, 1, 2} <= s and not {3, 4, 5} <= s),
    "bases": (ByBases(4, ((0, 1), (0, 2), (1, 3), (2, 3))), lambda s: len(s & {0, 3}) <= 1 and len(s & {1, 2}) <= 1),
    "one base": (ByBases(3, ((0, 2),)), lambda s: s <= {0, 2}),
    "parallel": (Graphic(((0, 1), (0, 1), (1, 2))), lambda s: not {0, 1} <= s),
}


@pytest.mark.parametrize("name", MATROIDS)
def test_independent_sets_ranks_and_bases_are_those_of_the_definition(name: str) -> None:
    matroid, independent = MATROIDS[name]
    n = matroid.n_items
    every = [s for s in subsets(n) if independent(s)]
    rank = max(map(len, every))
    assert matroid.rank == rank
    assert [s for s in subsets(n) if matroid.independent(s)] == every
    assert list(independent_sets(matroid)) == every
    assert list(independent_sets(matroid, 1)) == [s for s in every if len(s) == 1]
    assert set(bases(matroid)) == {s for s in every if len(s) == rank}
    assert n_independent(matroid) == len(every)
    for s in subsets(n):
        largest = max(len(t) for t in every if t <= s)
        assert rank_of(matroid, s) == len(basis_of(matroid, s)) == largest
        assert basis_of(matroid, s) in every
        assert basis_of(matroid, s) <= s
    assert matroid_violation(matroid) is None


@pytest.mark.parametrize("name", MATROIDS)
@pytest.mark.parametrize("kind", ["float", "exact"])
def test_a_best_base_has_the_largest_weight_with_ties_by_order(name: str, kind: str) -> None:
    matroid, independent = MATROIDS[name]
    n = matroid.n_items
    rows = [[(3 * e + 2 * k) % 5 - 1 for e in range(n)] for k in range(4)] + [[0] * n, [-1] * n]
    weights = np.array(rows, dtype=float) if kind == "float" else exact(rows)
    for order in (tuple(range(n)), tuple(reversed(range(n)))):
        found = best_bases(matroid, weights, order)
        assert found.dtype == np.int64
        for row, own in zip(rows, found, strict=True):
            chosen = frozenset(np.nonzero(own)[0].tolist())
            every = [s for s in subsets(n) if independent(s) and len(s) == matroid.rank]
            most = max(sum(row[e] for e in s) for s in every)
            assert chosen in every
            assert sum(row[e] for e in chosen) == most
            places = [sorted((-row[e], order.index(e)) for e in s) for s in every if sum(row[e] for e in s) == most]
            assert sorted((-row[e], order.index(e)) for e in chosen) == min(places)


def test_rankings_count_close_floats_as_equal() -> None:
    order = (2, 0, 1, 3)
    close = np.array([[1.0, 1.0 + TIE / 2, 1.0 - TIE / 2, 0.5], [1.0, 1.0 + 4 * TIE, 1.0 - 4 * TIE, 0.5]])
    assert ranking(close, order).tolist() == [[2, 0, 1, 3], [1, 0, 2, 3]]
    large = np.array([[-1e6, 1e6, 1e6 * (1 + TIE / 2), 1e6 * (1 + 3 * TIE)], [0.0, 1.0, 2.0, 3.0]])
    assert ranking(large, order).tolist() == [[3, 2, 1, 0], [3, 2, 1, 0]]
    assert ranking(np.array([[1e6 * TIE / 2, 0.0, 1e6]]), (1, 0, 2)).tolist() == [[2, 1, 0]]
    assert ranking(exact([[1, 1 + F(1, 10**20), 1, 0]]), order).tolist() == [[1, 2, 0, 3]]
    assert ranking(np.zeros((0, 2)), (0, 1)).shape == (0, 2)


@pytest.mark.parametrize("name", ["uniform", "partition", "graphic", "parallel"])
def test_points_of_the_polytope_satisfy_every_rank_inequality(name: str) -> None:
    matroid, independent = MATROIDS[name]
    n = matroid.n_items
    half = [F(1, 2)] * n
    base = next(s for s in subsets(n) if independent(s) and len(s) == matroid.rank)
    vertex = [F(int(e in base)) for e in range(n)]
    inside = [F(matroid.rank, 2 * n) for _ in range(n)]
    for x in (half, vertex, inside, [F(0)] * n):
        expected = all(sum((x[e] for e in s), F(0)) <= rank_of(matroid, s) for s in subsets(n))
        assert in_polytope(matroid, exact([x])[0]) is expected
    assert in_polytope(matroid, exact([vertex])[0])
    for e in range(n):
        beyond = list(vertex)
        beyond[e] += F(1, 10**9)
        assert in_polytope(matroid, exact([beyond])[0]) is False or e not in base
        below = list(vertex)
        below[e] = F(-1, 10**9)
        assert in_polytope(matroid, exact([below])[0]) is False


def test_subsets_of_at_most_sixteen_items_are_listed() -> None:
    with pytest.raises(ValueError, match="17 items: too many"):
        in_polytope(Uniform(17, 1), np.zeros(17))
    assert in_polytope(Uniform(16, 1), np.array([-1.0] + [0.0] * 15)) is False


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Uniform(2, 3), "rank = 3: more than the 2 items"),
        (lambda: Uniform(0, 0), "n_items"),
        (lambda: Uniform(2, -1), "rank"),
        (lambda: Partition(((0, 1), (2,)), (1,)), "capacities"),
        (lambda: Partition(((0, 1), (2,)), (3, 1)), r"capacity 3 of the part \(0, 1\): expected 1 to 2"),
        (lambda: Partition(((0, 1), (2,)), (0, 1)), "capacity 0 of the part"),
        (lambda: Partition(((0, 1), (2,)), ("1/2", 1)), "capacity 1/2 of the part"),
        (lambda: Partition(((0, 1), (1,)), (1, 1)), "1"),
        (lambda: Graphic(((0, 0),)), r"edge \(0, 0\): expected two different vertices"),
        (lambda: Graphic(((0, 1, 2),)), "expected two different vertices"),
        (lambda: Graphic(((-1, 1),)), "expected two different vertices"),
        (lambda: Graphic(((0, "1/2"),)), "expected two different vertices"),
        (lambda: ByBases(3, ()), "expected bases of the same size"),
        (lambda: ByBases(3, ((0, 1), (2,))), "expected bases of the same size"),
        (lambda: ByBases(4, ((0, 1), (2, 3))), "can't be exchanged, so it is no matroid"),
        (lambda: list(independent_sets(Uniform(40, 20))), "more than 200000 candidate sets of 40 items"),
    ],
)
def test_what_is_no_matroid_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_as_many_sets_as_allowed_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matroids, "MAX_LISTED_SETS", 16)
    assert len(list(independent_sets(Uniform(5, 2)))) == 16  # 1 + 5 + 10
    assert len(list(independent_sets(Uniform(5, 2), 2))) == 10
    monkeypatch.setattr(matroids, "MAX_LISTED_SETS", 15)
    with pytest.raises(ValueError, match="more than 15 candidate sets of 5 items"):
        list(independent_sets(Uniform(5, 2)))
    assert n_independent(Uniform(5, 2)) == 16  # counted, not listed
    assert Uniform(3, 3).rank == 3
    assert Partition(((0, 1),), (2,)).rank == 2


# Set functions ----------------------------------------------------------------------------------------------------------

SCORES = ((3, 1, 0, "1/2"), (0, 2, 2, 1))


def coverage_value(s: Items) -> Fraction:
    return sum((w for p, w in (({0, 1}, F(2)), ({2}, F(1, 3)), ({1, 3, 0}, F(5))) if s & p), F(0))


def facility_value(s: Items) -> Fraction:
    return sum(
        (w * max((F(row[j]) for j in s), default=F(0)) for row, w in zip(SCORES, (F(1), F(3)), strict=True)), F(0)
    )


def spread_value(s: Items) -> Fraction:
    """Blocks {0, 3}, {1} of masses 1 and 3; groups {2}, {4} of densities 1/3 and 1/2."""
    missed = (F(0) if s & {0, 3} else F(1, 4)) + (F(0) if s & {1} else F(3, 4))
    return 1 - missed * (F(2, 3) if s & {2} else 1) * (F(1, 2) if s & {4} else 1)


FUNCTIONS: dict[str, tuple[Any, Callable[[Items], Fraction]]] = {
    "modular": (Modular((1, "1/2", 3)), lambda s: sum((F(w) for e, w in enumerate((1, F(1, 2), 3)) if e in s), F(0))),
    "coverage": (Coverage(((0, 1), (2,), (1, 3, 0)), 4, (2, "1/3", 5)), coverage_value),
    "counting": (Coverage(((0, 1), (1,)), 3), lambda s: F(bool(s & {0, 1})) + F(bool(s & {1}))),
    "facility": (FacilityLocation(SCORES, (1, 3)), facility_value),
    "capped": (
        Capped((1, 2, "1/2"), 2),
        lambda s: min(F(2), sum((F(w) for e, w in enumerate((1, 2, F(1, 2))) if e in s), F(0))),
    ),
    "rank": (
        WeightedRank(Partition(((0, 1), (2, 3)), (1, 1)), (3, 1, 2, 5)),
        lambda s: F(
            max((w for e, w in ((0, 3), (1, 1)) if e in s), default=0)
            + max((w for e, w in ((2, 2), (3, 5)) if e in s), default=0)
        ),
    ),
    "table": (Table((0, 1, 2, "5/2")), lambda s: {0: F(0), 1: F(1), 2: F(2), 3: F(5, 2)}[sum(1 << e for e in s)]),
    "mixture": (
        Mixture((Coverage(((0, 1), (2,), (1, 3, 0)), 4, (2, "1/3", 5)), FacilityLocation(SCORES, (1, 3))), ("1/2", 3)),
        lambda s: coverage_value(s) / 2 + 3 * facility_value(s),
    ),
    "spread": (IndependentCoverage(((0, 3), (1,)), ((2,), (4,)), ("1/3", "1/2"), (1, 3)), spread_value),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("many", [False, True])
def test_values_extensions_and_gradients_are_sums_over_all_sets(name: str, many: bool) -> None:
    f, value = FUNCTIONS[name]
    n = f.n_items
    table = [value(s) for s in subsets(n)]
    assert [F(f.value(s)) for s in subsets(n)] == table
    count = set_functions.FEW + 3 if many else 3
    points = [[F((3 * e + 2 * k) % 7, 6) if (e + k) % 4 else F(k % 2) for e in range(n)] for k in range(count)]

    def extension(x: Sequence[Fraction]) -> Fraction:
        return sum(
            (
                v * math.prod(x[e] if e in s else 1 - x[e] for e in range(n))
                for v, s in zip(table, subsets(n), strict=True)
            ),
            F(0),
        )

    slopes = [
        [
            extension([F(1) if j == e else v for j, v in enumerate(x)])
            - extension([F(0) if j == e else v for j, v in enumerate(x)])
            for e in range(n)
        ]
        for x in points
    ]
    at = exact(points)
    assert [F(as_number(v)) for v in f.extension(at)] == [extension(x) for x in points]
    assert [[F(as_number(v)) for v in row] for row in f.gradient(at)] == slopes
    floats = np.array([[float(v) for v in row] for row in points])
    np.testing.assert_allclose(f.extension(floats), [float(extension(x)) for x in points], rtol=1e-12)
    np.testing.assert_allclose(f.gradient(floats), [[float(v) for v in row] for row in slopes], rtol=1e-12, atol=1e-14)
    single = f.gradient(floats[0])
    assert single.shape == (n,)
    np.testing.assert_array_equal(single, f.gradient(floats[:1])[0])
    np.testing.assert_array_equal(f.gradient(floats)[0], single)  # the same floats alone and among others
    assert f.extension(floats.reshape(1, count, n)).shape == (1, count)
    assert submodularity_violation(f) is None


def test_helpers_of_extensions() -> None:
    assert products_of_others([2, 3, 5]) == [15, 10, 6]
    assert products_of_others([7]) == [1]
    assert products_of_others([]) == []
    assert products_of_others([0, 3, 0]) == [0, 0, 0]
    assert products_of_others([0, 3, 2]) == [6, 0, 0]
    x = np.array([[0.25, 0.5]])
    table = np.array([[[1.0, 2.0], [3.0, 5.0]]])  # last axis: the first item
    expected = sum(table[0, b, a] * (0.25 if a else 0.75) * 0.5 for a in (0, 1) for b in (0, 1))
    assert average_over_items(table, x, (0, 1)).tolist() == [expected]
    doubled = by_coordinates(lambda p: [2 * v for v in p], np.arange(6.0).reshape(3, 2))
    assert doubled.tolist() == (2 * np.arange(6.0).reshape(3, 2)).tolist()
    for values in (
        set_functions.CachedNumbers((1, F(1, 2))).like(x),
        set_functions.CachedNumbers((1,)).like(exact([[1]])),
    ):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 3
    assert as_kind_of((1, F(1, 2)), x).tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Table((0,)), r"expected 2\^n values"),
        (lambda: Table((0, 1, 2)), r"expected 2\^n values"),
        (lambda: Table((1, 1)), "that of the empty set 0"),
        (lambda: Modular((1, -1)), "weights must be nonnegative"),
        (lambda: Coverage(((0,),), 2, (1, 2)), "weights"),
        (lambda: Coverage(((0,),), 2, (-1,)), "weights must be nonnegative"),
        (lambda: Coverage(((2,),), 2), "point covered by"),
        (lambda: FacilityLocation(((1, 2), (1,))), "a score for every item"),
        (lambda: FacilityLocation(((1, -2),)), "scores and weights must be nonnegative"),
        (lambda: FacilityLocation(((1, 2),), (-1,)), "scores and weights must be nonnegative"),
        (lambda: FacilityLocation(((1, 2),), (1, 1)), "weights"),
        (lambda: Capped((1,), -1), "weights and cap must be nonnegative"),
        (lambda: Capped((-1,), 1), "weights and cap must be nonnegative"),
        (lambda: WeightedRank(Uniform(2, 1), (1,)), "1 weights for 2 items"),
        (lambda: WeightedRank(Uniform(2, 1), (1, -1)), "weights must be nonnegative"),
        (lambda: Mixture((Modular((1,)), Modular((1, 2)))), "must have the same items"),
        (lambda: Mixture((Modular((1,)),), (1, 2)), "weights"),
        (lambda: Mixture((Modular((1,)),), (-1,)), "weights must be nonnegative"),
        (lambda: Capped((1,) * 17, 1).table, "17 items: a table of all sets holds at most 16"),
        (lambda: IndependentCoverage(((0,),), ((1,),), ("3/2",)), r"densities must lie in \[0, 1\]"),
        (lambda: IndependentCoverage(((0,),), ((1,),), (-1,)), r"densities must lie in \[0, 1\]"),
        (lambda: IndependentCoverage(((0,), (2,)), ((1,),), (1,), (1, -1)), "masses must be nonnegative, not all 0"),
        (lambda: IndependentCoverage(((0,),), ((1,),), (1,), (0,)), "not all 0"),
        (lambda: IndependentCoverage(((0,),), ((1,),), (1, 1)), "densities"),
        (lambda: IndependentCoverage(((0,),), ((1,),), (1,), (1, 1)), "masses"),
        (lambda: IndependentCoverage(((0,),), ((2,),), (1,)), "2"),
    ],
)
def test_what_is_no_set_function_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_edges_of_what_is_allowed() -> None:
    assert len(Capped((1,) * 16, 3).table) == 1 << 16
    whole = IndependentCoverage(((0,),), ((1,), (2,)), 1)
    assert whole.densities == (1, 1)
    assert whole.value(frozenset({1})) == 1
    assert IndependentCoverage(((0,),), ((1,),), 0).value(frozenset({1})) == 0
    assert Modular((0, 0)).value(frozenset({0})) == 0
    assert Mixture(Modular((1,))).functions == (Modular((1,)),)
    assert FacilityLocation(((2, 2, 3),))._sorted == ((2, 0, 1),)
    assert TableLess().extension(np.zeros((1, 1))).tolist() == [0.0]
    with pytest.raises(NotImplementedError):
        set_functions.TableFunction.value(TableLess(), frozenset())


@dataclass(frozen=True)
class TableLess(set_functions.TableFunction):
    n_items: int = 1

    def value(self, items: Items) -> int:
        return len(items)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_table_is_monotone_and_submodular_or_says_why(n: int) -> None:
    """All small tables, against the definition with marginal gains of any two nested sets."""
    for values in (
        itertools.product(range(3), repeat=(1 << n) - 1)
        if n < 3
        else itertools.product((1, 2), (1, 2), (2, 3), (1, 2), (2, 3), (2, 3), (2, 3, 4))
    ):
        table = (0, *values)
        f = [table[sum(1 << e for e in s)] for s in subsets(n)]
        value = dict(zip(subsets(n), f, strict=True))
        good = all(
            0 <= value[t | {e}] - value[t] <= value[s | {e}] - value[s]
            for s in subsets(n)
            for t in subsets(n)
            if s <= t
            for e in range(n)
            if e not in t
        )
        reason = table_violation(Table(table))
        assert (reason is None) == good, table
        assert submodularity_violation(Table(table)) == reason


def test_violations_name_the_items() -> None:
    assert table_violation(Table((0, 1, 1, 0))) == "its value falls when item 0 joins all others"
    assert table_violation(Table((0, 0, 0, 1))) == "items 0 and 1 gain more together on top of the set 0 (bits)"
    worse = (0, 2, 2, 3, 2, 3, 3, 5)  # 1 + 1 < 2 on top of each single item
    assert str(table_violation(Table(worse))).endswith("on top of the set 1 (bits)")


# Checks of a user's -----------------------------------------------------------------------------------------------------


class Mine:
    """A user's function of three items: min(2, size) by its table, unless it is told otherwise."""

    n_items = 3

    def __init__(self, **changed: Any) -> None:
        self.true = Capped((1, 1, 1), 2)
        self.changed = changed

    def value(self, items: Items) -> Any:
        return self.changed.get("value", self.true.value)(items)

    def extension(self, x: np.ndarray) -> Any:
        return self.changed.get("extension", self.true.extension)(x)

    def gradient(self, x: np.ndarray) -> Any:
        return self.changed.get("gradient", self.true.gradient)(x)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, None),
        ({"value": lambda s: len(s) ** 2}, "gain more together"),
        ({"value": lambda s: 1}, "the value of the empty set is not 0"),
        ({"value": lambda s: -len(s)}, "its value falls"),
        ({"extension": lambda x: x.sum(axis=-1)}, "Mine.extension disagrees with its values"),
        ({"gradient": lambda x: x}, "Mine.gradient disagrees with its values"),
        ({"extension": lambda x: x}, r"Mine.extension returned shape (5, 3), expected (5,)"),
        (
            {"extension": lambda x: Capped((1, 1, 1), 2).extension(x) + (1e-6 if x.dtype == float else 0)},
            "Mine.extension",
        ),
        ({"extension": lambda x: Capped((1, 1, 1), 2).extension(x) + (1e-12 if x.dtype == float else 0)}, None),
        (
            {"gradient": lambda x: Capped((1, 1, 1), 2).gradient(x) + (fmpq(1, 10**12) if x.dtype == object else 0)},
            "Mine.gradient",
        ),
    ],
)
def test_a_users_function_is_checked_set_by_set(changed: dict[str, Any], words: str | None) -> None:
    found = submodularity_violation(Mine(**changed))
    assert found == words if words is None else words in str(found)
    inside = submodularity_violation(Mixture((Capped((1, 1, 1), 2), Mine(**changed))))
    assert inside == found


def test_sizes_of_what_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_checks, "MAX_ENUMERATED_ITEMS", 2)
    assert submodularity_violation(Mine()) == "a Mine of 3 items can't be checked set by set: at most 2 items"
    assert "can't be checked set by set" in str(matroid_violation(own_matroid(lambda s: True, 3)))
    assert submodularity_violation(WeightedRank(own_matroid(lambda s: True, 3), (1, 1, 1))) is not None
    monkeypatch.setattr(set_checks, "MAX_ENUMERATED_ITEMS", 3)
    assert submodularity_violation(Mine()) is None
    assert matroid_violation(own_matroid(lambda s: True, 3)) is None


def own_matroid(independent: Callable[[Items], bool], rank: int, n: int = 3) -> Any:
    return SimpleNamespace(n_items=n, rank=rank, independent=independent)


@pytest.mark.parametrize(
    ("independent", "rank", "words"),
    [
        (lambda s: len(s) <= 2, 2, None),
        (lambda s: len(s) <= 2, 3, "its rank is 2, not 3"),
        (lambda s: len(s) <= 2, 1, "its rank is 2, not 1"),
        (lambda s: s != {0}, 3, "is independent, but not all of its subsets are"),
        (lambda s: s in (set(), {0}, {1}, {2}, {0, 1}), 2, "it is not a matroid: its rank is not submodular"),
        (lambda s: s in (set(), {0}), 1, None),
        (lambda s: s == set(), 0, None),
    ],
)
def test_a_users_matroid_is_checked_set_by_set(independent: Any, rank: int, words: str | None) -> None:
    found = matroid_violation(own_matroid(independent, rank))
    assert found == words if words is None else words in str(found)


# Optima -----------------------------------------------------------------------------------------------------------------

PARTS = (
    Coverage(((0, 1), (2,), (1, 3, 0)), 4, (2, "1/3", 5)),
    FacilityLocation(SCORES, (1, 3)),
    Modular((1, 0, "1/2", 2)),
)
WEIGHTS = (F(1, 2), F(1, 3), F(1, 6))


@pytest.mark.parametrize(
    "matroid", [Uniform(4, 1), Uniform(4, 2), Partition(((0, 1), (2, 3)), (1, 1)), Partition(((0, 3, 1), (2,)), (2, 1))]
)
@pytest.mark.parametrize(
    "functions", [PARTS, (*PARTS[:2], Mixture(PARTS[::2], (2, 1))), (PARTS[0], Capped((1, 2, 3, 1), 3), PARTS[2])]
)
def test_optima_are_those_of_all_independent_sets(
    matroid: Any, functions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def value(s: Items) -> Fraction:
        return sum((w * F(f.value(s)) for f, w in zip(functions, WEIGHTS, strict=True)), F(0))

    every = [s for s in subsets(4) if matroid.independent(s)]
    most = max(map(value, every))
    assert [weighted_value(functions, WEIGHTS, s) for s in every] == [value(s) for s in every]
    for batch in (1, 2, 4096):
        monkeypatch.setattr(set_optimum, "BATCH", batch)
        found, items = optimum_by_enumeration(functions, WEIGHTS, matroid)
        assert found == most == value(items)
        assert items in every
    assert optimum(functions, WEIGHTS, matroid) == most
    greedy = greedy_set(functions, WEIGHTS, matroid)
    chosen: Items = frozenset()
    for _ in range(matroid.rank):
        able = [e for e in range(4) if e not in chosen and matroid.independent(chosen | {e})]
        chosen |= {max(able, key=lambda e: (value(chosen | {e}), -e))}
    assert greedy == chosen
    if not any(isinstance(f, Capped) for f in functions):
        unit, scores = integer_scores(functions, WEIGHTS, 4)
        same = [s for s in every if len(s) == matroid.rank]
        assert [F(int(v), unit) for v in score_sets(scores, same)] == [value(s) for s in same]
        ball, items = optimum_by_milp(functions, WEIGHTS, matroid)
        assert ball.contains(fmpq(most.numerator, most.denominator))
        assert float(ball.rad()) < 1e-3
        assert value(items) == most
        monkeypatch.setattr(set_optimum, "MAX_LISTED_VALUES", 0)
        again = optimum(functions, WEIGHTS, matroid)
        if value(greedy) == value(frozenset(range(4))):
            assert again == most
        else:
            assert isinstance(again, arb)
            assert again.contains(fmpq(most.numerator, most.denominator))


def test_scores_too_large_for_integers_of_the_machine_stay_exact() -> None:
    small = integer_scores((Modular((2**62, 1)),), (F(1),), 2)[1]
    large = integer_scores((Modular((2**62, 2**62)),), (F(1),), 2)[1]
    assert small.dtype == np.int64
    assert large.dtype == object
    assert score_sets(large, [frozenset({0, 1})]).tolist() == [2**63]
    edge = integer_scores((Modular((2**62, 2**62 - 1)),), (F(1),), 2)[1]
    assert edge.dtype == np.int64


def test_enumeration_is_limited_by_values(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*given: Any) -> Any:
        raise AssertionError("not by a program")

    monkeypatch.setattr(set_optimum, "MAX_LISTED_VALUES", 18)  # 6 bases, 3 functions
    monkeypatch.setattr(set_optimum, "optimum_by_milp", forbidden)
    assert optimum(PARTS, WEIGHTS, Uniform(4, 2)) > 0
    monkeypatch.setattr(set_optimum, "MAX_LISTED_VALUES", 17)
    with pytest.raises(AssertionError):
        optimum(PARTS, WEIGHTS, Uniform(4, 2))


@pytest.mark.parametrize(
    ("functions", "matroid", "words"),
    [
        ((Capped((1, 2), 2),), Uniform(2, 1), "Capped has no linear program"),
        ((Modular((1, 2)),), Graphic(((0, 1), (0, 1))), "Graphic has no linear program"),
    ],
)
def test_what_has_no_program_is_named(functions: Any, matroid: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        optimum_by_milp(functions, (F(1),), matroid)
    assert optimum_by_milp((Modular((0, 0)),), (F(1),), Uniform(2, 1)) == (0, frozenset())


# Kernels ----------------------------------------------------------------------------------------------------------------

ROWS = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1], [0, 0, 0, 1]])


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], ROWS[1:2], ROWS[:0]])
def test_coverage_kernels_are_the_extension_of_coverage(rows: np.ndarray) -> None:
    indptr, indices = memberships(rows)
    assert indptr.tolist() == [0, *np.cumsum(rows.sum(axis=1)).tolist()]
    x, weights = np.array([0.25, 1.0, 0.5, 0.0]), np.array([0.5, 2.0, 3.0, 0.25])[: len(rows)]
    value = sum(w * (1 - math.prod(1 - x[e] for e in np.nonzero(row)[0])) for row, w in zip(rows, weights, strict=True))
    slopes = [[math.prod(1 - x[b] for b in np.nonzero(row)[0] if b != a) for a in np.nonzero(row)[0]] for row in rows]
    gradient = np.zeros(4)
    for row, own, w in zip(rows, slopes, weights, strict=True):
        gradient[np.nonzero(row)[0]] += w * np.array(own)
    flat = [v for own in slopes for v in own]
    for found in (coverage_extension(indptr, indices, weights, x), reference_extension(indptr, indices, weights, x)):
        assert found[0] == pytest.approx(value)
        np.testing.assert_allclose(found[1], gradient, atol=1e-15)
    for parts in (coverage_client_gradients(indptr, indices, x), reference_client_gradients(indptr, indices, x)):
        np.testing.assert_allclose(parts, flat, atol=1e-15)
    plain_slopes, plain_gradient = np.zeros(8), np.zeros(4)
    python = getattr(coverage_kernels._extension, "py_func", coverage_kernels._extension)
    assert python(indptr, indices, weights, x, plain_slopes, plain_gradient) == pytest.approx(value)
    np.testing.assert_allclose(plain_gradient, gradient, atol=1e-15)
    each = np.empty(len(indices))
    getattr(coverage_kernels._client_gradients, "py_func", coverage_kernels._client_gradients)(indptr, indices, x, each)
    np.testing.assert_allclose(each, flat, atol=1e-15)


@pytest.mark.parametrize(
    ("indptr", "indices", "x", "words"),
    [
        ([], [], [0.5], "indptr must rise from 0"),
        ([1, 1], [0], [0.5], "indptr must rise from 0"),
        ([0, 2], [0], [0.5], "indptr must rise from 0"),
        ([0, 2, 1], [0], [0.5], "indptr must rise from 0"),
        ([0, 1], [1], [0.5], r"memberships must name items 0\.\.0"),
        ([0, 1], [-1], [0.5], r"memberships must name items 0\.\.0"),
        ([[0, 1]], [0], [0.5], "one-dimensional"),
        ([0, 1], [[0]], [0.5], "one-dimensional"),
        ([0, 1], [0], [[0.5]], "one-dimensional"),
    ],
)
def test_arrays_of_compiled_code_are_checked(indptr: Any, indices: Any, x: Any, words: str) -> None:
    for call in (
        lambda: coverage_client_gradients(indptr, indices, x),
        lambda: coverage_extension(indptr, indices, np.ones(1), x),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_weights_are_one_for_every_client() -> None:
    with pytest.raises(ValueError, match=r"weights must be \(1,\), not \(2,\)"):
        coverage_extension([0, 1], [0], np.ones(2), [0.5])
    assert coverage_client_gradients([0], [], [0.5]).shape == (0,)


def test_extensions_of_tables_by_all_sets() -> None:
    f, value = FUNCTIONS["facility"]
    sets = all_subsets(4)
    assert sets.shape == (16, 4)
    assert [sum(1 << e for e in np.nonzero(row)[0].tolist()) for row in sets] == list(range(16))
    values = np.array([float(value(frozenset(np.nonzero(row)[0].tolist()))) for row in sets])
    x = np.array([0.25, 0.5, 0.75, 0.1])
    assert extension_by_sets(values, x) == pytest.approx(float(f.extension(x)))
    np.testing.assert_allclose(gradient_by_sets(values, x), f.gradient(x))
    uniforms = np.array([[0.2, 0.6, 0.7, 0.05], [0.25, 0.1, 0.9, 0.5]])
    drawn = [frozenset({0, 2, 3}), frozenset({1})]  # 1/4 itself is not below 1/4
    expected = [sum(float(value(s | {e}) - value(s - {e})) for s in drawn) / 2 for e in range(4)]
    found = sampled_gradient(
        lambda rows: np.array([float(value(frozenset(np.nonzero(r)[0].tolist()))) for r in rows]), x, uniforms
    )
    np.testing.assert_allclose(found, expected)
    for wrong in (np.zeros(4), np.zeros((0, 4)), np.zeros((2, 3))):
        with pytest.raises(ValueError, match=r"uniforms must be \(samples, 4\) with a sample at least"):
            sampled_gradient(lambda rows: rows.sum(axis=1), x, wrong)


# Clients ----------------------------------------------------------------------------------------------------------------

TWO = (Coverage(((0, 1), (2,)), 3), Modular((1, 2, 3)))


def test_clients_of_set_functions() -> None:
    own = SubmodularClients(TWO, Uniform(3, 2), (1, 3), ((2, 1, 0), (0, 2, 1)))
    assert (own.n_clients, own.dim, own.start) == (2, 3, (0, 0, 0))
    assert own.weights == (F(1, 4), F(3, 4))
    assert own.singletons(0) == (1, 1, 1)
    assert own.singletons(1) == (1, 2, 3)
    assert own.singletons() == (1, F(7, 4), F(5, 2))
    assert [own.order(c) for c in (None, 0, 1)] == [(2, 1, 0), (2, 1, 0), (0, 2, 1)]
    c = own.constants
    assert c[symbols.optimum] == own.optimum == max(own.value(s) for s in subsets(3) if len(s) <= 2)
    assert (c[symbols.rank], c[symbols.n_items], c[symbols.n_clients]) == (2, 3, 2)
    assert (c[symbols.max_singleton], c[symbols.max_client_singleton], c[symbols.least_weight]) == (F(5, 2), 3, F(1, 4))
    assert own.value(frozenset({0, 2})) == F(1, 4) * 2 + F(3, 4) * 4
    plain = SubmodularClients(TWO, Uniform(3, 2))
    assert plain.weights == (F(1, 2), F(1, 2))
    assert plain.order() == plain.order(1) == (0, 1, 2)
    shared = SubmodularClients(TWO, Uniform(3, 2), ties=(2, 0, 1))
    assert shared.order() == shared.order(1) == (2, 0, 1)
    assert SubmodularClients(TWO, Uniform(3, 2), ties=((2, 0, 1),)).ties == (2, 0, 1)
    assert SubmodularClients((Modular((1,)),), Uniform(1, 1), ties=(0,)).ties == ()
    assert SubmodularClients(Modular((1, 2)), Uniform(2, 1)).n_clients == 1


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: SubmodularClients(TWO, Uniform(3, 2), (1,)), "masses"),
        (lambda: SubmodularClients(TWO, Uniform(3, 2), (1, -1)), "masses must be nonnegative, not all 0"),
        (lambda: SubmodularClients(TWO, Uniform(3, 2), (0, 0)), "masses must be nonnegative, not all 0"),
        (lambda: SubmodularClients(TWO, Uniform(4, 2)), "a function of 3 items on a matroid of 4"),
        (lambda: SubmodularClients(TWO, Uniform(3, 2), ties=(0, 1)), "ties: expected the items 0 to 2"),
        (lambda: SubmodularClients(TWO, Uniform(3, 2), ties=((0, 1, 2),) * 3), "ties: expected the items 0 to 2"),
    ],
)
def test_what_are_no_clients_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_smaller_clients_leave_one_out_with_its_mass_and_ties() -> None:
    three = SubmodularClients((*TWO, Modular((0, 1, 0))), Uniform(3, 2), (1, 0, 3), ((2, 1, 0), (0, 2, 1), (1, 0, 2)))
    found = list(three.smaller())
    assert [s.functions for s in found] == [three.functions[1:], three.functions[::2], three.functions[:2]]
    assert [s.masses for s in found] == [(0, 3), (1, 3), (1, 0)]
    assert [s.ties for s in found] == [((0, 2, 1), (1, 0, 2)), ((2, 1, 0), (1, 0, 2)), ((2, 1, 0), (0, 2, 1))]
    assert list(SubmodularClients(TWO[:1], Uniform(3, 2)).smaller()) == []
    light = SubmodularClients(TWO, Uniform(3, 2), (1, 0), (2, 0, 1))
    assert [(s.masses, s.ties) for s in light.smaller()] == [((1,), (2, 0, 1))]  # without the first no mass is left


@pytest.mark.parametrize("kind", ["float", "exact"])
def test_gradients_and_bases_of_clients(kind: str) -> None:
    own = SubmodularClients(TWO, Uniform(3, 2), (1, 3), ((2, 1, 0), (0, 2, 1)))
    x = (
        np.array([[0.5, 0.25, 0.0], [1.0, 0.5, 0.5]])
        if kind == "float"
        else exact([[F(1, 2), F(1, 4), 0], [1, F(1, 2), F(1, 2)]])
    )
    each = [f.gradient(x) for f in TWO]
    for i in (0, 1):
        assert own.gradient(x, i).tolist() == each[i].tolist()
        assert own.gradient(x, np.array([i, 1 - i])).tolist() == [each[i][0].tolist(), each[1 - i][1].tolist()]
    assert own.gradients(x).tolist() == [g.tolist() for g in each]
    weights = as_kind_of(own.weights, x)
    mean = each[0] * weights[0] + each[1] * weights[1]
    assert own.mean_gradient(x).tolist() == mean.tolist()
    assert own.extension(x).tolist() == (TWO[0].extension(x) * weights[0] + TWO[1].extension(x) * weights[1]).tolist()
    flat = x * 0 + 1
    assert own.base(flat).tolist() == [[0, 1, 1]] * 2
    assert own.base(flat, 1).tolist() == [[1, 0, 1]] * 2
    assert own.base(flat, np.array([1, 0])).tolist() == [[1, 0, 1], [0, 1, 1]]
    assert own.base(flat).dtype == x.dtype
    assert SubmodularClients(TWO, Uniform(3, 2)).base(flat, np.array([1, 0])).tolist() == [[1, 1, 0]] * 2
    assert SubmodularClients(TWO, Uniform(3, 2), ties=(2, 0, 1)).base(flat, 1).tolist() == [[1, 0, 1]] * 2
    with separate_meter() as meter:
        own.gradient(x, 0)
    assert meter.spent == pytest.approx(GRADIENT_COST * 2)
    with pytest.raises(TypeError):
        own.gradient(x, np.array([0.0, 1.0]))


def oracle_of(own: SubmodularClients, exact_numbers: bool = False, rows: int = 2) -> SetOracle:
    chance = ScriptedChance([], rows, RATIONAL, False, 100) if exact_numbers else StreamChance(1, np.arange(rows), 0)
    return SetOracle(own, chance)


def test_oracles_of_set_functions() -> None:
    own = SubmodularClients(TWO, Uniform(3, 2), (1, 3), ((2, 1, 0), (0, 2, 1)))
    oracle, x = oracle_of(own, rows=4000), np.full((4000, 3), 0.5)
    drawn = oracle.draw(x, 2)
    assert drawn.shape == (4000, 2)
    assert abs(drawn.mean() - 0.75) < 0.03
    assert oracle.gradient(x, 1)[0].tolist() == [1.0, 2.0, 3.0]
    assert oracle.mean_gradient(x)[:2].tolist() == own.mean_gradient(x)[:2].tolist()
    assert oracle.weights(x).tolist() == [0.25, 0.75]
    assert oracle.base(x, 1)[0].tolist() == [1, 0, 1]
    assert oracle.base(x)[0].tolist() == [0, 1, 1]
    assert abs(oracle.coins(x).mean() - 0.5) < 0.03
    objects = np.array([[F(1, 2)] * 3] * 4000, dtype=object)
    assert oracle.gradient(objects, 0).dtype == float
    assert oracle.mean_gradient(objects).dtype == float
    assert oracle.base(objects).dtype == float
    same = oracle_of(own, exact_numbers=True)
    assert same.mean_gradient(exact([[0, 0, 0]])).dtype == object
    estimate = oracle.estimate(x, 0, 3)
    np.testing.assert_allclose(estimate.mean(axis=0), own.gradient(x[:1], 0)[0], atol=0.03)
    owners = np.arange(4000) % 2
    mixed = oracle.estimate(x, owners, 2)
    np.testing.assert_array_equal(mixed[owners == 1], [[1.0, 2.0, 3.0]] * 2000)
    assert set(np.unique(mixed[owners == 0])) <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda o, x: o.order(), "clients under a matroid have no order"),
        (lambda o, x: o.draw(x, 0), "draw: size 0, expected a positive integer"),
        (lambda o, x: o.draw(x, True), "draw: size True, expected a positive integer"),
        (lambda o, x: o.draw(x, 1.0), "draw: size 1.0, expected a positive integer"),
        (lambda o, x: o.estimate(x, 0, 0), "estimate: n_samples 0, expected a positive integer"),
        (lambda o, x: o.estimate(x, 2, 1), "an estimate was asked of client 2"),
        (lambda o, x: o.gradient(x, 2), "a gradient was asked of client 2"),
        (lambda o, x: o.base(x[:, :2]), r"base: weights of shape \(2, 2\), expected \(rows, 3\)"),
        (lambda o, x: o.base(x[0]), r"base: weights of shape \(3,\)"),
        (lambda o, x: o.base(np.where(x == x.max(), np.nan, x)), "base: a weight is NaN"),
        (lambda o, x: o.base(x, 2), "a gradient was asked of client 2"),
    ],
)
def test_what_can_not_be_asked_of_set_functions(call: Callable[..., object], words: str) -> None:
    with pytest.raises(VariantError, match=words):
        call(oracle_of(SubmodularClients(TWO, Uniform(3, 2))), np.full((2, 3), 0.5))


def test_assumptions_on_clients_of_set_functions() -> None:
    good = SubmodularClients(TWO, Uniform(3, 2))
    assert monotone_submodular.check(Case(good)) is None
    bad = SubmodularClients((TWO[0], Table((0, 0, 0, 1, 0, 1, 1, 3))), Uniform(3, 2))
    assert str(monotone_submodular.check(Case(bad))).startswith("client 1: items")
    matroid = own_matroid(lambda s: len(s) <= 2, 2)
    matroid.rank = 1
    assert monotone_submodular.check(Case(SubmodularClients(TWO, matroid))) == "its rank is 2, not 1"
    other: Any = SimpleNamespace(constants={})
    assert monotone_submodular.check(Case(other)) == "it has no set functions"
    bare: Any = SimpleNamespace(constants={}, functions=TWO)
    assert monotone_submodular.check(Case(bare)) is None

    class Own(SubmodularClients):
        def gradients(self, x: np.ndarray) -> np.ndarray:
            return super().gradients(x) * 2

    assert monotone_submodular.check(Case(Own(TWO, Uniform(3, 2)))) == "Own.gradients disagrees with its values"

    class Claiming(SubmodularClients):
        @property
        def constants(self) -> Any:
            return {**super().constants, symbols.optimum: 100}

    assert (
        client_mismatch(Claiming(TWO, Uniform(3, 2)), good)
        == "Claiming: optimum differ from the values of its functions"
    )

    class More(SubmodularClients):
        @property
        def constants(self) -> Any:
            return {**super().constants, symbols.n_rounds: 1}

    assert "constants differ" in str(client_mismatch(More(TWO, Uniform(3, 2)), good))
    assert client_mismatch(good, good) is None
    assert decomposable._type_mismatch(good) is None
