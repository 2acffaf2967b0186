"""The federated discrete greedy (Algorithm 3) on the indicator x of S, (rows, items): a step adds an item.

Client i answers with probability kappa_i = min(1, kappa w_i), and its gains are multiplied by 1/kappa_i; clients of
importance 0 have no gain and are left out. ``c.sampling_scale`` is kappa.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.papers.fedcg.discrete.closed_forms.importance import factors, factors_of_largest
from fltheory.papers.fedcg.feasible import require_sets
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Matroid, ranking
from fltheory.problems.sets.set_functions import as_kind_of
from fltheory.runs.algorithm import ITEMS, SET, Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.measures import ENERGY, NUMBER, PathMeasure


def sets_of(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct sets among the rows, as 0/1 rows, and the index of each row's set."""
    different, place = np.unique((x != 0).astype(np.int64), axis=0, return_inverse=True)
    return different, place.reshape(-1)


def gains(clients: SubmodularClients, x: np.ndarray) -> np.ndarray:
    """Return f_i(S + e) - f_i(S) for e outside S, (clients, rows, items): the gradient at the indicator of S."""
    different, place = sets_of(x)
    found = clients.gradients(np.stack([as_kind_of(row.tolist(), x) for row in different]))
    return found[:, place]


def addable_items(clients: SubmodularClients, x: np.ndarray, repeats: bool) -> np.ndarray:
    """Return the items e with S + e independent, (rows, items); ``repeats`` includes those in S, as printed."""
    different, place = sets_of(x)
    n = different.shape[1]
    sets = [frozenset(np.nonzero(row)[0].tolist()) for row in different]
    table = [
        [(e in s and repeats) or (e not in s and clients.matroid.independent(s | {e})) for e in range(n)] for s in sets
    ]
    return np.array(table)[place]


def feasible(matroid: Matroid, x: np.ndarray) -> np.ndarray:
    """Return which rows are indicators of independent sets."""
    different, place = sets_of(x)
    independent = [matroid.independent(frozenset(np.nonzero(row)[0].tolist())) for row in different]
    return np.array(independent)[place] & ((x == 0) | (x == 1)).all(axis=1)


def chances_of(clients: SubmodularClients, x: np.ndarray, scale: Number, weighted: bool) -> list[Any]:
    """Return kappa_i in the number type of x."""
    return [min(w * 0 + 1, w * scale) for w in as_kind_of(factors(clients, weighted), x)]


def answers(oracle: SetOracle, x: np.ndarray, chances: list[Any]) -> list[np.ndarray]:
    """Return 1/kappa_i if client i answers, else 0, (rows,) for each client; sure answers need no random number."""
    random = [i for i, k in enumerate(chances) if 0 < k < 1]
    asked = np.empty((len(x), len(random)), dtype=x.dtype)
    for column, i in enumerate(random):
        asked[:, column] = chances[i]
    coins = dict(zip(random, oracle.coins(asked).T, strict=True)) if random else {}
    found = []
    for i, k in enumerate(chances):
        own = np.full(len(x), 1 / k if k else k, dtype=x.dtype)
        found.append(np.where(coins[i], own, own * 0) if i in coins else own)
    return found


def with_best_item(
    oracle: SetOracle, x: np.ndarray, scales: list[np.ndarray], weighted: bool = True, repeats: bool = False
) -> np.ndarray:
    """Return S with the item of largest scaled gains, ties by the rule for ties; S itself if none can be added."""
    clients = oracle.instance
    total = x * 0
    shares = oracle.weights(x)
    for i, own in enumerate(gains(clients, x)):
        total = total + own * (scales[i] * shares[i] if weighted else scales[i])[:, None]
    ranked = ranking(total, clients.order())
    rows = np.arange(len(x))
    able = addable_items(clients, x, repeats)[rows[:, None], ranked]
    best = ranked[rows, able.argmax(axis=1)]
    new = x.copy()
    adds = able.any(axis=1)
    new[rows[adds], best[adds]] = as_kind_of((1,), x)[0]
    return new


def greedy_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run a round of Algorithm 3 with fresh draws: the item is outside S, and p_i is part of f_i."""
    chances = chances_of(oracle.instance, x, c.sampling_scale, True)
    return with_best_item(oracle, x, answers(oracle, x, chances))


def by_largest_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run the same where client i answers with probability min(1, kappa max f_i({e})/max F({e})), without w_i."""
    scale = c.sampling_scale
    chances = [min(v * 0 + 1, v * scale) for v in as_kind_of(factors_of_largest(oracle.instance), x)]
    return with_best_item(oracle, x, answers(oracle, x, chances))


def repeating_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run the same with the range of lines 7 and 14 as printed, which contains S: a round may add nothing."""
    chances = chances_of(oracle.instance, x, c.sampling_scale, True)
    return with_best_item(oracle, x, answers(oracle, x, chances), repeats=True)


def unweighted_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run the same as printed for F = sum_i p_i f_i: the clients' gains don't contain p."""
    chances = chances_of(oracle.instance, x, c.sampling_scale, False)
    return with_best_item(oracle, x, answers(oracle, x, chances), weighted=False, repeats=True)


def one_shot_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """Run all rounds with draws made once: greedy on F' = sum of f_i/kappa_i over the clients that answer."""
    scales = answers(oracle, x, chances_of(oracle.instance, x, c.sampling_scale, True))
    for _ in range(c.rank):
        x = with_best_item(oracle, x, scales)
    return x


greedy = Algorithm("federated discrete greedy", greedy_step, anonymous=True, kind=ITEMS)
by_largest = Algorithm("discrete greedy, clients sampled alike", by_largest_step, anonymous=True, kind=ITEMS)
repeating = Algorithm("federated discrete greedy, S in its range", repeating_step, anonymous=True, kind=ITEMS)
unweighted = Algorithm("federated discrete greedy, p ignored", unweighted_step, anonymous=True, kind=ITEMS)
one_shot = Algorithm("federated discrete greedy, coins thrown once", one_shot_step, anonymous=True, kind=SET)


@dataclass(frozen=True)
class FinalValue(PathMeasure):
    """The value F(S) of the final set of a run."""

    name: str = "F(S)"
    dimension: Dimension = ENERGY
    letters: tuple[Symbol, ...] = ()

    def is_random(self, case: Case) -> bool:
        """Return whether runs differ."""
        return True

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        """Return F(S); VariantError for a run that leaves the independent sets."""
        instance: SubmodularClients = case.instance
        require_sets(states, case)
        return instance.extension(states[:, -1])[:, None]

    def read(self, states: np.ndarray, case: Case) -> Mapping[Symbol, np.ndarray]:
        """Return nothing: the bound takes nothing from the run."""
        return {}

    def trivial(self, case: Case) -> Number | None:
        """Return None: a value is never negative, but 0 is no informative lower bound."""
        return None


@dataclass(frozen=True)
class FinalSize(FinalValue):
    """The number of items in the final set of a run."""

    name: str = "|S|"
    dimension: Dimension = NUMBER

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        """Return the sizes; VariantError for a run that leaves the independent sets."""
        require_sets(states, case)
        return states[:, -1].sum(axis=1)[:, None]
