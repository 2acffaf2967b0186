"""S5 for local steps of eta/tau: the effect of the draws is proved from their distribution; deviations may be 0.

``deviation(t)`` is not random and at least r gamma_t + r sigma + r B_t/2 for any draws of earlier rounds.
"""

from __future__ import annotations

from sympy import Integer, Symbol, sqrt

from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.facts import tails
from fltheory.papers.fedcg.guarantees.proofs import partial
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.guarantees.proofs.partial import G, largest, mean, noise, pick, score, share, star
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import left
from fltheory.papers.fedcg.local.proofs import local as local_round
from fltheory.papers.fedcg.local.proofs.local import local, other
from fltheory.papers.fedcg.local.proofs.modes import of_one
from fltheory.papers.fedcg.notation import K, T, delta, deviations, eta, n, r, sigma
from fltheory.papers.fedcg.plus.proofs import theorem43
from fltheory.papers.fedcg.plus.proofs import theorem43_modes as modes
from fltheory.papers.fedcg.plus.proofs.theorem43 import deviation, drift
from fltheory.papers.fedcg.plus.proofs.theorem43_modes import DRAWS, PAIRS, a, k, s, t
from fltheory.papers.fedcg.points.proofs import bases
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling as draws
from fltheory.papers.fedcg.points.proofs import variance as drawn_variance
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, LAW, clients, e, gamma, i, items, p
from fltheory.proof import Given, Step, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.language import with_probability
from fltheory.proof.terms import E, Indicator, Total

# One round ----------------------------------------------------------------------------------------------------------------

_GIVEN = tuple(of_one(h) for h in local_round.SPREAD_GIVEN if h.id != "best F")
LOW = (
    proof("fedcg/L4.2-range-one", "Lemma 4.2", note="the same of one client").under(*_GIVEN)
    .step("reached", by.apply(local_round.S5B, {other(i, e): draws.best(e)}))
    .step("own", le(items(local(i, e) * (one.g(i, e) - one.PARTIAL)), gamma(i) * items(local(i, e))),
        by.sum_over(e, "near", weight=local(i, e)))
    .step("theirs", le(items(draws.best(e) * (one.PARTIAL - one.g(i, e))), gamma(i) * items(draws.best(e))),
        by.sum_over(e, "below", weight=draws.best(e)))
    .qed(le(draws.MOST - (2 * r * one.gamma_max + local_round.ALLOWED), local_round.SCORE),
        by.linear("reached", "own", "theirs", "local rank", "best base", "largest"))
)

# A run ----------------------------------------------------------------------------------------------------------------------

READ = {**theorem43.LOCAL_LETTERS, draws.best(e): star(t, e)}


def named(name: str, *hypotheses: Given) -> tuple[Given, ...]:
    """Return the hypotheses of one round for every round, with a prefix to their names."""
    return tuple(Given(f"{name} {h.id}", h.relation, h.why) for h in full.each_round(*hypotheses, reading=READ))


_SCORE = Total(theorem43.local(t, i, e) * G(t, e, 0), e, 1, n)
_PICKED = score(t, pick(t, k))
NAMED = modes.LAW_OF_DRAWS[:5]  # scores, their mean, the drawn clients
BESTS = (
    *full.each_round(one.LARGEST, draws.BELOW, reading=READ),
    *named("star", local_round._for_each(local_round.CHOSEN)),
    *named("all", local_round.BEST_F, local_round.BEST_BASE),
)
CEILING = Given("ceiling", le(r * largest(t) + r * sigma + r * drift(t) / 2, deviation(t), full.ROUNDS),
    "an upper bound that is no matter of chance")
LAW_OF_DRAWS = (
    Given("square", eq(E(_PICKED**2), E(clients(score(t, i) ** 2)), full.ROUNDS, DRAWS),
        "a draw is client i with probability p_i"),
    Given("cross", eq(E(mean(t) * _PICKED), E(mean(t) ** 2), full.ROUNDS, DRAWS),
        "the same against the mean, which is known before the draws"),
    Given("two", eq(E(_PICKED * score(t, pick(t, a))), E(mean(t) ** 2), full.ROUNDS, *PAIRS),
        "two draws are independent, given what is known before them"),
    Given("before", eq(E(noise(s) * _PICKED), E(noise(s) * mean(t)), full.ROUNDS, (s, 0, t - 1), DRAWS),
        "a draw is client i with probability p_i, given the rounds before"),
)
_OF = ("local rank", "near")
ROUND = (*(h for h in theorem43.RUN if h.id in _OF or h.id.startswith("local ")), *BESTS)
ROUND = tuple(h for h in ROUND if h.id != "local chosen")
ROUND_IDS = tuple(h.id for h in ROUND)
DEVIATIONS = Total(deviation(t) ** 2, t, 0, T - 1)
_WIDE = 2 * r * largest(t) + 2 * r * sigma + r * drift(t)
_MOST = Total(star(t, e) * G(t, e, 0), e, 1, n)
_MEAN_DRAWN = Total(_PICKED, k, 0, K - 1) / K
VARIANCE = (
    proof("fedcg/S5-variance", "Lemma 4.2", note="the variance of a round's noise, whatever was drawn before")
    .under(LAW, *ROUND, *NAMED[:2], NAMED[4], CEILING, *LAW_OF_DRAWS[:3])
    .step("wide", by.apply(local_round.S5A, READ, "law", *ROUND_IDS))
    .steps(*modes.NAMES)
    .step("off squares", eq((score(t, i) - mean(t)) ** 2, (_SCORE - clients(_SCORE)) ** 2, full.ROUNDS, CLIENTS),
        by.linear("off"))
    .step("squares", by.sum_over(i, "off squares", weight=p(i)))
    .step("top", le((_WIDE / 2) ** 2, deviation(t) ** 2, full.ROUNDS), by.linear("ceiling"))
    .step("small", le(clients((score(t, i) - mean(t)) ** 2), deviation(t) ** 2, full.ROUNDS),
        by.linear("wide", "squares", "top"))
    .step(
        "variance",
        le(E((_MEAN_DRAWN - mean(t)) ** 2), deviation(t) ** 2 / K, full.ROUNDS),
        by.apply(
            drawn_variance.VARIANCE_BOUND,
            {
                draws.score(i): score(t, i),
                draws.pick(k): pick(t, k),
                draws.MU: mean(t),
                drawn_variance.weight: Integer(1),
                drawn_variance.most: deviation(t) ** 2,
            },
        ),
    )
    .step("same", eq(noise(t) ** 2, (_MEAN_DRAWN - mean(t)) ** 2, full.ROUNDS), by.linear("drawn"))
    .step("mean", by.expectation("same"))
    .qed(le(E(noise(t) ** 2), deviation(t) ** 2 / K, full.ROUNDS), by.linear("variance", "mean"))
)
_EARLIER = (s, 0, t - 1)
UNCORRELATED = (
    proof("fedcg/S5-pairs", "Lemma 4.1", note="the noise of a round has nothing to do with that of the rounds before")
    .under(NAMED[4], LAW_OF_DRAWS[3])
    .step("each", eq(E(noise(s) * (_PICKED - mean(t))), 0, full.ROUNDS, _EARLIER, DRAWS), by.linear("before"))
    .step("sum", by.sum_over(k, "each"))
    .step("outcome",
        eq(noise(t) * noise(s), noise(s) * Total(_PICKED - mean(t), k, 0, K - 1) / K, full.ROUNDS, _EARLIER),
        by.linear("drawn"))
    .step("mean", by.expectation("outcome"))
    .qed(eq(E(noise(t) * noise(s)), 0, full.ROUNDS, _EARLIER), by.linear("mean", "sum"))
)

# In probability ------------------------------------------------------------------------------------------------------------

READING = {notation.weighted: left(partial.mean_gamma), notation.drift: left(drift), deviations: DEVIATIONS}
CLAIMED = statement_of(bounds.S5, partial.GAINED - partial.V(T, 0), READING)[0]
HOLDS = CLAIMED.gap
_C = sqrt(DEVIATIONS / (K * delta))
_SOME, _NONE = lt(0, DEVIATIONS), le(DEVIATIONS, 0)
_PARTS = partial.PARTS
_CASE = le(1 - delta, E(Indicator(HOLDS)))
GIVEN = (LAW, *theorem43.RUN, *BESTS, *NAMED, CEILING, *LAW_OF_DRAWS, partial.SHARE)
GIVEN_IDS = tuple(h.id for h in GIVEN)


def ids(theorem_given: tuple[Given, ...]) -> tuple[str, ...]:
    """Return the names of hypotheses."""
    return tuple(h.id for h in theorem_given)


WIDE: tuple[Step, ...] = (
    line("some", lt(0, DEVIATIONS / (K * delta)), by.linear(), assuming=_SOME),
    line("root", lt(0, _C), by.apply(tails.POSITIVE, {tails.Z: DEVIATIONS / (K * delta), tails.c: 1}, "some"),
        assuming=_SOME),
    line("sum", le(Total(deviation(t) ** 2 / K, t, 0, T - 1), delta * _C**2), by.linear()),
    line("tail", le(1 - delta, E(Indicator(eta * (_C + _PARTS)))),
        by.apply(partial.MARTINGALE, {partial.variance(t): deviation(t) ** 2 / K, partial.width: _C}, "c1", "pairs",
            "share", "variance", "sum", "root"), assuming=_SOME),
    line("inside", le(eta * (_C + _PARTS), HOLDS), by.linear("run", "parts")),
    line("event", le(Indicator(eta * (_C + _PARTS)), Indicator(HOLDS)), by.monotone("inside")),
    line("probability", le(E(Indicator(eta * (_C + _PARTS))), E(Indicator(HOLDS))), by.expectation("event")),
    line("1", _CASE, by.linear("tail", "probability"), assuming=_SOME),
)
_ROUND_OFF = (
    line("low", le(_MOST - _WIDE, _SCORE, full.ROUNDS, CLIENTS),
        by.apply(LOW, READ, *(i_ for i_ in ROUND_IDS if i_ != "all best F"))),
    *modes.NAMES,
    line("highs", le(clients(_SCORE), clients(_MOST), full.ROUNDS), by.sum_over(i, "all best F", weight=p(i))),
    line("below mean", le(mean(t) - score(t, i), 2 * deviation(t), full.ROUNDS, CLIENTS),
        by.linear("off", "low", "highs", "law", "ceiling")),
    line("drawn below", le(mean(t) - _PICKED, 2 * deviation(t), full.ROUNDS, DRAWS),
        by.instance({i: pick(t, k)}, "below mean", "pick from", "pick to")),
    line("sum below", le(Total(mean(t) - _PICKED, k, 0, K - 1), 2 * K * deviation(t), full.ROUNDS),
        by.sum_over(k, "drawn below")),
)
LOSS = (
    proof("fedcg/S5-loss", "Lemma 4.2", note="no drawn direction is farther below the mean than twice the deviation")
    .under(LAW, *ROUND, *NAMED, CEILING)
    .steps(*_ROUND_OFF)
    .qed(le(-noise(t), 2 * deviation(t), full.ROUNDS), by.linear("drawn", "sum below"))
)
_Z = Symbol("Z", nonnegative=True)
ROOT = proof("fedcg/root-sign", "Theorem 4.3").qed(le(0, sqrt(_Z)), by.linear())
SIGNS = (
    line("squares each", le(0, deviation(t) ** 2, full.ROUNDS), by.linear()),
    line("squares all", le(0, DEVIATIONS), by.sum_over(t, "squares each")),
)
NOTHING: tuple[Step, ...] = (
    line("terms", le(0, deviation(s) ** 2, (s, 0, T - 1)), by.linear()),
    line("part", le(deviation(t) ** 2, DEVIATIONS, full.ROUNDS),
        by.apply(tails.ONE, {tails.term(s): deviation(s) ** 2}, "terms")),
    line("flat", le(deviation(t) ** 2, 0, full.ROUNDS), by.linear("part"), assuming=_NONE),
    line("none", le(deviation(t), 0, full.ROUNDS),
        by.apply(bases.PRODUCT, {bases.X: deviation(t), bases.first: 0, bases.second: 0}, "flat"), assuming=_NONE),
    line("nothing lost", le(-share(t) * noise(t), 0, full.ROUNDS), by.linear("loss", "none"), assuming=_NONE),
    line("all", le(-_PARTS, 0), by.sum_over(t, "nothing lost"), assuming=_NONE),
    line("no width", le(0, _C), by.apply(ROOT, {_Z: DEVIATIONS / (K * delta)}, "squares all")),
    line("spare", le(0, HOLDS), by.linear({"run": 1, "parts": eta, "all": eta, "no width": eta}), assuming=_NONE),
    line("sure", eq(Indicator(HOLDS), 1), by.fact("indicator", HOLDS, "spare"), assuming=_NONE),
    line("mean sure", eq(E(Indicator(HOLDS)), E(Integer(1))), by.expectation("sure"), assuming=_NONE),
    line("2", _CASE, by.linear("mean sure"), assuming=_NONE),
)
SHARP = (
    proof("fedcg/S5-sharp", "Theorem 4.3", note="with probability 1 - delta, whether there is any deviation or none")
    .under(*GIVEN)
    .steps(*SIGNS)
    .step("run", by.apply(theorem43.PATH))
    .step("parts", by.sum_over(t, "share", weight=noise(t)))
    .step("pairs", by.apply(UNCORRELATED))
    .step("variance", by.apply(VARIANCE))
    .step("loss", by.apply(LOSS))
    .steps(*WIDE, *NOTHING)
    .qed(_CASE, by.cases("1", "2"))
)
SCALED = (
    proof("fedcg/S5-scaled@strengthened", "Theorem 4.3", of="fedcg/S5-scaled@strengthened", bound=bounds.S5,
        reading=READING, failure=delta,
        note="local steps of eta/tau: all points are in the polytope, and gradients fall along the steps")
    .under(*GIVEN)
    .steps(*SIGNS)
    .qed(with_probability(CLAIMED, delta), by.apply(SHARP, *GIVEN_IDS, "squares all"))
)

THEOREMS = (LOW, VARIANCE, UNCORRELATED, LOSS, ROOT, SHARP, SCALED)
