"""Lemma 4.4: the gradient linearised in the response, what it leaves out, and how large that is.

``s`` is 1 + <p, r>, ``o`` the same at another decision, ``k`` that of the reference: 1 + c for a reference c in every entry.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Symbol

from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.letters import C1, C2, c
from fltheory.proof.language import Absolute, Apply, Combine, Given, Step, Theorem, eq, le, lt, stated
from fltheory.proof.terms import Dot, Positive, Vector, family

PLACE = "Lemma 4.4"
X, Y, most = (Symbol(name, real=True) for name in ("X", "Y", "most"))
D = Symbol("D", positive=True)
low, high, s, o, k = (Symbol(name, positive=True) for name in ("A", "B", "s", "o", "k"))

# The first order ------------------------------------------------------------------------------------------------------

r, r0 = family(Vector, "r")(), family(Vector, "r0")()
s0 = family(Positive, "s0")()
_LINEAR = -r / s0 + r0 * (s - s0) / s0**2
_ORDER = eq(-r / s - _LINEAR, (s - s0) / s0 * (r / s - r0 / s0))
FIRST_ORDER = Theorem(
    "aaggff/4.4-first-order",
    _ORDER,
    (),
    (Step("1", _ORDER, Combine()),),
    claim="aaggff/4.4-first-order@sharpened",
    place=PLACE,
    note="s = 1 + <p, r>, s0 = 1 + <p, r0>, so that <p, r - r0> = s - s0: of second order in r - r0",
)
p = family(Vector, "p")()
_along = Dot(p, r - r0)
_JACOBIAN = eq(-r0 / s0 - (r - r0) / s0 + r0 * _along / s0**2, -r / s0 + r0 * _along / s0**2)
JACOBIAN = Theorem(
    "aaggff/4.4-jacobian",
    _JACOBIAN,
    (),
    (Step("1", _JACOBIAN, Combine()),),
    claim="aaggff/4.4-jacobian@printed",
    place="(34)",
    note="h(r0) + J (r - r0) with (33), J = -I/s0 + r0 p'/s0^2, is (11)",
)

# Its size -------------------------------------------------------------------------------------------------------------

_PRODUCT = le(Abs(X * Y), D * most)
PRODUCT = Theorem(
    "aaggff/product",
    _PRODUCT,
    (
        Given("x high", le(X, D), "a number of size at most D"),
        Given("x low", le(-D, X), "on both sides"),
        Given("y high", le(Y, most), "another number"),
        Given("y low", le(-most, Y), "on both sides"),
    ),
    (
        Step(
            "1",
            le(X * Y, D * most),
            Combine({"x high": (most + Y) / 2, "y high": (D + X) / 2}),
            ("x high", "x low", "y high", "y low"),
        ),
        Step(
            "2",
            le(-X * Y, D * most),
            Combine({"x high": (most - Y) / 2, "y low": (D + X) / 2}),
            ("x high", "x low", "y high", "y low"),
        ),
        Step("3", _PRODUCT, Absolute(), ("1", "2")),
    ),
    place=PLACE,
    note="sizes multiply",
)
_inverse = 1 / s - 1 / k
_SIZE = le(Abs((o - s) * _inverse), (high - low) * most)
BETWEEN = (
    Given("range", lt(low, high), "1 + C1 and 1 + C2"),
    Given("s low", le(low, s), "an average of responses is in their range"),
    Given("s high", le(s, high), "and not above"),
    Given("o low", le(low, o), "an average of responses is in their range"),
    Given("o high", le(o, high), "and not above"),
)
SIZE = Theorem(
    "aaggff/4.4-size",
    _SIZE,
    (
        *BETWEEN,
        Given("first", le(1 / low - 1 / k, most), "how far 1/k is from one end"),
        Given("second", le(1 / k - 1 / high, most), "and from the other"),
    ),
    (
        Step("x high", le(o - s, high - low), Combine(), ("o high", "s low")),
        Step("x low", le(-(high - low), o - s), Combine(), ("o low", "s high")),
        Step("y high", le(_inverse, most), Combine({"s low": 1 / (low * s), "first": 1}), ("s low", "first")),
        Step("y low", le(-most, _inverse), Combine({"s high": 1 / (high * s), "second": 1}), ("s high", "second")),
        Step("length", lt(0, high - low), Combine(), ("range",)),
        Step(
            "1",
            _SIZE,
            Apply("aaggff/product", {X: o - s, Y: _inverse, D: high - low}),
            ("x high", "x low", "y high", "y low", "length"),
        ),
    ),
    place=PLACE,
    note="<g - h~, p - q> = (o - s)(1/s - 1/k), by the larger distance of 1/k from 1/(1 + C1) and 1/(1 + C2)",
)

# At the catalogue's references ----------------------------------------------------------------------------------------

_A, _B = 1 + C1, 1 + C2
LOSS = Abs((o - s) * (1 / s - 1 / (1 + c)))
_READ = {low: _A, high: _B}
INSIDE = tuple(Given(h.id, h.relation.at(_READ), h.why) for h in BETWEEN[1:])
INSIDE_IDS = tuple(h.id for h in INSIDE)


def sized(name: str, bound: Any, at: Any, limit: Any, steps: tuple[Step, ...], note: str = "") -> Theorem:
    """The size by a bound of the catalogue at a reference, from both distances being at most ``limit``."""
    statement, conditions = stated(bound, LOSS.xreplace({c: at}))
    ids = tuple(h.id for h in conditions)
    both = (
        *steps,
        Step(
            "size",
            le(LOSS.xreplace({c: at}), (_B - _A) * limit),
            Apply("aaggff/4.4-size", {**_READ, k: 1 + at, most: limit}),
            (*INSIDE_IDS, "c1", "first", "second"),
        ),
        Step("1", statement, Combine(), ("size",)),
    )
    used = {n for step in both for n in step.uses}
    unused = tuple(n for n in ids if n not in used)
    return Theorem(
        name, statement, (*INSIDE, *conditions), both, claim=name, place=PLACE, note=note, unused=unused, bound=bound
    )


_all = 1 / _A - 1 / _B
ANY = sized(
    "aaggff/4.4-remainder@corrected",
    of.REMAINDER,
    c,
    _all,
    (
        Step("first", le(1 / _A - 1 / (1 + c), _all), Combine({"c4": 1 / (_B * (1 + c))}), ("c4",)),
        Step("second", le(1 / (1 + c) - 1 / _B, _all), Combine({"c3": 1 / (_A * (1 + c))}), ("c3",)),
    ),
    "V^2/(1 + V) for any reference in the range",
)
_middle = of.MIDDLE
_half = (C2 - C1) / (_A * (2 + C1 + C2))
MIDDLE = sized(
    "aaggff/4.4-remainder-middle@sharpened",
    of.REMAINDER_MIDDLE,
    _middle,
    _half,
    (
        Step("first", le(1 / _A - 1 / (1 + _middle), _half), Combine()),
        Step(
            "second",
            le(1 / (1 + _middle) - 1 / _B, _half),
            Combine({"c1": (C2 - C1) / (_A * _B * (2 + C1 + C2))}),
            ("c1",),
        ),
    ),
    "V^2/(2 + V) for the middle of the range",
)
_best = of.HARMONIC
_quarter = (C2 - C1) / (2 * _A * _B)
BEST = sized(
    "aaggff/4.4-remainder-best@sharpened",
    of.REMAINDER_BEST,
    _best,
    _quarter,
    (
        Step("first", le(1 / _A - 1 / (1 + _best), _quarter), Combine()),
        Step("second", le(1 / (1 + _best) - 1 / _B, _quarter), Combine()),
    ),
    "V^2/(2 (1 + V)) where 1 + c is the harmonic mean of the ends",
)

THEOREMS = (FIRST_ORDER, JACOBIAN, PRODUCT, SIZE, ANY, MIDDLE, BEST)
