"""The proofs of "Decomposable Submodular Maximization in Federated Setting", in the paper's order.

The multilinear extension, full and partial participation, local steps, the discrete greedy algorithm.
"""

from __future__ import annotations

from proofs_checks import in_order
from proofs_checks.fedcg.unproved import WHY

PROOFS = in_order(
    "fedcg",
    "sets",
    "multilinear",
    "facts",
    "lemmas",
    "theorem32",
    "printed_range",
    "sampling",
    "variance",
    "tails",
    "hoeffding",
    "partial",
    "theorem35",
    "drawn",
    "printed_range_partial",
    "drawn_sharp",
    "local",
    "theorem43",
    "drawn_local",
    "theorem43_tuned",
    "local_modes",
    "theorem43_modes",
    "drawn_ceilings",
    "equal_rounds",
    "remarks",
    "estimates",
    "greedy",
    "bernstein",
    "theorem51",
    "answers",
    "once",
    "costs",
    "rounding",
    "protocols",
    "privacy",
    "facilities",
    "memberships",
    "slopes",
    "bases",
    "theorem43_sharp",
    "continuous",
    "samples",
    "estimated",
    "theorem43_estimated",
    "quotients",
    differences=(
        "fedcg/P2-low",
        "fedcg/P2-high",
        "fedcg/P3-antitone",
        "fedcg/P3-monotone",
        "fedcg/P4-concave",
        "fedcg/P4-high",
        "fedcg/P4-low",
        "fedcg/A.2@printed",
    ),
    bounds=("fedcg/P8",),
    unproved=WHY,
)
