"""Whether 1/(4 L_inf), the paper's beta, is a curvature that the responses' range allows; response ranges of Appendix B.2.

For C1 = 0 it is one if C2 is at least the root of 7 C2 = 8 log(1 + C2), between the two numbers of the catalogue.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, diff, log

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.losses.proofs.curvature import ORDER, W, beta, star, w, x
from fltheory.papers.aaggff.losses.proofs.facts import a, b, c
from fltheory.papers.aaggff.losses.proofs.lemmas import CONVEX, share
from fltheory.papers.aaggff.notation import C1, C2, C, K, T
from fltheory.proof import Theorem, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import Scalar, family

PLACE = bounds.T51.source.place
L, V = bounds.L, bounds.V
RATIO = bounds.BETA_STAR / bounds.BETA

# From the larger number on --------------------------------------------------------------------------------------------

_FROM = 7 * (of.ROOT_HIGH + x) - 8 * log(1 + of.ROOT_HIGH + x)
LARGE_L = (
    proof("aaggff/window-numbers", PLACE, note="8 log(1 + L) <= 7 L from 0.29872 on")
    .step("start", le(0, _FROM.xreplace({x: Integer(0)})), by.ball(()))
    .step("slope", le(0, diff(_FROM, x)), by.linear())
    .qed(le(0, _FROM), by.derivative(x, "start", "slope"), name="last")
)
_sum = W + x
ALLOWED = (
    proof("aaggff/window", PLACE, note="L = V + x: 1/(4 L) is at most beta*(V)")
    .given("numbers", le(0, 7 * _sum - 8 * log(1 + _sum)), "the sup-norm is large enough")
    .step("order", by.apply(ORDER, {w: W}), note="the curvature allowed falls with the spread")
    .qed(le(1, 4 * _sum * star(W)), by.linear(order=8 / (_sum * W**2), numbers=1 / _sum))
)
_LARGE, _CONDITIONS = statement_of(of.A10_CHOICE_LARGE, RATIO)
LARGE = (
    proof("aaggff/A.10-choice@corrected", PLACE, of="aaggff/A.10-choice@corrected", bound=of.A10_CHOICE_LARGE,
        unused=("c2",))
    .under(*_CONDITIONS)
    .step("room", le(0, L - of.ROOT_HIGH), by.linear("c3"))
    .step("numbers", by.apply(LARGE_L, {x: L - of.ROOT_HIGH}, "room"))
    .step("range", lt(0, V), by.linear("c1"))
    .qed(_LARGE, by.apply(ALLOWED, {W: V, x: C1 / (1 + C1)}, "numbers", "range"), note="L = V + C1/(1 + C1)")
)

# Up to the smaller number, for C1 = 0 ---------------------------------------------------------------------------------

_root, _part = of.ROOT_LOW, C2 / of.ROOT_LOW
_SMALL, _CONDITIONS = statement_of(of.A10_CHOICE_SMALL, RATIO)
SMALL = (
    proof("aaggff/A.10-choice@strengthened", PLACE, of="aaggff/A.10-choice@strengthened", bound=of.A10_CHOICE_SMALL,
        unused=("c1", "c2"))
    .under(*_CONDITIONS)
    .step("positive", le(0, C1), by.linear())
    .step("zero", by.antisymmetry("c3", "positive"))
    .step("mixed", eq(1 + C2, _part * (1 + _root) + (1 - _part)), by.linear())
    .step("part", le(_part, 1), by.linear("c4"))
    .step("chord", by.apply(CONVEX, {share: _part, a: 1 + _root, b: Integer(1), c: 1 + C2}),
        note="the logarithm is concave")
    .step("root", le(7 * _root, 8 * log(1 + _root)), by.ball(()))
    .step("below", le(7 * C2, 8 * log(1 + C2)), by.linear("chord", "root"))
    .qed(_SMALL, by.linear(below=1 / C2), inserting="zero")
)
_PRINTED, _CONDITIONS = statement_of(of.A10_CHOICE, RATIO)
PRINTED = (
    proof("aaggff/A.10-choice@printed", PLACE, of="aaggff/A.10-choice@printed", bound=of.A10_CHOICE, recorded="REFUTED")
    .under(*_CONDITIONS)
    .qed(_PRINTED, by.counterexample({C1: Rational(1, 100), C2: Rational(1, 4), K: 4}, "c1", "c2"),
        note="about the paper's own range for four clients, 1 is more than the curvature allowed")
)

# The paper's own window: beta <= 1/2 and beta <= 1/(2 V) --------------------------------------------------------------

_SMALL_V, _LARGE_V = (le(W, 1),), (le(1, W),)
_BEYOND = 3 * (1 + x) - 4 * log(2 + x)
BEYOND = (
    proof("aaggff/window-beyond", PLACE, note="4 log(1 + V) <= 3 V from 1 on")
    .step("start", le(0, _BEYOND.xreplace({x: Integer(0)})), by.ball(()))
    .step("slope", le(0, diff(_BEYOND, x)), by.linear())
    .qed(le(0, _BEYOND), by.derivative(x, "start", "slope"), name="last")
)
_INSIDE = le(beta, star(W))
INSIDE = (
    proof("aaggff/window-A.10", "Lemma A.10", note="such a beta is a curvature that the range allows")
    .given("half", le(beta, Rational(1, 2)), "delta <= gamma/2 in Lemma A.10, the loss being 1-exp-concave")
    .given("inner", le(beta * W, Rational(1, 2)), "its other condition: inner products with g are at most V")
    .step("room", le(0, 1 - W), by.linear(), assuming=_SMALL_V)
    .step("order", le(0, (W - log(1 + W)) * 1**2 - (1 - log(Integer(2))) * W**2),
        by.apply(ORDER, {w: W, x: 1 - W}, "room"), assuming=_SMALL_V)
    .step("two", le(log(Integer(2)), Rational(3, 4)), by.ball(()))
    .step("small", _INSIDE, by.linear("order", "two", "half"), assuming=_SMALL_V)
    .step("beyond", le(0, W - 1), by.linear(), assuming=_LARGE_V)
    .step("slow", by.apply(BEYOND, {x: W - 1}, "beyond"), assuming=_LARGE_V)
    .step("large", _INSIDE, by.linear("slow", "inner"), assuming=_LARGE_V)
    .qed(_INSIDE, by.cases("small", "large"))
)

# The ranges of Appendix B.2 -------------------------------------------------------------------------------------------

_WHOLE = family(Scalar, "bound")()
_SILO, _DEVICE = {C1: Integer(0), C2: 1 / K}, {C1: Integer(0), C2: C}


def arithmetic(name: str, value: Expr, expected: Expr, at: dict[Any, Any], note: str) -> Theorem:
    """Evaluate a size at a range."""
    claim, theorem = eq(value.xreplace(at), expected), f"aaggff/{name}"
    return proof(theorem, "B.2", of=theorem, note=note).qed(claim, by.linear())


RANGES = (
    arithmetic("R1@printed", L, 1 / K, _SILO, "L_inf with C1 = 0, C2 = 1/K"),
    arithmetic("R1-steps@explicit", bounds.ALPHA, Integer(4), _SILO, "alpha"),
    arithmetic("R1-curvature@explicit", bounds.BETA, K / 4, _SILO, "beta"),
    proof("aaggff/R1-bound@explicit", "B.2", of="aaggff/R1-bound@explicit", note="the printed bound")
    .where("bound", _WHOLE, bounds.T51.expr.xreplace(_SILO), "the bound of Theorem 5.1 with C1 = 0 and C2 = 1/K",
        supposed=True)
    .qed(eq(_WHOLE, 2 * (1 + log(1 + T / (16 * K)))), by.linear(), inserting="bound"),
    arithmetic("R2@printed", bounds.L_DR, C + 2, _DEVICE, "the size of the estimates with C1 = 0, C2 = C"),
    arithmetic("R2-inflation@corrected", bounds.L_DR / L, 1 + 2 / C, _DEVICE,
        "over the size of the gradients 1/C is still there"),
)

THEOREMS = (LARGE_L, ALLOWED, LARGE, SMALL, PRINTED, BEYOND, INSIDE, *RANGES)
