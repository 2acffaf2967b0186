"""A public report on MOE: UCB1 with the arm's count and the total swapped under the root.

A rule that draws one arm surely, as a sampler of clients."""

from dataclasses import replace

import numpy as np

from fltheory import Sampler, find, verify


def init(n, c):
    return {"sum": np.zeros((n, c.n_clients)), "n": np.ones((n, c.n_clients))}


def make(buggy):
    def play(s, c):
        total = s["n"].sum(axis=1, keepdims=True)
        width = np.sqrt(2 * np.log(s["n"]) / total) if buggy else np.sqrt(2 * np.log(total) / s["n"])
        best = (s["sum"] / s["n"] + width).argmax(axis=1)
        return np.eye(c.n_clients)[best]

    return play


def step(s, counts, feedback, c):
    return {"sum": s["sum"] + counts * feedback, "n": s["n"] + counts}


LISTED = find("osmd/C-P13@strengthened")
claim = replace(LISTED, algorithm=Sampler("UCB1, swapped", step, init=init, play=make(True)), cases=LISTED.cases[:5])
right = replace(LISTED, algorithm=Sampler("UCB1", step, init=init, play=make(False)), cases=LISTED.cases[:5])
if __name__ == "__main__":
    print(verify(claim))
