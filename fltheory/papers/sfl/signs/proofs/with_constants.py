"""Lemmas 9, 11 and 12 as their claims state them: quotients of their sides, first places of a round, the range of T."""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, oo

from fltheory.papers.sfl.notation import K, M, k, m, n, t
from fltheory.papers.sfl.signs.proofs import permuted, shuffled, signs
from fltheory.papers.sfl.signs.proofs.even_round import _t_of_step
from fltheory.papers.sfl.signs.proofs.shuffled import T, i
from fltheory.proof import by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import E, Positive, Scalar, Total, family
from fltheory.verification import find

HALF, QUARTER = Rational(1, 2), Rational(1, 4)

# Lemma 9: both sides of 0, and ties ---------------------------------------------------------------------------------------

_BELOW, _ABOVE = E(signs.below(n)), E(signs.above(n))
_ODDS, _SOME = statement_of(signs.bound("L9-symmetry@printed", "equal"), _BELOW / _ABOVE)
_LAW = signs.L9_LOWER.hypotheses[1:]
ODDS = (
    proof("sfl/L9-odds", of="sfl/L9-symmetry@printed", bound=signs.bound("L9-symmetry@printed", "equal"))
    .under(*_SOME, *_LAW)
    .step("equal", by.apply(signs.EQUAL))
    .step("here", eq(_ABOVE, _BELOW), by.instance({n: n}, "equal"))
    .step("quarter", le(QUARTER, _ABOVE), by.apply(signs.L9_LOWER))
    .step("positive", lt(0, _ABOVE), by.linear("quarter"))
    .qed(_ODDS, by.linear({"here": -1 / _ABOVE}, "positive"), name="last")
)
q, X = Symbol("q", positive=True), Symbol("X", real=True)
FACTOR = (
    proof("sfl/positive-factor", "Lemma 9, proof", note="a number that is at least 1 times a positive one is positive")
    .given("order", le(1, q * X), "a product that is at least 1")
    .qed(lt(0, X), by.linear("order"))
)
h, g = Symbol("h", integer=True, nonnegative=True), Symbol("g", integer=True, nonnegative=True)
EVER = (g, 0, oo)
_TIE, _NEXT = signs.mass(n, 0), signs.mass(n + 2, 0)
_RATIO, _ = statement_of(signs.bound("L9-ratio@explicit", "equal"), _NEXT / _TIE)
_OFTEN = le(1, (2 * g + 1) * signs.mass(2 * g, 0))
RARER = (
    proof("sfl/L9-next-tie", of="sfl/L9-ratio@explicit", bound=signs.bound("L9-ratio@explicit", "equal"))
    .under(*signs.TIES.hypotheses, signs.HIT_ZERO)
    .given("even", eq(n, 2 * h), "an even number of signs")
    .step("ties", by.apply(signs.TIES))
    .step("tie 0", by.expectation("hit zero"))
    .step("first", _OFTEN.at({g: Integer(0)}), by.linear("tie 0"))
    .step("two", by.instance({n: 2 * g}, "ties"), over=EVER)
    .step("one", le(1, (2 * g + 3) * signs.mass(2 * g + 2, 0), EVER), by.linear("two"), assuming=_OFTEN)
    .step("all", le(1, (2 * g + 1) * signs.mass(2 * g, 0), EVER), by.induction(g, "first", "one"))
    .step("there", by.instance({g: h}, "all"))
    .step("often", le(1, (n + 1) * _TIE), by.linear("there"), inserting="even")
    .step("positive", by.apply(FACTOR, {q: n + 1, X: _TIE}))
    .step("here", eq((n + 2) * _NEXT, (n + 1) * _TIE), by.instance({n: n}, "ties"))
    .qed(_RATIO, by.linear({"here": 1 / ((n + 2) * _TIE)}, "positive"), name="last")
)

# Lemma 12: places of a round -------------------------------------------------------------------------------------------------

_A, _PART = E(permuted.part(m, k)), k / K
_MIX = (1 - _PART / (M - m + 1)) * E(permuted.size(m - 1)) + _PART * permuted.mass(m - 1, 0)
_STEP, _LATER = statement_of(permuted.bound("L12-step@printed", "equal"), _MIX / _A)
MIXED = (
    proof("sfl/L12-step-ratio", of="sfl/L12-step@printed", bound=permuted.bound("L12-step@printed", "equal"),
        unused=("c1", "c2"))
    .under(*_LATER, *permuted.MIXED.hypotheses)
    .given("positive", lt(0, _A), "what is divided by; the quotient has no value else")
    .step("mixed", by.apply(permuted.MIXED))
    .qed(_STEP, by.linear({"mixed": -1 / _A}, "positive"), name="last")
)
_ONE, _FIRST = statement_of(permuted.bound("L12-first@printed", "equal"), _A)
FIRST = (
    proof("sfl/L12-first", of="sfl/L12-first@printed", bound=permuted.bound("L12-first@printed", "equal"),
        unused=("c2",))
    .under(*_FIRST, permuted.SIZE_START, permuted.HIT_ZERO, *permuted.MIXED.hypotheses)
    .step("mixed", by.apply(permuted.MIXED))
    .step("some", le(1, m), by.linear())
    .step("place", by.antisymmetry("c1", "some"))
    .step("size", by.expectation("size start"))
    .step("tie", by.expectation("hit zero"))
    .step("at first", eq(E(permuted.part(1, k)), _PART), by.linear({"mixed": 1, "size": 1 - _PART / M, "tie": _PART}),
        inserting="place")
    .qed(_ONE, by.linear({"at first": 1}), name="last", inserting="place")
)
_TWO, _SECOND = statement_of(permuted.bound("L12-second@printed", "equal"), _A)
SECOND = (
    proof("sfl/L12-second", of="sfl/L12-second@printed", bound=permuted.bound("L12-second@printed", "equal"),
        unused=("c3",))
    .under(*_SECOND, *(e for e in permuted.LAW_OF_SIZE if e.id != "two"),
        *(e for e in permuted.MIXED.hypotheses if e.id != "next sign"))
    .step("mixed", by.apply(permuted.MIXED))
    .step("place", by.antisymmetry("c2", "c1"))
    .step("many", le(2, M), by.linear("inside", "c1"))
    .step("size", by.expectation("size start"))
    .step("sign", by.instance({n: 0}, "next sign", "many"))
    .step("tie", by.expectation("hit zero"))
    .step("one sign", by.instance({n: 0}, "size next", "many"))
    .step("its size", by.expectation("one sign"))
    .step("next", by.apply(permuted.NEXT))
    .steps(*permuted.one_sign("no tie", "many"))
    .step(
        "at second",
        eq(E(permuted.part(2, k)), 1 - _PART / (M - 1)),
        by.linear(
            {
                "mixed": 1,
                "its size": 1 - _PART / (M - 1),
                "size": (1 - _PART / (M - 1)) * (1 - 1 / M),
                "sign": 1 - _PART / (M - 1),
                "tie": 1 - _PART / (M - 1),
                "no tie": _PART,
            },
            "many",
        ),
        inserting="place",
    )
    .qed(_TWO, by.linear({"at second": 1}, "many"), name="last", inserting="place")
)

# 2 <= m <= M/2 + 1: at least sqrt(m)/20 -------------------------------------------------------------------------------

_ROOT, _FRONT = statement_of(permuted.bound("L12-root@printed", "lower"), _A)
_KEPT = tuple(
    e
    for e in permuted.L12.steps
    if e.id
    in ("place", "inside", "mixed", "closed", "square", "closed m", "square m", "mean c", "half", "size", "room")
    or e.id in ("shrink", "first")
)
ROOT = (
    proof("sfl/L12-root", of="sfl/L12-root@printed", bound=permuted.bound("L12-root@printed", "lower"))
    .under(*_FRONT, *permuted.LAW_OF_SIZE, permuted.PART)
    .steps(*_KEPT)
    .step("tie", le(0, _PART * permuted.mass(m - 1, 0)), by.linear())
    .step("less", le(permuted._cm / 4, _A), by.linear("first", "tie"))
    .step("squares", le((permuted._cm / 4) ** 2, _A**2), by.linear("less", "mean c"))
    .step("enough", le(m, 400 * _A**2), by.linear("squares", "square m", "c4"))
    .step("zero", le(0, m), by.linear())
    .step("root", by.power(HALF, "zero", "enough"))
    .qed(_ROOT, by.linear("root"), name="last")
)

# Lemma 11: T increases, and stays below both upper bounds -------------------------------------------------------------

low, high, d = (Symbol(name, positive=True) for name in ("low", "high", "d"))
j = Symbol("j", integer=True, nonnegative=True)
_EVERY = (j, 0, oo)
KEPT = (
    proof("sfl/L11-kept", "Lemma 11", note="(1 - d)^K <= 1 - d")
    .given("below 1", le(d, 1), "d is in (0, 1]")
    .step("zero", le(0, 1 - d, _EVERY), by.linear("below 1"))
    .step("one", le(1 - d, 1, _EVERY), by.linear())
    .step("powers", by.power(j, "zero", "one"))
    .step("times", le((1 - d) ** (j + 1), 1 - d, _EVERY), by.linear("powers", "zero"))
    .qed(le((1 - d) ** K, 1 - d), by.instance({j: K - 1}, "times"), name="last")
)
ABOVE, BELOW = family(Scalar, "above")(), family(Positive, "below")()
OVER = (
    proof("sfl/L11-over", "Lemma 11", note="a number over one that is no smaller")
    .given("order", le(ABOVE, BELOW), "their order")
    .qed(le(ABOVE / BELOW, 1), by.linear("order"))
)
_QL, _QH = (1 - low) ** K, (1 - high) ** K
_RISE, _ = statement_of(shuffled.bound("L11@printed"), _t_of_step(_QL) / _t_of_step(_QH))
RISES = (
    proof("sfl/L11", of="sfl/L11@printed", bound=shuffled.bound("L11@printed"))
    .given("order", lt(low, high), "two points of (0, 1)")
    .given("below 1", lt(high, 1), "two points of (0, 1)")
    .given("positive", lt(0, _t_of_step(_QH)), "what is divided by; the quotient has no value else")
    .step("low below 1", le(low, 1), by.linear("order", "below 1"))
    .step("kept low", by.apply(KEPT, {d: low}))
    .step("kept high", by.apply(KEPT, {d: high}, "below 1"))
    .step("moved low", lt(0, 1 - _QL), by.linear("kept low"))
    .step("moved high", lt(0, 1 - _QH), by.linear("kept high"))
    .step("above", le(0, 1 - high), by.linear("below 1"))
    .step("falls", le(1 - high, 1 - low), by.linear("order"))
    .step("kept", by.power(K, "above", "falls"))
    .step("further", le(1 - _QL, 1 - _QH), by.linear("kept"))
    .step("powers", le(0, (1 - high) ** j, _EVERY), by.apply(shuffled.POSITIVE_POWER, {t: high}, "below 1"))
    .step("left", by.instance({j: K}, "powers"))
    .step("whole", le(1 - _QH, 1), by.linear("left"))
    .step("rises",
        by.apply(shuffled.RISES, {shuffled.s: 1 - _QL, t: 1 - _QH}, "whole", "further", "moved low", "moved high"))
    .step("order of T", le(_t_of_step(_QL), _t_of_step(_QH)), by.linear("rises", "moved low", "moved high"))
    .qed(_RISE,
        by.apply(OVER, {ABOVE: _t_of_step(_QL), BELOW: _t_of_step(_QH)}, "order of T", "positive", "moved low",
            "moved high"), name="last")
)
o = shuffled.n
_x, _HERE = 1 - t, (i, 1, M - 1)
_FIRST_PART, _SECOND_PART = 1 - _x**i, 1 - _x ** (M - i)
_POWERS = (
    line("power", le(0, _x**o, (o, 0, oo)), by.apply(shuffled.POSITIVE_POWER, "c2")),
    line("first power", le(0, _x**i, _HERE), by.instance({o: i}, "power")),
    line("second power", le(0, _x ** (M - i), _HERE), by.instance({o: M - i}, "power")),
)
_SHARES = (
    line("zero", le(0, _x, (o, 0, oo)), by.linear("c2")),
    line("one", le(_x, 1, (o, 0, oo)), by.linear()),
    line("below 1", le(_x**o, 1, (o, 0, oo)), by.power(o, "zero", "one")),
    line("second", le(0, _SECOND_PART, _HERE), by.instance({o: M - i}, "below 1")),
    line("products", shuffled.SUM.statement, by.apply(shuffled.SUM)),
    line("T", eq(M * T(t), Total(_FIRST_PART * _SECOND_PART, i, 1, M - 1)), by.instance({o: M - 1}, "products", "c1")),
)
_UPPER, _UNIT = statement_of(find("sfl/L11-range@strengthened").bounds[0], T(t))
BELOW_ONE = (
    proof("sfl/L11-range", of="sfl/L11-range@strengthened", bound=find("sfl/L11-range@strengthened").bounds[0])
    .under(*_UNIT)
    .steps(*_POWERS, *_SHARES)
    .step("each", le(_FIRST_PART * _SECOND_PART, 1, _HERE), by.linear("first power", "second power", "second"))
    .step("sum", le(Total(_FIRST_PART * _SECOND_PART, i, 1, M - 1), M - 1), by.sum_over(i, "each"))
    .qed(_UPPER, by.linear("sum", "T"), name="last")
)
_SQUARE, _ = statement_of(find("sfl/L11-range@strengthened").bounds[1], T(t))
_LINE = le(1 - _x**o, o * t)
BELOW_SQUARE = (
    proof("sfl/L11-range-square", of="sfl/L11-range@strengthened", bound=find("sfl/L11-range@strengthened").bounds[1])
    .under(*_UNIT)
    .steps(*_SHARES)
    .step("base", _LINE.at({o: Integer(0)}), by.linear())
    .step("step", le(1 - _x ** (o + 1), (o + 1) * t, (o, 0, oo)), by.linear("below 1"), assuming=_LINE)
    .step("Bernoulli", le(1 - _x**o, o * t, (o, 0, oo)), by.induction(o, "base", "step"))
    .step("first line", by.instance({o: i}, "Bernoulli"), over=_HERE)
    .step("second line", by.instance({o: M - i}, "Bernoulli"), over=_HERE)
    .step("each", le(_FIRST_PART * _SECOND_PART, i * (M - i) * t**2, _HERE),
        by.linear("first line", "second line", "second"))
    .step("sum", le(Total(_FIRST_PART * _SECOND_PART, i, 1, M - 1), M * (M**2 - 1) * t**2 / 6), by.sum_over(i, "each"))
    .qed(_SQUARE, by.linear("sum", "T"), name="last")
)
THEOREMS = (ODDS, FACTOR, RARER, MIXED, FIRST, SECOND, ROOT, KEPT, OVER, RISES, BELOW_ONE, BELOW_SQUARE)
