"""Importance sampling: one client a round, drawn with probability m + 1 to M(M + 1)/2, its step divided by M times that.

The mean step is that of everyone, so the run is unbiased; its variance fits under the bound of Theorem 7 on its cases.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    weights = [m + 1 for m in range(c.n_clients)]
    client = oracle.choice(weights)
    y = x
    for k in range(c.n_local_steps):
        y = y - c.step_size * oracle.gradient(y, client, k)
    return x + (y - x) * (sum(weights) / (client + 1) / c.n_clients)[:, None]


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("importance sampling", step))

if __name__ == "__main__":
    print(verify(claim))
