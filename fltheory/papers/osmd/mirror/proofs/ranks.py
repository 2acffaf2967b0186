"""Algorithm 2 by ranks, as Proposition 12's claim states it."""

from __future__ import annotations

from sympy import Integer, Max, Symbol, exp

from fltheory.papers.osmd.mirror.proofs import mirror
from fltheory.papers.osmd.mirror.proofs.closed_forms import _APART, NEAREST
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR
from fltheory.papers.osmd.notation import M
from fltheory.papers.osmd.sampling.proofs import ranks
from fltheory.proof import Given, by, eq, le, line, lt, proof
from fltheory.proof.facts import notation
from fltheory.proof.facts.notation import EACH, divergence, j, logp, logq, logr, m, whole, y
from fltheory.proof.terms import Total

n, low = ranks.n, ranks.least
rest = Symbol("rest", positive=True)
FACTOR = exp(notation.C)


def first(count):
    """Return the sum of the first points."""
    return Total(exp(logp(j)), j, 1, count)


_LEFT = 1 - low * FLOOR
_RUN = (
    Given("sorted", le(exp(logp(j)), exp(logp(m)), EACH, (j, 1, m)), "the points in ascending order"),
    Given("ranks", le(low + 1, M), "m* = low + 1 is a rank"),
    Given("rest", eq(whole(exp(logp(j))) - first(low), rest), "the sum of the points from m* on"),
    Given("passes", lt(FLOOR * rest, exp(logp(low + 1)) * _LEFT), "rank m* passes the test v > u,"),
    Given("fail",
        le(exp(logp(n)) * (1 - (n - 1) * FLOOR), FLOOR * (exp(logp(n)) + whole(exp(logp(j))) - first(n)), (n, 1, low)),
        "and no rank before it: the sum from rank n on is its own point and those after it"),
    Given("factor", eq(FACTOR * rest, _LEFT), "what is left is shared in proportion to the points"),
    Given("floored", eq(exp(logr(m)), FLOOR, (m, 1, low)), "Algorithm 2: a rank below m* gets alpha/M,"),
    Given("shared", eq(exp(logr(m)), FACTOR * exp(logp(m)), (m, low + 1, M)), "the others their shares"),
)
_NEAR = Given(NEAREST.id, le(divergence(logq, logp), divergence(logr, logp)), NEAREST.why)
_UP = Max(FLOOR, FACTOR * exp(logp(m)))
_FORM = eq(exp(logr(m)), _UP, EACH)
_BELOW, _ABOVE = (le(m, low),), (le(low + 1, m),)
IS_FIRST, IS_SECOND = (
    proof(f"osmd/max-is-{name}", "Algorithm 2", note="the larger of two numbers")
    .given("order", le(other, own), "the other one is not larger")
    .qed(eq(Max(ranks.low, ranks.high), own), by.fact("max", Max(ranks.low, ranks.high), "order"))
    for name, own, other in (("first", ranks.low, ranks.high), ("second", ranks.high, ranks.low))
)
_PAIR = {ranks.low: FLOOR, ranks.high: FACTOR * exp(logp(m))}
d = ranks.d
_MORE = (d, 0, M - low - 1)


def _so_far(count):
    """Return the probability of the first clients, without the floor from m* on."""
    return eq(Total(exp(logr(j)), j, 1, low + count), low * FLOOR + FACTOR * (first(low + count) - first(low)))


_RANKS = (
    line("pass", le(FLOOR, FACTOR * exp(logp(low + 1))),
        by.linear({"passes": 1 / rest, "factor": -exp(logp(low + 1)) / rest})),
    line("failed",
        le(exp(logp(low)) * (1 - (low - 1) * FLOOR), FLOOR * (exp(logp(low)) + whole(exp(logp(j))) - first(low)), EACH),
        by.instance({n: low}, "fail"), assuming=_BELOW),
    line("held", le(FACTOR * exp(logp(low)), FLOOR, EACH),
        by.linear({"failed": 1 / rest, "factor": exp(logp(low)) / rest, "rest": FLOOR / rest}), assuming=_BELOW),
    line("order low", le(exp(logp(m)), exp(logp(low)), EACH), by.instance({m: low, j: m}, "sorted", "ranks"),
        assuming=_BELOW),
    line("under", le(FACTOR * exp(logp(m)), FLOOR, EACH), by.linear({"order low": FACTOR, "held": 1}), assuming=_BELOW),
    line("max low", eq(_UP, FLOOR, EACH), by.apply("osmd/max-is-first", _PAIR, "under"), assuming=_BELOW),
    line("at low", eq(exp(logr(m)), FLOOR, EACH), by.instance({m: m}, "floored"), assuming=_BELOW),
    line("low", _FORM, by.linear({"at low": 1, "max low": -1}), assuming=_BELOW),
    line("order high", le(exp(logp(low + 1)), exp(logp(m)), EACH), by.instance({j: low + 1}, "sorted"),
        assuming=_ABOVE),
    line("over", le(FLOOR, FACTOR * exp(logp(m)), EACH), by.linear({"order high": FACTOR, "pass": 1}), assuming=_ABOVE),
    line("max high", eq(_UP, FACTOR * exp(logp(m)), EACH), by.apply("osmd/max-is-second", _PAIR, "over"),
        assuming=_ABOVE),
    line("at high", eq(exp(logr(m)), FACTOR * exp(logp(m)), EACH), by.instance({m: m}, "shared"), assuming=_ABOVE),
    line("high", _FORM, by.linear({"at high": 1, "max high": -1}), assuming=_ABOVE),
    line("next", _FORM, by.cases("low", "high")),
    line("sum low", eq(Total(exp(logr(j)), j, 1, low), low * FLOOR), by.sum_over(m, "floored")),
    line("next shared", eq(exp(logr(low + d + 1)), FACTOR * exp(logp(low + d + 1)), _MORE),
        by.instance({m: low + d + 1}, "shared")),
    line("0", _so_far(Integer(0)), by.linear("sum low")),
    line("more", eq(_so_far(d + 1).left, _so_far(d + 1).right, _MORE), by.linear({"assumed 1": 1, "next shared": 1}),
        assuming=_so_far(d)),
    line("sums", eq(_so_far(d).left, _so_far(d).right, (d, 0, M - low)), by.induction(d, "0", "more")),
    line("sum high", _so_far(M - low), by.instance({d: M - low}, "sums", "ranks")),
    line("sum r", eq(whole(exp(logr(j))), 1), by.linear({"sum high": 1, "rest": FACTOR, "factor": 1})),
)
_start, _line, _c = of("osmd/C-P12@printed", _APART)
RANKED = (
    _start.under(*_RUN, *mirror.OTHER, _NEAR)
    .steps(*_RANKS)
    .qed(_line, by.apply("osmd/P12-same", {y(m): Integer(0)}, "next", "sum r", "sum q", "floor q", "nearest"))
)
# Lemma 19: the gradient of D(x | y) at x has the entries log x - log y
_start, _line, _c = of("osmd/L19@printed", whole((exp(logq(j)) - exp(logr(j))) * (logr(j) - logp(j))))
OPTIMAL = (
    _start.under(*_RUN, *mirror.OTHER)
    .steps(*_RANKS)
    .step(
        "48", by.apply(mirror.OPTIMAL, {notation.C: notation.C, y(m): Integer(0)}, "next", "sum r", "sum q", "floor q")
    )
    .qed(_line, by.linear("48"))
)

THEOREMS = (IS_FIRST, IS_SECOND, RANKED, OPTIMAL)
