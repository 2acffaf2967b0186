"""Clients of a strategy: ``client(x, config, ask, c)`` returns their models, (runs, dim), perhaps with metrics.

``x``: the models received, ``config``: the configuration sent with them, ``ask``: the oracle of each run's client.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fltheory.runs.client_optimiser import ClientOptimiser, ClientOracle, require_step_in_limits
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import Oracle

Client = Callable[[np.ndarray, Mapping[str, Any], "ClientAsk", Any], Any]


class ClientAsk:
    """The queries of a client: gradients of its local steps and its objective; ``client``: its number per run."""

    def __init__(self, oracle: Oracle, client: np.ndarray) -> None:
        self._oracle, self.client = oracle, client

    def gradient(self, x: np.ndarray, k: int = 0) -> np.ndarray:
        """Return the stochastic gradient of local step k, (runs, dim)."""
        return self._oracle.gradient(x, self.client, k)

    def value(self, x: np.ndarray) -> np.ndarray:
        """Return the objective, (runs,)."""
        values = {m: self._oracle.value(x, m) for m in sorted({*self.client.tolist()})}
        return np.stack([values[m][row] for row, m in enumerate(self.client.tolist())])

    def step(self, k: int, batches: int) -> ClientOracle:
        """Take the k-th local step of an optimiser with this many mini-batches."""
        return ClientOracle(self._oracle, self.client, k * batches, batches)


def sgd(x: np.ndarray, config: Mapping[str, Any], ask: ClientAsk, c: Any) -> np.ndarray:
    """Take ``c.n_local_steps`` gradient steps of length ``c.step_size``, with FedProx's term for a ``proximal-mu``."""
    y, mu = x, config.get("proximal-mu", 0)
    for k in range(int(c.n_local_steps)):
        gradient = ask.gradient(y, k)
        y = y - c.step_size * (gradient + mu * (y - x) if mu else gradient)
    return y


def with_loss(train: Client, key: str = "train_loss", above: int = 0) -> Client:
    """Return the same client with its objective at the received model, plus ``above``, as a metric for QFedAvg.

    VariantError if this is negative: QFedAvg takes powers of it.
    """

    def told(x: np.ndarray, config: Mapping[str, Any], ask: ClientAsk, c: Any) -> tuple[np.ndarray, dict[str, Any]]:
        loss = ask.value(x) + above
        if x.dtype != object and (loss < 0).any():
            raise VariantError(
                f"a client's loss is {loss.min():g}, but powers need a nonnegative one: with_loss(sgd, above=...) raises it"
            )
        return train(x, config, ask, c), {key: loss}

    return told


def optimiser_client(optimiser: ClientOptimiser) -> Client:
    """Return a client that takes its local steps by an optimiser, fresh in every round.

    The limits of the case apply to each: an algorithm of such clients alone is ``watched``, with the optimiser's
    ``batches``.
    """

    def train(x: np.ndarray, config: Mapping[str, Any], ask: ClientAsk, c: Any) -> np.ndarray:
        y, state = x, optimiser.init(x, c)
        for k in range(int(c.n_local_steps)):
            asked, before = ask.step(k, optimiser.batches), y.copy()
            y, state = optimiser.step(y, state, asked, c)
            require_step_in_limits(optimiser.name, before, y, asked, c, k)
        return y

    return train
