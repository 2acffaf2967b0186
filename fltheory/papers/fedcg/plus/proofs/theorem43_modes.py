"""Theorem 4.3's first display in all modes: local steps inside the cube, projected back to it, or outside.

Gradients may increase along the local steps: each change counts on either side, as in the printed Claim C.2. Lemma 4.2
is proved for every round given the past; ``inverse(t)`` is 1 over the printed deviation of round t, or 0 if that is 0.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, sqrt

from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.facts import algebra, tails
from fltheory.papers.fedcg.guarantees.proofs import partial
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.guarantees.proofs.partial import (LETTERS, G, V, direction, largest, mean, noise, pick,
    score, share, star, v)
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import FACTOR, left
from fltheory.papers.fedcg.guarantees.proofs.theorem35 import WEAKENED
from fltheory.papers.fedcg.local.proofs import local as local_round
from fltheory.papers.fedcg.local.proofs.local import STEPS, c, found, local, near, other, step
from fltheory.papers.fedcg.local.proofs.modes import BOTH, LOW, REACHED, WIDTH
from fltheory.papers.fedcg.notation import OPT, B, K, L, N, Q, T, delta, eta, m_F, n, r, sigma
from fltheory.papers.fedcg.plus.proofs.theorem43 import found as founds
from fltheory.papers.fedcg.plus.proofs.theorem43 import lipschitz
from fltheory.papers.fedcg.plus.proofs.theorem43 import local as locals_
from fltheory.papers.fedcg.plus.proofs.theorem43 import near as nears
from fltheory.papers.fedcg.plus.proofs.theorem43 import step as steps
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling as draws
from fltheory.papers.fedcg.points.proofs import variance as drawn_variance
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, ITEMS, LARGEST, LAW, NEAR, clients, e, i, p
from fltheory.proof import Given, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.language import Range, with_probability
from fltheory.proof.terms import E, Indicator, RandomNonnegative, Total, family

# A run ------------------------------------------------------------------------------------------------------------------------

t, s = full.t, tails.s
moved, inverse = family(RandomNonnegative, "moved"), family(RandomNonnegative, "inverse")
k, a = draws.k, draws.a
DRAWS, PAIRS = (k, 0, K - 1), ((k, 0, K - 1), (a, 0, k - 1))
ITEM = local_round.l
HALF = Rational(3, 2)
FAR = lipschitz(t) * sqrt(r)  # the largest change of a coordinate of a gradient in round t
READ = {
    **LETTERS,
    B: FAR,
    L: lipschitz(t),
    draws.best(e): star(t, e),
    near(i, c, e): nears(t, i, c, e),
    found(i, c, e): founds(t, i, c, e),
    step(i, c, e): steps(t, i, c, e),
    local(i, e): locals_(t, i, e),
    other(i, e): v(t, i, e),
    local_round.moved(i, c, ITEM): moved(t, i, c, ITEM),
}


def unit(now: Expr) -> Expr:
    """Return the deviation of Lemma 4.2 as printed."""
    return 6 * r * largest(now) + 2 * (r * sigma + r**HALF * lipschitz(now))


def named(name: str, *hypotheses: Given, inner: tuple[Range, ...] = ()) -> tuple[Given, ...]:
    """Return the hypotheses of one round for every round, with a prefix to their names."""
    return tuple(Given(f"{name} {h.id}", h.relation, h.why) for h in full.each_round(*hypotheses, reading=READ, inner=inner))


_LOCAL = tuple(h for h in BOTH if h.id not in ("feasible", "drift", "rise"))
_ALONG = Total(Total(p(i) * locals_(t, i, e), i, 1, N) * G(t, e, 0), e, 1, n)
_SCORE = Total(locals_(t, i, e) * G(t, e, 0), e, 1, n)
_PICKED = score(t, pick(t, k))
_PAST = inverse(t) ** 2
_WHY = {
    "inside": "(58): fewer than tau steps, each of at most 1/tau in a coordinate, wherever they lead",
    "length": "(59): each of them adds at most a base over tau",
    "lipschitz": "L is the largest change of a gradient over the distance, of the points that the run visits",
}
_WAY = tuple(Given(h.id, h.relation, _WHY[h.id]) for h in local_round.MOVE)
RUN = (
    *full.each_round(*one.ROUND, one.RANK, NEAR, LARGEST, draws.BELOW, reading=LETTERS),
    *named("local", *_LOCAL, inner=(CLIENTS,)),
    *named("star", local_round._for_each(local_round.CHOSEN)),
    *named("way", *_WAY, inner=(CLIENTS,)),
    *named("all", local_round.LOCAL_RANK, local_round.BEST_F, local_round.BEST_BASE),
    Given("noise", eq(noise(t), Total(direction(t, e) * G(t, e, 0), e, 1, n) - _ALONG, full.ROUNDS),
        "what the draws make of the mean of the local directions"),
    Given("next", eq(V(t, n), V(t + 1, 0), full.ROUNDS), "the next iterate is the end of the step"),
    Given("first", eq(V(0, 0), 0), "the first iterate is 0, and f(0) = 0"),
    *full.SHORT,
)
IDS = tuple(h.id for h in RUN)
LAW_OF_DRAWS = (
    Given("score", eq(score(t, i), _SCORE, full.ROUNDS, CLIENTS), "a name for <local_i, F'> of a round"),
    Given("score mean", eq(mean(t), clients(score(t, i)), full.ROUNDS), "a name for its mean over the clients"),
    Given("pick from", le(1, pick(t, k), full.ROUNDS, DRAWS), "a client is drawn"),
    Given("pick to", le(pick(t, k), N, full.ROUNDS, DRAWS), "one of N"),
    Given("drawn", eq(noise(t), Total(_PICKED - mean(t), k, 0, K - 1) / K, full.ROUNDS),
        "the direction is the mean of the drawn clients' local directions"),
    Given("square", eq(E(_PAST * _PICKED**2), E(_PAST * clients(score(t, i) ** 2)), full.ROUNDS, DRAWS),
        "a draw is client i with probability p_i, given what is known before the draws"),
    Given("cross", eq(E(_PAST * mean(t) * _PICKED), E(_PAST * mean(t) ** 2), full.ROUNDS, DRAWS),
        "the same against the mean, which is known before the draws"),
    Given("two", eq(E(_PAST * _PICKED * score(t, pick(t, a))), E(_PAST * mean(t) ** 2), full.ROUNDS, *PAIRS),
        "two draws are independent, given what is known before them"),
    Given("inverse", eq((1 - inverse(t) * unit(t)) * unit(t), 0, full.ROUNDS),
        "1 over the printed deviation, which is known before the draws, or 0 where that is 0"),
    Given("inverse most", le(inverse(t) * unit(t), 1, full.ROUNDS), "so that their product is 1 or 0"),
)
_CHANGE = partial.g(t, i, e) - nears(t, i, c, e)
_EVERYWHERE = (full.ROUNDS, CLIENTS, STEPS, ITEMS)
CHANGES = (
    line("size", le(Abs(_CHANGE), FAR, *_EVERYWHERE),
        by.apply(local_round.CHANGED, READ, *(f"way {h.id}" for h in local_round.MOVE))),
    line("is", le(_CHANGE, Abs(_CHANGE), *_EVERYWHERE), by.fact("abs", _CHANGE)),
    line("is not", le(-_CHANGE, Abs(_CHANGE), *_EVERYWHERE), by.fact("abs", -_CHANGE)),
    line("drift", le(_CHANGE, FAR, *_EVERYWHERE), by.linear("size", "is")),
    line("rise", le(-_CHANGE, FAR, *_EVERYWHERE), by.linear("size", "is not")),
)


def allowed(now: Expr) -> Expr:
    """Return the cost of estimates and local steps in a round."""
    return 2 * r * sigma + 2 * r**HALF * lipschitz(now)


def _added(now: Expr) -> Expr:
    return eta * (r * partial.mean_gamma(now) + allowed(now) - noise(now)) + eta**2 * m_F * r**2 / 2


LOCAL_IDS = tuple(f"local {h.id}" for h in _LOCAL)
SIGMA = 2 * r * sigma * (1 - FACTOR**T)
CURVED = eta * r**2 * m_F * (1 - FACTOR**T) / 2
_PATH = le(partial.GAINED - V(T, 0),
    eta * r * left(partial.mean_gamma) + 2 * eta * r**HALF * left(lipschitz) + SIGMA + CURVED - eta * partial.SUM_NOISE)
PATH_GIVEN = tuple(h for h in RUN if h.id not in ("below", "largest", "star chosen", "all best F", "all best base"))
PATH = (
    proof("fedcg/run-modes", "Theorem 4.3", note="for every outcome of the draws, wherever the local steps lead")
    .under(LAW, *PATH_GIVEN)
    .step("round", by.apply(one.ONE_ROUND, LETTERS))
    .steps(*CHANGES)
    .step("client", by.apply(REACHED, READ, *LOCAL_IDS, "rank", "drift", "rise"))
    .step("clients", by.sum_over(i, "client", weight=p(i)))
    .step("along", by.apply(one.S1A, {**LETTERS, one.v(i, e): locals_(t, i, e)}))
    .step("each", le(OPT - V(t + 1, 0), FACTOR * (OPT - V(t, 0)) + _added(t), full.ROUNDS),
        by.linear("round", "clients", "along", "next", "noise", "law"))
    .steps(full.FACTOR_SIGN)
    .step("all",
        by.apply(algebra.RECURSION, {algebra.a(t): OPT - V(t, 0), algebra.b(t): _added(t), algebra.q: FACTOR}, "each",
            "factor"))
    .step("geometric", by.apply(algebra.GEOMETRIC_LEFT, {algebra.q: FACTOR}, "factor"))
    .qed(_PATH, by.linear("all", "first", "geometric"))
)

# Effect of the draws of a round ---------------------------------------------------------------------------------------

_AVERAGE = clients(_SCORE)
_LENGTH = 2 * r * largest(t) + 2 * r * sigma + 2 * r * FAR
_OF = ("near", "below", "largest")
OF_ROUND = tuple(h for h in RUN if h.id in _OF or h.id.split()[0] in ("local", "star", "way", "all"))
OF_ROUND = tuple(h for h in OF_ROUND if h.id != "local chosen")
_KNOWN = tuple(h.id for h in OF_ROUND if h.id.split()[0] not in ("way", "all"))
_KNOWN = (*_KNOWN, "drift", "rise", "all local rank", "all best base")
NAMES = (
    line("average", eq(clients(score(t, i)), _AVERAGE, full.ROUNDS), by.sum_over(i, "score", weight=p(i))),
    line("off", eq(score(t, i) - mean(t), _SCORE - _AVERAGE, full.ROUNDS, CLIENTS),
        by.linear("score", "score mean", "average")),
)
WIDE = (
    proof("fedcg/T4.3-spread", "Lemma 4.2",
        note="in every round the spread of the scores is within the printed deviation")
    .under(LAW, *OF_ROUND, *LAW_OF_DRAWS[:2])
    .steps(*CHANGES)
    .step("wide", by.apply(WIDTH, READ, "law", *_KNOWN, "all best F"))
    .steps(*NAMES)
    .step("square", eq((score(t, i) - mean(t)) ** 2, (_SCORE - _AVERAGE) ** 2, full.ROUNDS, CLIENTS), by.linear("off"))
    .step("squares", by.sum_over(i, "square", weight=p(i)))
    .step("printed", le(_LENGTH**2 / 4, unit(t) ** 2, full.ROUNDS), by.linear())
    .qed(le(clients((score(t, i) - mean(t)) ** 2), unit(t) ** 2, full.ROUNDS), by.linear("wide", "squares", "printed"))
)
_OFF = score(t, i) - mean(t)
FAR_OFF = (
    proof("fedcg/T4.3-scores", "Lemma 4.2", note="nor is the mean of the drawn scores farther off the mean than that")
    .under(LAW, *OF_ROUND, *LAW_OF_DRAWS[:5])
    .steps(*CHANGES)
    .step("low", by.apply(LOW, READ, *_KNOWN))
    .steps(*NAMES)
    .step("spare", le(_LENGTH, unit(t), full.ROUNDS), by.linear())
    .step("lows", by.sum_over(i, "low", weight=p(i)))
    .step("highs", by.sum_over(i, "all best F", weight=p(i)))
    .step("above", le(_OFF, unit(t), full.ROUNDS, CLIENTS), by.linear("off", "all best F", "lows", "law", "spare"))
    .step("below mean", le(-_OFF, unit(t), full.ROUNDS, CLIENTS), by.linear("off", "low", "highs", "law", "spare"))
    .step("drawn above", by.instance({i: pick(t, k)}, "above", "pick from", "pick to"))
    .step("drawn below", by.instance({i: pick(t, k)}, "below mean", "pick from", "pick to"))
    .step("sum above", le(Total(_PICKED - mean(t), k, 0, K - 1), K * unit(t), full.ROUNDS),
        by.sum_over(k, "drawn above"))
    .step("sum below", le(Total(mean(t) - _PICKED, k, 0, K - 1), K * unit(t), full.ROUNDS),
        by.sum_over(k, "drawn below"))
    .step("up", le(noise(t), unit(t), full.ROUNDS), by.linear("drawn", "sum above"))
    .step("down", le(-noise(t), unit(t), full.ROUNDS), by.linear("drawn", "sum below"))
    .qed(le(Abs(noise(t)), unit(t), full.ROUNDS), by.absolute("up", "down"))
)

_MEAN_DRAWN = Total(_PICKED, k, 0, K - 1) / K
RATIO = inverse(t) * noise(t)  # the noise in units of the printed deviation
MOMENT = (
    proof("fedcg/L4.2-moment", "Lemma 4.2", note="given the past: the noise in units of the printed deviation")
    .under(LAW, *OF_ROUND, *(h for h in LAW_OF_DRAWS if not h.id.startswith("pick") and h.id != "inverse"))
    .step("small", by.apply(WIDE))
    .step(
        "variance",
        by.apply(
            drawn_variance.VARIANCE_BOUND,
            {
                draws.score(i): score(t, i),
                draws.pick(k): pick(t, k),
                draws.MU: mean(t),
                drawn_variance.weight: _PAST,
                drawn_variance.most: unit(t) ** 2,
            },
        ),
    )
    .step("same", eq(RATIO**2, _PAST * (_MEAN_DRAWN - mean(t)) ** 2, full.ROUNDS), by.linear("drawn"))
    .step("mean", by.expectation("same"))
    .step("share", le(_PAST * unit(t) ** 2, 1, full.ROUNDS), by.linear("inverse most"))
    .step("shares", le(E(_PAST * unit(t) ** 2), E(Integer(1)), full.ROUNDS), by.expectation("share"))
    .qed(le(E(RATIO**2), 1 / K, full.ROUNDS), by.linear("variance", "mean", "shares"))
)

# The first display ------------------------------------------------------------------------------------------------------------

READING = {notation.D: Total(largest(t), t, 0, T - 1), Q: Total(lipschitz(t), t, 0, T - 1)}
HOLDS = statement_of(bounds.T43, partial.GAINED - V(T, 0), READING)[0].gap
_W = 1 / sqrt(K * delta / T)
_PAID = Total(eta * share(t) * unit(t) * (_W + RATIO), t, 0, T - 1)
_RATIOS = Total(RATIO**2, t, 0, T - 1)
MODES = (LAW, *RUN, *LAW_OF_DRAWS, partial.SHARE)
_CLAIMED = with_probability(statement_of(bounds.T43, partial.GAINED - V(T, 0), READING)[0], delta)
DISPLAY = (
    proof("fedcg/T4.3-modes", "Theorem 4.3", note="the first display, wherever the local steps lead").under(*MODES)
    .step("run", by.apply(PATH))
    .steps(*WEAKENED)
    .step("heavy L", le(share(t) * lipschitz(t), lipschitz(t), full.ROUNDS), by.linear("heavy"))
    .step("Ls", by.sum_over(t, "heavy L"))
    .step("named L", by.sum_over(t, "share", weight=lipschitz(t)))
    .step("size", by.apply(FAR_OFF))
    .step("is", by.fact("abs", noise(t)), over=full.ROUNDS)
    .step("is not", by.fact("abs", -noise(t)), over=full.ROUNDS)
    .step("rest up", le((1 - inverse(t) * unit(t)) * noise(t), 0, full.ROUNDS),
        by.linear("size", "is", "inverse", "inverse most"))
    .step("rest down", le(0, (1 - inverse(t) * unit(t)) * noise(t), full.ROUNDS),
        by.linear("size", "is not", "inverse", "inverse most"))
    .step("rest", by.antisymmetry("rest up", "rest down"))
    .step("ratio", eq(unit(t) * RATIO, noise(t), full.ROUNDS), by.linear("rest"))
    .step("noises", by.sum_over(t, "ratio", weight=share(t)))
    .step("parts", by.sum_over(t, "share", weight=noise(t)))
    .step("unit", le(share(t) * unit(t), unit(t), full.ROUNDS), by.linear("heavy"))
    .step("units", by.sum_over(t, "unit"))
    .step(
        "inside",
        le(_PAID, HOLDS),
        by.linear(
            {
                "run": 1,
                "gammas": eta * r,
                "named": -eta * r,
                "bernoulli": eta * r**2 * m_F / 2 + 2 * r * sigma,
                "Ls": 2 * eta * r**HALF,
                "named L": -2 * eta * r**HALF,
                "units": eta * _W,
                "noises": eta,
                "parts": eta,
                "c1": 2 * r * sigma * (1 + _W),
            }
        ),
    )
    .step("event", by.monotone("inside"))
    .step("tail", le(1 - _RATIOS / _W**2, Indicator(_PAID)),
        by.apply(tails.UNION, {tails.y(t): RATIO, tails.w(t): eta * share(t) * unit(t), tails.c: _W}))
    .step("outcome", le(1 - _RATIOS / _W**2, Indicator(HOLDS)), by.linear("tail", "event"))
    .step("in the mean", by.expectation("outcome"))
    .step("moment", by.apply(MOMENT))
    .step("sum", le(Total(E(RATIO**2), t, 0, T - 1), T / K), by.sum_over(t, "moment"))
    .qed(_CLAIMED, by.linear("in the mean", "sum"))
)


def of_mode(name: str, note: str) -> Theorem:
    """Prove the first display, at steps up to 1/R, for one mode of local steps."""
    return (
        proof(name, "Theorem 4.3", of=name, bound=bounds.T43, reading=READING, failure=delta, note=note).under(*MODES)
        .qed(_CLAIMED, by.apply(DISPLAY))
    )


CLIPPED = of_mode("fedcg/T4.3-clip@corrected",
    "local steps that are taken back to the cube: Lemma 4.2 is true, though its proof is not")
SCALED = of_mode("fedcg/T4.3-scaled@corrected", "local steps of eta/tau: all points are in the polytope")
LITERAL = of_mode("fedcg/T4.3@corrected",
    "local steps of 1/tau, which leave the cube: L is that of the run, its points out there too")

THEOREMS = (PATH, WIDE, FAR_OFF, MOMENT, DISPLAY, CLIPPED, SCALED, LITERAL)
