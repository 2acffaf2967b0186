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
