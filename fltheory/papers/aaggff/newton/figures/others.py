"""Two self-tuning learners for comparison with the paper's: AdaHedge and Cover's universal portfolio."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from fltheory.games.learners import loss_gradient, softmax
from fltheory.games.losses import LOG_GROWTH
from fltheory.games.player import Learner
from fltheory.number import streams
from fltheory.runs.constants import Constants

PORTFOLIOS = 20_000  # drawn uniformly from the simplex


class Hedge(NamedTuple):
    """Total linearised losses (seeds, clients), and the mixability gap so far (seeds, 1)."""

    total: np.ndarray
    gap: np.ndarray


def _hedge_weights(state: Hedge) -> np.ndarray:
    """Return p proportional to exp(-eta total), eta = log K / gap, or uniform on the leaders while the gap is 0."""
    least = state.total.min(axis=1, keepdims=True)
    leaders = (state.total == least).astype(float)
    with np.errstate(divide="ignore", over="ignore"):
        rate = math.log(state.total.shape[1]) / np.maximum(state.gap, 1e-300)
    away = np.minimum(rate * (state.total - least), 700.0)
    return np.where(state.gap > 0, softmax(-away), leaders / leaders.sum(axis=1, keepdims=True))


def adahedge() -> Learner:
    """Return AdaHedge (de Rooij et al. 2014) on gradients of the log growth, at rate log K over the mixability gap."""
    g_of = loss_gradient(LOG_GROWTH)

    def init(n: int, c: Constants) -> Hedge:
        return Hedge(np.zeros((n, c.n_clients)), np.zeros((n, 1)))

    def step(state: Hedge, seen: np.ndarray, response: np.ndarray, c: Constants) -> Hedge:
        p = _hedge_weights(state)
        g = g_of(p, seen, response, c)
        played = (p * g).sum(axis=1, keepdims=True)
        rate = math.log(c.n_clients) / np.maximum(state.gap, 1e-12)
        low = np.where(p > 0, g, np.inf).min(axis=1, keepdims=True)
        mixed = low - np.log((p * np.exp(np.maximum(-rate * (g - low), -700.0))).sum(axis=1, keepdims=True)) / rate
        return Hedge(state.total + g, state.gap + np.maximum(played - np.where(state.gap > 0, mixed, low), 0.0))

    return Learner("AdaHedge", step, init, lambda state, c: _hedge_weights(state))


class Portfolios(NamedTuple):
    """The logarithms of the returns of the fixed decisions, (seeds, portfolios)."""

    earned: np.ndarray


@cache
def fixed_portfolios(n: int, n_clients: int) -> np.ndarray:
    """Return ``n`` decisions, uniform on the simplex, (portfolios, clients)."""
    draws = -np.log1p(-streams.uniform(1, np.arange(n)[:, None], 0, np.arange(n_clients)[None], 0))
    return draws / draws.sum(axis=1, keepdims=True)


def universal_portfolio(n_fixed: int = PORTFOLIOS) -> Learner:
    """Return Cover's universal portfolio (1991): the mean of random fixed decisions, weighted by their returns."""

    def init(n: int, c: Constants) -> Portfolios:
        return Portfolios(np.zeros((n, n_fixed)))

    def step(state: Portfolios, seen: np.ndarray, response: np.ndarray, c: Constants) -> Portfolios:
        return Portfolios(state.earned + np.log1p(response @ fixed_portfolios(n_fixed, c.n_clients).T))

    def play(state: Portfolios, c: Constants) -> np.ndarray:
        return softmax(state.earned) @ fixed_portfolios(n_fixed, c.n_clients)

    return Learner("universal portfolio", step, init, play)
