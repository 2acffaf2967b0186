"""AdaGrad as a learner: projected gradient steps of length 1 over the root of the sum of squared gradients.

Its steps don't use the curvature of the loss, so that its regret grows like √T in a game of two nearly equal clients,
where the online Newton step has log T: Theorem 5.1 is false of it in a long game, and still true in a short one.
"""

from dataclasses import replace

import numpy as np

from fltheory import Learner, find, verify


def projected(y):
    """The nearest point of the simplex, of every row."""
    ranked = np.sort(y, axis=1)[:, ::-1]
    shifts = (ranked.cumsum(axis=1) - 1) / np.arange(1, y.shape[1] + 1)
    last = (ranked > shifts).sum(axis=1, keepdims=True) - 1
    return np.maximum(y - np.take_along_axis(shifts, last, axis=1), 0)


def init(n, c):
    return {"p": np.full((n, c.n_clients), 1 / c.n_clients), "squares": np.zeros((n, 1))}


def play(state, c):
    return state["p"]


def step(state, seen, response, c):
    gradient = -response / (1 + (state["p"] * response).sum(axis=1, keepdims=True))
    squares = state["squares"] + (gradient**2).sum(axis=1, keepdims=True)
    move = gradient / np.sqrt(np.where(squares > 0, squares, 1))
    return {"p": projected(state["p"] - move), "squares": squares}


claim = replace(find("aaggff/T5.1@strengthened"), algorithm=Learner("AdaGrad", step, init=init, play=play))

if __name__ == "__main__":
    print(verify(claim))
