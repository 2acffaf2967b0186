"""The proofs of "Adaptive Federated Learning with Auto-Tuned Clients", in the paper's order."""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks.delta_sgd import direction as delta_sgd_direction
from proofs_checks.delta_sgd import displays as delta_sgd_displays
from proofs_checks.delta_sgd import drift as delta_sgd_drift
from proofs_checks.delta_sgd import examples as delta_sgd_examples
from proofs_checks.delta_sgd import facts as delta_sgd_facts
from proofs_checks.delta_sgd import lyapunov as delta_sgd_lyapunov
from proofs_checks.delta_sgd import printed as delta_sgd_printed
from proofs_checks.delta_sgd import round as delta_sgd_round
from proofs_checks.delta_sgd import rule as delta_sgd_rule
from proofs_checks.delta_sgd import rule_scaled as delta_sgd_rule_scaled
from proofs_checks.delta_sgd import smooth as delta_sgd_smooth
from proofs_checks.delta_sgd import theorem1 as delta_sgd_theorem1
from proofs_checks.delta_sgd import theorem1_rates as delta_sgd_theorem1_rates
from proofs_checks.delta_sgd import theorem5 as delta_sgd_theorem5
from proofs_checks.delta_sgd import theorem5_apart as delta_sgd_theorem5_apart
from proofs_checks.delta_sgd import theorem5_floor as delta_sgd_theorem5_floor
from proofs_checks.delta_sgd import theorem5_shared as delta_sgd_theorem5_shared
from proofs_checks.delta_sgd import theorem5_sync as delta_sgd_theorem5_sync
from proofs_checks.delta_sgd import violated as delta_sgd_violated

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
PROOFS = Proofs(
    "delta_sgd", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent.parent / "certificates"
)
