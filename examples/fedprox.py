"""FedProx, by gradient steps on each client's objective plus L |y - x|^2 / 2: the pull back to the server's point is affine.

The local runs drift less than those of Theorem 7, and are hardly slower at its steps: the bound holds. (A pull that is not in
proportion to L is another matter: at L = 1/500 the theorem allows steps of 21, and a pull of |y - x|^2 / 2 makes them run away.)
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * (oracle.gradient(y, client, k) + c.smoothness * (y - x))
        total = total + y
    return total / c.n_clients


claim = replace(find("sfl/T7@explicit"), algorithm=Algorithm("FedProx", step))

if __name__ == "__main__":
    print(verify(claim))
