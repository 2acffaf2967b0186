"""PyTorch's optimisers as those of clients: what they are, what Theorem 7 says of them, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fltheory import find
from fltheory.case import Case
from fltheory.claim import check
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.questions.lookup import Mistake
from fltheory.runs.algorithm import rollout

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'fltheory[torch]'")

from fltheory.frameworks import torch

T7 = find("sfl/T7@explicit")
CASE = Case(QuadraticClients((1, "1/2", "1/4"), (1, -3, 2), start=3), n_rounds=20, n_local_steps=4, step_size="1/32")


def test_sgd_is_parallel_training() -> None:
    sgd = torch.named("torch.optim.SGD")[0]
    assert np.abs(rollout(sgd, CASE, 1) - rollout(algorithms.parallel, CASE, 1, kernel=False)).max() < 1e-12
    adam = torch.named("torch.optim.Adam")[0]
    assert np.abs(rollout(adam, CASE, 1) - rollout(sgd, CASE, 1)).max() > 1e-3


def test_the_released_steps_are_what_is_run() -> None:
    """Three local steps of one client by torch alone, and as a round."""
    module = torch.torch().module
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
        found = rollout(torch.named(f"torch.optim.{name}?{words}")[0], case, 1)[0, -1, 0]
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
    claim = replace(T7, algorithm=torch.named(text)[0])
    case = Case(QuadraticClients((1, 1), (3, -1), start=6), n_rounds=4000, n_local_steps=3, step_size="1/256")
    verdict = check(claim, case)
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
    with pytest.raises(Mistake, match=said):
        torch.named(text)
