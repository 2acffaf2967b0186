"""The sketch of Theorem 3's proof, and the bias of Section 5.1: quadratic clients, coordinate by coordinate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.sfl.notation import D, G, K, L, M, S, dimension, eta, sigma
from fltheory.papers.sfl.recursion.proofs import drift
from fltheory.papers.sfl.recursion.proofs import round as one
from fltheory.proof import Axiom, Defines, Given, Relation, by, eq, le, proof, statement_of
from fltheory.proof.terms import Dot, Draw, E, Grad, RandomScalar, Scalar, Total, Val, family, square, substitute
from fltheory.verification import find

HALF = Rational(1, 2)
n, k, j = (Symbol(name, integer=True, nonnegative=True) for name in "nkj")
m, r, c = (Symbol(name, integer=True, positive=True) for name in "mrc")
COORDINATES = (c, 1, dimension)

# T3-sketch-drift: the drift of a round that starts at x* -----------------------------------------------------------------

_BOUND = find("sfl/T3-sketch-drift@explicit").bound
_OWN = tuple(
    Given(h.id, h.relation.at({sigma: Integer(0)}), "there is no noise") if h.id == "variance" else h
    for h in drift.U5.hypotheses
    if h.id != "c1"
)
_STATED, _IF = statement_of(_BOUND, substitute(one.DRIFT, {S: M}))
_ABOVE = Dot(Grad(one.F(one.a), one.best), one.x - one.best) + L / 2 * square(one.x - one.best)
_RISE = Val(one.F(one.a), one.x) - Val(one.F(one.a), one.best)
SETTLED = (
    proof("sfl/T3-sketch-drift", of="sfl/T3-sketch-drift@explicit", bound=_BOUND).under(*_OWN, *_IF)
    .given("distance", eq(one.DISTANCE, D**2), "how far from x* the round starts")
    .step("U5", by.apply(drift.U5, {sigma: Integer(0)}, "c1", *(h.id for h in _OWN if not isinstance(h, Defines))),
        inserting=tuple(h.id for h in reversed(_OWN) if isinstance(h, Defines)))
    .step("at it", le(D**2, 0), by.linear("c2"), note="it starts there")
    .step("each", le(_RISE, _ABOVE, (one.a, 1, M)),
        by.linear((1, Axiom("descent", one.F(one.a), one.x, one.best)), "class"))
    .step("sum", by.sum_over(one.a, "each"))
    .step("rise", le(Total(_RISE, one.a, 1, M) / M, L / 2 * square(one.x - one.best)),
        by.linear({"sum": 1 / M, "optimum": (one.x - one.best) / M}))
    .step("gap", le(one.GAP, L / 2 * one.DISTANCE), by.expectation("rise"), note="no gap without a distance")
    .qed(
        _STATED,
        by.linear(
            {
                "U5": 1,
                "gap": 3 * L * M**3 * K**3 * eta**2,
                "distance": HALF * 3 * L**2 * M**3 * K**3 * eta**2,
                "at it": HALF * 3 * L**2 * M**3 * K**3 * eta**2,
            }
        ),
        name="last",
    )
)

# T3-sketch: a round without the drift, for quadratic clients ----------------------------------------------------------

curvature, slope, start = family(Scalar, "H"), family(Scalar, "b"), family(Scalar, "x")
local, after = family(RandomScalar, "y"), family(RandomScalar, "x+")


def gradient(client: Expr, point: Callable[[Expr], Expr], at: Expr) -> Expr:
    """Return a coordinate of the gradient of F_m(x) = <x, H_m x>/2 + <b_m, x>."""
    return Total(curvature(client, at, r) * point(r), r, 1, dimension) + slope(client, at)


def over_round(body: Callable[[Expr, Expr], Expr], clients: Expr = M) -> Expr:
    """Return the sum over all steps of a round."""
    return Total(Total(body(n, k), k, 0, K - 1), n, 0, clients - 1)


def drawn(place: Expr) -> Expr:
    """Return the client in a place counted from 0."""
    return Draw(place + 1, M)


_TAKEN = over_round(lambda n, k: gradient(drawn(n), lambda i: local(n, k, i), c))
_TURNED = over_round(lambda n, k: Total(curvature(drawn(n), c, r) * (local(n, k, r) - start(r)), r, 1, dimension))
_GLOBAL = Total(gradient(m, start, c), m, 1, M) / M
_LEFT = after(c) - start(c) + eta * _TURNED
NORM = Given("norm", eq(G**2, Total(_GLOBAL**2, c, 1, dimension)), "what G is: the norm of the gradient at the start")
_SKETCH = find("sfl/T3-sketch@printed").bound
_WHOLE, _ = statement_of(_SKETCH, Total(_LEFT**2, c, 1, dimension))
SKETCH = (
    proof("sfl/T3-sketch", of="sfl/T3-sketch@printed", bound=_SKETCH)
    .given("after", eq(after(c), start(c) - eta * _TAKEN, COORDINATES),
        "the round: it takes off the gradients of quadratic clients at the local models, in any order")
    .under(NORM)
    .step("linear", eq(_LEFT, -eta * over_round(lambda n, k: gradient(drawn(n), start, c)), COORDINATES),
        by.linear("after"))
    .step("mean", eq(_LEFT, -eta * M * K * _GLOBAL, COORDINATES), by.linear("linear"), note="all clients take part")
    .step("squared", eq(_LEFT**2, (eta * M * K * _GLOBAL) ** 2, COORDINATES), by.linear("mean"))
    .step("sum", by.sum_over(c, "squared"))
    .qed(_WHOLE, by.linear("sum", "norm"), name="last")
)

# S5.1-remark: the mean gradient of a round of P clients of equal curvature ----------------------------------------------

P = Symbol("P", integer=True, positive=True)
AT, ON = (n, 0, P - 1), (k, 0, K - 1)
taken, other, takes = (family(RandomScalar, name) for name in ("g", "w", "v"))
SHRINK = 1 - eta * L
_MEAN_SLOPE = Total(slope(m, c), m, 1, M) / M
_GRADIENT = L * start(c) + _MEAN_SLOPE
DRAWS = Given("draw", eq(E(slope(drawn(n), c)), _MEAN_SLOPE, (n, 0, M - 1), COORDINATES),
    "the order of the clients is uniform: each is as likely in each place")


def equal_round(clients: Expr, y: Callable[..., Any], g: Callable[..., Any], mark: str = "") -> tuple[Given, ...]:
    """Return a round of some of the clients without noise; g(n, k) is the gradient at y(n, k), by coordinates."""
    at = (n, 0, clients - 1)
    return (
        Given(f"begin{mark}", eq(y(0, 0, c), start(c), COORDINATES), "the round begins with the server's model"),
        Given(f"gradient{mark}", eq(g(n, k, c), L * y(n, k, c) + slope(drawn(n), c), at, ON, COORDINATES),
            "mu = L leaves F_m(x) = L |x|^2/2 + <b_m, x> alone"),
        Given(f"local{mark}", eq(y(n, k + 1, c), y(n, k, c) - eta * g(n, k, c), at, ON, COORDINATES), "a local step"),
        Given(f"handed{mark}", eq(y(n + 1, 0, c), y(n, K, c), at, COORDINATES),
            "the next client goes on where this one stops"),
    )


def on(relation: Relation, *over: Any) -> Relation:
    """Return the relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


_ROUND = equal_round(P, local, taken)
_ALL = Given("few", le(P, M), "no more clients take part than there are")
_ROW = eq(local(n, k, c), local(n, 0, c) - eta * Total(taken(n, j, c), j, 0, k - 1))
_ROWS = eq(local(n, 0, c), start(c) - eta * over_round(lambda i, j: taken(i, j, c), n))
UNROLLED = (
    proof("sfl/S5.1-unrolled", "Section 5.1", note="where a round ends, from the gradients that it takes off")
    .under(*(h for h in _ROUND if h.id != "gradient"))
    .step("0", on(_ROW.at({k: Integer(0)}), AT, COORDINATES), by.linear())
    .step("1", on(_ROW.at({k: k + 1}), AT, ON, COORDINATES), by.linear("local"), assuming=_ROW)
    .step("2", on(_ROW, AT, (k, 0, K), COORDINATES), by.induction(k, "0", "1"))
    .step("3", by.instance({k: K}, "2"))
    .step("4", on(_ROWS.at({n: Integer(0)}), COORDINATES), by.linear("begin"))
    .step("5", on(_ROWS.at({n: n + 1}), AT, COORDINATES), by.linear("handed", "3"), assuming=_ROWS)
    .step("6", on(_ROWS, (n, 0, P), COORDINATES), by.induction(n, "4", "5"))
    .qed(on(_ROWS.at({n: P}), COORDINATES), by.instance({n: P}, "6"), name="last")
)
_FROM = L * E(local(n, 0, c)) + _MEAN_SLOPE
_LATER = eq(L * E(local(n, k, c)) + _MEAN_SLOPE, SHRINK**k * _FROM)
_EARLIER = eq(_FROM, SHRINK ** (K * n) * _GRADIENT)
DECAYED = (
    proof("sfl/S5.1-decayed", "Section 5.1",
        note="the global gradient at the mean of the local models shrinks in each step")
    .under(*_ROUND, DRAWS, _ALL)
    .step("0", on(_LATER.at({k: Integer(0)}), AT, COORDINATES), by.linear())
    .step("moved", by.expectation("local"))
    .step("slopes", by.expectation("gradient"))
    .step("drawn", eq(E(slope(drawn(n), c)), _MEAN_SLOPE, AT, COORDINATES), by.linear("draw", "few"))
    .step("1", on(_LATER.at({k: k + 1}), AT, ON, COORDINATES), by.linear("moved", "slopes", "drawn"), assuming=_LATER)
    .step("2", on(_LATER, AT, (k, 0, K), COORDINATES), by.induction(k, "0", "1"))
    .step("3", by.instance({k: K}, "2"))
    .step("start", eq(E(local(0, 0, c)), E(start(c)), COORDINATES), by.expectation("begin"))
    .step("4", on(_EARLIER.at({n: Integer(0)}), COORDINATES), by.linear("start"))
    .step("over", by.expectation("handed"))
    .step("5", on(_EARLIER.at({n: n + 1}), AT, COORDINATES), by.linear("over", "3"), assuming=_EARLIER)
    .step("6", on(_EARLIER, (n, 0, P), COORDINATES), by.induction(n, "4", "5"))
    .qed(on(_EARLIER.at({n: P}), COORDINATES), by.instance({n: P}, "6"), name="last")
)


def mean_gradient(g: Callable[..., Any], clients: Expr) -> Expr:
    """Return the mean of the gradients of a round."""
    return over_round(lambda i, j: g(i, j, c), clients) / (clients * K)


def slowing(steps: Expr) -> Expr:
    """Return the mean of (1 - eta L)^i over i < steps."""
    return (1 - SHRINK**steps) / (steps * eta * L)


SLOWED = (
    proof("sfl/S5.1-mean", "Section 5.1", note="how much smaller than at the start the mean gradient of a round is")
    .under(*_ROUND, DRAWS, _ALL)
    .step("end", by.apply(UNROLLED))
    .step("mean end", by.expectation("end"))
    .step("steep", by.apply(DECAYED))
    .qed(eq(E(mean_gradient(taken, P)), slowing(P * K) * _GRADIENT, COORDINATES), by.linear("mean end", "steep"),
        name="last")
)
_REMARK = find("sfl/S5.1-remark@explicit").bound
_APART = E(mean_gradient(taken, S)) - E(mean_gradient(takes, M))
_BIAS, _PART = statement_of(_REMARK, Total(_APART**2, c, 1, dimension))
_SOME = equal_round(S, local, taken)
_EVERY = equal_round(M, other, takes, " of all")
_DIFFER = slowing(S * K) - slowing(M * K)
BIAS = (
    proof("sfl/S5.1-remark", of="sfl/S5.1-remark@explicit", bound=_REMARK, unused=("c1",))
    .under(*_SOME, *_EVERY, DRAWS, *_PART)
    .given("norm", eq(G**2, Total(_GRADIENT**2, c, 1, dimension)), "what G is: the norm of the gradient at the start")
    .step("few", le(S, M), by.linear("c2"))
    .step("all", le(M, M), by.linear())
    .step("some", by.apply(SLOWED, {P: S}))
    .step("every", by.apply(SLOWED, {P: M, local(n, k, c): other(n, k, c), taken(n, k, c): takes(n, k, c)}))
    .step("differ", eq(_APART, _DIFFER * _GRADIENT, COORDINATES), by.linear("some", "every"))
    .step("squared", eq(_APART**2, (_DIFFER * _GRADIENT) ** 2, COORDINATES), by.linear("differ"))
    .step("sum", by.sum_over(c, "squared"))
    .qed(_BIAS, by.linear("sum", "norm"), name="last")
)
THEOREMS = (SETTLED, SKETCH, UNROLLED, DECAYED, SLOWED, BIAS)
