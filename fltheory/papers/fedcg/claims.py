"""The catalogue of the paper: every theorem, lemma and remark in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claims.claim import Claim
from fltheory.papers.fedcg.communication import claims
from fltheory.papers.fedcg.discrete.claims import greedy, importance, memberships
from fltheory.papers.fedcg.estimates import claims as estimates
from fltheory.papers.fedcg.guarantees.claims import rounds, theorems
from fltheory.papers.fedcg.local import claims as local
from fltheory.papers.fedcg.plus import claims as plus
from fltheory.papers.fedcg.points import claims as points
from fltheory.papers.fedcg.rounding import claims as rounding

CLAIMS: tuple[Claim, ...] = (*points.CLAIMS, *theorems.CLAIMS, *local.CLAIMS, *estimates.CLAIMS, *plus.CLAIMS,
    *rounds.CLAIMS, *rounding.CLAIMS, *greedy.CLAIMS, *importance.CLAIMS, *memberships.CLAIMS, *claims.CLAIMS)
