"""From rounds to averages: a recursion d(r + 1) <= (1 - a eta) d(r) - b eta f(r) + c1 eta^2 + c2 eta^3, summed with weights.

In the theorems eta is the effective step, d(r) = E|x_r - x*|^2 and f(r) = E[F(x_r) - F*].
"""

from __future__ import annotations

from sympy import Expr, Rational, Symbol, exp, sympify

from fltheory.papers.sfl.bounds import lemmas as formula
from fltheory.papers.sfl.letters import D, R, a, b, c1, c2, eta_eff
from fltheory.proof.language import (
    Apply,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Power,
    Range,
    Relation,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import Scalar, Total, family

PLACE = "proof of Theorem 3"
r, s = (Symbol(name, integer=True, nonnegative=True) for name in "rs")
q, W, V, Y = (Symbol(name, positive=True) for name in ("q", "W", "V", "Y"))
c, X = (Symbol(name, nonnegative=True) for name in ("c", "X"))
d, f = family(Scalar, "d"), family(Scalar, "f")
T = family(Scalar, "T")()


def weighted(base: Expr, value: Expr, index: Symbol = r, last: Expr = R) -> Expr:
    """The average of ``value`` over index = 0..last with the weights base^-(index + 1)."""
    weight = base ** (-(index + 1))
    return Total(weight * value, index, 0, last) / Total(weight, index, 0, last)


def _sum(value: Expr, last: Expr) -> Expr:
    """The sum of q^-(s + 1) times ``value`` over s = 0..last."""
    return Total(q ** (-(s + 1)) * value, s, 0, last)


# Weights q^-(r+1) -----------------------------------------------------------------------------------------------

_UNROLLED = le(q ** (-r) * d(r) + b * eta_eff * _sum(f(s), r - 1), d(0) + c * _sum(1, r - 1), (r, 0, R + 1))
_GEOMETRIC = eq((1 - q) * _sum(1, r - 1), q ** (-r) - 1, (r, 0, R + 1))


def at(relation: Relation, value: Expr | int, *over: Range) -> Relation:
    """The statement for one value of r instead of all."""
    inner = Relation(relation.left, relation.op, relation.right).at({r: sympify(value)})
    return Relation(inner.left, inner.op, inner.right, over)


DIVISION = Theorem(
    "sfl/U7-division",
    le(T / W, D**2 / (b * eta_eff * W) + c / (b * eta_eff)),
    (Given("total", le(b * eta_eff * T, D**2 + c * W), "the summed recursion"),),
    (
        Step(
            "1",
            le(T / W, D**2 / (b * eta_eff * W) + c / (b * eta_eff)),
            Combine({"total": 1 / (b * eta_eff * W)}),
            ("total",),
        ),
    ),
    place=PLACE,
    note="division by the sum of the weights",
)

CONTRACTS = Given("contracts", lt(q, 1), "the recursion contracts")
_GROWS = lt(0, q ** (-(R + 1)) - 1)
_STAYS = le(q**r, 1, (r, 0, R))
GROWS = Theorem(
    "sfl/U7-grows",
    _GROWS,
    (CONTRACTS,),
    (
        Step("base", at(_STAYS, 0), Combine()),
        Step(
            "step",
            at(_STAYS, r + 1, (r, 0, R - 1)),
            Combine({"assumed 1": q, "contracts": 1}),
            ("contracts",),
            assuming=(at(_STAYS, r),),
        ),
        Step("stays", _STAYS, Induction(r), ("base", "step")),
        Step("here", at(_STAYS, R), Instance({r: R}), ("stays",)),
        Step("1", _GROWS, Combine({"here": q ** (-R), "contracts": q ** (-(R + 1))}), ("here", "contracts")),
    ),
    place=PLACE,
    note="powers of a contraction stay below 1: one may divide by what their inverses have above it",
)
_WHOLE, _ONES = _sum(f(s), R), _sum(1, R)
_AVERAGE = le(weighted(q, f(r)), (1 - q) * D**2 / (b * eta_eff * (q ** (-(R + 1)) - 1)) + c / (b * eta_eff))
WEIGHTED = Theorem(
    "sfl/U7-weights",
    _AVERAGE,
    (
        Given("recursion", le(d(r + 1), q * d(r) - b * eta_eff * f(r) + c, (r, 0, R)), "what each round guarantees"),
        Given("start", eq(d(0), D**2), "the start"),
        Given("positive", le(0, d(R + 1)), "a squared distance"),
        CONTRACTS,
    ),
    (
        Step("1-base", at(_UNROLLED, 0), Combine(), note="no round yet"),
        Step(
            "1-step",
            at(_UNROLLED, r + 1, (r, 0, R)),
            Combine({"assumed 1": 1, "recursion": q ** (-(r + 1))}),
            ("recursion",),
            assuming=(at(_UNROLLED, r),),
            note="the recursion times w_r telescopes, as w_r q = w_(r-1)",
        ),
        Step("1", _UNROLLED, Induction(r), ("1-base", "1-step")),
        Step("2", at(_UNROLLED, R + 1), Instance({r: R + 1}), ("1",), note="all R + 1 rounds"),
        Step(
            "3",
            le(b * eta_eff * _WHOLE, D**2 + c * _ONES),
            Combine({"2": 1, "positive": q ** (-(R + 1)), "start": 1}),
            ("2", "positive", "start"),
            note="the last distance is left out",
        ),
        Step("4-base", at(_GEOMETRIC, 0), Combine()),
        Step("4-step", at(_GEOMETRIC, r + 1, (r, 0, R)), Combine({"assumed 1": 1}), assuming=(at(_GEOMETRIC, r),)),
        Step("4", _GEOMETRIC, Induction(r), ("4-base", "4-step"), note="the sum of the weights is geometric"),
        Step("5", at(_GEOMETRIC, R + 1), Instance({r: R + 1}), ("4",)),
        Step("6", le(0, q ** (-(s + 1)), (s, 0, R - 1)), Combine()),
        Step("7", le(0, _sum(1, R - 1)), Summed((s,)), ("6",)),
        Step("8", lt(0, _ONES), Combine(), ("7",), note="the weights are positive"),
        Step(
            "9",
            le(_WHOLE / _ONES, D**2 / (b * eta_eff * _ONES) + c / (b * eta_eff)),
            Apply("sfl/U7-division", {T: _WHOLE, W: _ONES}),
            ("3", "8"),
        ),
        Step("grows", _GROWS, Apply("sfl/U7-grows"), ("contracts",)),
        Step(
            "10",
            _AVERAGE,
            Combine({"9": 1, "5": -(D**2) / (b * eta_eff * _ONES * (q ** (-(R + 1)) - 1))}),
            ("9", "5", "grows"),
            note="the sum of the weights inserted",
        ),
    ),
    place=PLACE,
)

# U7: strongly convex --------------------------------------------------------------------------------------------

_RECURSION = Given(
    "recursion",
    le(d(r + 1), (1 - a * eta_eff) * d(r) - b * eta_eff * f(r) + c1 * eta_eff**2 + c2 * eta_eff**3, (r, 0, R)),
    "what each round guarantees",
)
_START = (Given("start", eq(d(0), D**2), "the start"), Given("positive", le(0, d(R + 1)), "a squared distance"))


def growth(positive: str) -> Step:
    """What the bound divides by is positive, as 0 < a eta < 1."""
    claim = _GROWS.at({q: 1 - a * eta_eff})
    return Step("grows", claim, Apply("sfl/U7-grows", {q: 1 - a * eta_eff}), ("c1", positive), note="one divides by it")


U7_SHARP_STATEMENT, U7_SHARP_CONDITIONS = stated(formula.U7_SHARP, weighted(1 - a * eta_eff, f(r)))
U7_SHARP = Theorem(
    "sfl/U7-sharp",
    U7_SHARP_STATEMENT,
    (_RECURSION, *_START, *U7_SHARP_CONDITIONS),
    (
        Step("1", lt(0, a * eta_eff), Combine({"c2": eta_eff}), ("c2",)),
        growth("1"),
        Step(
            "2",
            U7_SHARP_STATEMENT,
            Apply("sfl/U7-weights", {q: 1 - a * eta_eff, c: c1 * eta_eff**2 + c2 * eta_eff**3}),
            ("recursion", "start", "positive", "c1", "1", "grows"),
        ),
    ),
    claim="sfl/U7@sharpened",
    place=PLACE,
    bound=formula.U7_SHARP,
)

RECIPROCAL = Theorem(
    "sfl/U7-reciprocal",
    le(X / V, 3 * X / Y),
    (Given("order", le(Y, 3 * V), "order of the denominators"),),
    (Step("1", le(X / V, 3 * X / Y), Combine({"order": X / (V * Y)}), ("order",)),),
    place=PLACE,
)
_GROWTH = q ** (-(R + 1)) - 1
DECAY = Theorem(
    "sfl/U7-decay",
    le(X / _GROWTH, 3 * X / Y),
    (
        Given("faster", le(q ** (R + 1) * Y, 1), "the contraction is at least as fast as 1/Y"),
        Given("long", le(Rational(3, 2), Y), "enough rounds"),
    ),
    (
        Step("1", le(Y, 3 * _GROWTH), Combine({"faster": 3 * q ** (-(R + 1)), "long": 2}), ("faster", "long")),
        Step("2", lt(0, _GROWTH), Combine({"1": Rational(1, 3)}), ("1",)),
        Step("3", le(X / _GROWTH, 3 * X / Y), Apply("sfl/U7-reciprocal", {V: _GROWTH}), ("1", "2")),
    ),
    place=PLACE,
)


def decayed(name: str, exponent: Expr, contraction: str, enough: str) -> tuple[Step, ...]:
    """(1 - u)^(R + 1) e^(uR) <= 1 and e^(uR) >= 3/2 for the exponent u, from 0 < 1 - u and u R >= 1/2."""
    u = exponent
    return (
        Step(f"{name}a", le(1 - u, exp(-u)), Known("exp", -u), note="1 + x <= e^x"),
        Step(f"{name}b", le(0, 1 - u), Combine(), (contraction,)),
        Step(f"{name}c", le((1 - u) ** (R + 1), exp(-u) ** (R + 1)), Power(R + 1), (f"{name}b", f"{name}a")),
        Step(f"{name}d", le(1 + u, exp(u)), Known("exp", u)),
        Step(
            f"{name}e",
            le((1 - u) ** (R + 1) * exp(u * R), 1),
            Combine({f"{name}c": exp(u * R), f"{name}d": exp(-u)}),
            (f"{name}c", f"{name}d"),
        ),
        Step(f"{name}f", le(1 + u * R, exp(u * R)), Known("exp", u * R)),
        Step(
            f"{name}g",
            le(Rational(3, 2), exp(u * R)),
            Combine({f"{name}f": 1, enough: 1}),
            (f"{name}f", enough),
            note="1 - e^(-1/2) >= 1/3 in the form e^(1/2) >= 3/2",
        ),
    )


U7_STATEMENT, U7_CONDITIONS = stated(formula.U7, weighted(1 - a * eta_eff, f(r)))
_FIRST = a * D**2 / ((1 - a * eta_eff) ** (-(R + 1)) - 1)
U7 = Theorem(
    "sfl/U7",
    U7_STATEMENT,
    (_RECURSION, *_START, *U7_CONDITIONS),
    (
        Step("1", lt(0, a), Combine({"c2": 1 / (eta_eff * R)}), ("c2",)),
        Step("shrinks", lt(0, a * eta_eff), Combine({"1": eta_eff}), ("1",)),
        growth("shrinks"),
        Step(
            "2",
            U7_SHARP_STATEMENT,
            Apply("sfl/U7-sharp"),
            ("recursion", "start", "positive", "c1", "1", "grows"),
            note="before exp is used",
        ),
        *decayed("3", a * eta_eff, "c1", "c2"),
        Step(
            "4",
            le(_FIRST, 3 * a * D**2 / exp(a * eta_eff * R)),
            Apply("sfl/U7-decay", {q: 1 - a * eta_eff, Y: exp(a * eta_eff * R), X: a * D**2}),
            ("3e", "3g", "c1"),
        ),
        Step("5", U7_STATEMENT, Combine({"2": 1, "4": 1 / b}), ("2", "4")),
    ),
    claim="sfl/U7@explicit",
    place=PLACE,
    bound=formula.U7,
)

_SHORT = le(exp(a * eta_eff * R) / 3, (1 - a * eta_eff) ** (-(R + 1)) - 1)
U7_SHORT = Theorem(
    "sfl/U7-short",
    _SHORT,
    U7_CONDITIONS[:1],
    (
        Step(
            "1",
            _SHORT,
            Witness({a: Rational(2, 5), eta_eff: Rational(1, 10_000), R: 10_000}),
            ("c1",),
            expected="REFUTED",
            note="at a eta R = 2/5",
        ),
    ),
    expected="REFUTED",
    place=PLACE,
    note="the step to exp without a eta R >= 1/2",
)

# U8: general convex ---------------------------------------------------------------------------------------------

FLAT_RECURSION = Given(
    "recursion",
    le(d(r + 1), d(r) - b * eta_eff * f(r) + c1 * eta_eff**2 + c2 * eta_eff**3, (r, 0, R)),
    "what each round guarantees",
)
U8_STATEMENT, U8_CONDITIONS = stated(formula.U8, Total(f(r), r, 0, R) / (R + 1))
_SUMMED = le(
    d(r) + b * eta_eff * Total(f(s), s, 0, r - 1), d(0) + r * (c1 * eta_eff**2 + c2 * eta_eff**3), (r, 0, R + 1)
)
U8 = Theorem(
    "sfl/U8",
    U8_STATEMENT,
    (FLAT_RECURSION, *_START, *U8_CONDITIONS),
    (
        Step("1-base", at(_SUMMED, 0), Combine(), note="no round yet"),
        Step(
            "1-step",
            at(_SUMMED, r + 1, (r, 0, R)),
            Combine({"assumed 1": 1, "recursion": 1}),
            ("recursion",),
            assuming=(at(_SUMMED, r),),
            note="the distances telescope",
        ),
        Step("1", _SUMMED, Induction(r), ("1-base", "1-step")),
        Step("2", at(_SUMMED, R + 1), Instance({r: R + 1}), ("1",), note="all R + 1 rounds"),
        Step(
            "3",
            U8_STATEMENT,
            Combine(
                {
                    "2": 1 / (b * eta_eff * (R + 1)),
                    "positive": 1 / (b * eta_eff * (R + 1)),
                    "start": 1 / (b * eta_eff * (R + 1)),
                }
            ),
            ("2", "positive", "start"),
        ),
    ),
    claim="sfl/U8@explicit",
    place=PLACE,
    bound=formula.U8,
    unused=tuple(g.id for g in U8_CONDITIONS),
)

# The last iterate -----------------------------------------------------------------------------------------------

_LAST = le(W * d(r), W * q**r * D**2 + c * (1 - q**r), (r, 0, R))
LAST = Theorem(
    "sfl/C20-last",
    le(d(R), q**R * D**2 + c / W),
    (
        Given("recursion", le(d(r + 1), q * d(r) - b * eta_eff * f(r) + c, (r, 0, R)), "what each round guarantees"),
        Given("start", le(d(0), D**2), "the start"),
        Given("rise", le(0, f(r), (r, 0, R)), "no value is below the minimum"),
        Given("one", eq(q + W, 1), "W is how much the recursion contracts"),
    ),
    (
        Step("1-base", at(_LAST, 0), Combine({"start": W}), ("start",)),
        Step(
            "1-step",
            at(_LAST, r + 1, (r, 0, R - 1)),
            Combine({"assumed 1": q, "recursion": W, "rise": W * b * eta_eff, "one": c}),
            ("recursion", "rise", "one"),
            assuming=(at(_LAST, r),),
        ),
        Step("1", _LAST, Induction(r), ("1-base", "1-step"), note="the recursion unrolled"),
        Step("2", at(_LAST, R), Instance({r: R}), ("1",)),
        Step("3", le(d(R), q**R * D**2 + c / W), Combine({"2": 1 / W}), ("2",)),
    ),
    place=PLACE,
    note="the recursion unrolled, without its averages",
)

THEOREMS = (DIVISION, GROWS, WEIGHTED, U7_SHARP, RECIPROCAL, DECAY, U7, U7_SHORT, U8, LAST)
