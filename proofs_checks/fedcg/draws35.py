"""Lemma 3.4 given the past, for the printed deviation of a round of Theorem 3.5, from the law of its draws.

``inverse(t)`` is 1 over the printed deviation 6 r gamma_t of round t, or 0 where that is 0.
"""

from __future__ import annotations

from sympy import Abs, Integer

from fltheory.papers.fedcg.letters import K, N, n, r
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.terms import E, RandomNonnegative, Total, family
from proofs_checks.fedcg import lemmas as one
from proofs_checks.fedcg import partial, tails
from proofs_checks.fedcg import sampling as draws
from proofs_checks.fedcg import theorem32 as full
from proofs_checks.fedcg import variance as drawn_variance
from proofs_checks.fedcg.lemmas import CLIENTS, LAW, clients, e, i, p
from proofs_checks.fedcg.partial import STARRED, G, g, gamma, largest, mean, noise, pick, score, star, v
from proofs_checks.fedcg.theorem32 import ROUNDS, t

s, k, a = tails.s, draws.k, draws.a
DRAWS, PAIRS = (k, 0, K - 1), ((k, 0, K - 1), (a, 0, k - 1))
inverse = family(RandomNonnegative, "inverse")
UNIT = 6 * r * largest(t)
RATIO = inverse(t) * noise(t)
_PICKED, _PAST = score(t, pick(t, k)), inverse(t) ** 2
_SCORE = Total(v(t, i, e) * G(t, e, 0), e, 1, n)
_MOST = Total(star(t, e) * G(t, e, 0), e, 1, n)

# What the draws of a round make of it ------------------------------------------------------------------------------------

BESTS = (
    *full.each_round(one.LARGEST, reading=partial.LETTERS),
    *(
        Given(f"score {h.id}", h.relation, h.why)
        for h in full.each_round(draws.BELOW, draws.BEST_F, draws.BEST_I, draws.BASE, reading=STARRED)
    ),
)
LAW_OF_DRAWS = (
    Given("score", eq(score(t, i), _SCORE, ROUNDS, CLIENTS), "a name for <v_i, F'> of a round"),
    Given("score mean", eq(mean(t), clients(score(t, i)), ROUNDS), "a name for its mean over the clients"),
    Given("pick from", le(1, pick(t, k), ROUNDS, DRAWS), "a client is drawn"),
    Given("pick to", le(pick(t, k), N, ROUNDS, DRAWS), "one of N"),
    Given(
        "drawn",
        eq(noise(t), Total(_PICKED - mean(t), k, 0, K - 1) / K, ROUNDS),
        "the direction is the mean of the drawn clients' bases",
    ),
    Given(
        "square",
        eq(E(_PAST * _PICKED**2), E(_PAST * clients(score(t, i) ** 2)), ROUNDS, DRAWS),
        "a draw is client i with probability p_i, given what is known before the draws",
    ),
    Given(
        "cross",
        eq(E(_PAST * mean(t) * _PICKED), E(_PAST * mean(t) ** 2), ROUNDS, DRAWS),
        "the same against the mean, which is known before the draws",
    ),
    Given(
        "two",
        eq(E(_PAST * _PICKED * score(t, pick(t, a))), E(_PAST * mean(t) ** 2), ROUNDS, *PAIRS),
        "two draws are independent, given what is known before them",
    ),
    Given(
        "inverse",
        eq((1 - inverse(t) * UNIT) * UNIT, 0, ROUNDS),
        "1 over the printed deviation, which is known before the draws, or 0 where that is 0",
    ),
    Given("inverse most", le(inverse(t) * UNIT, 1, ROUNDS), "so that their product is 1 or 0"),
)
_RUN = {h.id: h for h in partial.RUN}
ROUND = (*(_RUN[name] for name in ("mean", "rank", "near")), *BESTS)
ROUND_IDS = tuple(h.id for h in ROUND)
_AVERAGE = clients(_SCORE)
_OFF = score(t, i) - mean(t)
NAMES = (
    line("average", eq(clients(score(t, i)), _AVERAGE, ROUNDS), by.summed(i, "score", weight=p(i))),
    line(
        "off", eq(_OFF, _SCORE - _AVERAGE, ROUNDS, CLIENTS), by.combine({"score": 1, "score mean": -1, "average": -1})
    ),
)
MOMENT = (
    proof("fedcg/L3.4-moment", "Lemma 3.4", note="given the past: the noise in units of the printed deviation")
    .under(LAW, *ROUND, *(h for h in LAW_OF_DRAWS if not h.id.startswith("pick") and h.id != "inverse"))
    .step(
        "wide",
        partial.claim(drawn_variance.S2_PLAIN_STATEMENT),
        by.apply("fedcg/L3.4-plain", STARRED, "law", *ROUND_IDS),
    )
    .steps(*NAMES)
    .step(
        "off squares", eq(_OFF**2, (_SCORE - _AVERAGE) ** 2, ROUNDS, CLIENTS), by.combine(off=_OFF + _SCORE - _AVERAGE)
    )
    .step(
        "squares",
        eq(clients(_OFF**2), clients((_SCORE - _AVERAGE) ** 2), ROUNDS),
        by.summed(i, "off squares", weight=p(i)),
    )
    .step("room", le(r**2 * largest(t) ** 2, UNIT**2, ROUNDS), by.combine())
    .step("small", le(clients(_OFF**2), UNIT**2, ROUNDS), by.combine(wide=K, squares=1, room=1))
    .step(
        "variance",
        le(E(_PAST * (Total(_PICKED, k, 0, K - 1) / K - mean(t)) ** 2), E(_PAST * UNIT**2) / K, ROUNDS),
        by.apply(
            "fedcg/variance-bound",
            {
                draws.score(i): score(t, i),
                draws.pick(k): pick(t, k),
                draws.MU: mean(t),
                drawn_variance.weight: _PAST,
                drawn_variance.most: UNIT**2,
            },
            "law",
            "score mean",
            "square",
            "cross",
            "two",
            "small",
        ),
    )
    .step(
        "same",
        eq(RATIO**2, _PAST * (Total(_PICKED, k, 0, K - 1) / K - mean(t)) ** 2, ROUNDS),
        by.combine(drawn=_PAST * (noise(t) + Total(_PICKED, k, 0, K - 1) / K - mean(t))),
    )
    .step(
        "means",
        eq(E(RATIO**2), E(_PAST * (Total(_PICKED, k, 0, K - 1) / K - mean(t)) ** 2), ROUNDS),
        by.expected("same"),
    )
    .step("share", le(_PAST * UNIT**2, 1, ROUNDS), by.combine({"inverse most": inverse(t) * UNIT + 1}))
    .step("shares", le(E(_PAST * UNIT**2), E(Integer(1)), ROUNDS), by.expected("share"))
    .qed(le(E(RATIO**2), 1 / K, ROUNDS), by.combine(variance=1, means=1, shares=1 / K))
)
_LEAST = _MOST - 2 * r * largest(t)
SIZE = (
    proof("fedcg/T3.5-noise", "Lemma 3.4", note="no drawn direction is farther off the mean than the printed deviation")
    .under(LAW, *(h for h in ROUND if h.id != "mean"), *LAW_OF_DRAWS[:5])
    .step(
        "own",
        le(
            Total(v(t, i, e) * (g(t, i, e) - G(t, e, 0)), e, 1, n),
            gamma(t, i) * Total(v(t, i, e), e, 1, n),
            ROUNDS,
            CLIENTS,
        ),
        by.summed(e, "near", weight=v(t, i, e)),
    )
    .step(
        "other",
        le(
            Total(star(t, e) * (G(t, e, 0) - g(t, i, e)), e, 1, n),
            gamma(t, i) * Total(star(t, e), e, 1, n),
            ROUNDS,
            CLIENTS,
        ),
        by.summed(e, "score below", weight=star(t, e)),
    )
    .step(
        "low",
        le(_LEAST, _SCORE, ROUNDS, CLIENTS),
        by.combine(
            {"own": 1, "other": 1, "score best": 1, "rank": gamma(t, i), "score base": gamma(t, i), "largest": 2 * r}
        ),
    )
    .steps(*NAMES)
    .step("lows", le(clients(_LEAST), _AVERAGE, ROUNDS), by.summed(i, "low", weight=p(i)))
    .step("highs", le(_AVERAGE, clients(_MOST), ROUNDS), by.summed(i, "score best F", weight=p(i)))
    .step(
        "above", le(_OFF, UNIT, ROUNDS, CLIENTS), by.combine({"off": 1, "score best F": 1, "lows": 1, "law": -_LEAST})
    )
    .step("below", le(-_OFF, UNIT, ROUNDS, CLIENTS), by.combine({"off": -1, "low": 1, "highs": 1, "law": _MOST}))
    .step(
        "drawn above",
        le(_PICKED - mean(t), UNIT, ROUNDS, DRAWS),
        by.instance({i: pick(t, k)}, "above", "pick from", "pick to"),
    )
    .step(
        "drawn below",
        le(mean(t) - _PICKED, UNIT, ROUNDS, DRAWS),
        by.instance({i: pick(t, k)}, "below", "pick from", "pick to"),
    )
    .step("sum above", le(Total(_PICKED - mean(t), k, 0, K - 1), K * UNIT, ROUNDS), by.summed(k, "drawn above"))
    .step("sum below", le(Total(mean(t) - _PICKED, k, 0, K - 1), K * UNIT, ROUNDS), by.summed(k, "drawn below"))
    .step("up", le(noise(t), UNIT, ROUNDS), by.combine({"drawn": 1, "sum above": 1 / K}))
    .step("down", le(-noise(t), UNIT, ROUNDS), by.combine({"drawn": -1, "sum below": 1 / K}))
    .qed(le(Abs(noise(t)), UNIT, ROUNDS), by.absolute("up", "down"))
)
_REST = 1 - inverse(t) * UNIT
IN_UNITS = (
    proof("fedcg/T3.5-units", "Lemma 3.4", note="the noise is its ratio times the printed deviation, which may be 0")
    .under(*LAW_OF_DRAWS[8:])
    .given("size", le(Abs(noise(t)), UNIT, ROUNDS), "fedcg/T3.5-noise")
    .step("is", le(noise(t), Abs(noise(t)), ROUNDS), by.known("abs", noise(t)))
    .step("is not", le(-noise(t), Abs(noise(t)), ROUNDS), by.known("abs", -noise(t)))
    .step("up", le(_REST * noise(t), 0, ROUNDS), by.combine({"size": _REST, "is": _REST, "inverse": 1}, "inverse most"))
    .step(
        "down",
        le(0, _REST * noise(t), ROUNDS),
        by.combine({"size": _REST, "is not": _REST, "inverse": 1}, "inverse most"),
    )
    .step("rest", eq(_REST * noise(t), 0, ROUNDS), by.squeezed("up", "down"))
    .qed(eq(UNIT * RATIO, noise(t), ROUNDS), by.combine(rest=-1))
)

THEOREMS = (MOMENT, SIZE, IN_UNITS)
