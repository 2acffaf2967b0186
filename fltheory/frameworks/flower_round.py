"""One round of a strategy as a step: configured for every run, answered by all runs' clients, then aggregated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.frameworks.flower_client import Client, ClientAsk
from fltheory.frameworks.flower_memory import attribute_arrays, changed_attributes, restore_attributes, zeros_for_part
from fltheory.frameworks.flower_wire import ExactCount, ExactFloat, Nodes, patch_flower
from fltheory.runs.method import AssumptionFailed, VariantError, shape_of
from fltheory.runs.oracle import Oracle

MODEL_KEY = "x"  # the one array of a model
Rows = int | list[int]  # a run, or several in one model


@dataclass(frozen=True, eq=False)
class StrategyRound:
    """A step from ``make(c)``, which gives the strategy before its first round.

    ``keeps``: its known state, which may start as zeros; None: the state found in a trial, with a separate first round.
    ``same``: all rounds are alike; ``apart``: each number of a model is treated separately, so that runs with the same
    clients form one larger model.
    """

    make: Callable[[Any], Any]
    client: Client
    examples: tuple[int, ...]
    keeps: tuple[str, ...] | None
    same: bool
    apart: bool = False

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """Return the wrapped code, see ``ownership.unwrap_function``."""
        return self.make

    def first(self, start: np.ndarray, c: Any) -> Any:
        """Return the first state: the points, and zeros for the strategy's memory."""
        parts = self._parts(self._tried(int(c.n_clients), start.shape[1], c))
        return (
            {MODEL_KEY: start, **{path: zeros_for_part(part, start) for path, part in parts.items()}}
            if parts
            else start
        )

    def _tried(self, n: int, dim: int, c: Any) -> tuple[Any, Any]:
        """Return the strategy before and after two rounds of clients that halve what they receive and add 1."""
        strategy = self.make(c)
        before, x = deepcopy(strategy), np.zeros((1, dim))
        with patch_flower(lambda nodes, size: nodes[:size]) as flower:
            for r in (1, 2):
                sent = [_messages(flower, strategy, x[0], r, n)]
                told = {key: np.ones(1) for key in _loss_key(strategy)}
                answers = [(x / 2 + 1.0, told) for _ in sent[0]]
                x = np.stack([_aggregate(flower, strategy, sent[0], answers, 0, self.examples, r)])
        return before, strategy

    def _parts(self, tried: tuple[Any, Any]) -> dict[str, np.ndarray]:
        """Return the strategy's state, by path."""
        before, after = tried
        names = changed_attributes(before, after) if self.keeps is None else self.keeps
        return {path: leaf for name in names for path, leaf in attribute_arrays(after, name).items()}

    def __call__(self, state: Any, oracle: Oracle, c: Any) -> Any:
        """Compute one round of every run."""
        x = state[MODEL_KEY] if isinstance(state, dict) else state
        parts = {k: v for k, v in state.items() if k != MODEL_KEY} if isinstance(state, dict) else {}
        round_ = 1 if self.same else 1 + int(c.round)
        asked = _SharedSampler(oracle, int(c.n_participating))
        runs: list[Rows] = asked.alike() if self.apart else [*range(len(x))]
        strategies = [self.make(c) for _ in runs]
        if parts and not (self.keeps is None and round_ == 1):
            _, like = self._tried(int(c.n_clients), x.shape[1], c)
            with patch_flower(asked.sample):  # arrays are made: they hold numbers of any kind
                for rows, strategy in zip(runs, strategies, strict=True):
                    restore_attributes(strategy, like, {path: part[rows] for path, part in parts.items()})
        if x.dtype == object:
            for strategy in strategies:
                vars(strategy).update({k: ExactFloat(v) for k, v in vars(strategy).items() if type(v) is float})
        new = {MODEL_KEY: x.copy(), **{path: part.copy() for path, part in parts.items()}}
        with patch_flower(asked.sample) as flower:
            sent = []
            for rows, strategy in zip(runs, strategies, strict=True):
                asked.row = rows if isinstance(rows, int) else rows[0]
                sent.append(_messages(flower, strategy, x[rows], round_, int(c.n_clients)))
            answers = [self._answered(runs, list(messages), x, oracle, c) for messages in zip(*sent, strict=True)]
            for rows, strategy, messages in zip(runs, strategies, sent, strict=True):
                new[MODEL_KEY][rows] = _aggregate(flower, strategy, messages, answers, rows, self.examples, round_)
                for name in dict.fromkeys(path.split("/")[0] for path in parts):
                    for path, leaf in attribute_arrays(strategy, name).items():
                        new[path][rows] = leaf
        return new if parts else new[MODEL_KEY]

    def _answered(
        self, runs: list[Rows], messages: list[Any], x: np.ndarray, oracle: Oracle, c: Any
    ) -> tuple[np.ndarray, Mapping[str, Any]]:
        """Return the models from a client of every run, (runs, dim), and its metrics."""
        models, clients = x.copy(), np.zeros(len(x), dtype=np.int64)
        for rows, message in zip(runs, messages, strict=True):
            models[rows] = _model(next(iter(message.content.array_records.values())))
            clients[rows] = message.metadata.dst_node_id - 1
        configs = [dict(next(iter(message.content.config_records.values()), {})) for message in messages]
        if any(config != configs[0] for config in configs):
            raise VariantError("the strategy sends different configurations to the clients of different runs")
        found = self.client(models, configs[0], ClientAsk(oracle, clients), c)
        model, metrics = found if isinstance(found, tuple) else (found, {})
        if shape_of(model) != str(models.shape):
            raise VariantError(f"a client returned {shape_of(model)}, expected models of shape {models.shape}")
        return model, metrics


class _SharedSampler:
    """A sampler for the strategy of each run: it follows the oracle's order of the participating clients."""

    def __init__(self, oracle: Oracle, size: int) -> None:
        self._oracle, self._size = oracle, size
        self._order: np.ndarray | None = None
        self.row = 0

    def sample(self, nodes: list[int], size: int) -> list[int]:
        """Sample like ``random.sample``."""
        if size != self._size:
            raise AssumptionFailed(
                f"the strategy samples {size} of {len(nodes)} clients, where the claim has {self._size} taking part"
            )
        return [int(m) + 1 for m in self._of_runs()[self.row]]

    def _of_runs(self) -> np.ndarray:
        if self._order is None:
            self._order = self._oracle.order(self._size)
        return self._order

    def alike(self) -> list[Rows]:
        """Group the runs with the same order."""
        found: dict[tuple[int, ...], list[int]] = {}
        for row, order in enumerate(self._of_runs().tolist()):
            found.setdefault(tuple(order), []).append(row)
        return list(found.values())


def _loss_key(strategy: Any) -> tuple[str, ...]:
    """Return the metric that a strategy uses as the loss."""
    return (vars(strategy)["train_loss_key"],) if "train_loss_key" in vars(strategy) else ()


def _model(record: Any) -> np.ndarray:
    """Return the one array of a model; VariantError for another record."""
    if list(record) != [MODEL_KEY]:
        raise VariantError(
            f"the strategy made a record of {', '.join(record) or 'nothing'}, expected the model's {MODEL_KEY}"
        )
    return record[MODEL_KEY].numpy()


def _messages(flower: Any, strategy: Any, x: np.ndarray, round_: int, n: int) -> list[Any]:
    """Return the messages of a strategy in a round; VariantError if there are none."""
    app = flower.app
    model = app.ArrayRecord({MODEL_KEY: app.Array(x)})
    sent = list(strategy.configure_train(round_, model, app.ConfigRecord(), Nodes(n)))
    if not sent:
        raise VariantError("the strategy sends nothing to any client (fraction_train)")
    return sent


def _aggregate(
    flower: Any, strategy: Any, sent: list[Any], answers: list[Any], rows: Rows, examples: tuple[int, ...], round_: int
) -> np.ndarray:
    """Return the strategy's next model from the answers in a run; VariantError if there is none."""
    app, key, replies = flower.app, vars(strategy).get("weighted_by_key", "num-examples"), []
    for message, (models, metrics) in zip(sent, answers, strict=True):
        number = ExactCount(examples[(message.metadata.dst_node_id - 1) % len(examples)])
        told = {name: float(v[rows]) if v.dtype != object else v[rows] for name, v in metrics.items()}
        content = app.RecordDict(
            {
                "arrays": app.ArrayRecord({MODEL_KEY: app.Array(models[rows])}),
                "metrics": app.MetricRecord({key: number if models.dtype == object else int(number), **told}),
            }
        )
        replies.append(app.Message(content, reply_to=message))
    new, _ = strategy.aggregate_train(round_, replies)
    if new is None:
        raise VariantError("the strategy made no model of the clients' answers")
    model = _model(new)
    if model.shape != answers[0][0][rows].shape:
        raise VariantError(f"the strategy made a model of shape {model.shape}, expected {answers[0][0][rows].shape}")
    return model
