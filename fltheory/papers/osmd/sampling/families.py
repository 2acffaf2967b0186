"""Hypothesis strategies for draws without replacement, from which ``falsify`` draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.osmd.sampling.cases.estimators import Updates
from fltheory.problems.strategies import log_uniform_positive

masses = st.one_of(st.integers(1, 9).map(Fraction), log_uniform_positive(1e-3, 100))
digits = st.one_of(
    st.integers(-5, 5).map(Fraction), log_uniform_positive(1e-2, 100), log_uniform_positive(1e-2, 100).map(lambda v: -v)
)
floors = st.one_of(
    st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(9, 10), Fraction(99, 100), Fraction(1, 1000)]),
    st.builds(Fraction, st.integers(1, 99), st.just(100)),
)


def _lists(draw: st.DrawFn, values: st.SearchStrategy[Any], n: int) -> list[Any]:
    return draw(st.lists(values, min_size=n, max_size=n))


@st.composite
def updates(draw: st.DrawFn, dim: int | None = None, most: int = 3, clients: int = 0) -> Case:
    """Draw updates of some clients, no more draws than clients."""
    n = clients or draw(st.integers(1, 4))
    wide = dim or draw(st.integers(1, 2))
    table = [_lists(draw, digits, wide) for _ in range(n)]
    if not any(v for row in table for v in row):
        table[0][0] = Fraction(1)
    sampled = draw(st.integers(1, min(n, most)))
    return Case(Updates(table, _lists(draw, masses, n), sampled, _lists(draw, masses, n), _lists(draw, masses, n)))
