"""The catalogue of the paper: every theorem, corollary and lemma in its readings, in the paper's order."""

from __future__ import annotations

from fltheory.claim import Claim
from fltheory.papers.osmd.claims import (
    experiments,
    experts,
    fedavg,
    figures,
    heterogeneity,
    lemmas,
    projected,
    regret,
    sampling,
    sgd,
    without_replacement,
)

CLAIMS: tuple[Claim, ...] = (
    *sampling.CLAIMS,
    *heterogeneity.CLAIMS,
    *sgd.CLAIMS,
    *fedavg.CLAIMS,
    *regret.CLAIMS,
    *experts.CLAIMS,
    *without_replacement.CLAIMS,
    *experiments.CLAIMS,
    *figures.CLAIMS,
    *lemmas.CLAIMS,
    *projected.CLAIMS,
)
