"""(11): a round on kinked clients that starts left of 0, on the mean; c(x) x <= lam0 x, so no coupling is needed.

E[H x] shrinks by 1 - lam0 eta at most in each step, and (1 - z)^n <= 1 - n z + n^2 z^2.
"""

from __future__ import annotations

from sympy import Expr, Rational, Symbol

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs.stray import tau
from fltheory.papers.sfl.kinked.proofs.walk import (AHEAD, CAP, CLIENTS, FIRST, HANDED, NONE, PLACES, PULL, STEEP, STEP,
    STEPS, H, c, i, j, k, nu, on, p, w, x, x0)
from fltheory.papers.sfl.notation import K, M, eta, lam0, zeta
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import E
from fltheory.verification import find

z, _now, _then = lam0 * eta, x(c + 1, k), x(c + 1, k + 1)
n, N = c * K + k, M * K


def power(count: Expr) -> Expr:
    """1 - n z + n^2 z^2, above (1 - z)^n."""
    return 1 - count * z + count**2 * z**2


CENTRED = Given("centred", eq(E(H * w(c + 1, k)), 0, CLIENTS, STEPS), "each sign has mean zero, given the past")
_BACK = le(power(n) * AHEAD, E(H * _now))
_AT_START = _BACK.at({k: NONE})
ROUND = (
    proof("sfl/kink-behind", "(11)", note="weighed by what is known before the round")
    .under(FIRST, STEP, HANDED, PULL, STEEP, CAP, Given("behind", le(H * x0, 0), "H vanishes where x0 > 0"), CENTRED)
    .step("minus", by.fact("abs", -_now), over=(CLIENTS, STEPS))
    .step("left of it", le(p(c + 1, k), lam0 * _now, CLIENTS, STEPS), by.linear("minus", "steep"), inserting="pull",
        note="c(x) x <= lam0 x")
    .step("each", le(H * ((1 - z) * _now - eta * nu * w(c + 1, k)), H * _then, CLIENTS, STEPS),
        by.linear("step", "left of it"))
    .step("mean", by.expectation("each"))
    .step("next", le((1 - z) * E(H * _now), E(H * _then), CLIENTS, STEPS), by.linear("mean", "centred"))
    .step("most", le(z * N, Rational(1, 101)), by.linear("cap"))
    .step("one of", le(z, z * N), by.linear())
    .step("small", le(z, Rational(1, 101)), by.linear("one of", "most"))
    .step("part", le(0, 1 - z), by.linear("small"))
    .step("mean behind", by.expectation("behind"))
    .step("longer", on(_BACK.at({k: k + 1}), CLIENTS, STEPS),
        by.linear({"next": 1, "assumed 1": 1 - z, "mean behind": (n + 1) * z**2 + n**2 * z**3, "part": 0}),
        assuming=_BACK, note="(1 - z)(1 - n z + n^2 z^2) <= 1 - (n + 1) z + (n + 1)^2 z^2")
    .step("client's start", on(_AT_START, CLIENTS), by.linear(), assuming=_AT_START)
    .step("a client", on(_BACK, CLIENTS, PLACES), by.induction(k, "client's start", "longer"), assuming=_AT_START)
    .step("client's end", by.instance({k: K}, "a client"), assuming=_AT_START)
    .step("weighed", eq(H * x(c + 2, 0), H * x(c + 1, K), CLIENTS), by.linear("handed"))
    .step("handed mean", by.expectation("weighed"))
    .step("handed on", on(_AT_START.at({c: c + 1}), CLIENTS), by.linear("client's end", "handed mean"),
        assuming=_AT_START)
    .step("first weighed", eq(H * x(1, 0), H * x0), by.linear("first"))
    .step("first mean", by.expectation("first weighed"))
    .step("start", _AT_START.at({c: NONE}), by.linear("first mean"))
    .step("every start", on(_AT_START, (c, 0, M)), by.induction(c, "start", "handed on"))
    .step("end", by.instance({c: M}, "every start"))
    .step("room", le((z * N) ** 2, z * N / 101), by.linear("most"))
    .step("wide", le(0, z * N / 3 - (z * N) ** 2), by.linear("room"))
    .qed(le((1 - Rational(2, 3) * z * N) * AHEAD, E(H * x(M + 1, 0))), by.linear("end", "mean behind", "wide"),
        name="round")
)
u = Symbol("u", positive=True)
_BOUND = find("sfl/I11@printed").bounds[0]
_I11, _IF = statement_of(_BOUND, E(x(M + 1, 0)) / -u, {notation.x0: -u})
_MEAN = le((1 - Rational(2, 3) * z * N) * -u, E(x(M + 1, 0)))
I11 = (
    proof("sfl/I11", "(11)", of="sfl/I11@printed", bound=_BOUND, reading={notation.x0: -u}, unused=("c3",)).under(*_IF)
    .given("first", eq(x(1, 0), -u), "the round starts left of 0")
    .given("step", eq(_then, _now - eta * (p(c + 1, k) + zeta * tau(c + 1)), CLIENTS, STEPS),
        "a local step on the client's sign")
    .under(HANDED, PULL)
    .given("fair sign", eq(E(tau(c + 1)), 0, CLIENTS), "each sign is 1 or -1 with the same chance")
    .step("fair", eq(E(tau(c + 1)), 0, CLIENTS, STEPS), by.linear("fair sign"))
    .step("mean", _MEAN, by.apply(ROUND, {H: 1, x0: -u, nu: zeta, w(i, j): tau(i)}), inserting="pull")
    .qed(_I11, by.linear("mean"), name="ratio")
)
THEOREMS = (ROUND, I11)
