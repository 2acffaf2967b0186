"""What wrappers of Flower's kind do (public pull requests of Flower), in the smallest: a strategy that keeps
the ArrayRecord it last sent."""

from dataclasses import replace

from flwr.serverapp.strategy import FedAvg

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.frameworks.flower import strategy_algorithm


class Keeps(FedAvg):
    def configure_train(self, server_round, arrays, config, grid):
        self.last = arrays  # an ArrayRecord
        return super().configure_train(server_round, arrays, config, grid)


class KeepsCopy(FedAvg):
    def configure_train(self, server_round, arrays, config, grid):
        self.last = {k: v.numpy() for k, v in arrays.items()}
        return super().configure_train(server_round, arrays, config, grid)


LISTED = find("sfl/T7@explicit")
if __name__ == "__main__":
    for kind in (Keeps, KeepsCopy):
        print(
            kind.__name__,
            check_claim(
                replace(LISTED, algorithm=strategy_algorithm(kind(min_train_nodes=1, min_available_nodes=1))),
                LISTED.cases[0].with_settings(n_rounds=60),
            ),
        )
