"""Curvature of the loss: Lemma A.10 as printed and corrected, and the largest curvature for the range of the responses.

With u = <g, q - p> the loss at q is that at p minus log(1 - u), where 1 - u is a quotient a/b of 1 + <., r> at q and p.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, diff, exp, log

from fltheory.papers.aaggff.losses.proofs.facts import QUOTIENT, P, Q, a, b
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, proof
from fltheory.proof.terms import Dot, Fun, Grad, Val, Vector, family

PLACE = "Lemma A.10"
gamma, delta = Symbol("gamma", positive=True), Symbol("delta", positive=True)
D, slope, theta, v = (Symbol(name, real=True) for name in ("D", "slope", "theta", "v"))
_ONE_HALF = Rational(1, 2)

# As printed: the quadratic term at the other point --------------------------------------------------------------------

x, y = (Symbol(name, nonnegative=True) for name in "xy")


def _slope(at: Expr) -> Expr:
    """Return the derivative of -log(1 + x)."""
    return -1 / (1 + at)


PRINTED = (
    proof("aaggff/A.10", PLACE, of="aaggff/A.10@printed", recorded="REFUTED",
        note="with the gradient at y in the square")
    .given("half", le(2 * delta, 1), "-log(1 + x) is 1-exp-concave")
    .given("low", le(-_ONE_HALF, delta * _slope(x) * (y - x)), "the window of the lemma")
    .given("high", le(delta * _slope(x) * (y - x), _ONE_HALF), "the window of the lemma")
    .qed(le(-log(1 + x) + _slope(x) * (y - x) + delta / 2 * (_slope(y) * (y - x)) ** 2, -log(1 + y)),
        by.counterexample({x: 1, y: 0, delta: _ONE_HALF}, "half", "low", "high"), note="-log 2 + 3/4 is above 0")
)

# Corrected: the gradient at x -----------------------------------------------------------------------------------------

_INSIDE = (Given("low", le(-1, v), "from -1 on"), Given("high", le(v, 1), "up to 1"))
LOG_SQUARE = (
    proof("aaggff/log-square", PLACE, note="log(1 + v) <= v - v^2/4 for |v| <= 1").under(*_INSIDE)
    .qed(le(1 + v, exp(v - v**2 / 4)), by.ball(((v, -1, 1),), "low", "high", zeros=((v, 0),)))
)
CHORD = (
    proof("aaggff/exp-chord", PLACE, note="exp lies below its chords")
    .given("low", le(0, theta), "a share")
    .given("high", le(theta, 1), "a share")
    .step("far", by.fact("exp", (1 - theta) * P))
    .step("near", by.fact("exp", -theta * P))
    .qed(le(exp(theta * P), 1 - theta + theta * exp(P)), by.linear("far", "near", "low", "high"))
)
_share = 2 * delta / gamma
WINDOW = (
    Given("half", le(2 * delta, gamma), "delta is at most gamma/2"),
    Given("low", le(-_ONE_HALF, delta * slope), "the window of the lemma"),
    Given("high", le(delta * slope, _ONE_HALF), "the window of the lemma"),
)
_v = -2 * delta * slope
SCALAR = (
    proof("aaggff/A.10-scalar", PLACE, note="numbers: D = f(y) - f(x), slope = <f'(x), y - x>")
    .given("concave", le(exp(-gamma * D), 1 - gamma * slope), "the tangent of exp(-gamma f)")
    .under(*WINDOW)
    .step("share low", le(0, _share), by.linear())
    .step("share high", le(_share, 1), by.linear("half"))
    .step("chord", by.apply(CHORD, {theta: _share, P: -gamma * D}))
    .step("tangent", le(exp(-2 * delta * D), 1 + _v), by.linear("chord", "concave"),
        note="exp(-2 delta f) is concave as well")
    .step("v low", le(-1, _v), by.linear("high"))
    .step("v high", le(_v, 1), by.linear("low"))
    .step("square", by.apply(LOG_SQUARE, {v: _v}))
    .step("exp", le(exp(-2 * delta * D), exp(_v - _v**2 / 4)), by.linear("tangent", "square"))
    .step("log", le(-2 * delta * D, _v - _v**2 / 4),
        by.apply("aaggff/log", {P: -2 * delta * D, Q: _v - _v**2 / 4}, "exp"))
    .qed(le(slope + delta / 2 * slope**2, D), by.linear("log"))
)
f, at, to = family(Fun, "f")(), family(Vector, "x")(), family(Vector, "y")()
_along, _gap = Dot(Grad(f, at), to - at), Val(f, to) - Val(f, at)
_READ = {D: _gap, slope: _along}
CORRECTED = (
    proof("aaggff/A.10-any", PLACE, of="aaggff/A.10@corrected",
        note="with the gradient at x in the square; any f, any dimension")
    .given("concave", le(exp(-gamma * Val(f, to)), exp(-gamma * Val(f, at)) * (1 - gamma * _along)),
        "f is gamma-exp-concave: exp(-gamma f) lies below its tangent at x")
    .under(*(Given(h.id, h.relation.at(_READ), h.why) for h in WINDOW))
    .step("tangent", le(exp(-gamma * _gap), 1 - gamma * _along), by.linear("concave"))
    .step("scalar", by.apply(SCALAR, _READ))
    .qed(le(Val(f, at) + _along + delta / 2 * _along**2, Val(f, to)), by.linear("scalar"))
)

# Sharp: the largest curvature -----------------------------------------------------------------------------------------

# ``x`` increases from 0, where each of the first four gaps is 0; ``w`` is another nonnegative number.
w, W, beta = Symbol("w", nonnegative=True), Symbol("W", positive=True), Symbol("beta", positive=True)
PLACE_SHARP = "Lemma A.10, sharp"


def from_zero(name: str, gap: Expr, note: str, *steps: Step, **weights: Expr) -> Theorem:
    """Prove 0 <= gap from gap = 0 at x = 0 and a derivative that the steps split into nonnegative terms."""
    return (
        proof(name, PLACE_SHARP, note=note)
        .step("start", le(0, gap.xreplace({x: Integer(0)})), by.linear())
        .steps(*steps)
        .step("slope", le(0, diff(gap, x)), by.linear(weights))
        .qed(le(0, gap), by.derivative(x, "start", "slope"), name="last")
    )


LESS = from_zero("aaggff/curvature-1", x**2 - 2 * x + 2 * log(1 + x), "the curvature allowed is at most 1")
_FALL = 2 * x - 2 * log(1 + x) - x**2 / (1 + x)
FALL = from_zero("aaggff/curvature-slope", _FALL, "why it falls as the range grows")
_ORDER = (w - log(1 + w)) * (w + x) ** 2 - (w + x - log(1 + w + x)) * w**2
ORDER = from_zero("aaggff/curvature-falls", _ORDER, "(w - log(1 + w))/w^2 falls: here from w to w + x",
    line("fall", le(0, _FALL.xreplace({x: w})), by.apply(FALL, {x: w})), fall=w + x)
_OTHER = log(1 + x) - x / (1 + x) - x**2 / (2 * (1 + x) ** 2)
OTHER = from_zero("aaggff/curvature-down", _OTHER, "towards a worse point: -log(1 - u) >= u + u^2/2 at u = x/(1 + x)")


def star(size: Expr) -> Expr:
    """Return beta*(V) as in the catalogue."""
    return 2 * (size - log(1 + size)) / size**2


_u = (b - a) / b
SHARP_STATEMENT = le(_u + beta / 2 * _u**2, log(b) - log(a))
_UP, _DOWN = (le(b, a),), (le(a, b),)
SHARP = (
    proof("aaggff/curvature", PLACE_SHARP, of="aaggff/A.10@strengthened",
        note="-log(1 - u) >= u + beta/2 u^2 for u >= -V and beta <= beta*(V)")
    .given("far", le(a, (1 + W) * b), "1 + <., r> is at most 1 + V times as large at another point")
    .given("curved", le(beta, star(W)), "the curvature that V allows")
    .step("log", eq(log(a / b), log(a) - log(b)), by.apply(QUOTIENT))
    .step("away", le(0, (a - b) / b), by.linear(), assuming=_UP)
    .step("room", le(0, W - (a - b) / b), by.linear("far"))
    .step("order", le(0, (-_u - log(a / b)) * W**2 - (W - log(1 + W)) * _u**2),
        by.apply(ORDER, {w: (a - b) / b, x: W - (a - b) / b}, "away", "room"), assuming=_UP)
    .step("up", SHARP_STATEMENT, by.linear(order=1 / W**2, log=-1, curved=_u**2 / 2), assuming=_UP)
    .step("less", by.apply(LESS, {x: W}))
    .step("one", le(beta, 1), by.linear("curved", "less"))
    .step("back log", by.apply(QUOTIENT, {a: b, b: a}))
    .step("back", le(0, (b - a) / a), by.linear(), assuming=_DOWN)
    .step("back order", le(0, log(b / a) - _u - _u**2 / 2), by.apply(OTHER, {x: (b - a) / a}, "back"), assuming=_DOWN)
    .step("down", SHARP_STATEMENT, by.linear({"back order": 1, "back log": -1, "one": _u**2 / 2}), assuming=_DOWN)
    .qed(SHARP_STATEMENT, by.cases("up", "down"))
)
NEEDED = (
    proof("aaggff/curvature-needed", PLACE_SHARP, of="aaggff/A.10-only@strengthened", note="no larger beta will do")
    .given("holds", SHARP_STATEMENT.at({a: 1 + W, b: Integer(1)}), "the inequality at the far end, u = -V")
    .qed(le(beta, star(W)), by.linear("holds"))
)

THEOREMS = (PRINTED, LOG_SQUARE, CHORD, SCALAR, CORRECTED, LESS, FALL, ORDER, OTHER, SHARP, NEEDED)
