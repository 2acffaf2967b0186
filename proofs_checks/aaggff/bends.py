"""Lemmas A.1, A.5, A.9 to A.12 and steps of Lemma 4.1's proof, claim by claim: how losses and quadratic functions bend."""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Max, Rational, Symbol, diff, exp, log, sqrt

from fltheory.known import find
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.letters import C1, C2, C, K, T, beta
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, lt, proof, stated
from fltheory.proof.terms import Dot, Nonnegative, Positive, Scalar, Total, Vector, family
from proofs_checks.aaggff import curvature, plain
from proofs_checks.aaggff.curvature import x
from proofs_checks.aaggff.facts import P, a, b, c, i, j, whole
from proofs_checks.aaggff.lemmas import share
from proofs_checks.aaggff.lipschitz import IDS, O_HIGH, P_LOW, Q_HIGH, S_LOW, SETTING, average, o, p, q, r, s
from proofs_checks.aaggff.mixing import tied

MIXED = (
    Given("mixed", eq(c, share * a + (1 - share) * b), "1 + <., r> is affine: between a at p and b at q"),
    Given("part", le(share, 1), "a part of the way"),
)

# Lemma A.1, A.9: the loss ---------------------------------------------------------------------------------------------------

_CHAIN, _STATED = tied("A.1@corrected", -log(c) + share * log(a) + (1 - share) * log(b))
CONVEX = _CHAIN.under(*MIXED).step(
    "known", le(-log(c), -share * log(a) - (1 - share) * log(b)), by.apply("aaggff/A.1-convex", "mixed", "part")
).qed(_STATED, by.combine("known"))
_CHAIN, _STATED = tied("A.9@printed", share * exp(log(a)) + (1 - share) * exp(log(b)) - exp(log(c)))
AFFINE = _CHAIN.under(*MIXED).qed(_STATED, by.combine({"mixed": 1}))

power, P_, theta = Symbol("power", positive=True), Symbol("P", real=True), curvature.theta


def powered(claim: str, high: bool) -> Theorem:
    """exp(-power loss), that is 1 + <., r> to a power: below its tangents for powers up to 1, above them for others."""
    sign = 1 if high else -1
    chain, said = tied(claim, share * a**power + (1 - share) * b**power - c**power)
    chain = chain.under(*MIXED, Given("power", le(power, 1) if high else le(1, power), "the power of exp(-loss)"))
    return chain.qed(said, by.combine(*("mixed",) * sign))


_LESS = x - log(1 + x) - x**2 / (2 * (1 + x) ** 2)
LESS = (
    proof("aaggff/A.1-up", "Lemma A.1", note="towards a better point: log(1 + x) <= x - x^2/(2 (1 + x)^2)")
    .step("start", le(0, _LESS.xreplace({x: Rational(0)})), by.combine())
    .step("slope", le(0, diff(_LESS, x)), by.combine())
    .qed(le(0, _LESS), by.rising(x, "start", "slope"), name="last")
)
top = Symbol("top", positive=True)
_SIDE = le(log(a) - log(c), (a - c) / c - (a - c) ** 2 / (2 * top**2))
_UP, _DOWN = le(c, a), le(a, c)
SIDE = (
    proof("aaggff/A.1-side", "Lemma A.1", note="the logarithm bends by 1/top^2 at least up to top")
    .given("a high", le(a, top))
    .given("c high", le(c, top))
    .step("away", le(0, (a - c) / c), by.combine({"assumed 1": 1 / c}), assuming=_UP)
    .step("less", le(0, _LESS.xreplace({x: (a - c) / c})), by.apply("aaggff/A.1-up", {x: (a - c) / c}, "away"), assuming=_UP)
    .step("quotient", eq(log(a / c), log(a) - log(c)), by.apply("aaggff/log-quotient", {b: c}))
    .step("squares a", le(1 / top**2, 1 / a**2), by.combine({"a high": (top + a) / (top**2 * a**2)}))
    .step("squares c", le(1 / top**2, 1 / c**2), by.combine({"c high": (top + c) / (top**2 * c**2)}))
    .step("up", _SIDE, by.combine({"less": 1, "quotient": -1, "squares a": (a - c) ** 2 / 2}), assuming=_UP)
    .step("back", le(0, (c - a) / a), by.combine({"assumed 1": 1 / a}), assuming=_DOWN)
    .step(
        "more",
        le(0, curvature._OTHER.xreplace({x: (c - a) / a})),
        by.apply("aaggff/curvature-down", {x: (c - a) / a}, "back"),
        assuming=_DOWN,
    )
    .step("back quotient", eq(log(c / a), log(c) - log(a)), by.apply("aaggff/log-quotient", {a: c, b: a}))
    .step("down", _SIDE, by.combine({"more": 1, "back quotient": 1, "squares c": (a - c) ** 2 / 2}), assuming=_DOWN)
    .qed(_SIDE, by.cases("up", "down"))
)
THEOREMS = (CONVEX, AFFINE, LESS, SIDE)
