"""Submodular functions that are not monotone, and knapsacks: the optimum over all sets, what is assumed, and refusals."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from fltheory.model.case import Case
from fltheory.problems.decomposable import (
    SubmodularClients,
    monotone,
    monotone_submodular,
    nonnegative,
    submodular,
    unconstrained,
)
from fltheory.problems.sets.constraints import Knapsack
from fltheory.problems.sets.cuts import Cut
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage, Mixture, Modular, Table
from fltheory.runs.method import VariantError
from fltheory.symbols import optimum, rank

STAR = Cut(((0, 1), (0, 2), (1, 0)), 3, (2, 1, "1/2"))


def all_sets(n: int) -> Any:
    return map(frozenset, chain.from_iterable(combinations(range(n), k) for k in range(n + 1)))


def case(function: Any, constraint: Any = None) -> Case:
    return Case(SubmodularClients(function, constraint or Uniform(function.n_items, function.n_items)), n_rounds=1)


@pytest.mark.parametrize("seed", range(5))
def test_a_cut_is_its_table(seed: int) -> None:
    rng = random.Random(seed)
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    one = Cut(tuple(pairs), 4, tuple(Fraction(rng.randint(0, 5), 2) for _ in pairs))
    table = Table([one.value(frozenset(e for e in range(4) if s >> e & 1)) for s in range(16)])
    x = np.array([[fmpq(rng.randint(0, 4), 4) for _ in range(4)] for _ in range(20)], dtype=object)
    for points in (x, x[:2], x.astype(float)):
        assert np.allclose((one.extension(points) - table.extension(points)).astype(float), 0)
        assert np.allclose((one.gradient(points) - table.gradient(points)).astype(float), 0)
    assert (one.gradient(x) == table.gradient(x)).all()
    assert submodular.check(case(table)) is None


def test_what_is_assumed_of_functions() -> None:
    assert STAR.value(frozenset({0})) == 3
    assert STAR.value(frozenset({0, 1})) == 1
    for one in (STAR, Mixture((STAR, Modular((1, 1, 1)))), Table((0, 3, 2, 1))):
        assert submodular.check(case(one)) is None
        assert nonnegative.check(case(one)) is None
    assert (
        submodular.check(case(Table((0, 1, 1, 3))))
        == "client 0: items 0 and 1 gain more together on top of the set 0 (bits)"
    )
    assert nonnegative.check(case(Table((0, 1, -1, 0)))) == "client 0: its value is negative on the set 10 (bits)"
    assert monotone.check(case(Table((0, 2, 1, 1)))) == "client 0: its value falls when item 1 joins the set 1 (bits)"
    assert monotone.check(case(Coverage(((0, 1),), 2))) is None
    assert "its value falls when item" in str(monotone_submodular.check(case(STAR)))
    assert "its value falls when item" in str(monotone.check(case(Mixture((Modular((1, 1, 1)), STAR)))))
    assert monotone_submodular.check(case(Modular((1, 2)))) is None


def test_what_is_allowed() -> None:
    assert unconstrained.check(case(STAR)) is None
    assert unconstrained.check(case(STAR, Uniform(3, 2))) == "some sets are not allowed"
    assert unconstrained.check(case(Modular((1, 2)), Knapsack((1, 1), 2))) is None
    knapsack = Knapsack((1, "1/2", "1/2", 3), "3/2")
    allowed = [s for s in all_sets(4) if knapsack.independent(s)]
    assert len(allowed) == 7
    assert frozenset({0, 1}) in allowed
    assert knapsack.rank == max(map(len, allowed)) == 2
    assert Knapsack((2,)).rank == 0


@pytest.mark.parametrize("seed", range(10))
def test_the_optimum_is_over_all_allowed_sets(seed: int) -> None:
    rng = random.Random(seed)
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    cut = Cut(tuple(pairs), 4, tuple(rng.randint(0, 4) for _ in pairs))
    weights = Modular(tuple(rng.randint(0, 9) for _ in range(4)))
    knapsack = Knapsack(tuple(Fraction(rng.randint(1, 9), 9) for _ in range(4)))
    for function in (cut, weights, Mixture((cut, weights), (2, "1/3"))):
        for constraint in (knapsack, Uniform(4, 4), Uniform(4, 2)):
            own = case(function, constraint)
            values = [own.instance.value(s) for s in all_sets(4) if constraint.independent(s)]
            assert own.constants[optimum] == max(values)
            assert own.constants[rank] == constraint.rank


def test_the_largest_set_may_be_worse() -> None:
    """Where only bases are listed, the whole ground set would be the only one."""
    assert case(STAR).constants[optimum] == 3
    assert STAR.value(frozenset(range(3))) == 0


def test_bad_input_is_refused() -> None:
    for costs in ((), (0,), (-1, 1)):
        with pytest.raises(ValueError, match="costs must be positive rationals, one for every item"):
            Knapsack(costs)
    with pytest.raises(ValueError, match="budget must be a nonnegative rational, got -1"):
        Knapsack((1,), -1)
    with pytest.raises(ValueError, match=r"arc \(0, 3\): expected two different items from 0 to 2"):
        Cut(((0, 3),), 3)
    with pytest.raises(ValueError, match="weights must be nonnegative"):
        Cut(((0, 1),), 3, (-1,))
    with pytest.raises(VariantError, match="a knapsack has no bases"):
        case(Modular((1, 2)), Knapsack((1, 1))).instance.base(np.ones((1, 2)))
    with pytest.raises(ValueError, match="too many to list"):
        _ = SubmodularClients(Cut((), 30), Uniform(30, 30)).optimum
