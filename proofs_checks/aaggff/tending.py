"""Appendix A.1: how far weights proportional to w x are from w in total variation, x between 1 and R^2, and FedAvg as the limit."""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, Symbol, diff, exp, log

from fltheory.known import find
from fltheory.papers.aaggff.letters import K, M, low, q, tilt, top
from fltheory.proof import Given, Theorem, by, eq, le, lt, proof, stated
from fltheory.proof.terms import Positive, family
from proofs_checks.aaggff.facts import EACH, P, Q, i, j, whole
from proofs_checks.aaggff.mixing import SHARES, lam, w

PLACE = "Appendix A.1"
x, X = family(Positive, "x"), family(Positive, "X")()
rho, R, u = Symbol("rho", positive=True), Symbol("R", positive=True), Symbol("x", nonnegative=True)
_HALF = Rational(1, 2)

# The distance ------------------------------------------------------------------------------------------------------------

_apart = Abs(x(i) - X)
_all = whole(w(j) * Abs(x(j) - X))
SETTING = (
    SHARES,
    Given("mean", eq(X, whole(w(j) * x(j))), "what the weights w x add up to"),
    Given("least", le(1, x(i), EACH), "scaled so that no factor is below 1"),
)


def up_to(root: Expr) -> Given:
    """The largest factor."""
    return Given("most", le(x(i), root**2, EACH), "no factor is above R^2")


def mean_of(root: Expr) -> tuple:
    """Where the mean factor lies."""


_R = 1 + rho
_chord = ((x(i) - 1) * (_R**2 - X) + (_R**2 - x(i)) * (X - 1)) / (_R**2 - 1)
WIDE = (
    proof("aaggff/tending-wide", PLACE, note="R = 1 + rho: the chord of the convex |x - X|, and (X - R)^2 >= 0")
    .under(*SETTING, up_to(_R))
    .step("low", le(whole(w(j)), whole(w(j) * x(j))), by.summed(i, "least", weight=w(i)))
    .step("high", le(whole(w(j) * x(j)), _R**2 * whole(w(j))), by.summed(i, "most", weight=w(i)))
    .step("X low", le(1, X), by.combine({"low": 1, "mean": -1, "shares": -1}))
    .step("X high", le(X, _R**2), by.combine({"high": 1, "mean": 1, "shares": _R**2}))
    .step("up", le(x(i) - X, _chord, EACH), by.combine({"most": 2 * (X - 1) / (_R**2 - 1)}, "X low"))
    .step("down", le(X - x(i), _chord, EACH), by.combine({"least": 2 * (_R**2 - X) / (_R**2 - 1)}, "X high"))
    .step("each", le(_apart, _chord, EACH), by.absolute("up", "down"))
    .step("all", le(_all, whole(w(j) * _chord.xreplace({i: j}))), by.summed(i, "each", weight=w(i)))
    .step("square", le(0, (X - _R) ** 2), by.combine())
    .qed(
        le(_all / (2 * X), (_R - 1) / (_R + 1)),
        by.combine(
            {
                "all": 1 / (2 * X),
                "square": 1 / (X * (_R**2 - 1)),
                "mean": -(_R**2 + 1 - 2 * X) / (2 * X * (_R**2 - 1)),
                "shares": 0,
            }
        ),
    )
)
THEOREMS = (WIDE,)
