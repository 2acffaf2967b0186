"""The proofs of "Pursuing Overall Welfare in Federated Learning through Sequential Decision Making", in the paper's order."""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks import (
    aaggff_coin,
    aaggff_corollary53,
    aaggff_curvature,
    aaggff_entropy,
    aaggff_facts,
    aaggff_fair,
    aaggff_lemmas,
    aaggff_lipschitz,
    aaggff_newton,
    aaggff_printed,
    aaggff_remainder,
    aaggff_sampling,
    aaggff_theorem51,
    aaggff_theorem52,
    aaggff_unbiased,
    aaggff_vertex,
    aaggff_window,
)

PARTS = (
    aaggff_facts,
    aaggff_lipschitz,
    aaggff_lemmas,
    aaggff_curvature,
    aaggff_window,
    aaggff_newton,
    aaggff_theorem51,
    aaggff_entropy,
    aaggff_theorem52,
    aaggff_fair,
    aaggff_sampling,
    aaggff_remainder,
    aaggff_corollary53,
    aaggff_unbiased,
    aaggff_vertex,
    aaggff_coin,
    aaggff_printed,
)
PROOFS = Proofs("aaggff", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent / "certificates")
