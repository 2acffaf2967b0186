"""A tighter round of sequential federated learning, convex case, for all M and K: U6-tight.

Let h be the gradient of a client at its local model minus that at x*, and s the effective step times L. Each step has

    <F'(y), x - x*> >= F(x) - F(x*) - L/2 |y - x|^2 + |h|^2/(2 L),

by smoothness between x and y and cocoercivity between x* and y. Summed over the round, the last term pays for all squares of h:
the gradients at x* add up to 0, so that the round's own square is |sum of h and noise|^2 <= 5 M K sum |h|^2 + 5/4 |noise|^2, and
the drift is at most 12 of sums of h, 3 of noise and 12/7 of sums of gradients at x*, as 1/12 + 1/3 + 7/12 = 1.
As s <= 1/6, 5 s + 6 s^2 <= 1 holds. The squared block sums remain, which add up to M K (M K^2 + 1)/6 zeta_*^2 exactly.
"""

from __future__ import annotations

from sympy import Rational, Symbol

from fltheory.papers.sfl.notation import K, L, M, eta, sigma, zeta_star
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs.descent import every
from fltheory.papers.sfl.recursion.proofs.drift import full
from fltheory.papers.sfl.recursion.proofs.facts import PART
from fltheory.papers.sfl.recursion.proofs.round import (AT, BLOCK, DRAWN, DRIFT, GAP, READING, SETTING, STEP, TERM, B,
    F, P, Q, a, after, best, client, g, i, j, k, l, n, per_step, so_far, spread_part, x, xi, y)
from fltheory.proof import Axiom, Member, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import Dot, E, Grad, RandomVector, Total, Val, Vector, family, square

u, v, w = (family(Vector, name)() for name in "uvw")
_FIVE_FOURTHS, _TWELVE_SEVENTHS = Rational(5, 4), Rational(12, 7)
TWO = proof("sfl/two", "proof of Theorem 3").qed(le(square(u + v), 5 * square(u) + _FIVE_FOURTHS * square(v)), by.sos(),
    note="two terms: 1/5 + 4/5 = 1")
THREE = proof("sfl/three", "proof of Theorem 3").qed(
    le(square(u + v + w), 12 * square(u) + 3 * square(v) + _TWELVE_SEVENTHS * square(w)), by.sos(),
    note="three terms: 1/12 + 1/3 + 7/12 = 1")

# The block sums of a round------------------------------------------------------

_SETTING = tuple(h for h in full(SETTING) if h.id not in ("class", "order", "draw slope"))
_ORDER = tuple(h for h in _SETTING if h.id in DRAWN)
_BLOCKS = every(per_step(BLOCK))
_BLOCKS_SUM = le(_BLOCKS, M * K * (M * K**2 + 1) / 6 * zeta_star**2)
BLOCKS = (
    proof("sfl/blocks", "proof of Theorem 3", note="the block sums of a round, squared and summed").under(*_ORDER)
    .step("exact", eq(_BLOCKS_SUM.left, _BLOCKS_SUM.right),
        by.apply("sfl/U3b-exact", {family(Vector, "X")(a): Grad(F(a), best)}, *DRAWN))
    .qed(_BLOCKS_SUM, by.linear("exact"), name="last")
)


# The drift ------------------------------------------------------------------------------------------------------------


def rest(p, q):
    """Return the gradient at the local model minus that of the same client at the minimiser."""
    return Grad(client(p), y(p, q)) - Grad(client(p), best)


CLASS = Member("class", F(a), L, 0, "Assumption: every client is smooth and convex")
_AT, _STEP = every(le(0, 0, *AT)).over, every(le(0, 0, *STEP)).over
_H = square(rest(i, j))
_H_SUM = Total(Total(_H, j, 0, K - 1), i, 0, M - 1)
RESTS = every(per_step(E(square(rest(n, k)))))
_PART_H = Total(Total(_H, j, 0, K - 1), i, 0, n - 1) + Total(square(rest(n, j)), j, 0, k - 1)
_JENSEN = {family(Vector, "v")(n, k): rest(n, k), family(Vector, "w")(l): rest(n, l)}
_COUNTS = tuple(Symbol(s, integer=True, nonnegative=True) for s in "pqr")
_PIECES = (so_far(rest), so_far(xi), so_far(spread_part))
_MOVE = square(y(n, k) - x)
_SUM_B = M * K * (M * K - 1) / 2
_FAR = le(
    every(DRIFT),
    eta**2
    * (
        6 * M**2 * K**2 * RESTS
        + Rational(3, 2) * M**2 * K**2 * sigma**2
        + Rational(2, 7) * M * K * (M * K**2 + 1) * zeta_star**2
    ),
)
_NOISE = by.apply("sfl/noise",
    {Symbol("P", integer=True, positive=True): M, family(RandomVector, "past")(n, k): so_far(xi)}, "variance",
    "unbiased")
_NOISE_SUM = le(E(square(so_far(xi))), B * sigma**2, *_AT)
SIGN = (
    line("rests 1", le(0, square(rest(n, k)), *_STEP), by.sos()),
    line("rests 2", le(0, E(square(rest(n, k))), *_STEP), by.expectation("rests 1")),
    line("rests", le(0, RESTS), by.sum_over((k, n), "rests 2"), note="a sum of squares is not negative"),
)
_FAR_GIVEN = tuple(h for h in _SETTING if h.id not in ("after", "start", "draw gap"))
DRIFT_OF = (
    proof("sfl/drift-tight", "proof of Theorem 3", note="the drift by what the round's own inequality pays for")
    .under(*_FAR_GIVEN)
    .step("split",
        le(square(so_far(g)), sum(c * square(p) for c, p in zip((12, 3, _TWELVE_SEVENTHS), _PIECES, strict=True)),
            *_AT), by.apply(THREE, dict(zip((u, v, w), _PIECES, strict=True))), inserting="gradient",
        note="what differs from x*, noise, and the gradients at x*")
    .step("1", le(square(so_far(rest)), B * _PART_H, *_AT),
        by.apply("sfl/jensen", {**_JENSEN, **dict(zip(_COUNTS, (n, K, k), strict=True))}), note="Jensen's inequality")
    .step("here", le(0, square(rest(n, i)), *_AT, (i, 0, K - 1)), by.sos())
    .step("whole client", le(Total(square(rest(n, i)), i, 0, k - 1), Total(square(rest(n, i)), i, 0, K - 1), *_AT),
        by.apply(PART, {TERM: square(rest(n, i)), P: k, Q: K - k}), note="a part of the steps of a client")
    .step("each", le(0, _H, (i, 0, M - 1), (j, 0, K - 1)), by.sos())
    .step("clients", by.sum_over(j, "each"))
    .step("whole round", by.apply(PART, {TERM: Total(_H, j, 0, K - 1), P: n + 1, Q: M - 1 - n}), over=(n, 0, M - 1),
        note="a part of the clients of a round")
    .step("2", le(square(so_far(rest)), B * _H_SUM, *_AT), by.linear({"1": 1, "whole client": B, "whole round": B}))
    .step("3", _NOISE_SUM, _NOISE)
    .step("move", eq(_MOVE, eta**2 * square(so_far(g)), *_STEP), by.linear(local=y(n, k) - x - eta * so_far(g)),
        note="the local steps")
    .step("4",
        le(_MOVE, eta**2 * (12 * B * _H_SUM + 3 * square(_PIECES[1]) + _TWELVE_SEVENTHS * square(_PIECES[2])), *_STEP),
        by.linear("move", "split", "2"))
    .step("5", le(E(_MOVE), eta**2 * (12 * B * RESTS + 3 * E(square(_PIECES[1])) + _TWELVE_SEVENTHS * BLOCK), *_STEP),
        by.expectation("4"))
    .step("6", le(E(_MOVE), eta**2 * (12 * B * RESTS + 3 * B * sigma**2 + _TWELVE_SEVENTHS * BLOCK), *_STEP),
        by.linear("5", "3"))
    .step("7", le(every(DRIFT), eta**2 * (_SUM_B * (12 * RESTS + 3 * sigma**2) + _TWELVE_SEVENTHS * _BLOCKS)),
        by.sum_over((k, n), "6"), note="sums of B")
    .step("8", by.apply(BLOCKS))
    .steps(*SIGN)
    .step("9", le(_SUM_B, M**2 * K**2 / 2), by.linear(), note="the sum of B")
    .step("10", le(_SUM_B * RESTS, M**2 * K**2 / 2 * RESTS), by.linear("9", "rests"))
    .qed(_FAR, by.linear({"7": 1, "8": _TWELVE_SEVENTHS * eta**2, "9": 3 * eta**2 * sigma**2, "10": 12 * eta**2}),
        name="far")
)

# One round --------------------------------------------------------------------------------------------------------

_WHOLE, _RESTS, _XIS = (every(per_step(of(n, k))) for of in (g, rest, xi))
_BELOW = Val(client(n), x) - Val(client(n), best) - L / 2 * _MOVE + square(rest(n, k)) / (2 * L)
_NEXT = le(
    E(square(after - best)),
    E(square(x - best))
    - 2 * eta * M * K * GAP
    + Rational(3, 2) * eta**2 * M * K * sigma**2
    + Rational(2, 7) * L * eta**3 * M * K * (M * K**2 + 1) * zeta_star**2,
)
_STATEMENT, _CONDITIONS = statement_of(formula.U6_TIGHT, E(square(after - best)), READING)
NEXT = (
    proof("sfl/U6-tight", of="sfl/U6-tight@strengthened", bound=formula.U6_TIGHT, reading=READING,
        note="every inequality between x* and a local model keeps its square of gradients, which pays for the rest")
    .under(CLASS, *_SETTING, *_CONDITIONS)
    .step("expanded",
        eq(E(square(after - best)),
            E(square(x - best)) - 2 * eta * every(per_step(E(Dot(g(n, k), x - best)))) + eta**2 * E(square(_WHOLE))),
        by.linear(), inserting="after", note="the square of the new distance")
    .step("below", le(_BELOW, Dot(Grad(client(n), y(n, k)), x - best), *_STEP),
        by.linear((1, Axiom("descent", client(n), x, y(n, k))), (1, Axiom("cocoercive", client(n), best, y(n, k))),
            "class"), note="smoothness between x and the local model, cocoercivity between it and x*")
    .step("below in mean", by.expectation("below"))
    .step("fall", le(GAP - L / 2 * E(_MOVE) + E(square(rest(n, k))) / (2 * L), E(Dot(g(n, k), x - best)), *_STEP),
        by.linear("below in mean", "draw gap", "start"), inserting="gradient",
        note="the noise drops out, the client drawn is the average one")
    .step("falls", le(M * K * GAP - L / 2 * every(DRIFT) + RESTS / (2 * L), every(per_step(E(Dot(g(n, k), x - best))))),
        by.sum_over((k, n), "fall"))
    .step("still 0", eq(Total(spread_part(i), i, 0, M - 1), 0), by.linear("optimum"), note="reordered")
    .step("still", eq(square(_WHOLE), square(_RESTS + _XIS)),
        by.linear({"still 0": 2 * K * (_RESTS + _XIS) + K**2 * Total(spread_part(i), i, 0, M - 1)}),
        inserting="gradient", note="the gradients at x* add up to 0")
    .step("parts", by.apply(TWO, {u: _RESTS, v: _XIS}))
    .step("Jensen", le(square(_RESTS), M * K * every(per_step(square(rest(n, k))))),
        by.apply("sfl/jensen",
            {**_JENSEN, family(Vector, "w")(l): rest(l, 0), **dict(zip(_COUNTS, (M, K, 0), strict=True))}),
        note="Jensen's inequality")
    .step("whole 1", le(square(_WHOLE), 5 * M * K * every(per_step(square(rest(n, k)))) + _FIVE_FOURTHS * square(_XIS)),
        by.linear("still", "parts", "Jensen"))
    .step("whole 2", le(E(square(_WHOLE)), 5 * M * K * RESTS + _FIVE_FOURTHS * E(square(_XIS))),
        by.expectation("whole 1"))
    .step("noise", _NOISE_SUM, _NOISE)
    .step("noises", le(E(square(_XIS)), M * K * sigma**2), by.instance({n: M - 1, k: K}, "noise"))
    .step("whole", le(E(square(_WHOLE)), 5 * M * K * RESTS + _FIVE_FOURTHS * M * K * sigma**2),
        by.linear("whole 2", "noises"))
    .step("far", by.apply(DRIFT_OF), inserting="gradient", note="the drift")
    .steps(*SIGN)
    .step("cap 1", le(L * eta * M * K, Rational(1, 6)), by.linear("c1"))
    .step("cap 0", le(0, L * eta * M * K), by.linear())
    .step("cap 2", by.power(2, "cap 0", "cap 1"))
    .step("paid 1", le(5 * eta**2 * M * K * RESTS, Rational(5, 6) * eta / L * RESTS), by.linear("cap 1", "rests"))
    .step("paid 2", le(6 * L * eta**3 * M**2 * K**2 * RESTS, Rational(1, 6) * eta / L * RESTS),
        by.linear("cap 2", "rests"))
    .step("round", _NEXT, by.linear("expanded", "falls", "whole", "far", "paid 1", "paid 2", "cap 1"),
        note="5/6 + 6/36 = 1, 5/4 + 3/2/6 = 3/2")
    .qed(_STATEMENT, by.linear("round"), note="in the letters of the bound")
)

THEOREMS = (TWO, THREE, BLOCKS, DRIFT_OF, NEXT)
