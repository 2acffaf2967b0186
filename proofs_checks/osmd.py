"""The proofs of "Adaptive Client Sampling in Federated Learning via Online Learning with Bandit Feedback", in the paper's order.

The mirror step, regret against any sequence of distributions, experts with different rates.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks import (
    osmd_corollary7,
    osmd_experts,
    osmd_facts,
    osmd_fedavg,
    osmd_fedavg_explicit,
    osmd_fedavg_rates,
    osmd_fedavg_round,
    osmd_fedavg_tuned,
    osmd_grid,
    osmd_lemmas,
    osmd_mirror,
    osmd_nonexpansive,
    osmd_ordered,
    osmd_paths,
    osmd_projection,
    osmd_ranks,
    osmd_regret,
    osmd_sampling,
    osmd_sgd,
    osmd_sharper,
    osmd_theorem6,
    osmd_theorem8,
    osmd_theorem10,
    osmd_tuned,
    osmd_weighted,
)

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
PROOFS = Proofs("osmd", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent / "certificates")
