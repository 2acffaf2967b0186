"""Definition 2.1: client-level fairness as a spread of performances, by the gap, the variance and the Gini coefficient.

The definition is informal, uniformly good performance, and says that uniformity can be measured by the spread. Each
claim adds its own reading.
"""

from __future__ import annotations

from fractions import Fraction

from sympy import Integer, Rational

from fltheory.claims.statement import Constants, quantity, requires
from fltheory.model.case import Case
from fltheory.papers.aaggff.notation import K
from fltheory.papers.aaggff.paper import lemma
from fltheory.papers.aaggff.practice.cases import Performances, TwoModels
from fltheory.papers.aaggff.practice.closed_forms import fairness

DEFINITION = "Definition 2.1"
APART = requires("some clients are served better than others",
    lambda one, c: len(set(one.performance)) == 1 and "all alike")
MODELS = tuple(
    Case(Performances(row)) for row in ((0, 1), (0, 1, 1, "1/2"), (3, "1/2", "1/2", "1/2"), (5, 6), (0, "1/2", "1/2", 1))
)


def variance_by_gap(one: Performances, c: Constants) -> Fraction:
    gap = Fraction(fairness.parity_gap(one.row))
    return Fraction(fairness.variance(one.row)) / gap**2


def gini_by_gap(one: Performances, c: Constants) -> Fraction:
    gap = Fraction(fairness.parity_gap(one.row))
    return Fraction(fairness.gini(one.row)) / 100 * Fraction(fairness.mean(one.row)) / gap


def shortfall(one: Performances, c: Constants) -> Fraction:
    lost = Fraction(fairness.mean(one.row)) - Fraction(fairness.worst(one.row))
    return lost / Fraction(fairness.parity_gap(one.row))


def worse_though_fairer(one: TwoModels, c: Constants) -> Fraction:
    first, second = one.rows
    gaps = [Fraction(fairness.parity_gap(row)) for row in one.rows]
    if gaps[0] == gaps[1]:
        return Fraction(0)
    fair, other = (first, second) if gaps[0] < gaps[1] else (second, first)
    return Fraction(fairness.worst(other)) - Fraction(fairness.worst(fair))


def agreement(one: TwoModels, c: Constants) -> int:
    first, second = one.rows
    by_gap, by_gini = (f(first) - f(second) for f in (fairness.parity_gap, fairness.gini))
    return _sign(by_gap) * _sign(by_gini)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


CLAIMS = (
    lemma("D2.1", DEFINITION, "variance / gap²", variance_by_gap, assumptions=[APART], cases=MODELS).explicit(
        "Spread as variance and as gap: gap²/(2K) <= variance <= gap²/4, so both are 0 only where all are served alike",
        1 / (2 * K) <= quantity, Rational(1, 4) >= quantity),
    lemma("D2.1-gini", DEFINITION, "Gini coefficient · mean / gap", gini_by_gap, assumptions=[APART], cases=MODELS).explicit(
        "Spread as Gini coefficient and as gap: (K - 1)/K²·gap <= Gini·mean <= gap/4", (K - 1) / K**2 <= quantity,
        Rational(1, 4) >= quantity),
    lemma("D2.1-good", DEFINITION,
        "the worst client's loss by the model with the smaller gap, 0 where the gaps are the same",
        worse_though_fairer).strict(
        "Of two models the one with the smaller spread does not serve its worst client worse", quantity <= 0,
        counterexamples=(Case(TwoModels((1, 1), (2, 3))), Case(TwoModels((0, 0, 1), (1, 3, 3)))),
        remark="The definition asks for uniformly good performance; of the spread it says that it measures uniformity."),
    lemma("D2.1-good", DEFINITION, "(mean - worst) / gap", shortfall, assumptions=[APART], cases=MODELS).corrected(
        "mean - worst is at most (1 - 1/K)·gap: a good average with a small spread serves the worst client well",
        quantity <= 1 - 1 / K),
    lemma("D2.1-order", DEFINITION,
        "the order of both models by their gaps times that by their Gini coefficients, each 1, 0 or -1",
        agreement).strict("Which of two models is fairer is the same by every measure of the spread",
        Integer(0) <= quantity, counterexamples=(Case(TwoModels((1, 2), (10, 12))), Case(TwoModels((1, 1, 2), (9, 9, 11)))),
        remark="The Gini coefficient is relative to the mean, the gap is not: Tables 2 and 5 give both."),
)
