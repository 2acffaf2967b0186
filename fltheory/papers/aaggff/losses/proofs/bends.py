"""Lemmas A.1, A.5, A.9 to A.12, steps of Lemma 4.1's proof, by claim: curvature of losses and quadratic functions."""

from __future__ import annotations

from dataclasses import replace

from sympy import Abs, Max, Rational, Symbol, diff, exp, log

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses.proofs import curvature
from fltheory.papers.aaggff.losses.proofs.curvature import x
from fltheory.papers.aaggff.losses.proofs.facts import LOG_OF, QUOTIENT, SLOPE, P, a, b, c, j, whole
from fltheory.papers.aaggff.losses.proofs.lemmas import share
from fltheory.papers.aaggff.losses.proofs.lipschitz import O_HIGH, P_LOW, Q_HIGH, S_LOW, SETTING, average, o, p, q, r, s
from fltheory.papers.aaggff.notation import C1, C2, beta
from fltheory.papers.aaggff.unification.proofs import plain
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Given, Theorem, by, eq, le, line, lt, proof
from fltheory.proof.terms import Positive, family

MIXED = (
    Given("mixed", eq(c, share * a + (1 - share) * b), "1 + <., r> is affine: between a at p and b at q"),
    Given("part", le(share, 1), "a part of the way"),
)

# Lemma A.1, A.9: the loss ---------------------------------------------------------------------------------------------------

_CHAIN, _STATED = tied("A.1@corrected", -log(c) + share * log(a) + (1 - share) * log(b))
CONVEX = (
    _CHAIN.under(*MIXED)
    .step("known", le(-log(c), -share * log(a) - (1 - share) * log(b)), by.apply("aaggff/A.1-convex", "mixed", "part"))
    .qed(_STATED, by.linear("known"))
)
_CHAIN, _STATED = tied("A.9@printed", share * exp(log(a)) + (1 - share) * exp(log(b)) - exp(log(c)))
AFFINE = _CHAIN.under(replace(MIXED[0], supposed=True)).qed(_STATED, by.linear("mixed"))

power, theta = Symbol("power", positive=True), curvature.theta


def powered(claim: str, below: bool) -> Theorem:
    """Prove that exp(-power loss) is below its tangents for powers up to 1 and above them for larger powers."""
    chain, said = tied(claim, share * exp(power * log(a)) + (1 - share) * exp(power * log(b)) - exp(power * log(c)))
    sign, at = (1, exp(power * log(c))) if below else (-1, power * exp(power * log(c)))
    share_of, scale = (power, 1) if below else (1 / power, power)
    chain = chain.under(*MIXED, Given("power", le(power, 1) if below else le(1, power), "the power of exp(-loss)"))
    chain = chain.step("low", le(0, share_of), by.linear()).step("high", le(share_of, 1), by.linear("power"))
    for name, end in (("at a", a), ("at b", b)):
        way = scale * (log(end) - log(c))
        chain = chain.step(name, by.apply(curvature.CHORD, {theta: share_of, P: way}))
    return chain.qed(
        said,
        by.linear(
            {"at a": at * share, "at b": at * (1 - share), "mixed": -sign * power * exp(power * log(c)) / c}, "part"
        ),
    )


POWERS = (powered("A.9@strengthened", True), powered("A.9-only@strengthened", False))

_LESS = x - log(1 + x) - x**2 / (2 * (1 + x) ** 2)
LESS = (
    proof("aaggff/A.1-up", "Lemma A.1", note="towards a better point: log(1 + x) <= x - x^2/(2 (1 + x)^2)")
    .step("start", le(0, _LESS.xreplace({x: Rational(0)})), by.linear())
    .step("slope", le(0, diff(_LESS, x)), by.linear())
    .qed(le(0, _LESS), by.derivative(x, "start", "slope"), name="last")
)
top = Symbol("top", positive=True)
_SIDE = le(log(a) - log(c), (a - c) / c - (a - c) ** 2 / (2 * top**2))
_UP, _DOWN = le(c, a), le(a, c)
SIDE = (
    proof("aaggff/A.1-side", "Lemma A.1", note="the logarithm bends by 1/top^2 at least up to top")
    .given("a high", le(a, top), "both numbers are at most the top")
    .given("c high", le(c, top), "the other one too")
    .step("away", le(0, (a - c) / c), by.linear(), assuming=_UP)
    .step("less", by.apply(LESS, {x: (a - c) / c}, "away"), assuming=_UP)
    .step("quotient", eq(log(a / c), log(a) - log(c)), by.apply(QUOTIENT, {b: c}))
    .step("squares a", le(1 / top**2, 1 / a**2), by.linear("a high"))
    .step("squares c", le(1 / top**2, 1 / c**2), by.linear("c high"))
    .step("up", _SIDE, by.linear({"less": 1, "quotient": -1, "squares a": (a - c) ** 2 / 2}), assuming=_UP)
    .step("back", le(0, (c - a) / a), by.linear(), assuming=_DOWN)
    .step("more", by.apply(curvature.OTHER, {x: (c - a) / a}, "back"), assuming=_DOWN)
    .step("back quotient", by.apply(QUOTIENT, {a: c, b: a}))
    .step("down", _SIDE, by.linear({"more": 1, "back quotient": 1, "squares c": (a - c) ** 2 / 2}), assuming=_DOWN)
    .qed(_SIDE, by.cases("up", "down"))
)
_way = family(Positive, "way")()
_IN = (
    P_LOW,
    S_LOW,
    Q_HIGH,
    O_HIGH,
    average("p high", "high", p(j), "sum p"),
    line("s high", le(s, 1 + C2), by.linear("p high", "at p")),
)
_CHAIN, _STATED = tied("A.1@strengthened", (log(c) - share * log(s) - (1 - share) * log(o)) / _way)
_mean = share * s + (1 - share) * o
STRONG = (
    _CHAIN.under(*SETTING[:2], SETTING[3], *SETTING[4:])
    .given("mixed", eq(c, _mean), "1 + <., r> in between")
    .given("part", le(share, 1), "a part of the way")
    .given("way", eq(_way, share * (1 - share) * (s - o) ** 2), "not 0: the returns differ, and the point is inside")
    .steps(*(step for step in _IN if step.id not in ("p low", "s low")))
    .step("c high", le(c, 1 + C2), by.linear({"mixed": 1, "s high": share, "o high": 1 - share}, "part"))
    .step("from s", by.apply(SIDE, {a: s, top: 1 + C2}))
    .step("from o", by.apply(SIDE, {a: o, top: 1 + C2}))
    .qed(
        _STATED,
        by.linear(
            {
                "from s": share / _way,
                "from o": (1 - share) / _way,
                "mixed": (-1 / c + (_mean - c) / (2 * (1 + C2) ** 2)) / _way,
                "way": 1 / (2 * (1 + C2) ** 2 * _way),
            },
            "part",
        ),
    )
)

# Lemma A.10 -----------------------------------------------------------------------------------------------------------------

_u = (s - o) / s
_apart = family(Positive, "square")()
_CURVED = 2 * (log(s) - log(o) - _u) / _apart
SQUARE = Given("square", eq(_apart, _u**2), "<g, q - p>^2, not 0 where the returns differ")
V = bounds.V
_BOTH = (
    P_LOW,
    S_LOW,
    Q_HIGH,
    O_HIGH,
    average("p high", "high", p(j), "sum p"),
    average("q low", "low", q(j), "sum q"),
    line("s high", le(s, 1 + C2), by.linear("p high", "at p")),
    line("o low", le(1 + C1, o), by.linear("q low", "at q")),
)
_CHAIN, _STATED = tied("A.10@strengthened", _CURVED, used=("c1", "c3"))
SHARP = (
    _CHAIN.under(*SETTING, SQUARE)
    .steps(P_LOW, S_LOW, Q_HIGH, O_HIGH)
    .step("range", lt(0, V), by.linear("c1"))
    .step("far", le(o, (1 + V) * s), by.linear("o high", "s low", "range"))
    .step("sharp", by.apply(curvature.SHARP, {a: o, b: s, curvature.W: V, curvature.beta: beta}, "far", "c3", "range"))
    .qed(_STATED, by.linear("sharp", "square"))
)
_CHAIN, _STATED = tied("A.10@corrected", _CURVED, used=("c1", "c3", "c4"))
_SCALAR = {curvature.gamma: Rational(1), curvature.delta: beta, curvature.D: log(s) - log(o), curvature.slope: _u}
WINDOW = (
    _CHAIN.under(*SETTING, SQUARE)
    .steps(*_BOTH)
    .step("range", lt(0, V), by.linear("c1"))
    .step("up", le(s - o, V * s), by.linear({"s high": 1, "o low": 1, "s low": V}, "range"))
    .step("down", le(o - s, V * s), by.linear("o high", "s low", "range"))
    .step("half", le(2 * beta, 1), by.linear("c3"))
    .step("from", le(-Rational(1, 2), beta * _u), by.linear("down", "c4"))
    .step("to", le(beta * _u, Rational(1, 2)), by.linear("up", "c4"))
    .step("concave", le(exp(-(log(s) - log(o))), 1 - _u), by.linear())
    .step("known", by.apply(curvature.SCALAR, _SCALAR))
    .qed(_STATED, by.linear("known", "square"))
)
_FAR = 2 * (log(1 + C1) - log(1 + C2) + ((C2 - C1) / (1 + C1))) * (1 + C1) ** 2 / (C2 - C1) ** 2
_CHAIN, _STATED = tied("A.10-only@strengthened", _FAR, used=("c1", "c3"), note="at the two ends")
ONLY = (
    _CHAIN.step("quotient", eq(1 + V, (1 + C2) / (1 + C1)), by.linear())
    .step("range", lt(0, 1 + V), by.linear("c1"))
    .step("log", by.apply(LOG_OF, {c: 1 + V, a: 1 + C2, b: 1 + C1}, "quotient", "range"))
    .qed(_STATED, by.linear({"c3": 1, "log": 2 * (1 + C1) ** 2 / (C2 - C1) ** 2}, "c1"))
)

# Lemma 4.1: steps of its proof ------------------------------------------------------------------------------------------------

_larger = family(Positive, "larger")()
_AT_P, _AT_Q = Abs(s - o) / s, Abs(s - o) / o
_CHAIN, _STATED = tied("4.1-28@corrected", Abs(log(s) - log(o)) / _larger)
LARGER = (
    _CHAIN.given(
        "larger", eq(_larger, Max(_AT_P, _AT_Q)), "|<g(p), p - q>| and the other: not 0 where the returns differ"
    )
    .step("first", by.apply(plain.LARGER, {plain.x: _AT_P, plain.y: _AT_Q}))
    .step("second", by.apply(plain.LARGER, {plain.x: _AT_Q, plain.y: _AT_P}))
    .step("size", by.fact("abs", s - o))
    .step("size back", by.fact("abs", o - s))
    .step("tangent", le(log(s) - log(o), (s - o) / o), by.apply(SLOPE, {a: s, b: o}))
    .step("tangent back", by.apply(SLOPE, {a: o, b: s}))
    .step("up", le(log(s) - log(o), _larger), by.linear("tangent", "size", "second", "larger"))
    .step("down", le(log(o) - log(s), _larger), by.linear("tangent back", "size back", "first", "larger"))
    .step("both", by.absolute("up", "down"))
    .qed(_STATED, by.linear("both"))
)
_V, _Z = whole(p(j) * r(j)), whole(q(j) * r(j))
_CHAIN, _STATED = tied("4.1-30@corrected", Max(_V, _Z) / s)
HIGHER = (
    _CHAIN.under(*SETTING[:5])
    .steps(P_LOW, S_LOW, Q_HIGH, average("p high", "high", p(j), "sum p"))
    .step("top", by.apply(plain.BOTH, {plain.x: _V, plain.y: _Z, plain.top: C2}))
    .qed(_STATED, by.linear("top", "s low"))
)
THEOREMS = (CONVEX, AFFINE, *POWERS, LESS, SIDE, STRONG, SHARP, WINDOW, ONLY, LARGER, HIGHER)
