"""Families for the lemmas about one round: random decisions, ranges of responses, quadratic forms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.aaggff.instances.lemmas import Blend, Form, QuadraticOnSimplex, ResponseBox, TwoDecisions
from fltheory.problems.strategies import log_uniform_positive

PLACES = [Fraction(v) for v in (0, 1, 0, 1, "1/2", "1/4", "9/10")]  # of responses in their range
_parts = st.sampled_from([Fraction(v) for v in ("1/2", "1/3", "1/10", "9/10", "3/4")])
_small = st.one_of(st.integers(-3, 3).map(Fraction), st.builds(Fraction, st.integers(-5, 5), st.integers(1, 4)))


@st.composite
def ranges(draw: st.DrawFn) -> tuple[Fraction, Fraction]:
    """Draw C1 and C2."""
    low = draw(st.sampled_from([Fraction(v) for v in (0, "1/100", "1/10", "1/2", 1, 3)]))
    return low, low + draw(log_uniform_positive(1e-2, 10))


@st.composite
def responses(draw: st.DrawFn, n: int, low: Fraction, high: Fraction) -> list[Fraction]:
    """Draw responses in the range, many at its ends."""
    return [low + (high - low) * draw(st.sampled_from(PLACES)) for _ in range(n)]


@st.composite
def masses(draw: st.DrawFn, n: int) -> list[int]:
    """Draw masses of a decision, many of them 0."""
    found = draw(st.lists(st.sampled_from([0, 1, 0, 1, 2, 5, 50]), min_size=n, max_size=n))
    return found if any(found) else [1, *found[1:]]


def window(low: Fraction, high: Fraction) -> Fraction:
    """Return a number slightly below the largest admissible factor of Lemma A.10."""
    v = float((high - low) / (1 + low))
    return Fraction(math.floor(2 * (v - math.log1p(v)) / v**2 * 0.9999 * 10**6), 10**6)


@st.composite
def decisions(
    draw: st.DrawFn, most: int = 6, narrow: bool = False, curvature: str = "", reference: bool = False
) -> Case:
    """Draw two decisions in a range, perhaps with curvature or reference; ``narrow``: the printed constant suffices."""
    n = draw(st.integers(2, most))
    low, high = draw(ranges())
    if narrow and n // 2 * (high - low) > high:
        low = high * (1 - Fraction(2, n))
    settings: dict[str, Any] = {"response_low": low, "response_high": high}
    width = (high - low) / (1 + low)
    if curvature == "half":
        settings["learner_curvature"] = min(Fraction(1, 2), 1 / (2 * width)) * draw(
            st.sampled_from([Fraction(1), Fraction(1), Fraction(1, 2)])
        )
    elif curvature:
        settings["learner_curvature"] = window(low, high)
    if reference:
        settings["imputed_response"] = low + (high - low) * draw(st.sampled_from(PLACES))
    return Case(TwoDecisions(draw(responses(n, low, high)), draw(masses(n)), draw(masses(n))), **settings)


@st.composite
def blends(
    draw: st.DrawFn,
    level: bool = False,
    ranged: bool = False,
    least: Fraction | None = None,
    most: Fraction | None = None,
) -> Case:
    """Draw a blend of two decisions; ``level``: with equal returns; ``least`` and ``most`` limit the power."""
    n = draw(st.integers(2, 5))
    low, high = draw(ranges())
    response, p, q = draw(responses(n, low, high)), draw(masses(n)), draw(masses(n))
    if level:
        response[1] = response[0]
        p, q = [1 + p[0], 0, *p[2:]], [0, 1 + p[0], *p[2:]]
    power: Fraction | int = 1
    if least is not None:
        power = least + draw(st.sampled_from([Fraction(1, 100), Fraction(1), Fraction(1, 2), Fraction(3)]))
    elif most is not None:
        power = most * draw(st.sampled_from([Fraction(1), Fraction(99, 100), Fraction(1, 2), Fraction(1, 10)]))
    return Case(
        Blend(response, p, q, draw(_parts), power), **({"response_low": low, "response_high": high} if ranged else {})
    )


@st.composite
def boxes(draw: st.DrawFn, curvature: bool = False, reference: bool = False, choice: str = "") -> Case:
    """Draw ranges of responses, perhaps with too large a curvature, a reference, or on one side of the threshold."""
    low, high = draw(ranges())
    if choice == "small":
        low, high = Fraction(0), draw(log_uniform_positive(1e-3, 0.29))
    elif choice == "large":
        high = max(high, (1 + low) * Fraction(29872, 100000))
        high = high if high > low else low + 1
    settings: dict[str, Any] = {}
    if curvature:
        settings["learner_curvature"] = window(low, high) * draw(st.sampled_from([Fraction(10002, 10000), Fraction(2)]))
    if reference:
        settings["imputed_response"] = low + (high - low) * draw(st.sampled_from(PLACES))
    return Case(ResponseBox(draw(st.integers(2, 6)), low, high), **settings)


@st.composite
def _forms(draw: st.DrawFn) -> tuple[int, list[Fraction], list[list[Fraction]]]:
    n = draw(st.integers(2, 4))
    diagonal = draw(st.lists(log_uniform_positive(1e-1, 10), min_size=n, max_size=n))
    return n, diagonal, draw(st.lists(st.lists(_small, min_size=n, max_size=n), max_size=2))


@st.composite
def forms(draw: st.DrawFn) -> Case:
    """Draw a form and two vectors."""
    n, diagonal, vectors = draw(_forms())
    row = st.lists(_small, min_size=n, max_size=n)
    return Case(Form(diagonal, vectors, draw(row), draw(row)))


@st.composite
def quadratics(draw: st.DrawFn) -> Case:
    """Draw a quadratic function on the simplex with a subgradient at a point."""
    n, diagonal, vectors = draw(_forms())
    linear = draw(st.lists(_small, min_size=n, max_size=n))
    slack = draw(st.lists(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(3)]), min_size=n, max_size=n))
    return Case(QuadraticOnSimplex(diagonal, vectors, linear, draw(masses(n)), draw(_small), slack))
