"""Strategies that are nearly Flower's FedAvg: subtypes, a method replaced on the object, records and arrays that are kept."""

from dataclasses import replace

from flwr.app import Array, ArrayRecord
from flwr.serverapp.strategy import FedAvg

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.frameworks.flower import strategy_algorithm

LISTED = find("sfl/T7@explicit")
SMALL = {"min_train_nodes": 1, "min_available_nodes": 1}


def scaled(record, factor):
    return ArrayRecord({name: Array(factor * array.numpy()) for name, array in record.items()})


class Doubled(FedAvg):
    def aggregate_train(self, server_round, replies):
        arrays, metrics = super().aggregate_train(server_round, replies)
        return scaled(arrays, 2), metrics


class DoubledLater(FedAvg):
    def aggregate_train(self, server_round, replies):
        arrays, metrics = super().aggregate_train(server_round, replies)
        return scaled(arrays, 2 if server_round > 3 else 1), metrics


class SentDoubled(FedAvg):
    def configure_train(self, server_round, arrays, config, grid):
        return super().configure_train(server_round, scaled(arrays, 2 if server_round > 3 else 1), config, grid)


class KeepsArray(FedAvg):
    def configure_train(self, server_round, arrays, config, grid):
        self.last = arrays["x"]
        return super().configure_train(server_round, arrays, config, grid)


class KeepsList(FedAvg):
    def configure_train(self, server_round, arrays, config, grid):
        self.last = [arrays, {"again": arrays}]
        return super().configure_train(server_round, arrays, config, grid)


def plain():
    return FedAvg(**SMALL)


def doubled():
    return Doubled(**SMALL)


def doubled_later():
    return DoubledLater(**SMALL)


def sent_doubled():
    return SentDoubled(**SMALL)


def keeps_array():
    return KeepsArray(**SMALL)


def keeps_list():
    return KeepsList(**SMALL)


def replaced():
    made = plain()
    own = made.aggregate_train

    def aggregate_train(server_round, replies):
        arrays, metrics = own(server_round, replies)
        return scaled(arrays, 2 if server_round > 3 else 1), metrics

    made.aggregate_train = aggregate_train
    return made


def judged(strategy):
    case = LISTED.cases[0].with_settings(n_rounds=20)
    return check_claim(replace(LISTED, algorithm=strategy_algorithm(strategy)), case)
