"""Constants without an instance, for statements that compare rates of training."""

from __future__ import annotations

from fltheory.model.schema import Record, count, nonnegative, positive, probability, scalar
from fltheory.number import Number
from fltheory.papers.osmd.notation import B, D, G, K, L, M, T, alpha, batch, beta, sigma, zeta_T, zeta_unif


class TrainingParameters(Record):
    """The constants of Theorems 4 and 5 by canonical name, with typical values as defaults."""

    n_clients: int = scalar(count(), M, default=10)
    n_sampled: int = scalar(count(), K, default=5)
    n_rounds: int = scalar(count(), T, default=10**6)
    batch_size: int = scalar(count(), batch, default=1)
    n_local_steps: int = scalar(count(), B, default=1)
    probability_floor: Number = scalar(probability, alpha, default="1/2")
    variation_budget: Number = scalar(nonnegative, beta, default=0)
    smoothness: Number = scalar(positive, L, default=1)
    initial_gap: Number = scalar(nonnegative, D, default=1)
    noise_std: Number = scalar(nonnegative, sigma, default=1)
    gradient_bound: Number = scalar(positive, G, default=3)
    heterogeneity: Number = scalar(nonnegative, zeta_unif, default=1)
    dynamic_heterogeneity: Number = scalar(nonnegative, zeta_T, default="1/2")
