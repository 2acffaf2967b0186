"""A claim in other units: all constants follow the change, and so must its bound and the constants that it tunes.

Numbers, not symbols: an independent look at what ``Claim.dimension_error`` reads off the formulas.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from sympy import Symbol

from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import Number, as_number, evaluate_ball, evaluate_to_precision, symbolic, to_ball
from fltheory.runs.algorithm import rollout
from fltheory.symbols import VOCABULARY

OBJECTIVE, LENGTH = Fraction(7), Fraction(3)  # the new units
MISSCALED = {  # what the papers print with sides that scale differently, and the tuned constants that do
    "osmd/C-60@printed",
    "osmd/C-T5@printed",
    "osmd/C-T5cmp@printed",
    "osmd/C-T5cmp@strict",
    "osmd/C-T5cmp-requirement@strict",
    "osmd/C-T8@printed",
    "osmd/C-T8-gamma@corrected",
    "osmd/C-T9a@printed",
    "osmd/C-T9b@printed",
    "osmd/C-T10@printed",
    "fedcg/T3.5-rule-units@printed",
    "fedcg/C.3-samples@printed",
    "aaggff/U5-domain@printed",
    *(f"delta_sgd/T1-{k}@printed" for k in ("rho", "same", "reuse", "units")),
    "delta_sgd/T1-tiny@strict",
    "delta_sgd/T1-steps@strict",
    "delta_sgd/T1-P@corrected",
    *(f"delta_sgd/T5-{k}@printed" for k in ("B", "B-common", "C", "one", "sum")),
    "delta_sgd/T5-A-meets@strict",
    "delta_sgd/T5-A@explicit",
    "delta_sgd/T5-A@corrected",
    "delta_sgd/T5-one@explicit",
    "delta_sgd/T5-letter@strict",
}


def in_other_units(value: Number, dimension: tuple[object, ...]) -> Number:
    """The number that stands for the same quantity in the other units."""
    factor = OBJECTIVE ** int(str(dimension[0])) * LENGTH ** int(str(dimension[1]))
    if isinstance(value, arb):
        return value * arb(factor.numerator) / factor.denominator
    return symbolic(value) * symbolic(factor) if not isinstance(value, int | Fraction) else value * factor


def scales(claim: Claim) -> bool:
    """Whether the bounds and tuned constants of the claim follow a change of units, at its first case."""
    case = claim.cases[0]
    own = dict(case.constants)
    tuned = dict(claim.prepared(case).constants) | letters(claim, claim.prepared(case))
    own |= {s: v for s, v in tuned.items() if s not in dict(claim.tuning)}
    other = {s: in_other_units(v, VOCABULARY[s.name].dimension) for s, v in own.items()}
    retuned = dict(other)
    for symbol, formula in claim.tuning:
        one, two = (_value(formula, constants) for constants in (tuned, retuned))
        retuned[symbol] = in_other_units(tuned[symbol], VOCABULARY[symbol.name].dimension)
        if not _same(in_other_units(one, VOCABULARY[symbol.name].dimension), two):
            return False
    assert claim.measure is not None
    for bound in claim.bounds:
        before, after = bound.complete(tuned), bound.complete(retuned)
        for condition in bound.conditions:
            (left, right), (left_, right_) = (
                [_value(side, constants) for side in (condition.lhs, condition.rhs)] for constants in (before, after)
            )
            if not _same(left * right_, left_ * right):
                return False
        if not bound.expr.free_symbols:
            continue  # a mere number is one in the instance's own units
        expected = in_other_units(bound.ball(tuned), claim.measure.dimension)
        if not _same(expected, bound.ball(retuned)):
            return False
    return True


def letters(claim: Claim, case: Case) -> dict[Symbol, Number]:
    """What the bound takes from one simulated run of the case, as rationals."""
    if not hasattr(claim.measure, "letters"):
        return {}
    if hasattr(claim.measure, "follow"):
        return {s: as_number(v) for s, v in claim.measure.follow(claim.algorithm, case)[1].items()}
    states = rollout(claim.algorithm, case, 1)
    return {s: Fraction(float(v[0])).limit_denominator(10**6) for s, v in claim.measure.read(states, case).items()}


def _value(formula: object, constants: dict) -> arb:
    return evaluate_to_precision(lambda: evaluate_ball(formula, constants), 60)


def _same(one: Number, two: Number) -> bool:
    return bool(to_ball(one).overlaps(to_ball(two)))
