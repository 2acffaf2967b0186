"""Families of responses and their ranges for ``falsify``."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.aaggff.transforms.cases import Federation, Losses
from fltheory.papers.aaggff.transforms.closed_forms import CDFS
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive


@st.composite
def losses(draw: st.DrawFn, ranged: bool = False, differing: bool = False) -> Case:
    """Draw losses with one of the six CDFs; ``ranged``: with a range of the responses."""
    values = draw(
        st.lists(
            st.one_of(log_uniform_positive(1e-2, 100), st.just(Fraction(0))), min_size=2 if differing else 1, max_size=6
        )
    )
    values = [Fraction(1), Fraction(2)] if differing and len(set(values)) == 1 else values
    values = values if any(values) else [*values, Fraction(1)]
    low = draw(st.one_of(st.just(Fraction(0)), log_uniform_positive(1e-2, 1)))
    settings = {"response_low": low, "response_high": low + draw(log_uniform_positive(1e-2, 1))} if ranged else {}
    return Case(Losses(values, draw(st.sampled_from(sorted(CDFS)))), **settings)


@st.composite
def federations(draw: st.DrawFn, everyone: bool = False) -> Case:
    """Draw numbers of clients, rounds and participants; ``everyone``: all clients take part."""
    clients = max(2, draw(log_uniform_counts(10_000)))
    part = clients if everyone else min(clients, draw(log_uniform_counts(100)))
    return Case(Federation(clients, draw(log_uniform_counts(10_000)), part))
