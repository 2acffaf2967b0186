"""The proofs of "Adaptive Client Sampling in Federated Learning via Online Learning with Bandit Feedback", in the paper's order.

The mirror step, regret against any sequence of distributions, experts with different rates.
"""

from __future__ import annotations

from fltheory.papers.osmd.open_claims import WHY
from fltheory.proof.papers import collect_proofs

PROOFS = collect_proofs("osmd", "sampling.proofs.sampling", "mirror.proofs.facts", "sampling.proofs.quotients",
    "mirror.proofs.lemmas", "mirror.proofs.mirror", "sampling.proofs.ranks", "mirror.proofs.projection",
    "mirror.proofs.nonexpansive", "regret.proofs.paths", "regret.proofs.regret", "regret.proofs.theorem6",
    "regret.proofs.along_paths", "regret.proofs.corollary7", "experts.proofs.experts", "experts.proofs.grid",
    "experts.proofs.theorem8", "regret.proofs.strengthened", "experts.proofs.theorem10", "experts.proofs.blocks",
    "sampling.proofs.ordered", "sgd.proofs.weighted", "sgd.proofs.sgd", "sgd.proofs.tuned", "fedavg.proofs.fedavg",
    "fedavg.proofs.round", "fedavg.proofs.rates", "fedavg.proofs.tuned", "fedavg.proofs.explicit",
    "sampling.proofs.with_constants", "mirror.proofs.floor", "mirror.proofs.steps",
    "sampling.proofs.without_replacement", "sampling.proofs.drawn", "experts.proofs.first_rounds",
    "mirror.proofs.closed_forms", "mirror.proofs.ranks", "sgd.proofs.harmonic", "sgd.proofs.quadratic",
    "sgd.proofs.played", "fedavg.proofs.played", "sgd.proofs.comparisons", "regret.proofs.random_comparators",
    "regret.proofs.small", "heterogeneity.proofs.game", "heterogeneity.proofs.game_order",
    "heterogeneity.proofs.game_rounds", "heterogeneity.proofs.game_ample", "heterogeneity.proofs.game_two",
    "heterogeneity.proofs.game_binding", "heterogeneity.proofs.game_unbound", "heterogeneity.proofs.game_middle",
    "regret.proofs.strengthened_constants", "fedavg.proofs.drift", "experts.proofs.violated", "fedavg.proofs.scale",
    differences=("osmd/48",), bounds=("osmd/Amax-sgd", "osmd/Amax-avg", "osmd/L14-needed"),
    lemmas=("osmd/T4-premin-sharp", "osmd/T4-premin", "osmd/T4", "osmd/T4-any", "osmd/T9a-premin", "osmd/T9a",
        "osmd/T5-premin", "osmd/T5", "osmd/T9b", "osmd/T9b-apart", "osmd/T9b-premin", "osmd/T5-explicit",
        "osmd/T5-premin-explicit"), unproved=WHY)
