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
    differences=(
        "aaggff/66",
        "aaggff/68-whole",
        "aaggff/68-second",
        "aaggff/71",
        "aaggff/76-round",
        "aaggff/81",
        "aaggff/A.3-newton@printed",
        "aaggff/A.3",
        "aaggff/A.4",
        "aaggff/A.4-last",
        "aaggff/T5.1-reverse",
        "aaggff/4.3@corrected",
        "aaggff/4.3-D1@corrected",
        "aaggff/4.3-D2@corrected",
        "aaggff/A3-estimate",
        "aaggff/A3-mean",
        "aaggff/4.4@corrected",
        "aaggff/A2-objective",
        "aaggff/4.5",
    ),
)
