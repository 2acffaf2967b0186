"""A public report on flower: FedAdam's step was made of this round's delta where the momentum m_t belongs. A strategy
of Flower's, one line changed."""

from dataclasses import replace

import numpy as np
from flwr.app import Array, ArrayRecord
from flwr.serverapp.strategy import FedAdam

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.frameworks.flower import strategy_algorithm


class DeltaAdam(FedAdam):
    def aggregate_train(self, server_round, replies):
        before, momentum = self.current_arrays, self.m_t
        arrays, metrics = super().aggregate_train(server_round, replies)
        if arrays is None:
            return arrays, metrics
        new = {}
        for name in before:
            last = momentum[name] if momentum else 0 * before[name]
            delta = (self.m_t[name] - self.beta_1 * last) / (1 - self.beta_1)
            new[name] = before[name] + self.eta * delta / (np.sqrt(self.v_t[name]) + self.tau)
        return ArrayRecord({k: Array(np.asarray(v)) for k, v in new.items()}), metrics


def made(kind):
    return strategy_algorithm(kind(eta=0.1, min_train_nodes=1, min_available_nodes=1))


LISTED = find("sfl/T7@explicit")
if __name__ == "__main__":
    for kind in (FedAdam, DeltaAdam):
        for i in (0, 6):
            print(
                kind.__name__,
                i,
                check_claim(
                    replace(LISTED, algorithm=made(kind)), LISTED.cases[i].with_settings(n_rounds=60 if i == 0 else 400)
                ),
            )
