"""Analogues of the experiments of Section 6: all methods on generated federations, with the result for every client.

Every repetition has its own data and draws; the methods of one experiment share them (paired runs).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fltheory.games.learners import constant_learner
from fltheory.games.player import Learner
from fltheory.model.case import Case
from fltheory.papers.aaggff.experiments.federation import Server, afl, by_learner, by_method, federate
from fltheory.papers.aaggff.experiments.federation_data import Logistic
from fltheory.papers.aaggff.instances.federation import LogisticFederation
from fltheory.papers.aaggff.practice.closed_forms import fairness
from fltheory.papers.aaggff.unification import closed_forms
from fltheory.runs.constants import Constants, run_constants

SHARE = "1/10"  # of the clients, for the worst and the best
POWER, TILT, CEILING, RATE = 1.0, 1.0, 5.0, 0.1  # q, lambda, M and the step of AFL, from the paper's grids (C.3)
UNIFORM = constant_learner()


class Outcome(NamedTuple):
    """Results of runs: accuracy on held-out samples and mean training loss of every client, (R, K).

    ``from_uniform`` (R,): mean over the rounds of the total variation between the weights that move theta and uniform
    weights on those who take part.
    """

    accuracy: np.ndarray
    losses: np.ndarray
    from_uniform: np.ndarray

    @property
    def average(self) -> np.ndarray:
        """Mean accuracy, (R,)."""
        return np.asarray(fairness.mean(self.accuracy))

    @property
    def worst(self) -> np.ndarray:
        """Mean accuracy of the worst tenth of the clients, (R,)."""
        return np.asarray(fairness.worst(self.accuracy, SHARE))

    @property
    def best(self) -> np.ndarray:
        """Mean accuracy of the best tenth of the clients, (R,)."""
        return np.asarray(fairness.best(self.accuracy, SHARE))

    @property
    def gini(self) -> np.ndarray:
        """The Gini coefficient of the accuracies, (R,)."""
        return np.asarray(fairness.gini(self.accuracy))

    @property
    def largest_loss(self) -> np.ndarray:
        """The largest training loss of a client, (R,): what AFL minimises."""
        return np.asarray(self.losses.max(axis=1))


@lru_cache(maxsize=2)
def _clients(federation: LogisticFederation, seed: int, runs: tuple[int, ...]) -> Logistic:
    return federation.clients(seed, np.array(runs))


def train(server: Server, federation: LogisticFederation, c: Constants, seed: int, runs: tuple[int, ...]) -> Outcome:
    """Run all rounds of a federation with a server."""
    clients, repetitions = _clients(federation, seed, runs), np.array(runs)
    distance = np.zeros(len(runs))
    for turn in federate(server, clients, federation.plan(), c, seed, repetitions):
        theta, who = turn.after, turn.answers.who
        used = turn.weights / turn.weights.sum(axis=1, keepdims=True)
        distance += np.abs(used - 1 / who.shape[1]).sum(axis=1) / 2
    everyone = np.tile(np.arange(len(clients.sizes)), (len(runs), 1))
    return Outcome(clients.accuracy(theta), clients.losses(theta, everyone), distance / c.n_rounds)


@lru_cache(maxsize=64)
def of_learner(learner: Learner, case: Case[LogisticFederation], seed: int, runs: tuple[int, ...]) -> Outcome:
    """Run AAggFF with a learner, with the constants of the case."""
    federation = case.instance
    return train(by_learner(learner, federation.transform), federation, run_constants(case, None), seed, runs)


@lru_cache(maxsize=256)
def of_rival(name: str, federation: LogisticFederation, seed: int, runs: tuple[int, ...]) -> Outcome:
    """Run a method of RIVALS; KeyError for another name."""
    return train(rival(name, federation), federation, run_constants(Case(federation), None), seed, runs)


def rival(name: str, federation: LogisticFederation) -> Server:
    """Return the server of a method of RIVALS."""
    sizes, rate = federation.sizes, federation.plan().step_size
    servers = {
        "FedAvg": lambda: by_method(closed_forms.fedavg, sizes),
        "AFL": lambda: afl(RATE),
        "q-FedAvg": lambda: by_method(closed_forms.qfedavg, sizes, POWER, 1 / rate),
        "TERM": lambda: by_method(closed_forms.term, sizes, TILT),
        "PropFair": lambda: by_method(closed_forms.propfair, sizes, CEILING),
        "uniform": lambda: by_learner(UNIFORM),
    }
    return servers[name]()


SILO = ("FedAvg", "AFL", "q-FedAvg", "TERM", "PropFair")
DEVICES = ("FedAvg", "q-FedAvg", "TERM", "PropFair")  # AFL needs the losses of all clients
