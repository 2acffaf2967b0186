"""The proofs of "Sharp Bounds for Sequential Federated Learning on Heterogeneous Data", in the paper's order.

Upper bounds: one round and the drift inside it, from rounds to averages, tuned steps. Lower bounds: sums of signs, the
rounds of the kinked functions, the regimes of the step size, their assembly.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.proof.language import Proofs
from proofs_checks.sfl import ahead as sfl_ahead
from proofs_checks.sfl import assembly as sfl_assembly
from proofs_checks.sfl import assembly_convex as sfl_assembly_convex
from proofs_checks.sfl import assembly_noise as sfl_assembly_noise
from proofs_checks.sfl import averages as sfl_averages
from proofs_checks.sfl import behind as sfl_behind
from proofs_checks.sfl import between as sfl_between
from proofs_checks.sfl import descent as sfl_descent
from proofs_checks.sfl import descent_parallel as sfl_descent_parallel
from proofs_checks.sfl import draws as sfl_draws
from proofs_checks.sfl import drift as sfl_drift
from proofs_checks.sfl import facts as sfl_facts
from proofs_checks.sfl import kept as sfl_kept
from proofs_checks.sfl import kinked as sfl_kinked
from proofs_checks.sfl import lower as sfl_lower
from proofs_checks.sfl import noise_term as sfl_noise_term
from proofs_checks.sfl import parallel as sfl_parallel
from proofs_checks.sfl import permuted as sfl_permuted
from proofs_checks.sfl import pull as sfl_pull
from proofs_checks.sfl import rates as sfl_rates
from proofs_checks.sfl import rates_nonconvex as sfl_rates_nonconvex
from proofs_checks.sfl import regimes as sfl_regimes
from proofs_checks.sfl import round as sfl_round
from proofs_checks.sfl import shuffled as sfl_shuffled
from proofs_checks.sfl import signs as sfl_signs
from proofs_checks.sfl import stay as sfl_stay
from proofs_checks.sfl import stay_noise as sfl_stay_noise
from proofs_checks.sfl import stray as sfl_stray
from proofs_checks.sfl import tuned as sfl_tuned
from proofs_checks.sfl import walk as sfl_walk

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
PROOFS = Proofs("sfl", tuple(t for part in PARTS for t in part.THEOREMS), Path(__file__).parent.parent / "certificates")
