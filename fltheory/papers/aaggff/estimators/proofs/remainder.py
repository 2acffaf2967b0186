"""Lemma 4.4: the gradient linearised in the response, its remainder, and the size of the remainder.

``s`` is 1 + <p, r>, ``o`` the same at another decision, ``k`` at the reference: 1 + c for a reference c in every entry.
"""

from __future__ import annotations

from sympy import Abs, Expr, Symbol

from fltheory.model.bound import Bound
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.notation import C1, C2, c
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import Dot, Positive, Vector, family

PLACE = "Lemma 4.4"
X, Y, most = (Symbol(name, real=True) for name in ("X", "Y", "most"))
D = Symbol("D", positive=True)
low, high, s, o, k = (Symbol(name, positive=True) for name in ("A", "B", "s", "o", "k"))

# The first order ------------------------------------------------------------------------------------------------------

r, r0 = family(Vector, "r")(), family(Vector, "r0")()
s0 = family(Positive, "s0")()
FIRST_ORDER = proof(
    "aaggff/4.4-first-order",
    PLACE,
    of="aaggff/4.4-first-order@strengthened",
    note="s = 1 + <p, r>, s0 = 1 + <p, r0>, so that <p, r - r0> = s - s0: of second order in r - r0",
).qed(eq(-r / s - (-r / s0 + r0 * (s - s0) / s0**2), (s - s0) / s0 * (r / s - r0 / s0)), by.linear())
p = family(Vector, "p")()
_along = Dot(p, r - r0)
JACOBIAN = proof(
    "aaggff/4.4-jacobian",
    "(34)",
    of="aaggff/4.4-jacobian@printed",
    note="h(r0) + J (r - r0) with (33), J = -I/s0 + r0 p'/s0^2, is (11)",
).qed(eq(-r0 / s0 - (r - r0) / s0 + r0 * _along / s0**2, -r / s0 + r0 * _along / s0**2), by.linear())

# Its size -------------------------------------------------------------------------------------------------------------

PRODUCT = (
    proof("aaggff/product", PLACE, note="sizes multiply")
    .given("x high", le(X, D), "a number of size at most D")
    .given("x low", le(-D, X), "on both sides")
    .given("y high", le(Y, most), "another number")
    .given("y low", le(-most, Y), "on both sides")
    .step("1", le(X * Y, D * most), by.linear("x high", "x low", "y high", "y low"))
    .step("2", le(-X * Y, D * most), by.linear("x high", "x low", "y high", "y low"))
    .qed(le(Abs(X * Y), D * most), by.absolute("1", "2"))
)
_inverse = 1 / s - 1 / k
BETWEEN = (
    Given("range", lt(low, high), "1 + C1 and 1 + C2"),
    Given("s low", le(low, s), "an average of responses is in their range"),
    Given("s high", le(s, high), "and not above"),
    Given("o low", le(low, o), "an average of responses is in their range"),
    Given("o high", le(o, high), "and not above"),
)
SIZE = (
    proof("aaggff/4.4-size", PLACE,
        note="<g - h~, p - q> = (o - s)(1/s - 1/k), by the larger distance of 1/k from 1/(1 + C1) and 1/(1 + C2)")
    .under(*BETWEEN)
    .given("first", le(1 / low - 1 / k, most), "how far 1/k is from one end")
    .given("second", le(1 / k - 1 / high, most), "and from the other")
    .step("x high", le(o - s, high - low), by.linear("o high", "s low"))
    .step("x low", le(-(high - low), o - s), by.linear("o low", "s high"))
    .step("y high", le(_inverse, most), by.linear("s low", "first"))
    .step("y low", le(-most, _inverse), by.linear("s high", "second"))
    .step("length", lt(0, high - low), by.linear("range"))
    .qed(le(Abs((o - s) * _inverse), (high - low) * most),
        by.apply(PRODUCT, {X: o - s, Y: _inverse, D: high - low}, "x high", "x low", "y high", "y low", "length"))
)

# At the catalogue's references ----------------------------------------------------------------------------------------

_A, _B = 1 + C1, 1 + C2
LOSS = Abs((o - s) * (1 / s - 1 / (1 + c)))
_READ = {low: _A, high: _B}
INSIDE = tuple(Given(h.id, h.relation.at(_READ), h.why) for h in BETWEEN[1:])
INSIDE_IDS = tuple(h.id for h in INSIDE)


def sized(name: str, bound: Bound, at: Expr, limit: Expr, steps: tuple[Step, ...], note: str = "") -> Theorem:
    """Bound the size as in the catalogue at a reference, given that both distances are at most ``limit``."""
    statement, conditions = statement_of(bound, LOSS.xreplace({c: at}))
    used = {"c1", *(n for step in steps for n in step.uses)}
    unused = tuple(h.id for h in conditions if h.id not in used)
    return (
        proof(name, PLACE, of=name, bound=bound, unused=unused, note=note).under(*INSIDE, *conditions)
        .steps(*steps)
        .step("size", by.apply(SIZE, {**_READ, k: 1 + at, most: limit}, *INSIDE_IDS, "c1", "first", "second"))
        .qed(statement, by.linear("size"))
    )


_all = 1 / _A - 1 / _B
ANY = sized("aaggff/4.4-remainder@corrected", of.REMAINDER, c, _all,
    (line("first", le(1 / _A - 1 / (1 + c), _all), by.linear("c4")),
        line("second", le(1 / (1 + c) - 1 / _B, _all), by.linear("c3"))), "V^2/(1 + V) for any reference in the range")
_middle = of.MIDDLE
_half = (C2 - C1) / (_A * (2 + C1 + C2))
MIDDLE = sized("aaggff/4.4-remainder-middle@strengthened", of.REMAINDER_MIDDLE, _middle, _half,
    (line("first", le(1 / _A - 1 / (1 + _middle), _half), by.linear()),
        line("second", le(1 / (1 + _middle) - 1 / _B, _half), by.linear("c1"))),
    "V^2/(2 + V) for the middle of the range")
_best = of.HARMONIC
_quarter = (C2 - C1) / (2 * _A * _B)
BEST = sized("aaggff/4.4-remainder-best@strengthened", of.REMAINDER_BEST, _best, _quarter,
    (line("first", le(1 / _A - 1 / (1 + _best), _quarter), by.linear()),
        line("second", le(1 / (1 + _best) - 1 / _B, _quarter), by.linear())),
    "V^2/(2 (1 + V)) where 1 + c is the harmonic mean of the ends")

THEOREMS = (FIRST_ORDER, JACOBIAN, PRODUCT, SIZE, ANY, MIDDLE, BEST)
