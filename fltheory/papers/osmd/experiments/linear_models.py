"""Federated linear models with random mini-batches: least squares and multiclass logistic regression, many runs at once.

Axes: R repetitions with their own data, M clients, b samples of a mini-batch, d features, C outputs, S samplers that
are compared on the same data and mini-batches. Models are (R, d, S, C).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from fltheory.number import streams

DATA, BATCH = 1 << 40, 1 << 41  # streams above those of the rounds: data; mini-batches, plus the local step


def normal(seed: int, repetitions: np.ndarray, field: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return standard normal data from the streams, (R, *shape); ``field`` distinguishes the tables."""
    from scipy.special import ndtri

    return ndtri(data_uniform(seed, repetitions, field, shape) + 2.0**-54)


def data_uniform(seed: int, repetitions: np.ndarray, field: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return uniform data from the streams, (R, *shape)."""
    flat = streams.uniform(seed, np.asarray(repetitions)[:, None], DATA, field, np.arange(int(np.prod(shape))))
    return flat.reshape(len(repetitions), *shape)


class Batch(NamedTuple):
    """A mini-batch of each client: x (R, M, b, d), y (R, M, b, C), share (M, b) = 1/size, 0 beyond a client's data."""

    x: np.ndarray
    y: np.ndarray
    share: np.ndarray


class Flat(NamedTuple):
    """All samples with targets (R, n, d + 1), and the first index and number of samples of each client, (M,)."""

    samples: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray


@dataclass(frozen=True, eq=False)
class LinearModels:
    """Samples of all clients in sequence, features (R, n, d), targets (R, n, C); ``sizes`` (M,) sum to n.

    ``loss``: half the squared error, or the cross-entropy of the softmax (targets one-hot). F = sum_m lambda_m F_m with
    ``weights`` lambda, F_m the mean over the client's samples.
    """

    features: np.ndarray
    targets: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray
    loss: Literal["squares", "softmax"] = "squares"
    held_out: tuple[np.ndarray, np.ndarray] | None = None  # features (R, v, d), labels (R, v)

    @property
    def n_clients(self) -> int:
        """M."""
        return len(self.sizes)

    @cached_property
    def smoothness(self) -> np.ndarray:
        """The largest eigenvalue of every client's Hessian X'X / n_m (least squares), (R, M)."""
        ends = np.cumsum(self.sizes)
        blocks = [self.features[:, e - n : e] for e, n in zip(ends, self.sizes, strict=True)]
        hessians = np.stack([np.swapaxes(x, 1, 2) @ x / x.shape[1] for x in blocks], axis=1)
        return np.asarray(np.linalg.eigvalsh(hessians)[..., -1])

    def start(self, n_samplers: int) -> np.ndarray:
        """Return the model 0 for every sampler."""
        return np.zeros((len(self.features), self.features.shape[2], n_samplers, self.targets.shape[2]))

    @cached_property
    def flat(self) -> Flat | None:
        """The input of the compiled kernels, for squared losses with one output."""
        if self.loss != "squares" or self.targets.shape[2] != 1:
            return None
        samples = np.concatenate([self.features, self.targets], axis=2)
        return Flat(samples, self._starts, np.asarray(self.sizes, np.int64))

    @property
    def _starts(self) -> np.ndarray:
        return np.asarray(np.cumsum(self.sizes) - self.sizes, np.int64)

    def everybody(self) -> np.ndarray:
        """Return the mask of all clients as asked, (R, M)."""
        return np.ones((len(self.features), self.n_clients), dtype=bool)

    def places(
        self,
        size: int,
        seed: int,
        repetitions: np.ndarray,
        round_: int,
        local_step: int = 0,
        asked: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return sample indices of ``batch`` in each client's data, (R, M, b); 0 for clients not ``asked`` (R, M)."""
        from fltheory.papers.osmd.experiments.kernels import batches

        size, runs = min(size, int(self.sizes.max())), np.asarray(repetitions)
        places = np.empty((len(runs), self.n_clients, size), dtype=np.int64)
        who, sizes = self.everybody() if asked is None else asked, np.asarray(self.sizes, np.int64)
        batches.pick_batches(sizes, who, seed, runs, BATCH + round_, local_step * size, places)
        return places

    def batch(self, size: int, seed: int, repetitions: np.ndarray, round_: int, local_step: int = 0) -> Batch:
        """Return min(size, n_m) different samples of each client, uniformly: a prefix of a Fisher-Yates shuffle."""
        places = self.places(size, seed, repetitions, round_, local_step)
        inside = np.arange(places.shape[2]) < self.sizes[:, None]  # (M, b)
        rows = places + self._starts[:, None] + self.features.shape[1] * np.arange(len(places))[:, None, None]
        x, y = (table.reshape(-1, table.shape[2]).take(rows, axis=0) for table in (self.features, self.targets))
        return Batch(x, y, inside / np.minimum(self.sizes, places.shape[2])[:, None])

    def scores(self, w: np.ndarray, batch: Batch) -> np.ndarray:
        """Return the outputs of every sampler's model on the mini-batches, (R, M, b, S, C).

        ``w`` (R, d, S, C), or (R, M, d, S, C) with a model for every client.
        """
        runs, clients, size, d = batch.x.shape
        flat = w.reshape(*w.shape[:-3], d, -1)
        x = batch.x.reshape(runs, clients * size, d) if w.ndim == 4 else batch.x
        return (x @ flat).reshape(runs, clients, size, *w.shape[-2:])

    def errors(self, scores: np.ndarray, batch: Batch) -> np.ndarray:
        """Return the derivatives of the mean losses of the mini-batches in the scores, (R, M, b, S, C)."""
        from scipy.special import softmax

        y = batch.y[..., None, :]
        errors = scores - y if self.loss == "squares" else softmax(scores, axis=-1) - y
        return np.asarray(errors * batch.share[..., None, None])

    def batch_losses(self, scores: np.ndarray, batch: Batch) -> np.ndarray:
        """Return the mean losses of the mini-batches, (R, M, S)."""
        return np.einsum("rmbs,mb->rms", self._losses(scores, batch.y[..., None, :]), batch.share)

    def _losses(self, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the losses of single samples, (..., S), for scores (..., S, C) and targets (..., 1, C)."""
        from scipy.special import logsumexp

        if self.loss == "squares":
            return np.asarray(((scores - y) ** 2).sum(axis=-1) / 2)
        return np.asarray(logsumexp(scores, axis=-1) - (scores * y).sum(axis=-1))

    def full_loss(self, w: np.ndarray) -> np.ndarray:
        """Return F at every model, (R, S)."""
        importance = np.repeat(self.weights / self.sizes, self.sizes)
        losses = self._losses(_scores(self.features, w), self.targets[..., None, :])
        return np.einsum("rns,n->rs", losses, importance)

    def accuracy(self, w: np.ndarray) -> np.ndarray:
        """Return the share of held-out samples that are classified correctly, (R, S)."""
        if self.held_out is None:
            raise ValueError("no samples were held out")
        x, labels = self.held_out
        return (_scores(x, w).argmax(axis=-1) == labels[..., None]).mean(axis=1)


def pick_batches(
    sizes: np.ndarray, size: int, seed: int, repetitions: np.ndarray, round_: int, local_step: int = 0
) -> np.ndarray:
    """Return sample indices for every client, (R, M, b), 0 beyond its data: the reference of the compiled version."""
    keys = (np.asarray(repetitions)[:, None, None], BATCH + round_, np.arange(len(sizes))[:, None])
    draws, i = streams.uniform(seed, *keys, local_step * size + np.arange(size)), np.arange(size)
    left = np.maximum(sizes[:, None] - i, 1)
    jumps = np.moveaxis(np.minimum(i + (draws * left).astype(np.int64), sizes[:, None] - 1), 2, 0)
    found = np.stack(list(_shuffle_prefix(np.ascontiguousarray(jumps))), axis=2)
    return np.where(i < sizes[:, None], found, 0)


def _shuffle_prefix(jumps: np.ndarray) -> Iterator[np.ndarray]:
    """Return the first elements of 0, 1, 2, ... after the swaps of index k with jumps[k] >= k, for k = 0, 1, ..."""
    for k, place in enumerate(jumps):
        for earlier in range(k - 1, -1, -1):  # which swap brought this element, and from where?
            place = np.where(jumps[earlier] == place, earlier, place)
        yield place


def _scores(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the scores (R, n, S, C) of samples (R, n, d)."""
    runs, d, samplers, outputs = w.shape
    return (x @ w.reshape(runs, d, samplers * outputs)).reshape(runs, -1, samplers, outputs)


def squared_norms(batch: Batch, errors: np.ndarray) -> np.ndarray:
    """Return |g_m|^2 for gradients sum_b x_b e_b', (R, M, S), by inner products of the samples if these are fewer."""
    size, d = batch.x.shape[2:]
    if d <= size:
        g = gradients(batch, errors)
        return np.asarray(np.einsum("rmdsc,rmdsc->rms", g, g))
    gram = batch.x @ np.swapaxes(batch.x, 2, 3)
    products = (gram @ errors.reshape(*errors.shape[:3], -1)).reshape(errors.shape)
    return np.maximum(np.einsum("rmbsc,rmbsc->rms", errors, products), 0.0)


def weighted_gradient(batch: Batch, errors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return sum_m weights_m g_m, (R, d, S, C), for weights (R, M, S)."""
    runs, clients, size, d = batch.x.shape
    flat = (errors * weights[:, :, None, :, None]).reshape(runs, clients * size, -1)
    return (np.swapaxes(batch.x.reshape(runs, clients * size, d), 1, 2) @ flat).reshape(runs, d, *errors.shape[3:])


def gradients(batch: Batch, errors: np.ndarray) -> np.ndarray:
    """Return g_m of every client, (R, M, d, S, C)."""
    flat = errors.reshape(*errors.shape[:3], -1)
    return (np.swapaxes(batch.x, 2, 3) @ flat).reshape(*batch.x.shape[:2], batch.x.shape[3], *errors.shape[3:])
