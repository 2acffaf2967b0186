"""The proofs of "Adaptive Client Sampling in Federated Learning via Online Learning with Bandit Feedback", in the paper's order.

The mirror step, regret against any sequence of distributions, experts with different rates.
"""

from __future__ import annotations

from proofs_checks import in_order
from proofs_checks.osmd.unproved import WHY

PROOFS = in_order(
    "osmd",
    "sampling",
    "facts",
    "quotients",
    "lemmas",
    "mirror",
    "ranks",
    "projection",
    "nonexpansive",
    "paths",
    "regret",
    "theorem6",
    "along_paths",
    "corollary7",
    "experts",
    "grid",
    "theorem8",
    "sharper",
    "theorem10",
    "blocks",
    "ordered",
    "weighted",
    "sgd",
    "tuned",
    "fedavg",
    "fedavg_round",
    "fedavg_rates",
    "fedavg_tuned",
    "fedavg_explicit",
    "words",
    "words_floor",
    "words_steps",
    "words_away",
    "words_drawn",
    "words_rounds",
    "words_closed",
    "words_ranks",
    "played",
    "played_fedavg",
    "comparisons",
    "random_comparators",
    "small",
    "two_states",
    "words_sharp",
    "words_drift",
    differences=("osmd/48",),
    bounds=("osmd/Amax-sgd", "osmd/Amax-avg", "osmd/L14-needed"),
    unproved=WHY,
)
