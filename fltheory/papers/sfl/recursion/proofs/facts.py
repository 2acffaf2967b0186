"""Facts behind the upper bounds: U1, U2, Jensen, sums of squares, four terms, parts of sums, martingale noise."""

from __future__ import annotations

from sympy import Rational, Symbol, sqrt

from fltheory.papers.sfl.notation import L, distance, divergence, mu
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.proof import Axiom, Member, by, le, proof, statement_of
from fltheory.proof.facts import draws
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import Dot, Fun, Grad, Scalar, Total, Val, Vector, family, square

x, y, z, a, b, c, d = (family(Vector, name)() for name in "xyzabcd")
h = family(Fun, "h")()
n, k, i, j, e, l = (Symbol(name, integer=True, nonnegative=True) for name in "nkijel")
p, q, r = (Symbol(name, integer=True, nonnegative=True) for name in "pqr")

HALF = Rational(1, 2)

# U1, U2: one function -------------------------------------------------------------------------------------------

_CURVED = Val(h, z) - Val(h, y) - Dot(Grad(h, x), z - y) + mu / 4 * square(y - z)
_U1, _ = statement_of(formula.U1, _CURVED, {distance: sqrt(square(z - x))})
U1 = (
    proof("sfl/U1", "proof of Theorem 3", of="sfl/U1@explicit", bound=formula.U1,
        reading={distance: sqrt(square(z - x))})
    .under(Member("class", h, L, mu))
    .given("order", le(mu, L), "strong convexity is below smoothness")
    .qed(_U1, by.sos((1, Axiom("convex", h, y, x)), (1, Axiom("descent", h, z, x)), "class", "order"),
        note="strong convexity between x and y, smoothness between x and z; what is left are squares")
)

_BREGMAN = Val(h, x) - Val(h, y) - Dot(Grad(h, y), x - y)
_U2, _ = statement_of(formula.U2, square(Grad(h, x) - Grad(h, y)), {divergence: _BREGMAN})
_LOWER = x - (Grad(h, x) - Grad(h, y)) / L
U2 = (
    proof("sfl/U2", "proof of Theorem 3", of="sfl/U2@explicit", bound=formula.U2, reading={divergence: _BREGMAN})
    .under(Member("class", h, L, 0))
    .qed(_U2, by.sos((2 * L, Axiom("convex", h, _LOWER, y)), (2 * L, Axiom("descent", h, _LOWER, x)), "class"),
        note="both at the point x - (F'(x) - F'(y))/L: the tangent at y below, the parabola at x above")
)

# Sums of vectors --------------------------------------------------------------------------------------------------

FOUR = proof("sfl/four", "proof of Theorem 3").qed(
    le(square(a + b + c + d), 4 * (square(a) + square(b) + square(c) + square(d))), by.sos(), note="four terms")

v, w = family(Vector, "v"), family(Vector, "w")
_ROWS, _ROW = ((n, 0, p - 1), (k, 0, q - 1)), (l, 0, r - 1)
_OTHER = ((i, 0, p - 1), (j, 0, q - 1))
_PARTS = Total(Total(v(n, k), k, 0, q - 1), n, 0, p - 1) + Total(w(l), l, 0, r - 1)
_SQUARES = Total(Total(square(v(n, k)), k, 0, q - 1), n, 0, p - 1) + Total(square(w(l)), l, 0, r - 1)


def _zero_below(term, *over):
    for index, lo, hi in over:
        term = Total(term, index, lo, hi)
    return le(0, term)


JENSEN = (
    proof("sfl/jensen", "proof of Theorem 3", note="Jensen's inequality for a sum of p q + r vectors")
    .step("1", le(0, square(v(n, k) - v(i, j)), *_ROWS, *_OTHER), by.sos(), note="differences have squares")
    .step("2", by.sum_over((n, k, i, j), "1"))
    .step("3", le(0, square(v(n, k) - w(l)), *_ROWS, _ROW), by.sos())
    .step("4", by.sum_over((n, k, l), "3"))
    .step("5", le(0, square(w(l) - w(e)), _ROW, (e, 0, r - 1)), by.sos())
    .qed(le(square(_PARTS), (p * q + r) * _SQUARES), by.linear("2", "4", by.sum_over((l, e), "5")),
        note="the number of terms times the sum of squares, less the squared sum, is half of all squared differences")
)

SQUARE = proof("sfl/square", "proof of Theorem 3").qed(le(0, square(x)), by.sos(), note="a square is not negative")
SQUARE_SUM = (
    proof("sfl/squares", "proof of Theorem 3", note="a sum of squares is not negative")
    .step("1", le(0, square(v(n, k)), *_ROWS), by.sos())
    .qed(_zero_below(square(v(n, k)), (k, 0, q - 1), (n, 0, p - 1)), by.sum_over((k, n), "1"))
)

s = family(Scalar, "s")


def _first(count):
    return Total(s(i), i, 0, count - 1)


PART = (
    proof("sfl/part", "proof of Theorem 3", note="a part of a sum of numbers that are not negative")
    .given("terms", le(0, s(i), (i, 0, p + q - 1)), "no term is negative")
    .step("0", le(_first(p), _first(p)), by.linear(), note="nothing more")
    .step("t", by.instance({i: p + e}, "terms"), over=(e, 0, q - 1))
    .step("1", le(_first(p), _first(p + e + 1), (e, 0, q - 1)), by.linear("t"), assuming=le(_first(p), _first(p + e)),
        note="one term more")
    .step("2", le(_first(p), _first(p + e), (e, 0, q)), by.induction(e, "0", "1"))
    .qed(le(_first(p), _first(p + q)), by.instance({e: q}, "2"))
)

# Noise: E |sum of N martingale differences|^2 <= N sigma^2 ---------------------------------------------------------

MARTINGALE = adopt("sfl", draws.NOISE, "proof of Theorem 3")

THEOREMS = (U1, U2, FOUR, JENSEN, SQUARE, SQUARE_SUM, PART, MARTINGALE)
