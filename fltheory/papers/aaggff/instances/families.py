"""Families of games for ``falsify``: phases, patterns and random responses, with the constants of the learners."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.aaggff.instances.games import (
    FairCoin,
    TransformedLosses,
    alternation,
    case_at,
    one_good,
    three_phase,
    vertex,
)
from fltheory.papers.aaggff.instances.lemmas import FtrlPoints
from fltheory.problems.responses import AdaptiveResponses, RandomResponses, Responses, ResponseTable

LONG = 4000  # the most rounds of a drawn game, so that many can be tried


@st.composite
def ranges(draw: st.DrawFn, wide: bool = False) -> tuple[Fraction, Fraction]:
    """Draw (C1, C2), roughly log-uniform; ``wide``: V at least 3/10."""
    low = draw(st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 100), Fraction(1, 4), Fraction(1), Fraction(3)]))
    size = draw(st.sampled_from([Fraction(3, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(10)]))
    if not wide:
        size = draw(st.sampled_from([size, Fraction(1, 5), Fraction(1, 10), Fraction(1, 100)]))
    return low, low + size * (1 + low)


@st.composite
def phases(draw: st.DrawFn, low: Fraction, high: Fraction, most: int = LONG) -> ResponseTable:
    """Draw a few phases of constant responses, each client low, high or in between, perhaps repeated periodically."""
    n = draw(st.integers(2, 5))
    levels = [low, high, (low + high) / 2]
    rows = draw(st.lists(st.tuples(*[st.sampled_from(levels)] * n), min_size=1, max_size=4))
    repeat = draw(st.sampled_from([1, 1, 5, 40]))
    longest = max(1, most // (repeat * len(rows)))
    counts = tuple(draw(st.integers(1, longest)) for _ in rows)
    return ResponseTable(tuple(rows), counts, high, low, repeat)


@st.composite
def games(draw: st.DrawFn, wide: bool = False) -> Case:
    """Draw a game in which all clients take part."""
    return Case(draw(_games(wide)))


@st.composite
def _games(draw: st.DrawFn, wide: bool = False) -> Responses:
    low, high = draw(ranges(wide))
    kind = draw(st.sampled_from(["phases", "phases", "random", "adaptive", "losses"]))
    if kind == "phases":
        return draw(phases(low, high))
    n, rounds, seed = draw(st.integers(2, 8)), draw(st.integers(1, 200)), draw(st.integers(0, 1000))
    if kind == "random":
        return RandomResponses(draw(st.sampled_from(["coin", "race", "uniform"])), n, rounds, seed, high, low)
    if kind == "adaptive":
        return AdaptiveResponses(draw(st.sampled_from(["least", "all but the leader", "next"])), n, rounds, high, low)
    return TransformedLosses(draw(st.sampled_from(["weibull", "normal", "frechet"])), n, rounds, seed, high, low)


@st.composite
def tuned_games(draw: st.DrawFn) -> Case:
    """Draw a game with alpha and a beta inside the window of the curvature."""
    game = draw(_games())
    case = case_at(game, draw(st.sampled_from(["1/100", "1/10", "1/2", 1, 4])))
    share = draw(st.sampled_from([1, 1, 1, Fraction(1, 2), Fraction(1, 10)]))
    return case.with_settings(learner_curvature=dict(case.settings)["learner_curvature"] * share)


@st.composite
def weighted(draw: st.DrawFn, wide: bool = False) -> Case:
    """Draw a game with alpha or, if not ``wide``, one whose leader changes; ``wide``: V at least 3/10."""
    game = draw(_games(True)) if wide else draw(turning()).instance
    return Case(game, learner_regularisation=draw(st.sampled_from(["1/100", "1/10", "1/2", 1, 4])))


@st.composite
def scaled_games(draw: st.DrawFn) -> Case:
    """Draw a game with a rate for some L_s."""
    return Case(draw(_games()), learner_scale=draw(st.sampled_from(["1/100", "1/10", "1/3", 1, 3, 30])))


@st.composite
def turning(draw: st.DrawFn, paper: bool = False) -> Case:
    """Draw a game that one part of the clients leads first, then another, after a small push; ``paper``: C2 = 1/K."""
    K = draw(st.integers(4, 10))
    high = Fraction(1, K)
    if draw(st.booleans()) and not paper:
        n = draw(st.sampled_from([2, 3]))
        return Case(three_phase(n, high, draw(st.integers(50, 500)), high / draw(st.integers(2, 8))))
    n = K if paper else draw(st.sampled_from([2, K]))
    size = n - 1 if draw(st.booleans()) else draw(st.integers(1, n - 1))
    rounds, share = draw(st.integers(100, LONG)), Fraction(draw(st.integers(20, 48)), 100)
    first = max(1, int(share * rounds))
    rows = ((high,) * size + (0,) * (n - size), (0,) * size + (high,) * (n - size))
    return Case(ResponseTable(rows, (first, rounds - first), high))


@st.composite
def alternating(draw: st.DrawFn) -> Case:
    """Draw I5 with any length and range."""
    return Case(alternation(20 * draw(st.integers(100, 6000)), draw(st.sampled_from([1, 2, Fraction(1, 2)]))))


@st.composite
def one_good_games(draw: st.DrawFn) -> Case:
    """Draw I8: one client is slightly better than all others."""
    n, d = (
        draw(st.integers(2, 300)),
        draw(st.sampled_from([Fraction(1, 5), Fraction(3, 10), Fraction(1, 2), Fraction(1)])),
    )
    high = draw(st.sampled_from([Fraction(1, 100), Fraction(1, 20), Fraction(1, 5), Fraction(1)]))
    return Case(one_good(n, high, d))


@st.composite
def fair_coins(draw: st.DrawFn) -> Case:
    """Draw a fair coin with any range and an even number of rounds."""
    high = Fraction(1, draw(st.sampled_from([1, 3, 10, 100, 1000])))
    return Case(FairCoin(2 * draw(st.integers(1, 200_000)), high))


# Partial participation ------------------------------------------------------------------------------------------


@st.composite
def sampled_games(draw: st.DrawFn, imputed: str | None = None, wide: bool = False) -> Case:
    """Draw a game with partial participation; ``imputed``: a constant in the range, its middle or the best one."""
    low, high = draw(ranges(wide))
    n = draw(st.integers(2, 6))
    m = draw(st.integers(1, n))
    rounds = draw(st.integers(1, 60))
    if draw(st.booleans()):
        rows = draw(st.lists(st.tuples(*[st.sampled_from([low, high])] * n), min_size=1, max_size=3))
        game: ResponseTable | RandomResponses = ResponseTable(
            tuple(rows), (1,) * len(rows), high, low, max(1, rounds // len(rows)), n_participating=m
        )
    else:
        kind = draw(st.sampled_from(["coin", "race", "uniform"]))
        game = RandomResponses(kind, n, rounds, draw(st.integers(0, 1000)), high, low, n_participating=m)
    if imputed is None:
        return Case(game)
    middle, best = (low + high) / 2, 2 * (1 + low) * (1 + high) / (2 + low + high) - 1
    at = {"middle": middle, "best": best}.get(imputed) or draw(st.sampled_from([low, high, middle, best]))
    return Case(game, imputed_response=at)


@st.composite
def lonely(draw: st.DrawFn) -> Case:
    """Draw I1 with one client a round: nothing is learned."""
    n = draw(st.integers(2, 50))
    rounds = draw(st.integers(1, 5000))
    high = draw(st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]))
    return Case(vertex(n, rounds, high, n_participating=1))


# Short games for runs in balls ----------------------------------------------------------------------------------


@st.composite
def _short(draw: st.DrawFn) -> ResponseTable | RandomResponses:
    low, high = draw(ranges())
    if draw(st.booleans()):
        return draw(phases(low, high, 60))
    kind = draw(st.sampled_from(["coin", "race", "uniform"]))
    return RandomResponses(
        kind, draw(st.integers(2, 4)), draw(st.integers(1, 40)), draw(st.integers(0, 999)), high, low
    )


@st.composite
def short_newton(draw: st.DrawFn) -> Case:
    """Draw a short game with alpha and any beta up to the window of the curvature."""
    return case_at(draw(_short()), draw(st.sampled_from(["1/100", "1/10", 1, 4])))


@st.composite
def short_entropic(draw: st.DrawFn) -> Case:
    """Draw a short game with a rate for some L_s."""
    return Case(draw(_short()), learner_scale=draw(st.sampled_from(["1/10", "1/3", 1, 3])))


@st.composite
def ftrl_points(draw: st.DrawFn) -> Case:
    """Draw points, gradients and weights without restriction."""
    n, rounds = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    number = st.fractions(-3, 3, max_denominator=4)
    row = st.tuples(*[number] * n)
    points, gradients = draw(st.tuples(*[row] * (rounds + 1))), draw(st.tuples(*[row] * rounds))
    weights = draw(st.tuples(*[st.fractions(0, 3, max_denominator=4)] * (rounds + 1)))
    return Case(FtrlPoints(points, gradients, weights, draw(row)))
