"""The catalogue of the paper: every theorem, corollary and lemma in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claims.claim import Claim
from fltheory.papers.osmd.experiments.claims import figures, studies
from fltheory.papers.osmd.experts import claims
from fltheory.papers.osmd.fedavg import claims as fedavg
from fltheory.papers.osmd.heterogeneity import claims as heterogeneity
from fltheory.papers.osmd.mirror import claims as lemmas
from fltheory.papers.osmd.regret import claims as regret
from fltheory.papers.osmd.sampling.claims import estimators, projected, without_replacement
from fltheory.papers.osmd.sgd import claims as sgd

CLAIMS: tuple[Claim, ...] = (*estimators.CLAIMS, *heterogeneity.CLAIMS, *sgd.CLAIMS, *fedavg.CLAIMS, *regret.CLAIMS,
    *claims.CLAIMS, *without_replacement.CLAIMS, *studies.CLAIMS, *figures.CLAIMS, *lemmas.CLAIMS, *projected.CLAIMS)
