"""Continuous greedy whose server moves in every second round only, and twice as far.

In an even number of rounds the bound stays true for a rank r <= 2: the error of a step grows with its square and so twice
in all, but a base adds r(r - 1) pairs of items where the theorem charges r². In a single round it never moves: false.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    if c.round % 2 == 0:
        return x
    return x + 2 * c.server_step_size * oracle.base(oracle.mean_gradient(x))


claim = replace(find("fedcg/P6@corrected"), algorithm=Algorithm("every second round", step))

if __name__ == "__main__":
    print(verify(claim))
