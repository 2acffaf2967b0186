"""Shuffle once: one random order, drawn in round 0, is kept for the whole run.

The state remembers it: two clients have two courses, however long the run. Theorem 3 holds of them as well here.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify


def init(start, c):
    return {"x": start, "order": np.zeros((len(start), c.n_clients))}


def step(state, oracle, c):
    x, order = state["x"], state["order"].astype(int)
    if c.round == 0:
        order = oracle.order()
    for client in order.T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return {"x": x, "order": order.copy()}


claim = replace(find("sfl/T3-SC@corrected"), algorithm=Algorithm("SFL, shuffled once", step, init=init))

if __name__ == "__main__":
    print(verify(claim))
