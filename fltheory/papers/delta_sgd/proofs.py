"""The proofs of "Adaptive Federated Learning with Auto-Tuned Clients", in the paper's order."""

from __future__ import annotations

from fltheory.papers.delta_sgd.open_claims import WHY
from fltheory.proof.papers import collect_proofs

PROOFS = collect_proofs("delta_sgd", "smoothness.proofs.facts", "rule.proofs.rule", "rule.proofs.rule_scaled",
    "smoothness.proofs.smooth", "smoothness.proofs.direction", "nonconvex.proofs.drift", "nonconvex.proofs.round",
    "nonconvex.proofs.theorem1", "nonconvex.proofs.theorem1_rates", "displays.proofs.displays",
    "convex.proofs.lyapunov", "convex.proofs.lemma4", "convex.proofs.printed", "convex.proofs.theorem5.theorem5",
    "convex.proofs.strengthened", "convex.proofs.theorem5.floor", "convex.proofs.theorem5.synchronous",
    "convex.proofs.theorem5.apart", "convex.proofs.theorem5.shared", "background.proofs.examples",
    "background.proofs.descent", "convex.proofs.quotients", "background.proofs.background", "rule.proofs.attained",
    "rule.proofs.ends", "rule.proofs.one_step", "rule.proofs.two_runs", "rule.proofs.same_runs",
    "rule.proofs.other_units", "rule.proofs.step_order", "rule.proofs.fednova", "convex.proofs.with_constants",
    "displays.proofs.rounds", "displays.proofs.given", "displays.proofs.expected", "displays.proofs.whole_round",
    "convex.proofs.violated", differences=("delta_sgd/15",), unproved=WHY)
