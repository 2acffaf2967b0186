"""Hypothesis strategies for the discrete problem: runs of Algorithm 3, tables, points to round, message sizes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.fedcg.algorithms.rounding import Fractional
from fltheory.papers.fedcg.bounds import KAPPA_MATROID, KAPPA_UNIFORM
from fltheory.papers.fedcg.discrete import bounds
from fltheory.papers.fedcg.discrete.cases import Memberships, of_few_kinds
from fltheory.papers.fedcg.instances.families import FIXED, functions, matroids, partitions, simple
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform, best_bases, n_independent
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular
from fltheory.problems.strategies import log_uniform_positive

LARGEST_SCALE = 1000
scales = log_uniform_positive(1e-2, 10)
digits = st.integers(0, 4).map(Fraction)


def _lists(draw: st.DrawFn, values: st.SearchStrategy, n: int) -> list[Any]:
    return draw(st.lists(values, min_size=n, max_size=n))


def _matroid(draw: st.DrawFn, n: int, uniform: bool) -> Any:
    return draw(st.builds(Uniform, st.just(n), st.integers(1, n)) if uniform else matroids(n))


# Runs of Algorithm 3 ----------------------------------------------------------------------------------------------------


@st.composite
def clients(draw: st.DrawFn, uniform: bool = False, worthy: bool = False, scaled: bool = False) -> Case:
    """Draw clients of any kind and weights; ``worthy``: some item has a value; ``scaled``: with a factor kappa."""
    n, many = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    given = _lists(draw, functions(n), many)
    if worthy and not any(f.value(frozenset(range(n))) for f in given):
        given[0] = Modular([1] * n)
    masses = draw(
        st.one_of(st.just([1] * many), st.lists(log_uniform_positive(1e-2, 10), min_size=many, max_size=many))
    )
    ties = draw(st.one_of(st.just(()), st.permutations(range(n))))
    one = SubmodularClients(tuple(given), _matroid(draw, n, uniform), masses, tuple(ties))
    return Case(one, **({"sampling_scale": draw(scales)} if scaled else {}))


def _mixed(draw: st.DrawFn, uniform: bool) -> SubmodularClients:
    """Return a few clients that surely answer, and up to six of small weight that answer randomly."""
    n = draw(st.integers(2, 3))
    large, small = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    given = _lists(draw, simple(n), large + small)
    if not any(f.value(frozenset(range(n))) for f in given[:large]):
        given[0] = Modular([1] * n)
    share = draw(log_uniform_positive(1e-5, 1e-2))
    return SubmodularClients(tuple(given), _matroid(draw, n, uniform), [1] * large + [share] * small)


def _crowd(draw: st.DrawFn, most: int) -> SubmodularClients:
    """Return many clients of two kinds and two items, one of them chosen: nearly all answer randomly."""
    kinds = [_lists(draw, digits, 2) for _ in range(2)]
    kinds[0][draw(st.integers(0, 1))] = Fraction(3)
    return of_few_kinds(kinds, draw(st.integers(20, most)), Uniform(2, 1))


@st.composite
def runs(draw: st.DrawFn, matroid: bool = False, order: str = "") -> Case:
    """Draw runs at the smallest kappa of S6 or of the printed order; ``matroid``: of any kind, else uniform."""
    one = _crowd(draw, 120) if draw(st.integers(0, 5)) == 5 else _mixed(draw, not matroid)
    epsilon = draw(
        st.sampled_from(
            [Fraction(2, 5), Fraction(9, 20), Fraction(1, 5)] if matroid else [Fraction(3, 5), Fraction(2, 5)]
        )
    )
    if order == "printed":
        least = bounds.KAPPA_MATROID_PRINTED if matroid else bounds.KAPPA_UNIFORM_PRINTED
    else:
        least = KAPPA_MATROID if matroid else KAPPA_UNIFORM
    return Case(one, accuracy=epsilon, sampling_scale=bounds.least_scale(least, one, epsilon))


@st.composite
def once(draw: st.DrawFn, matroid: bool = False, least: str = "once") -> Case:
    """Draw the same with draws made once."""
    counted = least == "deviation" and draw(st.booleans())
    one = _crowd(draw, 30) if counted else _mixed(draw, not matroid and least == "once")
    epsilon = Fraction(1)
    if least == "once":
        epsilon = draw(
            st.sampled_from([Fraction(2, 5), Fraction(9, 20)] if matroid else [Fraction(3, 5), Fraction(1, 2)])
        )
    elif not counted:
        epsilon = draw(st.sampled_from([Fraction(1, 2), Fraction(4, 5)]))
    formula = bounds.KAPPA_ONCE if least == "once" else bounds.KAPPA_DEVIATION
    return Case(
        one,
        accuracy=epsilon,
        sampling_scale=bounds.least_scale(formula, one, epsilon),
        n_independent=n_independent(one.matroid),
    )


def _settled(draw: st.DrawFn, one: SubmodularClients, order: str) -> Case:
    if not order:
        return Case(one, sampling_scale=draw(log_uniform_positive(1e-1, LARGEST_SCALE)))
    epsilon = draw(st.sampled_from([Fraction(3, 5), Fraction(2, 5)]))
    least = bounds.KAPPA_UNIFORM_PRINTED if order == "printed" else KAPPA_UNIFORM
    return Case(one, accuracy=epsilon, sampling_scale=bounds.least_scale(least, one, epsilon))


@st.composite
def of_scores(draw: st.DrawFn, order: str = "", scaled: bool = True) -> Case:
    """Draw facility location with equal weights and any kappa, or that of the printed order or of S6 (``sharp``)."""
    n = draw(st.integers(2, 4))
    rows = [_lists(draw, digits, n) for _ in range(draw(st.integers(1, 5)))]
    one = SubmodularClients(tuple(FacilityLocation((row,)) for row in rows), _matroid(draw, n, True))
    return _settled(draw, one, order)


@st.composite
def of_members(draw: st.DrawFn, order: str = "", scaled: bool = True) -> Case:
    """Draw maximum coverage of clients with any kappa, or that of the printed order or of S6 (``sharp``)."""
    n = draw(st.integers(2, 4))
    rows = [_lists(draw, st.booleans(), n) for _ in range(draw(st.integers(1, 5)))]
    given = tuple(Coverage(([a for a in range(n) if row[a]],), n) for row in rows)
    return _settled(draw, SubmodularClients(given, _matroid(draw, n, True)), order)


@st.composite
def some_away(draw: st.DrawFn) -> Case:
    """Draw maximum coverage where at least one client takes part."""
    one = draw(of_members()).instance
    return Case(one, n_participating=draw(st.integers(1, one.n_clients)))


# Tables -----------------------------------------------------------------------------------------------------------------


@st.composite
def members(draw: st.DrawFn, split: int = 0) -> Case:
    """Draw memberships; with ``split``, at least so many clients are in each group and so many are not."""
    n, many = draw(st.integers(1, 4)), draw(st.integers(max(2 * split, 1), 6))
    rows = [[int(v) for v in _lists(draw, st.booleans(), n)] for _ in range(many)]
    rows[: 2 * split] = [[1] * n, [0] * n] * split
    return Case(Memberships(tuple(map(tuple, rows))))


# Points to round --------------------------------------------------------------------------------------------------------


@st.composite
def fractional(draw: st.DrawFn, graphic: bool = True, failing: bool = False) -> Case:
    """Draw points of a matroid's polytope as means of independent sets; ``failing``: with an allowed failure."""
    n = draw(st.integers(2, 4))
    other = st.sampled_from(tuple(m for m in FIXED if m.n_items == n)) if graphic and n > 2 else partitions(n)
    matroid = draw(st.one_of(st.builds(Uniform, st.just(n), st.integers(1, n)), partitions(n), other))
    many = draw(st.integers(1, 4))
    wanted = np.array([_lists(draw, st.integers(0, 9), n) for _ in range(many)], dtype=float)
    parts = [tuple(np.nonzero(row)[0].tolist()) for row in best_bases(matroid, wanted, tuple(range(n)))]
    if draw(st.booleans()):
        parts[-1] = parts[-1][1:]
    given = _lists(draw, simple(n), draw(st.integers(1, 2)))
    if not any(f.value(frozenset({e for p in parts for e in p})) for f in given):
        given[0] = Modular([1] * n)
    point = Fractional(tuple(given), matroid, parts=tuple(parts), shares=_lists(draw, st.integers(1, 5), many))
    return Case(
        point, **({"failure_probability": draw(st.sampled_from([Fraction(1, 10), Fraction(1, 3)]))} if failing else {})
    )
