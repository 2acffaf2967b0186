"""Appendix C.3: the error of a sample mean, by Hoeffding's lemma, and a sufficient number of samples."""

from __future__ import annotations

from sympy import Abs, Expr, Rational, Symbol, exp, log

from fltheory.papers.fedcg.facts import algebra, tails
from fltheory.papers.fedcg.facts import hoeffding as past
from fltheory.papers.fedcg.notation import K, N, delta, m, n, sigma
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.proof import Given, Step, by, eq, le, line, lt, proof
from fltheory.proof.terms import E, Indicator, Scalar, Total, family

C3 = (
    proof("fedcg/C.3", "Appendix C.3", of="fedcg/C.3@printed", recorded="REFUTED",
        note="the printed tail: a fair coin, one sample, fails with probability 1")
    .given("fails", lt(sigma, Rational(1, 2)), "one fair coin is always off its mean by 1/2")
    .qed(le(1, exp(-m * sigma**2 / 4)), by.counterexample({m: 1, sigma: Rational(49, 100)}, "fails"),
        note="1 against 0.9417")
)
p, i, k = one.p, one.i, past.k  # outcomes 1 to N of a sample, samples from 0
sampled, mean, pick = family(Scalar, "X"), Symbol("mean", real=True), past.pick


def _off(count: Expr, sign: int = 1) -> Expr:
    """Return the sum of the deviations of the first samples from their mean."""
    return Total(sign * (sampled(pick(past.a)) - mean), past.a, 0, count - 1)


off = _off(m)
_rate, _far = 4 * sigma, m * sigma
_within, _up, _down = Indicator(_far - Abs(off)), Indicator(_far + off), Indicator(_far - off)
_MEAN = Given("value", eq(mean, Total(p(i) * sampled(i), i, 1, N)), "f at x: the mean of f(R)")
_RANGE = (
    Given("low", le(0, sampled(i), one.CLIENTS), "f is not negative"),
    Given("high", le(sampled(i), 1, one.CLIENTS), "in units of its largest value"),
)


def _law(sign: int) -> Given:
    """Return the factor of a sample in the exponential moment, on one side."""
    factor = Total(p(i) * exp(-sign * _rate * (sampled(i) - mean)), i, 1, N)
    return Given("sample up" if sign > 0 else "sample down",
        eq(E(exp(-_rate * _off(k + 1, sign))), E(exp(-_rate * _off(k, sign)) * factor), (k, 0, m - 1)),
        "a sample has the value X_i with probability p_i, whatever the samples before it")


def _moment(sign: int) -> tuple[Step, ...]:
    """Bound the exponential moment of the sum of the deviations, on one side, by Hoeffding's lemma."""
    name = "up" if sign > 0 else "down"
    low = 0 if sign > 0 else -1
    return (
        line(f"{name} from", le(low, sign * sampled(i), one.CLIENTS), by.linear("low" if sign > 0 else "high")),
        line(f"{name} to", le(sign * sampled(i), low + 1, one.CLIENTS), by.linear("high" if sign > 0 else "low")),
        line(f"{name} mean", eq(sign * mean, Total(p(i) * sign * sampled(i), i, 1, N)), by.linear("value")),
        line(
            name,
            le(E(exp(-_rate * _off(m, sign))), exp(m * _rate**2 / 8)),
            by.apply(
                past.GIVEN_PAST,
                {
                    past.score(i): sign * sampled(i),
                    past.mean: sign * mean,
                    past.low: low,
                    past.past: 1,
                    past.rate: _rate,
                    past.width: 1,
                    K: m,
                },
                "law",
                f"{name} mean",
                f"{name} from",
                f"{name} to",
                f"sample {name}",
            ),
        ),
    )


_POSITIVE, _NEGATIVE = (le(0, off),), (le(off, 0),)
_BOTH = le(_up + _down - 1, _within)
HOEFFDING = (
    proof("fedcg/C.3@corrected", "Appendix C.3", of="fedcg/C.3@corrected",
        note="the mean of m numbers in [0, 1] is within sigma with probability 1 - 2 exp(-2 m sigma^2)")
    .under(one.LAW, _MEAN, *_RANGE, _law(1), _law(-1))
    .given("error", lt(0, sigma), "an error")
    .steps(*_moment(1), *_moment(-1))
    .step("far", lt(0, _far), by.linear("error"))
    .step("rate", lt(0, _rate), by.linear("error"))
    .step("tail up",
        by.apply(tails.CHERNOFF, {tails.Y: off, tails.c: _far, tails.scale: 1, tails.rate: _rate}, "far", "rate"))
    .step("tail down",
        by.apply(tails.CHERNOFF, {tails.Y: -off, tails.c: _far, tails.scale: 1, tails.rate: _rate}, "far", "rate"))
    .step("self", le(off, off), by.linear())
    .step("other 1", le(-off, off), by.linear(), assuming=_POSITIVE)
    .step("turned", le(-off, -off), by.linear())
    .step("other 2", le(off, -off), by.linear(), assuming=_NEGATIVE)
    .step("size 1", by.absolute("self", "other 1"), assuming=_POSITIVE)
    .step("size 2", le(Abs(off), -off), by.absolute("turned", "other 2"), assuming=_NEGATIVE)
    .step("one up", le(_up, 1), by.fact("indicator", _far + off))
    .step("one down", le(_down, 1), by.fact("indicator", _far - off))
    .step("gap 1", le(_far - off, _far - Abs(off)), by.linear("size 1"), assuming=_POSITIVE)
    .step("gap 2", le(_far + off, _far - Abs(off)), by.linear("size 2"), assuming=_NEGATIVE)
    .step("event 1", by.monotone("gap 1"), assuming=_POSITIVE)
    .step("event 2", by.monotone("gap 2"), assuming=_NEGATIVE)
    .step("both 1", _BOTH, by.linear("event 1", "one up"), assuming=_POSITIVE)
    .step("both 2", _BOTH, by.linear("event 2", "one down"), assuming=_NEGATIVE)
    .step("both", by.cases("both 1", "both 2"))
    .step("outcome", le(1 - exp(-_rate * (_far + off)) - exp(-_rate * (_far - off)), _within),
        by.linear("tail up", "tail down", "both"))
    .step("mean", by.expectation("outcome"))
    .qed(le(1 - 2 * exp(-2 * m * sigma**2), E(_within)), by.linear("mean", "up", "down"))
)
C3_ENOUGH = (
    proof("fedcg/C.3-large", "Appendix C.3", of="fedcg/C.3-large@corrected",
        note="where the printed tail is above Hoeffding's, and so true")
    .given("many", le(Rational(4, 7) * log(2), m * sigma**2), "enough samples")
    .step("order", le(log(2) - 2 * m * sigma**2, -m * sigma**2 / 4), by.linear("many"))
    .step("exp", by.apply(algebra.GROWS, {algebra.X: log(2) - 2 * m * sigma**2, algebra.X2: -m * sigma**2 / 4}))
    .qed(le(2 * exp(-2 * m * sigma**2), exp(-m * sigma**2 / 4)), by.linear("exp"))
)
m_f = Symbol("m_f", positive=True)
number, error = Symbol("number", positive=True), Symbol("error", positive=True)
S8 = (
    proof("fedcg/C.3-samples", "Lemma C.3", of="fedcg/C.3-samples@corrected",
        note="with this many samples Hoeffding's tails of all n coordinates add up to at most delta")
    .given("number", le(m_f**2 / (2 * error**2) * log(2 * n / delta), number), "the number of samples")
    .step("order", le(-2 * number * error**2 / m_f**2, -log(2 * n / delta)), by.linear("number"))
    .step("exp", by.apply(algebra.GROWS, {algebra.X: -2 * number * error**2 / m_f**2, algebra.X2: -log(2 * n / delta)}))
    .qed(le(2 * n * exp(-2 * number * error**2 / m_f**2), delta), by.linear("exp"))
)

THEOREMS = (C3, HOEFFDING, C3_ENOUGH, S8)
