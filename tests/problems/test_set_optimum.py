"""The optimum: listed against the mixed-integer program, against every independent set, and where neither can be had."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fltheory.model.case import Case
from fltheory.number import Number, to_ball
from fltheory.papers.fedcg.instances.families import clients
from fltheory.problems.decomposable import SubmodularClients, monotone_submodular
from fltheory.problems.sets import matroids, set_optimum
from fltheory.problems.sets.matroids import ByBases, Graphic, Items, Matroid, Partition, Uniform, independent_sets
from fltheory.problems.sets.set_functions import (
    Capped,
    Coverage,
    FacilityLocation,
    Mixture,
    Modular,
    SetFunction,
    Table,
)
from fltheory.symbols import max_client_singleton, max_singleton, optimum, rank


def random_clients(seed: int, unit: Fraction = Fraction(1)) -> SubmodularClients:
    """Coverage, facility location and mixtures of them, under a uniform or a partition matroid."""
    random = np.random.default_rng(seed)
    n, many = int(random.integers(4, 9)), int(random.integers(2, 6))
    functions: list[Any] = []
    for _ in range(many):
        points = [np.nonzero(random.random(n) < 0.4)[0].tolist() or [0] for _ in range(4)]
        cover = Coverage(points, n, [int(v) * unit for v in random.integers(1, 9, 4)])
        scores = FacilityLocation([[int(v) * unit for v in row] for row in random.integers(0, 9, (2, n))])
        functions.append(
            (cover, scores, Mixture((cover, scores, Modular((unit,) * n)), (1, 2, 3)))[int(random.integers(3))]
        )
    half = n // 2
    matroid = Uniform(n, half) if seed % 2 else Partition((range(half), range(half, n)), (1, min(2, n - half)))
    return SubmodularClients(tuple(functions), matroid, [int(v) for v in random.integers(1, 5, many)])


@pytest.mark.parametrize("seed", range(50))
def test_the_program_finds_what_the_list_finds(seed: int) -> None:
    own = random_clients(seed)
    listed, chosen = set_optimum.optimum_by_enumeration(own.functions, own.weights, own.matroid)
    solved, found = set_optimum.optimum_by_milp(own.functions, own.weights, own.matroid)
    assert to_ball(listed) in to_ball(solved)
    assert set_optimum.weighted_value(own.functions, own.weights, found) == listed == own.value(chosen)
    assert float(to_ball(solved).rad()) < 1e-4 * float(listed)
    assert own.matroid.independent(found)


@pytest.mark.parametrize("unit", [Fraction(1, 10**9), Fraction(1, 10**6), Fraction(10**9), Fraction(10) ** 25], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_units_do_not_matter_to_the_program(seed: int, unit: Fraction) -> None:
    own = random_clients(seed, unit)
    listed, _ = set_optimum.optimum_by_enumeration(own.functions, own.weights, own.matroid)
    solved, _ = set_optimum.optimum_by_milp(own.functions, own.weights, own.matroid)
    assert to_ball(listed) in to_ball(solved)
    assert float(to_ball(solved).rad()) < 1e-4 * float(listed)


@pytest.mark.parametrize("unit", [Fraction(1), Fraction(1, 7), Fraction(10) ** 25], ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_scores_of_all_bases_side_by_side_are_their_values(
    seed: int, unit: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = random_clients(seed, unit)
    monkeypatch.setattr(set_optimum, "BATCH", 5)
    listed = list(matroids.bases(own.matroid))
    parts, scores = set_optimum.integer_scores(own.functions, own.weights, own.dim)
    assert scores.dtype == (object if unit > 1 else np.int64)
    assert [Fraction(int(v), parts) for v in set_optimum.score_sets(scores, listed)] == [
        own.value(base) for base in listed
    ]
    first = max(listed, key=own.value)
    assert set_optimum.optimum_by_enumeration(own.functions, own.weights, own.matroid) == (own.value(first), first)


def test_a_function_of_ones_own_is_asked_for_its_values() -> None:
    class Doubled(Modular):
        def value(self, items: Items) -> Number:
            return 2 * super().value(items)

    assert SubmodularClients((Modular((1, 2, 3)), Doubled((1, 2, 3))), Uniform(3, 2)).optimum == Fraction(15, 2)


def test_the_value_of_no_items_is_0() -> None:
    nothing = ByBases(2, ((),))
    assert set_optimum.optimum_by_enumeration((Modular((1, 2)),), (Fraction(1),), nothing) == (0, frozenset())


@given(clients())
def test_no_independent_set_is_better(own: SubmodularClients) -> None:
    values = [own.value(s) for s in independent_sets(own.matroid)]
    assert max(values) == own.constants[optimum]
    largest = max(own.value(frozenset({e})) for e in range(own.dim))
    assert own.constants[max_singleton] == largest <= own.constants[max_client_singleton]
    assert own.constants[rank] == max(len(s) for s in independent_sets(own.matroid))


def test_a_smaller_optimum_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    own = SubmodularClients((Modular((1, 2, 3)),), Uniform(3, 2))
    assert own.optimum == 5
    monkeypatch.setattr(set_optimum, "bases", lambda matroid: iter([frozenset({0, 1})]))
    assert set_optimum.optimum_by_enumeration(own.functions, own.weights, own.matroid)[0] == 3


def test_many_items_go_to_the_program() -> None:
    n = 30
    points = tuple((i, (i + 1) % n) for i in range(n))
    own = SubmodularClients((Coverage(points, n),), Uniform(n, 10))
    assert 20 in to_ball(own.optimum)


@pytest.mark.parametrize(
    ("functions", "matroid", "words"),
    [
        ((Capped((1, 1), 1),), Uniform(2, 1), "Capped has no linear program"),
        ((Modular((1, 1, 1)),), Graphic(((0, 1), (1, 2), (2, 0))), "Graphic has no linear program"),
    ],
)
def test_what_has_no_program_says_so(functions: tuple[SetFunction, ...], matroid: Matroid, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        set_optimum.optimum_by_milp(functions, (Fraction(1),), matroid)


def test_clients_read_weights_as_shares() -> None:
    own = SubmodularClients((Modular((1, 0)), Modular((0, 5))), Uniform(2, 1), (3, 1))
    assert own.weights == (Fraction(3, 4), Fraction(1, 4))
    assert own.value(frozenset({0, 1})) == 2
    assert eval(repr(own)) == own


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: SubmodularClients((Modular((1, 1)),), Uniform(3, 1)), "2 items on a matroid of 3"),
        (lambda: SubmodularClients((Modular((1, 1)),), Uniform(2, 1), (0,)), "not all 0"),
        (lambda: SubmodularClients((Modular((1, 1)),), Uniform(2, 1), (1, 2)), "same length"),
        (lambda: SubmodularClients((Modular((1, 1)),), Uniform(2, 1), ties=(0, 0)), "different integers"),
        (lambda: SubmodularClients((Modular((1, 1)),) * 3, Uniform(2, 1), ties=((0, 1), (1, 0))), "for every client"),
    ],
)
def test_bad_clients_are_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_tables_are_checked_and_not_believed() -> None:
    bad = SubmodularClients((Modular((1, 1)), Mixture((Table((0, 1, 1, 3)),))), Uniform(2, 1))
    assert "client 1" in (monotone_submodular.check(Case(bad)) or "")
    good = SubmodularClients((Table((0, 1, 1, 2)),), Uniform(2, 1))
    assert monotone_submodular.check(Case(good)) is None
