"""The proofs of "Adaptive Federated Learning with Auto-Tuned Clients", in the paper's order."""

from __future__ import annotations

from proofs_checks import in_order
from proofs_checks.delta_sgd.unproved import WHY

PROOFS = in_order(
    "delta_sgd",
    "facts",
    "rule",
    "rule_scaled",
    "smooth",
    "direction",
    "drift",
    "round",
    "theorem1",
    "theorem1_rates",
    "displays",
    "lyapunov",
    "lemma4",
    "printed",
    "theorem5",
    "sharper",
    "theorem5_floor",
    "theorem5_sync",
    "theorem5_apart",
    "theorem5_shared",
    "examples",
    "descent",
    "quotients",
    "background",
    "attained",
    "ends",
    "one_step",
    "two_runs",
    "same_runs",
    "other_units",
    "step_order",
    "fednova",
    "words",
    "round_words",
    "given_words",
    "expected_words",
    "whole_round",
    "violated",
    differences=("delta_sgd/15",),
    unproved=WHY,
)
