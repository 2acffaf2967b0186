"""Random terms and random rewritings of them, some by laws that fail: what a normal form and a sign are tried on."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Term = Any
x, y, w = (["symbol", name, "real"] for name in "xyw")
z, p = ["symbol", "z", "nonnegative"], ["symbol", "p", "positive"]
k, j = (["symbol", name, "integer"] for name in "kj")
m, n = ["symbol", "m", "from 0"], ["symbol", "n", "from 1"]
X, Z = ["family", "RandomScalar", "X"], ["family", "RandomNonnegative", "Z"]
D = ["draw", "1", "2"]
U, V = ["family", "Vector", "u"], ["family", "Vector", "v"]
REALS, NUMBERS = [x, x, x, y, z, z, p, w], ["0", "1", "-1", "2", "-2", "1/2", "-1/2", "4/9", "12", "-8", "3"]
FIXED = ["0", "1", "2", "3", "-1", "-1", "-2", "-3", "1/2", "1/2", "-1/2", "1/3", "3/2", "-3/2", "2/3", "4"]


def add(*a: Term) -> Term:
    """A sum."""
    return ["+", *a]


def mul(*a: Term) -> Term:
    """A product."""
    return ["*", *a]


def power(b: Term, e: Term) -> Term:
    """A power."""
    return ["^", b, e]


def minus(a: Term) -> Term:
    """-a."""
    return mul("-1", a)


def exponent(r: Random, i: Term | None = None) -> Term:
    """Whole, negative, broken, letters of all sorts, sums of them."""
    letters = [k, j, m, n, w, z, *([i] * 4 if i else [])]
    a, b = r.choice(letters), r.choice(letters)
    forms: list[Term] = [a, a, minus(a), add(a, "1"), add(a, "-1"), add(a, b), mul("2", a), mul("1/2", a), mul(a, b)]
    forms += [
        add(a, "1/2"),
        add(a, minus(b)),
        add(minus(a), "-1"),
        mul("-1/2", a),
        ["floor", w],
        ["max", a, "0"],
        add("1", minus(a)),
    ]
    return r.choice(FIXED) if r.random() < 0.5 else r.choice(forms)


def base(r: Random, i: Term | None = None, chance: bool = False) -> Term:
    """What a power may be of."""
    letters = [*REALS, k, m, n, *([i] * 5 if i else []), *([X, Z, X, D] * 2 if chance else [])]
    a, b, c = r.choice(letters), r.choice(letters), r.choice(NUMBERS)
    forms: list[Term] = [
        a,
        a,
        a,
        a,
        c,
        add(a, b),
        add(a, "1"),
        add("1", minus(a)),
        mul(a, b),
        mul(c, a),
        minus(a),
        ["abs", a],
    ]
    forms += [
        power(a, "2"),
        power(a, "-1"),
        mul(a, power(b, "-1")),
        power(a, r.choice(FIXED)),
        add(power(a, "2"), mul("2", a), "1"),
    ]
    forms += [power(a, exponent(r, i)), ["log", a], add(power(a, "-1"), b), ["dot", U, U], ["max", a, b], ["e"]]
    return r.choice(forms)


def together(r: Random, i: Term | None = None, chance: bool = False) -> Term:
    """Powers of one base, multiplied or added or within one another."""
    b = base(r, i, chance)
    powers = [power(b, exponent(r, i)) for _ in range(r.randint(1, 3))]
    own = r.choice([mul(*powers), mul(*powers), add(*powers), power(powers[0], exponent(r, i))])
    turn = r.random()
    if turn < 0.15:
        return power(mul(b, base(r, i, chance)), exponent(r, i))
    if turn < 0.25:
        return add(own, r.choice(NUMBERS))
    if turn < 0.35:
        return mul(own, base(r, i, chance))
    return own


def total(r: Random, chance: bool, depth: int) -> Term:
    """A sum over a range, which may be empty, reversed, or between numbers that are no integers."""
    i = ["symbol", "i", r.choice(("integer", "integer", "from 0", "from 1", "unknown"))]
    low = r.choice(["0", "1", "1", "-2", "-1", "1/2", k, m, add(k, "1"), minus(n), w])
    high = r.choice(
        ["0", "3", "2", "-1", "5/2", n, m, k, add(n, "1"), add(m, "-1"), add(n, "2"), low, add(low, "2"), w]
    )
    body = r.choice(
        [
            i,
            power(i, r.choice(FIXED)),
            together(r, i, chance),
            mul(base(r, i), base(r)),
            base(r, i),
            x,
            term(r, chance, depth),
        ]
    )
    if r.random() < 0.1:
        body, low, high = base(r, ["draw", i, "2"], chance), "1", r.choice(["2", "2", "1"])
    return ["sum", body, i, low, high]


def nested(r: Random, around: tuple[Term, ...] = (), depth: int = 3, ends: bool = True) -> Term:
    """Sums inside sums, in their bodies and ends, which speak of any index around them; names come twice."""
    i = ["symbol", r.choice("ijl"), "integer"]
    a, b = r.choice([*around, *around, k, n]), r.choice([*around, i])
    own = r.choice([["max", a, mul("2", i)], ["abs", add(b, mul("-2", i))], ["max", i, a, mul("2", b)]])
    if depth > 1 and r.random() < 0.8:
        more = nested(r, (*around, i), depth - 1, ends)
        own = r.choice([more, more, mul(own, more)])
    end = nested(r, around, 2, False) if ends and r.random() < 0.5 else r.choice([n, n, m, *around])
    return ["sum", own, i, *r.choice([("1", end), ("1", end), ("1", end), (end, n)])]


def term(r: Random, chance: bool = False, depth: int = 2) -> Term:
    """A number."""
    if depth == 0:
        return base(r, None, chance)
    inner = [term(r, chance, depth - 1) for _ in range(2)]
    one = ["log", "log", "exp", "abs", "floor", "indicator", *(["mean", "mean", "mean"] if chance else [])]
    own: list[Callable[[], Term]] = [
        lambda: together(r, None, chance),
        lambda: together(r, None, chance),
        lambda: mul(*inner),
        lambda: add(*inner),
        lambda: [r.choice(one), inner[0]],
        lambda: [r.choice(("max", "min")), *inner],
        lambda: ["binomial", r.choice([m, k, "4", "-3", "5/2", n]), r.choice([k, "2", "-1", "3", m, n, "7"])],
        lambda: total(r, chance, depth - 1),
        lambda: nested(r),
        lambda: power(inner[0], exponent(r)),
        lambda: ["exp", mul(exponent(r), ["log", inner[0]])],
        lambda: ["dot", add(mul(inner[0], U), V), add(U, mul(base(r), V))],
    ]
    return r.choice(own)()


# Rewritings -----------------------------------------------------------------------------------------------------------


def replaced(value: Term, old: Term, new: Term) -> Term:
    """With ``new`` for ``old``; of an index, nothing binds another of that name here."""
    if value == old:
        return new
    return [replaced(a, old, new) for a in value] if isinstance(value, list) else value


def law(r: Random) -> tuple[Term, Term]:
    """Two numbers that are often the same, by a law that may suppose something."""
    a, b, c = base(r), base(r), base(r)
    e, f = exponent(r), exponent(r)
    i = ["symbol", "i", "integer"]
    low, high = r.choice(["0", "1", k, m]), r.choice([n, m, k, add(n, "1"), "2"])
    body = together(r, i)
    laws: list[tuple[Term, Term]] = [
        (power(a, e), mul(power(a, add(e, "-1")), a)),
        (power(a, add(e, f)), mul(power(a, e), power(a, f))),
        (power(power(a, e), f), power(a, mul(e, f))),
        (power(mul(a, b), e), mul(power(a, e), power(b, e))),
        (power(mul(a, power(b, "-1")), e), mul(power(a, e), power(b, minus(e)))),
        (power(a, minus(e)), power(power(a, e), "-1")),
        (power(a, minus(e)), power(power(a, "-1"), e)),
        (mul(power(a, e), power(a, minus(e))), "1"),
        (power(power(a, "2"), "1/2"), r.choice([a, ["abs", a]])),
        (power(a, mul("2", e)), power(power(a, e), "2")),
        (mul(a, power(a, "-1")), "1"),
        (mul(power(a, "2"), power(a, "-1")), a),
        (add(mul(a, power(c, "-1")), b), mul(add(a, mul(b, c)), power(c, "-1"))),
        (power(add(power(a, "-1"), power(b, "-1")), "-1"), mul(a, b, power(add(a, b), "-1"))),
        (add(mul(a, power(add(a, b), "-1")), mul(b, power(add(a, b), "-1"))), "1"),
        (["log", mul(a, b)], add(["log", a], ["log", b])),
        (["log", power(a, e)], mul(e, ["log", a])),
        (["log", mul(a, power(b, "-1"))], add(["log", a], minus(["log", b]))),
        (["exp", ["log", a]], a),
        (["exp", mul(e, ["log", a])], power(a, e)),
        (["log", ["exp", a]], a),
        (["exp", add(a, b)], mul(["exp", a], ["exp", b])),
        (["abs", mul(a, b)], mul(["abs", a], ["abs", b])),
        (["abs", power(a, e)], power(["abs", a], e)),
        (["max", a, b], mul("1/2", add(a, b, ["abs", add(a, minus(b))]))),
        (["max", mul(c, a), mul(c, b)], mul(c, ["max", a, b])),
        (["min", a, b], minus(["max", minus(a), minus(b)])),
        (["floor", add(a, e)], add(["floor", a], e)),
        (["binomial", n, k], ["binomial", n, add(n, minus(k))]),
        (["sum", body, i, low, high], add(["sum", body, i, low, add(high, "-1")], replaced(body, i, high))),
        (["sum", body, i, low, high], ["sum", replaced(body, i, add(i, "1")), i, add(low, "-1"), add(high, "-1")]),
        (["sum", mul(a, body), i, low, high], mul(a, ["sum", body, i, low, high])),
        (["sum", a, i, low, high], mul(a, add(high, minus(low), "1"))),
        (["sum", i, i, low, high], mul("1/2", add(high, low), add(high, minus(low), "1"))),
        (["mean", mul(X, power(X, "-1"))], "1"),
        (["mean", mul(a, X)], mul(a, ["mean", X])),
        (["mean", power(X, "2")], power(["mean", X], "2")),
        (["sum", power(["draw", i, "2"], e), i, "1", "2"], add("1", power("2", e))),
        (power(a, e), "0"),
        (power("0", e), "0"),
        (power("1", e), "1"),
        (power(a, "0"), "1"),
        (power(a, mul("1/2", e)), power(power(a, "1/2"), e)),
        (mul(power(a, "1/2"), power(a, "1/2")), a),
        (mul(power(a, e), power(b, e)), power(mul(a, b), e)),
        (mul(power(a, e), power(a, e)), power(a, mul("2", e))),
    ]
    laws += _narrow(r, a, b, c) * 2
    left, right = r.choice(laws)
    factor, more = r.choice(["1", "1", base(r)]), r.choice(["0", "0", base(r)])
    return (left, right) if r.random() < 0.6 else (add(mul(factor, left), more), add(mul(right, factor), more))


def _narrow(r: Random, a: Term, b: Term, c: Term) -> list[tuple[Term, Term]]:
    """Laws that fail at few points: their own fractions and letters."""
    half, letter = r.choice(["1/2", "1/2", "-1/2", "3/2", "1/3"]), r.choice([x, y, x, k])
    quotient = mul(add(power(a, "2"), minus(power(b, "2"))), power(add(a, minus(b)), "-1"))
    below = add(letter, b)
    return [
        (power(quotient, half), power(add(a, b), half)),
        (mul(power(add(letter, c), k), power(add(letter, c), minus(k))), "1"),
        (mul(power(letter, w), power(letter, mul("1/2", w))), power(letter, mul("3/2", w))),
        (mul(power(letter, mul("1/2", k)), power(letter, mul("1/2", k))), power(letter, k)),
        (mul(power(letter, mul("1/3", w)), power(letter, mul("2/3", w))), power(letter, w)),
        (power(letter, add(k, "-1")), mul(power(letter, k), power(letter, "-1"))),
        (power(letter, add(k, j)), mul(power(letter, k), power(letter, j))),
        (["log", mul(letter, power(add("1", z), "-1"))], add(["log", letter], minus(["log", add("1", z)]))),
        (power(power(letter, w), m), power(letter, mul(w, m))),
        (["log", quotient], ["log", add(a, b)]),
        (["log", mul(a, power(below, "-1"))], add(["log", a], minus(["log", below]))),
        (power(mul(a, power(below, "-1")), half), mul(power(a, half), power(below, minus(half)))),
        (power(mul(c, power(below, "-1")), half), mul(power(minus(c), half), power(minus(below), minus(half)))),
        (power(power(letter, w), half), power(letter, mul(half, w))),
        (power(letter, mul("2", w)), power(power(letter, w), "2")),
        (power(letter, mul("2/3", w)), power(power(letter, mul("1/3", w)), "2")),
    ]
