"""A type below a strategy of Flower's that changes nothing is that strategy; one with a body may ask for the order of answers."""

from dataclasses import replace

from flwr.serverapp.strategy import FedAdam, FedAvg

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.frameworks.flower import strategy_algorithm

LISTED = find("sfl/T7@explicit")


class Same(FedAdam):
    pass


class SameAvg(FedAvg):
    pass


class Body(FedAdam):
    def aggregate_train(self, server_round, replies):
        return super().aggregate_train(server_round, replies)


def judged(kind, **options):
    rate = {"eta": 0.1} if issubclass(kind, FedAdam) else {}
    strategy = kind(min_train_nodes=1, min_available_nodes=1, **rate)
    return check_claim(
        replace(LISTED, algorithm=strategy_algorithm(strategy, **options)), LISTED.cases[0].with_settings(n_rounds=20)
    )
