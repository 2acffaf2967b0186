"""AAggFF-D with all clients (Algorithm 3 of the adaptive aggregation paper) as a Flower strategy, and its weights before the judge.

The strategy runs in any Flower app: it averages the clients' models with weights p on the simplex that grow for those who do badly,
by entropic FTRL on responses in [low, high]: the exponential law's distribution function of their "train-loss" over its mean.
What is judged is this strategy's own `aggregate_train`, round by round, on the games of Theorem 5.2.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.serverapp.strategy import FedAvg

from fltheory import find, verify
from fltheory.frameworks.flower_wire import Nodes, patch_flower
from fltheory.games.player import Learner


def exponential(losses):
    """In [0, 1]: how large each loss is beside their mean."""
    return 1 - np.exp(-losses / losses.mean())


class AAggFF(FedAvg):
    """Weights p of all clients; ``low``, ``high``: between what the responses lie."""

    def __init__(self, low=0.0, high=1.0, response=exponential, **settings):
        super().__init__(**settings)
        self.low, self.high, self.response = low, high, response
        self.p, self.total, self.rounds = None, None, 0

    def configure_train(self, server_round, arrays, config, grid):
        size = len(grid.get_node_ids())
        if self.p is None:
            self.p, self.total = np.full(size, 1 / size), np.zeros(size)
        return super().configure_train(server_round, arrays, config, grid)

    def aggregate_train(self, server_round, replies):
        found = sorted(replies, key=lambda reply: reply.metadata.src_node_id)
        models = [next(iter(reply.content.array_records.values())) for reply in found]
        mixed = {
            key: Array(sum(w * model[key].numpy() for w, model in zip(self.p, models, strict=True)))
            for key in models[0]
        }
        told = [next(iter(reply.content.metric_records.values()))["train-loss"] for reply in found]
        response = self.low + (self.high - self.low) * self.response(np.array(told))
        self.total = self.total - response / (1 + self.p @ response)
        self.rounds += 1
        self.p = self.weights()
        return ArrayRecord(mixed), MetricRecord()

    def weights(self):
        size = len(self.total)
        scale = self.high / (1 + self.low) * np.sqrt((self.rounds + 1) / np.log(size))
        grown = np.exp(-(self.total - self.total.min()) / scale)
        return grown / grown.sum()


class Memory(NamedTuple):
    """Weights (seeds, clients), what they follow from (seeds, clients), and how many rounds there were (seeds,)."""

    p: np.ndarray
    total: np.ndarray
    rounds: np.ndarray


def init(n, c):
    return Memory(np.full((n, c.n_clients), 1 / c.n_clients), np.zeros((n, c.n_clients)), np.zeros(n))


def step(state, seen, response, c):
    """A round of every game by the strategy."""
    rows = []
    with patch_flower(lambda nodes, size: nodes[:size]):
        model = ArrayRecord({"x": Array(np.zeros(1))})
        for p, total, rounds, said in zip(*state, response, strict=True):
            strategy = AAggFF(float(c.response_low), float(c.response_high), partial(in_range, c))
            strategy.p, strategy.total, strategy.rounds = p.copy(), total.copy(), int(rounds)
            sent = strategy.configure_train(1, model, ConfigRecord(), Nodes(len(p)))
            strategy.aggregate_train(1, [answer(message, said) for message in sent])
            rows.append((strategy.p, strategy.total, float(strategy.rounds)))
    return Memory(*map(np.array, zip(*rows, strict=True)))


def in_range(c, losses):
    """The responses of the game, as parts of their range."""
    low, high = float(c.response_low), float(c.response_high)
    return (losses - low) / (high - low)


def answer(message, losses):
    """A client that stays where it is and reports its loss."""
    told = MetricRecord({"train-loss": float(losses[message.metadata.dst_node_id - 1])})
    model = next(iter(message.content.array_records.values()))
    return Message(RecordDict({"arrays": model, "metrics": told}), reply_to=message)


mine = Learner("AAggFF-D in Flower", step, init, lambda state, c: state.p)
claim = replace(find("aaggff/T5.2@printed"), algorithm=mine)

if __name__ == "__main__":
    print(verify(claim))
