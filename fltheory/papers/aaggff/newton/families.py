"""Families of short runs of AAggFF-S, with its constants, for the steps of the proof of Theorem 5.1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.aaggff.losses.families import masses, ranges, window
from fltheory.papers.aaggff.newton.cases import NewtonGame
from fltheory.papers.aaggff.transforms.families import federations

WEIGHTS = tuple(Fraction(v) for v in ("1/100", "1/10", "1/2", 1, 4, 10))  # alpha
CURVATURES = tuple(Fraction(v) for v in ("1/10", "1/2", 1, "5/4", 3, 10))  # beta

RANGES = tuple(
    (Fraction(low), Fraction(high))
    for low, high in (("0", "1/4"), ("0", "1"), ("0", "3"), ("0", "1/10"), ("1/10", "1"), ("1/2", "3"))
)


@st.composite
def short_runs(draw: st.DrawFn, curvature: str = "any", least: Fraction = Fraction(0), most: int = 4) -> Case:
    """Draw a short run; β is above ``least``, "paper": 1/(4L), or "window": below β*(V); "tuned" leaves it out."""
    c1, c2 = draw(st.sampled_from(RANGES))
    n, rounds = draw(st.integers(2, 4)), draw(st.integers(1, most))
    level = st.sampled_from([c1, c2, c1, c2, (c1 + c2) / 2])
    rows = [[draw(level) for _ in range(n)] for _ in range(rounds)]
    settings: dict[str, Any] = {"response_low": c1, "response_high": c2}
    settings["learner_regularisation"] = draw(st.sampled_from(WEIGHTS))
    if curvature != "tuned":
        settings["learner_curvature"] = draw(_curvatures(curvature, c1, c2, least))
    return Case(NewtonGame(rows, draw(masses(n))), **settings)


@st.composite
def _curvatures(draw: st.DrawFn, kind: str, c1: Fraction, c2: Fraction, least: Fraction) -> Fraction:
    if kind == "paper":
        return (1 + c1) / (4 * c2)
    if kind == "any":
        return draw(st.sampled_from([v for v in CURVATURES if v > least]))
    return window(c1, c2) * draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 10)]))


@st.composite
def sizes(draw: st.DrawFn) -> Case:
    """Draw clients, rounds and a range of the responses."""
    low, high = draw(ranges())
    return draw(federations(everyone=True)).with_settings(response_low=low, response_high=high)
