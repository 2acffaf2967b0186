"""The proofs of "Pursuing Overall Welfare in Federated Learning through Sequential Decision Making", in the paper's order."""

from __future__ import annotations

from fltheory.papers.aaggff.open_claims import WHY
from fltheory.proof.papers import collect_proofs

PROOFS = collect_proofs("aaggff", "losses.proofs.facts", "losses.proofs.lipschitz", "losses.proofs.lemmas",
    "losses.proofs.curvature", "transforms.proofs.window", "newton.proofs.newton", "newton.proofs.theorem51",
    "newton.proofs.own_responses", "newton.proofs.proof51", "losses.proofs.entropy", "entropic.proofs.theorem52",
    "estimators.proofs.spread", "unification.proofs.fair", "estimators.proofs.sampling", "estimators.proofs.remainder",
    "entropic.proofs.corollary53", "entropic.proofs.unbiased", "entropic.proofs.vertex", "newton.proofs.coin",
    "newton.proofs.printed", "unification.proofs.plain", "unification.proofs.mixing", "unification.proofs.tending",
    "entropic.proofs.whole_runs", "losses.proofs.bends", "losses.proofs.quadratics", "estimators.proofs.measured",
    "losses.proofs.corners", "complexity.proofs", "transforms.proofs.chances", "unification.proofs.uniform",
    "estimators.proofs.estimates", "estimators.proofs.spans", "newton.proofs.tosses", "losses.proofs.steepest",
    "estimators.proofs.rescaled", "unification.proofs.gradients",
    differences=("aaggff/66", "aaggff/68-whole", "aaggff/68-second", "aaggff/71", "aaggff/76-round", "aaggff/81",
        "aaggff/A.3-newton@printed", "aaggff/A.3", "aaggff/A.4", "aaggff/A.4-last", "aaggff/T5.1-reverse",
        "aaggff/4.3@corrected", "aaggff/4.3-D1@corrected", "aaggff/4.3-D2@corrected", "aaggff/A3-estimate",
        "aaggff/A3-mean", "aaggff/4.4@corrected", "aaggff/A2-objective", "aaggff/4.5", "aaggff/4.3-one@strengthened",
        "aaggff/4.4-jacobian", "aaggff/4.4-first-order", "aaggff/R1-bound@explicit"),
    bounds=("aaggff/U2-length@corrected", "aaggff/U2-length@strengthened", "aaggff/R1@printed",
        "aaggff/R1-steps@explicit", "aaggff/R1-curvature@explicit", "aaggff/R2@printed",
        "aaggff/R2-inflation@corrected"), unproved=WHY)
