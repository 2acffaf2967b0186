"""Definition 4.2 and Appendix B.1: the response (8), its six distribution functions, and Table A1."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from sympy import Rational

from fltheory.claim import Claim
from fltheory.instance import Case
from fltheory.measure import NUMBER, DirectMeasure
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.papers.aaggff import transforms
from fltheory.papers.aaggff.bounds import bound
from fltheory.papers.aaggff.bounds_unification import HALF_UNIT, ONE, ZERO, equal, plain
from fltheory.papers.aaggff.claims.direct import always, drawn, of_instance
from fltheory.papers.aaggff.instances_responses import Losses, Printed
from fltheory.symbols import n_clients as K
from fltheory.symbols import response_high as C2
from fltheory.symbols import response_low as C1

DEFINITION, B1, TABLE = "Definition 4.2", "Appendix B.1", "Table A1"
EXAMPLE = ("1/100", "1/10", "1/50")  # the losses of the example
WIDE = (0, "1/10", 3, 1, "1/10", 7)


def in_balls(name: str, compute: Any) -> DirectMeasure:
    """A quantity of balls that has no rational value."""

    def measured(case: Case, ring: Ring) -> Any:
        if ring is not BALL:
            raise NotRational
        return compute(case)

    return DirectMeasure(name, measured, NUMBER)


def _largest(values: Any) -> Any:
    return reduce(lambda a, b: a.max(b), values)


def _responses(case: Case) -> Any:
    at: Any = case.instance
    return transforms.response(at.array, None, case.constants[C1], case.constants[C2], at.function)


# Order and range ----------------------------------------------------------------------------------------------------------------


def disorder(case: Case) -> Any:
    """The largest r_i - r_j where F_i < F_j, next to each other in the order of the losses."""
    at: Any = case.instance
    values = sorted(set(at.losses))
    found = dict(zip(at.losses, at.function(at.inputs), strict=True))
    return _largest([found[a] - found[b] for a, b in pairwise(values)])


def least(case: Case, ring: Ring) -> Any:
    """The smallest response; rational where it is C1 itself."""
    at: Any = case.instance
    if ring is BALL:
        return -_largest([-r for r in _responses(case)])
    if min(at.losses) > 0 or not at.function(np.array([Fraction(0)], dtype=object))[0].is_zero():
        raise NotRational
    return ring.scalar(case.constants[C1])


def mean_input(at: Losses) -> Any:
    """The mean of F_i over their mean."""
    return sum(at.inputs, Fraction(0)) / len(at.inputs)


def hazard_gap(at: Losses) -> Any:
    """Weibull's -log(1 - CDF) with shape 1 less the exponential one, the largest over the inputs."""
    return max(abs(transforms.weibull_hazard(x, 1) - transforms.exponential_hazard(x)) for x in at.inputs)


def _each(losses: Any, **settings: Any) -> tuple[Case, ...]:
    return tuple(Case(Losses(losses, name), **settings) for name in transforms.CDFS)


_LOSSES = drawn("responses", "losses")
_RANGED = drawn("responses", "losses", ranged=True)
_UNIT: dict[str, Any] = {"response_low": 0, "response_high": 1}
_SILO: dict[str, Any] = {"response_low": "1/10", "response_high": "1/3"}
_IN_RANGE = (C2 > C1,)
RESPONSES = (
    always("B1", "Every CDF is strictly increasing: (8) keeps the order of the losses", plain(ZERO, B1),
           in_balls("max rᵢ - rⱼ over Fᵢ < Fⱼ", disorder), (*_each(EXAMPLE), *_each(WIDE)),
           drawn("responses", "losses", differing=True)),
    always("B1-range", "r <= C₂: no CDF exceeds 1", plain(C2, DEFINITION, conditions=_IN_RANGE),
           in_balls("max r", lambda case: _largest(_responses(case))), (*_each(EXAMPLE, **_UNIT), *_each(WIDE, **_SILO)),
           _RANGED),
    always("B1-least", "r >= C₁: no CDF is below 0", bound(C1, DEFINITION, conditions=_IN_RANGE, side="lower"),
           DirectMeasure("min r", least, NUMBER),
           (*_each(EXAMPLE, **_SILO), Case(Losses((0, 1), "exponential"), **_SILO)), _RANGED,
           remark="At a loss of 0 Gumbel's, the logistic and the normal one are still above C₁."),
    always("B2", "Inputs are centred on 1: the mean of Fᵢ/F̄ over the clients that are seen is 1", equal(ONE, B1),
           of_instance("mean Fᵢ/F̄", mean_input), tuple(Case(Losses(v)) for v in (EXAMPLE, WIDE, (5,))), _LOSSES,
           remark='"In expectation" over the draw of a client that is seen; exact in every round.'),
    always("B2-range", "Fᵢ/F̄ is at most the number of clients that are seen", plain(K, B1, "explicit"),
           of_instance("max Fᵢ/F̄", lambda at: max(at.inputs)),
           tuple(Case(Losses(v)) for v in ((0, 0, 4), WIDE, EXAMPLE)), _LOSSES),
    always("B3", "The exponential CDF is Weibull's with shape 1: their -log(1 - CDF) agree", equal(ZERO, B1),
           of_instance("max |x¹ - x|", hazard_gap), tuple(Case(Losses(v)) for v in (EXAMPLE, WIDE)), _LOSSES),
)  # fmt: skip

# Table A1 -----------------------------------------------------------------------------------------------------------------------

DIGITS = {
    "weibull": (".05", "1", ".19"),
    "frechet": (".01", ".65", ".11"),
    "gumbel": (".12", ".76", ".18"),
    "exponential": (".21", ".90", ".37"),
    "logistic": (".32", ".79", ".37"),
    "normal": (".22", ".90", ".29"),
}
RIGHT = {**DIGITS, "normal": (".22", ".90", ".30")}
INPUTS = (".23", "2.31", ".46")  # and their mean .043


def _rows(table: Any) -> tuple[Case, ...]:
    return tuple(Case(Printed(Losses(EXAMPLE, name), digits)) for name, digits in table.items())


ROWS, RIGHT_ROWS = _rows(DIGITS), _rows(RIGHT)
NORMAL = next(case for case in ROWS if case not in RIGHT_ROWS)  # its last entry


def off_by(row: Printed, inputs: Any) -> Any:
    """The largest distance of a printed entry to the CDF of its input."""
    found = row.example.function(inputs)
    return _largest([abs(v - to_ball(d)) for v, d in zip(found, row.digits, strict=True)])


def inputs_off_by(row: Printed) -> Any:
    """The largest distance of a printed input to F_i over the mean."""
    return max(abs(x - d) for x, d in zip(row.example.inputs, row.digits, strict=True))


def _two_digits(values: Any) -> Any:
    return np.array([Fraction(round(v * 100), 100) for v in values], dtype=object)


def rounded_off_by(case: Case) -> Any:
    """The same of inputs that are rounded to two digits first."""
    row: Any = case.instance
    return off_by(row, _two_digits(row.example.inputs))


def above_the_largest(case: Case) -> Any:
    """The chance of a loss above the largest one, by the CDF."""
    at: Any = case.instance
    return 1 - _largest(at.function(at.inputs))


_OFF = in_balls("max |CDF(x) - printed|", lambda case: off_by(case.instance, case.instance.example.inputs))
_CHANCE = in_balls("1 - CDF(max x)", above_the_largest)
CHANCE = Rational(35, 100)
_TABLE = drawn("responses", "rows")
TABLE_A1 = (
    always("A1", "Every entry of Table A1 is the value of its CDF, to two digits", plain(HALF_UNIT, TABLE), _OFF, (NORMAL,),
           _TABLE, expected="violated", remark="The normal CDF of 6/13 is .2951, printed .29. The other 17 entries are right."),
    always("A1", "The same with .30 for the last entry", plain(HALF_UNIT, TABLE, "corrected"), _OFF, RIGHT_ROWS,
           drawn("responses", "rows", right=True)),
    always("A1-rounded", "The .29 of Table A1 is the value at the rounded input .46", plain(HALF_UNIT, TABLE, "explicit"),
           in_balls("max |CDF(rounded x) - printed|", rounded_off_by),
           (NORMAL,), drawn("responses", "rows", last=True)),
    always("A1-inputs", "The inputs are .23, 2.31 and .46, to two digits", plain(HALF_UNIT, B1),
           of_instance("max |Fᵢ/F̄ - printed|", inputs_off_by), (Case(Printed(Losses(EXAMPLE), INPUTS)),),
           drawn("responses", "inputs")),
    always("B4", "By Weibull's CDF the largest loss is so in 100 % of the cases, to two digits", plain(HALF_UNIT, B1),
           _CHANCE, (Case(Losses(EXAMPLE)),), drawn("responses", "example", cdf="weibull"), remark="By .9951, not 1."),
    always("B4-frechet", "By Fréchet's CDF there is a 35 % chance of a larger loss, to two digits",
           (plain(CHANCE + HALF_UNIT, B1), bound(CHANCE - HALF_UNIT, B1, conditions=(), side="lower")), _CHANCE,
           (Case(Losses(EXAMPLE, "frechet")),), drawn("responses", "example", cdf="frechet")),
)  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*RESPONSES, *TABLE_A1)
