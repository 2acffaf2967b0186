"""Theorem 3.5: partial participation; S3 in the mean, S4 by one Chebyshev inequality or by Azuma's, and the printed bound.

The letters are those of Theorem 3.2, but what happens depends on the draws. ``noise(t)`` is what the drawn direction's inner
product with F' in round t is off that of the mean direction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, Integer, Symbol, exp, log, sqrt

from fltheory.bound import Bound
from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import OPT, D, K, N, T, ceilings, delta, eta, m_F, n, r, weighted
from fltheory.proof.language import (
    Apply,
    Assumed,
    Combine,
    Expected,
    Given,
    Known,
    Monotone,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import E, Indicator, Nonnegative, RandomNonnegative, RandomScalar, Total, family
from proofs_checks.fedcg import facts, tails
from proofs_checks.fedcg import lemmas as one
from proofs_checks.fedcg import theorem32 as full
from proofs_checks.fedcg.lemmas import e, i, k, l, p
from proofs_checks.fedcg.theorem32 import FACTOR, FACTOR_SIGN, ROUNDS, SHORT, each_round, left, t

s = tails.s
V, G, H, U, A, B, W, slope, g = (family(RandomScalar, name) for name in "VGHUABWSg")
v, x, gamma, largest, direction = (
    family(RandomNonnegative, name) for name in ("v", "x", "gamma", "gamma_max", "Delta")
)
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
    """What a theorem of one round says of every round."""
    return full.claim(relation, LETTERS)


def mean_gamma(now: Any) -> Expr:
    """The mean of the clients' distances to the mean gradient."""
    return Total(p(i) * gamma(now, i), i, 1, N)


_ALONG = Total(Total(p(i) * v(t, i, e), i, 1, N) * G(t, e, 0), e, 1, n)
_RISE = Total(direction(t, e) * G(t, e, 0), e, 1, n)
RUN = (
    *each_round(*one.ROUND, one.RANK, one.NEAR, letters=LETTERS),
    Given("noise", eq(noise(t), _RISE - _ALONG, ROUNDS), "what the draws make of the mean direction"),
    Given("next", eq(V(t, n), V(t + 1, 0), ROUNDS), "the next iterate is the end of the step"),
    Given("first", eq(V(0, 0), 0), "the first iterate is 0, and f(0) = 0"),
    *SHORT,
)
IDS = tuple(h.id for h in RUN)
GAINED = (1 - FACTOR**T) * OPT
CURVED = eta * r**2 * m_F * (1 - FACTOR**T) / 2
SUM_NOISE = left(noise)


def _added(now: Any) -> Expr:
    return eta * r * mean_gamma(now) - eta * noise(now) + eta**2 * m_F * r**2 / 2


_PATH = le(GAINED - V(T, 0), eta * r * left(mean_gamma) + CURVED - eta * SUM_NOISE)
PATH = Theorem(
    "fedcg/run",
    _PATH,
    RUN,
    (
        Step("round", claim(one.one_round(r**2)), Apply("fedcg/round", LETTERS), one.ROUND_IDS),
        Step("along", claim(one.S1A.statement), Apply("fedcg/A.3@sharpened", LETTERS), ("rank", "near")),
        Step(
            "each",
            le(OPT - V(t + 1, 0), FACTOR * (OPT - V(t, 0)) + _added(t), ROUNDS),
            Combine({"round": 1, "along": eta, "next": 1, "noise": eta}),
            ("round", "along", "next", "noise"),
        ),
        FACTOR_SIGN,
        Step(
            "all",
            le(OPT - V(T, 0), FACTOR**T * (OPT - V(0, 0)) + left(_added)),
            Apply("fedcg/recursion", {facts.a(t): OPT - V(t, 0), facts.b(t): _added(t), facts.q: FACTOR}),
            ("each", "factor"),
        ),
        Step(
            "geometric",
            eq(eta * left(lambda now: Integer(1)), 1 - FACTOR**T),
            Apply("fedcg/geometric-left", {facts.q: FACTOR}),
            ("factor",),
        ),
        Step(
            "1",
            _PATH,
            Combine({"all": 1, "first": -(FACTOR**T), "geometric": eta * r**2 * m_F / 2}),
            ("all", "first", "geometric"),
        ),
    ),
    place="Theorem 3.5",
    note="for every outcome of the draws: the noise is weighted like the heterogeneity",
)

# S3: in the mean ---------------------------------------------------------------------------------------------------------------

UNBIASED = Given("unbiased", eq(E(noise(t)), 0, ROUNDS), "Lemma 3.3, fedcg/L3.3", True)
_S3, _ = stated(bounds.S3, GAINED - E(V(T, 0)), {weighted: E(left(mean_gamma))})
S3 = Theorem(
    "fedcg/S3",
    _S3,
    (*RUN, UNBIASED),
    (
        Step("run", _PATH, Apply("fedcg/run"), IDS),
        Step("in the mean", le(E(GAINED - V(T, 0)), E(_PATH.right)), Expected(), ("run",)),
        Step(
            "weight",
            eq(FACTOR ** (T - 1 - t) * E(noise(t)), 0, ROUNDS),
            Combine({"unbiased": FACTOR ** (T - 1 - t)}),
            ("unbiased",),
        ),
        Step("noises", eq(E(SUM_NOISE), 0), Summed((t,)), ("weight",)),
        Step("1", _S3, Combine({"in the mean": 1, "noises": -eta}), ("in the mean", "noises")),
    ),
    claim="fedcg/S3@sharpened",
    bound=bounds.S3,
    reading={weighted: E(left(mean_gamma))},
    place="Theorem 3.5",
    note="in the mean the sampling costs nothing at all",
)

# S4 -----------------------------------------------------------------------------------------------------------------------------

ceiling = family(Nonnegative, "ceiling")
CEILINGS = Total(ceiling(t) ** 2, t, 0, T - 1)
SQUARES = Symbol("squares", positive=True)
ABOVE = Given(
    "ceilings", le(CEILINGS, SQUARES), "the sum of the squares of upper bounds of gamma, or any larger number"
)
PAIRS = Given(
    "pairs",
    eq(E(noise(t) * noise(s)), 0, ROUNDS, (s, 0, t - 1)),
    "Lemma 3.3 given the past, which knows noise(s)",
    supposed=True,
)
VARIANCE = Given(
    "variance",
    le(E(noise(t) ** 2), r**2 * ceiling(t) ** 2 / K, ROUNDS),
    "S2 for the mean of K draws: fedcg/variance-bound and fedcg/L3.4-plain, with gamma <= ceiling",
    True,
)
READING = {weighted: left(mean_gamma), ceilings: SQUARES, D: Total(largest(t), t, 0, T - 1)}


def holds(bound: Bound) -> Expr:
    """The event that the bound holds, as a number that is then not negative."""
    return stated(bound, GAINED - V(T, 0), READING)[0].gap


def likely(bound: Bound) -> Relation:
    """The bound holds with probability at least 1 - delta."""
    return le(1 - delta, E(Indicator(holds(bound))))


WEIGHTS = (
    FACTOR_SIGN,
    Step("low", le(FACTOR, 1), Combine()),
    Step(
        "weight",
        le(FACTOR ** (T - 1 - t), 1, ROUNDS),
        Apply("fedcg/power", {facts.q: FACTOR, facts.c: T - 1 - t}),
        ("factor", "low"),
    ),
)
share = family(Nonnegative, "share")
SHARE = Given("share", eq(share(t), FACTOR ** (T - 1 - t), ROUNDS), "a name for a round's weight")
PARTS = Total(share(t) * noise(t), t, 0, T - 1)
width, variance = Symbol("width", positive=True), family(Nonnegative, "variance")
_MART = le(1 - delta, E(Indicator(eta * (width + PARTS))))
MARTINGALE = Theorem(
    "fedcg/martingale",
    _MART,
    (
        *SHORT,
        PAIRS,
        SHARE,
        Given("variance", le(E(noise(t) ** 2), variance(t), ROUNDS), "what the noise of a round has at most"),
        Given("wide", le(Total(variance(t), t, 0, T - 1), delta * width**2), "the width for all rounds together"),
    ),
    (
        *WEIGHTS,
        Step(
            "pair",
            eq(E(share(t) * noise(t) * share(s) * noise(s)), 0, ROUNDS, (s, 0, t - 1)),
            Combine({"pairs": share(t) * share(s)}),
            ("pairs",),
        ),
        Step(
            "uncorrelated",
            eq(E(PARTS**2), Total(E((share(t) * noise(t)) ** 2), t, 0, T - 1)),
            Apply("fedcg/uncorrelated", {tails.xi(t): share(t) * noise(t)}),
            ("pair",),
        ),
        Step(
            "small",
            le(share(t) ** 2, 1, ROUNDS),
            Combine({"share": share(t) + 1, "weight": share(t) + 1}),
            ("share", "weight"),
        ),
        Step(
            "each round",
            le(E((share(t) * noise(t)) ** 2), variance(t), ROUNDS),
            Combine({"variance": share(t) ** 2, "small": variance(t)}),
            ("variance", "small"),
        ),
        Step(
            "sum",
            le(Total(E((share(t) * noise(t)) ** 2), t, 0, T - 1), Total(variance(t), t, 0, T - 1)),
            Summed((t,)),
            ("each round",),
        ),
        Step(
            "tail",
            le(1 - PARTS**2 / width**2, Indicator(eta * (width + PARTS))),
            Apply("fedcg/chebyshev", {tails.Y: PARTS, tails.c: width, tails.scale: eta}),
        ),
        Step("in the mean", le(E(1 - PARTS**2 / width**2), E(Indicator(eta * (width + PARTS)))), Expected(), ("tail",)),
        Step(
            "1",
            _MART,
            Combine({"in the mean": 1, "uncorrelated": 1 / width**2, "sum": 1 / width**2, "wide": 1 / width**2}),
            ("in the mean", "uncorrelated", "sum", "wide"),
        ),
    ),
    place="Theorem 3.5",
    note="one Chebyshev inequality for the weighted noise of all rounds",
)


def event(wide: Expr, bound: Bound, run: Step, told: Callable[[Bound], Expr]) -> tuple[Step, ...]:
    """Where the noise is not below its width the bound holds, whose proof of one outcome is the step ``run``."""
    safe, done = Indicator(eta * (wide + PARTS)), Indicator(told(bound))
    return (
        run,
        Step("parts", eq(PARTS, SUM_NOISE), Summed((t,), noise(t)), ("share",)),
        Step("inside", le(eta * (wide + PARTS), told(bound)), Combine({run.id: 1, "parts": eta}), (run.id, "parts")),
        Step("event", le(safe, done), Monotone(), ("inside",)),
        Step("probability", le(E(safe), E(done)), Expected(), ("event",)),
    )


_C = r * sqrt(SQUARES / (K * delta))
S4_CHEBYSHEV = Theorem(
    "fedcg/S4-chebyshev",
    likely(bounds.S4_CHEBYSHEV),
    (*RUN, PAIRS, VARIANCE, ABOVE, SHARE),
    (
        *event(_C, bounds.S4_CHEBYSHEV, Step("run", _PATH, Apply("fedcg/run"), IDS), holds),
        Step(
            "wide",
            le(Total(r**2 * ceiling(t) ** 2 / K, t, 0, T - 1), delta * _C**2),
            Combine({"ceilings": r**2 / K}),
            ("ceilings",),
        ),
        Step(
            "tail",
            le(1 - delta, E(Indicator(eta * (_C + PARTS)))),
            Apply("fedcg/martingale", {variance(t): r**2 * ceiling(t) ** 2 / K, width: _C}),
            ("c1", "pairs", "share", "variance", "wide"),
        ),
        Step("1", likely(bounds.S4_CHEBYSHEV), Combine(), ("tail", "probability")),
    ),
    claim="fedcg/S4-chebyshev@sharpened",
    place="Theorem 3.5",
    note="one Chebyshev inequality for the whole martingale",
)

# S4 by Hoeffding and Azuma -----------------------------------------------------------------------------------------------------

_log = log(1 / delta)
_H = r * sqrt(2 * _log * SQUARES / K)
_RATE = K * _H / (r**2 * SQUARES)
_SAFE_H, _EVENT_H = Indicator(eta * (_H + PARTS)), Indicator(holds(bounds.S4_HOEFFDING))
_grown = _RATE**2 * r**2 * ceiling(t) ** 2 / (2 * K)


def _moment(count: Any) -> Expr:
    return E(exp(-_RATE * Total(share(s) * noise(s), s, 0, count - 1)))


MOMENT = Step(
    "moment",
    le(_moment(t + 1), exp(_grown) * _moment(t), ROUNDS),
    Assumed("Hoeffding's lemma", "given the past: a mean of K independent numbers on an interval of length 2 r gamma"),
    expected="ASSUMED",
)
_, _CONDITIONS = stated(bounds.S4_HOEFFDING, Integer(0))
BELOW_ONE = _CONDITIONS[1]
S4_HOEFFDING = Theorem(
    "fedcg/S4-hoeffding",
    likely(bounds.S4_HOEFFDING),
    (*RUN, BELOW_ONE, ABOVE, SHARE),
    (
        MOMENT,
        *event(_H, bounds.S4_HOEFFDING, Step("run", _PATH, Apply("fedcg/run"), IDS), holds)[:-1],
        Step("tangent", le(log(delta), delta - 1), Known("log", delta)),
        Step("log", lt(0, _log), Combine({"tangent": 1, "c2": 1}), ("tangent", "c2")),
        Step("square", lt(0, 2 * _log * SQUARES / K), Combine({"log": 2 * SQUARES / K}), ("log",)),
        Step(
            "width", lt(0, _H), Apply("fedcg/positive-root", {tails.Z: 2 * _log * SQUARES / K, tails.c: r}), ("square",)
        ),
        Step("rate", lt(0, _RATE), Combine({"width": K / (r**2 * SQUARES)}), ("width",)),
        Step(
            "azuma",
            le(_moment(T), exp(Total(_grown, t, 0, T - 1))),
            Apply("fedcg/azuma", {tails.xi(t): share(t) * noise(t), tails.rate: _RATE, tails.v(t): _grown}),
            ("moment", "rate", "log"),
        ),
        Step(
            "exponent",
            le(Total(_grown, t, 0, T - 1), _log),
            Combine({"ceilings": _RATE**2 * r**2 / (2 * K)}),
            ("ceilings", "log"),
        ),
        Step(
            "grows",
            le(exp(Total(_grown, t, 0, T - 1)), 1 / delta),
            Apply("fedcg/exp", {facts.X: Total(_grown, t, 0, T - 1), facts.X2: _log}),
            ("exponent",),
        ),
        Step(
            "tail",
            le(1 - exp(-_RATE * (_H + PARTS)), _SAFE_H),
            Apply("fedcg/chernoff", {tails.Y: PARTS, tails.c: _H, tails.scale: eta, tails.rate: _RATE}),
            ("width", "rate"),
        ),
        Step("outcome", le(1 - delta**2 * exp(-_RATE * PARTS), _EVENT_H), Combine(), ("tail", "event")),
        Step("in the mean", le(E(1 - delta**2 * exp(-_RATE * PARTS)), E(_EVENT_H)), Expected(), ("outcome",)),
        Step(
            "1",
            likely(bounds.S4_HOEFFDING),
            Combine({"in the mean": 1, "azuma": delta**2, "grows": delta**2}),
            ("in the mean", "azuma", "grows"),
        ),
    ),
    expected="ASSUMED",
    claim="fedcg/S4-hoeffding@sharpened",
    place="Theorem 3.5",
    note="Hoeffding's lemma in each round, Azuma's inequality",
)

THEOREMS = (PATH, S3, MARTINGALE, S4_CHEBYSHEV, S4_HOEFFDING)
