"""The text after Algorithm 4: the size of an answer, between multiples of B |grad F_m|^2, as its claim states it."""

from __future__ import annotations

from dataclasses import replace

from sympy import Integer, Rational, Symbol, exp, sqrt

from fltheory.papers.osmd.fedavg.proofs.drift import EACH
from fltheory.papers.osmd.fedavg.proofs.fedavg import SMOOTH, a, far, own, steps_of
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.notation import B, L, M, g, mu
from fltheory.papers.osmd.notation import b as done
from fltheory.proof import by, eq, le, line, proof
from fltheory.proof.facts.notation import P, Q
from fltheory.proof.terms import E, RandomScalar, Scalar, Total, family, square

PLACE = "text after Algorithm 4"
_ROOT = sqrt(2) * B * mu * L
_SQUARES = ("zero", le(0, _ROOT), by.linear()), ("squares", le(_ROOT**2, 1), by.power(2, "zero", "c2"))

# Upper bound: (45) after the last step --------------------------------------------------------------------------------

one = Symbol("one", integer=True, positive=True)
_start, _line, _c = of("osmd/C-T5scale@corrected", far(one, B) / (mu**2 * B), "upper")
_start = replace(_start, unused=("c1",))
MOST = (
    _start.under(SMOOTH, *steps_of(B), *_c)
    .given("client", le(one, M), "the client; every smooth one, not quadratics alone")
    .given("slope", eq(g**2, E(square(own(one)))), "g is how long its gradient is")
    .step(*_SQUARES[0])
    .step(*_SQUARES[1])
    .step("short", le(2 * (B * mu * L) ** 2, 1), by.linear(squares=1))
    .step("count", le(B, B), by.linear())
    .step("each", by.apply(EACH, {done: B}))
    .step("its own", by.instance({a: one}, "each", "client"))
    .qed(_line, by.linear({"its own": 1 / (mu**2 * B), "slope": -8 * B}))
)

# Lower bound: a quadratic in the coordinates of its curvatures --------------------------------------------------------

e, b, d = (
    Symbol("e", integer=True),
    Symbol("b", integer=True, nonnegative=True),
    Symbol("d", integer=True, positive=True),
)
x, xi = family(RandomScalar, "x"), family(RandomScalar, "xi")
slope, curvature = family(Scalar, "slope"), family(Scalar, "kappa")
_LEFT = 1 / (sqrt(2) * B)
_KEEP = 1 - _LEFT
_LOW = (
    line("count", le(1, B), by.linear()),
    line("root", le(1 / sqrt(2), 1), by.ball(())),
    line("low", le(0, _KEEP), by.linear({"count": 1 / B, "root": 1 / B})),
)
_AXES, _STEPS = (e, 1, d), (b, 0, B - 1)
HALVED = (
    proof("osmd/T5-halved", PLACE, note="(1 - 1/(sqrt(2) B))^B is at most e^(-1/sqrt(2)) < 1/2")
    .steps(*_LOW)
    .step("exp", by.fact("exp", -_LEFT))
    .step("power", by.power(B, "low", "exp"))
    .step("number", le(exp(-1 / sqrt(2)), Rational(1, 2)), by.ball(()))
    .qed(le(_KEEP**B, Rational(1, 2)), by.linear("power", "number"))
)


def _mean(count):
    """Bound below how far the mean of a coordinate has moved against the gradient."""
    return le(mu * slope(e) ** 2 * (1 - _KEEP**count) / _LEFT, -slope(e) * E(x(e, count)), _AXES)


_HALF = mu * B / sqrt(2)
_FAR = E(Total(x(e, B) ** 2, e, 1, d))
_start, _line, _c = of("osmd/C-T5scale@corrected", _FAR / (mu**2 * B), "lower")
_start = replace(_start, unused=("c1",))
LEAST = (
    _start.under(*_c)
    .given(
        "first", eq(x(e, 0), 0, _AXES), "x(e, b): how far coordinate e has moved after b steps; the curvature's axes"
    )
    .given(
        "local",
        eq(x(e, b + 1), x(e, b) - mu * (slope(e) + curvature(e) * x(e, b) + xi(e, b)), _AXES, _STEPS),
        "a local step with a stochastic gradient: that of a quadratic, and noise",
    )
    .given("unbiased", eq(E(xi(e, b)), 0, _AXES, _STEPS), "A3: noise has mean 0")
    .given("smooth", le(curvature(e), L, _AXES), "A1: the curvatures are at most L")
    .given("gradient", eq(Total(slope(e) ** 2, e, 1, d), g**2), "g is how long the gradient is where the round begins")
    .step("left", le(mu * L, _LEFT), by.linear(c2=_LEFT))
    .step("kept", le(_KEEP, 1 - mu * curvature(e), _AXES), by.linear({"left": 1, "smooth": mu}))
    .steps(*_LOW)
    .step("stays", le(0, 1 - mu * curvature(e), _AXES), by.linear("low", "kept"))
    .step("above", le(_KEEP, 1), by.linear())
    .step("powers", by.power(b, "low", "above"))
    .step("less", le(0, 1 - _KEEP**b, _STEPS), by.linear("powers"))
    .step("means", by.expectation("local"))
    .step("begins", by.expectation("first"))
    .step("0", _mean(Integer(0)), by.linear({"begins": slope(e)}))
    .step(
        "next",
        le(_mean(b + 1).left, _mean(b + 1).right, _AXES, _STEPS),
        by.linear(
            {
                "assumed 1": 1 - mu * curvature(e),
                "kept": mu * slope(e) ** 2 * (1 - _KEEP**b) / _LEFT,
                "means": slope(e),
                "unbiased": -mu * slope(e),
            },
            "stays",
            "less",
        ),
        assuming=_mean(b),
    )
    .step("along", le(_mean(b).left, _mean(b).right, _AXES, (b, 0, B)), by.induction(b, "0", "next"))
    .step("last", by.instance({b: B}, "along"))
    .step("halved", by.apply(HALVED))
    .step(
        "square 1",
        le(0, (x(e, B) + _HALF * slope(e)) ** 2, _AXES),
        by.apply("osmd/square", {P: x(e, B), Q: -_HALF * slope(e)}),
    )
    .step("square", by.expectation("square 1"))
    .step(
        "each",
        le(_HALF**2 * slope(e) ** 2, E(x(e, B) ** 2), _AXES),
        by.linear({"square": 1, "last": 2 * _HALF, "halved": 2 * _HALF * mu * slope(e) ** 2 / _LEFT}),
    )
    .step("all", le(_HALF**2 * Total(slope(e) ** 2, e, 1, d), _FAR), by.sum_over(e, "each"))
    .qed(_line, by.linear({"all": 1 / (mu**2 * B), "gradient": -B / 2}))
)

THEOREMS = (MOST, HALVED, LEAST)
