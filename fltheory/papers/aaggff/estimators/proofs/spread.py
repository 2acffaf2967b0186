"""Definition 2.1: bounds on the variance and on the worst client by the gap between the best client and the worst."""

from __future__ import annotations

from sympy import Rational, Symbol

from fltheory.papers.aaggff.losses.proofs.facts import CLIENTS, EACH, i, j, whole
from fltheory.papers.aaggff.notation import K
from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.terms import Scalar, Total, family

PLACE = "Definition 2.1"
x = family(Scalar, "x")
worst, best, mean = (Symbol(name, real=True) for name in ("worst", "best", "mean"))
LOW = Given("low", le(worst, x(i), EACH), "no client is served worse")
HIGH = Given("high", le(x(i), best, EACH), "and none better")
MEAN = Given("mean", eq(mean, whole(x(j)) / K), "the mean performance")

VARIANCE = (
    proof("aaggff/D2.1", PLACE, of="aaggff/D2.1@explicit", note="the variance is at most a fourth of the squared gap")
    .under(LOW, HIGH, MEAN)
    .step("each", le(0, (x(i) - worst) * (best - x(i)), EACH), by.linear("low", "high"))
    .step("all", le(0, whole((x(j) - worst) * (best - x(j)))), by.sum_over(i, "each"))
    .step("square", le(0, (best + worst - 2 * mean) ** 2), by.polynomial())
    .qed(le(whole((x(j) - mean) ** 2) / K, (best - worst) ** 2 * Rational(1, 4)), by.linear("all", "square", "mean"))
)
SHORTFALL = (
    proof("aaggff/D2.1-good", PLACE, of="aaggff/D2.1-good@corrected",
        note="client K being the worst: the others are no better than the best")
    .under(CLIENTS, HIGH, MEAN)
    .given("worst", eq(x(K), worst), "numbers of clients mean nothing")
    .step("others", by.instance({i: i}, "high"), over=(i, 1, K - 1))
    .step("all", le(Total(x(j), j, 1, K - 1), (K - 1) * best), by.sum_over(i, "others"))
    .qed(le(mean - worst, (1 - 1 / K) * (best - worst)), by.linear("all", "mean", "worst", "clients"))
)
THEOREMS = (VARIANCE, SHORTFALL)
