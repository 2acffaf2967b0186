"""A public report on FedEM: the mean is over all clients, those not drawn counting with the old model: is partial
participation's theorem still true?"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def step(x, oracle, c):
    drawn = oracle.order(c.n_participating)
    move = 0 * x
    for client in drawn.T:
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        move = move + (y - x)
    return x + move / c.n_clients  # of those drawn: / n_participating


claim = replace(find("sfl/PP-PFL@explicit"), algorithm=Algorithm("mean over all", step))
if __name__ == "__main__":
    print(verify(claim))
