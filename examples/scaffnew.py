"""Scaffnew (ProxSkip): one gradient step a round, and with probability p = 1/K all clients meet at their mean.

A round has one gradient step where Theorem 7 has K, but the cases leave it room, and the shifts cost no heterogeneity: it holds.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify


def init(start, c):
    own = np.stack([start] * c.n_clients, axis=1)
    return {"x": start, "own": own, "shift": 0 * own}


def step(state, oracle, c):
    own, shift, p = state["own"], state["shift"], 1 / c.n_local_steps
    moved = [own[:, m] - c.step_size * (oracle.gradient(own[:, m], m) - shift[:, m]) for m in range(c.n_clients)]
    met = [y - c.step_size / p * shift[:, m] for m, y in enumerate(moved)]
    mean = sum(met) / c.n_clients
    meet = oracle.coin(p)[:, None]
    after = [np.where(meet, mean, y) for y in moved]
    shift = np.stack([shift[:, m] + p / c.step_size * (y - moved[m]) for m, y in enumerate(after)], axis=1)
    return {"x": sum(after) / c.n_clients, "own": np.stack(after, axis=1), "shift": shift}


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("Scaffnew", step, init=init))

if __name__ == "__main__":
    print(verify(claim))
