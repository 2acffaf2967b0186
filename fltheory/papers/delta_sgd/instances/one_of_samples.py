"""One client on the line with the noise of a uniformly drawn sample."""

from __future__ import annotations

import numpy as np

from fltheory.model.case import Client
from fltheory.model.schema import AsVector
from fltheory.number import Ring


class OneOfSamples:
    """A client with equally likely samples: gradients on the same mini-batch are of the same z."""

    scales: AsVector  # one per sample

    n_clients = 1
    draws = 1
    axis_aligned = True

    @property
    def n_noise_values(self) -> int:
        """The number of samples."""
        return len(self.scales)

    @property
    def client_types(self) -> tuple[int, ...]:
        """Return the type of the only client."""
        return (0,)

    def samples(self, x: np.ndarray) -> np.ndarray:
        """Return the gradients of all samples at x, (seeds, samples)."""
        raise NotImplementedError

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        return self.mean_gradient(x)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.samples(x).sum(axis=-1, keepdims=True) / len(self.scales))

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return the gradient of the drawn sample minus the mean."""
        return self._of((uniforms[:, 0] * len(self.scales)).astype(np.int64), x)

    def noise_value(self, x: np.ndarray, client: Client, index: np.ndarray | int, ring: Ring) -> np.ndarray:
        """Return the same for the samples ``index``."""
        return self._of(np.broadcast_to(np.asarray(index), (len(x),)), x)

    def _of(self, which: np.ndarray, x: np.ndarray) -> np.ndarray:
        found = self.samples(x)
        return found[np.arange(len(x)), which][:, None] - found.sum(axis=-1, keepdims=True) / len(self.scales)
