"""Sequential federated learning with step sizes eta/(r + 1).

Theorem 3 is about a constant step: its bound falls exponentially in the rounds, this run by a power of them. It is violated.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size / (c.round + 1) * oracle.gradient(x, client, k)
    return x


claim = replace(find("sfl/T3-SC@corrected"), algorithm=Algorithm("SFL, steps 1/(r + 1)", step))

if __name__ == "__main__":
    print(verify(claim))
