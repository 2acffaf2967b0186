"""Theorem 3.5 and S3, S4 from the distribution of a draw: client i with probability p_i, given the past.

Knowledge before a round is any number ``known(t)``: an identity of means for every such number is one of
conditional means. ``noise(t)`` is at most 2 r gamma in absolute value, with conditional variance at most (r gamma)^2/K.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Abs, Expr, Symbol

from fltheory.model.bound import Bound
from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.guarantees.proofs import partial, theorem35
from fltheory.papers.fedcg.guarantees.proofs.partial import (STARRED, G, a, d, gamma, largest, mean, noise, pick, s,
    score, star, v)
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import ROUNDS, left, t
from fltheory.papers.fedcg.notation import K, N, T, delta, eta, n, r, weighted
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling, variance
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, LAW, e, i, p
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, proof
from fltheory.proof.language import Range
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, Total, family

known, top = family(RandomScalar, "known"), family(RandomNonnegative, "top")
weight = family(RandomNonnegative, "weight")
DRAWS, EARLIER = (d, 0, K - 1), (a, 0, d - 1)
NAMED = tuple(h for h in partial.SCORES if h.id != "ceiling")
DRAWN = next(h for h in NAMED if h.id == "drawn")
A_CLIENT = (
    Given("first client", le(1, pick(t, d), ROUNDS, DRAWS), "a draw is one of the clients,"),
    Given("last client", le(pick(t, d), N, ROUNDS, DRAWS), "counted from 1 to N"),
)
_WHY = "a draw is client i with probability p_i, given all that happened before the draws"
TOP = Given("top", le(gamma(t, i), top(t), ROUNDS, CLIENTS), "no client is farther off than this")


def clients(term: Expr) -> Expr:
    """Return the mean over the clients of a term in i."""
    return Total(p(i) * term, i, 1, N)


def once(now: Expr, name: str = "draw mean", *inner: Range) -> Given:
    """Return the mean of a drawn client's score, given the past."""
    return Given(name, eq(E(now * score(t, pick(t, d))), E(now * mean(t)), ROUNDS, *inner, DRAWS), f"{_WHY}, this too")


def twice(now: Expr) -> tuple[Given, ...]:
    """Return the second moments of the draws of a round, given the past."""
    own = score(t, pick(t, d))
    return (
        Given("draw square", eq(E(now * own**2), E(now * clients(score(t, i) ** 2)), ROUNDS, DRAWS), _WHY),
        Given("draw cross", eq(E(now * mean(t) * own), E(now * mean(t) ** 2), ROUNDS, DRAWS), _WHY),
        Given("draw two", eq(E(now * own * score(t, pick(t, a))), E(now * mean(t) ** 2), ROUNDS, DRAWS, EARLIER),
            "two draws of a round are independent, given all that happened before the draws"),
    )


TWICE = tuple(h.id for h in twice(weight(t)))

# S3: the noise has mean zero, also against the rounds before ---------------------------------------------------------

_DRAWN_SUM = Total(score(t, pick(t, a)) - mean(t), a, 0, K - 1) / K
ONCE = Given("draw mean", eq(E(score(t, pick(t, d))), E(mean(t)), ROUNDS, DRAWS), _WHY)
UNBIASED = (
    proof("fedcg/noise-mean", "Lemma 3.3", note="the noise of a round has the mean 0").under(DRAWN, ONCE)
    .step("noise", by.expectation("drawn"))
    .step("sum", by.sum_over(d, "draw mean"))
    .qed(eq(E(noise(t)), 0, ROUNDS), by.linear("noise", "sum"), name="last")
)
BEFORE = (s, 0, t - 1)
AGAINST = once(noise(s), "draw pairs", BEFORE)
PAIRED = (
    proof("fedcg/noise-pairs", "Lemma 3.3", note="and is uncorrelated with that of earlier rounds")
    .under(DRAWN, AGAINST)
    .step("times", eq(noise(t) * noise(s), noise(s) * _DRAWN_SUM, ROUNDS, BEFORE), by.linear("drawn"))
    .step("noise", by.expectation("times"))
    .step("sum", by.sum_over(d, "draw pairs"))
    .qed(partial.PAIRS.relation, by.linear("noise", "sum"), name="last")
)
S3 = (
    proof("fedcg/S3-drawn", of="fedcg/S3@strengthened", bound=bounds.S3,
        reading={weighted: E(left(partial.mean_gamma))}, note=partial.S3.note)
    .under(*partial.RUN, DRAWN, ONCE)
    .step("unbiased", by.apply(UNBIASED))
    .qed(partial.S3.statement, by.apply(partial.S3), name="last")
)

# The conditional variance --------------------------------------------------------------------------------------------

_GIVEN = (LAW, *(h for h in partial.RUN if h.id in ("mean", "rank", "near")), TOP, *NAMED)
_S, _A = Total(v(t, i, e) * G(t, e, 0), e, 1, n), clients(Total(v(t, i, e) * G(t, e, 0), e, 1, n))
_DRAWN_MEAN = Total(score(t, pick(t, d)), d, 0, K - 1) / K - mean(t)
_SPREAD = clients((score(t, i) - mean(t)) ** 2)


def of_variance(own: Expr, most: Expr, known: str) -> tuple[Step, ...]:
    """Prove a bound on the variance of the noise from the bound ``known`` on that of one draw of the scores ``own``."""
    average = clients(own)
    return (
        line("named", eq(clients(score(t, i)), average, ROUNDS), by.sum_over(i, "score", weight=p(i))),
        line("off", eq(score(t, i) - mean(t), own - average, ROUNDS, CLIENTS),
            by.linear("score", "score mean", "named")),
        line("squares", eq((score(t, i) - mean(t)) ** 2, (own - average) ** 2, ROUNDS, CLIENTS), by.linear("off")),
        line("spread", eq(_SPREAD, clients((own - average) ** 2), ROUNDS), by.sum_over(i, "squares", weight=p(i))),
        line("small", le(_SPREAD, most, ROUNDS), by.linear("spread", known)),
        line(
            "bound",
            le(E(weight(t) * _DRAWN_MEAN**2), E(weight(t) * most) / K, ROUNDS),
            by.apply(
                variance.VARIANCE_BOUND,
                {
                    sampling.score(i): score(t, i),
                    sampling.pick(sampling.k): pick(t, sampling.k),
                    sampling.MU: mean(t),
                    variance.weight: weight(t),
                    variance.most: most,
                },
                "law",
                "score mean",
                *TWICE,
                "small",
            ),
        ),
        line("noise squared", eq(weight(t) * noise(t) ** 2, weight(t) * _DRAWN_MEAN**2, ROUNDS), by.linear("drawn")),
        line("in the mean", eq(E(weight(t) * noise(t) ** 2), E(weight(t) * _DRAWN_MEAN**2), ROUNDS),
            by.expectation("noise squared")),
    )


VARIANCE = (
    proof("fedcg/noise-variance", "Lemma 3.4", note="the conditional variance of a round's noise")
    .under(*_GIVEN, *twice(weight(t)))
    .step("plain", by.apply(variance.S2_PLAIN, {**STARRED, one.gamma_max: top(t)}))
    .steps(*of_variance(_S, r**2 * top(t) ** 2, "plain"))
    .qed(le(E(weight(t) * noise(t) ** 2), E(weight(t) * r**2 * top(t) ** 2) / K, ROUNDS),
        by.linear("in the mean", "bound"), name="last")
)

# The noise itself ----------------------------------------------------------------------------------------------------

_BEST = Total(star(t, e) * G(t, e, 0), e, 1, n)
_WIDE = 2 * r * top(t)


def _at(relation: Relation, *over: Range) -> Relation:
    return Relation(relation.left, relation.op, relation.right, (ROUNDS, *over))


def at_draws(up: Relation, down: Relation, wide: Expr) -> tuple[Step, ...]:
    """Prove that bounds on every client's score hold for the drawn ones, and for their mean."""
    return (
        line("draw above", _at(up.at({i: pick(t, d)}), DRAWS),
            by.instance({i: pick(t, d)}, "above", "first client", "last client")),
        line("draw below", _at(down.at({i: pick(t, d)}), DRAWS),
            by.instance({i: pick(t, d)}, "below", "first client", "last client")),
        line("all above", le(Total(score(t, pick(t, d)) - mean(t), d, 0, K - 1), K * wide, ROUNDS),
            by.sum_over(d, "draw above")),
        line("all below", le(Total(mean(t) - score(t, pick(t, d)), d, 0, K - 1), K * wide, ROUNDS),
            by.sum_over(d, "draw below")),
        line("up", le(noise(t), wide, ROUNDS), by.linear("drawn", "all above")),
        line("down", le(-noise(t), wide, ROUNDS), by.linear("drawn", "all below")),
    )


_UP, _DOWN = le(score(t, i) - mean(t), _WIDE), le(mean(t) - score(t, i), _WIDE)
RANGE = (
    proof("fedcg/noise-range", "Lemma 3.4",
        note="no draw is further from the mean than 2 r gamma, so neither is their mean")
    .under(*(h for h in _GIVEN if h.id != "mean"), *A_CLIENT)
    .steps(*(step for step in partial.STEPS if step.id in ("own", "other")))
    .step("least", le(_BEST - _WIDE, score(t, i), ROUNDS, CLIENTS),
        by.linear("own", "other", "score best", "rank", "score base", "top", "score"))
    .step("most", le(score(t, i), _BEST, ROUNDS, CLIENTS), by.linear("score best F", "score"))
    .step("least mean", by.sum_over(i, "least", weight=p(i)))
    .step("most mean", by.sum_over(i, "most", weight=p(i)))
    .step("above", _at(_UP, CLIENTS), by.linear("most", "least mean", "score mean", "law"))
    .step("below", _at(_DOWN, CLIENTS), by.linear("least", "most mean", "score mean", "law"))
    .steps(*at_draws(_UP, _DOWN, _WIDE))
    .qed(le(Abs(noise(t)), _WIDE, ROUNDS), by.absolute("up", "down"), name="last")
)

# In units of a number known before the round -------------------------------------------------------------------------

inverse, unit, wide = (
    family(RandomNonnegative, "inverse"),
    family(RandomNonnegative, "unit"),
    Symbol("wide", nonnegative=True),
)


def inverse_of(now: Expr, why: str) -> Given:
    """Return the hypothesis on the inverse of a number that may be 0."""
    return Given("inverse", eq(now**2 * inverse(t), now, ROUNDS), why)


INVERSE = inverse_of(unit(t), "1 over the unit; any number where the unit is 0")
_SHARE = unit(t) * inverse(t)
_PART = (
    line("idempotent", eq(_SHARE**2, _SHARE, ROUNDS), by.linear("inverse"), note="it is 1, or 0"),
    line("square", le(0, (1 - _SHARE) ** 2, ROUNDS), by.apply(algebra.SQUARE, {algebra.X: 1 - _SHARE})),
    line("part", le(_SHARE, 1, ROUNDS), by.linear("square", "idempotent")),
)
UNITS = (
    proof("fedcg/ratio", "proof of Theorem 3.5", note="the noise in units of a number without which there is none")
    .under(INVERSE)
    .given("range", le(Abs(noise(t)), wide * unit(t), ROUNDS), "where the unit is 0 there is no noise")
    .steps(*_PART)
    .step("gone", eq(unit(t) * (1 - _SHARE), 0, ROUNDS), by.linear("inverse"))
    .step("up", by.fact("abs", noise(t)), over=ROUNDS)
    .step("down", by.fact("abs", -noise(t)), over=ROUNDS)
    .step("at most", le(noise(t) * (1 - _SHARE), 0, ROUNDS), by.linear("up", "range", "gone", "part"))
    .step("at least", le(0, noise(t) * (1 - _SHARE), ROUNDS), by.linear("down", "range", "gone", "part"))
    .step("none", by.antisymmetry("at most", "at least"))
    .qed(eq(noise(t), unit(t) * (inverse(t) * noise(t)), ROUNDS), by.linear("none"), name="last")
)
MOMENT = (
    proof("fedcg/ratio-moment", "proof of Theorem 3.5", note="its mean square, from the conditional variance")
    .under(INVERSE)
    .given("variance", le(E(inverse(t) ** 2 * noise(t) ** 2), wide * E(inverse(t) ** 2 * unit(t) ** 2) / K, ROUNDS),
        "the conditional variance, by the square of the unit")
    .steps(*_PART)
    .step("most", le(inverse(t) ** 2 * unit(t) ** 2, 1, ROUNDS), by.linear("idempotent", "part"))
    .step("mean", by.expectation("most"))
    .qed(le(E((inverse(t) * noise(t)) ** 2), wide / K, ROUNDS), by.linear("variance", "mean"), name="last")
)

# Theorem 3.5 ---------------------------------------------------------------------------------------------------------

LARGEST = theorem35.LARGEST
ROUND = (
    LAW,
    *(h for h in partial.RUN if h.id in ("mean", "rank", "near")),
    *LARGEST,
    *NAMED,
    *A_CLIENT,
    *twice(inverse(t) ** 2),
    inverse_of(largest(t), "1/gamma_t, which is known before the draws; any such number where gamma_t is 0"),
)
NEW = tuple(h for h in ROUND if h.id in (*TWICE, "inverse", *(c.id for c in A_CLIENT), *(h.id for h in NAMED)))
OF_UNIT = inverse(t) * noise(t)
RATIO = (
    proof("fedcg/T3.5-ratio", "Theorem 3.5").under(*(h for h in ROUND if h.id not in (*TWICE, "mean")))
    .step("range", by.apply(RANGE, {top(t): largest(t)}))
    .qed(eq(noise(t), largest(t) * OF_UNIT, ROUNDS), by.apply(UNITS, {unit(t): largest(t), wide: 2 * r}), name="last")
)
SMALL = (
    proof("fedcg/T3.5-moment", "Theorem 3.5", note="Lemma 3.4 given the past, in units of the measured gamma")
    .under(*(h for h in ROUND if h not in A_CLIENT))
    .step("variance", by.apply(VARIANCE, {top(t): largest(t), weight(t): inverse(t) ** 2}))
    .step("by gamma", le(E(inverse(t) ** 2 * noise(t) ** 2), r**2 * E(inverse(t) ** 2 * largest(t) ** 2) / K, ROUNDS),
        by.linear("variance"))
    .step("moment", by.apply(MOMENT, {unit(t): largest(t), wide: r**2}))
    .qed(le(E(OF_UNIT**2), 36 * r**2 / K, ROUNDS), by.linear("moment"), name="last", note="36 times less is needed")
)


def with_draws(base: Theorem, name: str, bound: Bound, reading: Mapping[Expr, Expr]) -> Theorem:
    """Prove Theorem 3.5 from the distribution of a draw: the ratio is the noise times the inverse of gamma."""
    kept = tuple(h for h in base.hypotheses if h.id not in ("ratio", "moment"))
    return (
        proof(f"{name}-drawn", of=f"{name}@corrected", bound=bound, reading=reading, failure=delta, note=base.note)
        .under(*kept, *NEW)
        .step("ratio", by.apply(RATIO))
        .step("moment", by.apply(SMALL))
        .qed(base.statement, by.apply(base.id, {theorem35.ratio(t): OF_UNIT}, *(h.id for h in kept), "ratio", "moment"),
            name="last")
    )


T35 = with_draws(theorem35.T35, "fedcg/T3.5", bounds.T35, partial.READING)
T35_TUNED = with_draws(theorem35.T35_TUNED, "fedcg/T3.5-tuned", bounds.T35_TUNED, {**partial.READING, eta: 1 / T})
THEOREMS = (UNBIASED, PAIRED, S3, VARIANCE, RANGE, UNITS, MOMENT, RATIO, SMALL, T35, T35_TUNED)
