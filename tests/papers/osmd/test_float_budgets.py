"""Values in floats between two numbers: as far apart as the error that is allowed, with the exact value between them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from fltheory.games.dynamic_regret import FLOAT_ERROR
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational
from fltheory.papers.osmd.algorithms import adaptive, osmd
from fltheory.papers.osmd.experts.closed_forms.regret import ExpertRegret, MetaPathRegret, MetaRegret, nearest_expert
from fltheory.papers.osmd.fedavg.closed_forms.fedavg import FedAvgGradient
from fltheory.papers.osmd.instances.bounded_clients import ProportionalClients
from fltheory.papers.osmd.sgd.closed_forms import sgd
from fltheory.runs.method import AssumptionFailed, NotEnumerable
from tests.papers.osmd.test_experts import SMALL, followed


@pytest.mark.parametrize("measure", [sgd.MeanSquaredGradient(), FedAvgGradient()], ids=["SGD", "FedAvg"])
def test_the_mean_squared_gradient_between_two_floats(measure: Any) -> None:
    """The budget is a share of the largest squared gradient, on each side."""
    clients = ProportionalClients((1, 3), "1/2", noise_std="1/2")
    settings: dict[str, Any] = {"n_sampled": 2, "step_size": "1/4", "sampler_rate": 2, "n_local_steps": 1}
    case = Case(clients, n_rounds=3, server_step_size=1, **settings)
    low, high = measure.in_floats(osmd, case)
    budget = sgd.BUDGET * 2.0**2  # mean slope 2 a U = 2
    assert high - low == pytest.approx(2 * budget, rel=1e-3)
    exact = measure.exact(osmd, case, BALL)
    assert (low + high) / 2 == pytest.approx(float(exact), abs=budget / 100)


@pytest.mark.parametrize("case", SMALL)
def test_the_regret_of_the_mixture_between_two_floats(case: Any) -> None:
    """The budget is a share of the sum over the rounds of the largest losses of a play and of an expert."""
    n = case.instance.n_clients
    rounds = [
        followed(case, "given", draws)[0] for draws in itertools.product(range(n), repeat=case.instance.n_rounds - 1)
    ]
    size = sum(
        max((a / p).sum() for _, p, a in same) + max((a / experts).sum(axis=1).max() for experts, _, a in same)
        for same in zip(*rounds, strict=True)
    )
    sampler = adaptive.adaptive("given")
    low, high = MetaRegret().in_floats(sampler, case)
    assert high - low == pytest.approx(2 * FLOAT_ERROR * size, rel=1e-6)
    exact = MetaRegret().exact(sampler, case, BALL)
    assert (low + high) / 2 == pytest.approx(float(exact), abs=FLOAT_ERROR * size)


def test_regrets_of_samplers_without_experts_or_balls() -> None:
    (case, *_), own = SMALL, adaptive.adaptive("given")
    bare = own._replace(exact=None)
    plain: Any = Sampler("uniform", lambda p, counts, feedback, c: p)
    for measure in (ExpertRegret(), MetaRegret()):
        with pytest.raises(NotRational):
            measure.exact(own, case, RATIONAL)
        with pytest.raises(NotEnumerable, match="has no version in ball arithmetic"):
            measure.exact(bare, case, BALL)
    for simulated in (ExpertRegret(), MetaPathRegret()):
        with pytest.raises(AssumptionFailed, match="the sampler has no experts: its state has no part experts"):
            simulated.simulate(plain, case, 0, np.arange(2))
    with pytest.raises(AssumptionFailed, match="the sampler has no experts"):
        MetaRegret().in_floats(plain, case)


@pytest.mark.parametrize("case", SMALL)
def test_the_expert_regret_of_a_path(case: Any) -> None:
    """The sum over the rounds, along the draws of the path."""
    sampler, expert = adaptive.adaptive("given"), nearest_expert(case)
    found = ExpertRegret().simulate(sampler, case, 3, np.arange(4))
    n, possible = case.instance.n_clients, []
    for draws in itertools.product(range(n), repeat=case.instance.n_rounds - 1):
        rounds, _ = followed(case, "given", draws)
        possible.append(sum((a / experts[expert]).sum() - 2 * a.sum() for experts, _, a in rounds))
    assert all(min(abs(v - w) for w in possible) < 1e-9 * (1 + abs(v)) for v in found)
