"""(45), each client, as its claim states it: the distance of a client after some of its local steps."""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, exp, sqrt

from fltheory.papers.osmd.fedavg.proofs.fedavg import CLIENTS, SMOOTH, F, a, far, i, own, steps_of, w, xi, y
from fltheory.papers.osmd.mirror.proofs import facts
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import GROWS
from fltheory.papers.osmd.notation import B, L, M, g, mu, sigma
from fltheory.papers.osmd.notation import b as done
from fltheory.proof import Axiom, by, eq, le, proof
from fltheory.proof.facts import squares
from fltheory.proof.facts.notation import P, Q
from fltheory.proof.terms import E, Grad, square

_GROW, _SIZE = 1 + 1 / B, B**2 / (2 * B + 1)
_OWN2 = E(square(own(a)))
_ADDED = 2 * (1 + B) * mu**2 * _OWN2 + mu**2 * sigma**2
_STRAY, _GRAD = y(a, i) - w, Grad(F(a), y(a, i))
_AT = (CLIENTS, (i, 0, B - 1))
_CURVED = 2 * L**2 * square(_STRAY) + 2 * square(own(a))
_STEP, _FREE = y(a, i) - mu * (_GRAD + xi(a, i)) - w, _STRAY - mu * _GRAD


def sofar(count):
    """Return the value of the recursion."""
    return _ADDED * (_GROW ** (2 * count) - 1) * _SIZE


POWERS = (
    proof("osmd/45-powers", "(45), each client", note="the recursion's powers are at most e^2")
    .given("count", le(done, B), "no more steps than there are")
    .step("zero", le(0, _GROW), by.linear())
    .step("exp", by.fact("exp", 1 / B))
    .step("power", by.power(2 * done, "zero", "exp"))
    .step("share", le(2 * done / B, 2), by.linear(count=2 / B))
    .step("grows", by.apply(GROWS, {P: 2 * done / B, Q: Integer(2)}))
    .step("e", le(exp(Integer(2)), Rational(15, 2)), by.ball(()))
    .qed(le(_GROW ** (2 * done), Rational(15, 2)), by.linear("power", "grows", "e"))
)
ONE = (
    proof("osmd/45-one", "(45), each client", note="between 1 and 1")
    .given("high", le(done, 1), "one step at most")
    .given("low", le(1, done), "and at least one")
    .qed(eq(done, 1), by.antisymmetry("high", "low"))
)
one = Symbol("one", integer=True, positive=True)
_start, _line, _c = of("osmd/C-45-client@printed", far(one, done))
_SUM = le(far(a, i), sofar(i), CLIENTS, (i, 0, B))
GOES = (
    proof("osmd/45-steps", "(45), each client", note="the recursion of the claim's steps").under(SMOOTH, *steps_of(B))
    .given("short", le(2 * (B * mu * L) ** 2, 1), "mu_l is at most 1/(sqrt(2) B L)")
    .step("g 1", le(square(_GRAD), _CURVED, *_AT), by.sos((2, Axiom("lipschitz", F(a), y(a, i), w)), "class"))
    .step("g", by.expectation("g 1"))
    .step("sign 1", le(0, square(_STRAY), *_AT), by.sos())
    .step("sign", by.expectation("sign 1"))
    .step("move 1", eq(square(y(a, i + 1) - w), square(_STEP), *_AT), by.linear(local=y(a, i + 1) - w + _STEP))
    .step("move 2", by.expectation("move 1"))
    .step("move", le(far(a, i + 1), E(square(_FREE)) + mu**2 * sigma**2, *_AT),
        by.linear({"move 2": 1, "noise": mu**2, "unbiased 1": -2 * mu, "unbiased 2": 2 * mu, "unbiased 3": 2 * mu**2}),
        note="the noise is against nothing that was there")
    .step("young 1", le(square(_FREE), (1 + 1 / B) * square(_STRAY) + (1 + B) * mu**2 * square(_GRAD), *_AT),
        by.apply(facts.YOUNG, {squares.u: _STRAY, squares.v: -mu * _GRAD, facts.share: 1 / B}))
    .step("young", by.expectation("young 1"))
    .step("small", le(2 * (1 + B) * mu**2 * L**2, (1 + B) / B**2), by.linear(short=(1 + B) / B**2))
    .step("next", le(far(a, i + 1), _GROW**2 * far(a, i) + _ADDED, *_AT),
        by.linear({"move": 1, "young": 1, "g": (1 + B) * mu**2, "small": far(a, i)}, "sign"))
    .step("start 1", eq(square(y(a, 0) - w), 0, CLIENTS), by.linear(first=y(a, 0) - w))
    .step("start", by.expectation("start 1"))
    .step("0", le(far(a, 0), sofar(Integer(0)), CLIENTS), by.linear(start=1))
    .step("1", le(far(a, i + 1), sofar(i + 1), *_AT), by.linear({"next": 1, "assumed 1": _GROW**2}),
        assuming=le(far(a, i), sofar(i)))
    .qed(_SUM, by.induction(i, "0", "1"))
)
_ONCE, _MORE, _NONE, _SOME = le(B, 1), le(2, B), le(done, 0), le(1, done)
_ALL = le(far(a, done), 8 * B**2 * mu**2 * _OWN2 + 4 * B * mu**2 * sigma**2, CLIENTS)
EACH = (
    proof("osmd/45-each", "(45), each client", note="each of the clients").under(SMOOTH, *steps_of(B))
    .given("short", le(2 * (B * mu * L) ** 2, 1), "mu_l is at most 1/(sqrt(2) B L)")
    .given("count", le(done, B), "no more steps than there are")
    .step("steps", by.apply(GOES))
    .step("here", by.instance({i: done}, "steps", "count"))
    .step("own 1", le(0, square(own(a)), CLIENTS), by.sos())
    .step("own", by.expectation("own 1"))
    .step("powers", by.apply(POWERS))
    .step("added", le(0, _ADDED, CLIENTS), by.linear(own=2 * (1 + B) * mu**2))
    .step("capped", le(far(a, done), _ADDED * Rational(13, 2) * _SIZE, CLIENTS),
        by.linear({"here": 1, "powers": _ADDED * _SIZE}, "added"))
    .step("many", _ALL,
        by.linear({"capped": 1, "assumed 1": 3 * B**2 * mu**2 * _OWN2 / (2 * B + 1), "own": mu**2 * B**2 / (2 * B + 1)},
            "own"), assuming=_MORE)
    .step("least one", le(1, B), by.linear())
    .step("alike", eq(B, 1), by.antisymmetry("least one"), assuming=_ONCE)
    .step("once", by.instance({i: 1}, "steps"))
    .step("zeroth", by.instance({i: 0}, "steps"))
    .step("no less", le(0, done), by.linear())
    .step("none", eq(done, 0), by.antisymmetry("no less"), assuming=_NONE)
    .step("not yet", _ALL, by.linear({"zeroth": 1, "own": 8 * B**2 * mu**2}), inserting="none", assuming=_NONE)
    .step("at most", le(done, 1), by.linear({"count": 1, "assumed 1": 1}), assuming=_ONCE)
    .step("at least", le(1, done), by.linear({"assumed 2": 1}), assuming=(_ONCE, _SOME))
    .step("all done", by.apply(ONE), assuming=(_ONCE, _SOME))
    .step("one done", _ALL, by.linear({"once": 1, "own": 4 * mu**2}), inserting=("all done", "alike"),
        assuming=(_ONCE, _SOME))
    .step("one", by.cases("not yet", "one done"), assuming=_ONCE)
    .qed(_ALL, by.cases("one", "many"))
)
CLIENT = (
    _start.under(SMOOTH, *steps_of(B), *_c)
    .given("client", le(one, M), "one of the clients")
    .given("slope", eq(g**2, E(square(own(one)))), "g is how long its gradient is")
    .step("zero", le(0, sqrt(2) * B * mu * L), by.linear())
    .step("squares", by.power(2, "zero", "c1"))
    .step("short", le(2 * (B * mu * L) ** 2, 1), by.linear(squares=1))
    .step("sides", by.apply(EACH))
    .step("its own", by.instance({a: one}, "sides", "client"))
    .qed(_line, by.linear({"its own": 1, "slope": -8 * B**2 * mu**2}))
)

THEOREMS = (POWERS, ONE, GOES, EACH, CLIENT)
