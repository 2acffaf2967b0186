"""Families for the statements on fair methods for ``falsify``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.aaggff.unification.cases import Decision, Histories, QuadraticAt, Reported, TwoDecisions
from fltheory.problems.strategies import log_uniform_positive

SETTING = {
    "loss_power": log_uniform_positive(1e-1, 10),
    "loss_tilt": log_uniform_positive(1e-2, 10),
    "loss_baseline": log_uniform_positive(1e-1, 100),
}
masses = st.integers(1, 9)
half_units = st.integers(-4, 4).map(lambda v: Fraction(v, 2))


def several(entries: st.SearchStrategy, count: int) -> st.SearchStrategy:
    """Return a list of ``count`` entries."""
    return st.lists(entries, min_size=count, max_size=count)


def _over_sum(values: list[int]) -> list[Fraction]:
    return [Fraction(v, sum(values)) for v in values]


@st.composite
def decisions(draw: st.DrawFn, uniform: bool = False) -> Case:
    """Draw a positive decision, a response and a step size."""
    count = draw(st.integers(2, 4))
    last = [Fraction(1, count)] * count if uniform else _over_sum(draw(several(masses, count)))
    return Case(Decision(last, draw(several(half_units, count)), draw(log_uniform_positive(1e-1, 10))))


def _settings(
    draw: st.DrawFn, constant: str | None, above: Fraction = Fraction(0), signed: bool = False
) -> dict[str, Any]:
    if constant is None:
        return {}
    value: int | Fraction = draw(SETTING[constant])
    if constant == "loss_power":
        value = draw(st.one_of(st.integers(0, 4), st.just(value)))
    return {constant: draw(st.sampled_from([1, -1])) * value if signed else above + value}


@st.composite
def reported(draw: st.DrawFn, constant: str | None = None, signed: bool = False) -> Case:
    """Draw positive losses of a few clients with a constant of a method."""
    count = draw(st.integers(2, 5))
    losses = draw(several(log_uniform_positive(1e-1, 10), count))
    settings = _settings(draw, constant, signed=signed)
    if constant == "loss_baseline" and draw(st.booleans()):
        settings = {constant: settings[constant] + max(losses)}
    return Case(Reported(draw(several(masses, count)), losses), **settings)


@st.composite
def quadratic_clients(draw: st.DrawFn, constant: str | None = None) -> Case:
    """Draw quadratic clients at a point where no loss is 0."""
    count, dim = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    at = QuadraticAt(
        draw(several(masses, count)),
        draw(several(log_uniform_positive(1e-1, 10), count)),
        draw(several(several(half_units, dim), count)),
        draw(several(log_uniform_positive(1e-1, 1), count)),
        draw(several(half_units, dim)),
    )
    return Case(at, **_settings(draw, constant, max(at.losses) if constant == "loss_baseline" else Fraction(0)))


@st.composite
def histories(draw: st.DrawFn) -> Case:
    """Draw two histories and constants of all methods."""
    count = draw(st.integers(2, 3))
    losses = [draw(several(log_uniform_positive(1e-1, 1), count)) for _ in range(3)]
    top = max(map(max, losses))
    return Case(
        Histories(draw(several(masses, count)), *losses),
        loss_power=draw(st.integers(0, 3)),
        loss_tilt=draw(log_uniform_positive(1e-1, 1)),
        loss_baseline=top + draw(log_uniform_positive(1e-1, 1)),
    )


@st.composite
def two_decisions(draw: st.DrawFn, extremes: bool = False) -> Case:
    """Draw two decisions and losses; ``extremes``: all weight on the worst client, and all on the best."""
    count = draw(st.integers(2, 4))
    losses = draw(several(log_uniform_positive(1e-1, 100), count).filter(lambda v: len(set(v)) > 1))
    if extremes:
        p, q = ([Fraction(int(i == losses.index(end))) for i in range(count)] for end in (max(losses), min(losses)))
        return Case(TwoDecisions(p, q, losses))
    pairs = st.tuples(several(masses, count).map(_over_sum), several(masses, count).map(_over_sum))
    p, q = draw(pairs.filter(lambda pair: pair[0] != pair[1]))
    return Case(TwoDecisions(p, q, losses))
