"""Theorem 4.3: FedCG+ with local steps, in its three modes, with exact, sampled and adversarially wrong gradients."""

from __future__ import annotations

from typing import Any

from sympy import log, sqrt

from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.fedcg import algorithms, bounds
from fltheory.papers.fedcg.claims.direct import drawn
from fltheory.papers.fedcg.claims.theorems import run, theorem, tuned
from fltheory.papers.fedcg.data.instances import facility_clients, perturbed_clients, private_items
from fltheory.papers.fedcg.exact.measures import Shortfall
from fltheory.papers.fedcg.letters import (
    D,
    N,
    Q,
    T,
    delta,
    delta_est,
    deviations,
    drift,
    eta,
    m,
    m_max,
    n,
    sigma,
    tau,
    weighted,
)
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular

PRINTED, SHARP = (D, Q), (weighted, drift, deviations)


def local(case: Case, steps: int, drawn_clients: int = 2, error: object = 0, failure: object = "1/4") -> Case:
    """The same rounds with so many local steps."""
    return case.with_settings(
        n_local_steps=steps, n_sampled=drawn_clients, estimate_error=error, failure_probability=failure
    )


NEARLY = SubmodularClients(
    (Modular((5, 4, 3, "1/2")), Modular((5, 4, "31/10", "1/2"))), Uniform(4, 2), (2, 1)
)  # modular: no drift
ONE_STEP = (local(run(perturbed_clients(3, 6, 2, "1/2000", seed=11), 4), 1), local(run(NEARLY, 4), 1, error="1/1000"))
SEVERAL = (
    local(run(NEARLY, 4), 3),
    local(run(NEARLY, 3, "1/4"), 2, error="1/1000"),
    local(run(facility_clients(2, 5, 1, "1/100", seed=12), 6), 2),
)
SLOW = (*ONE_STEP, *SEVERAL[:2])
_P = "FedCG+, R = T/τ rounds of τ local steps, η <= 1/R: with probability at least 1 - δ, "
_FIRST = f"{_P}the first display of Theorem 4.3"
CUBE = "Gradients are taken in the cube. Local Lipschitz constants and heterogeneities are those of the run."


TIGHT = local(run(private_items(5), 2), 2, 1)
OUTSIDE = "Outside the cube the proof's facts fail (Lip1); no run that breaks the bound was found."


def _plus(
    name: str, statement: str, bound: Any, letters: Any, mode: Any, error: Any, cases: tuple[Case, ...], **more: Any
) -> Claim:
    by_name = {
        ("clip", "none"): algorithms.clipped,
        ("scaled", "none"): algorithms.scaled,
        ("literal", "none"): algorithms.literal,
        ("clip", "worst"): algorithms.clipped_wrong,
        ("scaled", "worst"): algorithms.scaled_wrong,
        ("clip", "sampled"): algorithms.clipped_sampled,
        ("scaled", "sampled"): algorithms.scaled_sampled,
    }
    guarantee = more.pop("guarantee", "eta")
    more.setdefault("failure", delta)
    more.setdefault("tightest", TIGHT if guarantee == "eta" else tuned((TIGHT,))[0])
    measure = Shortfall(letters, guarantee, mode=mode, error=error, random=True)
    family = drawn("runs", "partial", local=3, error=error == "worst", step=guarantee == "eta")
    return theorem(
        name, statement, bound, measure, by_name[mode, error], cases, family, mode="with probability", **more
    )


_S8 = m_max * sqrt(log(2 * n * T * tau * N / delta_est) / (2 * m))  # [S8], for all clients and local steps
SAMPLES = (local(run(perturbed_clients(3, 4, 1, "1/500", seed=13), 8), 2, failure="1/4"),)
ESTIMATED = tuple(
    Case(
        c.instance, **{k: v for k, v in c.settings if k != "estimate_error"}, n_samples=1000, estimation_failure="1/10"
    )
    for c in SAMPLES
)
CLAIMS: tuple[Claim, ...] = (
    _plus("T4.3", f"{_FIRST}; gradients taken at min(x, 1)", bounds.T43, PRINTED, "clip", "worst", SLOW, remark=CUBE),
    _plus("T4.3-scaled", f"{_FIRST}; local steps η/τ", bounds.T43, PRINTED, "scaled", "worst", SLOW, remark=CUBE),
    _plus(
        "T4.3-literal",
        f"{_FIRST}; local steps 1/τ that leave the cube",
        bounds.T43,
        PRINTED,
        "literal",
        "none",
        (ONE_STEP[0], SEVERAL[0]),
        remark=OUTSIDE,
    ),
    _plus(
        "T4.3-tuned",
        f"{_P}η = 1/R: the second display of Theorem 4.3",
        bounds.T43_TUNED,
        PRINTED,
        "clip",
        "worst",
        tuned(SLOW),
        tuning=((eta, 1 / T),),
        guarantee="e",
        remark="(109) to (111) lose a factor T/τ in the σ term; the smaller printed term is true all the same, by S5.",
    ),
    _plus(
        "S5-clip",
        f"{_P}sharper, with the drift in the maximum norm; gradients taken at min(x, 1)",
        bounds.S5,
        SHARP,
        "clip",
        "worst",
        SLOW,
    ),
    _plus(
        "S5-estimated",
        f"{_P[:-2]} - δ_est, the same where every gradient is the mean over m random sets, σ by S8",
        bounds.S5,
        SHARP,
        "scaled",
        "sampled",
        ESTIMATED,
        tuning=((sigma, _S8),),
        failure=delta + delta_est,
        tightest=None,
    ),
    _plus("S5-scaled", f"{_P}sharper; local steps η/τ", bounds.S5, SHARP, "scaled", "worst", (*SLOW, SEVERAL[2])),
)
