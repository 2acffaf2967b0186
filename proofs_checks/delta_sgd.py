"""The proofs of "Adaptive Federated Learning with Auto-Tuned Clients", in the paper's order."""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks import (
    delta_sgd_direction,
    delta_sgd_displays,
    delta_sgd_drift,
    delta_sgd_examples,
    delta_sgd_facts,
    delta_sgd_lyapunov,
    delta_sgd_printed,
    delta_sgd_round,
    delta_sgd_rule,
    delta_sgd_rule_scaled,
    delta_sgd_smooth,
    delta_sgd_theorem1,
    delta_sgd_theorem1_rates,
    delta_sgd_theorem5,
    delta_sgd_theorem5_apart,
    delta_sgd_theorem5_floor,
    delta_sgd_theorem5_shared,
    delta_sgd_theorem5_sync,
    delta_sgd_violated,
)

PARTS = (
    delta_sgd_facts,
    delta_sgd_rule,
    delta_sgd_rule_scaled,
    delta_sgd_smooth,
    delta_sgd_direction,
    delta_sgd_drift,
    delta_sgd_round,
    delta_sgd_theorem1,
    delta_sgd_theorem1_rates,
    delta_sgd_displays,
    delta_sgd_lyapunov,
    delta_sgd_printed,
    delta_sgd_theorem5,
    delta_sgd_theorem5_floor,
    delta_sgd_theorem5_sync,
    delta_sgd_theorem5_apart,
    delta_sgd_theorem5_shared,
    delta_sgd_examples,
    delta_sgd_violated,
)
PROOFS = Proofs("delta_sgd", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent / "certificates")
