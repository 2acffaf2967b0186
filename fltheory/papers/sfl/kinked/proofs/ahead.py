"""(10): a round on kinked clients from a start a >= 0, from (8) on its first M/2 + 1 clients and (9) on the others.

The paper's sum of sqrt(m - 1 + a_k^2) is bounded by sqrt(m - 1) below, and by sqrt(M) on the later clients.
"""

from __future__ import annotations

from sympy import Abs, Expr, Rational, Symbol, oo, sqrt

from fltheory.papers.sfl.kinked.proofs.kinked import (GROW, HALF, READING, SHORT, SYMMETRIC, WALK, a, catalogued, r,
    theta)
from fltheory.papers.sfl.kinked.proofs.pull import AWAY, EVERYWHERE
from fltheory.papers.sfl.kinked.proofs.stray import CLIENTS, DRAWN, FRONT, LAW, NOISE, g, m, tau
from fltheory.papers.sfl.kinked.proofs.walk import (AHEAD, FIRST, INNER, KNOWN, NONE, PULL, START, STEPS, H, W, c, i, j,
    k, nu, on, p, w, x, x0)
from fltheory.papers.sfl.notation import K, M, eta, lam0, zeta
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.terms import E, Indicator, Total

# Sums of roots ----------------------------------------------------------------------------------------------------

u, v = Symbol("u", nonnegative=True), Symbol("v", nonnegative=True)
q = Symbol("q", integer=True, nonnegative=True)
ROOT = (
    proof("sfl/roots-step", "App. D.2")
    .given("order", le(u, v), "u = sqrt(n), v = sqrt(n + 1)")
    .given("one", eq(v**2, u**2 + 1), "their squares")
    .qed(le(Rational(2, 3) * v**3, v + Rational(2, 3) * u**3), by.linear("order", "one"), name="step",
        note="(v - u)^2 (v + 2 u) >= 0")
)


def roots(n: Expr) -> Expr:
    """Return the sum of sqrt(i) over 0 <= i <= n."""
    return Total(sqrt(q), q, 0, n)


_ROOTS = le(Rational(2, 3) * c * sqrt(c), roots(c))
_NEXT = le(Rational(2, 3) * (c + 1) * sqrt(c + 1), sqrt(c + 1) + Rational(2, 3) * c * sqrt(c), (c, 0, oo))
ROOTS = (
    proof("sfl/roots", "App. D.2", note="sqrt(1) + ... + sqrt(n) >= 2/3 n^(3/2)")
    .step("zero", le(0, c, (c, 0, oo)), by.linear())
    .step("more", le(c, c + 1, (c, 0, oo)), by.linear())
    .step("order", by.power(Rational(1, 2), "zero", "more"))
    .step("next", _NEXT, by.apply(ROOT, {u: sqrt(c), v: sqrt(c + 1)}))
    .step("start", _ROOTS.at({c: NONE}), by.linear())
    .step("one", on(_ROOTS.at({c: c + 1}), (c, 0, oo)), by.linear("next"), assuming=_ROOTS)
    .qed(on(_ROOTS, (c, 0, oo)), by.induction(c, "start", "one"), name="all")
)
HALVES = (
    proof("sfl/roots-half", "App. D.2")
    .given("squares", le(v**2, Rational(9, 4) * u**2), "v = sqrt(M), u = sqrt(M / 2)")
    .step("zero", le(0, v**2), by.linear())
    .qed(le(v, Rational(3, 2) * u), by.power(Rational(1, 2), "zero", "squares"), name="half")
)

# The mean from client to client -------------------------------------------------------------------------------------

FAIR_SIGN = Given("fair sign", eq(E(tau(i)), 0, (i, 1, m)), "each sign is 1 or -1 with the same chance")
FAIR = Given("fair sign", eq(E(H * tau(i)), 0, (i, 1, m)), "each sign is 1 or -1 with the same chance, given the past")
_PULLS = Total(E(H * p(c + 1, j)), j, 0, K - 1)
_MEAN = eq(E(H * x(c + 2, 0)), E(H * x(c + 1, 0)) - eta * _PULLS, CLIENTS)
_SIGNED = eq(x(c + 2, 0), x(c + 1, 0) - eta * (Total(p(c + 1, j), j, 0, K - 1) + zeta * K * tau(c + 1)), CLIENTS)
_CLIENT = on(INNER, CLIENTS, (k, 0, K))
_CLIENT = eq(_CLIENT.left, x(c + 1, 0) - eta * (Total(p(c + 1, j), j, 0, k - 1) + zeta * k * tau(c + 1)), *_CLIENT.over)
MEAN = (
    proof("sfl/kink-mean", "(4)").under(*WALK[1:], FAIR)
    .step("steps", _CLIENT, by.apply("sfl/kink-client", {nu: zeta, w(i, j): tau(i), M: m}, "step"))
    .step("client", by.instance({k: K}, "steps"))
    .step("next", _SIGNED, by.linear("handed", "client"))
    .step("weighed", eq(H * x(c + 2, 0), H * _SIGNED.right, CLIENTS), by.linear("next"))
    .step("mean", by.expectation("weighed"))
    .step("its sign", by.instance({i: c + 1}, "fair sign"), over=CLIENTS)
    .qed(_MEAN, by.linear("mean", "its sign"), name="pulled")
)
_EARLIER = (
    line("earlier signs", eq(E(H * tau(i)), 0, CLIENTS, (i, 1, c)), by.linear("fair sign")),
    line("their sum", eq(Total(E(H * tau(i)), i, 1, c), 0, CLIENTS), by.sum_over(i, "earlier signs")),
    line("its sign", eq(E(H * tau(c + 1)), 0, CLIENTS), by.instance({i: c + 1}, "fair sign")),
    line("no drift", eq(E(H * W(c, k)), 0, CLIENTS, STEPS), by.linear("their sum", "its sign"), inserting="noise"),
)

# The first clients and the others -----------------------------------------------------------------------------------

WORDS = ((nu, zeta), (w(i, j), tau(i)), (M, m))
ROUND = (FIRST, *WALK[1:])
EVEN = Given("even", eq(E(H * x0 * Indicator(W(c, k))), E(H * x0 * Indicator(-W(c, k))), FRONT, STEPS),
    "all signs turned over, the order is as likely as before, given the past")
APART = Given("apart", eq(E(H * Abs(W(c, k))), START * E(Abs(W(c, k))), CLIENTS, STEPS),
    "the order is independent of the past")
PAST = (KNOWN, APART, EVEN)
STRAY = tuple(t for t in HALF if t.id in ("far", "stray"))
_I10, _C10, _B10 = catalogued("sfl/I10@printed", E(x(m + 1, 0)))
_NEAR, _FAR = Rational(501, 1000) * lam0 * AHEAD, Rational(14, 1000) * lam0 * eta * zeta * K * START
_LATE = lam0 / 1000 * (AHEAD + eta * zeta * K * START * sqrt(m))
_MEAN_STEP = line("means", _MEAN, by.apply(MEAN, "step", "handed", "fair sign"))
_EARLY = le(AHEAD - eta * c * K * _NEAR + eta * K * _FAR * roots(c - 1), E(H * x(c + 1, 0)))
BEGINNING = (
    proof("sfl/I10-front", "(10)", note="(8), summed over the first M/2 + 1 clients")
    .under(*_C10[:2], *ROUND, NOISE, PULL, *DRAWN, SHORT, *PAST, FAIR, *LAW)
    .steps(*GROW, *_EARLIER)
    .step("centred", eq(E(H * W(c, k)), 0, FRONT, STEPS), by.linear("no drift"))
    .steps(*STRAY)
    .step("every place", by.apply(AWAY, (*WORDS, (r, g + 1), (theta, Rational(1, 20)))), inserting=("noise", "pull"),
        note="(8)")
    .step("whole", le(0, c, CLIENTS, STEPS), by.linear())
    .step("and more", le(c, c + (k / K) ** 2, CLIENTS, STEPS), by.linear())
    .step("roots", by.power(Rational(1, 2), "whole", "and more"))
    .step("each", le(E(H * p(c + 1, k)), _NEAR - _FAR * sqrt(c), FRONT, STEPS), by.linear("every place", "s", "roots"))
    .step("client", le(_PULLS, K * (_NEAR - _FAR * sqrt(c)), FRONT), by.sum_over(k, "each"))
    .steps(_MEAN_STEP)
    .step("first weighed", eq(H * x(1, 0), H * x0), by.linear("first"))
    .step("first mean", by.expectation("first weighed"))
    .step("start", _EARLY.at({c: NONE}), by.linear("first mean"))
    .step("one", on(_EARLY.at({c: c + 1}), FRONT), by.linear("means", "client"), assuming=_EARLY)
    .qed(on(_EARLY, (c, 0, g + 3)), by.induction(c, "start", "one"), name="all")
)
d = Symbol("d", integer=True, nonnegative=True)
LATER = (d, 0, g)
_HEAD = AHEAD - eta * (g + 3) * K * _NEAR + eta * K * _FAR * roots(g + 2)
_AFTER = le(_HEAD - d * eta * K * _LATE, E(H * x(g + 4 + d, 0)))
_FRONT_IDS = (
    "c1",
    "c2",
    "first",
    "step",
    "handed",
    "s",
    "unit",
    "fair",
    "known",
    "apart",
    "even",
    "fair sign",
    *(h.id for h in LAW),
)
WHOLE = (
    proof("sfl/kink-ahead", "(10)", note="weighed by what is known before the round")
    .under(*_C10[:2], *ROUND, NOISE, PULL, *DRAWN, SHORT, *PAST, FAIR, *LAW)
    .steps(*GROW)
    .step("front", by.apply(BEGINNING, *_FRONT_IDS), inserting=("noise", "pull", "sums"))
    .step("every place", by.apply(EVERYWHERE, WORDS), inserting=("noise", "pull"), note="(9)")
    .step("step of", le(k, K, CLIENTS, STEPS), by.polynomial())
    .step("fraction", le((k / K) ** 2, 1, CLIENTS, STEPS), by.linear("step of"))
    .step("place of", le(c + 1, m, CLIENTS, STEPS), by.polynomial())
    .step("inside", le(c + (k / K) ** 2, m, CLIENTS, STEPS), by.linear("fraction", "place of"))
    .step("roots", by.power(Rational(1, 2), "nonnegative", "inside"))
    .step("each", le(E(H * p(c + 1, k)), _LATE, CLIENTS, STEPS), by.linear("every place", "s", "roots"))
    .step("client", le(_PULLS, K * _LATE, CLIENTS), by.sum_over(k, "each"))
    .steps(_MEAN_STEP)
    .step("on", le(E(H * x(c + 1, 0)) - eta * K * _LATE, E(H * x(c + 2, 0)), CLIENTS), by.linear("means", "client"))
    .step("later", by.instance({c: g + 3 + d}, "on"), over=LATER)
    .step("start", by.instance({c: g + 3}, "front"))
    .step("one", on(_AFTER.at({d: d + 1}), LATER), by.linear("later"), assuming=_AFTER)
    .step("all", on(_AFTER, (d, 0, g + 1)), by.induction(d, "start", "one"))
    .step("end", by.instance({d: g + 1}, "all"))
    .step("root sums", by.apply(ROOTS))
    .step("sum", by.instance({c: g + 2}, "root sums"))
    .step("half", by.apply(HALVES, {u: sqrt(g + 2), v: sqrt(m)}))
    .step("start ahead", le(0, H * x0), by.linear("known"))
    .step("mean ahead", by.expectation("start ahead"))
    .qed(
        le(
            (1 - Rational(2, 3) * lam0 * m * K * eta) * AHEAD + lam0 * m ** Rational(3, 2) * K**2 * eta**2 * zeta * START / 600,
            E(H * x(m + 1, 0))), by.linear("end", "sum", "half", "mean ahead"), name="round",
        note="501/1000 (M/2 + 1) + 1/1000 (M/2 - 1) <= 2/3 M")
)
I10 = (
    proof("sfl/I10", "(10)", of="sfl/I10@printed", bound=_B10, reading=READING, unused=("c3", "c4"))
    .under(*_C10, *WALK, NOISE, PULL, *DRAWN, SHORT, SYMMETRIC, FAIR_SIGN, *LAW)
    .step("even", eq(a * E(Indicator(W(c, k))), a * E(Indicator(-W(c, k))), FRONT, STEPS), by.linear("symmetric"))
    .qed(_I10,
        by.apply(WHOLE, {H: 1, x0: a}, "c1", "c2", "first", "step", "handed", "s", "unit", "fair", "even", "fair sign",
            *(h.id for h in LAW)), name="round", inserting=("noise", "pull", "sums"))
)
THEOREMS = (ROOT, ROOTS, HALVES, MEAN, BEGINNING, WHOLE, I10)
