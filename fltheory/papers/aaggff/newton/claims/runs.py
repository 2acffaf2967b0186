"""Corollary A.3, Lemmas A.4, A.6 and A.7, and both theorems with the numbers of the run: the steps of the proofs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, case_measure, quantity
from fltheory.games.environment import OnlineGame
from fltheory.games.player import ImpreciseState, Learner
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.algorithms import aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.instances.games import (
    TransformedLosses,
    alternation,
    case_at,
    coins,
    complement,
    horse_race,
    three_phase,
    two_phase,
    vertex,
)
from fltheory.papers.aaggff.instances.lemmas import FtrlPoints
from fltheory.papers.aaggff.newton.claims.newton import EVERYONE, families
from fltheory.papers.aaggff.newton.closed_forms import runs
from fltheory.papers.aaggff.paper import lemma, measured
from fltheory.problems.responses import RandomResponses
from fltheory.runs.measures import DirectMeasure

Measured = Callable[[runs.Run, Case], Any]


def run_measure(name: str, learner: Learner, value: Measured) -> DirectMeasure:
    """Return the measure of a run of the learner, in balls."""

    def found(case: Case) -> Any:
        try:
            return value(runs.run_of(learner, case), case)
        except ImpreciseState:
            return arb.nan()  # asks for more precision

    return case_measure(name, found)


NEWTON_RUNS = (
    case_at(complement(5, 300), "1/2"),
    case_at(two_phase(400, "1/10"), "4/5"),
    case_at(two_phase(400, 1, low="1/5"), "1/20"),
    case_at(alternation(400), "1/4"),
    case_at(horse_race(3, 60), 1),
    case_at(vertex(4, 100), "1/10"),
    case_at(RandomResponses("uniform", 5, 100), "1/2"),
    case_at(TransformedLosses("weibull", 5, 80), 1),
)
ANY_CURVATURE = (
    *NEWTON_RUNS,
    case_at(complement(5, 300), 4, "5/4"),
    case_at(two_phase(400, "1/10"), "4/5", "5/2"),
    case_at(three_phase(2, "1/5", 100, "1/20"), "8/5", "5/4"),
)


def _entropic(game: OnlineGame, size: Number) -> Case:
    return Case(game, learner_scale=size)


ENTROPIC_RUNS = (
    _entropic(vertex(4, 100), "1/2"),
    _entropic(two_phase(400, 1), "1/3"),
    _entropic(alternation(1000), 1),
    _entropic(horse_race(3, 60), "1/2"),
    _entropic(coins(5, 100), "1/2"),
    _entropic(TransformedLosses("logistic", 5, 80), "1/4"),
)
OF_NEWTON: dict[str, Any] = {"assumptions": [EVERYONE], "cases": ANY_CURVATURE, "family": lambda: families().short_newton()}
OF_ENTROPIC: dict[str, Any] = {"assumptions": [EVERYONE], "cases": ENTROPIC_RUNS, "family": lambda: families().short_entropic()}


def _below_linearised(run: runs.Run, case: Case) -> arb:
    if all(run.alike):
        return arb(0)  # both sides are 0
    return runs.regret(run, case) - runs.linearised_regret(run)


def _runs(id: str, place: str, name: str, learner: Learner, value: Measured, **shared: Any) -> Statement:
    return measured(id, place, run_measure(name, learner, value), **shared)


def _beyond_linearised(id: str, learner: Learner, **shared: Any) -> Claim:
    beyond = _runs(id, "Corollary A.3", "regret - linearised regret", learner, _below_linearised, **shared)
    return beyond.printed("The regret is at most the linearised regret.", quantity <= 0, given=bounds.RANGE)


BELOW_LINEARISED = (
    _beyond_linearised("A.3-newton", aaggff_s, **OF_NEWTON),
    _beyond_linearised("A.3-entropic", aaggff_d_exact, **OF_ENTROPIC),
)

# Lemma A.4, in rationals ----------------------------------------------------------------------------------------


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Fraction:
    return sum((Fraction(x) * y for x, y in zip(a, b, strict=True)), Fraction(0))


def ftrl_sides(data: FtrlPoints, keep_last: bool = False) -> tuple[Fraction, Fraction]:
    """Return both sides of Lemma A.4; ``keep_last``: R^(T+1) is R^(T)."""
    weights = [Fraction(w) for w in data.weights]
    if keep_last:
        weights[-1] = weights[-2]
    p, g, star = data.points, data.gradients, data.comparator

    def regulariser(t: int, x: Sequence[Number]) -> Fraction:
        return weights[t] / 2 * _dot(x, x)

    def objective(t: int, x: Sequence[Number]) -> Fraction:
        return sum((_dot(g[s], x) for s in range(t)), regulariser(t, x))

    end = len(g)
    left = sum((_dot(g[t], p[t]) - _dot(g[t], star) for t in range(end)), Fraction(0))
    right = regulariser(end, star) - regulariser(0, p[0]) + objective(end, p[end]) - objective(end, star)
    right += sum((objective(t, p[t]) - objective(t + 1, p[t + 1]) + _dot(g[t], p[t]) for t in range(end)), Fraction(0))
    return left, right


POINTS = (
    Case(FtrlPoints((("1/2", "1/2"), (0, 1), ("1/3", "2/3")), ((1, -2), ("1/2", 3)), (1, 2, 5), (1, 0))),
    Case(FtrlPoints(((1, 0, 0), ("1/4", "1/4", "1/2")), ((0, -1, 2),), ("1/2", 7), ("1/3", "1/3", "1/3"))),
    Case(FtrlPoints(((2, 0), (0, 5), (1, 1), (-1, 3)), ((1, 0), (0, 1), (-1, -1)), (1, 0, 3, 2), ("1/2", "1/2"))),
)
OF_POINTS: dict[str, Any] = {"cases": POINTS, "family": lambda: families().ftrl_points()}


def off_identity(one: FtrlPoints, c: Constants) -> Fraction:
    left, right = ftrl_sides(one)
    return left - right


def off_identity_of_the_last(one: FtrlPoints, c: Constants) -> Fraction:
    left, right = ftrl_sides(one, keep_last=True)
    return left - right


def _of_eigenvalues(centred: bool) -> Statement:
    def ratio(run: runs.Run, case: Case) -> arb:
        return runs.regret(run, case) / runs.newton_limit(run, centred)

    known = {**OF_NEWTON, "cases": NEWTON_RUNS, "kind": "upper bound"}
    return _runs("T5.1-run", "Theorem 5.1", "regret / its limit", aaggff_s, ratio, **known)


EXCESS = "largest excess of a round"
CLAIMS: tuple[Claim, ...] = (
    *BELOW_LINEARISED,
    lemma("A.4", "Lemma A.4", "left side - right side", off_identity, **OF_POINTS).printed(
        "The regret of any points is the FTRL identity's right side.", Eq(quantity, 0)),
    lemma("A.4-last", "Lemma A.4", "left side - right side", off_identity_of_the_last, **OF_POINTS).printed(
        "The same with R^(T) for R^(T+1), which the left side does not contain.", Eq(quantity, 0)),
    _runs("A.6", "Lemma A.6", EXCESS, aaggff_s, lambda run, case: runs.proximal_shortfall(run), **OF_NEWTON).printed(
        "Each round of the online Newton step costs at most |g|^2/2 in the norm of the inverse of B^(t).",
        quantity <= 0, given=bounds.RANGE),
    _runs("A.7", "Lemma A.7", EXCESS, aaggff_d_exact, lambda run, case: runs.progress_shortfall(run), **OF_ENTROPIC).printed(
        "Each round of entropic FTRL costs at most |g|_inf^2 / (2 eta^(t)) plus the change of the regulariser.",
        quantity <= 0, given=bounds.RANGE),
    _of_eigenvalues(False).explicit(
        "The regret is at most alpha/2 (1 - 1/K) + sum log(1 + lambda/alpha)/(2 beta), lambda of beta sum g g'.",
        quantity <= 1, given=bounds.WINDOW),
    _of_eigenvalues(True).strengthened(
        "The regret is at most alpha/2 (1 - 1/K) + sum log(1 + lambda/alpha)/(2 beta), lambda of the centred gradients.",
        quantity <= 1, given=bounds.WINDOW),
    _runs("T5.1-reverse", "Theorem 5.1", "regret against p^(T+1) - sum D(u_t)", aaggff_s,
        lambda run, case: runs.surplus_of_last(run), kind="lower bound", **OF_NEWTON).strengthened(
        "Against its own last decision the regret is at least sum D(u_t), for any alpha and beta.", quantity >= 0,
        given=bounds.RANGE),
    _runs("T5.2-run", "Theorem 5.2", "regret / its limit", aaggff_d_exact,
        lambda run, case: runs.regret(run, case) / runs.entropic_limit(run), kind="upper bound",
        **OF_ENTROPIC).explicit("The regret is at most eta^(T) log K + sum |g|_inf^2 / (2 eta^(t)).", quantity <= 1,
        given=bounds.RANGE),
)
