"""The noise term of Theorems 5 and 6 without an oracle bound: mu x^2 / 2 with noise +-sigma, whatever the step sizes."""

from __future__ import annotations

from sympy import Integer, Symbol, oo

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.lower.bounds import N
from fltheory.papers.sfl.notation import R, sigma
from fltheory.proof import Relation, by, eq, le, proof, statement_of
from fltheory.proof.terms import E, Nonnegative, RandomScalar, Scalar, family
from fltheory.verification import find

n, Z = Symbol("n", integer=True, nonnegative=True), Integer(0)
mu = Symbol("mu", positive=True)
x, tau = family(RandomScalar, "x"), family(RandomScalar, "tau")
h, y, f = family(Nonnegative, "h"), family(Scalar, "y"), family(Scalar, "f")
EVER = (n, 0, oo)
_NEXT = (1 - mu * h(n)) * x(n) - h(n) * sigma * tau(n + 1)
_SECOND = (1 - mu * h(n)) ** 2 * E(x(n) ** 2) + h(n) ** 2 * sigma**2
_LEAST = le(sigma**2 / (mu**2 * (n + 1)), E(x(n) ** 2))
_AFTER = _LEAST.at({n: n + 1})
_BOUND = find("sfl/T5-noise@strengthened").bounds[0]
_STATEMENT, _ = statement_of(_BOUND, mu / 2 * E(x(N * R) ** 2), {notation.mu: mu})

NOISE = (
    proof("sfl/T5-noise", "Theorems 5 and 6, first term", of="sfl/T5-noise@strengthened", bound=_BOUND,
        reading={notation.mu: mu},
        note="the last iterate, every sequence of step sizes; equality at the steps 1/(mu (n + 2))")
    .given("step", eq(x(n + 1), _NEXT, EVER), "step n has the deterministic size h(n), which is free")
    .given("unit", eq(E(tau(n + 1) ** 2), 1, EVER), "a sign is 1 or -1")
    .given("fair", eq(E(x(n) * tau(n + 1)), 0, EVER), "the next sign is fair and independent of the model")
    .given("start", eq(x(0), sigma / mu), "the start")
    .where("miss", y(n), mu * h(n) * (n + 2) - 1, "how far the step is from the best one, 1/(mu (n + 2))")
    .where("shrink", f(n), 1 - mu * h(n), "what a step leaves of the model")
    .step("square", eq(x(n + 1) ** 2, _NEXT**2, EVER), by.linear("step"))
    .step("mean square", by.expectation("square"))
    .step("moment", eq(E(x(n + 1) ** 2), _SECOND, EVER), by.linear("mean square", "fair", "unit"))
    .step("start squared", eq(x(0) ** 2, sigma**2 / mu**2), by.linear("start"))
    .step("start mean", by.expectation("start squared"))
    .step("at the start", _LEAST.at({n: Z}), by.linear("start mean"))
    .step("missed", le(0, y(n) ** 2), by.linear())
    .step("best",
        le(sigma**2 / (mu**2 * (n + 2)), (1 - mu * h(n)) ** 2 * sigma**2 / (mu**2 * (n + 1)) + h(n) ** 2 * sigma**2),
        by.linear("missed"), inserting="miss", note="no step makes it smaller")
    .step("kept", le(f(n) ** 2 * _LEAST.left, f(n) ** 2 * _LEAST.right), by.linear(), assuming=_LEAST)
    .step("one", Relation(_AFTER.left, "<=", _AFTER.right, (EVER,)), by.linear("moment", "kept", "best"),
        inserting="shrink", assuming=_LEAST)
    .step("all", Relation(_LEAST.left, "<=", _LEAST.right, (EVER,)), by.induction(n, "at the start", "one"))
    .step("end", by.instance({n: N * R}, "all"))
    .qed(_STATEMENT, by.linear("end"), name="error")
)
THEOREMS = (NOISE,)
