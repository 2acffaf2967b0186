"""Fresh runs of the experiments: final values of two groups of methods on the same data, mini-batches and uniforms."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from fltheory.games.player import Sampler
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.samplers import lipschitz
from fltheory.papers.osmd.experiments import studies
from fltheory.papers.osmd.experiments.datasets import heterogeneous_regression, one_coordinate_regression
from fltheory.papers.osmd.experiments.linear_models import LinearModels
from fltheory.papers.osmd.experiments.optimisers import Build, Plan
from fltheory.papers.osmd.experiments.training import Method, Reading, minibatch_sgd, scaffold, train

Kind = Literal["SGD", "one coordinate", "SCAFFOLD"]
SCAFFOLD_RATE = 1e-3  # the sampler's rate in Appendix E
RECORDS = 10  # number of records from which a step size is chosen


class Setting(NamedTuple):
    """A setting of runs: a kind of experiment in a reading, ``spread`` (sigma or nu), ``rounds`` and ``clients``."""

    kind: Kind
    reading: str
    spread: float
    rounds: int
    clients: int


class Ends(NamedTuple):
    """Cumulative regrets, NaN if not requested, and training losses after the last round: (methods, repetitions)."""

    regret: np.ndarray
    loss: np.ndarray


def plan(kind: Kind, reading: str) -> Plan:
    """Return the sizes of an experiment."""
    return studies.SCAFFOLD[reading] if kind == "SCAFFOLD" else studies.SECTION_7


def _data(setting: Setting, seed: int, runs: np.ndarray) -> LinearModels:
    if setting.kind == "one coordinate":
        return one_coordinate_regression(setting.spread, runs, seed, setting.clients)
    as_std = studies.READINGS[setting.reading].spread_is_std
    return heterogeneous_regression(setting.spread, runs, seed, setting.clients, spread_is_std=as_std)


def method(name: str, reading: Reading, n_sampled: int, data: LinearModels) -> Method:
    """Return a method by name: those of Figures 1 and 2, and those of the other figures.

    ``alpha=0.1`` is Adaptive-OSMD with that floor; others: ``without replacement``, ``by smoothness``, ``osmd``.
    """
    if name.startswith("alpha="):
        own = studies.method("adaptive", reading, n_sampled)
        return replace(own, settings={"probability_floor": float(name.removeprefix("alpha="))})
    if name == "without replacement":
        return replace(studies.method("adaptive", reading, n_sampled), replacement=False)
    if name == "by smoothness":
        return Method("by smoothness", lipschitz(data.weights, data.smoothness))
    if name == "osmd":
        return Method("OSMD", osmd, {"sampler_rate": SCAFFOLD_RATE})
    return studies.method(name, reading, n_sampled)


def _each_step(methods: list[Method]) -> list[Method]:
    return [replace(m, settings={**m.settings, "step_size": step}) for m in methods for step in studies.STEP_SIZES]


def _at_the_best_step(losses: np.ndarray, regret: np.ndarray) -> Ends:
    """Return each method at its step with the least mean log loss in the same run: (records, methods x steps, runs)."""
    records, _, runs = losses.shape
    table = losses.reshape(records, -1, len(studies.STEP_SIZES), runs)
    best = np.log(table).mean(axis=0).argmin(axis=1)[:, None]  # (methods, 1, runs)
    regrets = regret.reshape(table.shape[1:])
    return Ends(*(np.take_along_axis(v, best, axis=1)[:, 0] for v in (regrets, table[-1])))


@lru_cache(maxsize=64)
def ends(
    setting: Setting,
    ours: tuple[str, ...],
    sampler: Sampler,
    rivals: tuple[str, ...],
    seed: int,
    runs: tuple[int, ...],
    regret: bool = True,
) -> Ends:
    """Return the final values of ``ours``, with ``sampler``, and then of the ``rivals``; several claims share them.

    In Section 7.4 ("one coordinate") each method has the best of STEP_SIZES in each run. ``regret=False`` is faster.
    """
    reading, several = studies.READINGS[setting.reading], setting.kind == "one coordinate"
    every = setting.rounds // RECORDS if several else setting.rounds
    sizes = replace(plan(setting.kind, setting.reading), n_rounds=setting.rounds, record_every=every)
    optimiser: Build = scaffold if setting.kind == "SCAFFOLD" else minibatch_sgd
    found = []
    for i in range(0, len(runs), studies.BLOCK):
        block = np.array(runs[i : i + studies.BLOCK])
        data = _data(setting, seed, block)
        methods = [method(name, reading, sizes.n_sampled, data) for name in (*ours, *rivals)]
        methods = [replace(m, sampler=sampler) if k < len(ours) else m for k, m in enumerate(methods)]
        trained = _each_step(methods) if several else methods
        history = train(optimiser, trained, data, sizes, reading, seed, block, regret)
        last = Ends(history.regret[-1], history.loss[-1])
        found.append(_at_the_best_step(history.loss, last.regret) if several else last)
    joined = Ends(*(np.concatenate(parts, axis=1) for parts in zip(*found, strict=True)))
    for values in joined:
        values.setflags(write=False)
    return joined
