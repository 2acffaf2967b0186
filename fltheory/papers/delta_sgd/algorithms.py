"""Algorithm 1 in the readings of its mini-batches, the same with steps kept between two limits, and FedAvg."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.client_optimiser import Ask, ClientOptimiser, adaptive, federated
from fltheory.mixed import greatest, least
from fltheory.step_rule import StepRule, auto_tuned, auto_tuned_exact, auto_tuned_step


def clipped_step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
    """Line 9, kept in [least_step, largest_step]."""
    return np.clip(auto_tuned_step(lr, ratio, reach, c), c.least_step, c.largest_step)


def clipped_exact(lr: Any, ratio: Any, reach: Any, c: Any) -> Any:
    """The same of mixed numbers."""
    return least(greatest(auto_tuned_exact(lr, ratio, reach, c), c.least_step), c.largest_step)


clipped_rule = StepRule("clipped Delta-SGD", clipped_step, clipped_exact)


def constant_step(x: np.ndarray, state: None, ask: Ask, c: Any) -> tuple[np.ndarray, None]:
    """x - gamma g."""
    return x - c.step_size * ask.gradient(x), None


def nothing(x: np.ndarray, c: Any) -> None:
    """A constant step remembers nothing."""
    return None


fresh = federated(adaptive(batches="fresh"))
pair = federated(adaptive(batches="pair"))
same = federated(adaptive(batches="same"))
reuse = federated(adaptive(batches="reuse"))
clipped = federated(adaptive(clipped_rule, "pair"))
clipped_fresh = federated(adaptive(clipped_rule, "fresh"))
fedavg = federated(ClientOptimiser("FedAvg", constant_step, nothing))
BY_BATCHES = {"fresh": fresh, "pair": pair, "same": same, "reuse": reuse}
RULE = auto_tuned
