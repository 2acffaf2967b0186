"""Exponentials and logarithms: order, tangents, chords."""

from __future__ import annotations

from sympy import diff, exp, log

from fltheory.proof import by, eq, le, proof
from fltheory.proof.facts.notation import EACH, P, Q, j, logp, m, s, simplex, theta, whole, width, x
from fltheory.symbols import n_clients as M

TANGENT = proof("facts/tangent").qed(le(1 + P, exp(P)), by.fact("exp", P))
GROWS = (
    proof("facts/exp", note="exp grows")
    .given("order", le(P, Q), "two numbers")
    .step("1", le(1 + Q - P, exp(Q - P)), by.fact("exp", Q - P))
    .qed(le(exp(P), exp(Q)), by.linear({"1": exp(P), "order": exp(P)}))
)
BACK = (
    proof("facts/log", note="log grows")
    .given("order", le(exp(P), exp(Q)), "two positive numbers")
    .step("1", le(1 + P - Q, exp(P - Q)), by.fact("exp", P - Q))
    .qed(le(P, Q), by.linear({"1": 1, "order": exp(-Q)}))
)
SAME = (
    proof("facts/log-equal", note="log is a function")
    .given("equal", eq(exp(P), exp(Q)), "two positive numbers")
    .step("at most", le(exp(P), exp(Q)), by.linear(equal=1))
    .step("at least", le(exp(Q), exp(P)), by.linear(equal=-1))
    .step("below", le(P, Q), by.apply(BACK))
    .step("above", le(Q, P), by.apply(BACK, {P: Q, Q: P}))
    .qed(eq(P, Q), by.antisymmetry("below", "above"), name="equality")
)
HIGH = (
    proof("facts/log-high").under(simplex("sum", logp))
    .step("0", le(0, exp(logp(j)), (j, 1, M)), by.linear())
    .step("1", le(exp(logp(m)), whole(exp(logp(j))), EACH), by.apply("facts/one", {s(j): exp(logp(j))}, "0"))
    .step("2", le(exp(logp(m)), exp(0), EACH), by.linear("1", "sum"))
    .qed(le(logp(m), 0, EACH), by.apply(BACK, {P: logp(m), Q: 0}), note="no probability is above 1")
)
SQUARE = proof("facts/square").qed(le(4 * P * Q, (P + Q) ** 2), by.polynomial(), note="(P - Q)^2 >= 0")
_mean = 1 - theta + theta * exp(x)
_f = theta * x + x**2 / 8 - log(_mean)
_df, _d2f = diff(_f, x), diff(_f, x, 2)
TWO_POINTS = (
    proof("facts/two-points", note="two values at a distance x, one of them with probability theta")
    .given("low", le(0, theta), "a probability")
    .step("exp", le(1 + x, exp(x)), by.fact("exp", x))
    .step("one", le(1, exp(x)), by.linear("exp"))
    .step("mean", le(1, _mean), by.linear({"one": theta}, "low"), note="no less than 1, so that it has a logarithm")
    .step("mean 2", le(1, _mean**2), by.linear(mean=1 + _mean))
    .step("square", le(4 * theta * (1 - theta) * exp(x), _mean**2), by.apply(SQUARE, {P: theta * exp(x), Q: 1 - theta}),
        note="their difference is the square of theta e^x - (1 - theta)")
    .step("second", le(0, _d2f), by.linear({"square": 1 / (4 * _mean**2)}, "mean", "mean 2"),
        note="a variance on an interval of length 1 is at most 1/4")
    .step("slope at 0", le(0, _df.xreplace({x: 0 * x})), by.linear())
    .step("slope", le(0, _df), by.derivative(x, "slope at 0", "second", "mean"))
    .step("at 0", le(0, _f.xreplace({x: 0 * x})), by.linear())
    .step("log", le(log(_mean), theta * x + x**2 / 8), by.derivative(x, "at 0", "slope", "mean"))
    .step("tangent", le(1 + theta * x + x**2 / 8 - log(_mean), exp(theta * x + x**2 / 8 - log(_mean))),
        by.fact("exp", theta * x + x**2 / 8 - log(_mean)))
    .qed(le(_mean, exp(theta * x + x**2 / 8)), by.linear({"log": _mean, "tangent": _mean}, "mean"), name="last")
)
CHORD = (
    proof("facts/chord", note="exp lies below its chord").under(*TWO_POINTS.hypotheses)
    .given("high", le(theta, 1), "a probability")
    .step("far", le(1 + (1 - theta) * width, exp((1 - theta) * width)), by.fact("exp", (1 - theta) * width))
    .step("near", le(1 - theta * width, exp(-theta * width)), by.fact("exp", -theta * width))
    .qed(le(exp(theta * width), 1 - theta + theta * exp(width)),
        by.linear({"far": theta * exp(theta * width), "near": (1 - theta) * exp(theta * width)}, "low", "high"))
)
