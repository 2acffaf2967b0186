"""Client dropout: every client is away with probability 1/2, by a coin of the algorithm's own.

In the mean half the steps are taken, and the coins are enumerated with their exact chances: Theorem 3 keeps its room.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    for client in oracle.order().T:
        there = oracle.coin(0.5)[:, None]
        for k in range(c.n_local_steps):
            x = x - there * c.step_size * oracle.gradient(x, client, k)
    return x


claim = replace(find("sfl/T3-SC@corrected"), algorithm=Algorithm("SFL, dropout", step))

if __name__ == "__main__":
    print(verify(claim))
