"""Algorithm 1 in the readings of its mini-batches, the same with steps kept between two limits, and FedAvg."""

from __future__ import annotations

import numpy as np

from fltheory.number.mixed import Mixed, greatest, least
from fltheory.papers.delta_sgd.algorithms.optimisers import sgd
from fltheory.papers.delta_sgd.kernels import FEDAVG, Method, compiled, last_states
from fltheory.papers.delta_sgd.kernels import clipped as by_limits
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.client_optimiser import ClientOptimiser, adaptive, federated
from fltheory.runs.constants import Constants
from fltheory.runs.step_rule import StepRule, auto_tuned_exact, auto_tuned_step


def clipped_step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    """Line 9, kept in [least_step, largest_step]."""
    return np.clip(auto_tuned_step(lr, ratio, reach, c), c.least_step, c.largest_step)


def clipped_exact(lr: Mixed, ratio: Mixed | None, reach: Mixed | None, c: Constants) -> Mixed:
    """The same of mixed numbers."""
    return least(greatest(auto_tuned_exact(lr, ratio, reach, c), c.least_step), c.largest_step)


clipped_rule = StepRule("clipped Delta-SGD", clipped_step, clipped_exact)


def _compiled(optimiser: ClientOptimiser, method: Method) -> Algorithm:
    return federated(optimiser)._replace(kernel=compiled(method), streamed=last_states(method))


fresh = _compiled(adaptive(batches="fresh"), Method("fresh"))
pair = _compiled(adaptive(batches="pair"), Method("pair"))
same = _compiled(adaptive(batches="same"), Method("same"))
reuse = _compiled(adaptive(batches="reuse"), Method("reuse"))
clipped = _compiled(adaptive(clipped_rule, "pair"), Method("pair", by_limits))
clipped_fresh = _compiled(adaptive(clipped_rule, "fresh"), Method("fresh", by_limits))
fedavg = _compiled(sgd._replace(name="FedAvg"), FEDAVG)
