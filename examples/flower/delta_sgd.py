"""Delta-SGD's clients behind Flower's FedAvg: each finds its own step sizes, the released server averages.

The corrected Theorem 1 holds of the paper's algorithm as Flower runs it, with the figures of the paper's own loop.
"""

from dataclasses import replace

from flwr.serverapp.strategy import FedAvg

from fltheory import find, verify
from fltheory.frameworks.flower import strategy_algorithm
from fltheory.frameworks.flower_client import optimiser_client
from fltheory.runs.client_optimiser import adaptive_optimiser

delta_sgd = adaptive_optimiser()


def strategy(c):
    return FedAvg(fraction_train=1e-9, min_train_nodes=int(c.n_participating), min_available_nodes=1)


flower = strategy_algorithm(strategy, optimiser_client(delta_sgd), ordered=False)
mine = replace(flower, batches=delta_sgd.batches, watched=True)  # every local step is looked at
claim = replace(find("delta_sgd/T1-X@corrected"), algorithm=mine)

if __name__ == "__main__":
    print(verify(claim))
