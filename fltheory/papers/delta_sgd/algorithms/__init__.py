"""Algorithm 1 for each reading of its mini-batches, a version with limits on the steps, and FedAvg."""

from __future__ import annotations

import numpy as np

from fltheory.number.mixed import Mixed, larger_of, smaller_of
from fltheory.papers.delta_sgd.algorithms.optimisers import sgd
from fltheory.papers.delta_sgd.kernels import FEDAVG, Method, compiled_kernel, last_states
from fltheory.papers.delta_sgd.kernels import clipping_limits as by_limits
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.client_optimiser import ClientOptimiser, adaptive_optimiser, federated_averaging
from fltheory.runs.constants import Constants
from fltheory.runs.step_rule import StepRule, auto_tuned_exact, auto_tuned_step


def clipped_step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    """Return line 9, clipped to [least_step, largest_step]."""
    return np.clip(auto_tuned_step(lr, ratio, reach, c), c.least_step, c.largest_step)


def clipped_exact(lr: Mixed, ratio: Mixed | None, reach: Mixed | None, c: Constants) -> Mixed:
    """Return the same for mixed numbers."""
    return smaller_of(larger_of(auto_tuned_exact(lr, ratio, reach, c), c.least_step), c.largest_step)


clipped_rule = StepRule("clipped Delta-SGD", clipped_step, clipped_exact)


def _with_kernel(optimiser: ClientOptimiser, method: Method) -> Algorithm:
    return federated_averaging(optimiser)._replace(kernel=compiled_kernel(method), streaming_kernel=last_states(method))


fresh = _with_kernel(adaptive_optimiser(batches="fresh"), Method("fresh"))
pair = _with_kernel(adaptive_optimiser(batches="pair"), Method("pair"))
same = _with_kernel(adaptive_optimiser(batches="same"), Method("same"))
reuse = _with_kernel(adaptive_optimiser(batches="reuse"), Method("reuse"))
clipped = _with_kernel(adaptive_optimiser(clipped_rule, "pair"), Method("pair", by_limits))
clipped_fresh = _with_kernel(adaptive_optimiser(clipped_rule, "fresh"), Method("fresh", by_limits))
fedavg = _with_kernel(sgd._replace(name="FedAvg"), FEDAVG)
