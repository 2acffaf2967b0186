"""S4 from the distribution of a draw, also without noise, if no client differs from the mean."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Integer, Rational, Symbol, log, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.facts import tails
from fltheory.papers.fedcg.guarantees.proofs import partial
from fltheory.papers.fedcg.guarantees.proofs.drawn import A_CLIENT, AGAINST, NAMED, PAIRED, VARIANCE, top, twice, weight
from fltheory.papers.fedcg.guarantees.proofs.partial import (ABOVE, GAINED, PARTS, SHARE, SUM_NOISE, V, ceiling, noise,
    share)
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import ROUNDS, t
from fltheory.papers.fedcg.notation import K, T, delta, eta, r
from fltheory.papers.fedcg.points.proofs.lemmas import LAW
from fltheory.proof import Given, Step, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import E, Indicator, Total

s = tails.s
ANY = Symbol("squares", nonnegative=True)
AT = {partial.SQUARES: ANY}
SOME, NONE = lt(0, ANY), le(ANY, 0)
CEILING = next(h for h in partial.SCORES if h.id == "ceiling")
SUM = Given("ceilings", ABOVE.relation.at(AT), ABOVE.why)
READING = {symbol: ANY if value == partial.SQUARES else value for symbol, value in partial.READING.items()}
MOMENTS = twice(Integer(1))
NOISES = (LAW, *(h for h in partial.RUN if h.id in ("mean", "rank", "near")), *NAMED, CEILING)


def silent(told: Expr, run: Step, top: Callable[[Expr], Expr], times: Expr, **more: Expr) -> tuple[Step, ...]:
    """Prove that the bound holds surely if every ``top`` is 0; |noise| is at most ``times`` * ``top``."""
    event = Indicator(told)
    likely = le(1 - delta, E(event))
    return (
        line("square", le(0, top(s) ** 2, (s, 0, T - 1)), by.linear()),
        line("each ceiling", le(top(t) ** 2, Total(top(s) ** 2, s, 0, T - 1), ROUNDS),
            by.apply(tails.ONE, {tails.term(t): top(t) ** 2}, "square")),
        line("square here", le(0, top(t) ** 2, ROUNDS), by.linear()),
        line("no square", le(top(t) ** 2, 0, ROUNDS), by.linear("each ceiling", "ceilings"), assuming=NONE),
        line("no ceiling", le(top(t), 0, ROUNDS), by.power(Rational(1, 2), "square here", "no square"), assuming=NONE),
        line("size", le(-noise(t), Abs(noise(t)), ROUNDS), by.fact("abs", -noise(t))),
        line("no noise", le(0, noise(t), ROUNDS), by.linear("size", "range", "no ceiling"), assuming=NONE),
        line("shares", le(0, PARTS), by.sum_over(t, "no noise", weight=share(t)), assuming=NONE),
        line("parts", eq(PARTS, SUM_NOISE), by.sum_over(t, "share", weight=noise(t))),
        line("sure", le(0, told), by.linear({run.id: 1, "parts": eta, "shares": eta, **more}), assuming=NONE),
        line("event", eq(event, 1), by.fact("indicator", told, "sure"), assuming=NONE),
        line("in the mean", eq(E(event), E(Integer(1))), by.expectation("event"), assuming=NONE),
        line("none", likely, by.linear("in the mean"), assuming=NONE),
    )


_BOUND = bounds.S4_CHEBYSHEV
_TOLD = statement_of(_BOUND, GAINED - V(T, 0), READING)[0].gap
_RUN = line("run", partial.PATH.statement, by.apply(partial.PATH, *partial.IDS))
_RANGE = line("range", le(Abs(noise(t)), 2 * r * ceiling(t), ROUNDS),
    by.apply("fedcg/noise-range", {top(t): ceiling(t)}, *(h.id for h in (*NOISES, *A_CLIENT) if h.id != "mean")))
CHEBYSHEV = (
    proof("fedcg/S4-chebyshev-drawn", of="fedcg/S4-chebyshev@strengthened", bound=_BOUND, reading=READING,
        failure=delta)
    .under(LAW, *partial.RUN, *NAMED, CEILING, *A_CLIENT, AGAINST, *MOMENTS, SUM, SHARE)
    .step("pairs", by.apply(PAIRED))
    .step("by ceiling",
        by.apply(VARIANCE, {top(t): ceiling(t), weight(t): Integer(1)}, *(h.id for h in (*NOISES, *MOMENTS))))
    .step("variance", partial.VARIANCE.relation, by.linear("by ceiling"))
    .step("some", by.apply(partial.S4_CHEBYSHEV, AT), assuming=SOME)
    .steps(_RUN, _RANGE, *silent(_TOLD, _RUN, ceiling, 2 * r))
    .qed(le(1 - delta, E(Indicator(_TOLD))), by.cases("some", "none"), name="either")
)

# By Hoeffding and Azuma ----------------------------------------------------------------------------------------------

_HOEFFDING = bounds.S4_HOEFFDING
_TOLD_H = statement_of(_HOEFFDING, GAINED - V(T, 0), READING)[0].gap
_WIDE = r * sqrt(2 * log(1 / delta) * ANY / K)
rate = Symbol("rate", nonnegative=True)
RATE = Given("rate", eq(rate * r**2 * ANY, K * _WIDE),
    "what it is that the draws are multiplied with in their exponential moment; any number where the ceilings are 0")
DRAW = Given("draw", partial.DRAW.relation.at({tails.rate: rate}), partial.DRAW.why)
HOEFFDING = (
    proof("fedcg/S4-hoeffding-drawn", of="fedcg/S4-hoeffding@strengthened", bound=_HOEFFDING, reading=READING,
        failure=delta)
    .under(LAW, *partial.RUN, partial.BELOW_ONE, *NAMED, CEILING, *A_CLIENT, SUM, SHARE, RATE, DRAW)
    .step("tangent", by.fact("log", delta))
    .step("log", le(0, log(1 / delta)), by.linear("tangent", "c2"))
    .step("rate here", eq(rate, partial.RATE.xreplace(AT)), by.linear({"rate": 1 / (r**2 * ANY)}, "log"), assuming=SOME)
    .step("draw here", partial.DRAW_AT.relation.at(AT), by.linear({"draw": 1}, "log"), inserting="rate here",
        assuming=SOME)
    .step("some",
        by.apply(partial.S4_HOEFFDING, AT, "law", *partial.IDS, "c2", "ceilings", "share",
            *(h.id for h in (*NAMED, CEILING)), "draw here", "log"), assuming=SOME)
    .step("zero", le(0, 0), by.linear())
    .step("spread", le(0, 2 * log(1 / delta) * ANY / K), by.linear("log"))
    .step("root", by.power(Rational(1, 2), "zero", "spread"))
    .step("wide", le(0, _WIDE), by.linear("root"))
    .steps(_RUN, _RANGE, *silent(_TOLD_H, _RUN, ceiling, 2 * r, wide=eta))
    .qed(le(1 - delta, E(Indicator(_TOLD_H))), by.cases("some", "none"), name="either")
)
THEOREMS = (CHEBYSHEV, HOEFFDING)
