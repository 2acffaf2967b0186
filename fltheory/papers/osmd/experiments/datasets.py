"""The data of Sections 7 and 8: heterogeneous regression, clients with one coordinate each, skewed digits."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fltheory.papers.osmd.experiments.linear_models import LinearModels, data_uniform, normal
from fltheory.problems.data.tables import table

CONDITION = 25.0  # kappa of Section 7
LARGEST_SPREAD = 10.0  # of a client, after rescaling
SHARES = ((0.65, 1), (0.20, 5), (0.10, 30), (0.05, 100))  # shares of the clients and their sample sizes (Section 8)


def heterogeneous_regression(
    spread: float,
    repetitions: np.ndarray,
    seed: int,
    n_clients: int = 100,
    n_samples: int = 100,
    dim: int = 10,
    spread_is_std: bool = False,
) -> LinearModels:
    """Return y = <w*, x> + N(0, 0.1^2), x of client m ~ N(0, s_m Sigma), Sigma_jj = kappa^((j-1)/(d-1) - 1).

    s_m ~ exp N(0, spread^2), rescaled to the maximum 10; w* ~ N(10, 3^2) in each entry. With ``spread_is_std``, s_m
    Sigma_jj is used as a standard deviation. Every repetition has its own data.
    """
    runs = np.asarray(repetitions)
    w_star = 10 + 3 * normal(seed, runs, 0, (dim,))
    logs = spread * normal(seed, runs, 1, (n_clients,))
    s = LARGEST_SPREAD * np.exp(logs - logs.max(axis=1, keepdims=True))
    sigma = CONDITION ** (np.arange(dim) / max(dim - 1, 1) - 1)
    scale = s[:, :, None] * sigma
    std = scale if spread_is_std else np.sqrt(scale)
    x = _standard_features(seed, tuple(runs.tolist()), (n_clients, n_samples, dim)) * std[:, :, None, :]
    return _regression(x, w_star, seed, runs)


@lru_cache(maxsize=6)
def _standard_features(seed: int, runs: tuple[int, ...], shape: tuple[int, int, int]) -> np.ndarray:
    """Return the features of all runs before they are scaled; comparisons at several spreads share them."""
    found = normal(seed, np.array(runs), 2, shape)
    found.setflags(write=False)
    return found


def one_coordinate_regression(
    spread: float, repetitions: np.ndarray, seed: int, n_clients: int = 100, n_samples: int = 100, dim: int = 10
) -> LinearModels:
    """Return data of Section 7.4: one random non-zero coordinate ~ N(1, 0.1^2) per client; log w* ~ N(0, spread^2).

    All smoothness constants are about 1.01, while the gradients differ as much as the entries of w*.
    """
    runs = np.asarray(repetitions)
    w_star = np.exp(spread * normal(seed, runs, 0, (dim,)))
    support = (data_uniform(seed, runs, 1, (n_clients,)) * dim).astype(np.int64)
    values = 1 + 0.1 * normal(seed, runs, 2, (n_clients, n_samples))
    x = values[..., None] * (support[:, :, None, None] == np.arange(dim))
    return _regression(x, w_star, seed, runs)


def _regression(x: np.ndarray, w_star: np.ndarray, seed: int, runs: np.ndarray) -> LinearModels:
    """Return targets with noise 0.1, and equal weights."""
    n_clients, n_samples, dim = x.shape[1:]
    features = x.reshape(len(runs), -1, dim)
    noise = 0.1 * normal(seed, runs, 3, (n_clients * n_samples,))
    targets = (features @ w_star[:, :, None])[..., 0] + noise
    sizes = np.full(n_clients, n_samples)
    return LinearModels(features, targets[..., None], sizes, np.full(n_clients, 1 / n_clients))


def client_sizes(n_clients: int) -> np.ndarray:
    """Return the skewed sample sizes of Section 8, (clients,)."""
    counts = [round(share * n_clients) for share, _ in SHARES[1:]]
    return np.repeat([size for _, size in SHARES], [n_clients - sum(counts), *counts])


def skewed_digits(repetitions: np.ndarray, seed: int, n_clients: int = 100) -> LinearModels:
    """Return 8x8 digits (Section 8): images dealt at random to clients of very different sizes, lambda_m = n_m / n.

    The images of no client are held out. ValueError if there are too many clients for the images.
    """
    images, labels = table("digits")
    runs, sizes = np.asarray(repetitions), client_sizes(n_clients)
    used = int(sizes.sum())
    if used >= len(images):
        raise ValueError(f"{n_clients} clients need {used} of {len(images)} images")
    order = np.argsort(data_uniform(seed, runs, 0, (len(images),)), axis=1)
    one_hot: np.ndarray = np.eye(10)[labels]
    train, rest = order[:, :used], order[:, used:]
    return LinearModels(images[train], one_hot[train], sizes, sizes / used, "softmax", (images[rest], labels[rest]))
