"""The proofs of "Sharp Bounds for Sequential Federated Learning on Heterogeneous Data", in the paper's order.

Upper bounds: one round and the drift inside it, from rounds to averages, tuned steps. Lower bounds: sums of signs, the
rounds of the kinked functions, the regimes of the step size, their assembly.
"""

from __future__ import annotations

from fltheory.papers.sfl.open_claims import WHY
from fltheory.proof.papers import collect_proofs

PROOFS = collect_proofs("sfl", "recursion.proofs.facts", "recursion.proofs.draws", "recursion.proofs.round",
    "recursion.proofs.drift", "recursion.proofs.parallel", "recursion.proofs.sketch", "recursion.proofs.descent",
    "recursion.proofs.descent_parallel", "recursion.proofs.averages", "recursion.proofs.tighter", "upper.proofs.rates",
    "upper.proofs.coupled", "upper.proofs.tuned", "upper.proofs.coupled_runs", "upper.proofs.dropped",
    "nonconvex.proofs.rates", "nonconvex.proofs.tuned", "signs.proofs.signs", "signs.proofs.permuted",
    "signs.proofs.permuted_sharp", "signs.proofs.drawn_law", "signs.proofs.between", "signs.proofs.sides",
    "signs.proofs.shuffled", "signs.proofs.ties", "kinked.proofs.walk", "kinked.proofs.stray", "kinked.proofs.pull",
    "kinked.proofs.kinked", "kinked.proofs.ahead", "kinked.proofs.any_round", "kinked.proofs.behind",
    "kinked.proofs.coupling", "lower.proofs.noise.one_round", "lower.proofs.noise.with_constants",
    "lower.proofs.noise.regime3", "kinked.proofs.many_rounds", "lower.proofs.noise.many_rounds", "signs.proofs.kept",
    "lower.proofs.regimes", "signs.proofs.even_round", "signs.proofs.with_constants", "lower.proofs.lower",
    "kinked.proofs.with_constants", "kinked.proofs.stay", "lower.proofs.noise.stay", "lower.proofs.noise.term",
    "lower.proofs.noise.averaged", "lower.proofs.assembly", "lower.proofs.assembly_average",
    "lower.proofs.assembly_convex", "lower.proofs.assembly_convex_noise", "lower.proofs.assembly_noise",
    "comparison.proofs.table1", "comparison.proofs.thresholds", "tasks.proofs",
    bounds=("sfl/I-inv-start", "sfl/J-inv-start"), unproved=WHY)
