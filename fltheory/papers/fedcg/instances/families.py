"""Hypothesis strategies for monotone submodular functions, matroids, clients and points, from which ``falsify`` draws.

Functions come from all families, and from the polytope of *all* monotone submodular functions with
f(all items) = 1: a linear program in floats proposes a vertex, and the inequalities in rationals verify it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import ByBases, Graphic, Matroid, Partition, Uniform
from fltheory.problems.sets.set_functions import (
    Capped,
    Coverage,
    FacilityLocation,
    Mixture,
    Modular,
    Table,
    WeightedRank,
    table_violation,
)
from fltheory.problems.strategies import log_uniform_positive

LARGEST_VERTEX = 4  # largest number of items of functions found by a linear program
weights = st.one_of(st.integers(0, 3).map(Fraction), log_uniform_positive(1e-2, 10))
SQUARE = Graphic(((0, 1), (1, 2), (2, 3), (3, 0)))
TRIANGLE_AND_EDGE = Graphic(((0, 1), (1, 2), (2, 0), (2, 3)))
PAVED = ByBases(4, ((0, 2), (0, 3), (1, 2), (1, 3), (2, 3)))  # all pairs but one
FIXED = (Graphic(((0, 1), (1, 2), (2, 0))), SQUARE, TRIANGLE_AND_EDGE, PAVED)


def _list(draw: st.DrawFn, values: st.SearchStrategy, n: int) -> list[Any]:
    return draw(st.lists(values, min_size=n, max_size=n))


# Matroids ---------------------------------------------------------------------------------------------------------------


@st.composite
def partitions(draw: st.DrawFn, n: int) -> Partition:
    """Draw partition matroids on n items."""
    labels = _list(draw, st.integers(0, 2), n)
    parts = [[e for e in range(n) if labels[e] == k] for k in sorted(set(labels))]
    return Partition(parts, [draw(st.integers(1, len(part))) for part in parts])


def matroids(n: int) -> st.SearchStrategy[Any]:
    """Return a strategy for uniform and partition matroids, and for three or four items graphic and other ones."""
    own = tuple(m for m in FIXED if m.n_items == n)
    kinds: list[st.SearchStrategy[Any]] = [st.builds(Uniform, st.just(n), st.integers(1, n)), partitions(n)]
    return st.one_of(*kinds, *((st.sampled_from(own),) if own else ()))


# Functions --------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _inequalities(n: int) -> np.ndarray:
    """Return rows a with a . f <= 0, f the values of the nonempty sets: monotone at the top, and submodular."""
    full, rows = (1 << n) - 1, []

    def row(*terms: tuple[int, int]) -> None:
        made = np.zeros(1 << n)
        for mask, factor in terms:
            made[mask] += factor
        rows.append(made[1:])

    for e in range(n):
        row((full ^ 1 << e, 1), (full, -1))
        for g in range(e):
            both = 1 << e | 1 << g
            for s in range(1 << n):
                if not s & both:
                    row((s | both, 1), (s, 1), (s | 1 << e, -1), (s | 1 << g, -1))
    return np.array(rows)


@lru_cache(maxsize=4096)
def vertex(n: int, objective: tuple[int, ...]) -> Table | None:
    """Return the monotone submodular f with f(all) = 1 that is best for the objective; None without a short form."""
    from scipy.optimize import linprog

    top = np.zeros((1, (1 << n) - 1))
    top[0, -1] = 1
    rows = _inequalities(n)
    solved = linprog(
        np.array(objective, dtype=float),
        A_ub=rows,
        b_ub=np.zeros(len(rows)),
        A_eq=top,
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs-ds",
    )
    if solved.x is None:
        return None
    found = Table((0, *(Fraction(float(v)).limit_denominator(60) for v in solved.x)))
    return None if table_violation(found) else found


@st.composite
def vertices(draw: st.DrawFn, n: int) -> Table:
    """Draw vertices of the polytope of all monotone submodular functions."""
    size = (1 << n) - 1
    found = vertex(n, tuple(_list(draw, st.integers(-3, 3), size)))
    return found or Table((0, *(min(2, s.bit_count()) for s in range(1, size + 1))))


@st.composite
def inner(draw: st.DrawFn, n: int) -> Table:
    """Draw points of that polytope: means of its vertices, scaled."""
    parts = draw(st.lists(vertices(n), min_size=2, max_size=3))
    shares = _list(draw, log_uniform_positive(1e-2, 10), len(parts))
    columns = zip(*(p.values for p in parts), strict=True)
    return Table([sum(w * v for w, v in zip(shares, column, strict=True)) for column in columns])


@st.composite
def coverages(draw: st.DrawFn, n: int) -> Coverage:
    """Draw coverage functions, the weight of the covered points."""
    points = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=4))
    return Coverage([sorted(p) for p in points], n, _list(draw, weights, len(points)))


@st.composite
def facilities(draw: st.DrawFn, n: int) -> FacilityLocation:
    """Draw facility location, the weighted best scores of one or two customers."""
    scores = [_list(draw, weights, n) for _ in range(draw(st.integers(1, 2)))]
    return FacilityLocation(scores, _list(draw, log_uniform_positive(1e-1, 10), len(scores)))


def simple(n: int) -> st.SearchStrategy[Any]:
    """Return a strategy for one function of a family with a formula."""
    listed = st.lists(weights, min_size=n, max_size=n)
    return st.one_of(
        listed.map(Modular),
        coverages(n),
        facilities(n),
        st.builds(Capped, listed, log_uniform_positive(1e-1, 10)),
        st.builds(WeightedRank, matroids(n), listed),
    )


@st.composite
def mixtures(draw: st.DrawFn, n: int) -> Mixture:
    """Draw weighted sums of two functions."""
    return Mixture((draw(simple(n)), draw(simple(n))), _list(draw, log_uniform_positive(1e-1, 10), 2))


def functions(n: int) -> st.SearchStrategy[Any]:
    """Return a strategy for any monotone submodular function on n items with f({}) = 0."""
    kinds: list[st.SearchStrategy[Any]] = [simple(n), mixtures(n)]
    return st.one_of(*kinds, *((vertices(n), inner(n)) if n <= LARGEST_VERTEX else ()))


@st.composite
def of_any_size(draw: st.DrawFn, largest: int = 4) -> Any:
    """Draw a function of one to ``largest`` items."""
    return draw(functions(draw(st.integers(1, largest))))


# Clients and points -----------------------------------------------------------------------------------------------------


@st.composite
def clients(
    draw: st.DrawFn, most_clients: int = 3, most_items: int = 4, own: Callable[[int], st.SearchStrategy] = functions
) -> SubmodularClients:
    """Draw clients with functions from ``own(n)``, not all 0, any weights and rules for ties, and a matroid."""
    n, many = draw(st.integers(1, most_items)), draw(st.integers(1, most_clients))
    given = _list(draw, own(n), many)
    if not any(f.value(frozenset(range(n))) for f in given):
        given[0] = Modular([1] * n)
    orders = draw(st.one_of(st.just(0), st.just(1), st.just(many))) if n > 1 else 0
    ties = [draw(st.permutations(range(n))) for _ in range(orders)]
    return SubmodularClients(
        tuple(given),
        draw(matroids(n)),
        _list(draw, log_uniform_positive(1e-1, 10), many),
        ties[0] if len(ties) == 1 else tuple(ties),
    )


coordinates = st.one_of(
    st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]), st.builds(Fraction, st.integers(0, 10), st.just(10))
)


@st.composite
def in_polytope(draw: st.DrawFn, matroid: Matroid) -> tuple[Fraction, ...]:
    """Draw a mean of bases of largest weight."""
    from fltheory.problems.sets.matroids import best_bases

    n, many = matroid.n_items, draw(st.integers(1, 3))
    wanted = np.array([_list(draw, st.integers(0, 9), n) for _ in range(many)], dtype=float)
    shares = _list(draw, st.integers(1, 5), many)
    found = best_bases(matroid, wanted, tuple(range(n)))
    return mean(found.tolist(), shares)


def mean(rows: Sequence[Sequence[Any]], shares: Sequence[Any]) -> tuple[Fraction, ...]:
    """Return the weighted mean of rows."""
    total = sum(map(Fraction, shares), Fraction(0))
    columns = zip(*rows, strict=True)
    return tuple(
        sum((s * Fraction(v) for s, v in zip(shares, column, strict=True)), Fraction(0)) / total for column in columns
    )


@st.composite
def points(draw: st.DrawFn, n: int) -> tuple[Fraction, ...]:
    """Draw points of the cube."""
    return tuple(_list(draw, coordinates, n))
