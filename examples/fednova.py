"""FedNova: clients take different numbers of local steps, and the server averages their steps' means.

The normalisation keeps the fixed point of K = 1 near; the plain mean of the ends would not (examples/uneven_work.py).
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y, n_steps = x, 1 + client % c.n_local_steps
        for k in range(n_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + (x - y) / n_steps
    return x - c.n_local_steps * total / c.n_clients


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("FedNova", step))

if __name__ == "__main__":
    print(verify(claim))
