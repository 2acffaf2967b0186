"""The proofs of "Adaptive Client Sampling in Federated Learning via Online Learning with Bandit Feedback", in the paper's order.

The mirror step, regret against any sequence of distributions, experts with different rates.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks.osmd import corollary7 as osmd_corollary7
from proofs_checks.osmd import experts as osmd_experts
from proofs_checks.osmd import facts as osmd_facts
from proofs_checks.osmd import fedavg as osmd_fedavg
from proofs_checks.osmd import fedavg_explicit as osmd_fedavg_explicit
from proofs_checks.osmd import fedavg_rates as osmd_fedavg_rates
from proofs_checks.osmd import fedavg_round as osmd_fedavg_round
from proofs_checks.osmd import fedavg_tuned as osmd_fedavg_tuned
from proofs_checks.osmd import grid as osmd_grid
from proofs_checks.osmd import lemmas as osmd_lemmas
from proofs_checks.osmd import mirror as osmd_mirror
from proofs_checks.osmd import nonexpansive as osmd_nonexpansive
from proofs_checks.osmd import ordered as osmd_ordered
from proofs_checks.osmd import paths as osmd_paths
from proofs_checks.osmd import projection as osmd_projection
from proofs_checks.osmd import ranks as osmd_ranks
from proofs_checks.osmd import regret as osmd_regret
from proofs_checks.osmd import sampling as osmd_sampling
from proofs_checks.osmd import sgd as osmd_sgd
from proofs_checks.osmd import sharper as osmd_sharper
from proofs_checks.osmd import theorem6 as osmd_theorem6
from proofs_checks.osmd import theorem8 as osmd_theorem8
from proofs_checks.osmd import theorem10 as osmd_theorem10
from proofs_checks.osmd import tuned as osmd_tuned
from proofs_checks.osmd import weighted as osmd_weighted

PARTS = (
    osmd_sampling,
    osmd_facts,
    osmd_lemmas,
    osmd_mirror,
    osmd_ranks,
    osmd_projection,
    osmd_nonexpansive,
    osmd_paths,
    osmd_regret,
    osmd_theorem6,
    osmd_corollary7,
    osmd_experts,
    osmd_grid,
    osmd_theorem8,
    osmd_sharper,
    osmd_theorem10,
    osmd_ordered,
    osmd_weighted,
    osmd_sgd,
    osmd_tuned,
    osmd_fedavg,
    osmd_fedavg_round,
    osmd_fedavg_rates,
    osmd_fedavg_tuned,
    osmd_fedavg_explicit,
)
PROOFS = Proofs(
    "osmd", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent.parent / "certificates"
)
