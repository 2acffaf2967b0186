"""A public report on fedbiomed: SCAFFOLD's correction is applied with the wrong sign, g + (c_i - c) instead of g - (c_i - c)."""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify

SIGN = +1  # the bug; -1 is SCAFFOLD


def init(start, c):
    return {"x": start, "own": np.stack([0 * start] * c.n_clients, axis=1), "mean": 0 * start}


def step(state, oracle, c):
    x, own, mean = state["x"], state["own"], state["mean"]
    ends, news = [], []
    for m in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * (oracle.gradient(y, m, k) + SIGN * (own[:, m] - mean))
        news.append(own[:, m] - mean + (x - y) / (c.n_local_steps * c.step_size))
        ends.append(y)
    own = np.stack(news, axis=1)
    return {"x": sum(ends) / c.n_clients, "own": own, "mean": own.sum(axis=1) / c.n_clients}


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("SCAFFOLD, sign", step, init=init))
if __name__ == "__main__":
    print(verify(claim))
