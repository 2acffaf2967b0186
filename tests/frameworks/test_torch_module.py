"""Modules with their data as clients: against clients in closed form, what verdicts on them suppose, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fltheory import find, symbols
from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.number import to_float
from fltheory.papers.sfl import algorithms
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from tests.test_readme import examples

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fltheory[torch]'")

from fltheory.frameworks import torch
from fltheory.frameworks.torch.estimates import Estimate
from fltheory.frameworks.torch.module import ModuleClients, clients

library = torch.import_torch().module
T3 = find("sfl/T3-NC@printed")
SAMPLES = (((1.0, 3.0), (1.0, -1.0)), ((1.0, 2.0), (1.0, -4.0)))  # (input, target) of two clients


def line(**settings: Any) -> ModuleClients:
    """One weight w from 3, losses (w x - y)^2 / 2."""
    module = library.nn.Linear(1, 1, bias=False)
    library.nn.init.constant_(module.weight, 3.0)
    data = [(np.array([[x] for x, _ in own]), np.array([[y] for _, y in own])) for own in SAMPLES]
    return clients(module, lambda found, y: ((found - y) ** 2).mean() / 2, data, **settings)


def network(**settings: Any) -> ModuleClients:
    library.manual_seed(0)
    net, rng = (
        library.nn.Sequential(library.nn.Linear(2, 3), library.nn.Tanh(), library.nn.Linear(3, 1)),
        np.random.default_rng(0),
    )
    inputs = [rng.standard_normal((8, 2)) for _ in range(2)]
    data = [(x, np.sin(x[:, :1]) * sign) for x, sign in zip(inputs, (1, -1), strict=True)]
    return clients(net, library.nn.functional.mse_loss, data, batch_size=2, estimate=Estimate(points=4), **settings)


def test_a_line_through_samples_is_quadratic_clients() -> None:
    found = line(batch_size=1, estimate=Estimate(factor=1))
    exact = FiniteSumQuadraticClients((1, 1), ((-3, 1), (-2, 4)), 3, batch_size=1)
    x, u = np.array([[3.0], [0.5], [-7.0]]), np.array([[0.1], [0.9], [0.4]])
    for client in (0, 1, np.array([1, 0, 1])):
        assert found.gradient(x, client) == pytest.approx(exact.gradient(x, client))
        assert found.noise(x, client, u) == pytest.approx(exact.noise(x, client, u))
    assert found.mean_gradient(x) == pytest.approx(exact.mean_gradient(x))
    for symbol in (symbols.smoothness, symbols.noise_std, symbols.heterogeneity, symbols.initial_gradient):
        assert to_float(found.constants[symbol]) == pytest.approx(to_float(exact.constants[symbol])), symbol.name
    assert to_float(found.constants[symbols.initial_gap]) >= to_float(exact.constants[symbols.initial_gap])


def test_an_estimate_goes_upwards() -> None:
    once, twice = (to_float(line(estimate=Estimate(factor=f)).constants[symbols.smoothness]) for f in (1, 2))
    assert twice == pytest.approx(2 * once)
    with pytest.raises(UserError, match="factor >= 1"):
        Estimate(factor=0.5)


def test_a_verdict_says_what_it_supposes() -> None:
    estimated = network()
    smoothness = to_float(estimated.constants[symbols.smoothness])
    settings = {"n_rounds": 10, "n_local_steps": 2, "step_size": 1 / (24 * smoothness)}
    verdict = check_claim(T3, Case(estimated, **settings))
    assert verdict.evidence == "statistical"
    assert "estimated as 2 times the largest of 5 points within 1 of the start" in verdict.reason
    given = check_claim(
        T3, Case(network(smoothness=3 * smoothness, noise_std=9, heterogeneity=9), **{**settings, "step_size": 1e-3})
    )
    assert "noise_std = 9 as given" in given.reason
    assert "estimated" not in given.reason


def test_a_violation_on_estimates_is_left_open() -> None:
    """Clients that climb: a violation where the constants are given, open where they are estimates."""

    def climb(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x + 8 * c.step_size * sum(oracle.gradient(x, m) for m in range(c.n_clients))

    claim = replace(T3, algorithm=replace(algorithms.sequential, step=climb))
    settings = {"n_rounds": 400, "n_local_steps": 1, "step_size": "1/24"}
    known = {"smoothness": 1, "noise_std": 0, "heterogeneity": "7/2"}
    statuses = {}
    for name, instance in (("given", line(**known)), ("estimated", line())):
        verdict = check_claim(claim, Case(instance, **{**settings, "step_size": "1/48"}))
        statuses[name] = verdict.status
    assert statuses == {"given": "violated", "estimated": "inconclusive"}
    assert "an estimate is too small" in verdict.reason


def test_a_constant_that_gradients_refute_is_told() -> None:
    verdict = check_claim(T3, Case(line(smoothness="1/2"), n_rounds=5, n_local_steps=1, step_size="1/100"))
    assert (verdict.status, verdict.evidence) == ("inapplicable", None)
    assert "changes faster than smoothness = 0.5" in verdict.reason


def test_theorems_about_a_minimiser_do_not_apply() -> None:
    verdict = check_claim(find("sfl/T7@explicit"), Case(line(), n_rounds=5, n_local_steps=1, step_size="1/100"))
    assert verdict.status == "inapplicable"
    assert "no minimiser of these clients is known" in verdict.reason


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"speed": 1}, "speed: expected smoothness, noise_std, heterogeneity"),
        ({"batch_size": 0}, "batch_size = 0: expected an integer from 1"),
        ({"lowest": 100}, "of mean at least lowest = 100"),
        ({"noise_std": -1}, "not negative"),
    ],
)
def test_mistakes_are_told(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        line(**wrong)


def test_a_loss_of_other_shape_is_told() -> None:
    module = library.nn.Linear(1, 1)
    with pytest.raises(UserError, match="loss\\(module\\(inputs\\), targets\\)"):
        clients(module, lambda found, y: found, [(np.ones((2, 1)), np.ones((2, 1)))])


def test_the_page_does_what_it_says() -> None:
    (program,) = [text for text in examples("docs/how-to/torch.md") if "import" in text]
    names: dict[str, Any] = {}
    exec(program, names)
    verdict = check_claim(T3, Case(names["mine"], n_rounds=10, n_local_steps=2, step_size="1/1000"))
    assert "noise_std = 9 as given; smoothness = " in verdict.reason
