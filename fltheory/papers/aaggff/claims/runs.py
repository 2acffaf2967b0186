"""Corollary A.3, Lemmas A.4, A.6 and A.7, and both theorems with the numbers of the run: the chain of the proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import Integer, Symbol

from fltheory.bound import Reading, Side
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.games.learner import Learner
from fltheory.games.player import Blurred
from fltheory.number import BALL, NotRational, Number, Ring
from fltheory.papers.aaggff import bounds, letters
from fltheory.papers.aaggff.algorithms import aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.claims.direct import always, drawn, of_instance
from fltheory.papers.aaggff.claims.newton import EVERYONE, at
from fltheory.papers.aaggff.data.instances import (
    TransformedLosses,
    alternation,
    coins,
    complement,
    horse_race,
    three_phase,
    two_phase,
    vertex,
)
from fltheory.papers.aaggff.exact import runs
from fltheory.problems.responses import RandomResponses
from fltheory.record import Data, rows, vector
from fltheory.runs.measures import DirectMeasure


def along(name: str, learner: Learner, value: Callable[[runs.Run, Case], Any]) -> DirectMeasure:
    """A ball of a run of the learner."""

    def compute(case: Case, ring: Ring) -> Any:
        if ring is not BALL:
            raise NotRational
        try:
            return value(runs.run_of(learner, case), case)
        except Blurred:
            return arb.nan()  # asks for more precision

    return DirectMeasure(name, compute)


def _limit(number: int, place: str, reading: Reading, conditions: Any, side: Side = "upper") -> Any:
    return bounds.bound(Integer(number), place, reading, conditions, side=side)


NEWTON_RUNS = (
    at(complement(5, 300), "1/2"),
    at(two_phase(400, "1/10"), "4/5"),
    at(two_phase(400, 1, low="1/5"), "1/20"),
    at(alternation(400), "1/4"),
    at(horse_race(3, 60), 1),
    at(vertex(4, 100), "1/10"),
    at(RandomResponses("uniform", 5, 100), "1/2"),
    at(TransformedLosses("weibull", 5, 80), 1),
)
ANY_CURVATURE = (
    *NEWTON_RUNS,
    at(complement(5, 300), 4, "5/4"),
    at(two_phase(400, "1/10"), "4/5", "5/2"),
    at(three_phase(2, "1/5", 100, "1/20"), "8/5", "5/4"),
)


def _entropic(game: Any, size: Any) -> Case:
    return Case(game, learner_scale=size)


ENTROPIC_RUNS = (
    _entropic(vertex(4, 100), "1/2"),
    _entropic(two_phase(400, 1), "1/3"),
    _entropic(alternation(1000), 1),
    _entropic(horse_race(3, 60), "1/2"),
    _entropic(coins(5, 100), "1/2"),
    _entropic(TransformedLosses("logistic", 5, 80), "1/4"),
)
NEWTON_GAMES, ENTROPIC_GAMES = drawn("games", "short_newton"), drawn("games", "short_entropic")


def _both(
    name: str, statement: str, value: Callable[[runs.Run, Case], Any], words: str, place: str
) -> tuple[Claim, ...]:
    limit = _limit(0, place, "printed", bounds.RANGE)
    return tuple(
        always(f"{name}-{short}", statement, limit, along(words, learner, value), cases, family, (EVERYONE,))
        for short, learner, cases, family in (
            ("newton", aaggff_s, ANY_CURVATURE, NEWTON_GAMES),
            ("entropic", aaggff_d_exact, ENTROPIC_RUNS, ENTROPIC_GAMES),
        )
    )


def _below_linearised(run: runs.Run, case: Case) -> Any:
    if all(run.alike):
        return arb(0)  # both sides are 0
    return runs.regret(run, case) - runs.linearised(run)


# Lemma A.4, in rationals ----------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class FtrlPoints(Data):
    """Any points p^(1..T+1) and a comparator, gradients of linear losses, and R^(t) = weights[t]/2 |p|^2, t = 1..T+1."""

    points: Any
    gradients: Any
    weights: Any
    comparator: Any

    def __post_init__(self) -> None:
        self._set(points=rows(self.points), gradients=rows(self.gradients), weights=vector(self.weights))
        self._set(comparator=vector(self.comparator))
        if not len(self.points) == len(self.weights) == len(self.gradients) + 1:
            raise ValueError("points and weights: one more than gradients")
        if len({len(row) for row in (*self.points, *self.gradients, self.comparator)}) != 1:
            raise ValueError("points, gradients and comparator must have the same length")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {letters.T: len(self.gradients), letters.K: len(self.comparator)}


def _dot(a: Any, b: Any) -> Fraction:
    return sum((Fraction(x) * y for x, y in zip(a, b, strict=True)), Fraction(0))


def ftrl_sides(data: FtrlPoints, keep_last: bool = False) -> tuple[Fraction, Fraction]:
    """Both sides of Lemma A.4; ``keep_last``: R^(T+1) is R^(T)."""
    weights = [Fraction(w) for w in data.weights]
    if keep_last:
        weights[-1] = weights[-2]
    p, g, star = data.points, data.gradients, data.comparator

    def regulariser(t: int, x: Any) -> Fraction:
        return weights[t] / 2 * _dot(x, x)

    def objective(t: int, x: Any) -> Fraction:
        return sum((_dot(g[s], x) for s in range(t)), regulariser(t, x))

    T = len(g)
    left = sum((_dot(g[t], p[t]) - _dot(g[t], star) for t in range(T)), Fraction(0))
    right = regulariser(T, star) - regulariser(0, p[0]) + objective(T, p[T]) - objective(T, star)
    right += sum((objective(t, p[t]) - objective(t + 1, p[t + 1]) + _dot(g[t], p[t]) for t in range(T)), Fraction(0))
    return left, right


def _identity(keep_last: bool) -> DirectMeasure:
    def difference(data: FtrlPoints) -> Fraction:
        left, right = ftrl_sides(data, keep_last)
        return left - right

    return of_instance("left side - right side", difference)


POINTS = (
    Case(FtrlPoints((("1/2", "1/2"), (0, 1), ("1/3", "2/3")), ((1, -2), ("1/2", 3)), (1, 2, 5), (1, 0))),
    Case(FtrlPoints(((1, 0, 0), ("1/4", "1/4", "1/2")), ((0, -1, 2),), ("1/2", 7), ("1/3", "1/3", "1/3"))),
    Case(FtrlPoints(((2, 0), (0, 5), (1, 1), (-1, 3)), ((1, 0), (0, 1), (-1, -1)), (1, 0, 3, 2), ("1/2", "1/2"))),
)
IDENTITY = tuple(
    always(
        f"A.4{suffix}",
        statement,
        _limit(0, "Lemma A.4", "printed", (), "equal"),
        _identity(keep),
        POINTS,
        drawn("games", "ftrl_points"),
    )
    for suffix, keep, statement in (
        ("", False, "The regret of any points is the FTRL identity's right side."),
        ("-last", True, "The same with R^(T) for R^(T+1), which the left side does not contain."),
    )
)


def _of_eigenvalues(reading: Reading, centred: bool, words: str) -> Claim:
    def ratio(run: runs.Run, case: Case) -> Any:
        return runs.regret(run, case) / runs.newton_limit(run, centred)

    return always(
        "T5.1-run",
        f"The regret is at most alpha/2 (1 - 1/K) + sum log(1 + lambda/alpha)/(2 beta), {words}.",
        _limit(1, "Theorem 5.1", reading, bounds.WINDOW),
        along("regret / its limit", aaggff_s, ratio),
        NEWTON_RUNS,
        NEWTON_GAMES,
        (EVERYONE,),
        kind="upper bound",
    )


CLAIMS: tuple[Claim, ...] = (
    *_both(
        "A.3",
        "The regret is at most the linearised regret.",
        _below_linearised,
        "regret - linearised regret",
        "Corollary A.3",
    ),
    *IDENTITY,
    always(
        "A.6",
        "Each round of the online Newton step costs at most |g|^2/2 in the norm of the inverse of B^(t).",
        _limit(0, "Lemma A.6", "printed", bounds.RANGE),
        along("largest excess of a round", aaggff_s, lambda run, case: runs.proximal_shortfall(run)),
        ANY_CURVATURE,
        NEWTON_GAMES,
        (EVERYONE,),
    ),
    always(
        "A.7",
        "Each round of entropic FTRL costs at most |g|_inf^2 / (2 eta^(t)) and the change of the regulariser.",
        _limit(0, "Lemma A.7", "printed", bounds.RANGE),
        along("largest excess of a round", aaggff_d_exact, lambda run, case: runs.progress_shortfall(run)),
        ENTROPIC_RUNS,
        ENTROPIC_GAMES,
        (EVERYONE,),
    ),
    _of_eigenvalues("explicit", False, "lambda of beta sum g g'"),
    _of_eigenvalues("sharpened", True, "lambda of the centred gradients"),
    always(
        "T5.1-reverse",
        "Against its own last decision the regret is at least sum D(u_t), for any alpha and beta.",
        _limit(0, "Theorem 5.1", "sharpened", bounds.RANGE, "lower"),
        along("regret against p^(T+1) - sum D(u_t)", aaggff_s, lambda run, case: runs.surplus_of_last(run)),
        ANY_CURVATURE,
        NEWTON_GAMES,
        (EVERYONE,),
        kind="lower bound",
    ),
    always(
        "T5.2-run",
        "The regret is at most eta^(T) log K + sum |g|_inf^2 / (2 eta^(t)).",
        _limit(1, "Theorem 5.2", "explicit", bounds.RANGE),
        along(
            "regret / its limit", aaggff_d_exact, lambda run, case: runs.regret(run, case) / runs.entropic_limit(run)
        ),
        ENTROPIC_RUNS,
        ENTROPIC_GAMES,
        (EVERYONE,),
        kind="upper bound",
    ),
)
