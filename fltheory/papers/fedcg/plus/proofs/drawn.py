"""Theorem 4.3 and S5 from the distribution of a draw: range and conditional variance of the noise with local steps.

The score of a client is the inner product of its mean local base with F'. Its distance to the best score is at most
2 r gamma + 2 r sigma + r B, where B is the decrease of a partial derivative along the local steps.
"""

from __future__ import annotations

from sympy import Abs, Rational, sqrt

from fltheory.papers.fedcg import notation
from fltheory.papers.fedcg.guarantees.proofs import drawn, partial
from fltheory.papers.fedcg.guarantees.proofs.drawn import A_CLIENT, twice, weight
from fltheory.papers.fedcg.guarantees.proofs.partial import G, g, gamma, largest, mean, noise, score, star
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import ROUNDS, each_round, t
from fltheory.papers.fedcg.local.proofs import local as local_round
from fltheory.papers.fedcg.notation import K, n, r, sigma
from fltheory.papers.fedcg.plus.proofs import theorem43 as plus
from fltheory.papers.fedcg.plus.proofs.theorem43 import LOCAL_LETTERS, drift, lipschitz, local
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, LAW, e, i, p
from fltheory.proof import Given, Relation, by, eq, le, line, proof
from fltheory.proof.language import Range
from fltheory.proof.terms import E, RandomNonnegative, Total, family

HALF = Rational(1, 2)
_STARRED = {**LOCAL_LETTERS, sampling.best(e): star(t, e), one.gamma_max: largest(t), local_round.other(i, e): star(t, e)}
NAMED = (
    Given("score", eq(score(t, i), Total(local(t, i, e) * G(t, e, 0), e, 1, n), ROUNDS, CLIENTS),
        "a name for a client's mean local base times F'"),
    *(h for h in partial.SCORES if h.id == "score mean"),
    *(Given(f"star {h.id}", h.relation, h.why) for h in each_round(local_round.CHOSEN, reading=_STARRED, inner=(CLIENTS,))),
    *(
        Given(f"star {h.id}", h.relation, h.why)
        for h in each_round(sampling.BELOW, local_round.BEST_F, local_round.BEST_BASE, reading=_STARRED)
    ),
    Given("drawn", drawn.DRAWN.relation, "the direction is the mean of the drawn clients' mean local bases"),
)
_OF_RUN = ("near", *(i for i in plus.LOCAL_IDS if i != "local chosen"), "local rank")
GIVEN = (LAW, *(h for h in plus.RUN if h.id in _OF_RUN), *plus.LARGEST, *NAMED)
IDS = tuple(h.id for h in GIVEN)
DEVIATION = r * largest(t) + r * sigma + r * drift(t) / 2

# The range of the noise -------------------------------------------------------------------------------------------------

_BEST = Total(star(t, e) * G(t, e, 0), e, 1, n)


def _at(relation: Relation, *over: Range) -> Relation:
    return Relation(relation.left, relation.op, relation.right, (ROUNDS, *over))


_UP, _DOWN = le(score(t, i) - mean(t), 2 * DEVIATION), le(mean(t) - score(t, i), 2 * DEVIATION)
RANGE = (
    proof("fedcg/noise-range-plus", "Lemma 4.2", note="no draw is further from the mean than twice the deviation")
    .under(*GIVEN, *A_CLIENT)
    .step("rank of star", le(Total(star(t, e), e, 1, n), r, ROUNDS, CLIENTS), by.linear("star best base"))
    .step("reached",
        by.apply(local_round.S5B, _STARRED, *(i for i in plus.LOCAL_IDS if i != "local chosen"), "star chosen",
            "rank of star"))
    .step("own",
        le(Total(local(t, i, e) * (g(t, i, e) - G(t, e, 0)), e, 1, n), gamma(t, i) * Total(local(t, i, e), e, 1, n),
            ROUNDS, CLIENTS), by.sum_over(e, "near", weight=local(t, i, e)))
    .step("other",
        le(Total(star(t, e) * (G(t, e, 0) - g(t, i, e)), e, 1, n), gamma(t, i) * Total(star(t, e), e, 1, n), ROUNDS,
            CLIENTS), by.sum_over(e, "star below", weight=star(t, e)))
    .step("least", le(_BEST - 2 * DEVIATION, score(t, i), ROUNDS, CLIENTS),
        by.linear("reached", "own", "other", "local rank", "rank of star", "largest", "score"))
    .step("most", le(score(t, i), _BEST, ROUNDS, CLIENTS), by.linear("star best F", "score"))
    .step("least mean", by.sum_over(i, "least", weight=p(i)))
    .step("most mean", by.sum_over(i, "most", weight=p(i)))
    .step("above", _at(_UP, CLIENTS), by.linear("most", "least mean", "score mean", "law"))
    .step("below", _at(_DOWN, CLIENTS), by.linear("least", "most mean", "score mean", "law"))
    .steps(*drawn.at_draws(_UP, _DOWN, 2 * DEVIATION))
    .qed(le(Abs(noise(t)), 2 * DEVIATION, ROUNDS), by.absolute("up", "down"), name="last")
)

# Its conditional variance ---------------------------------------------------------------------------------------------------

_S = Total(local(t, i, e) * G(t, e, 0), e, 1, n)
VARIANCE = (
    proof("fedcg/noise-variance-plus", "Lemma 4.2", note="the conditional variance of a round's noise")
    .under(*GIVEN, *twice(weight(t)))
    .step("sharp",
        by.apply(local_round.S5A, _STARRED, "law", *(i for i in plus.LOCAL_IDS if i != "local chosen"), "star chosen",
            "local rank", "near", "star below", "largest", "star best F", "star best base"))
    .steps(*drawn.of_variance(_S, DEVIATION**2, "sharp"))
    .qed(le(E(weight(t) * noise(t) ** 2), E(weight(t) * DEVIATION**2) / K, ROUNDS), by.linear("in the mean", "bound"),
        name="last")
)

# Along the local steps ------------------------------------------------------------------------------------------------------

moved, l, c = family(RandomNonnegative, "moved"), local_round.l, local_round.c
STEEP = {drift(t): lipschitz(t) * sqrt(r)}
_MOVING = {**LOCAL_LETTERS, local_round.moved(i, c, l): moved(t, i, c, l), notation.L: lipschitz(t)}
MOVE = tuple(Given(f"way {h.id}", h.relation, h.why) for h in each_round(*local_round.MOVE, reading=_MOVING, inner=(CLIENTS,)))
MOVE_IDS = tuple(h.id for h in MOVE)
_FALLS = le(g(t, i, e) - plus.near(t, i, c, e), lipschitz(t) * sqrt(r), ROUNDS, CLIENTS, local_round.STEPS, one.ITEMS)
FALLS = line("local drift", _FALLS, by.apply(local_round.MOVING, _MOVING, *MOVE_IDS))
KEPT = tuple(h for h in GIVEN if h.id != "local drift")
THEOREMS = (RANGE, VARIANCE)
