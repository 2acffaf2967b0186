"""Squared norms of vectors are nonnegative; the square of a sum."""

from __future__ import annotations

from sympy import Integer, Symbol

from fltheory.proof import by, le, proof
from fltheory.proof.terms import Total, Vector, family, square

x, y, u, v = (family(Vector, name)() for name in "xyuv")
a, b, c = (Symbol(name, integer=True, positive=True) for name in "abc")
N, m = (Symbol(name, integer=True, positive=True) for name in "Nm")
SIGN = proof("facts/nonnegative", note="no square is negative").qed(le(0, square(x)), by.sos())
z = family(Vector, "z")
JENSEN = (
    proof("facts/jensen", note="the squared sum of N vectors")
    .step("1", le(0, square(z(a) - z(b)), (a, 1, N), (b, 1, N)), by.sos(), note="differences have squares")
    .step("2", le(0, Total(Total(square(z(a) - z(b)), a, 1, N), b, 1, N)), by.sum_over((a, b), "1"))
    .qed(le(square(Total(z(a), a, 1, N)), N * Total(square(z(a)), a, 1, N)), by.linear({"2": Integer(1) / 2}))
)
