"""The proofs of "Decomposable Submodular Maximization in Federated Setting", in the paper's order.

The multilinear extension, full and partial participation, local steps, the discrete greedy algorithm.
"""

from __future__ import annotations

from fltheory.papers.fedcg.open_claims import WHY
from fltheory.proof.papers import collect_proofs

PROOFS = collect_proofs("fedcg", "facts.sets", "points.proofs.multilinear", "facts.algebra", "points.proofs.lemmas",
    "guarantees.proofs.theorem32", "guarantees.proofs.printed_range", "points.proofs.sampling",
    "points.proofs.variance", "facts.tails", "facts.hoeffding", "guarantees.proofs.partial",
    "guarantees.proofs.theorem35", "guarantees.proofs.drawn", "guarantees.proofs.printed_range_partial",
    "guarantees.proofs.drawn_strengthened", "local.proofs.local", "plus.proofs.theorem43", "plus.proofs.drawn",
    "plus.proofs.theorem43_tuned", "local.proofs.modes", "plus.proofs.theorem43_modes", "plus.proofs.drawn_ceilings",
    "guarantees.proofs.equal_rounds", "guarantees.proofs.remarks", "estimates.proofs.estimates",
    "discrete.proofs.greedy", "facts.bernstein", "discrete.proofs.theorem51", "discrete.proofs.answers",
    "discrete.proofs.once", "communication.proofs", "rounding.proofs", "discrete.proofs.protocols",
    "discrete.proofs.privacy", "discrete.proofs.facilities", "discrete.proofs.memberships", "points.proofs.slopes",
    "points.proofs.bases", "plus.proofs.theorem43_strengthened", "guarantees.proofs.continuous",
    "estimates.proofs.samples", "plus.proofs.estimated", "plus.proofs.theorem43_estimated", "points.proofs.quotients",
    differences=("fedcg/P2-low", "fedcg/P2-high", "fedcg/P3-antitone", "fedcg/P3-monotone", "fedcg/P4-concave",
        "fedcg/P4-high", "fedcg/P4-low", "fedcg/A.2@printed"), bounds=("fedcg/P8",), unproved=WHY)
