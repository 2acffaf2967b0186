"""Lemmas A.5 to A.7, Remarks A.11, A.12 and (67) to (78), by claim: quadratic functions and the rounds' regularisers.

A positive definite matrix is written B = sum m_k m_k', so that <x, B y> is the sum of <m_k, x><m_k, y>.
"""

from __future__ import annotations

from sympy import Abs, Expr, Rational, Symbol, log

from fltheory.papers.aaggff.losses.proofs.facts import EACH, ROUNDS, SLOPE, P, Q, a, b, i, j, s, swapped, t, whole
from fltheory.papers.aaggff.losses.proofs.lipschitz import SETTING
from fltheory.papers.aaggff.losses.proofs.lipschitz import p as shares
from fltheory.papers.aaggff.losses.proofs.lipschitz import q as other
from fltheory.papers.aaggff.newton.proofs import newton
from fltheory.papers.aaggff.newton.proofs.newton import OPTIMAL, SOLVE, h, lam, leader, p, q, rank, v
from fltheory.papers.aaggff.newton.proofs.proof51 import regulariser
from fltheory.papers.aaggff.notation import K, T, alpha, beta
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Theorem, by, eq, le, proof
from fltheory.proof.terms import Dot, Positive, Scalar, Total, Vector, family, square

rows = Symbol("rows", integer=True, positive=True)
row, x, y, g, u, normal_, slope = (family(Vector, n) for n in ("m", "x", "y", "g", "u", "n", "c"))
x, y, g, u, normal_, slope = x(), y(), g(), u(), normal_(), slope()
cost, size, distance = (family(Positive, n)() for n in ("cost", "size", "distance"))


def form(first: Expr, second: Expr) -> Expr:
    """<first, B second>."""
    return Total(Dot(row(j), first) * Dot(row(j), second), j, 1, rows)


def image(at: Expr) -> Expr:
    """B times a vector."""
    return Total(Dot(row(j), at) * row(j), j, 1, rows)


def value(at: Expr) -> Expr:
    """x' B x / 2 + <c, x>."""
    return form(at, at) / 2 + Dot(slope, at)


z = family(Vector, "z")()
NORM = (
    proof("aaggff/form", "Remark A.11", note="<z, B z> is not negative")
    .step("squares", le(0, Dot(row(i), z) ** 2, (i, 1, rows)), by.linear())
    .qed(le(0, form(z, z)), by.sum_over(i, "squares"))
)

# Lemma A.5 --------------------------------------------------------------------------------------------------------------------

_CHAIN, _STATED = tied("A.5@printed", (value(x) - value(y)) / (cost / 2),
    note="any y of the simplex, the minimiser too")
GAP = (
    _CHAIN.given("subgradient", eq(g, image(x) + slope + normal_), "the gradient and an element of the normal cone")
    .given("normal", le(Dot(normal_, y - x), 0), "of the simplex at x")
    .given("solve", eq(image(u), g), "u = B^(-1) g")
    .given("cost", eq(cost, Dot(g, u)), "|g|^2 in the norm of the inverse, not 0")
    .step("norm", by.apply(NORM, {z: y - x + u}))
    .qed(
        _STATED,
        by.linear(
            {
                "norm": 1 / cost,
                "normal": 2 / cost,
                "solve": 2 / cost * (y - x) + u / cost,
                "subgradient": 2 / cost * (y - x),
                "cost": -1 / cost,
            }
        ),
    )
)

# Remarks A.11, A.12 ---------------------------------------------------------------------------------------------------------------

_CHAIN, _STATED = tied("A.11@printed", (form(y, y) / 2 - form(x, x) / 2 - form(x, y - x)) / (distance / 2),
    note="distance is |y - x|^2 in B's norm")
CONVEX = _CHAIN.given("distance", eq(distance, form(y - x, y - x)), "not 0 where they differ").qed(
    _STATED, by.linear("distance")
)
_CHAIN, _STATED = tied("A.11-dual@printed", Dot(g, y) / (size * distance))
DUAL = (
    _CHAIN.given("solve", eq(image(u), g), "u = B^(-1) g")
    .given("size", eq(size**2, Dot(g, u)), "the norm of the inverse")
    .given("distance", eq(distance**2, form(y, y)), "the norm of B")
    .step("norm", by.apply(NORM, {z: y / distance - u / size}))
    .qed(
        _STATED,
        by.linear(
            {
                "norm": Rational(1, 2),
                "solve": u / (2 * size**2) - y / (size * distance),
                "size": -1 / (2 * size**2),
                "distance": -1 / (2 * distance**2),
            }
        ),
    )
)
_here = Symbol("here", real=True)
_CHAIN, _STATED = tied("A.12@printed", beta / 2 * (Dot(g, x) - _here) ** 2 - beta / 2 * (Dot(g, y) - _here) ** 2,
    note="x is p, y any other point")
LEAST = (
    _CHAIN.given("here", eq(_here, Dot(g, x)), "the increment is that of <g, .> from p")
    .step(
        "square",
        le(4 * Dot(g, y) * _here, (Dot(g, y) + _here) ** 2),
        by.apply("aaggff/square", {P: Dot(g, y), Q: _here}),
    )
    .qed(_STATED, by.linear("square", "here"))
)

# (67) to (71), Lemma A.6: the regularisers of a run -------------------------------------------------------------------------------


def outer(now: Expr, at: Expr) -> Expr:
    """Return alpha/2 |p|^2 + beta/2 sum |p_tau - p|^2 in the matrices A = h h' of the rounds before this one."""
    way = p(s) - at
    return alpha / 2 * square(at) + beta / 2 * Total(Dot(way, Dot(h(s), way) * h(s)), s, 1, now - 1)


_CHAIN, _STATED = tied("67@printed", regulariser(t, x) - outer(t, x), note="A = h h'")
PRINTED_67 = _CHAIN.qed(type(_STATED)(_STATED.left, "==", 0, (ROUNDS,)), by.linear())
_CHAIN, _STATED = tied("68@corrected", regulariser(T + 1, q) - outer(T + 1, q), note="the same after the last round")
CORRECTED_68 = _CHAIN.qed(_STATED, by.linear())
_CHAIN, _STATED = tied("67-convex@corrected",
    (leader(T + 1, q) - leader(T + 1, x) - newton.slope(T + 1, x, q - x)) / (cost / 2),
    note="L^(T+1) has the matrix B^(T), and |q - x|^2 in its norm is not 0")
CONVEX_67 = _CHAIN.given("cost", eq(cost, newton.curve(T, q - x)), "|q - x|^2 in the norm of B^(T)").qed(
    _STATED, by.linear("cost")
)
_first = Symbol("first", real=True)
_CHAIN, _STATED = tied("68-first@printed", (regulariser(T + 1, q) - _first) - regulariser(T + 1, q))
FIRST_68 = (
    _CHAIN.given("first", eq(_first, regulariser(1, p(1))), "R^(1) at the first decision", supposed=True)
    .step("square", le(0, square(p(1))), by.apply("aaggff/nonnegative", {newton.x: p(1)}))
    .qed(_STATED, by.linear("first", "square"))
)
_CHAIN, _STATED = tied(
    "A.6@printed",
    leader(t, p(t))
    - leader(t + 1, p(t + 1))
    + Dot(h(t), p(t))
    - Dot(h(t), v(t)) / 2
    - regulariser(t, p(t))
    + regulariser(t + 1, p(t)),
)
ROUND_A6 = (
    _CHAIN.under(OPTIMAL, SOLVE)
    .step("round", by.apply(newton.ROUND))
    .qed(type(_STATED)(_STATED.left, "<=", 0, (ROUNDS,)), by.linear("round"))
)

# (74), (77), (78) ----------------------------------------------------------------------------------------------------


def means(claim: str, count: Expr) -> Theorem:
    """Bound the sum of ``count`` logarithms of 1 + lambda/alpha by the logarithm at the mean."""
    total, logs = Total(lam(j), j, 1, count), Total(log(1 + lam(j) / alpha), j, 1, count)
    chain, said = tied(claim, logs / cost)
    return (
        chain.given("mean", eq(mean, 1 + total / (count * alpha)), "the mean of the 1 + lambda/alpha")
        .given("cost", eq(cost, count * log(mean)), "not 0 as some eigenvalue is not")
        .step("tangent", by.apply(SLOPE, {a: 1 + lam(i) / alpha, b: mean}), over=(i, 1, count))
        .step(
            "all", le(logs - count * log(mean), (total / alpha + count * (1 - mean)) / mean), by.sum_over(i, "tangent")
        )
        .step("known", le(logs, count * log(mean)), by.linear("all", "mean"))
        .qed(said, by.linear("known", "cost"))
    )


mean = family(Positive, "mean")()
# ``rank`` is any number after which the eigenvalues are 0, such as min(K, T)
MEANS = (means("77@printed", K), means("77-rank@strengthened", rank))
axis = family(Vector, "e")
_CHAIN, _STATED = tied("78-trace@printed", whole(lam(j)) - beta * Total(square(h(t)), t, 1, T))
TRACE = (
    _CHAIN.given("eigen", eq(lam(i), beta * Total(Dot(h(t), axis(i)) ** 2, t, 1, T), EACH), "of a unit eigenvector e")
    .given("basis", eq(whole(Dot(h(t), axis(j)) ** 2), square(h(t)), ROUNDS), "they are an orthonormal basis")
    .step("all", eq(whole(lam(j)), beta * whole(Total(Dot(h(t), axis(j)) ** 2, t, 1, T))), by.sum_over(i, "eigen"))
    .step("lengths", by.sum_over(t, "basis"))
    .steps(swapped("swap", Dot(h(t), axis(j)) ** 2))
    .qed(_STATED, by.linear("all", "lengths", "swap"))
)
entry, most = family(Scalar, "g"), Symbol("most", nonnegative=True)
_CHAIN, _STATED = tied("78-each@corrected", Total(whole(entry(t, j) ** 2), t, 1, T) - K * T * most**2)
EACH_78 = (
    _CHAIN.given("up", le(entry(t, i), most, ROUNDS, EACH), "no entry is beyond the largest size")
    .given("down", le(-most, entry(t, i), ROUNDS, EACH), "on either side")
    .step("each", le(entry(t, i) ** 2, most**2, ROUNDS, EACH), by.linear("up", "down"))
    .step("all", le(Total(whole(entry(t, j) ** 2), t, 1, T), K * T * most**2), by.sum_over((i, t), "each"))
    .qed(_STATED, by.linear("all"))
)
one = family(Scalar, "g")
_move, _moves = shares(i) - other(i), whole(Abs(shares(j) - other(j)))
_lost = whole(one(j) * (shares(j) - other(j)))
_CHAIN, _STATED = tied("74-holder@strengthened", Abs(_lost) - _moves * most / 2)
HOLDER = (
    _CHAIN.under(*SETTING[:2])
    .given("above", le(one(i), 0, EACH), "responses are not negative")
    .given("below", le(-most, one(i), EACH), "the largest size of an entry")
    .step("plus", by.fact("abs", _move), over=EACH)
    .step("minus", by.fact("abs", -_move), over=EACH)
    .step("far", le(0, most + one(i), EACH), by.linear("below"))
    .step(
        "each up",
        le((one(i) + most / 2) * _move, most / 2 * Abs(_move), EACH),
        by.linear("plus", "minus", "far", "above"),
    )
    .step(
        "each down",
        le(-(one(i) + most / 2) * _move, most / 2 * Abs(_move), EACH),
        by.linear("minus", "plus", "far", "above"),
    )
    .step(
        "all up", le(whole((one(j) + most / 2) * (shares(j) - other(j))), most / 2 * _moves), by.sum_over(i, "each up")
    )
    .step(
        "all down",
        le(-whole((one(j) + most / 2) * (shares(j) - other(j))), most / 2 * _moves),
        by.sum_over(i, "each down"),
    )
    .step("up", le(_lost, most / 2 * _moves), by.linear("all up", "sum p", "sum q"))
    .step("down", le(-_lost, most / 2 * _moves), by.linear("all down", "sum p", "sum q"))
    .step("both", by.absolute("up", "down"))
    .qed(_STATED, by.linear("both"))
)
THEOREMS = (NORM, GAP, CONVEX, DUAL, LEAST, PRINTED_67, CORRECTED_68, CONVEX_67, FIRST_68, ROUND_A6, *MEANS, TRACE,
    EACH_78, HOLDER)
