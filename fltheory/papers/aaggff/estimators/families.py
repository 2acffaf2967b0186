"""Families of rounds with random draws of clients, of responses or of losses."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.aaggff.estimators.closed_forms import SampledLosses, SampledRound
from fltheory.papers.aaggff.losses.families import PLACES, masses, ranges, responses
from fltheory.papers.aaggff.transforms.closed_forms import CDFS
from fltheory.problems.strategies import log_uniform_positive


@st.composite
def rounds(draw: st.DrawFn, reference: bool = False, ranged: bool = False, alone: bool = False) -> Case:
    """Draw a response, a decision and a number of clients; with a reference or a range, or one client ``alone``."""
    n = draw(st.integers(2, 6))
    low, high = draw(ranges())
    settings: dict[str, Any] = {}
    if ranged:
        settings |= {"response_low": low, "response_high": high}
    if reference:
        settings["imputed_response"] = low + (high - low) * draw(st.sampled_from(PLACES))
    m = 1 if alone else draw(st.integers(1, n))
    return Case(SampledRound(draw(responses(n, low, high)), m, draw(masses(n))), **settings)


@st.composite
def losses(draw: st.DrawFn) -> Case:
    """Draw losses of clients, a number of drawn clients, a distribution function, and the range of the responses."""
    n = draw(st.integers(2, 4))
    low, high = draw(ranges())
    row = draw(st.lists(log_uniform_positive(1e-2, 10), min_size=n, max_size=n))
    constant = low + (high - low) * draw(st.sampled_from(PLACES))
    sampled = SampledLosses(row, draw(st.integers(1, n)), draw(st.sampled_from(sorted(CDFS))))
    return Case(sampled, response_low=low, response_high=high, imputed_response=constant)
