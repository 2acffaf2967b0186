"""Uneven work without FedNova's normalisation: the first client takes one local step, the last one K.

Busy clients pull the mean to their own minimisers: the run ends elsewhere, and Theorem 7 is violated.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(1 + client % c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return total / c.n_clients


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("uneven work", step))

if __name__ == "__main__":
    print(verify(claim))
