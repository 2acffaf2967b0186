"""Local momentum: every client starts its heavy ball anew, so that a round is still affine in the point.

A factor 1/2 at most doubles the effective step: the bound of Theorem 3 keeps its room.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    for client in oracle.order().T:
        velocity = 0 * x
        for k in range(c.n_local_steps):
            velocity = velocity / 2 - c.step_size * oracle.gradient(x, client, k)
            x = x + velocity
    return x


claim = replace(find("sfl/T3-SC@corrected"), algorithm=Algorithm("SFL, local momentum", step))

if __name__ == "__main__":
    print(verify(claim))
