"""One round of a strategy as a step: configured for every run, answered by all runs' clients together, aggregated for every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.frameworks.flower_client import Client, ClientAsk
from fltheory.frameworks.flower_memory import changed, give_back, remembered, zeros
from fltheory.frameworks.flower_wire import AsItIs, Count, Nodes, in_process
from fltheory.runs.method import Unmet, VariantError, shape_of
from fltheory.runs.oracle import Oracle

MODEL = "x"  # the one array of a model


@dataclass(frozen=True, eq=False)
class Round:
    """``make(c)`` gives the strategy before its first round.

    ``keeps``: what it is known to remember, which may begin as zeros; None: what a trial shows, and its first round is its first.
    ``same``: its rounds are known to be alike.
    """

    make: Callable[[Any], Any]
    client: Client
    examples: tuple[int, ...]
    keeps: tuple[str, ...] | None
    same: bool

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """Whose code runs, see ``signals.defined_at``."""
        return self.make

    def first(self, start: np.ndarray, c: Any) -> Any:
        """The first state: the points, and zeros for what the strategy will remember."""
        parts = self._parts(self._tried(int(c.n_clients), start.shape[1], c))
        return {MODEL: start, **{path: zeros(part, start) for path, part in parts.items()}} if parts else start

    def _tried(self, n: int, dim: int, c: Any) -> tuple[Any, Any]:
        """The strategy before and after two rounds of clients that halve what they are sent and add 1."""
        strategy = self.make(c)
        before, x = deepcopy(strategy), np.zeros((1, dim))
        with in_process(lambda nodes, size: nodes[:size]) as flower:
            for r in (1, 2):
                sent = [_messages(flower, strategy, x[0], r, n)]
                told = {key: np.ones(1) for key in _loss_key(strategy)}
                answers = [(x / 2 + 1.0, told) for _ in sent[0]]
                x = np.stack([_aggregated(flower, strategy, sent[0], answers, 0, self.examples, r)])
        return before, strategy

    def _parts(self, tried: tuple[Any, Any]) -> dict[str, np.ndarray]:
        """What the strategy remembers, by path."""
        before, after = tried
        names = changed(before, after) if self.keeps is None else self.keeps
        return {path: leaf for name in names for path, leaf in remembered(after, name).items()}

    def __call__(self, state: Any, oracle: Oracle, c: Any) -> Any:
        """One round of every run."""
        x = state[MODEL] if isinstance(state, dict) else state
        parts = {k: v for k, v in state.items() if k != MODEL} if isinstance(state, dict) else {}
        round_ = 1 if self.same else 1 + int(c.round)
        strategies = [self.make(c) for _ in x]
        if parts and not (self.keeps is None and round_ == 1):
            _, like = self._tried(int(c.n_clients), x.shape[1], c)
            for row, strategy in enumerate(strategies):
                give_back(strategy, like, {path: part[row] for path, part in parts.items()})
        if x.dtype == object:
            for strategy in strategies:
                vars(strategy).update({k: AsItIs(v) for k, v in vars(strategy).items() if type(v) is float})
        new = self._played(strategies, x, round_, oracle, c)
        found = [
            {path: leaf for name in dict.fromkeys(p.split("/")[0] for p in parts) for path, leaf in remembered(s, name).items()}
            for s in strategies
        ]
        return {MODEL: new, **{path: np.stack([leaves[path] for leaves in found]) for path in parts}} if parts else new

    def _played(self, strategies: list[Any], x: np.ndarray, round_: int, oracle: Oracle, c: Any) -> np.ndarray:
        """The next models: messages of every run, the answers of all runs to each message at once, what is made of them."""
        asked = _Sampled(oracle, int(c.n_participating))
        with in_process(asked.sample) as flower:
            sent = []
            for asked.row, strategy in enumerate(strategies):
                sent.append(_messages(flower, strategy, x[asked.row], round_, int(c.n_clients)))
            answers = [self._answered(list(messages), oracle, c) for messages in zip(*sent, strict=True)]
            rows = [
                _aggregated(flower, strategy, sent[row], answers, row, self.examples, round_)
                for row, strategy in enumerate(strategies)
            ]
        return np.stack(rows)

    def _answered(self, messages: list[Any], oracle: Oracle, c: Any) -> tuple[np.ndarray, Mapping[str, Any]]:
        """The models that a client of every run gives back, (runs, dim), and its metrics."""
        contents = [message.content for message in messages]
        models = np.stack([_model(next(iter(content.array_records.values()))) for content in contents])
        configs = [dict(next(iter(content.config_records.values()), {})) for content in contents]
        if any(config != configs[0] for config in configs):
            raise VariantError("the strategy sends other words to the clients of other runs (config)")
        clients = np.array([message.metadata.dst_node_id - 1 for message in messages])
        found = self.client(models, configs[0], ClientAsk(oracle, clients), c)
        model, metrics = found if isinstance(found, tuple) else (found, {})
        if shape_of(model) != str(models.shape):
            raise VariantError(f"a client returned {shape_of(model)}, expected models of shape {models.shape}")
        return model, metrics


class _Sampled:
    """The nodes that each run's strategy samples: the oracle's order of the clients that take part."""

    def __init__(self, oracle: Oracle, size: int) -> None:
        self._oracle, self._size = oracle, size
        self._order: np.ndarray | None = None
        self.row = 0

    def sample(self, nodes: list[int], size: int) -> list[int]:
        """As ``random.sample``."""
        if size != self._size:
            raise Unmet(
                f"the strategy samples {size} of {len(nodes)} clients, where the claim has {self._size} taking part"
            )
        if self._order is None:
            self._order = self._oracle.order(size)
        return [int(m) + 1 for m in self._order[self.row]]


def _loss_key(strategy: Any) -> tuple[str, ...]:
    """The metric that a strategy asks for as the loss."""
    return (vars(strategy)["train_loss_key"],) if "train_loss_key" in vars(strategy) else ()


def _model(record: Any) -> np.ndarray:
    """The one array of a model; VariantError for another record."""
    if list(record) != [MODEL]:
        raise VariantError(f"the strategy made a record of {', '.join(record) or 'nothing'}, expected the model's {MODEL}")
    return record[MODEL].numpy()


def _messages(flower: Any, strategy: Any, x: np.ndarray, round_: int, n: int) -> list[Any]:
    """What the strategy sends in a round; VariantError where that is nothing."""
    app = flower.app
    model = app.ArrayRecord({MODEL: app.Array(x)})
    sent = list(strategy.configure_train(round_, model, app.ConfigRecord(), Nodes(n)))
    if not sent:
        raise VariantError("the strategy sends nothing to any client (fraction_train)")
    return sent


def _aggregated(
    flower: Any, strategy: Any, sent: list[Any], answers: list[Any], row: int, examples: tuple[int, ...], round_: int
) -> np.ndarray:
    """What the strategy makes of the answers in a run: its next model; VariantError where it makes none."""
    app, key, replies = flower.app, vars(strategy).get("weighted_by_key", "num-examples"), []
    for message, (models, metrics) in zip(sent, answers, strict=True):
        number = Count(examples[(message.metadata.dst_node_id - 1) % len(examples)])
        told = {name: float(v[row]) if v.dtype != object else v[row] for name, v in metrics.items()}
        content = app.RecordDict(
            {
                "arrays": app.ArrayRecord({MODEL: app.Array(models[row])}),
                "metrics": app.MetricRecord({key: number if models.dtype == object else int(number), **told}),
            }
        )
        replies.append(app.Message(content, reply_to=message))
    new, _ = strategy.aggregate_train(round_, replies)
    if new is None:
        raise VariantError("the strategy made no model of the clients' answers")
    model = _model(new)
    if model.shape != answers[0][0][row].shape:
        raise VariantError(f"the strategy made a model of shape {model.shape}, expected {answers[0][0][row].shape}")
    return model
