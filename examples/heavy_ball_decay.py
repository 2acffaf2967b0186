"""A heavy ball on the server whose factor 1/(r + 2) fades with the rounds: ``c.round`` is the round, from 0.

The factor is at most 1/2 and soon small: the bound of Theorem 3 keeps its room.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def init(start, c):
    return {"x": start, "before": start}


def step(state, oracle, c):
    x = state["x"]
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return {"x": x + (state["x"] - state["before"]) / (c.round + 2), "before": state["x"]}


claim = replace(find("sfl/T3-SC@corrected"), algorithm=Algorithm("SFL, fading heavy ball", step, init=init))

if __name__ == "__main__":
    print(verify(claim))
