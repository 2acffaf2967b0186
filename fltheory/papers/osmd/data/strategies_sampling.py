"""Hypothesis strategies for the statements about one round and for the lemmas: where ``falsify`` looks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.case import Case
from fltheory.papers.osmd.data import lemma_instances as lemma
from fltheory.papers.osmd.data import sampling_instances as one
from fltheory.problems.strategies import positive

masses = st.one_of(st.integers(1, 9).map(Fraction), positive(1e-3, 100))
digits = st.one_of(st.integers(-5, 5).map(Fraction), positive(1e-2, 100), positive(1e-2, 100).map(lambda v: -v))
floors = st.one_of(
    st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(9, 10), Fraction(99, 100), Fraction(1, 1000)]),
    st.builds(Fraction, st.integers(1, 99), st.just(100)),
)


def _lists(draw: Any, values: Any, n: int) -> list[Any]:
    return draw(st.lists(values, min_size=n, max_size=n))


@st.composite
def updates(draw: Any, few: bool = False, dim: int | None = None, most: int = 3, clients: int = 0) -> Case:
    """Updates of some clients; ``few``: no more draws than clients."""
    n = clients or draw(st.integers(1, 4))
    wide = dim or draw(st.integers(1, 2))
    table = [_lists(draw, digits, wide) for _ in range(n)]
    if not any(v for row in table for v in row):
        table[0][0] = Fraction(1)
    sampled = draw(st.integers(1, min(n, most) if few else most))
    return Case(
        one.Updates(table, *(_lists(draw, masses, n),), sampled, _lists(draw, masses, n), _lists(draw, masses, n))
    )


@st.composite
def losses(draw: Any) -> Case:
    """Roots of the feedback and a distribution."""
    n = draw(st.integers(1, 5))
    roots = _lists(draw, st.one_of(masses, st.just(Fraction(0))), n)
    return Case(one.Losses(roots if any(roots) else [1] * n, _masses(draw, n), draw(floors)))


def _masses(draw: Any, n: int) -> list[Any]:
    """Masses, some of them 0."""
    found = _lists(draw, st.one_of(masses, st.just(Fraction(0))), n)
    return found if any(found) else [1] * n


@st.composite
def points(draw: Any, whole: bool = False) -> Case:
    """Points to project; ``whole``: also onto the simplex of one point, floor 1."""
    n = draw(st.integers(1, 6))
    floor = draw(st.one_of(floors, st.just(Fraction(1))) if whole else floors)
    return Case(one.Projected(_lists(draw, masses, n), floor, _masses(draw, n)))


@st.composite
def growths(draw: Any) -> Case:
    """Mirror steps by the growth of each client's probability."""
    n = draw(st.integers(2, 5))
    growth = _lists(draw, st.one_of(st.just(Fraction(1)), masses.map(lambda v: 1 + v)), n)
    return Case(one.Growth(_masses(draw, n), growth, _masses(draw, n), draw(floors)))


@st.composite
def steps(draw: Any) -> Case:
    """One round of Algorithm 1."""
    n = draw(st.integers(2, 4))
    draws = _lists(draw, st.integers(0, 3), n)
    feedback = _lists(draw, st.one_of(masses, st.just(Fraction(0))), n)
    return Case(
        one.OneStep(
            _masses(draw, n),
            feedback if any(feedback) else [1] * n,
            draws if any(draws) else [1] * n,
            draw(positive(1e-6, 10)),
            draw(floors),
        )
    )


@st.composite
def triples(draw: Any) -> Case:
    """Three floored distributions."""
    n = draw(st.integers(2, 4))
    while True:
        three = [_masses(draw, n) for _ in range(3)]
        if one.shares(three[1], zeros=True) != one.shares(three[2], zeros=True):
            return Case(one.Triple(three[0], three[1], three[2], draw(floors)))


@st.composite
def comparators(draw: Any, zero: bool = False) -> Case:
    """Any distribution and a floor; ``zero``: also the floor 0."""
    floor = draw(st.one_of(floors, st.just(Fraction(0))) if zero else floors)
    return Case(one.Comparator(_masses(draw, draw(st.integers(1, 5))), floor))


@st.composite
def gradients(draw: Any) -> Case:
    """The stochastic gradients of one client."""
    n, wide = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    table = [_lists(draw, digits, wide) for _ in range(n)]
    if not any(v for row in table for v in row):
        table[0][0] = Fraction(1)
    return Case(one.Gradients(table, draw(st.integers(1, 100))))


@st.composite
def curved(draw: Any) -> Case:
    """Two points of a piecewise quadratic function, not necessarily convex."""
    n = draw(st.integers(1, 3))
    columns = [_lists(draw, digits, n) for _ in range(5)]
    if not any((*columns[0], *columns[1])):
        columns[0][0] = Fraction(-1)
    if columns[3] == columns[4]:
        columns[4][0] += 1
    return Case(lemma.Curved(*columns))


@st.composite
def summands(draw: Any) -> Case:
    """Vectors that are added."""
    n, wide = draw(st.integers(2, 5)), draw(st.integers(1, 2))
    table = [_lists(draw, digits, wide) for _ in range(n)]
    if not any(v for row in table[:2] for v in row):
        table[0][0] = Fraction(1)
    return Case(lemma.Summands(table, draw(masses)))


@st.composite
def variables(draw: Any) -> Case:
    """Random variables with finitely many values."""
    n = draw(st.integers(2, 4))
    values = _lists(draw, digits, n)
    if min(values) == max(values):
        values[0] += 1
    scale = draw(st.one_of(masses, masses.map(lambda v: -v)))
    return Case(lemma.FiniteVariable(values, _lists(draw, masses, n), scale))


@st.composite
def two_parts(draw: Any) -> Case:
    """Updates in two parts."""
    n = draw(st.integers(2, 4))
    parts = [[[v] for v in _lists(draw, digits, n)] for _ in range(2)]
    return Case(lemma.TwoParts(parts[0], parts[1], _lists(draw, masses, n), draw(st.integers(1, 3))))


@st.composite
def bilevel(draw: Any) -> Case:
    """A bilevel problem in one dimension; the point is moved away from its minimiser."""
    n = draw(st.integers(1, 3))
    own = [abs(v) + 1 for v in _lists(draw, digits, n)]
    mixed, slopes = _lists(draw, digits, n), _lists(draw, digits, n)
    local = [d * d + 1 for d in mixed]  # every F_m is convex, so that h is curved upwards
    return Case(lemma.Bilevel(own, mixed, local, slopes, draw(masses), _lists(draw, masses, n)))
