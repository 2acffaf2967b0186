"""Hypothesis strategies for sampling games, from which ``falsify`` draws."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.papers.osmd.sampling.families import floors, masses
from fltheory.problems.strategies import log_uniform_positive

COURSES = 400  # approximate number of paths of a game
feedback = st.one_of(st.just(Fraction(0)), st.integers(1, 9).map(Fraction), log_uniform_positive(1e-3, 1e3))


@st.composite
def games(draw: st.DrawFn, inside: bool = False, rated: bool = True) -> Case:
    """Draw tables of few rounds; ``inside``: comparators in the floored simplex; ``rated``: with a sampler's rate."""
    clients, sampled = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    ways = {(2, 1): 2, (2, 2): 3, (2, 3): 4, (3, 1): 3, (3, 2): 6, (3, 3): 10}[clients, sampled]
    most = 1
    while ways**most <= COURSES:
        most += 1
    rounds = draw(st.integers(1, most))
    repeat = draw(st.sampled_from([r for r in range(1, rounds + 1) if rounds % r == 0]))
    table = [draw(st.lists(feedback, min_size=clients, max_size=clients)) for _ in range(rounds // repeat)]
    if not any(v for row in table for v in row):
        table[0][0] = Fraction(1)
    floor = draw(st.one_of(floors, st.just(Fraction(1))))
    words = ["uniform", "fixed", "floored"] + ([] if inside else ["best"])
    own = None if draw(st.booleans()) else [_distribution(draw, clients, floor if inside else 0) for _ in table]
    game = FeedbackTable(table, sampled, floor, draw(st.sampled_from(words)) if own is None else own, repeat)
    if not rated:
        return Case(game)
    largest = max(v for row in table for v in row)
    return Case(game, sampler_rate=draw(log_uniform_positive(1e-6, 1e3)) * floor**3 / largest)


def _distribution(draw: st.DrawFn, n: int, floor: Number) -> list[Fraction]:
    """Return a distribution above the floor."""
    parts = draw(st.lists(masses, min_size=n, max_size=n))
    whole = sum(parts, Fraction(0))
    return [Fraction(floor) / n + (1 - floor) * v / whole for v in parts]
