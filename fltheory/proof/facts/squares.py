"""Squared norms of vectors are nonnegative; the square of a sum."""

from __future__ import annotations

from sympy import Integer, Symbol

from fltheory.proof import by, le, lt, proof
from fltheory.proof.terms import Dot, Total, Vector, family, square

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
_p, _A, _B = Dot(x, y), square(x), square(y)
CAUCHY = (
    proof("facts/cauchy-schwarz", note="<x, y>^2 <= |x|^2 |y|^2")
    .step("A", le(0, _A), by.sos())
    .step("line", le(0, square(x - _p / _B * y)), by.apply(SIGN, {x: x - _p / _B * y}), note="no square is negative")
    .step("apart", le(_p**2, _A * _B), by.linear({"line": _B}), assuming=(lt(0, _B),))
    .step("other", le(0, square(y - _p / (_A + 1) * x)), by.apply(SIGN, {x: y - _p / (_A + 1) * x}),
        note="the same for y = 0, the other way round")
    .step("cleared", le(_p**2 * (_A + 2), _B * (_A + 1) ** 2), by.linear({"other": (_A + 1) ** 2}, "A"))
    .step("none", le(_p**2, _A * _B), by.linear({"cleared": 1 / (_A + 2), "assumed 1": 1 / (_A + 2)}, "A"),
        assuming=(le(_B, 0),))
    .qed(le(_p**2, _A * _B), by.cases("apart", "none"))
)
