"""One round of FedCG+ for any local steps: Claim C.2 and Lemma 4.2 for gradients that change in either direction."""

from __future__ import annotations

from fltheory.papers.fedcg.local.proofs import local as local_round
from fltheory.papers.fedcg.local.proofs.local import STEPS, c, local, near, other
from fltheory.papers.fedcg.notation import B, r, sigma
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import sampling as draws
from fltheory.papers.fedcg.points.proofs.lemmas import (ITEMS, LARGEST, LAW, NEAR, clients, e, g, gamma, gamma_max, i,
    items)
from fltheory.proof import Given, Relation, by, le, proof

# One round ----------------------------------------------------------------------------------------------------------

RISE = Given("rise", le(near(i, c, e) - g(i, e), B, STEPS, ITEMS), "by at most B on the other side, too")
BOTH = (*(h for h in local_round.LOCAL if h.id != "antitone"), RISE)
ALLOWED = 2 * r * sigma + 2 * r * B
_REACHED = items(local(i, e) * g(i, e))
REACHED = (
    proof("fedcg/C.2-both", "Claim C.2", note="two drifts where gradients may change either way").under(*BOTH)
    .qed(le(items(other(i, e) * g(i, e)) - ALLOWED, _REACHED), by.apply(local_round.C2_EITHER, {local_round.up: B}))
)

# Lemma 4.2 outside the cube: the scores of a round --------------------------------------------------------------------

best = draws.best
EVERY = tuple(local_round._for_each(h) for h in BOTH if h.id != "feasible")
EVERY_IDS = tuple(h.id for h in EVERY)
SCORE = items(local(i, e) * one.PARTIAL)
AVERAGE = clients(SCORE)
SPREAD = clients((SCORE - AVERAGE) ** 2)
LENGTH = 2 * r * gamma_max + ALLOWED
SCORES = (*EVERY, local_round.LOCAL_RANK, NEAR, draws.BELOW, LARGEST, local_round.BEST_BASE)


def of_one(given: Given) -> Given:
    """Return a hypothesis on every client for one of them."""
    line_ = given.relation
    return Given(given.id, Relation(line_.left, line_.op, line_.right, tuple(o for o in line_.over if o[0] != i)),
        given.why)


LOW = (
    proof("fedcg/L4.2-range-both", "Lemma 4.2",
        note="no client's local direction is much worse for F than the best base")
    .under(*map(of_one, SCORES))
    .step("reached", by.apply(REACHED, {other(i, e): best(e)}, *EVERY_IDS, "best base"))
    .step("own", le(items(local(i, e) * (g(i, e) - one.PARTIAL)), gamma(i) * items(local(i, e))),
        by.sum_over(e, "near", weight=local(i, e)))
    .step("theirs", le(items(best(e) * (one.PARTIAL - g(i, e))), gamma(i) * items(best(e))),
        by.sum_over(e, "below", weight=best(e)))
    .qed(le(draws.MOST - LENGTH, SCORE), by.linear("reached", "own", "theirs", "local rank", "best base", "largest"))
)
WIDTH = (
    proof("fedcg/L4.2-both", "Lemma 4.2", note="the spread of the scores, by Popoviciu's inequality")
    .under(LAW, *SCORES, local_round.BEST_F)
    .step("low", by.apply(LOW))
    .qed(le(SPREAD, LENGTH**2 / 4),
        by.apply(draws.POPOVICIU, {draws.u(i): SCORE, draws.low: draws.MOST - LENGTH, draws.high: draws.MOST}))
)

THEOREMS = (REACHED, LOW, WIDTH)
