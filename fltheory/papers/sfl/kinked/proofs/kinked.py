"""Lemma 14 and the inequalities (8) and (9) of the second regime: clients with a kink, heterogeneity +-zeta.

The sign of a step is its client's, so that the walk for any signs applies with W_{m,k} = K A_{m,k}; M = 2 g + 4 is
even. The printed step cap of Lemma 14 has lam instead of lam0.
"""

from __future__ import annotations

from sympy import Abs, Expr, Rational, Symbol, oo, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs.pull import r, theta
from fltheory.papers.sfl.kinked.proofs.stray import CLIENTS, DRAWN, FRONT, LAW, NOISE, g, m, spread, tau
from fltheory.papers.sfl.kinked.proofs.walk import HANDED, NONE, PULL, STEPS, H, W, c, i, j, k, nu, p, s, w, x, x0
from fltheory.papers.sfl.notation import K, M, eta, lam0, zeta
from fltheory.proof import Given, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, Indicator
from fltheory.verification import find

b, q = Symbol("b", integer=True, nonnegative=True), Symbol("q", integer=True, nonnegative=True)
a = Symbol("a", nonnegative=True)
READING: dict[Symbol, Expr] = {notation.x0: a, notation.m: b + 1, notation.k: q, M: m}


def catalogued(claim: str, quantity: Expr) -> tuple[Relation, tuple[Given, ...], Bound]:
    """Return the statement of a claim of the catalogue at client b + 1, step q, its conditions and its formula."""
    bound = find(claim).bounds[0]
    return *statement_of(bound, quantity, READING), bound


WALK = (
    Given("first", eq(x(1, 0), a), "the round starts at a >= 0"),
    Given("step", eq(x(c + 1, k + 1), x(c + 1, k) - eta * (p(c + 1, k) + zeta * tau(c + 1)), CLIENTS, STEPS),
        "a local step on the client's sign"),
    Given("handed", eq(x(c + 2, 0), x(c + 1, K), CLIENTS), HANDED.why),
)
AT = {H: 1, x0: a, nu: zeta, w(i, j): tau(i), M: m}
SHORT = Given("s", eq(s(c, k), spread(c, k), (c, 0, oo), (k, 0, oo)), "s(c, k) is short for K sqrt(c + a_k^2)")
GROW = (
    line("nonnegative", le(0, c + (k / K) ** 2, CLIENTS, STEPS), by.linear()),
    line("more", le(c + (k / K) ** 2, c + ((k + 1) / K) ** 2, CLIENTS, STEPS), by.linear()),
    line("root", le(sqrt(c + (k / K) ** 2), sqrt(c + ((k + 1) / K) ** 2), CLIENTS, STEPS),
        by.power(Rational(1, 2), "nonnegative", "more")),
    line("s next", eq(s(c, k + 1), spread(c, k + 1), (c, 0, oo)), by.instance({k: k + 1}, "s")),
    line("growing", le(s(c, k), s(c, k + 1), CLIENTS, STEPS), by.linear("root", "s", "s next")),
    line("s last", eq(s(c, K), spread(c, K), (c, 0, oo)), by.instance({k: K}, "s")),
    line("s first", eq(s(c + 1, 0), spread(c + 1, NONE)), by.instance({c: c + 1, k: NONE}, "s")),
    line("joined", eq(s(c + 1, 0), s(c, K), CLIENTS), by.linear("s first", "s last")),
    line("strays", le(E(Abs(W(c, k))), spread(c, k), CLIENTS, STEPS), by.apply("sfl/stray-most", "unit", "fair"),
        inserting=("noise", "sums"), note="Lemma 12"),
    line("spread", le(E(Abs(W(c, k))), s(c, k), CLIENTS, STEPS), by.linear("strays", "s")),
)
USES = ("first", "step", "handed", "c2", "spread", "c1", "growing", "joined")

# the claim at the place (b + 1, q), with s inserted
HERE = line("s here", eq(s(b, q), spread(b, q)), by.instance({c: b, k: q}, "s"))

# Lemma 14 ---------------------------------------------------------------------------------------------------------

_L14, _C14, _B14 = catalogued("sfl/L14@corrected", E(Abs(x(b + 1, q) - a)))
_EACH14 = le(E(Abs(x(c + 1, k) - a)), a / 100 + Rational(101, 100) * eta * zeta * s(c, k), CLIENTS, STEPS)
L14 = (
    proof("sfl/L14", "Lemma 14", of="sfl/L14@corrected", bound=_B14, reading=READING, unused=("c3",))
    .under(*_C14, *WALK, NOISE, PULL, *DRAWN, SHORT)
    .steps(*GROW)
    .step("every place", _EACH14, by.apply("sfl/kink-drift", AT, *USES), inserting=("noise", "pull"))
    .step("there", by.instance({c: b, k: q}, "every place", "c4", "c5"))
    .steps(HERE)
    .qed(_L14, by.linear("there", "s here"), name="here")
)

# (9) --------------------------------------------------------------------------------------------------------------

_I9, _C9, _B9 = catalogued("sfl/I9@printed", E(p(b + 1, q)))
_EACH9 = le(E(p(c + 1, k)), lam0 / 1000 * (a + eta * zeta * s(c, k)), CLIENTS, STEPS)
I9 = (
    proof("sfl/I9", "(9)", of="sfl/I9@printed", bound=_B9, reading=READING, unused=("c3",))
    .under(*_C9, *WALK, NOISE, PULL, *DRAWN, SHORT)
    .steps(*GROW)
    .step("every place", _EACH9, by.apply("sfl/kink-pull", AT, *USES), inserting=("noise", "pull"))
    .step("there", by.instance({c: b, k: q}, "every place", "c4", "c5"))
    .steps(HERE)
    .qed(_I9, by.linear("there", "s here"), name="here")
)

# (8) --------------------------------------------------------------------------------------------------------------

SYMMETRIC = Given("symmetric", eq(E(Indicator(W(c, k))), E(Indicator(-W(c, k))), CLIENTS, STEPS),
    "all signs turned over, the order is as likely as before")
_I8, _C8, _B8 = catalogued("sfl/I8@strengthened", Rational(501, 1000) * lam0 * a - E(p(b + 1, q)))
_EACH8 = le(E(p(c + 1, k)), Rational(501, 1000) * lam0 * a - Rational(14, 1000) * lam0 * eta * zeta * s(c, k), FRONT,
    STEPS)
HALF = (
    line("even", eq(a * E(Indicator(W(c, k))), a * E(Indicator(-W(c, k))), FRONT, STEPS), by.linear("symmetric")),
    line("centred", eq(E(W(c, k)), 0, FRONT, STEPS), by.linear("no drift")),
    line("far", le(spread(c, k) / 20, E(Abs(W(c, k))), FRONT, STEPS), by.apply("sfl/stray-least", *(h.id for h in LAW)),
        inserting="sums", note="Lemma 12"),
    line("stray", le(s(c, k) / 20, E(Abs(W(c, k))), FRONT, STEPS), by.linear("far", "s")),
)
I8 = (
    proof("sfl/I8", "(8)", of="sfl/I8@strengthened", bound=_B8, reading=READING, unused=("c3", "c4", "c7"),
        note="the sign of the last term is printed as +, which is weaker and does not serve (10)")
    .under(*_C8, *WALK, NOISE, PULL, *DRAWN, SHORT, SYMMETRIC)
    .given("no drift", eq(E(W(c, k)), 0, CLIENTS, STEPS), "each sign is 1 or -1 with the same chance")
    .under(*LAW)
    .steps(*GROW, *HALF)
    .step("every place", _EACH8,
        by.apply("sfl/kink-pull-back", {**AT, r: g + 1, theta: Rational(1, 20)}, *USES, "even", "centred", "stray"),
        inserting=("noise", "pull"), note="1/100 - 1/40 + 1/1000 = -14/1000")
    .step("there", by.instance({c: b, k: q}, "every place", "c6", "c5"))
    .steps(HERE)
    .qed(_I8, by.linear("there", "s here"), name="here")
)
THEOREMS = (L14, I9, I8)
