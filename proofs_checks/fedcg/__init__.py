"""The proofs of "Decomposable Submodular Maximization in Federated Setting", in the paper's order.

The multilinear extension, full and partial participation, local steps, the discrete greedy algorithm.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks.fedcg import facts as fedcg_facts
from proofs_checks.fedcg import greedy as fedcg_greedy
from proofs_checks.fedcg import lemmas as fedcg_lemmas
from proofs_checks.fedcg import local as fedcg_local
from proofs_checks.fedcg import multilinear as fedcg_multilinear
from proofs_checks.fedcg import partial as fedcg_partial
from proofs_checks.fedcg import remarks as fedcg_remarks
from proofs_checks.fedcg import sampling as fedcg_sampling
from proofs_checks.fedcg import sets as fedcg_sets
from proofs_checks.fedcg import tails as fedcg_tails
from proofs_checks.fedcg import theorem32 as fedcg_theorem32
from proofs_checks.fedcg import theorem35 as fedcg_theorem35
from proofs_checks.fedcg import theorem43 as fedcg_theorem43
from proofs_checks.fedcg import theorem43_tuned as fedcg_theorem43_tuned
from proofs_checks.fedcg import theorem51 as fedcg_theorem51
from proofs_checks.fedcg import variance as fedcg_variance

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
PROOFS = Proofs(
    "fedcg", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent.parent / "certificates"
)
