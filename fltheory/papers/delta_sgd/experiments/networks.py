"""Small networks with rectified units and cross-entropy, for many models at once: rows of weights with their samples.

Weights are flat, (rows, dim): for every layer its matrix (inputs, outputs), then its biases. Samples are (rows, n,
inputs). Sums have a fixed order, so that training returns the same bits on every machine.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fltheory.number.reproducible.arithmetic import exp, log, product
from fltheory.papers.delta_sgd.experiments.datasets import uniform

START = 5  # the table of uniforms for the weights, unlike those of ``datasets``


class Network(NamedTuple):
    """A network with these numbers of units, from inputs to classes; two numbers give softmax regression."""

    sizes: tuple[int, ...]

    @property
    def dim(self) -> int:
        """The number of weights."""
        return sum((a + 1) * b for a, b in pairwise(self.sizes))

    def start(self, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return uniform weights within 1 / sqrt(inputs) of 0, layer by layer, (rows, dim)."""
        scale = np.concatenate([np.full((a + 1) * b, a**-0.5) for a, b in pairwise(self.sizes)])
        return scale * (2 * uniform(seed, repetitions, START, (self.dim,)) - 1)

    def layers(self, w: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return views of the matrices (rows, inputs, outputs) and biases (rows, 1, outputs)."""
        found, first = [], 0
        for a, b in pairwise(self.sizes):
            matrix, offset = w[:, first : first + a * b], w[:, first + a * b : first + (a + 1) * b]
            found.append((matrix.reshape(-1, a, b), offset[:, None]))
            first += (a + 1) * b
        return found

    def _units(self, w: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
        """Return the inputs of every layer, and the scores (rows, n, classes) last."""
        units = [x]
        for i, (matrix, offset) in enumerate(self.layers(w)):
            scores = product(units[-1], matrix)
            scores += offset
            units.append(np.maximum(scores, 0) if i + 2 < len(self.sizes) else scores)
        return units

    def loss(self, w: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the mean cross-entropy of samples with labels y (rows, n), (rows,)."""
        logs = _log_softmax(self._units(w, x)[-1])
        return np.asarray(-np.take_along_axis(logs, y[..., None], axis=-1)[..., 0].mean(axis=1))

    def gradient(self, w: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return its gradient, (rows, dim)."""
        units = self._units(w, x)
        errors = exp(units[-1] - units[-1].max(axis=-1, keepdims=True))
        errors /= errors.sum(axis=-1, keepdims=True)
        rows, n = y.shape
        errors[np.arange(rows)[:, None], np.arange(n), y] -= 1
        errors /= n
        found = np.empty_like(w)
        layers, slopes = self.layers(w), self.layers(found)
        for i in range(len(layers) - 1, -1, -1):
            slopes[i][0][:] = product(np.swapaxes(units[i], 1, 2), errors)
            np.sum(errors, axis=1, keepdims=True, out=slopes[i][1])
            if i:
                errors = product(errors, np.swapaxes(layers[i][0], 1, 2)) * (units[i] > 0)
        return found

    def accuracy(self, w: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the share of samples whose label has the largest score, (rows,); NaN scores choose label 0."""
        return np.asarray((self._units(w, x)[-1].argmax(axis=-1) == y).mean(axis=1))


def _log_softmax(scores: np.ndarray) -> np.ndarray:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    shifted -= log(exp(shifted).sum(axis=-1, keepdims=True))
    return np.asarray(shifted)
