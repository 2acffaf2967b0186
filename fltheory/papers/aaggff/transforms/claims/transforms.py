"""Definition 4.2 and Appendix B.1: the response (8), its six distribution functions, and Table A1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from sympy import Eq, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, imported_late, printed, quantity, requires
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import AsVector
from fltheory.number import Number, to_ball
from fltheory.number.mixed import Mixed, largest, smallest
from fltheory.papers.aaggff.experiments.tables import EXAMPLE, Row
from fltheory.papers.aaggff.notation import C1, C2, K
from fltheory.papers.aaggff.paper import lemma
from fltheory.papers.aaggff.transforms import closed_forms
from fltheory.papers.aaggff.transforms.cases import Losses

DEFINITION, B1, TABLE = "Definition 4.2", "Appendix B.1", "Table A1"
HALF_UNIT = Rational(1, 200)  # of the second digit
WIDE = (0, "1/10", 3, 1, "1/10", 7)

families = imported_late("fltheory.papers.aaggff.transforms.families")


def _responses(one: Losses, c: Constants) -> np.ndarray:
    return closed_forms.response(one.array, None, c.response_low, c.response_high, one.function)


# Order and range ----------------------------------------------------------------------------------------------------------------


def _each(losses: AsVector, **settings: object) -> tuple[Case, ...]:
    return tuple(Case(Losses(losses, name), **settings) for name in closed_forms.CDFS)


UNIT: dict[str, Any] = {"response_low": 0, "response_high": 1}
SILO: dict[str, Any] = {"response_low": "1/10", "response_high": "1/3"}
LOSSES: dict[str, Any] = {"family": lambda: families().losses()}
RANGED: dict[str, Any] = {"family": lambda: families().losses(ranged=True)}


def disorder(one: Losses, c: Constants) -> Mixed:
    values = sorted(set(one.losses))
    found = dict(zip(one.losses, one.function(one.inputs), strict=True))
    return largest([found[a] - found[b] for a, b in pairwise(values)])


def lowest(one: Losses, c: Constants) -> Number:
    if min(one.losses) <= 0 and one.function(np.array([Fraction(0)], dtype=object))[0].is_zero():
        return c.response_low
    return smallest(_responses(one, c))


RESPONSES = (
    lemma("B1", B1, "max rᵢ - rⱼ over Fᵢ < Fⱼ", disorder, cases=(*_each(EXAMPLE), *_each(WIDE)),
        family=lambda: families().losses(differing=True)).printed(
        "Every CDF is strictly increasing: (8) keeps the order of the losses", quantity <= 0),
    lemma("B1-range", DEFINITION, "max r", lambda one, c: largest(_responses(one, c)), **RANGED).printed(
        "r <= C₂: no CDF exceeds 1", quantity <= C2, given=[C2 > C1],
        cases=(*_each(EXAMPLE, **UNIT), *_each(WIDE, **SILO))),
    lemma("B1-least", DEFINITION, "min r", lowest, **RANGED).printed("r >= C₁: no CDF is below 0", C1 <= quantity,
        given=[C2 > C1], cases=(*_each(EXAMPLE, **SILO), Case(Losses((0, 1), "exponential"), **SILO)),
        remark="At a loss of 0 Gumbel's, the logistic and the normal one are still above C₁."),
    lemma("B2", B1, "mean Fᵢ/F̄", lambda one, c: sum(one.inputs, Fraction(0)) / len(one.inputs), **LOSSES).printed(
        "Inputs are centred on 1: the mean of Fᵢ/F̄ over the clients that are seen is 1", Eq(quantity, 1),
        cases=tuple(Case(Losses(v)) for v in (EXAMPLE, WIDE, (5,))),
        remark='"In expectation" over the draw of a client that is seen; exact in every round.'),
    lemma("B2-range", B1, "max Fᵢ/F̄", lambda one, c: max(one.inputs), **LOSSES).explicit(
        "Fᵢ/F̄ is at most the number of clients that are seen", quantity <= K,
        cases=tuple(Case(Losses(v)) for v in ((0, 0, 4), WIDE, EXAMPLE))),
    lemma("B3", B1, "max |x¹ - x|",
        lambda one, c: max(abs(closed_forms.weibull_hazard(x, 1) - closed_forms.exponential_hazard(x)) for x in one.inputs),
        **LOSSES).printed("The exponential CDF is Weibull's with shape 1: their -log(1 - CDF) agree", Eq(quantity, 0),
        cases=tuple(Case(Losses(v)) for v in (EXAMPLE, WIDE))),
)

# Table A1 -----------------------------------------------------------------------------------------------------------------------

ROWS = tuple(Case(Row(name)) for name in closed_forms.CDFS)
NORMAL = Case(Row("normal"))  # its last entry
CHANCE = Rational(35, 100)


def off_by(found: np.ndarray, digits: Sequence[Fraction]) -> Mixed:
    """Return the largest distance of balls to the digits in print."""
    return largest([abs(v - to_ball(d)) for v, d in zip(found, digits, strict=True)])


def _by(cdf: str) -> Assumption:
    return requires(f"the {cdf} CDF", lambda one, c: one.cdf != cdf and f"the CDF is {one.cdf}")


TABLE_A1 = (
    lemma("TA1", TABLE, "max |CDF(x) - printed|", lambda one, c: off_by(one.values(one.inputs), one.digits)).printed(
        "Every entry of Table A1 is the value of its CDF, to two digits", quantity <= HALF_UNIT, counterexamples=(NORMAL,),
        remark="The normal CDF of 6/13 is .2951, printed .29. The other 17 entries are right."),
    lemma("TA1", TABLE, "max |CDF(x) - entry|", lambda one, c: off_by(one.values(one.inputs), one.right_digits)).corrected(
        "The same with .30 for the last entry", quantity <= HALF_UNIT, cases=ROWS),
    lemma("TA1-rounded", TABLE, "max |CDF(rounded x) - printed|",
        lambda one, c: off_by(one.values(one.printed_inputs), one.digits)).explicit(
        "The .29 of Table A1 is the value at the rounded input .46", quantity <= HALF_UNIT, assumptions=[_by("normal")],
        cases=(NORMAL,)),
    lemma("TA1-inputs", B1, "max |Fᵢ/F̄ - printed|",
        lambda one, c: max(abs(x - d) for x, d in zip(one.inputs, one.printed_inputs, strict=True)),
        cases=ROWS[:1]).printed("The inputs are .23, 2.31 and .46, to two digits", quantity <= HALF_UNIT),
    *lemma("B4", B1, "1 - CDF(max x)", lambda one, c: 1 - largest(one.values(one.inputs))).readings(
        printed("By Weibull's CDF the largest loss is so in 100 % of the cases, to two digits", quantity <= HALF_UNIT,
            assumptions=[_by("weibull")], cases=ROWS[:1], remark="By .9951, not 1."),
        printed("By Fréchet's CDF there is a 35 % chance of a larger loss, to two digits",
            quantity <= CHANCE + HALF_UNIT, CHANCE - HALF_UNIT <= quantity, assumptions=[_by("frechet")],
            cases=ROWS[1:2], id="B4-frechet")),
)

CLAIMS: tuple[Claim, ...] = (*RESPONSES, *TABLE_A1)
