"""OSMD (Algorithm 1 of the adaptive client sampling paper) as a Flower strategy, and its sampler before the judge.

The strategy runs in any Flower app: it draws K clients with replacement from its distribution p, averages their moves with weights
that keep the mean unbiased, and moves p by mirror descent on what it saw: clients report "squared-norm", that of their moves.
What is judged is this strategy's own `configure_train` and `aggregate_train`, round by round, on the games of Proposition 13.
"""

from dataclasses import replace

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.serverapp.strategy import FedAvg

from fltheory import find, verify
from fltheory.frameworks.flower_wire import Nodes, patch_flower
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.mirror import mirror_step


class OSMD(FedAvg):
    """K = ``n_sampled`` draws a round; ``rate`` is eta, ``floor`` alpha: no client's p falls below alpha/M."""

    def __init__(self, n_sampled, rate, floor, seed=0, **settings):
        super().__init__(**settings)
        self.n_sampled, self.rate, self.floor = n_sampled, rate, floor
        self.rng, self.p, self.counts, self.nodes, self.model = np.random.default_rng(seed), None, None, [], None

    def configure_train(self, server_round, arrays, config, grid):
        self.nodes, self.model = sorted(grid.get_node_ids()), arrays
        if self.p is None:
            self.p = np.full(len(self.nodes), 1 / len(self.nodes))
        self.counts = self.rng.multinomial(self.n_sampled, self.p)
        drawn = [node for node, count in zip(self.nodes, self.counts, strict=True) if count]
        content = RecordDict({self.arrayrecord_key: arrays, self.configrecord_key: config})
        return self._construct_messages(content, drawn, "train")

    def aggregate_train(self, server_round, replies):
        size, total = len(self.nodes), {key: array.numpy() * 0 for key, array in self.model.items()}
        feedback = np.zeros(size)
        for reply in replies:
            m = self.nodes.index(reply.metadata.src_node_id)
            share = self.counts[m] / (self.n_sampled * size * self.p[m])
            for key, array in next(iter(reply.content.array_records.values())).items():
                total[key] = total[key] + share * (array.numpy() - self.model[key].numpy())
            feedback[m] = next(iter(reply.content.metric_records.values()))["squared-norm"] / size**2
        gain = self.counts * feedback * self.rate / (self.n_sampled**2 * self.p**3)
        self.p = mirror_step(self.p, gain, self.floor)
        moved = {key: Array(self.model[key].numpy() + move) for key, move in total.items()}
        return ArrayRecord(moved), MetricRecord()


class Given:
    """In place of the strategy's generator: the draws of the game that is judged."""

    def __init__(self, counts):
        self.counts = counts

    def multinomial(self, n, p):
        return self.counts


def step(p, counts, feedback, c):
    """A round of every game by the strategy: its next distributions, (seeds, clients)."""
    after = np.empty_like(p)
    with patch_flower(lambda nodes, size: nodes[:size]):
        model = ArrayRecord({"x": Array(np.zeros(1))})
        for row, (now, drawn, seen) in enumerate(zip(p, counts, feedback, strict=True)):
            strategy = OSMD(int(c.n_sampled), float(c.sampler_rate), float(c.probability_floor))
            strategy.p, strategy.rng = now.copy(), Given(drawn)
            sent = strategy.configure_train(1, model, ConfigRecord(), Nodes(len(now)))
            strategy.aggregate_train(1, [answer(message, seen, len(now)) for message in sent])
            after[row] = strategy.p
    return after


def answer(message, feedback, size):
    """A client that stays where it is and reports what its feedback stands for."""
    told = MetricRecord({"squared-norm": float(feedback[message.metadata.dst_node_id - 1]) * size**2})
    model = next(iter(message.content.array_records.values()))
    return Message(RecordDict({"arrays": model, "metrics": told}), reply_to=message)


claim = replace(find("osmd/C-P13@strengthened"), algorithm=osmd._replace(step=step))

if __name__ == "__main__":
    print(verify(claim))
