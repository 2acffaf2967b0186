"""Hypothesis strategies for sampling with experts, from which ``falsify`` draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.number import evaluate_ball, exact, to_float
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.experts.cases import SwitchingAdversary
from fltheory.papers.osmd.experts.closed_forms.grid import Horizon
from fltheory.papers.osmd.instances.games import COMPARATORS, FeedbackTable
from fltheory.papers.osmd.instances.random_feedback import KINDS, RandomFeedback
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive

floors = st.integers(0, 19).map(lambda k: Fraction((k + 14) % 20 + 1, 20))  # from 3/4 on
WITHIN = tuple(word for word in COMPARATORS if word != "best")


@st.composite
def logarithmic(draw: st.DrawFn, least: int, most: int) -> int:
    """Draw an integer, roughly uniform on a logarithmic scale; the first choice is ``most``."""
    steps = 24
    power = Fraction(draw(st.integers(0, steps)), steps)
    return round(most * (least / most) ** float(power))


@st.composite
def horizons(draw: st.DrawFn) -> Case:
    """Draw any number of clients and rounds, any floor and any variation."""
    share = draw(st.one_of(st.sampled_from([Fraction(0), Fraction(1)]), log_uniform_positive(1e-6, 1)))
    return Case(
        Horizon(
            draw(log_uniform_counts(10**6)) + 1,
            draw(log_uniform_counts(10**9)),
            draw(st.one_of(floors, log_uniform_positive(1e-9, 1))),
            share,
        )
    )


@st.composite
def switching(
    draw: st.DrawFn, least: int = 1, most: int = 1000, most_drawn: int = 10_000, large_first: bool = False
) -> Case:
    """Draw a switching adversary with two clients: feedback of any size, on a logarithmic scale.

    Long games come first; with ``large_first``, short ones with large feedback: these are cheaper to play, and what
    they show can be extended to long games.
    """
    ends = (most, least) if large_first else (least, most)
    power = draw(st.integers(0, 27).map(lambda k: 24 - k) if large_first else st.integers(-3, 24))
    size = Fraction(draw(st.sampled_from([1, 2, 5]))) * Fraction(10) ** power
    floor, threshold = draw(floors), Fraction(draw(st.integers(51, 99)), 100)
    drawn = draw(st.sampled_from([k for k in (1, 2, 3, 10, 100, 10_000) if k <= most_drawn]))
    return Case(SwitchingAdversary(draw(logarithmic(*ends)), drawn, floor, size, threshold, draw(st.integers(0, 1))))


@st.composite
def tables(draw: st.DrawFn, rounds: int, most_repeats: int = 1) -> Case:
    """Draw free feedback for few rounds, or one repeated row."""
    m = draw(st.integers(2, 3))
    value = st.one_of(log_uniform_positive(1e-3, 1e3), log_uniform_positive(1e3, 1e12), st.just(Fraction(0)))
    n = draw(st.integers(1, rounds))
    table = [draw(st.lists(value, min_size=m, max_size=m)) for _ in range(n)]
    if not any(v for row in table for v in row):
        table[0][0] = Fraction(1)
    repeat = draw(log_uniform_counts(most_repeats)) if n == 1 else 1
    return Case(FeedbackTable(table, draw(st.integers(1, 2)), draw(floors), draw(st.sampled_from(WITHIN)), repeat))


def tiny() -> Any:
    """Return a strategy for games that are small enough to enumerate."""
    return st.one_of(tables(3), switching(1, 4))


@st.composite
def random_feedback(draw: st.DrawFn, most: int = 300) -> Case:
    """Draw a random schedule of any kind."""
    kind, seed = draw(st.sampled_from(sorted(KINDS))), draw(st.integers(0, 9))
    return Case(
        RandomFeedback(
            kind,
            draw(st.integers(2, 5)),
            draw(log_uniform_counts(most)),
            seed,
            draw(st.integers(1, 5)),
            draw(floors),
            draw(st.sampled_from(WITHIN)),
            draw(log_uniform_positive(1e-3, 1e12)),
        )
    )


@st.composite
def games(draw: st.DrawFn, most: int = 100, meta: bool = False) -> Case:
    """Draw any of these games; ``meta``: with a meta rate near the best one or far from it."""
    case = draw(st.one_of(tables(2, 6), switching(1, most, 100), random_feedback(min(most, 100))))
    if not meta:
        return case
    best = to_float(evaluate_ball(bounds.GAMMA, case.constants))
    factor = draw(st.sampled_from([0.01, 0.1, 0.5, 1.0, 2.0, 10.0]))
    return case.with_settings(meta_rate=exact(float(f"{factor * best:.3g}")))


def any_length(least: int, most: int, most_drawn: int = 10_000, short: int = 3000) -> Any:
    """Return any game of up to ``short`` rounds, and long games of switching adversaries, which expose large rates."""
    return st.one_of(games(short), switching(least, most, most_drawn))
