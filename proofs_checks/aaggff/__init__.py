"""The proofs of "Pursuing Overall Welfare in Federated Learning through Sequential Decision Making", in the paper's order."""

from __future__ import annotations

from proofs_checks import in_order

PROOFS = in_order(
    "aaggff",
    "facts",
    "lipschitz",
    "lemmas",
    "curvature",
    "window",
    "newton",
    "theorem51",
    "proof51",
    "entropy",
    "theorem52",
    "spread",
    "fair",
    "sampling",
    "remainder",
    "corollary53",
    "unbiased",
    "vertex",
    "coin",
    "printed",
)
