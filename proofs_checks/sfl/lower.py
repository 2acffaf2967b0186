"""The first and the last regimes of the step size (s1, s4, h1, h5), and numbers of the second: exact linear recursions.

A coordinate lam x^2 without noise multiplies the model by 1 - 2 lam eta in each of the N R steps.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Symbol, oo

from fltheory.known import find
from fltheory.papers.sfl.bounds.lower import N
from fltheory.papers.sfl.letters import R, eta, lam, sigma, zeta
from fltheory.proof.language import (
    Combine,
    Given,
    Induction,
    Instance,
    Polynomial,
    Relation,
    Step,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import Scalar, family

n, Z = Symbol("n", integer=True, nonnegative=True), Integer(0)
x = family(Scalar, "x")
v, u = Symbol("v", nonnegative=True), Symbol("u", nonnegative=True)
EVER = (n, 0, oo)


def on(relation: Relation, *over: Any) -> Relation:
    """The relation for all integers of the ranges."""
    return Relation(relation.left, relation.op, relation.right, over)


# What (1 - z)^n can be -------------------------------------------------------------------------------------------

z = Symbol("z", nonnegative=True)
_LONG = le(1 - n * z, (1 - z) ** n)
_SMALL = Given("small", le(z, 1), "z is in [0, 1]")
_POSITIVE = le(0, (1 - z) ** n)
POWER = Theorem(
    "sfl/power-left",
    on(_LONG, EVER),
    (_SMALL,),
    (
        Step("none", _LONG.at({n: Z}), Combine()),
        Step(
            "one",
            on(_LONG.at({n: n + 1}), EVER),
            Combine({"assumed 1": 1 - z, "small": 0}),
            ("small",),
            assuming=(_LONG,),
        ),
        Step("all", on(_LONG, EVER), Induction(n), ("none", "one")),
    ),
    place="(11), power",
    note="Bernoulli",
)
_I11C = le((1 - z) ** n, 1 - n * z + n**2 * z**2)
I11C = Theorem(
    "sfl/I11c",
    on(_I11C, EVER),
    (_SMALL,),
    (
        Step("none", _I11C.at({n: Z}), Combine()),
        Step(
            "one",
            on(_I11C.at({n: n + 1}), EVER),
            Combine({"assumed 1": 1 - z, "small": 0}),
            ("small",),
            assuming=(_I11C,),
        ),
        Step("all", on(_I11C, EVER), Induction(n), ("none", "one")),
    ),
    claim="sfl/I11c@printed",
    place="(11), power",
    note="for all n and z in [0, 1]",
)

# s4, h5: large steps ---------------------------------------------------------------------------------------------

_MOVE = Given("step", eq(x(n + 1), (1 - 2 * lam * eta) * x(n), EVER), "a step on lam x^2")


def _far(claim: str, size: Expr, name: str) -> Theorem:
    bound = find(claim).bounds[0]
    statement, conditions = stated(bound, lam * x(N * R) ** 2)
    grows = le(size**2 / lam**2, x(n) ** 2)
    ahead = Given("start", eq(x(0), size / lam), "the start")
    return Theorem(
        name,
        statement,
        (*conditions, _MOVE, ahead),
        (
            Step("start squared", eq(x(0) ** 2, size**2 / lam**2), Combine({"start": x(0) + size / lam}), ("start",)),
            Step("at the start", grows.at({n: Z}), Combine({"start squared": -1}), ("start squared",)),
            Step(
                "factor",
                le(1, (1 - 2 * lam * eta) ** 2),
                Combine({"c1": 4 * lam**2 * eta}),
                ("c1",),
                note="eta >= 1/lam",
            ),
            Step(
                "squared",
                eq(x(n + 1) ** 2, (1 - 2 * lam * eta) ** 2 * x(n) ** 2, EVER),
                Combine({"step": x(n + 1) + (1 - 2 * lam * eta) * x(n)}),
                ("step",),
            ),
            Step(
                "one",
                on(grows.at({n: n + 1}), EVER),
                Combine({"squared": -1, "factor": x(n) ** 2, "assumed 1": 1}),
                ("squared", "factor"),
                assuming=(grows,),
            ),
            Step("all", on(grows, EVER), Induction(n), ("at the start", "one")),
            Step("end", grows.at({n: N * R}), Instance({n: N * R}), ("all",)),
            Step("error", statement, Combine({"end": lam}), ("end",)),
        ),
        claim=claim,
        bound=bound,
        place="Appendix C.1 / D.1",
        unused=tuple(c.id for c in conditions[1:]),
    )


S4, H5 = _far("sfl/s4@explicit", sigma, "sfl/s4"), _far("sfl/h5@explicit", zeta, "sfl/h5")

# s1, h1: small steps ---------------------------------------------------------------------------------------------


def _near(claim: str, size: Expr, name: str) -> Theorem:
    bound = find(claim).bounds[0]
    statement, conditions = stated(bound, lam * x(N * R) ** 2)
    stays = le((1 - 2 * n * lam * eta) * size / lam, x(n))
    ahead = Given("start", eq(x(0), size / lam), "the start")
    kept = Rational(51004, 51005) * size / lam
    last = 2 * N * R * lam * eta
    return Theorem(
        name,
        statement,
        (*conditions, _MOVE, ahead),
        (
            Step("most", le(last, Rational(1, 51005)), Combine({"c1": 2 * N * R * lam}), ("c1",)),
            Step("steps", le(1, N * R), Polynomial(), note="there is a step"),
            Step("shrinks", le(0, 1 - 2 * lam * eta), Combine({"steps": 2 * lam * eta, "most": 1}), ("steps", "most")),
            Step("at the start", stays.at({n: Z}), Combine({"start": -1}), ("start",)),
            Step(
                "one",
                on(stays.at({n: n + 1}), EVER),
                Combine({"step": -1, "assumed 1": 1 - 2 * lam * eta, "shrinks": 0}),
                ("step", "shrinks"),
                assuming=(stays,),
                note="(1 - z)^n >= 1 - n z",
            ),
            Step("all", on(stays, EVER), Induction(n), ("at the start", "one")),
            Step("end", stays.at({n: N * R}), Instance({n: N * R}), ("all",)),
            Step("left", le(kept, x(N * R)), Combine({"end": 1, "most": size / lam}), ("end", "most")),
            Step("positive", le(0, x(N * R) + kept), Combine({"left": 1}), ("left",)),
            Step("error", statement, Combine({"left": lam * (x(N * R) + kept), "positive": 0}), ("left", "positive")),
        ),
        claim=claim,
        bound=bound,
        place="Appendix C.1 / D.1",
        unused=tuple(c.id for c in conditions[1:]),
    )


S1, H1 = _near("sfl/s1@explicit", sigma, "sfl/s1"), _near("sfl/h1@explicit", zeta, "sfl/h1")

THEOREMS = (POWER, I11C, S1, S4, H1, H5)
