"""Lemma 12 with 2/5 for 1/20, for every even number of clients from 4 on.

With g_n = P(E_n = 0) and V_n = n (M - n) g_n^2 + (n + 1)(M - n - 1) g_{n+1}^2, V does not decrease in the first half,
so V_n >= V_1 >= M^2 (M - 2)/(2 (M - 1)^2). E|A_{m,k}| is g_n times one factor plus g_{n+1} times another, n = m - 1,
one of them being 0; the squares of both factors are large enough against n (M - n) and (n + 1)(M - n - 1).
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol

from fltheory.papers.sfl.notation import M, m
from fltheory.papers.sfl.signs.proofs import permuted
from fltheory.papers.sfl.signs.proofs.permuted import (BEFORE, EVEN, HALF, HIT_ZERO, LAW_OF_SIZE, LEFT, PART, REST, a,
    bound, h, mass, n)
from fltheory.proof import Given, Step, by, eq, le, line, proof, statement_of

_g, _g1, _g2 = mass(n, 0), mass(n + 1, 0), mass(n + 2, 0)
_V = n * LEFT * _g**2 + (n + 1) * (LEFT - 1) * _g1**2
_LEAST = M**2 * (M - 2) / (2 * (M - 1) ** 2)
_BELOW = (n, 1, h - 1)
_TIES = permuted._plain(permuted._TIES)
_LEFT_SIDE, _RIGHT_SIDE = _TIES.left, _TIES.right
_SHARE = 1 / ((n + 2) * (LEFT - 1) ** 2)
_TWO_SIGNS = (
    *permuted.TWO_SIGNS,
    line("tie 2", eq(mass(2, 0), M / (2 * (M - 1))), by.linear("ratio 2", "tie 0", "two")),
)
GROWS = (
    proof("sfl/L12-growing", "Lemma 12", note="the chance of a tie, from below, with what is left of the round in it")
    .under(*permuted._WALK, HIT_ZERO, EVEN)
    .given("four", le(4, M), "four signs or more")
    .step("two", le(2, M), by.linear("four"))
    .steps(*_TWO_SIGNS)
    .step("base", le(_LEAST, permuted._plain(le(0, _V)).at({n: Integer(1)}).right),
        by.linear({"tie 2": -2 * (M - 2) * (mass(2, 0) + M / (2 * (M - 1)))}, "four"))
    .step("wide", le(1, LEFT - 1, _BELOW), by.polynomial("even", "four"))
    .step("room", le(0, M - 2 * n - 2, _BELOW), by.polynomial("even"))
    .step("inside", le(n, M - 2, _BELOW), by.polynomial("even", "four"))
    .step("left", le(0, LEFT, _BELOW), by.linear("wide"))
    .step("room 1", le(0, (M - 2 * n - 2) * M * LEFT * _g**2, _BELOW), by.linear("room", "left"))
    .step("room 2", le(0, (M - 2 * n - 2) * M * LEFT * _g**2 / ((n + 2) * (LEFT - 1)), _BELOW),
        by.linear({"room 1": 1 / ((n + 2) * (LEFT - 1))}, "wide"))
    .step("ties here", by.instance({n: n}, "ties", "inside"))
    .step("step", le(_LEAST, permuted._plain(le(0, _V)).at({n: n + 1}).right, _BELOW),
        by.linear(
            {"assumed 1": 1, "ties here": -(LEFT - 2) * (_LEFT_SIDE + _RIGHT_SIDE) * _SHARE, "room 2": 1 / (LEFT - 1)},
            "wide"), assuming=le(_LEAST, _V), note="(n + 1)^2 <= (M - n - 1)^2 in the first half")
    .qed(le(_LEAST, _V, (n, 1, h)), by.induction(n, "base", "step"), name="growing")
)

# The two factors ----------------------------------------------------------------------------------------------------------

u, rest, part = (Symbol(name, nonnegative=True) for name in ("u", "rest", "part"))
_ALL, _WEIGHT = rest + u, 8 * (u + part**2)
ONE_NUMBER = (
    proof("sfl/L12-one-number", "Lemma 12", note="neither is larger")
    .given("most", le(u, rest), "no larger")
    .given("least", le(rest, u), "no smaller")
    .qed(eq(u, rest), by.antisymmetry("most", "least"))
)
_UNIT = Given("unit", le(part, 1), "a part of a step")
_TOP = le(_WEIGHT * (_ALL - 1) ** 2 * u, 25 * rest * (u + part) ** 2 * (_ALL - 2))
_NEXT = le(_WEIGHT * (_ALL - 1) ** 2 * (rest - 1), 25 * (rest - part) ** 2 * (u + 1) * (_ALL - 2))
TIE_NOW = (
    proof("sfl/L12-now", "Lemma 12", note="the factor of a tie of n signs").under(_UNIT)
    .given("half", le(u, rest), "in the first half")
    .given("four", le(4, _ALL), "four signs or more")
    .step("mixed", le(u * (u + part**2), (u + part) ** 2), by.linear("unit"))
    .step("square", le(8 * (_ALL - 1) ** 2, 25 * _ALL * (_ALL - 2) / 2), by.polynomial("four"))
    .step("left", le(_ALL / 2, rest), by.linear("half"))
    .step("many", le(0, _ALL - 2), by.linear("four"))
    .step("enough", le(8 * (_ALL - 1) ** 2, 25 * rest * (_ALL - 2)), by.linear("square", "left", "many"))
    .qed(_TOP, by.linear("enough", "mixed", "many"), name="now")
)
TIE_NEXT = (
    proof("sfl/L12-later", "Lemma 12", note="the factor of a tie of n + 1 signs").under(_UNIT)
    .given("room", le(8 * (_ALL - 1) ** 2, 25 * (rest - 1) * (_ALL - 2)), "enough signs are left")
    .given("some", le(1, rest), "a sign is left")
    .given("many", le(2, _ALL), "two signs or more")
    .step("square", le(part**2, 1), by.linear("unit"))
    .step("both", le(0, 2 * rest - part - 1), by.linear("some", "unit"))
    .step("more", le((rest - 1) ** 2, (rest - part) ** 2), by.linear("unit", "both"))
    .step("weight 1", le(0, (rest - 1) * (_ALL - 2)), by.linear("many", "some"))
    .step("weight", le(0, (rest - 1) ** 2 * (_ALL - 2)), by.linear("weight 1", "some"))
    .qed(_NEXT,
        by.linear(
            {"room": (u + part**2) * (rest - 1), "square": 25 * (rest - 1) ** 2 * (_ALL - 2), "more": 25 * (u + 1) * (_ALL - 2)},
            "some", "many", "weight"), name="later")
)

# 2/5 ------------------------------------------------------------------------------------------------------------------------

_BOUND = bound("L12@strengthened", "lower")
_X = permuted._X
_SHARP, _IF = statement_of(_BOUND, _X)
_gm, _gn = mass(m - 1, 0), mass(m, 0)
_P, _Q = REST * (m - 1 + a) / M, (REST - a) * m / M
_ENOUGH = le(m - 1 + a**2, 25 * _X**2 / 4)
_READ = {u: m - 1, rest: REST, part: a}
_NOW = _TOP.at(_READ)
_SPREAD = 1 / (M**2 * (M - 2))
_SQUARES = le(_gm**2 * _P**2 + _gn**2 * _Q**2, _X**2)
_FIRST_ONE, _LONG = (le(m, 1),), (le(2, m), le(3, h))
_SECOND, _FOUR = (le(2, m), le(m, 2)), (le(3, m), le(h, 2))


def _both(name: str, where: tuple[object, ...], room: Step) -> tuple[Step, ...]:
    """Prove the case from the second sign on, if enough signs are left."""
    return (
        line(f"first {name}", le(1, m - 1), by.linear(), assuming=where),
        line(f"half {name}", le(m - 1, REST), by.linear("c2"), assuming=where),
        line(f"growing {name}", le(_LEAST, permuted._plain(le(0, _V)).at(BEFORE).right),
            by.instance({n: m - 1}, "growing", f"first {name}", "before half"), assuming=where),
        line(f"now {name}", _TOP.at(_READ), by.apply(TIE_NOW, _READ, "unit", f"half {name}", "c1"), assuming=where),
        line(f"times {name}", le(REST * _NOW.left, REST * _NOW.right), by.linear({f"now {name}": REST}, "some left"),
            assuming=where),
        room,
        line(f"later {name}", _NEXT.at(_READ), by.apply(TIE_NEXT, _READ, "unit", room.id, "some left", "two"),
            assuming=where),
        line(
            f"enough {name}",
            _ENOUGH,
            by.linear(
                {
                    "squares": Rational(25, 4),
                    f"times {name}": _gm**2 * _SPREAD / 4,
                    f"later {name}": _gn**2 * m * _SPREAD / 4,
                    f"growing {name}": 2 * (m - 1 + a**2) * (M - 1) ** 2 * _SPREAD,
                },
                "c1",
                "place",
            ),
            assuming=where,
        ),
    )


_ROOM = le(8 * (M - 1) ** 2, 25 * (REST - 1) * (M - 2))
SHARP = (
    proof("sfl/L12-sharp", "Lemma 12", of="sfl/L12@strengthened", bound=_BOUND).under(*_IF, *LAW_OF_SIZE, PART, EVEN)
    .step("place", le(1, m), by.polynomial())
    .step("inside", le(m, M), by.linear("c1", "c2"))
    .step("some left", le(1, REST), by.linear("inside"))
    .step("before half", le(m - 1, h), by.linear("c2", "even"))
    .step("unit", le(a, 1), by.linear("c3"))
    .step("mixed", by.apply(permuted.MIXED))
    .step("closed", by.apply(permuted.CLOSED))
    .step("closed m", by.instance({n: m - 1}, "closed", "place", "inside"))
    .step("growing", by.apply(GROWS))
    .step("X", eq(_X, _gm * _P + _gn * _Q), by.linear({"mixed": 1, "closed m": (1 - a / REST) / M}, "some left"),
        note="a tie of m - 1 signs, and one of m")
    .step("P", le(0, _P), by.linear("some left", "place"))
    .step("Q", le(0, _Q), by.linear("some left", "unit"))
    .step("tie now", le(0, _gm * _P), by.linear("P"))
    .step("tie next", le(0, _gn * _Q), by.linear("Q"))
    .step("squares", _SQUARES, by.linear({"X": -(_X + _gm * _P + _gn * _Q), "tie now": 2 * _gn * _Q}, "tie next"))
    .steps(*_TWO_SIGNS)
    .step("one", eq(m, 1), by.antisymmetry("place"), assuming=_FIRST_ONE)
    .step("a sign", le(a, _X), by.linear({"X": -1, "tie next": 1, "tie 0": -a}), inserting="one", assuming=_FIRST_ONE)
    .step("enough one", _ENOUGH, by.linear({"a sign": 25 * (_X + a) / 4, "one": 0}), inserting="one",
        assuming=_FIRST_ONE)
    .step("six", le(6, M), by.linear("even"), assuming=_LONG)
    .step("many", le(2, M), by.linear("c1"))
    .steps(
        *_both("long", _LONG,
            line("room long", _ROOM, by.linear("c2", "six", "many"), assuming=_LONG,
                note="with 4 clients there is not enough room at m = 3")),
        *_both("second", _SECOND, line("room second", _ROOM, by.linear("c1", "many"), assuming=_SECOND)))
    .step("m at most", le(m, 3), by.linear("before half"), assuming=_FOUR)
    .step("m at least", le(3, m), by.linear(), assuming=_FOUR)
    .step("m is 3", by.apply(ONE_NUMBER, {u: m, rest: 3}), assuming=_FOUR)
    .step("h at least", le(2, h), by.linear("before half"), assuming=_FOUR)
    .step("h at most", le(h, 2), by.linear(), assuming=_FOUR)
    .step("h is 2", by.apply(ONE_NUMBER, {u: h, rest: 2}), assuming=_FOUR)
    .step("M is 4", eq(M, 4), by.linear("even", "h is 2"), assuming=_FOUR)
    .step("least four", le((2 + a) / 3, _X), by.linear({"X": -1, "tie next": 1, "tie 2": -(2 + a) / 2}),
        inserting=("m is 3", "M is 4"), assuming=_FOUR)
    .step("enough four", _ENOUGH, by.linear({"least four": 25 * (_X + (2 + a) / 3) / 4, "unit": Rational(11, 36) * a}),
        inserting=("m is 3", "M is 4"), assuming=_FOUR)
    .step("enough", by.cases("enough one", "enough long", "enough second", "enough four"))
    .step("zero", le(0, m - 1 + a**2), by.linear("place"))
    .step("root", by.power(HALF, "zero", "enough"))
    .qed(_SHARP, by.linear(root=Rational(2, 5)), name="least")
)
THEOREMS = (GROWS, ONE_NUMBER, TIE_NOW, TIE_NEXT, SHARP)
