"""Constants alone, for statements that compare the rates of training."""

from __future__ import annotations

from typing import Any

from fltheory.papers.osmd.letters import B, D, G, K, L, M, T, alpha, batch, beta, sigma, zeta_T, zeta_unif
from fltheory.record import Record, count, nonnegative, one, positive, probability


class TrainingParameters(Record):
    """The constants of Theorems 4 and 5 by their canonical names; ordinary ones unless given."""

    n_clients: Any = one(count(), M, default=10)
    n_sampled: Any = one(count(), K, default=5)
    n_rounds: Any = one(count(), T, default=10**6)
    batch_size: Any = one(count(), batch, default=1)
    n_local_steps: Any = one(count(), B, default=1)
    probability_floor: Any = one(probability, alpha, default="1/2")
    variation_budget: Any = one(nonnegative, beta, default=0)
    smoothness: Any = one(positive, L, default=1)
    initial_gap: Any = one(nonnegative, D, default=1)
    noise_std: Any = one(nonnegative, sigma, default=1)
    gradient_bound: Any = one(positive, G, default=3)
    heterogeneity: Any = one(nonnegative, zeta_unif, default=1)
    dynamic_heterogeneity: Any = one(nonnegative, zeta_T, default="1/2")
