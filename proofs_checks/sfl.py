"""The proofs of "Sharp Bounds for Sequential Federated Learning on Heterogeneous Data", in the paper's order.

Upper bounds: one round and the drift inside it, from rounds to averages, tuned steps. Lower bounds: sums of signs, the
rounds of the kinked functions, the regimes of the step size, their assembly.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks import (
    sfl_ahead,
    sfl_assembly,
    sfl_assembly_convex,
    sfl_assembly_noise,
    sfl_averages,
    sfl_behind,
    sfl_between,
    sfl_descent,
    sfl_descent_parallel,
    sfl_draws,
    sfl_drift,
    sfl_facts,
    sfl_kept,
    sfl_kinked,
    sfl_lower,
    sfl_noise_term,
    sfl_parallel,
    sfl_permuted,
    sfl_pull,
    sfl_rates,
    sfl_rates_nonconvex,
    sfl_regimes,
    sfl_round,
    sfl_shuffled,
    sfl_signs,
    sfl_stay,
    sfl_stay_noise,
    sfl_stray,
    sfl_tuned,
    sfl_walk,
)

PARTS = (
    sfl_facts,
    sfl_draws,
    sfl_round,
    sfl_drift,
    sfl_parallel,
    sfl_descent,
    sfl_descent_parallel,
    sfl_averages,
    sfl_rates,
    sfl_tuned,
    sfl_rates_nonconvex,
    sfl_signs,
    sfl_permuted,
    sfl_between,
    sfl_shuffled,
    sfl_walk,
    sfl_stray,
    sfl_pull,
    sfl_kinked,
    sfl_ahead,
    sfl_behind,
    sfl_kept,
    sfl_regimes,
    sfl_lower,
    sfl_stay,
    sfl_stay_noise,
    sfl_noise_term,
    sfl_assembly,
    sfl_assembly_convex,
    sfl_assembly_noise,
)
PROOFS = Proofs("sfl", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent / "certificates")
