"""The proofs of "Sharp Bounds for Sequential Federated Learning on Heterogeneous Data", in the paper's order.

Upper bounds: one round and the drift inside it, from rounds to averages, tuned steps. Lower bounds: sums of signs, the
rounds of the kinked functions, the regimes of the step size, their assembly.
"""

from __future__ import annotations

from proofs_checks import in_order
from proofs_checks.sfl.unproved import WHY

PROOFS = in_order(
    "sfl",
    "facts",
    "draws",
    "round",
    "drift",
    "parallel",
    "sketch",
    "descent",
    "descent_parallel",
    "averages",
    "tighter",
    "rates",
    "coupled",
    "tuned",
    "coupled_runs",
    "dropped",
    "rates_nonconvex",
    "tuned_nonconvex",
    "signs",
    "permuted",
    "between",
    "sides",
    "shuffled",
    "ties",
    "walk",
    "stray",
    "pull",
    "kinked",
    "ahead",
    "any_round",
    "behind",
    "noisy",
    "noisy_words",
    "many_rounds",
    "noisy_rounds",
    "kept",
    "regimes",
    "even_round",
    "signs_words",
    "lower",
    "round_words",
    "stay",
    "stay_noise",
    "noise_term",
    "averaged_noise",
    "assembly",
    "assembly_average",
    "assembly_convex",
    "assembly_convex_noise",
    "assembly_noise",
    "table",
    "thresholds",
    "tasks",
    bounds=("sfl/I-inv-start", "sfl/J-inv-start"),
    unproved=WHY,
)
