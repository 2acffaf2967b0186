"""Sequential federated learning with momentum on the server: the state holds the velocity.

With a factor 1/2 the effective step doubles: the bound of Theorem 3 for the step without momentum still holds on its cases.
"""

from dataclasses import replace

from fltheory import Algorithm, find, verify


def init(start, c):
    return {"x": start, "velocity": 0 * start}


def step(state, oracle, c):
    x = state["x"]
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    velocity = state["velocity"] / 2 + x - state["x"]
    return {"x": state["x"] + velocity, "velocity": velocity}


claim = replace(find("sfl/T3-SC@corrected"), algorithm=Algorithm("SFL, server momentum", step, init=init))

if __name__ == "__main__":
    print(verify(claim))
