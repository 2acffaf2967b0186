"""Top-1 sparsification with error feedback: what is not sent is kept by its client and added to its next step.

Nothing is lost, only late: on the clients that break the one without feedback (examples/top_k.py) the bound holds.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, Case, find, verify
from fltheory.problems.separable import QuadraticClients


def init(start, c):
    return {"x": start, "kept": np.stack([0 * start] * c.n_clients, axis=1)}


def step(state, oracle, c):
    x, sent, kept = state["x"], 0 * state["x"], []
    for client in range(c.n_clients):
        move = state["kept"][:, client] + c.n_local_steps * c.step_size * oracle.gradient(x, client)
        first = np.abs(move[:, :1]) >= np.abs(move[:, 1:])
        told = move * np.concatenate([first, ~first], axis=1)
        sent = sent + told
        kept.append(move - told)
    return {"x": x - sent / c.n_clients, "kept": np.stack(kept, axis=1)}


clients = QuadraticClients(((1, 1), (1, 1)), ((3, 1), (-3, 1)), (0, 0))
claim = replace(
    find("sfl/T7@explicit"),
    algorithm=Algorithm("top-1, error feedback", step, init=init),
    cases=(Case(clients, n_rounds=600, n_local_steps=1, step_size="1/60"),),
)

if __name__ == "__main__":
    print(verify(claim))
