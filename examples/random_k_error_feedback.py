"""Random sparsification with error feedback: all clients send with probability 1/4, and keep what they didn't send.

The memory makes the state longer, not the moments less exact. What is kept comes late but comes: Theorem 7 holds here.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def init(start, c):
    return {"x": start, "kept": 0 * start}


def step(state, oracle, c):
    x, move = state["x"], state["kept"]
    for client in range(c.n_clients):
        move = move + c.n_local_steps * c.step_size * oracle.gradient(x, client) / c.n_clients
    sent = move * oracle.coin(0.25)[:, None]
    return {"x": x - sent, "kept": move - sent}


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("random, error feedback", step, init=init))

if __name__ == "__main__":
    print(verify(claim))
