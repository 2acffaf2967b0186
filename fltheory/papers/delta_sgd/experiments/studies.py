"""Analogues of the experiments of Section 4: step sizes tuned on one task and used on all, and untuned Delta-SGD.

Small networks on bundled data replace the paper's large ones. Every repetition distributes the data anew; all methods
share repetitions, clients and mini-batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from sympy import Symbol

from fltheory.model.schema import AsVector, Data, read_vector
from fltheory.number import Number, to_float
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.algorithms import optimisers
from fltheory.papers.delta_sgd.experiments.datasets import split_data
from fltheory.papers.delta_sgd.experiments.networks import Network
from fltheory.papers.delta_sgd.experiments.training import (
    Federated,
    Method,
    Plan,
    Run,
    Schedule,
    constant,
    stepwise_decay,
    train,
)
from fltheory.problems.data.tables import TABLES, Table, table
from fltheory.runs.client_optimiser import ClientOptimiser, adaptive_optimiser
from fltheory.runs.step_rule import StepRule, auto_tuned

HIDDEN: Mapping[str, tuple[int, ...]] = {"mlp": (32,), "softmax": ()}
TASKS = ("digits/mlp", "digits/softmax", "pixels/mlp", "pixels/softmax", "cancer/mlp")
ALPHAS = ("1", "1/10", "1/100")
TUNED_ON = ("digits/mlp", "1/10")
LARGE, SMALL = (0.01, 0.05, 0.1, 0.5), (0.001, 0.01, 0.1)  # the paper's grids


class Column(NamedTuple):
    """An optimiser of Table 1: the grid for its step size, and its schedule after tuning."""

    optimiser: ClientOptimiser
    grid: tuple[float, ...] = ()
    schedule: Schedule = constant


COLUMNS: Mapping[str, Column] = {
    "SGD": Column(optimisers.sgd, LARGE),
    "SGD (↓)": Column(optimisers.sgd, LARGE, stepwise_decay),
    "SGDM": Column(optimisers.sgdm, LARGE),
    "SGDM (↓)": Column(optimisers.sgdm, LARGE, stepwise_decay),
    "Adam": Column(optimisers.adam, SMALL),
    "Adagrad": Column(optimisers.adagrad, SMALL),
    "SPS": Column(optimisers.sps),
}  # the step sizes of (↓) are those tuned without a schedule
MISTUNED: Mapping[str, tuple[str, float]] = {"SGD x 10": ("SGD", 10.0), "SGD / 10": ("SGD", 0.1)}
OURS = "Delta-SGD"


class Setting(NamedTuple):
    """A task with a degree of heterogeneity."""

    task: str
    alpha: float
    n_clients: int
    n_samples: int
    plan: Plan
    seed: int
    n_seeds: int


@dataclass(frozen=True, repr=False)
class Study(Data):
    """Tasks ``data/model`` in several degrees of heterogeneity, each with seeds ``seed .. seed + n_seeds - 1``."""

    tasks: str | Sequence[str] = TASKS
    alphas: AsVector = ALPHAS
    n_clients: int = 100
    n_samples: int = 100
    n_participating: int = 10
    n_rounds: int = 200
    n_seeds: int = 5
    seed: int = 0
    n_epochs: int = 1

    def __post_init__(self) -> None:
        self._set(tasks=(self.tasks,) if isinstance(self.tasks, str) else tuple(self.tasks))
        for task in self.tasks:
            data, _, model = str(task).partition("/")
            if data not in TABLES or model not in HIDDEN:
                raise ValueError(f"task {task!r}: expected {'|'.join(TABLES)} / {'|'.join(HIDDEN)}")
        self._set(alphas=read_vector(self.alphas))
        if not self.tasks or not self.alphas or not all(a > 0 for a in self.alphas):
            raise ValueError("expected at least one task, and positive alphas")
        for name in ("n_clients", "n_samples", "n_participating", "n_rounds", "n_seeds", "n_epochs"):
            self._count(name)
        self._count("seed", 0)
        if self.n_participating > self.n_clients:
            raise ValueError(f"n_participating = {self.n_participating} of {self.n_clients} clients")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {notation.m: self.n_clients, notation.P: self.n_participating, notation.T: self.n_rounds}

    def setting(self, task: str, alpha: Number) -> Setting:
        """Return a task with a degree of heterogeneity, in this study's sizes."""
        plan = Plan(self.n_rounds, self.n_participating, n_epochs=self.n_epochs)
        return Setting(task, to_float(alpha), self.n_clients, self.n_samples, plan, self.seed, self.n_seeds)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Return all settings, task by task."""
        return tuple(self.setting(task, alpha) for task in self.tasks for alpha in self.alphas)

    @property
    def tuned_on(self) -> Setting:
        """Return the setting in which step sizes are tuned."""
        task, alpha = TUNED_ON
        return self.setting(task, read_vector(alpha)[0])


# Runs -----------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def federation(task: str, alpha: float, n_clients: int, n_samples: int, seed: int, n_seeds: int) -> Federated:
    """Return the network and the samples of each client, in single precision."""
    name, _, model = task.partition("/")
    data = table(name)
    network = Network((data.x.shape[1], *HIDDEN[model], data.n_classes))
    dealt = split_data(data, alpha, n_clients, n_samples, 0, seed + np.arange(n_seeds))
    return Federated(network, Table(data.x.astype(np.float32), data.y), dealt)


@lru_cache(maxsize=512)
def train_in(method: Method, at: Setting) -> Run:
    """Run a method in a setting, one repetition for every seed."""
    data = federation(at.task, at.alpha, at.n_clients, at.n_samples, at.seed, at.n_seeds)
    return train(method, data, at.plan, 0, at.seed + np.arange(at.n_seeds))


@lru_cache(maxsize=16)
def client_of(rule: StepRule) -> ClientOptimiser:
    """Return Delta-SGD with a step-size rule, both gradients of line 9 on the mini-batch of line 8, as released."""
    return adaptive_optimiser(rule, "same")


def untuned_method(rule: StepRule = auto_tuned, **settings: float) -> Method:
    """Return Delta-SGD, by default with gamma = 2, delta = 0.1, eta_0 = 0.2, theta_0 = 1."""
    return Method(OURS, client_of(rule), tuple(sorted(settings.items())))


def with_step(label: str, *lr: float) -> Method:
    """Return a column with a step size, if it has one."""
    column = COLUMNS[label]
    return Method(label, column.optimiser, tuple(("step_size", v) for v in lr), column.schedule)


def trials(label: str) -> list[Method]:
    """Return the candidates of a column: its optimiser with every step size of its grid, kept constant."""
    plain = label.removesuffix(" (↓)")
    return [with_step(plain, lr) for lr in COLUMNS[plain].grid]


def choose_best(label: str, found: list[Run]) -> Method:
    """Return the column with the step size of best mean final accuracy, the first of several."""
    ends = [float(trial.final.mean()) for trial in found]
    return with_step(label, *([COLUMNS[label].grid[int(np.argmax(ends))]] if ends else []))


def tuned_columns(study: Study) -> dict[str, Method]:
    """Return all columns with their tuned step sizes."""
    return {
        label: choose_best(label, [train_in(trial, study.tuned_on) for trial in trials(label)]) for label in COLUMNS
    }


def mistuned_sgd(methods: Mapping[str, Method]) -> dict[str, Method]:
    """Return SGD with ten times and with a tenth of its tuned step size."""
    found = {}
    for label, (plain, factor) in MISTUNED.items():
        ((_, lr),) = methods[plain].settings
        found[label] = with_step(plain, factor * lr)
    return found


def final(method: Method, study: Study) -> np.ndarray:
    """Return the final accuracy, (settings, seeds)."""
    return np.stack([train_in(method, at).final for at in study.settings])


def behind(method: Method, study: Study) -> np.ndarray:
    """Return how far a method ends below the best of all columns, (settings, seeds), negative if it is the best."""
    rivals = np.stack([final(m, study) for m in tuned_columns(study).values()])
    return np.asarray(rivals.max(axis=0) - final(method, study))


# The heat map ---------------------------------------------------------------------------------------------------------


class Winners(NamedTuple):
    """Final accuracies: ``mean`` and ``spread`` (standard deviation over the seeds), (labels, settings)."""

    labels: tuple[str, ...]
    settings: tuple[tuple[str, float], ...]
    mean: np.ndarray
    spread: np.ndarray
    step_sizes: Mapping[str, float]


def who_wins(study: Study | None = None, jobs: int = 2, followed: Callable[[list], Iterable] = iter) -> Winners:
    """Return an analogue of Table 1 and SGD at wrong step sizes, from ``jobs`` processes; ``followed`` wraps tasks."""
    from joblib import Parallel, delayed

    known = study or Study()
    tried = [trial for label in COLUMNS if "↓" not in label for trial in trials(label)]
    with Parallel(n_jobs=jobs) as pool:
        found = dict(
            zip(tried, pool(delayed(train_in)(trial, known.tuned_on) for trial in followed(tried)), strict=True)
        )
        methods = {label: choose_best(label, [found[trial] for trial in trials(label)]) for label in COLUMNS}
        methods |= {**mistuned_sgd(methods), OURS: untuned_method()}
        pairs = list(product(known.settings, methods.values()))
        runs = pool(delayed(train_in)(method, at) for at, method in followed(pairs))
    ends = np.stack([r.final for r in runs]).reshape(len(known.settings), len(methods), -1)
    means, spreads = (np.swapaxes(v, 0, 1) for v in (ends.mean(axis=2), ends.std(axis=2)))
    places = tuple((at.task, at.alpha) for at in known.settings)
    steps = {label: v for label, method in methods.items() for _, v in method.settings}
    return Winners(tuple(methods), places, means, spreads, steps)
