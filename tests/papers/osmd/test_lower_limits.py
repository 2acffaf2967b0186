"""Lower limits of runs and games with too many courses to list: no exact value is below, and they are near it."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb

from fltheory.case import Case
from fltheory.claim import check
from fltheory.evidence.measured import AtLeast
from fltheory.known import find
from fltheory.number import BALL, to_float
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.adaptive import adaptive, doubling
from fltheory.papers.osmd.claims.fedavg import case_of_run
from fltheory.papers.osmd.data.bounded_clients import ApartClients
from fltheory.papers.osmd.exact.fedavg import FedAvgGradient
from fltheory.papers.osmd.exact.lower_limits.apart import least_gradient
from fltheory.papers.osmd.exact.sgd import MeanSquaredGradient

# FedAvg, clients that pull apart --------------------------------------------------------------------------------------

GRADIENT = FedAvgGradient()


def run(n_rounds: int = 4, level: int = 1, loose: int = 10**5, **more: object) -> Case:
    clients = ApartClients((1,), level, "1/50", more.pop("bend", 2), 1, "1/2", more.pop("noise_std", 0))  # type: ignore[arg-type]
    given: dict[str, object] = {"step_size": "1/10", "sampler_rate": "1/1000000", "max_feedback": "1/9"}
    return case_of_run(clients, n_rounds, gradient_bound=loose, **{**given, **more})


def limit_of(sampler: object, case: Case) -> arb:
    found = least_gradient(sampler, case)  # type: ignore[arg-type]
    assert isinstance(found, AtLeast)
    return found.value  # type: ignore[return-value]


@pytest.mark.parametrize("sampler", [osmd, adaptive(), adaptive("printed")], ids=lambda s: s.name)
@pytest.mark.parametrize(("level", "bend"), [(1, 2), (3, 2), (1, "1/5")])
def test_no_enumerated_run_is_below_its_limit(sampler: object, level: int, bend: object) -> None:
    case = run(level=level, bend=bend, n_rounds=4, max_feedback=10**9)
    exact = MeanSquaredGradient.exact(GRADIENT, sampler, case, BALL)  # type: ignore[arg-type]
    limit = limit_of(sampler, case)
    assert limit <= exact
    if bend == 2:
        assert limit > exact / 2


def test_a_sampler_that_learns_has_a_lower_limit() -> None:
    slow, fast = (run(sampler_rate=rate) for rate in ("1/1000000", "1/100"))
    assert limit_of(osmd, fast) < limit_of(osmd, slow)
    exact = MeanSquaredGradient.exact(GRADIENT, osmd, fast, BALL)
    assert limit_of(osmd, fast) <= exact


def test_what_the_argument_does_not_cover_has_none() -> None:
    learner = osmd._replace(step=lambda p, counts, feedback, c: p)
    assert least_gradient(learner, run()) is None
    assert least_gradient(doubling(), run(max_feedback=10**9)) is None
    assert least_gradient(osmd, run(n_sampled=2)) is None
    assert least_gradient(osmd, run(n_local_steps=2)) is None
    assert least_gradient(osmd, run(step_size="3/4")) is None
    assert least_gradient(osmd, run(noise_std=1)) is None


def test_simulated_runs_are_above_the_limit() -> None:
    case = run(n_rounds=200, level=28, bend=1, step_size="1/100")
    found = GRADIENT.simulate(osmd, case, 0, np.arange(400))
    limit = to_float(limit_of(osmd, case))
    assert 0 < limit < found.mean() + 4 * found.std() / 20
    assert limit > 0.15 * found.mean()


@pytest.mark.parametrize("name", ["T5", "T9b"])
def test_the_printed_rates_are_refuted_by_exact_evidence_and_the_corrected_ones_are_not(name: str) -> None:
    printed, corrected = find(f"osmd/C-{name}@printed"), find(f"osmd/C-{name}@corrected")
    (case,) = printed.cases
    verdict = check(printed, case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert verdict.ratio is not None
    assert verdict.ratio > 4
    assert check(corrected, case).status != "violated"
