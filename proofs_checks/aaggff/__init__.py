"""The proofs of "Pursuing Overall Welfare in Federated Learning through Sequential Decision Making", in the paper's order."""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks.aaggff import coin as aaggff_coin
from proofs_checks.aaggff import corollary53 as aaggff_corollary53
from proofs_checks.aaggff import curvature as aaggff_curvature
from proofs_checks.aaggff import entropy as aaggff_entropy
from proofs_checks.aaggff import facts as aaggff_facts
from proofs_checks.aaggff import fair as aaggff_fair
from proofs_checks.aaggff import lemmas as aaggff_lemmas
from proofs_checks.aaggff import lipschitz as aaggff_lipschitz
from proofs_checks.aaggff import newton as aaggff_newton
from proofs_checks.aaggff import printed as aaggff_printed
from proofs_checks.aaggff import remainder as aaggff_remainder
from proofs_checks.aaggff import sampling as aaggff_sampling
from proofs_checks.aaggff import theorem51 as aaggff_theorem51
from proofs_checks.aaggff import theorem52 as aaggff_theorem52
from proofs_checks.aaggff import unbiased as aaggff_unbiased
from proofs_checks.aaggff import vertex as aaggff_vertex
from proofs_checks.aaggff import window as aaggff_window

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
PROOFS = Proofs(
    "aaggff", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent.parent / "certificates"
)
