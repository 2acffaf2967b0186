"""S5 if every gradient is the mean over m random sets: with probability 1 - delta - delta_est, sigma by S8.

``KEEP`` is 1 in a round whose estimates are all within sigma, else 0. It is known before the clients of the round are
drawn, so that the noise of such rounds is a martingale. If no estimate of the run fails, ``KEEP`` is always 1.
"""

from __future__ import annotations

from sympy import Abs, Integer, Symbol, log, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.estimates.proofs import samples
from fltheory.papers.fedcg.facts import tails
from fltheory.papers.fedcg.guarantees.proofs import partial
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.guarantees.proofs.partial import G, largest, mean, noise, pick, score, share
from fltheory.papers.fedcg.local.proofs import local as local_round
from fltheory.papers.fedcg.local.proofs.local import STEPS, c
from fltheory.papers.fedcg.notation import B, K, N, T, delta, delta_est, eta, m, m_max, n, r, sigma, tau
from fltheory.papers.fedcg.plus.proofs import estimated, theorem43
from fltheory.papers.fedcg.plus.proofs import theorem43_modes as modes
from fltheory.papers.fedcg.plus.proofs import theorem43_strengthened as sharp
from fltheory.papers.fedcg.plus.proofs.estimated import far
from fltheory.papers.fedcg.plus.proofs.theorem43 import deviation, drift
from fltheory.papers.fedcg.plus.proofs.theorem43_modes import DRAWS, PAIRS, a, k, s, t
from fltheory.papers.fedcg.plus.proofs.theorem43_strengthened import DEVIATIONS, HOLDS, READ, READING
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling as draws
from fltheory.papers.fedcg.points.proofs import variance as drawn_variance
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, ITEMS, LAW, clients, i, p
from fltheory.proof import Given, Relation, Step, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.language import with_probability
from fltheory.proof.terms import E, Indicator, Total

e = one.e
KEEP = Indicator(sigma - far(t))
KEPT = KEEP.xreplace({t: s})
EVERY = (full.ROUNDS, CLIENTS, STEPS, ITEMS)
_near, _found = theorem43.near(t, i, c, e), theorem43.found(t, i, c, e)
FAR = (
    Given("far below", le(_near - _found, far(t), *EVERY), "no error of the round is larger"),
    Given("far above", le(_found - _near, far(t), *EVERY), "the same of the other sign"),
)
SCALED = {
    **READ,
    one.g(i, e): KEEP * partial.g(t, i, e),
    one.G(one.k, one.l): KEEP * G(t, one.k, one.l),
    one.gamma(i): KEEP * partial.gamma(t, i),
    one.gamma_max: KEEP * largest(t),
    local_round.near(i, c, e): KEEP * _near,
    local_round.found(i, c, e): KEEP * _found,
    sigma: KEEP * sigma,
    B: KEEP * drift(t),
}
_PICKED = score(t, pick(t, k))
_ERRORS = ("local error below", "local error above")
ROUND = tuple(h for h in sharp.ROUND if h.id not in _ERRORS)
_TIMES = ("local antitone", "local drift", "star chosen", "near", "below", "largest", "all best F")
_SAME = ("local local", "local base", "local rank", "all best base")


def _kept(given: Given) -> Step:
    """Return a hypothesis on a round, multiplied by its ``KEEP``."""
    own = given.relation
    return line(f"k {given.id}", Relation(KEEP * own.left, own.op, KEEP * own.right, own.over), by.linear(given.id))


KEPT_LINES = (
    line("sign", eq(Abs(sigma - far(t)) * KEEP, (sigma - far(t)) * KEEP, full.ROUNDS),
        by.fact("indicator", sigma - far(t))),
    line("size", le(0, Abs(sigma - far(t)), full.ROUNDS), by.linear()),
    line("kept", le(KEEP * far(t), KEEP * sigma, full.ROUNDS), by.linear("sign", "size")),
    line("one", le(KEEP, 1, full.ROUNDS), by.fact("indicator", sigma - far(t))),
    line("k error below", le(KEEP * (_near - _found), KEEP * sigma, *EVERY), by.linear("far below", "kept")),
    line("k error above", le(KEEP * (_found - _near), KEEP * sigma, *EVERY), by.linear("far above", "kept")),
    *(_kept(h) for h in ROUND if h.id in _TIMES),
)
_SCORE = Total(theorem43.local(t, i, e) * G(t, e, 0), e, 1, n)
_WIDE = 2 * r * largest(t) + 2 * r * sigma + r * drift(t)
_MEAN_DRAWN = Total(_PICKED, k, 0, K - 1) / K
LAW_OF_DRAWS = (
    Given("square", eq(E(KEEP**2 * _PICKED**2), E(KEEP**2 * clients(score(t, i) ** 2)), full.ROUNDS, DRAWS),
        "a draw is client i with probability p_i, given the past and all local samples of the round"),
    Given("cross", eq(E(KEEP**2 * mean(t) * _PICKED), E(KEEP**2 * mean(t) ** 2), full.ROUNDS, DRAWS),
        "the same against the mean, which is known before the draws"),
    Given("two", eq(E(KEEP**2 * _PICKED * score(t, pick(t, a))), E(KEEP**2 * mean(t) ** 2), full.ROUNDS, *PAIRS),
        "two draws are independent, given what is known before them"),
    Given("before",
        eq(E(KEPT * noise(s) * KEEP * _PICKED), E(KEPT * noise(s) * KEEP * mean(t)), full.ROUNDS, (s, 0, t - 1), DRAWS),
        "a draw is client i with probability p_i, given the rounds before and all local samples of the round"),
)
_OFF = score(t, i) - mean(t)
VARIANCE = (
    proof("fedcg/S5-estimated-variance", "Lemma 4.2", note="the variance of a round's noise where the round is kept")
    .under(LAW, *ROUND, *FAR, *sharp.NAMED[:2], sharp.NAMED[4], sharp.CEILING, *LAW_OF_DRAWS[:3])
    .steps(*KEPT_LINES)
    .step("wide",
        by.apply(local_round.S5A, SCALED, "law", *_SAME, "k error below", "k error above",
            *(f"k {name}" for name in _TIMES)))
    .steps(*modes.NAMES)
    .step("off squares", eq((KEEP * _OFF) ** 2, (KEEP * (_SCORE - clients(_SCORE))) ** 2, full.ROUNDS, CLIENTS),
        by.linear("off"))
    .step("squares", by.sum_over(i, "off squares", weight=p(i)))
    .step("once", le(KEEP**2, 1, full.ROUNDS), by.linear("one"))
    .step("top", le((KEEP * _WIDE / 2) ** 2, deviation(t) ** 2, full.ROUNDS), by.linear("once", "ceiling"))
    .step("small", le(clients((KEEP * _OFF) ** 2), deviation(t) ** 2, full.ROUNDS), by.linear("wide", "squares", "top"))
    .step("k mean", eq(KEEP * mean(t), clients(KEEP * score(t, i)), full.ROUNDS), by.linear("score mean"))
    .step(
        "variance",
        le(E((KEEP * (_MEAN_DRAWN - mean(t))) ** 2), deviation(t) ** 2 / K, full.ROUNDS),
        by.apply(
            drawn_variance.VARIANCE_BOUND,
            {
                draws.score(i): KEEP * score(t, i),
                draws.pick(k): pick(t, k),
                draws.MU: KEEP * mean(t),
                drawn_variance.weight: Integer(1),
                drawn_variance.most: deviation(t) ** 2,
            },
            "law",
            "k mean",
            "square",
            "cross",
            "two",
            "small",
        ),
    )
    .step("same", eq((KEEP * noise(t)) ** 2, (KEEP * (_MEAN_DRAWN - mean(t))) ** 2, full.ROUNDS), by.linear("drawn"))
    .step("means", by.expectation("same"))
    .qed(le(E((KEEP * noise(t)) ** 2), deviation(t) ** 2 / K, full.ROUNDS), by.linear("variance", "means"))
)
_EARLIER = (s, 0, t - 1)
_PART = KEPT * noise(s) * KEEP * (_PICKED - mean(t))
UNCORRELATED = (
    proof("fedcg/S5-estimated-pairs", "Lemma 4.1", note="the noise of a kept round has nothing to do with that before")
    .under(sharp.NAMED[4], LAW_OF_DRAWS[3])
    .step("each", eq(E(_PART), 0, full.ROUNDS, _EARLIER, DRAWS), by.linear("before"))
    .step("sum", by.sum_over(k, "each"))
    .step("outcome", eq(KEEP * noise(t) * KEPT * noise(s), Total(_PART, k, 0, K - 1) / K, full.ROUNDS, _EARLIER),
        by.linear("drawn"))
    .step("means", by.expectation("outcome"))
    .qed(eq(E(KEEP * noise(t) * KEPT * noise(s)), 0, full.ROUNDS, _EARLIER), by.linear("means", "sum"))
)

# In probability -----------------------------------------------------------------------------------------------------------

_AT = {samples.err: sigma, samples.top: m_max}
FAILS = estimated.FAILS.xreplace(_AT)
INSIDE, OUTSIDE = le(FAILS, 1), lt(1, FAILS)
DRAWN = tuple(Given(h.id, h.relation.at(_AT), h.why) for h in estimated.DRAWN)
WORTH = Given("worth", lt(0, m_max), "some item is worth something")
ERROR = Given("error", lt(0, sigma), "an error")
ALL_TAILS = le(T * N * tau * n * samples.TAIL.xreplace(_AT), delta_est)
_NAMED = (*sharp.NAMED[:2], sharp.NAMED[4])
_RUN = tuple(h for h in theorem43.RUN if h.id not in _ERRORS)
GIVEN = (LAW, *_RUN, *sharp.BESTS, *_NAMED, sharp.CEILING, *LAW_OF_DRAWS, *FAR, partial.SHARE, *DRAWN, *estimated.WORST,
    WORTH)
_C = sqrt(DEVIATIONS / (K * delta))
_PARTS = Total(share(t) * KEEP * noise(t), t, 0, T - 1)
_SAFE = eta * (_C + _PARTS)
_P = Symbol("P", positive=True)
_X = Symbol("X", real=True)
LARGER = (
    proof("fedcg/positive-square", "Theorem 4.3")
    .given("order", le(_P, _X), "no less than a positive number")
    .step("spare", le(0, _X - _P), by.linear("order"))
    .step("positive", lt(0, _P**2), by.linear())
    .qed(lt(0, _X**2), by.linear({"positive": 1, "order": 2 * _P + (_X - _P)}, "spare"))
)
_FIRST = deviation(Integer(0)) / r
WIDTH: tuple[Step, ...] = (
    line("ceiling 0", le(r * sigma, deviation(t), full.ROUNDS), by.linear("ceiling")),
    line("first deviation", le(r * sigma, deviation(Integer(0))), by.instance({t: 0}, "ceiling 0")),
    line("of a rank", le(sigma, _FIRST), by.linear("first deviation")),
    line("first square", lt(0, _FIRST**2), by.apply(LARGER, {_P: sigma, _X: _FIRST}, "of a rank", "error")),
    line("terms", le(0, deviation(s) ** 2, (s, 0, T - 1)), by.linear()),
    line("part", le(deviation(t) ** 2, DEVIATIONS, full.ROUNDS),
        by.apply(tails.ONE, {tails.term(s): deviation(s) ** 2}, "terms")),
    line("first part", le(deviation(Integer(0)) ** 2, DEVIATIONS), by.instance({t: 0}, "part")),
    line("some", lt(0, DEVIATIONS / (K * delta)),
        by.linear({"first square": r**2 / (K * delta), "first part": 1 / (K * delta)})),
    line("root", lt(0, _C), by.apply(tails.POSITIVE, {tails.Z: DEVIATIONS / (K * delta), tails.c: 1}, "some")),
)
_LINES: tuple[Step, ...] = (
    line("far", le(far(t), sigma, full.ROUNDS),
        by.apply(estimated.FAR, _AT, *estimated.WORST_IDS, "inside", "worth", "error"), assuming=INSIDE),
    line("local error below", le(_near - _found, sigma, *EVERY), by.linear("far below", "far"), assuming=INSIDE),
    line("local error above", le(_found - _near, sigma, *EVERY), by.linear("far above", "far"), assuming=INSIDE),
    line("run", theorem43._PATH, by.apply(theorem43.PATH, "law", *theorem43.IDS), assuming=INSIDE),
    line("spare", le(0, sigma - far(t), full.ROUNDS), by.linear("far"), assuming=INSIDE),
    line("all kept", eq(KEEP, 1, full.ROUNDS), by.fact("indicator", sigma - far(t), "spare"), assuming=INSIDE),
    line("kept noise", eq(KEEP * noise(t), noise(t), full.ROUNDS), by.linear("all kept"), assuming=INSIDE),
    line("kept noises", eq(_PARTS, partial.PARTS), by.sum_over(t, "kept noise", weight=share(t)), assuming=INSIDE),
    line("parts", eq(partial.PARTS, partial.SUM_NOISE), by.sum_over(t, "share", weight=noise(t))),
    line("within", le(_SAFE, HOLDS), by.linear({"run": 1, "parts": eta, "kept noises": eta}), assuming=INSIDE),
    line("event", le(Indicator(_SAFE), Indicator(HOLDS)), by.monotone("within"), assuming=INSIDE),
    line("signs", le(0, FAILS), by.apply(estimated.SIGNS, _AT, "worth", "error")),
    line("at most 1", le(Indicator(_SAFE), 1), by.fact("indicator", _SAFE)),
)
_CASE = le(Indicator(_SAFE) - FAILS, Indicator(HOLDS))
ESTIMATED = (
    proof("fedcg/S5-estimated", "Theorem 4.3", note="where all tails of the estimates add up to at most delta_est")
    .under(*GIVEN, ERROR)
    .given("tails", ALL_TAILS, "so many random sets")
    .steps(*WIDTH)
    .step("pairs", by.apply(UNCORRELATED))
    .step("variance", by.apply(VARIANCE))
    .step("sum", le(Total(deviation(t) ** 2 / K, t, 0, T - 1), delta * _C**2), by.linear())
    .step("tail",
        by.apply(partial.MARTINGALE,
            {partial.noise(t): KEEP * noise(t), partial.variance(t): deviation(t) ** 2 / K, partial.width: _C}, "c1",
            "pairs", "share", "variance", "sum", "root"))
    .step("inside", INSIDE, by.linear(), assuming=INSIDE)
    .steps(*_LINES)
    .step("case 1", _CASE, by.linear("event", "signs"), assuming=INSIDE)
    .step("case 2", _CASE, by.linear("at most 1"), assuming=OUTSIDE)
    .step("outcome", by.cases("case 1", "case 2"))
    .step("in the mean", by.expectation("outcome"))
    .step("estimates", by.apply(estimated.TAILS, _AT, *estimated.IDS, "worth", "error"))
    .qed(le(1 - delta - delta_est, E(Indicator(HOLDS))), by.linear("in the mean", "tail", "estimates", "tails"))
)

LOG = log(2 * n * T * tau * N / delta_est)
S8 = m_max * sqrt(LOG / (2 * m))
_BY_S8 = {sigma: S8}
_READING = {**READING, **_BY_S8}
AT_S8 = tuple(Given(h.id, h.relation.at(_BY_S8), h.why) for h in GIVEN)
BY_S8 = (
    proof("fedcg/S5-estimated@strengthened", "Theorem 4.3", of="fedcg/S5-estimated@strengthened", bound=bounds.S5,
        reading=_READING, failure=delta + delta_est,
        note="Hoeffding's tails of all N T tau n entries that are estimated add up to delta_est")
    .under(*AT_S8)
    .given("logarithm", lt(0, LOG), "delta_est is below 1")
    .step("deviations", le(0, deviation(t) ** 2, full.ROUNDS), by.linear())
    .step("all deviations", by.sum_over(t, "deviations"))
    .step("inner", lt(0, LOG / (2 * m)), by.linear("logarithm"))
    .step("error", by.apply(tails.POSITIVE, {tails.Z: LOG / (2 * m), tails.c: m_max}, "inner", "worth"))
    .step("tails", ALL_TAILS.at(_BY_S8), by.linear({"logarithm": 0, "worth": 0}))
    .qed(with_probability(statement_of(bounds.S5, partial.GAINED - partial.V(T, 0), _READING)[0], delta + delta_est),
        by.apply(ESTIMATED, _BY_S8, *(h.id for h in GIVEN), "error", "tails", "all deviations", "logarithm"))
)

THEOREMS = (VARIANCE, UNCORRELATED, LARGER, ESTIMATED, BY_S8)
