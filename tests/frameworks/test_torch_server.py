"""PyTorch's optimisers as the server's: the clients' mean move as a gradient, the memory as a state, what cannot be followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.flat_states import with_row_states
from fltheory.runs.method import VariantError

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fltheory[torch]'")

from fltheory.frameworks import torch
from fltheory.frameworks.torch.server import mean_after_local_steps, server_algorithm

library = torch.import_torch().module
T7 = find("sfl/T7@explicit")
CASE = Case(QuadraticClients((1, "1/2"), (1, -3), start=3), n_rounds=6, n_local_steps=2, step_size="1/32")


def run(algorithm: Algorithm, case: Case[QuadraticClients], n: int = 1) -> np.ndarray:
    """The points of all runs, (n, R + 1)."""
    return rollout(with_row_states(algorithm, case), case, n)[:, :, 0]


def server(text: str) -> Algorithm:
    return torch.load_named(f"server:torch.optim.{text}")[0]


def test_descent_by_one_is_the_clients_mean() -> None:
    ours = rollout(algorithms.parallel, CASE, 1, kernel=False)[:, :, 0]
    assert np.abs(run(server("SGD"), CASE) - ours).max() < 1e-14
    assert np.abs(run(server("SGD?lr=0.5"), CASE) - ours).max() > 1e-2


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("SGD", {"lr": 0.5, "momentum": 0.5, "nesterov": True}),
        ("SGD", {"lr": 0.5, "momentum": 0.5, "dampening": 0.25}),
        ("Adam", {"lr": 0.1}),
        ("NAdam", {"lr": 0.1}),
        ("Adagrad", {"lr": 0.1}),
        ("RMSprop", {"lr": 0.1, "momentum": 0.5}),
        ("ASGD", {"lr": 0.1}),
    ],
)
def test_its_memory_is_that_of_one_optimiser_of_all_rounds(kind: str, settings: dict[str, Any]) -> None:
    x = library.tensor([3.0], dtype=library.float64)
    optimiser, points = vars(library.optim)[kind]([x], **settings), [3.0]
    for _ in range(6):
        mean = 0.0
        for curvature, slope in ((1.0, 1.0), (0.5, -3.0)):
            y = x.item()
            for _ in range(2):
                y -= (curvature * y + slope) / 32
            mean += y / 2
        x.grad = x - mean
        optimiser.step()
        points.append(x.item())
    words = "&".join(f"{key}={value}" for key, value in settings.items())
    assert np.abs(run(server(f"{kind}?{words}"), CASE)[0] - points).max() < 1e-12


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("SGD", "holds"),
        ("SGD?momentum=0.5", "holds"),
        ("Adam?lr=0.01", "violated"),
        ("SGD?weight_decay=0.5", "violated"),
    ],
)
def test_what_theorem_7_says_exactly(text: str, status: str) -> None:
    rounds = 4000 if text.startswith("SGD") else 800
    case = Case(QuadraticClients((1, 1), (3, -1), start=6), n_rounds=rounds, n_local_steps=3, step_size="1/256")
    verdict = check_claim(replace(T7, algorithm=server(text)), case)
    assert (verdict.status, verdict.evidence) == (status, "exact")


def mine(step: Callable[[Any, dict[str, Any], Any], Any]) -> Algorithm:
    """At the server ``step(parameter, group, memory)``, under no_grad."""

    class Mine(library.optim.Optimizer):  # type: ignore[name-defined,misc]
        @library.no_grad()
        def step(self, closure: object = None) -> None:
            for group in self.param_groups:
                for point in group["params"]:
                    step(point, group, self.state[point])

    return server_algorithm(mean_after_local_steps, lambda params, c: Mine(params, {"lr": 1.0}))


def test_runs_do_not_meet_at_the_server() -> None:
    def unit(point: Any, group: dict[str, Any], memory: Any) -> None:
        point.sub_(point.grad / point.grad.norm() / 8)

    clients = QuadraticClients((1, "1/2"), (1, -3), start=3, noise_std=1)
    noisy = Case(clients, n_rounds=6, n_local_steps=2, step_size="1/32")
    moves = np.diff(run(mine(unit), noisy, 3), axis=1) * 8
    assert np.abs(np.abs(moves) - 1).max() < 1e-9


def longer_every_time(point: Any, group: dict[str, Any], memory: Any) -> None:
    group["lr"] *= 2
    point.sub_(group["lr"] * point.grad)


def by_its_largest(point: Any, group: dict[str, Any], memory: Any) -> None:
    memory["largest"] = max(memory.get("largest", 0.0), float(point.grad.abs().max()))
    point.sub_(point.grad / (1 + memory["largest"]))


def late(point: Any, group: dict[str, Any], memory: Any) -> None:
    memory["calls"] = memory.get("calls", 0) + 1
    if memory["calls"] > 2:
        memory["last"] = point.grad.clone()
    point.sub_(point.grad)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (longer_every_time, "has memory outside the state of its parameter, which is not supported"),
        (by_its_largest, "remembers largest, not of each parameter nor of the round alone"),
        (late, "remembers .*last, not of each parameter nor of the round alone"),
    ],
)
def test_a_memory_that_cannot_be_followed_is_refused(step: Callable[..., Any], said: str) -> None:
    with pytest.raises(VariantError, match=said):
        run(mine(step), CASE)


def test_a_place_that_there_is_not_is_told() -> None:
    with pytest.raises(UserError, match="torch:server:OPTIMISER"):
        torch.load_named("servers:torch.optim.SGD")
