"""A term of a sum of nonnegative numbers, and telescoping over the rounds."""

from __future__ import annotations

from sympy import Symbol

from fltheory.proof import by, le, proof
from fltheory.proof.facts.notation import EACH, j, m, n, s, whole
from fltheory.proof.terms import Scalar, Total, family
from fltheory.symbols import n_clients as M

_SO_FAR, _UP = Total(s(j), j, 1, m + n), ((m, 1, M), (n, 0, M - m))
ONE = (
    proof("facts/one", note="a term of a sum of numbers that are not negative")
    .given("terms", le(0, s(j), (j, 1, M)), "no term is negative")
    .step("before", le(0, s(j), EACH, (j, 1, m - 1)), by.linear(terms=1))
    .step("sum", le(0, Total(s(j), j, 1, m - 1), EACH), by.sum_over(j, "before"))
    .step("0", le(s(m), Total(s(j), j, 1, m), EACH), by.linear("sum"))
    .step("next", le(0, s(m + n + 1), EACH, (n, 0, M - m - 1)), by.instance({j: m + n + 1}, "terms"))
    .step("1", le(s(m), Total(s(j), j, 1, m + n + 1), EACH, (n, 0, M - m - 1)), by.linear("next"),
        assuming=le(s(m), _SO_FAR))
    .step("2", le(s(m), _SO_FAR, *_UP), by.induction(n, "0", "1"))
    .qed(le(s(m), whole(s(j)), EACH), by.instance({n: M - m}, "2"))
)
N, m = (Symbol(name, integer=True, positive=True) for name in "Nm")
d, s = family(Scalar, "d"), family(Scalar, "s")
t = Symbol("t", integer=True, positive=True)
TELESCOPE = (
    proof("facts/telescope", note="what all rounds add at most")
    .given("step", le(d(t + 1), d(t) + s(t), (t, 1, N)), "what one round adds at most")
    .step("0", le(d(1), d(1)), by.linear())
    .step("next", le(d(n + 2), d(n + 1) + s(n + 1), (n, 0, N - 1)), by.instance({t: n + 1}, "step"))
    .step("1", le(d(n + 2), d(1) + Total(s(t), t, 1, n + 1), (n, 0, N - 1)), by.linear("next"),
        assuming=le(d(n + 1), d(1) + Total(s(t), t, 1, n)), note="one round more")
    .step("2", le(d(n + 1), d(1) + Total(s(t), t, 1, n), (n, 0, N)), by.induction(n, "0", "1"))
    .qed(le(d(N + 1), d(1) + Total(s(t), t, 1, N)), by.instance({n: N}, "2"))
)
