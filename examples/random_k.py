"""Random-1 sparsification: every client sends one coordinate, drawn uniformly, times their number, so that the mean is right.

The sparsified gradient is unbiased and affine in the point: its moments are exact. Its variance fits under Theorem 7 here.
"""

from dataclasses import replace

import numpy as np

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    dim = x.shape[1]
    sent = 0 * x
    for client in range(c.n_clients):
        chosen = oracle.choice([1] * dim)[:, None] == np.arange(dim)
        sent = sent + dim * chosen * oracle.gradient(x, client)
    return x - c.n_local_steps * c.step_size * sent / c.n_clients


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("random-1", step))

if __name__ == "__main__":
    print(verify(claim))
