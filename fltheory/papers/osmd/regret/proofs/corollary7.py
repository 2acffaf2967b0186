"""Corollary 7 as printed, by second moments of the counts: the one-line proof of the paper gives twice as much.

``x`` is eta Q, with Q = M^3 A/(K alpha^3); at the rate (20) its square times T is 2 log M + 4 beta log(M/alpha).
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, diff, exp, log

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, GROWS, LAMBDA, SQUARE
from fltheory.papers.osmd.notation import TV, A, K, M, T, a2, alpha, beta, eta
from fltheory.papers.osmd.regret.proofs import paths
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, from_uniform, gain, n, t, total_move
from fltheory.papers.osmd.regret.proofs.regret import (BANDIT, COMPARATOR, CONDITIONS, P13_SHARP, REGRET, both, count,
    feedback, largest, logP, logQ, seen, shifts)
from fltheory.papers.osmd.regret.proofs.theorem6 import LOG
from fltheory.proof import Given, Step, by, eq, le, line, proof, statement_of
from fltheory.proof.facts.notation import EACH, P, Q, j, m, theta, whole, x
from fltheory.proof.facts.notation import logq as q1
from fltheory.proof.terms import E, Total

PLACE = "Corollary 7"
X = Symbol("x", positive=True)

# Scalars ----------------------------------------------------------------------------------------------------------------

_f = theta**2 * (exp(x) - 1 - x) - (exp(theta * x) - 1 - theta * x)
CURVE = (
    proof("osmd/curve", PLACE, note="(e^y - 1 - y)/y^2 grows with y")
    .given("high", le(theta, 1), "a share")
    .step("order", le(theta * x, x), by.linear("high"))
    .step("exp", by.apply(GROWS, {P: theta * x, Q: x}))
    .step("second", le(0, diff(_f, x, 2)), by.linear("exp"))
    .step("slope at 0", le(0, diff(_f, x).xreplace({x: Integer(0)})), by.linear())
    .step("slope", le(0, diff(_f, x)), by.derivative(x, "slope at 0", "second"))
    .step("at 0", le(0, _f.xreplace({x: Integer(0)})), by.linear())
    .qed(le(exp(theta * x) - 1 - theta * x, theta**2 * (exp(x) - 1 - x)), by.derivative(x, "at 0", "slope"))
)

_g = x**2 * exp(x) / 2 - (exp(x) - 1 - x)
HALF = (
    proof("osmd/half-square", PLACE)
    .step("slope at 0", le(0, diff(_g, x).xreplace({x: Integer(0)})), by.linear())
    .step("second", le(0, diff(_g, x, 2)), by.linear())
    .step("slope", le(0, diff(_g, x)), by.derivative(x, "slope at 0", "second"))
    .step("at 0", le(0, _g.xreplace({x: Integer(0)})), by.linear())
    .qed(le(exp(x) - 1 - x, x**2 * exp(x) / 2), by.derivative(x, "at 0", "slope"))
)

ell, b, v = Symbol("ell", positive=True), Symbol("b", nonnegative=True), Symbol("v", nonnegative=True)
REST = (
    proof("osmd/C7-rest", PLACE, note="where 1/8 does not suffice, second moments do")
    .given("tuned", eq(T * x**2, 2 * ell + 4 * b), "the rate (20)")
    .given("small", le(b, (Rational(1, 2) - 2 * alpha) * ell), "the comparator hardly moves")
    .given("v", le(v, alpha**2 / M), "second moments of the counts")
    .given("log", eq(exp(ell), M), "ell = log M")
    .step("share", le(alpha, Rational(1, 4)), by.linear("small"))
    .step("rounds", le(x**2, T * x**2), by.linear())
    .step("square", le(x**2, 4 * ell), by.linear("rounds", "tuned", "small"))
    .step("mean", by.apply(SQUARE, {P: x / 2, Q: 1}))
    .step("x", le(x, 1 + ell), by.linear("mean", "square"))
    .step("exp", le(exp(x), exp(1 + ell)), by.apply(GROWS, {P: x, Q: 1 + ell}))
    .step("e", le(exp(Integer(1)), 4), by.ball(()))
    .step("grown", le(exp(x), 4 * M), by.linear("exp", "e", "log"))
    .step("half", by.apply(HALF))
    .step("halves", le(T * (exp(x) - 1 - x) * v, (ell + 2 * b) * exp(x) * v), by.linear("half", "tuned"))
    .qed(le(T * (exp(x) - 1 - x) * v, alpha * ell + b),
        by.linear(halves=1, grown=(ell + 2 * b) * v, v=4 * M * (ell + 2 * b), share=4 * alpha * (ell + 2 * b) + 2 * b),
        name="last")
)

# Second moments ------------------------------------------------------------------------------------------------------------

SIZE = Given("size", eq(X, eta * bounds.Q), "x = eta Q")
BOUNDED = Given("bounded", le(largest(t), A, ROUNDS), "A5: no feedback is above A")
_second = feedback(t, m) ** 2 * exp(-4 * logP(t, m))
_pairs = feedback(t, m) ** 2 * exp(-3 * logP(t, m))
SQUARED = Given("squared",
    eq(E(feedback(t, m) ** 2 * count(t, m) ** 2 * exp(-5 * logP(t, m))), K * E(_second) + K * (K - 1) * E(_pairs),
        ROUNDS, EACH), "given the past and a^t, the squared count has mean K p (1 + (K - 1) p)")
VARIANCE = alpha**2 / (M * K) + (K - 1) * alpha**3 / (K * M**2)
_curve = (exp(X) - 1 - X) / X**2
_gain = gain(seen, logP, t, m)
_all_two = Total(whole(exp(logP(t, j)) * gain(seen, logP, t, j) ** 2), t, 1, T)
_begin, _moved = from_uniform(logQ), total_move(logQ, T)
MOMENTS_LIMIT = (E(_begin) + LAMBDA * E(_moved) + T * (exp(X) - 1 - X) * VARIANCE) / eta
_paths = {paths.v(t, m): seen(t, m), paths.logp(t, m): logP(t, m), paths.logq(t, m): logQ(t, m), paths.shift(t): shifts(t)}
_SLOPES = P13_SHARP.steps[:5]  # the gains' slopes, as there


def _high(power: int, name: str) -> tuple[Step, ...]:
    """Bound squared feedback over a power of the probability."""
    term = feedback(t, m) ** 2 * exp(-power * logP(t, m))
    limit = A**2 * (M / alpha) ** power
    return (
        line(f"{name} power", le(exp(-logP(t, m)) ** power, (M / alpha) ** power, ROUNDS, EACH),
            by.power(power, "zero", "inverse")),
        line(f"{name} each", le(term, limit, ROUNDS, EACH), by.linear("feedback", f"{name} power")),
        line(f"{name} mean", le(E(term), limit, ROUNDS, EACH), by.expectation(f"{name} each")),
    )


MOMENTS = (
    proof("osmd/C7-moments", PLACE, unused=("c2",), note="E N^2 = K p (1 + (K - 1) p) in place of Hoeffding's lemma")
    .under(*BANDIT, *COMPARATOR, BOUNDED, SQUARED, SIZE, *CONDITIONS)
    .steps(*_SLOPES)
    .step("gain high", le(_gain / X, 1, ROUNDS, EACH), by.linear("slope", "bounded", "size"))
    .step("curve", by.apply(CURVE, {theta: _gain / X, x: X}))
    .step("tangent", by.fact("exp", X))
    .step("sign", le(0, _curve), by.linear("tangent"))
    .step("paths",
        by.apply(paths.MOMENT, {**_paths, paths.curve: _curve}, "start", "sum p", "next", "sum q", "floor", "curve",
            "sign"))
    .step("path", by.instance({n: T}, "paths"))
    .step("mean", by.expectation("path"))
    .step("own", eq(*both(logP)), by.sum_over((m, t), "mean p"))
    .step("other", eq(*both(logQ)), by.sum_over((m, t), "mean q"))
    .step("feedback", le(feedback(t, m), A, ROUNDS, EACH), by.linear("largest", "bounded"))
    .steps(*_high(4, "second"), *_high(3, "pair"))
    .step("moment",
        le(E(feedback(t, m) ** 2 * count(t, m) ** 2 * exp(-5 * logP(t, m))),
            K * A**2 * (M / alpha) ** 4 + K * (K - 1) * A**2 * (M / alpha) ** 3, ROUNDS, EACH),
        by.linear({"squared": 1, "second mean": K, "pair mean": K * (K - 1)}))
    .step("moments",
        le(Total(whole(E(feedback(t, j) ** 2 * count(t, j) ** 2 * exp(-5 * logP(t, j)))), t, 1, T),
            T * M * (K * A**2 * (M / alpha) ** 4 + K * (K - 1) * A**2 * (M / alpha) ** 3)),
        by.sum_over((m, t), "moment"))
    .step("spread", le(E(_all_two), T * X**2 * VARIANCE), by.linear("moments", "size"))
    .qed(le(REGRET, MOMENTS_LIMIT), by.linear("mean", "own", "other", "spread", "sign"), name="last")
)

# Corollary 7 ----------------------------------------------------------------------------------------------------------------

RATE = Given("rate", eq(eta, bounds.ETA), "the rate (20)")
C7_STATEMENT, C7_CONDITIONS = statement_of(bounds.C7, REGRET, {TV: E(_moved)})
_b = beta * LAMBDA
_b_value = log(M) + 2 * _b  # (eta Q)^2 T/2
TUNED = (
    proof("osmd/C7-rate", "Corollary 7", note="at the rate (20) the value of (21) is (log M + 2 beta log(M/alpha))/eta")
    .under(RATE, C7_CONDITIONS[0])
    .step("square", eq(eta**2 * bounds.Q**2 * T, 2 * log(M) + 4 * _b),
        by.linear({"rate": (eta + bounds.ETA) * bounds.Q**2 * T}, "c1"), note="log(M/alpha) is not negative")
    .step("zero", le(0, (T * eta * bounds.Q / 2) ** 2), by.linear())
    .step("under", le((T * eta * bounds.Q / 2) ** 2, T * bounds.Q_BETA), by.linear("square"))
    .step("root", by.power(Rational(1, 2), "zero", "under"))
    .qed(le(_b_value / eta, bounds.C7_VALUE), by.linear("root", "square"), name="last")
)

COMMON = tuple(h for h in (*BANDIT, *COMPARATOR))
COMMON_IDS = tuple(h.id for h in COMMON)
C7_GIVEN = (*COMMON, BOUNDED, *C7_CONDITIONS)
_BEGIN = (
    line("first sum", eq(whole(exp(logQ(1, j))), 1), by.instance({t: 1}, "sum q")),
    line("first floor", le(FLOOR, exp(logQ(1, m)), EACH), by.instance({t: 1}, "floor")),
    line("begin", le(_begin, (1 - alpha) * log(M)),
        by.apply("osmd/start", {q1(m): logQ(1, m)}, "first sum", "first floor")),
    line("mean begin", le(E(_begin), (1 - alpha) * log(M)), by.expectation("begin")),
    *LOG,
    line("log sign", le(0, LAMBDA), by.linear("log")),
)
AT_ANY_RATE = (
    proof("osmd/C7-any-rate", PLACE, note="Proposition 13 with its sharp constants, at any rate").under(*C7_GIVEN)
    .step("sharp", by.apply(P13_SHARP))
    .steps(*_BEGIN[:-1])
    .step("square", le(largest(t) ** 2, A**2, ROUNDS), by.linear("bounded"))
    .step("squares", le(Total(largest(t) ** 2, t, 1, T), T * A**2), by.sum_over(t, "square"))
    .step("mean squares", by.expectation("squares"))
    .qed(le(REGRET, ((1 - alpha) * log(M) + _b) / eta + eta * bounds.Q**2 * T / 8),
        by.linear(
            {"sharp": 1, "mean begin": 1 / eta, "c3": LAMBDA / eta, "mean squares": eta * M**6 / (8 * K**2 * alpha**6)},
            "log"), name="last")
)

_x = eta * bounds.Q
_SQUARE = eq(eta**2 * bounds.Q**2 * T, 2 * log(M) + 4 * _b)
_C7_AT = le(REGRET, _b_value / eta)
_few, _many = (le((Rational(1, 2) - 2 * alpha) * log(M), _b),), (le(_b, (Rational(1, 2) - 2 * alpha) * log(M)),)
_AT_RATE = le(REGRET, MOMENTS_LIMIT.xreplace({X: _x}))
_SECOND = (
    line("moments", _AT_RATE, by.apply(MOMENTS, {X: _x}, *COMMON_IDS, "bounded", "squared", "c1", "c2"),
        note="second moments of the counts"),
)
C7 = (
    proof("osmd/C7", PLACE, of="osmd/C-C7@printed", bound=bounds.C7, reading={TV: E(_moved)},
        note="as printed, though Theorem 6 gives twice as much at this rate")
    .under(*C7_GIVEN, SQUARED, RATE)
    .step("any rate", by.apply(AT_ANY_RATE))
    .steps(*_BEGIN)
    .step("square", _SQUARE, by.linear(rate=(eta + bounds.ETA) * bounds.Q**2 * T))
    .step("moving", _C7_AT, by.linear("any rate", "square"), assuming=_few,
        note="a comparator that moves enough, or alpha >= 1/4")
    .steps(*_SECOND)
    .step("log M", by.fact("exp", -log(M)))
    .step("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c2"))
    .step("room", le(FLOOR, 1), by.linear("c1"))
    .step("variance", le(VARIANCE, alpha**2 / M), by.linear(room=(K - 1) * alpha**2 / (K * M)))
    .step("rest", by.apply(REST, {x: _x, ell: log(M), b: _b, v: VARIANCE}, "square", "variance", "clients", "log sign"),
        assuming=_many)
    .step("still", _C7_AT, by.linear({"moments": 1, "mean begin": 1 / eta, "c3": LAMBDA / eta, "rest": 1 / eta}, "log"),
        assuming=_many)
    .step("both", by.cases("moving", "still"))
    .step("value", by.apply(TUNED))
    .qed(C7_STATEMENT, by.linear("both", "value"), name="last")
)
C7_EXPLICIT_STATEMENT, _ = statement_of(bounds.C7_EXPLICIT, REGRET, {TV: E(_moved)})
C7_EXPLICIT = (
    proof("osmd/C7@explicit", PLACE, of="osmd/C-C7@explicit", bound=bounds.C7_EXPLICIT, reading={TV: E(_moved)})
    .under(*C7.hypotheses)
    .step("1", by.apply(C7, *COMMON_IDS, "bounded", "squared", "rate", "c1", "c2", "c3"))
    .steps(*LOG)
    .step("log sign", le(0, LAMBDA), by.linear("log"))
    .step("root", by.apply(TUNED))
    .step("sign", le(0, bounds.C7_VALUE), by.linear("root", "log sign"))
    .qed(C7_EXPLICIT_STATEMENT, by.linear("1", "sign"))
)
_direct = bounds.P13.expr.xreplace({TV: beta, a2: T * A**2, eta: bounds.ETA})
DIRECTLY = proof(
    "osmd/C7-directly",
    "Corollary 7",
    recorded="REFUTED",
    note="'follows directly': what Theorem 6 says at the rate (20) is at most (21)",
).qed(le(_direct, bounds.C7_VALUE), by.counterexample({M: 2, K: 1, T: 1, A: 1, alpha: 1, beta: 0}),
    note="it is twice as much")

THEOREMS = (CURVE, HALF, REST, MOMENTS, TUNED, AT_ANY_RATE, C7, C7_EXPLICIT, DIRECTLY)
