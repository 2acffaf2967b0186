"""Corollary 20 as printed and strengthened: a point that moves along the round with the models, and a second run.

Without noise a step takes y to y - eta F'(y), with the client's F. The coupled point z starts at x* and subtracts
eta F'(x*): after a round it is at x* again. A run from x* is as far from x* as z goes on its way; two runs with
the same orders come closer by 1 - eta mu in each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, Integer, Rational, Symbol, exp

from fltheory.papers.sfl.notation import K, L, M, eta, mu, zeta_star
from fltheory.papers.sfl.recursion.proofs import draws
from fltheory.papers.sfl.recursion.proofs.averages import c
from fltheory.papers.sfl.recursion.proofs.facts import SQUARE
from fltheory.proof import Axiom, Given, Member, Relation, by, eq, le, line, lt, proof
from fltheory.proof.terms import Draw, E, Fun, Grad, RandomVector, Scalar, Total, Vector, family, square

PLACE = "Corollary 20"
HALF, SEVEN_SIXTHS = Rational(1, 2), Rational(7, 6)
i, j, n, k = (Symbol(name, integer=True, nonnegative=True) for name in "ijnk")
a = Symbol("a", integer=True, positive=True)
F, h = family(Fun, "F"), family(Fun, "h")()
best = family(Vector, "x*")()
STEPS, PLACES = ((n, 0, M - 1), (k, 0, K - 1)), ((n, 0, M - 1), (k, 0, K))
q, q1 = Symbol("rate", nonnegative=True), 1 - eta * mu

CLASS = Member("class", F(a), L, mu, "every client is smooth and strongly convex")
ORDER = Given("order", le(mu, L), "strong convexity is below smoothness")
CAP = Given("cap", le(eta, 1 / (6 * L)), "the step is small")

# One step ---------------------------------------------------------------------------------------------------------

y, z, u = (family(Vector, name)() for name in ("y", "z", "u"))
_ON_H = Member("class", h, L, mu)
BESIDE = (
    proof("sfl/C20-beside", PLACE, note="a step of the model and one of the point beside it").under(_ON_H, CAP)
    .qed(le(square(y - eta * Grad(h, y) - (z - eta * Grad(h, best))), q1 * square(y - z) + eta * L * square(z - best)),
        by.sos((2 * eta, Axiom("convex", h, z, y)), (2 * eta, Axiom("cocoercive", h, y, best)),
            (2 * eta, Axiom("descent", h, z, best)), "class", "cap"),
        note="three points: what is left is a square, as eta <= 1/L")
)
_APART = Grad(h, y) - Grad(h, u) - mu * (y - u)
_DOWN, _UP = y - eta * _APART, u + eta * _APART
_WEIGHT = 2 * eta * q1
CLOSER = (
    proof("sfl/C20-closer", PLACE, note="a step of two runs brings them closer").under(_ON_H, ORDER, CAP)
    .step("most", le(eta * L, Rational(1, 6)), by.linear("cap"))
    .step("shrinks", lt(eta * mu, 1), by.linear("most", "order"))
    .step("short", le(2 * q1 * eta * L, q1 / 3), by.linear("most", "shrinks"))
    .step("room", le(1, 2 * q1 * (2 - eta * (L - mu))), by.linear("short", "most", "order", "shrinks"))
    .step("long", le(0, square(_APART)), by.sos())
    .qed(le(square(y - eta * Grad(h, y) - (u - eta * Grad(h, u))), q1**2 * square(y - u)),
        by.linear((_WEIGHT, Axiom("convex", h, _DOWN, u)), (_WEIGHT, Axiom("descent", h, _DOWN, y)),
            (_WEIGHT, Axiom("convex", h, _UP, y)), (_WEIGHT, Axiom("descent", h, _UP, u)),
            {"room": eta**2 * square(_APART)}, "class", "shrinks", "long"), name="both",
        note="tangents and parabolas at two points between them")
)

# Along a round -------------------------------------------------------------------------------------------------------

e, p = family(Scalar, "e"), family(Scalar, "p")


def row(of: Callable[..., Expr], count: Expr) -> Expr:
    """Return the sum over the first steps of the client in place n + 1."""
    return Total(of(n, j), j, 0, count - 1)


def rows(of: Callable[..., Expr], count: Expr) -> Expr:
    """Return the sum over all steps of the clients in the first places."""
    return Total(Total(of(i, j), j, 0, K - 1), i, 0, count - 1)


def on(relation: Relation, *over: Any) -> Relation:
    """Return the relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


_CLIENT = le(e(n, k), q**k * e(n, 0) + c * row(p, k))
_CLIENTS = le(e(n, 0), q ** (K * n) * e(0, 0) + c * rows(p, n))
WALK = (
    proof("sfl/C20-walk", PLACE, note="a recursion along the steps of a round")
    .given("step", le(e(n, k + 1), q * e(n, k) + c * p(n, k), *STEPS), "what each step guarantees")
    .given("handed", eq(e(n + 1, 0), e(n, K), (n, 0, M - 1)), "the next client goes on where this one stops")
    .given("positive", le(0, p(n, k), *STEPS), "what is added")
    .given("contracts", lt(q, 1), "a step contracts")
    .step("0", on(_CLIENT.at({k: Integer(0)}), (n, 0, M - 1)), by.linear())
    .step("positive j", by.instance({k: j}, "positive"), over=((n, 0, M - 1), (j, 0, K - 1)))
    .step("part 1", le(0, p(n, j), *STEPS, (j, 0, k - 1)), by.linear("positive j"))
    .step("part", by.sum_over(j, "part 1"))
    .step("1", on(_CLIENT.at({k: k + 1}), *STEPS), by.linear("step", "part", "contracts"), assuming=_CLIENT)
    .step("2", on(_CLIENT, *PLACES), by.induction(k, "0", "1"), note="one client")
    .step("3", by.instance({k: K}, "2"))
    .step("4", _CLIENTS.at({n: Integer(0)}), by.linear())
    .step("positive i", by.instance({n: i, k: j}, "positive"), over=((i, 0, M - 1), (j, 0, K - 1)))
    .step("whole 1", le(0, p(i, j), (n, 0, M - 1), (i, 0, n - 1), (j, 0, K - 1)), by.linear("positive i"))
    .step("whole", by.sum_over((j, i), "whole 1"))
    .step("power 0", le(0, q), by.linear())
    .step("power", by.power(K, "power 0", "contracts"))
    .step("5", on(_CLIENTS.at({n: n + 1}), (n, 0, M - 1)), by.linear("handed", "3", "whole", "power"),
        assuming=_CLIENTS)
    .step("6", on(_CLIENTS, (n, 0, M)), by.induction(n, "4", "5"), note="one client after the other")
    .qed(_CLIENTS.at({n: M}), by.instance({n: M}, "6"))
)

# One round: its final distance from x*, and the distance of two runs --------------------------------------------------

X, AFTER, X2, AFTER2 = (family(RandomVector, name)() for name in ("x", "x+", "w", "w+"))
Y, Y2 = family(RandomVector, "y"), family(RandomVector, "u")


def client(place: Expr) -> Expr:
    """Return the objective of the client in a place counted from 0."""
    return F(Draw(place + 1, M))


def one_round(x: Expr, after: Expr, y: Callable[..., Any], mark: str = "") -> tuple[Given, ...]:
    """Return a round without noise: y(n, k) is the model after k steps of the client in place n + 1."""
    return (
        Given(f"begin{mark}", eq(y(0, 0), x), "the round begins with the server's model"),
        Given(f"local{mark}", eq(y(n, k + 1), _stepped(y), *STEPS),
            "a local step with the full gradient: there is no noise"),
        Given(f"handed{mark}", eq(y(n + 1, 0), y(n, K), (n, 0, M - 1)), "the next client goes on where this one stops"),
        Given(f"after{mark}", eq(after, y(M, 0)), "the model handed to the next round"),
    )


def steep(place: Expr) -> Expr:
    """Return the gradient at x* of the client in a place."""
    return Grad(client(place), best)


def strayed(n: Expr, k: Expr) -> Expr:
    """Return the distance of the coupled point from x*, over eta."""
    return K * Total(steep(i), i, 0, n - 1) + k * steep(n)


def beside(n: Expr, k: Expr) -> Expr:
    """Return the coupled point."""
    return best - eta * strayed(n, k)


def _strayed(n: Expr, k: Expr) -> Expr:
    return square(beside(n, k) - best)


def _between(n: Expr, k: Expr) -> Expr:
    return square(Y(n, k) - beside(n, k))


def _apart(n: Expr, k: Expr) -> Expr:
    return square(Y(n, k) - Y2(n, k))


def _stepped(y: Callable[..., Any]) -> Expr:
    return y(n, k) - eta * Grad(client(n), y(n, k))


def _differ(first: Callable[..., Any], second: Callable[..., Any]) -> Expr:
    return first(n, k + 1) + _stepped(first) - second(n, k + 1) - _stepped(second)


_over = Y(n + 1, 0) + Y(n, K) - Y2(n + 1, 0) - Y2(n, K)
_END = AFTER + Y(M, 0) - AFTER2 - Y2(M, 0)
TWICE = exp(-2 * eta * mu)
_DRAWS = {h.id: h for h in draws.given(lambda p: Grad(F(p), best), zeta_star**2)}
SPREAD = (
    Given("optimum", eq(Total(Grad(F(a), best), a, 1, M), 0), "x* minimises the global objective"),
    Given("spread", eq(Total(square(Grad(F(a), best)), a, 1, M), M * zeta_star**2),
        "what zeta_* is; Assumption 3 says that it is finite"),
    _DRAWS["one"],
    _DRAWS["two"],
)
LIMITS = (
    line("most", le(eta * L, Rational(1, 6)), by.linear("cap")),
    line("below one", lt(eta * mu, 1), by.linear("most", "order")),
    line("contracts", lt(q1, 1), by.linear(curved=eta)),
)
CURVED = Given("curved", lt(0, mu), "strong convexity")
_ALONG = (CLASS, ORDER, CAP, CURVED)
_FAR = eta**3 * L * M**2 * K**3 * zeta_star**2 / 2
ROUND = (
    proof("sfl/C20-round", PLACE, note="one round, with the point beside it that ends where it began")
    .under(*_ALONG, *SPREAD, *one_round(X, AFTER, Y))
    .steps(*LIMITS)
    .step("moved", le(square(_stepped(Y) - beside(n, k + 1)), q1 * _between(n, k) + eta * L * _strayed(n, k), *STEPS),
        by.apply(BESIDE, {h: client(n), y: Y(n, k), z: beside(n, k)}))
    .step("step", le(_between(n, k + 1), q1 * _between(n, k) + eta * L * _strayed(n, k), *STEPS),
        by.linear({"moved": 1, "local": _stepped(Y) + Y(n, k + 1) - 2 * beside(n, k + 1)}))
    .step("over", eq(_between(n + 1, 0), _between(n, K), (n, 0, M - 1)),
        by.linear(handed=Y(n + 1, 0) + Y(n, K) - 2 * beside(n, K)))
    .step("squares", le(0, _strayed(n, k), *STEPS), by.apply(SQUARE, {family(Vector, "x")(): beside(n, k) - best}))
    .step("round", le(_between(M, 0), q1 ** (M * K) * _between(0, 0) + eta * L * rows(_strayed, M)),
        by.apply(WALK, {e(n, k): _between(n, k), p(n, k): _strayed(n, k), q: q1, c: eta * L}, "step", "over", "squares",
            "contracts", "below one"))
    .step("back", eq(Total(steep(i), i, 0, M - 1), 0), by.linear("optimum"), note="reordered")
    .step("home", eq(beside(M, 0), best), by.linear("back"), note="the gradients at x* add up to 0")
    .step("end", eq(square(AFTER - best), _between(M, 0)),
        by.linear({"after": AFTER + Y(M, 0) - 2 * best, "home": 2 * Y(M, 0) - beside(M, 0) - best}))
    .step("surely", le(square(AFTER - best), q1 ** (M * K) * square(X - best) + eta * L * rows(_strayed, M)),
        by.linear("round", "end"), inserting="begin")
    .step("mean", le(E(square(AFTER - best)), q1 ** (M * K) * E(square(X - best)) + eta * L * E(rows(_strayed, M))),
        by.expectation("surely"))
    .step("blocks", by.apply(draws.U3B, {family(Vector, "X")(a): Grad(F(a), best)}, "optimum", "spread", "one", "two"),
        note="draws without replacement")
    .qed(le(E(square(AFTER - best)), q1 ** (M * K) * E(square(X - best)) + _FAR), by.linear("mean", "blocks"),
        name="last")
)
TWIN = (
    proof("sfl/C20-coupled", PLACE, note="one round of two runs with the same order")
    .under(*_ALONG, *one_round(X, AFTER, Y), *one_round(X2, AFTER2, Y2, " too"))
    .steps(*LIMITS[:2])
    .step("moved", by.apply(CLOSER, {h: client(n), y: Y(n, k), u: Y2(n, k)}), over=(*STEPS,))
    .step("step", le(_apart(n, k + 1), q1**2 * _apart(n, k), *STEPS),
        by.linear({"moved": 1, "local": _differ(Y, Y2), "local too": -_differ(Y, Y2)}))
    .step("over", eq(_apart(n + 1, 0), _apart(n, K), (n, 0, M - 1)), by.linear({"handed": _over, "handed too": -_over}))
    .step("none", le(0, 0, *STEPS), by.linear())
    .step("positive", le(0, q1), by.linear("below one"))
    .step("faster", by.fact("exp", -eta * mu), note="1 + x <= e^x")
    .step("fast", by.power(2, "positive", "faster"))
    .step("squares", by.apply(SQUARE, {family(Vector, "x")(): Y(n, k) - Y2(n, k)}), over=(*STEPS,))
    .step("each", le(_apart(n, k + 1), TWICE * _apart(n, k), *STEPS), by.linear("step", "fast", "squares"))
    .step("grows", by.fact("exp", 2 * eta * mu))
    .step("decays", lt(TWICE, 1), by.linear({"grows": TWICE, "curved": 2 * eta * TWICE}))
    .step("round", by.apply(WALK, {e(n, k): _apart(n, k), p(n, k): Integer(0), q: TWICE, c: Integer(0)}))
    .step("end", eq(square(AFTER - AFTER2), _apart(M, 0)), by.linear({"after": _END, "after too": -_END}))
    .step("surely", le(square(AFTER - AFTER2), TWICE ** (M * K) * square(X - X2)), by.linear("round", "end"),
        inserting=("begin", "begin too"))
    .qed(le(E(square(AFTER - AFTER2)), TWICE ** (M * K) * E(square(X - X2))), by.expectation("surely"), name="mean")
)
THEOREMS = (BESIDE, CLOSER, WALK, ROUND, TWIN)
