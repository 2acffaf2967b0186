"""The proofs of "Decomposable Submodular Maximization in Federated Setting", in the paper's order.

The multilinear extension, full and partial participation, local steps, the discrete greedy algorithm.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks import (
    fedcg_facts,
    fedcg_greedy,
    fedcg_lemmas,
    fedcg_local,
    fedcg_multilinear,
    fedcg_partial,
    fedcg_remarks,
    fedcg_sampling,
    fedcg_sets,
    fedcg_tails,
    fedcg_theorem32,
    fedcg_theorem35,
    fedcg_theorem43,
    fedcg_theorem43_tuned,
    fedcg_theorem51,
    fedcg_variance,
)

PARTS = (
    fedcg_sets,
    fedcg_multilinear,
    fedcg_facts,
    fedcg_lemmas,
    fedcg_theorem32,
    fedcg_sampling,
    fedcg_variance,
    fedcg_tails,
    fedcg_partial,
    fedcg_theorem35,
    fedcg_local,
    fedcg_theorem43,
    fedcg_theorem43_tuned,
    fedcg_remarks,
    fedcg_greedy,
    fedcg_theorem51,
)
PROOFS = Proofs("fedcg", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent / "certificates")
