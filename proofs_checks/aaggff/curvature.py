"""How much the loss is curved: Lemma A.10 as printed and corrected, and the largest curvature that the responses' range allows.

With u = <g, q - p> the loss at q is exactly that at p minus log(1 - u), and 1 - u is a quotient a/b of 1 + <., r> at q and p.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, diff, exp, log

from fltheory.proof.language import Apply, Ball, Cases, Combine, Given, Known, Rising, Step, Theorem, Witness, eq, le
from fltheory.proof.terms import Dot, Fun, Grad, Val, Vector, family
from proofs_checks.aaggff.facts import P, Q, a, b

PLACE = "Lemma A.10"
gamma, delta = Symbol("gamma", positive=True), Symbol("delta", positive=True)
D, slope, theta, v = (Symbol(name, real=True) for name in ("D", "slope", "theta", "v"))
_ONE_HALF = Rational(1, 2)

# As printed: the quadratic term at the other point --------------------------------------------------------------------

x, y = (Symbol(name, nonnegative=True) for name in "xy")


def _slope(at: Expr) -> Expr:
    """The derivative of -log(1 + x)."""
    return -1 / (1 + at)


_FALSE = le(-log(1 + x) + _slope(x) * (y - x) + delta / 2 * (_slope(y) * (y - x)) ** 2, -log(1 + y))
PRINTED = Theorem(
    "aaggff/A.10",
    _FALSE,
    (
        Given("half", le(2 * delta, 1), "-log(1 + x) is 1-exp-concave"),
        Given("low", le(-_ONE_HALF, delta * _slope(x) * (y - x)), "the window of the lemma"),
        Given("high", le(delta * _slope(x) * (y - x), _ONE_HALF), "the window of the lemma"),
    ),
    (
        Step(
            "1",
            _FALSE,
            Witness({x: 1, y: 0, delta: _ONE_HALF}),
            ("half", "low", "high"),
            expected="REFUTED",
            note="-log 2 + 3/4 is above 0",
        ),
    ),
    expected="REFUTED",
    claim="aaggff/A.10@printed",
    place=PLACE,
    note="with the gradient at y in the square",
)

# Corrected: the gradient at x -----------------------------------------------------------------------------------------

_BELOW = le(1 + v, exp(v - v**2 / 4))
_INSIDE = (Given("low", le(-1, v), "from -1 on"), Given("high", le(v, 1), "up to 1"))
LOG_SQUARE = Theorem(
    "aaggff/log-square",
    _BELOW,
    _INSIDE,
    (Step("1", _BELOW, Ball(((v, -1, 1),), zeros=((v, 0),)), ("low", "high")),),
    place=PLACE,
    note="log(1 + v) <= v - v^2/4 for |v| <= 1",
)
_CHORD = le(exp(theta * P), 1 - theta + theta * exp(P))
CHORD = Theorem(
    "aaggff/exp-chord",
    _CHORD,
    (Given("low", le(0, theta), "a share"), Given("high", le(theta, 1), "a share")),
    (
        Step("far", le(1 + (1 - theta) * P, exp((1 - theta) * P)), Known("exp", (1 - theta) * P)),
        Step("near", le(1 - theta * P, exp(-theta * P)), Known("exp", -theta * P)),
        Step(
            "1",
            _CHORD,
            Combine({"far": theta * exp(theta * P), "near": (1 - theta) * exp(theta * P)}),
            ("far", "near", "low", "high"),
        ),
    ),
    place=PLACE,
    note="exp lies below its chords",
)
_share = 2 * delta / gamma
WINDOW = (
    Given("half", le(2 * delta, gamma), "delta is at most gamma/2"),
    Given("low", le(-_ONE_HALF, delta * slope), "the window of the lemma"),
    Given("high", le(delta * slope, _ONE_HALF), "the window of the lemma"),
)
_CONCAVE = le(exp(-gamma * D), 1 - gamma * slope)
_CURVED = le(slope + delta / 2 * slope**2, D)
_v = -2 * delta * slope
SCALAR = Theorem(
    "aaggff/A.10-scalar",
    _CURVED,
    (Given("concave", _CONCAVE, "the tangent of exp(-gamma f)"), *WINDOW),
    (
        Step("share low", le(0, _share), Combine()),
        Step("share high", le(_share, 1), Combine({"half": 1 / gamma}), ("half",)),
        Step(
            "chord",
            le(exp(-2 * delta * D), 1 - _share + _share * exp(-gamma * D)),
            Apply("aaggff/exp-chord", {theta: _share, P: -gamma * D}),
            ("share low", "share high"),
        ),
        Step(
            "tangent",
            le(exp(-2 * delta * D), 1 + _v),
            Combine({"chord": 1, "concave": _share}),
            ("chord", "concave"),
            note="exp(-2 delta f) is concave as well",
        ),
        Step("v low", le(-1, _v), Combine({"high": 2}), ("high",)),
        Step("v high", le(_v, 1), Combine({"low": 2}), ("low",)),
        Step("square", le(1 + _v, exp(_v - _v**2 / 4)), Apply("aaggff/log-square", {v: _v}), ("v low", "v high")),
        Step("exp", le(exp(-2 * delta * D), exp(_v - _v**2 / 4)), Combine(), ("tangent", "square")),
        Step(
            "log",
            le(-2 * delta * D, _v - _v**2 / 4),
            Apply("aaggff/log", {P: -2 * delta * D, Q: _v - _v**2 / 4}),
            ("exp",),
        ),
        Step("1", _CURVED, Combine({"log": 1 / (2 * delta)}), ("log",)),
    ),
    place=PLACE,
    note="numbers: D = f(y) - f(x), slope = <f'(x), y - x>",
)
f, at, to = family(Fun, "f")(), family(Vector, "x")(), family(Vector, "y")()
_along, _gap = Dot(Grad(f, at), to - at), Val(f, to) - Val(f, at)
_READ = {D: _gap, slope: _along}
_A10 = le(Val(f, at) + _along + delta / 2 * _along**2, Val(f, to))
CORRECTED = Theorem(
    "aaggff/A.10@corrected",
    _A10,
    (
        Given(
            "concave",
            le(exp(-gamma * Val(f, to)), exp(-gamma * Val(f, at)) * (1 - gamma * _along)),
            "f is gamma-exp-concave: exp(-gamma f) lies below its tangent at x",
        ),
        *(Given(h.id, h.relation.at(_READ), h.why) for h in WINDOW),
    ),
    (
        Step(
            "tangent",
            le(exp(-gamma * _gap), 1 - gamma * _along),
            Combine({"concave": exp(gamma * Val(f, at))}),
            ("concave",),
        ),
        Step(
            "scalar",
            le(_along + delta / 2 * _along**2, _gap),
            Apply("aaggff/A.10-scalar", _READ),
            ("tangent", "half", "low", "high"),
        ),
        Step("1", _A10, Combine(), ("scalar",)),
    ),
    claim="aaggff/A.10@corrected",
    place=PLACE,
    note="with the gradient at x in the square; any f, any dimension",
)

# Sharp: the largest curvature -----------------------------------------------------------------------------------------

# ``x`` runs from 0, where each of the first four gaps is 0; ``w`` is another number that is not negative.
w, W, beta = Symbol("w", nonnegative=True), Symbol("W", positive=True), Symbol("beta", positive=True)
PLACE_SHARP = "Lemma A.10, sharp"


def from_zero(name: str, gap: Expr, note: str, *steps: Step, **weights: Expr) -> Theorem:
    """0 <= gap, which is 0 at x = 0 and does not fall: its derivative is a sum of what the steps show and of nothing negative."""
    slope = Step("slope", le(0, diff(gap, x)), Combine(tuple(weights.items())), tuple(s.id for s in steps))
    start = Step("start", le(0, gap.xreplace({x: Integer(0)})), Combine())
    last = Step("last", le(0, gap), Rising(x), ("start", "slope"))
    return Theorem(name, le(0, gap), (), (start, *steps, slope, last), place=PLACE_SHARP, note=note)


LESS = from_zero("aaggff/curvature-1", x**2 - 2 * x + 2 * log(1 + x), "the curvature allowed is at most 1")
_FALL = 2 * x - 2 * log(1 + x) - x**2 / (1 + x)
FALL = from_zero("aaggff/curvature-slope", _FALL, "why it falls as the range grows")
_ORDER = (w - log(1 + w)) * (w + x) ** 2 - (w + x - log(1 + w + x)) * w**2
ORDER = from_zero(
    "aaggff/curvature-falls",
    _ORDER,
    "(w - log(1 + w))/w^2 falls: here from w to w + x",
    Step("fall", le(0, _FALL.xreplace({x: w})), Apply("aaggff/curvature-slope", {x: w})),
    fall=w + x,
)
_OTHER = log(1 + x) - x / (1 + x) - x**2 / (2 * (1 + x) ** 2)
OTHER = from_zero("aaggff/curvature-down", _OTHER, "towards a worse point: -log(1 - u) >= u + u^2/2 at u = x/(1 + x)")


def star(size: Expr) -> Expr:
    """beta*(V), as the catalogue has it."""
    return 2 * (size - log(1 + size)) / size**2


_u = (b - a) / b
SHARP_STATEMENT = le(_u + beta / 2 * _u**2, log(b) - log(a))
FAR = Given("far", le(a, (1 + W) * b), "1 + <., r> is at most 1 + V times as large at another point")
CURVED = Given("curved", le(beta, star(W)), "the curvature that V allows")
_UP, _DOWN = (le(b, a),), (le(a, b),)
SHARP = Theorem(
    "aaggff/curvature",
    SHARP_STATEMENT,
    (FAR, CURVED),
    (
        Step("log", eq(log(a / b), log(a) - log(b)), Apply("aaggff/log-quotient")),
        Step("away", le(0, (a - b) / b), Combine({"assumed 1": 1 / b}), assuming=_UP),
        Step("room", le(0, W - (a - b) / b), Combine({"far": 1 / b}), ("far",)),
        Step(
            "order",
            le(0, (-_u - log(a / b)) * W**2 - (W - log(1 + W)) * _u**2),
            Apply("aaggff/curvature-falls", {w: (a - b) / b, x: W - (a - b) / b}),
            ("away", "room"),
            assuming=_UP,
        ),
        Step(
            "up",
            SHARP_STATEMENT,
            Combine({"order": 1 / W**2, "log": -1, "curved": _u**2 / 2}),
            ("order", "log", "curved"),
            assuming=_UP,
        ),
        Step("less", le(0, W**2 - 2 * W + 2 * log(1 + W)), Apply("aaggff/curvature-1", {x: W})),
        Step("one", le(beta, 1), Combine({"curved": 1, "less": 1 / W**2}), ("curved", "less")),
        Step("back log", eq(log(b / a), log(b) - log(a)), Apply("aaggff/log-quotient", {a: b, b: a})),
        Step("back", le(0, (b - a) / a), Combine({"assumed 1": 1 / a}), assuming=_DOWN),
        Step(
            "back order",
            le(0, log(b / a) - _u - _u**2 / 2),
            Apply("aaggff/curvature-down", {x: (b - a) / a}),
            ("back",),
            assuming=_DOWN,
        ),
        Step(
            "down",
            SHARP_STATEMENT,
            Combine({"back order": 1, "back log": -1, "one": _u**2 / 2}),
            ("back order", "back log", "one"),
            assuming=_DOWN,
        ),
        Step("1", SHARP_STATEMENT, Cases(), ("up", "down")),
    ),
    claim="aaggff/A.10@sharpened",
    place=PLACE_SHARP,
    note="-log(1 - u) >= u + beta/2 u^2 for u >= -V and beta <= beta*(V)",
)
_AT_END = {a: 1 + W, b: Integer(1)}
_NEEDED = le(beta, star(W))
NEEDED = Theorem(
    "aaggff/curvature-needed",
    _NEEDED,
    (Given("holds", SHARP_STATEMENT.at(_AT_END), "the inequality at the far end, u = -V"),),
    (Step("1", _NEEDED, Combine({"holds": 2 / W**2}), ("holds",)),),
    claim="aaggff/A.10-only@sharpened",
    place=PLACE_SHARP,
    note="no larger beta will do",
)

THEOREMS = (PRINTED, LOG_SQUARE, CHORD, SCALAR, CORRECTED, LESS, FALL, ORDER, OTHER, SHARP, NEEDED)
