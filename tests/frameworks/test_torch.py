"""PyTorch's optimisers as those of clients: what they are, what Theorem 7 says of them, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.evidence.exact import exact_value
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.number import RATIONAL
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.method import NotEnumerable, VariantError

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fltheory[torch]'")

from fltheory.frameworks import torch

T7 = find("sfl/T7@explicit")
CASE = Case(QuadraticClients((1, "1/2", "1/4"), (1, -3, 2), start=3), n_rounds=20, n_local_steps=4, step_size="1/32")


def test_sgd_is_parallel_training() -> None:
    sgd = torch.load_named("torch.optim.SGD")[0]
    assert np.abs(rollout(sgd, CASE, 1) - rollout(algorithms.parallel, CASE, 1, kernel=False)).max() < 1e-12
    adam = torch.load_named("torch.optim.Adam")[0]
    assert np.abs(rollout(adam, CASE, 1) - rollout(sgd, CASE, 1)).max() > 1e-3


def test_the_released_steps_are_what_is_run() -> None:
    """Three local steps of one client by torch alone, and as a round."""
    module = torch.import_torch().module
    case = Case(QuadraticClients((1,), (2,), start=5), n_rounds=1, n_local_steps=3, step_size="1/8")
    for name, settings in (
        ("SGD", {"momentum": 0.5, "nesterov": True}),
        ("Adam", {}),
        ("RMSprop", {}),
        ("Adagrad", {}),
    ):
        x = module.tensor([5.0], dtype=module.float64, requires_grad=True)
        optimiser = vars(module.optim)[name]([x], lr=0.125, **settings)
        for _ in range(3):
            optimiser.zero_grad()
            (x * x / 2 + 2 * x).sum().backward()
            optimiser.step()
        words = "&".join(f"{key}={value}" for key, value in settings.items())
        found = rollout(torch.load_named(f"torch.optim.{name}?{words}")[0], case, 1)[0, -1, 0]
        assert abs(found - x.item()) < 1e-12, name


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("torch.optim.SGD", "holds"),
        ("torch.optim.SGD?momentum=0.5", "holds"),
        ("torch.optim.SGD?momentum=0.5&nesterov=True", "holds"),
        ("torch.optim.SGD?weight_decay=0.5", "violated"),
    ],
)
def test_what_theorem_7_says_exactly(text: str, status: str) -> None:
    claim = replace(T7, algorithm=torch.load_named(text)[0])
    case = Case(QuadraticClients((1, 1), (3, -1), start=6), n_rounds=4000, n_local_steps=3, step_size="1/256")
    verdict = check_claim(claim, case)
    assert (verdict.status, verdict.evidence) == (status, "exact")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("torch.optim.Sgd", "there is no torch.optim.Sgd"),
        ("torch.optim.SGD?speed=2", "SGD has no speed; it has"),
        ("torch.optim.SGD?momentum", "expected NAME=VALUE"),
        ("torch.Tensor", "is no torch.optim.Optimizer"),
    ],
)
def test_mistakes_are_told(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        torch.load_named(text)


# Optimisers of one's own --------------------------------------------------------------------------------------------------

library = torch.import_torch().module
SGD = torch.load_named("torch.optim.SGD")[0]


def mine(step: Callable[[Any, Any, float], Any]) -> Algorithm:
    """Training whose clients take ``step(point, gradient, length)``, which writes into the point."""

    class Mine(library.optim.Optimizer):  # type: ignore[name-defined,misc]
        def step(self, closure: object = None) -> None:
            for group in self.param_groups:
                for point in group["params"]:
                    step(point, point.grad, group["lr"])

    return torch.optimiser_algorithm(lambda params, c: Mine(params, {"lr": torch.as_torch_float(c.step_size)}), "mine")


def through_data(point: Any, gradient: Any, lr: float) -> None:
    point.data.add_(gradient.data, alpha=-lr)


def through_a_view(point: Any, gradient: Any, lr: float) -> None:
    with library.no_grad():
        view = point.view(-1)
        view.copy_(view - lr * gradient.view(-1))


def by_assignment(point: Any, gradient: Any, lr: float) -> None:
    point.data = point.data - lr * gradient.data


def told_where(point: Any, gradient: Any, lr: float) -> None:
    with library.no_grad():
        library.add(point, gradient, alpha=-lr, out=point)


def into_floats(point: Any, gradient: Any, lr: float) -> None:
    with library.no_grad():
        move = library.zeros(point.shape, dtype=library.float64)
        move.add_(gradient)
        point.sub_(lr * move)


def in_halves(point: Any, gradient: Any, lr: float) -> None:
    with library.no_grad():
        point.sub_(lr * gradient.to(library.float16).to(library.float64))


def normalised(point: Any, gradient: Any, lr: float) -> None:
    with library.no_grad():
        point.sub_(lr * gradient / gradient.norm())


@pytest.mark.parametrize("step", [through_data, through_a_view, by_assignment, told_where])
def test_what_shares_its_memory_with_a_point_moves_it(step: Callable[[Any, Any, float], Any]) -> None:
    assert exact_value(T7.measure, mine(step), CASE, RATIONAL) == exact_value(T7.measure, SGD, CASE, RATIONAL)


@pytest.mark.parametrize("step", [into_floats, in_halves])
def test_what_exact_numbers_cannot_follow_is_refused(step: Callable[[Any, Any, float], Any]) -> None:
    """Where the code writes, or in which precision, is part of what it does: no exact value rather than another one."""
    with pytest.raises(NotEnumerable):
        exact_value(T7.measure, mine(step), CASE, RATIONAL)
    assert np.abs(rollout(mine(step), CASE, 1) - rollout(SGD, CASE, 1)).max() < (0.1 if step is in_halves else 1e-12)


def test_runs_do_not_meet_in_a_norm() -> None:
    """A step that mixes coordinates is taken for each run apart: of many runs each is what it is alone."""
    noisy = Case(QuadraticClients((1, 1), (3, -1), start=6, noise_std=1), n_rounds=5, n_local_steps=2, step_size="1/8")
    moves = np.diff(rollout(mine(normalised), noisy, 3)[:, :, 0], axis=1) * 8
    assert np.abs(moves - np.round(moves)).max() < 1e-9  # a run's own steps have length 1/8


def test_randomness_that_is_not_the_oracles_is_refused() -> None:
    def shaken(point: Any, gradient: Any, lr: float) -> None:
        with library.no_grad():
            point.sub_(lr * library.randn_like(gradient))

    with pytest.raises(VariantError, match="draws from torch's generator"):
        rollout(mine(shaken), CASE, 2)


def test_an_optimiser_that_wants_the_loss_is_told_so() -> None:
    with pytest.raises(VariantError, match="LBFGS needs the loss as a closure"):
        rollout(torch.load_named("torch.optim.LBFGS")[0], CASE, 1)
