"""Theorem 3.5: partial participation; S3 in expectation, S4 by Chebyshev's or Azuma's inequality, the printed bound.

The symbols are those of Theorem 3.2, but the run is random. ``noise(t)`` is the inner product of F' in round t with the
drawn direction minus that with the mean direction.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Symbol, exp, log, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.facts import algebra, tails
from fltheory.papers.fedcg.facts import hoeffding as past
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import FACTOR, FACTOR_SIGN, ROUNDS, SHORT, each_round, left, t
from fltheory.papers.fedcg.notation import OPT, D, K, N, T, ceilings, delta, eta, m_F, n, r, weighted
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling
from fltheory.papers.fedcg.points.proofs.lemmas import LAW, e, i, k, l, p
from fltheory.proof import Given, Relation, Step, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import (E, Indicator, Nonnegative, RandomInteger, RandomNonnegative, RandomScalar, Total,
    family)

s = tails.s
V, G, H, U, A, B, W, slope, g = (family(RandomScalar, name) for name in "VGHUABWSg")
v, x, gamma, largest, direction = (family(RandomNonnegative, name) for name in ("v", "x", "gamma", "gamma_max", "Delta"))
noise = family(RandomScalar, "noise")
LETTERS = {
    one.V(l): V(t, l),
    one.G(k, l): G(t, k, l),
    one.H(k, l): H(t, k, l),
    one.U(l): U(t, l),
    one.A(k, l): A(t, k, l),
    one.B(k, l): B(t, k, l),
    one.W(l): W(t, l),
    one.slope(l): slope(t, l),
    one.x(e): x(t, e),
    one.g(i, e): g(t, i, e),
    one.v(i, e): v(t, i, e),
    one.gamma(i): gamma(t, i),
    one.gamma_max: largest(t),
    one.direction(e): direction(t, e),
}


def claim(relation: Relation) -> Relation:
    """Return a theorem of one round as a statement on every round."""
    return full.claim(relation, LETTERS)


def mean_gamma(now: Expr) -> Expr:
    """Return the mean of the clients' distances to the mean gradient."""
    return Total(p(i) * gamma(now, i), i, 1, N)


_ALONG = Total(Total(p(i) * v(t, i, e), i, 1, N) * G(t, e, 0), e, 1, n)
_RISE = Total(direction(t, e) * G(t, e, 0), e, 1, n)
RUN = (
    *each_round(*one.ROUND, one.RANK, one.NEAR, reading=LETTERS),
    Given("noise", eq(noise(t), _RISE - _ALONG, ROUNDS), "what the draws make of the mean direction"),
    Given("next", eq(V(t, n), V(t + 1, 0), ROUNDS), "the next iterate is the end of the step"),
    Given("first", eq(V(0, 0), 0), "the first iterate is 0, and f(0) = 0"),
    *SHORT,
)
IDS = tuple(h.id for h in RUN)
GAINED = (1 - FACTOR**T) * OPT
CURVED = eta * r**2 * m_F * (1 - FACTOR**T) / 2
SUM_NOISE = left(noise)


def _added(now: Expr) -> Expr:
    return eta * r * mean_gamma(now) - eta * noise(now) + eta**2 * m_F * r**2 / 2


_PATH = le(GAINED - V(T, 0), eta * r * left(mean_gamma) + CURVED - eta * SUM_NOISE)
PATH = (
    proof("fedcg/run", "Theorem 3.5",
        note="for every outcome of the draws: the noise is weighted like the heterogeneity")
    .under(*RUN)
    .step("round", by.apply(one.ONE_ROUND, LETTERS))
    .step("along", by.apply(one.S1A, LETTERS))
    .step("each", le(OPT - V(t + 1, 0), FACTOR * (OPT - V(t, 0)) + _added(t), ROUNDS),
        by.linear("round", "along", "next", "noise"))
    .steps(FACTOR_SIGN)
    .step("all",
        by.apply(algebra.RECURSION, {algebra.a(t): OPT - V(t, 0), algebra.b(t): _added(t), algebra.q: FACTOR}, "each",
            "factor"))
    .step("geometric", by.apply(algebra.GEOMETRIC_LEFT, {algebra.q: FACTOR}, "factor"))
    .qed(_PATH, by.linear("all", "first", "geometric"))
)

# S3: in the mean ---------------------------------------------------------------------------------------------------------------

_S3, _ = statement_of(bounds.S3, GAINED - E(V(T, 0)), {weighted: E(left(mean_gamma))})
S3 = (
    proof("fedcg/S3", "Theorem 3.5", note="in the mean the sampling costs nothing at all").under(*RUN)
    .given("unbiased", eq(E(noise(t)), 0, ROUNDS), "Lemma 3.3, fedcg/L3.3", supposed=True)
    .step("run", by.apply(PATH))
    .step("in the mean", by.expectation("run"))
    .step("weight", eq(FACTOR ** (T - 1 - t) * E(noise(t)), 0, ROUNDS), by.linear("unbiased"))
    .step("noises", eq(E(SUM_NOISE), 0), by.sum_over(t, "weight"))
    .qed(_S3, by.linear("in the mean", "noises"))
)

# S4 -----------------------------------------------------------------------------------------------------------------------------

ceiling = family(Nonnegative, "ceiling")
SQUARES = Symbol("squares", positive=True)
ABOVE = Given("ceilings", le(Total(ceiling(t) ** 2, t, 0, T - 1), SQUARES),
    "the sum of the squares of upper bounds of gamma, or any larger number")
PAIRS = Given("pairs", eq(E(noise(t) * noise(s)), 0, ROUNDS, (s, 0, t - 1)),
    "Lemma 3.3 given the past, which knows noise(s)", supposed=True)
VARIANCE = Given("variance", le(E(noise(t) ** 2), r**2 * ceiling(t) ** 2 / K, ROUNDS),
    "S2 for the mean of K draws: fedcg/variance-bound and fedcg/L3.4-plain, with gamma <= ceiling", True)
READING = {weighted: left(mean_gamma), ceilings: SQUARES, D: Total(largest(t), t, 0, T - 1)}


def holds(bound: Bound) -> Expr:
    """Return the event that the bound holds, as a number that is then nonnegative."""
    return statement_of(bound, GAINED - V(T, 0), READING)[0].gap


def likely(bound: Bound) -> Relation:
    """Return the bound holds with probability at least 1 - delta."""
    return le(1 - delta, E(Indicator(holds(bound))))


WEIGHTS = (
    FACTOR_SIGN,
    line("low", le(FACTOR, 1), by.linear()),
    line("weight", le(FACTOR ** (T - 1 - t), 1, ROUNDS),
        by.apply(algebra.AT_MOST_ONE, {algebra.q: FACTOR, algebra.c: T - 1 - t}, "factor", "low")),
)
share = family(Nonnegative, "share")
SHARE = Given("share", eq(share(t), FACTOR ** (T - 1 - t), ROUNDS), "a name for a round's weight")
PARTS = Total(share(t) * noise(t), t, 0, T - 1)
width, variance = Symbol("width", positive=True), family(Nonnegative, "variance")
MARTINGALE = (
    proof("fedcg/martingale", "Theorem 3.5", note="one Chebyshev inequality for the weighted noise of all rounds")
    .under(*SHORT, PAIRS, SHARE)
    .given("variance", le(E(noise(t) ** 2), variance(t), ROUNDS), "what the noise of a round has at most")
    .given("wide", le(Total(variance(t), t, 0, T - 1), delta * width**2), "the width for all rounds together")
    .steps(*WEIGHTS)
    .step("pair", eq(E(share(t) * noise(t) * share(s) * noise(s)), 0, ROUNDS, (s, 0, t - 1)), by.linear("pairs"))
    .step("uncorrelated", eq(E(PARTS**2), Total(E((share(t) * noise(t)) ** 2), t, 0, T - 1)),
        by.apply(tails.UNCORRELATED, {tails.xi(t): share(t) * noise(t)}))
    .step("small", le(share(t) ** 2, 1, ROUNDS), by.linear("share", "weight"))
    .step("each round", le(E((share(t) * noise(t)) ** 2), variance(t), ROUNDS), by.linear("variance", "small"))
    .step("sum", by.sum_over(t, "each round"))
    .step("tail", by.apply(tails.CHEBYSHEV, {tails.Y: PARTS, tails.c: width, tails.scale: eta}))
    .step("in the mean", by.expectation("tail"))
    .qed(le(1 - delta, E(Indicator(eta * (width + PARTS)))), by.linear("in the mean", "uncorrelated", "sum", "wide"))
)


def event(wide: Expr, bound: Bound, run: Step, told: Callable[[Bound], Expr]) -> tuple[Step, ...]:
    """Prove that the bound holds if the noise is not below its width; the step ``run`` is the proof of one outcome."""
    safe, done = Indicator(eta * (wide + PARTS)), Indicator(told(bound))
    return (
        run,
        line("parts", eq(PARTS, SUM_NOISE), by.sum_over(t, "share", weight=noise(t))),
        line("inside", le(eta * (wide + PARTS), told(bound)), by.linear(run.id, "parts")),
        line("event", le(safe, done), by.monotone("inside")),
        line("probability", le(E(safe), E(done)), by.expectation("event")),
    )


_C = r * sqrt(SQUARES / (K * delta))
S4_CHEBYSHEV = (
    proof("fedcg/S4-chebyshev", "Theorem 3.5", note="one Chebyshev inequality for the whole martingale")
    .under(*RUN, PAIRS, VARIANCE, ABOVE, SHARE)
    .steps(*event(_C, bounds.S4_CHEBYSHEV, line("run", _PATH, by.apply(PATH, *IDS)), holds))
    .step("wide", le(Total(r**2 * ceiling(t) ** 2 / K, t, 0, T - 1), delta * _C**2), by.linear("ceilings"))
    .step("tail", by.apply(MARTINGALE, {variance(t): r**2 * ceiling(t) ** 2 / K, width: _C}))
    .qed(likely(bounds.S4_CHEBYSHEV), by.linear("tail", "probability"))
)

# S4 by Hoeffding and Azuma -----------------------------------------------------------------------------------------------------

# The draws of a round: K clients, each with the probability p_i given the past
star, score = family(RandomNonnegative, "v*"), family(RandomScalar, "score")
mean, pick = family(RandomScalar, "mean"), family(RandomInteger, "pick")
d, a = past.k, past.a  # draws, counted from 0
CLIENTS = one.CLIENTS
STARRED = {**LETTERS, sampling.best(e): star(t, e)}


def _drawn(count: Expr) -> Expr:
    """Return the sum of the deviations of the first draws from the mean."""
    return Total(score(t, pick(t, a)) - mean(t), a, 0, count - 1)


def _before(now: Expr) -> Expr:
    """Return the factor of the earlier rounds in the exponential moment: known before the draws of this one."""
    return exp(-tails.rate * Total(share(s) * noise(s), s, 0, now - 1))


_OWN = tails.rate * share(t) / K  # the rate of a draw of the round
_OFF = score(t, i) - mean(t)
SCORES = (
    Given("score", eq(score(t, i), Total(v(t, i, e) * G(t, e, 0), e, 1, n), ROUNDS, CLIENTS),
        "a name for <v_i, F'> of a round"),
    Given("score mean", eq(mean(t), Total(p(i) * score(t, i), i, 1, N), ROUNDS),
        "a name for its mean over the clients"),
    *(
        Given(f"score {h.id}", h.relation, h.why)
        for h in each_round(sampling.BELOW, sampling.BEST_F, sampling.BEST_I, sampling.BASE, reading=STARRED)
    ),
    Given("ceiling", le(gamma(t, i), ceiling(t), ROUNDS, CLIENTS),
        "an upper bound of gamma_t that is no matter of chance"),
    Given("drawn", eq(noise(t), _drawn(K) / K, ROUNDS),
        "the direction is the mean of the drawn clients' bases, client pick(t, k) in draw k"),
)
DRAW = Given("draw",
    eq(E(_before(t) * exp(-_OWN * _drawn(d + 1))),
        E(_before(t) * exp(-_OWN * _drawn(d)) * Total(p(i) * exp(-_OWN * _OFF), i, 1, N)), ROUNDS, (d, 0, K - 1)),
    "a draw is client i with probability p_i, given the rounds before and the earlier draws")
_NOISE = -tails.rate * share(t) * noise(t)
_least = Total(star(t, e) * G(t, e, 0), e, 1, n) - 2 * r * ceiling(t)
_grown = tails.rate**2 * r**2 * ceiling(t) ** 2 / (2 * K)


def _so_far(now: Expr) -> Expr:
    return E(exp(-tails.rate * Total(share(s) * noise(s), s, 0, now - 1)))


STEPS = (
    line("own",
        le(Total(v(t, i, e) * (g(t, i, e) - G(t, e, 0)), e, 1, n), gamma(t, i) * Total(v(t, i, e), e, 1, n), ROUNDS,
            CLIENTS), by.sum_over(e, "near", weight=v(t, i, e))),
    line("other",
        le(Total(star(t, e) * (G(t, e, 0) - g(t, i, e)), e, 1, n), gamma(t, i) * Total(star(t, e), e, 1, n), ROUNDS,
            CLIENTS), by.sum_over(e, "score below", weight=star(t, e))),
    line("least", le(_least, score(t, i), ROUNDS, CLIENTS),
        by.linear("own", "other", "score best", "rank", "score base", "ceiling", "score")),
    line("most", le(score(t, i), _least + 2 * r * ceiling(t), ROUNDS, CLIENTS), by.linear("score best F", "score")),
    line("draws", le(0, _OWN, ROUNDS), by.linear()),
    line(
        "round",
        le(
            E(_before(t) * exp(-_OWN * _drawn(K))),
            exp(K * _OWN**2 * (2 * r * ceiling(t)) ** 2 / 8) * E(_before(t)),
            ROUNDS,
        ),
        by.apply(
            past.GIVEN_PAST,
            {
                past.score(i): score(t, i),
                past.pick(d): pick(t, d),
                past.mean: mean(t),
                past.low: _least,
                past.past: _before(t),
                past.rate: _OWN,
                past.width: 2 * r * ceiling(t),
            },
            "law",
            "score mean",
            "least",
            "most",
            "draw",
            "draws",
        ),
    ),
    line("noise exponent", le(_NOISE, -_OWN * _drawn(K), ROUNDS), by.linear("drawn")),
    line("noise exp", le(exp(_NOISE), exp(-_OWN * _drawn(K)), ROUNDS),
        by.apply(algebra.GROWS, {algebra.X: _NOISE, algebra.X2: -_OWN * _drawn(K)}, "noise exponent")),
    line("so far", le(_before(t + 1), _before(t) * exp(-_OWN * _drawn(K)), ROUNDS), by.linear("noise exp")),
    line("same", le(_so_far(t + 1), E(_before(t) * exp(-_OWN * _drawn(K))), ROUNDS), by.expectation("so far")),
    line("before", eq(_so_far(t), E(_before(t)), ROUNDS), by.linear()),
    *WEIGHTS,
    line("share square", le(share(t) ** 2, 1, ROUNDS), by.linear("share", "weight")),
    line("less", le(K * _OWN**2 * (2 * r * ceiling(t)) ** 2 / 8, _grown, ROUNDS), by.linear("share square")),
    line("less grown", le(exp(K * _OWN**2 * (2 * r * ceiling(t)) ** 2 / 8), exp(_grown), ROUNDS),
        by.apply(algebra.GROWS, {algebra.X: K * _OWN**2 * (2 * r * ceiling(t)) ** 2 / 8, algebra.X2: _grown}, "less")),
)
GIVEN_PAST = tuple(h for h in RUN if h.id in ("rank", "near", "c1"))
MOMENT = (
    proof("fedcg/S4-moment", "Theorem 3.5",
        note="what a round adds to the exponential moment: Hoeffding's lemma for each draw given the past")
    .under(LAW, *GIVEN_PAST, SHARE, *SCORES, DRAW)
    .steps(*STEPS)
    .qed(le(_so_far(t + 1), exp(_grown) * _so_far(t), ROUNDS), by.linear("same", "round", "less grown", "before"))
)
_log = log(1 / delta)
_H = r * sqrt(2 * _log * SQUARES / K)
RATE = K * _H / (r**2 * SQUARES)
_SAFE_H, _EVENT_H = Indicator(eta * (_H + PARTS)), Indicator(holds(bounds.S4_HOEFFDING))
_grown_h = RATE**2 * r**2 * ceiling(t) ** 2 / (2 * K)


def _moment(count: Expr) -> Expr:
    return E(exp(-RATE * Total(share(s) * noise(s), s, 0, count - 1)))


DRAW_AT = Given(DRAW.id, DRAW.relation.at({tails.rate: RATE}), DRAW.why)
_, _CONDITIONS = statement_of(bounds.S4_HOEFFDING, Integer(0))
BELOW_ONE = _CONDITIONS[1]
S4_HOEFFDING = (
    proof("fedcg/S4-hoeffding", "Theorem 3.5",
        note="Hoeffding's lemma for each draw given the past, Azuma's inequality")
    .under(LAW, *RUN, BELOW_ONE, ABOVE, SHARE, *SCORES, DRAW_AT)
    .steps(*event(_H, bounds.S4_HOEFFDING, line("run", _PATH, by.apply(PATH, *IDS)), holds)[:-1])
    .step("tangent", by.fact("log", delta))
    .step("log", lt(0, _log), by.linear("tangent", "c2"))
    .step("square", lt(0, 2 * _log * SQUARES / K), by.linear("log"))
    .step("width", by.apply(tails.POSITIVE, {tails.Z: 2 * _log * SQUARES / K, tails.c: r}, "square"))
    .step("rate", lt(0, RATE), by.linear("width"))
    .step("moment",
        by.apply(MOMENT, {tails.rate: RATE}, "law", *(h.id for h in GIVEN_PAST), "share", *(h.id for h in SCORES),
            "draw", "rate", "log"))
    .step("azuma", le(_moment(T), exp(Total(_grown_h, t, 0, T - 1))),
        by.apply(tails.AZUMA, {tails.xi(t): share(t) * noise(t), tails.rate: RATE, tails.v(t): _grown_h}, "moment",
            "rate", "log"))
    .step("exponent", le(Total(_grown_h, t, 0, T - 1), _log), by.linear("ceilings", "log"))
    .step("grows", by.apply(algebra.GROWS, {algebra.X: Total(_grown_h, t, 0, T - 1), algebra.X2: _log}))
    .step("tail",
        by.apply(tails.CHERNOFF, {tails.Y: PARTS, tails.c: _H, tails.scale: eta, tails.rate: RATE}, "width", "rate"))
    .step("outcome", le(1 - delta**2 * exp(-RATE * PARTS), _EVENT_H), by.linear("tail", "event"))
    .step("in the mean", by.expectation("outcome"))
    .qed(likely(bounds.S4_HOEFFDING), by.linear("in the mean", "azuma", "grows"))
)

THEOREMS = (PATH, S3, MARTINGALE, S4_CHEBYSHEV, MOMENT, S4_HOEFFDING)
