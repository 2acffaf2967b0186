"""Definition 4.2 and Appendix B.1: the response (8), its six distribution functions, and Table A1."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from sympy import Rational

from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.papers.aaggff.bounds import bound
from fltheory.papers.aaggff.bounds.unification import HALF_UNIT, ONE, ZERO, equal, plain
from fltheory.papers.aaggff.claims.direct import always, drawn, of_instance
from fltheory.papers.aaggff.data.instances_responses import Losses
from fltheory.papers.aaggff.exact import transforms
from fltheory.papers.aaggff.experiments.tables import EXAMPLE, Row
from fltheory.papers.aaggff.letters import C1, C2, K
from fltheory.runs.measures import NUMBER, DirectMeasure

DEFINITION, B1, TABLE = "Definition 4.2", "Appendix B.1", "Table A1"
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
    always(
        "B1",
        "Every CDF is strictly increasing: (8) keeps the order of the losses",
        plain(ZERO, B1),
        in_balls("max rᵢ - rⱼ over Fᵢ < Fⱼ", disorder),
        (*_each(EXAMPLE), *_each(WIDE)),
        drawn("responses", "losses", differing=True),
    ),
    always(
        "B1-range",
        "r <= C₂: no CDF exceeds 1",
        plain(C2, DEFINITION, conditions=_IN_RANGE),
        in_balls("max r", lambda case: _largest(_responses(case))),
        (*_each(EXAMPLE, **_UNIT), *_each(WIDE, **_SILO)),
        _RANGED,
    ),
    always(
        "B1-least",
        "r >= C₁: no CDF is below 0",
        bound(C1, DEFINITION, conditions=_IN_RANGE, side="lower"),
        DirectMeasure("min r", least, NUMBER),
        (*_each(EXAMPLE, **_SILO), Case(Losses((0, 1), "exponential"), **_SILO)),
        _RANGED,
        remark="At a loss of 0 Gumbel's, the logistic and the normal one are still above C₁.",
    ),
    always(
        "B2",
        "Inputs are centred on 1: the mean of Fᵢ/F̄ over the clients that are seen is 1",
        equal(ONE, B1),
        of_instance("mean Fᵢ/F̄", mean_input),
        tuple(Case(Losses(v)) for v in (EXAMPLE, WIDE, (5,))),
        _LOSSES,
        remark='"In expectation" over the draw of a client that is seen; exact in every round.',
    ),
    always(
        "B2-range",
        "Fᵢ/F̄ is at most the number of clients that are seen",
        plain(K, B1, "explicit"),
        of_instance("max Fᵢ/F̄", lambda at: max(at.inputs)),
        tuple(Case(Losses(v)) for v in ((0, 0, 4), WIDE, EXAMPLE)),
        _LOSSES,
    ),
    always(
        "B3",
        "The exponential CDF is Weibull's with shape 1: their -log(1 - CDF) agree",
        equal(ZERO, B1),
        of_instance("max |x¹ - x|", hazard_gap),
        tuple(Case(Losses(v)) for v in (EXAMPLE, WIDE)),
        _LOSSES,
    ),
)

# Table A1 -----------------------------------------------------------------------------------------------------------------------

ROWS = tuple(Case(Row(name)) for name in transforms.CDFS)
NORMAL = Case(Row("normal"))  # its last entry


def off_by(found: Any, digits: Any) -> Any:
    """The largest distance of balls to the digits in print."""
    return _largest([abs(v - to_ball(d)) for v, d in zip(found, digits, strict=True)])


def printed_off_by(case: Case) -> Any:
    """The largest distance of a printed entry to the CDF of its input."""
    row: Any = case.instance
    return off_by(row.values(row.inputs), row.digits)


def right_off_by(case: Case) -> Any:
    """The same with the entry that is wrong put right."""
    row: Any = case.instance
    return off_by(row.values(row.inputs), row.right_digits)


def rounded_off_by(case: Case) -> Any:
    """The largest distance of a printed entry to the CDF of the printed input."""
    row: Any = case.instance
    return off_by(row.values(row.printed_inputs), row.digits)


def inputs_off_by(row: Row) -> Any:
    """The largest distance of a printed input to F_i over the mean."""
    return max(abs(x - d) for x, d in zip(row.inputs, row.printed_inputs, strict=True))


def above_the_largest(case: Case) -> Any:
    """The chance of a loss above the largest one, by the CDF."""
    row: Any = case.instance
    return 1 - _largest(row.values(row.inputs))


def _by(cdf: str) -> Assumption:
    def check(case: Case) -> str | None:
        row: Any = case.instance
        return None if row.cdf == cdf else f"the CDF is {row.cdf}"

    return Assumption(f"the {cdf} CDF", check)


_CHANCE = in_balls("1 - CDF(max x)", above_the_largest)
CHANCE = Rational(35, 100)
_TABLE = drawn("responses", "rows")
TABLE_A1 = (
    always(
        "TA1",
        "Every entry of Table A1 is the value of its CDF, to two digits",
        plain(HALF_UNIT, TABLE),
        in_balls("max |CDF(x) - printed|", printed_off_by),
        (NORMAL,),
        _TABLE,
        expected="violated",
        remark="The normal CDF of 6/13 is .2951, printed .29. The other 17 entries are right.",
    ),
    always(
        "TA1",
        "The same with .30 for the last entry",
        plain(HALF_UNIT, TABLE, "corrected"),
        in_balls("max |CDF(x) - entry|", right_off_by),
        ROWS,
        _TABLE,
    ),
    always(
        "TA1-rounded",
        "The .29 of Table A1 is the value at the rounded input .46",
        plain(HALF_UNIT, TABLE, "explicit"),
        in_balls("max |CDF(rounded x) - printed|", rounded_off_by),
        (NORMAL,),
        _TABLE,
        (_by("normal"),),
    ),
    always(
        "TA1-inputs",
        "The inputs are .23, 2.31 and .46, to two digits",
        plain(HALF_UNIT, B1),
        of_instance("max |Fᵢ/F̄ - printed|", inputs_off_by),
        ROWS[:1],
        _TABLE,
    ),
    always(
        "B4",
        "By Weibull's CDF the largest loss is so in 100 % of the cases, to two digits",
        plain(HALF_UNIT, B1),
        _CHANCE,
        ROWS[:1],
        _TABLE,
        (_by("weibull"),),
        remark="By .9951, not 1.",
    ),
    always(
        "B4-frechet",
        "By Fréchet's CDF there is a 35 % chance of a larger loss, to two digits",
        (plain(CHANCE + HALF_UNIT, B1), bound(CHANCE - HALF_UNIT, B1, conditions=(), side="lower")),
        _CHANCE,
        ROWS[1:2],
        _TABLE,
        (_by("frechet"),),
    ),
)

CLAIMS: tuple[Claim, ...] = (*RESPONSES, *TABLE_A1)
