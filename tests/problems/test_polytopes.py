"""Membership in a matroid's polytope, against the inequalities of all sets, and what is told of a point outside."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import pytest

from fltheory.number import RATIONAL, Number
from fltheory.papers.fedcg.instances.polytopes import independence_violation, polytope_violation, rank_inequalities
from fltheory.problems.sets.matroids import ByBases, Graphic, Matroid, Partition, Uniform, in_polytope
from fltheory.runs.method import NotEnumerable

TRIANGLE = Graphic(((0, 1), (1, 2), (0, 2), (2, 3)))
DOUBLE = Graphic(((0, 1), (0, 1), (1, 2), (0, 2), (2, 3)))  # two parallel edges
LOOPED = ByBases(3, ((0,), (2,)))  # item 1 is in no base
MATROIDS = [
    Uniform(4, 2),
    Uniform(3, 1),
    Uniform(3, 3),
    Partition(((0, 1), (2, 3, 4)), (1, 2)),
    TRIANGLE,
    DOUBLE,
    LOOPED,
]


def exact(*rows: Sequence[Number]) -> np.ndarray:
    found = np.empty((len(rows), len(rows[0])), dtype=object)
    found[:] = [[RATIONAL.scalar(Fraction(v)) for v in row] for row in rows]
    return found


@pytest.mark.parametrize("matroid", MATROIDS, ids=repr)
def test_a_point_is_outside_where_an_inequality_of_some_set_fails(matroid: Matroid) -> None:
    random, inside = Random(1), 0
    for _ in range(300):
        top = random.choice((2, 4, 8))
        row = [Fraction(random.randint(-1 if random.random() < 0.1 else 0, top), 4) for _ in range(matroid.n_items)]
        good = in_polytope(matroid, exact(row)[0])
        inside += good
        assert (polytope_violation(matroid, exact(row)) is None) == good, row
        assert (polytope_violation(matroid, np.array([[float(v) for v in row]])) is None) == good, row
    assert 0 < inside < 300


@pytest.mark.parametrize("matroid", MATROIDS, ids=repr)
def test_a_set_is_dependent_where_the_matroid_says_so(matroid: Matroid) -> None:
    n = matroid.n_items
    for k in range(n + 1):
        for items in combinations(range(n), k):
            row = [int(e in items) for e in range(n)]
            good = matroid.independent(frozenset(items))
            assert (independence_violation(matroid, exact(row)) is None) == good
            assert (polytope_violation(matroid, exact(row)) is None) == good  # its vertices are the independent sets
            assert (independence_violation(matroid, np.array([row], dtype=float)) is None) == good


def test_what_is_told_names_the_place() -> None:
    assert polytope_violation(Uniform(3, 1), exact((0, 0, 0), (1, 1, 1))) == "x(0) + x(1) + x(2) = 3 > rank 1"
    assert polytope_violation(Uniform(3, 2), exact(("5/4", 0, 0))) == "x(0) = 5/4 > rank 1"
    assert polytope_violation(Uniform(3, 2), np.array([[0.5, -0.25, 0]])) == "x(1) = -0.25 < 0"
    assert polytope_violation(TRIANGLE, exact(("3/4", "3/4", "3/4", 0))) == "x(0) + x(1) + x(2) = 9/4 > rank 2"
    assert polytope_violation(LOOPED, exact((0, "1/9", 0))) == "x(1) = 1/9 > rank 0"
    assert polytope_violation(Uniform(9, 1), exact((1,) * 9)) == "x(0) + x(1) + ... + x(8) = 9 > rank 1"
    assert polytope_violation(Uniform(2, 1), exact((4, 4)), RATIONAL.scalar(5)) == "x(0) + x(1) = 8 > rank 1 times 5"
    assert (
        independence_violation(Uniform(3, 2), exact((1, 1, 1))) == "the set [0, 1, 2] is not independent: its rank is 2"
    )
    assert independence_violation(Uniform(3, 2), np.array([[1.0, 0.5, 0]])) == "x(1) = 0.5 is neither 0 nor 1"


def test_floats_may_round_and_rationals_may_not() -> None:
    beyond = Fraction(1, 10**12)
    assert polytope_violation(Uniform(2, 1), exact(("1/2", Fraction(1, 2) + beyond))) is not None
    assert polytope_violation(Uniform(2, 1), exact((1, -beyond))) is not None
    assert polytope_violation(Uniform(2, 1), np.array([[0.5, 0.5 + 1e-12]])) is None
    assert polytope_violation(Uniform(2, 1), np.array([[0.5, 0.5 + 1e-7]])) is not None
    assert polytope_violation(Uniform(2, 1), np.array([[np.inf, 0.0]])) is not None


def test_too_many_faces_are_said() -> None:
    edges = [(i, j) for i in range(9) for j in range(i)]  # Bell(9) = 21147 flats
    with pytest.raises(NotEnumerable, match="more than 4096 faces"):
        rank_inequalities(Graphic(edges))
