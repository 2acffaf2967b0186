"""The first and the last regimes of the step size (s1, s4, h1, h5), and numbers of the second: exact linear recursions.

A coordinate lam x^2 without noise multiplies the model by 1 - 2 lam eta in each of the N R steps.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, oo

from fltheory.papers.sfl.lower.bounds import N
from fltheory.papers.sfl.notation import R, eta, lam, sigma, zeta
from fltheory.proof import Given, Relation, Theorem, by, eq, le, proof, statement_of
from fltheory.proof.language import Range
from fltheory.proof.terms import Scalar, family
from fltheory.verification import find

n, Z = Symbol("n", integer=True, nonnegative=True), Integer(0)
x = family(Scalar, "x")
v, u = Symbol("v", nonnegative=True), Symbol("u", nonnegative=True)
EVER = (n, 0, oo)


def on(relation: Relation, *over: Range) -> Relation:
    """Return the relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


# Bounds on (1 - z)^n ---------------------------------------------------------------------------------------------

z = Symbol("z", nonnegative=True)
_LONG = le(1 - n * z, (1 - z) ** n)
_SMALL = Given("small", le(z, 1), "z is in [0, 1]")
POWER = (
    proof("sfl/power-left", "(11), power", note="Bernoulli").under(_SMALL)
    .step("none", _LONG.at({n: Z}), by.linear())
    .step("one", on(_LONG.at({n: n + 1}), EVER), by.linear("small"), assuming=_LONG)
    .qed(on(_LONG, EVER), by.induction(n, "none", "one"), name="all")
)
_I11C = le((1 - z) ** n, 1 - n * z + n**2 * z**2)
I11C = (
    proof("sfl/I11c", "(11), power", of="sfl/I11c@printed", note="for all n and z in [0, 1]").under(_SMALL)
    .step("none", _I11C.at({n: Z}), by.linear())
    .step("one", on(_I11C.at({n: n + 1}), EVER), by.linear("small"), assuming=_I11C)
    .qed(on(_I11C, EVER), by.induction(n, "none", "one"), name="all")
)

# s4, h5: large steps ---------------------------------------------------------------------------------------------

_MOVE = Given("step", eq(x(n + 1), (1 - 2 * lam * eta) * x(n), EVER), "a step on lam x^2")


def _far(claim: str, size: Expr, name: str) -> Theorem:
    bound = find(claim).bounds[0]
    statement, conditions = statement_of(bound, lam * x(N * R) ** 2)
    grows = le(size**2 / lam**2, x(n) ** 2)
    ahead = Given("start", eq(x(0), size / lam), "the start")
    return (
        proof(name, "Appendix C.1 / D.1", of=claim, bound=bound, unused=tuple(c.id for c in conditions[1:]))
        .under(*conditions, _MOVE, ahead)
        .step("start squared", eq(x(0) ** 2, size**2 / lam**2), by.linear("start"))
        .step("at the start", grows.at({n: Z}), by.linear("start squared"))
        .step("factor", le(1, (1 - 2 * lam * eta) ** 2), by.linear("c1"), note="eta >= 1/lam")
        .step("squared", eq(x(n + 1) ** 2, (1 - 2 * lam * eta) ** 2 * x(n) ** 2, EVER), by.linear("step"))
        .step("one", on(grows.at({n: n + 1}), EVER), by.linear("squared", "factor"), assuming=grows)
        .step("all", on(grows, EVER), by.induction(n, "at the start", "one"))
        .step("end", by.instance({n: N * R}, "all"))
        .qed(statement, by.linear("end"), name="error")
    )


S4, H5 = _far("sfl/s4@explicit", sigma, "sfl/s4"), _far("sfl/h5@explicit", zeta, "sfl/h5")

# s1, h1: small steps ---------------------------------------------------------------------------------------------


def _near(claim: str, size: Expr, name: str) -> Theorem:
    bound = find(claim).bounds[0]
    statement, conditions = statement_of(bound, lam * x(N * R) ** 2)
    stays = le((1 - 2 * n * lam * eta) * size / lam, x(n))
    ahead = Given("start", eq(x(0), size / lam), "the start")
    kept = Rational(51004, 51005) * size / lam
    last = 2 * N * R * lam * eta
    return (
        proof(name, "Appendix C.1 / D.1", of=claim, bound=bound, unused=tuple(c.id for c in conditions[1:]))
        .under(*conditions, _MOVE, ahead)
        .step("most", le(last, Rational(1, 51005)), by.linear("c1"))
        .step("steps", le(1, N * R), by.polynomial(), note="there is a step")
        .step("shrinks", le(0, 1 - 2 * lam * eta), by.linear("steps", "most"))
        .step("at the start", stays.at({n: Z}), by.linear("start"))
        .step("one", on(stays.at({n: n + 1}), EVER), by.linear("step", "shrinks"), assuming=stays,
            note="(1 - z)^n >= 1 - n z")
        .step("all", on(stays, EVER), by.induction(n, "at the start", "one"))
        .step("end", by.instance({n: N * R}, "all"))
        .step("left", le(kept, x(N * R)), by.linear("end", "most"))
        .step("positive", le(0, x(N * R) + kept), by.linear("left"))
        .qed(statement, by.linear("left", "positive"), name="error")
    )


S1, H1 = _near("sfl/s1@explicit", sigma, "sfl/s1"), _near("sfl/h1@explicit", zeta, "sfl/h1")

THEOREMS = (POWER, I11C, S1, S4, H1, H5)
