"""Orders forwards and backwards in turn: the clients from first to last in even rounds, from last to first in odd ones.

Nothing is drawn. The two kinds of rounds have different laws, which are followed round by round: Theorem 3 holds of them.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    for client in range(c.n_clients) if c.round % 2 == 0 else range(c.n_clients - 1, -1, -1):
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return x


claim = replace(find("sfl/T3-SC@corrected"), algorithm=Algorithm("SFL, forwards and backwards", step))

if __name__ == "__main__":
    print(verify(claim))
