"""The experiments of Sections 7 and 8 and Appendices A.2 and E in two readings: the text's and the authors' script's.

Every repetition has its own data, mini-batches and draws; the samplers of one experiment share them (paired runs).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np

from fltheory.games.player import Sampler
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.adaptive import Experts, mixture
from fltheory.papers.osmd.algorithms.grid import first_weights, n_experts
from fltheory.papers.osmd.algorithms.mirror import mirror_step
from fltheory.papers.osmd.algorithms.samplers import avare, lipschitz, mabs, optimal, uniform, vrb
from fltheory.papers.osmd.experiments.datasets import heterogeneous_regression, one_coordinate_regression, skewed_digits
from fltheory.papers.osmd.experiments.linear_models import LinearModels
from fltheory.papers.osmd.experiments.optimisers import Plan
from fltheory.papers.osmd.experiments.training import (
    SCRIPT,
    TEXT,
    History,
    Method,
    Reading,
    minibatch_sgd,
    scaffold,
    train,
)
from fltheory.runs.constants import Constants

SEED = 111  # the script's
BLOCK = 13  # repetitions that are run together, at a megabyte each: the data of more do not fit in the caches
SPREADS = (1.0, 3.0, 10.0)  # sigma of Section 7.1, nu of Section 7.4
FLOORS = (0.01, 0.1, 0.4, 0.7, 0.9, 1.0)  # alpha of Section 7.3
STEP_SIZES = (1.0, 0.5, 0.1, 0.05, 0.01)  # of Section 7.4
READINGS = {r.name: r for r in (TEXT, SCRIPT)}
SECTION_7 = Plan()
DIGITS = Plan(batch_size=5, step_size=0.075)
SCAFFOLD = {  # not printed in the paper: a local step that is stable on the steepest client, and a matching server step
    "text": Plan(n_local_steps=2, local_step_size=0.01, step_size=5.0),
    "script": Plan(n_local_steps=2, local_step_size=0.001, step_size=10.0),
}
Meta = Literal["printed", "corrected"]


# The samplers as they are tuned in the two readings -------------------------------------------------------------------


def experts(rate_factor: float = 1.0, gamma: Meta = "printed") -> Sampler:
    """Return Algorithm 5 with an A_max that may differ between the seeds: ``c.max_feedback`` is a number or (seeds, 1).

    ``rate_factor`` multiplies the rates (22). With factor 1 and one number it is ``adaptive(gamma)``.
    """

    def init(n: int, c: Constants) -> Experts:
        theta = first_weights(n_experts(c.n_clients, c.probability_floor, c.n_rounds))
        uniforms = np.full((n, len(theta), c.n_clients), 1 / c.n_clients)
        return Experts(np.tile(np.log([float(v) for v in theta]), (n, 1)), uniforms)

    def step(state: Experts, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> Experts:
        largest, alpha = np.asarray(c.max_feedback, float).reshape(-1, 1), c.probability_floor
        unit = c.n_sampled * alpha**3 / (c.n_clients**3 * largest) * math.sqrt(2 * math.log(c.n_clients) / c.n_rounds)
        rates = rate_factor * unit * 2.0 ** np.arange(state.log_weights.shape[1])  # (22)
        if gamma == "printed":
            meta = alpha / c.n_clients * np.sqrt(8 * c.n_sampled / (c.n_rounds * largest))
        else:
            meta = c.n_sampled * alpha**2 / (c.n_clients**2 * largest) * math.sqrt(8 / c.n_rounds)
        played = mixture(state)[:, None]
        seen = (counts * feedback / c.n_sampled**2)[:, None] / (state.experts * played)
        logs = state.log_weights - meta * seen.sum(axis=2)
        moved = mirror_step(state.experts, rates[:, :, None] * seen / state.experts, alpha)
        return Experts(logs - logs.max(axis=1, keepdims=True), moved)

    return Sampler("adaptive osmd", step, init, lambda state, c: mixture(state))


def method(name: str, reading: Reading, n_sampled: int = 5) -> Method:
    """Return a sampler of Figures 1 and 2 as tuned in a reading; KeyError for an unknown name."""
    own = reading.own_tuning
    methods = {
        "uniform": Method("uniform", uniform),
        "optimal": Method("optimal", optimal),
        "adaptive": Method("Adaptive-OSMD", experts(n_sampled / 2 if own else 1.0)),
        "mabs": Method("MABS", mabs(scale=lambda c: np.sqrt(c.mean_feedback)) if own else mabs()),
        "vrb": Method(
            "VRB", vrb(bound=lambda c: 1.5 * c.max_feedback) if own else vrb(), signal="loss" if own else "gradient"
        ),
        "avare": Method("Avare", avare()),
    }
    return methods[name]


SAMPLERS = ("uniform", "adaptive", "optimal", "mabs", "vrb", "avare")


# Runs -----------------------------------------------------------------------------------------------------------------


def join_histories(histories: list[History]) -> History:
    """Return one history from histories of different repetitions."""
    rounds, losses, regrets, peaks, accuracies = zip(*histories, strict=True)
    accuracy = None if accuracies[0] is None else np.concatenate(accuracies, axis=2)
    return History(
        rounds[0],
        np.concatenate(losses, axis=2),
        np.concatenate(regrets, axis=2),
        np.concatenate(peaks, axis=1),
        accuracy,
    )


def pick_history(choice: Sequence[tuple[History, int]]) -> History:
    """Return one history of several methods, from histories with the same repetitions and rounds."""
    losses = np.stack([h.loss[:, i] for h, i in choice], axis=1)
    regrets = np.stack([h.regret[:, i] for h, i in choice], axis=1)
    return History(choice[0][0].rounds, losses, regrets, np.stack([h.peak[i] for h, i in choice]), None)


def _blocks(repetitions: int) -> list[np.ndarray]:
    return [np.arange(i, min(i + BLOCK, repetitions)) for i in range(0, repetitions, BLOCK)]


def regression_data(spread: float, reading: Reading, repetitions: np.ndarray, seed: int = SEED) -> LinearModels:
    """Return the data of Section 7 in a reading."""
    return heterogeneous_regression(spread, repetitions, seed, spread_is_std=reading.spread_is_std)


@cache
def compare_samplers(
    spread: float,
    reading: str,
    names: tuple[str, ...] = SAMPLERS,
    repetitions: int = 10,
    seed: int = SEED,
    plan: Plan = SECTION_7,
) -> History:
    """Run the experiments of Figures 1 and 2: mini-batch SGD with several samplers on the data of Section 7."""
    chosen = READINGS[reading]
    methods = [method(name, chosen, plan.n_sampled) for name in names]
    return join_histories(
        [
            train(minibatch_sgd, methods, regression_data(spread, chosen, runs, seed), plan, chosen, seed, runs)
            for runs in _blocks(repetitions)
        ]
    )


@cache
def compare_floors(spread: float, reading: str, repetitions: int = 10, plan: Plan = SECTION_7) -> History:
    """Run Figure 3: Adaptive-OSMD with the floors FLOORS; alpha = 1 is uniform, and the runs are those of Figure 1."""
    chosen, runs = READINGS[reading], np.arange(repetitions)
    known = compare_samplers(spread, reading, SAMPLERS, repetitions, SEED, plan)
    places = {plan.probability_floor: SAMPLERS.index("adaptive"), 1.0: SAMPLERS.index("uniform")}
    rest = [alpha for alpha in FLOORS if alpha not in places]
    base = method("adaptive", chosen, plan.n_sampled)
    methods = [replace(base, settings={"probability_floor": alpha}) for alpha in rest]
    found = train(minibatch_sgd, methods, regression_data(spread, chosen, runs), plan, chosen, SEED, runs)
    return pick_history([(known, places[a]) if a in places else (found, rest.index(a)) for a in FLOORS])


@cache
def compare_step_sizes(spread: float, reading: str, repetitions: int = 10, plan: Plan = SECTION_7) -> History:
    """Run Figure 4: Adaptive-OSMD at all STEP_SIZES, then sampling by smoothness, with one coordinate per client."""
    chosen, runs = READINGS[reading], np.arange(repetitions)
    data = one_coordinate_regression(spread, runs, SEED)
    by_smoothness = Method("by smoothness", lipschitz(data.weights, data.smoothness))
    bases = (method("adaptive", chosen, plan.n_sampled), by_smoothness)
    methods = [replace(base, settings={"step_size": step}) for base in bases for step in STEP_SIZES]
    return train(minibatch_sgd, methods, data, plan, chosen, SEED, runs)


def best_steps(history: History) -> list[int]:
    """Return for each sampler the method of ``compare_step_sizes`` with the least mean log loss along the rounds.

    The final loss is no criterion: by then all but the smallest steps have reached the same noise level.
    """
    means = np.log(history.loss).mean(axis=(0, 2)).reshape(2, -1)
    return [int(i) + len(STEP_SIZES) * k for k, i in enumerate(means.argmin(axis=1))]


@cache
def compare_replacement(spread: float, reading: str, repetitions: int = 10, plan: Plan = SECTION_7) -> History:
    """Run Figure 7: Adaptive-OSMD with and without replacement (Algorithm 7)."""
    chosen, runs = READINGS[reading], np.arange(repetitions)
    known = compare_samplers(spread, reading, SAMPLERS, repetitions, SEED, plan)
    without = replace(method("adaptive", chosen, plan.n_sampled), replacement=False)
    found = train(minibatch_sgd, [without], regression_data(spread, chosen, runs), plan, chosen, SEED, runs)
    return pick_history([(known, SAMPLERS.index("adaptive")), (found, 0)])


@cache
def compare_scaffold(spread: float, reading: str, repetitions: int = 10, plan: Plan | None = None) -> History:
    """Run Figure 8: SCAFFOLD with uniform sampling and with OSMD at the rate 1e-3."""
    chosen, runs = READINGS[reading], np.arange(repetitions)
    methods = [Method("uniform", uniform), Method("OSMD", osmd, {"sampler_rate": 1e-3})]
    data = regression_data(spread, chosen, runs)
    return train(scaffold, methods, data, plan or SCAFFOLD[reading], chosen, SEED, runs)


DIGIT_SAMPLERS = ("uniform", "adaptive", "mabs", "vrb", "avare")


@cache
def compare_digits(reading: str, repetitions: int = 5, plan: Plan = DIGITS) -> History:
    """Run a variant of Figure 6: multiclass logistic regression on 8x8 digits, with clients of very different sizes."""
    chosen, runs = READINGS[reading], np.arange(repetitions)
    methods = [method(name, chosen, plan.n_sampled) for name in DIGIT_SAMPLERS]
    return train(minibatch_sgd, methods, skewed_digits(runs, SEED), plan, chosen, SEED, runs)


# Statistical claims ---------------------------------------------------------------------------------------------------


def figure_1_regret(
    sigma: float, reading: str, sampler: str, repetitions: int, seed: int = SEED, plan: Plan = SECTION_7
) -> np.ndarray:
    """Return regrets after T rounds of one sampler of SAMPLERS in the experiment of Figure 1, (repetitions,).

    The comparator is the optimum of each round over the simplex, so no regret is negative; the data are Gaussian, so
    the regret is unbounded. Repetitions are independent and identically distributed, including their data.
    """
    return compare_samplers(sigma, reading, (sampler,), repetitions, seed, plan).regret[-1, 0]


def regret_wins(
    sigma: float, reading: str, first: str, second: str, repetitions: int, seed: int = SEED, plan: Plan = SECTION_7
) -> np.ndarray:
    """Return whether the first sampler has the smaller regret on the same data, batches and uniforms, (repetitions,).

    The truth values are independent and identically distributed: Clopper-Pearson applies to P(first < second).
    """
    ends = compare_samplers(sigma, reading, (first, second), repetitions, seed, plan).regret[-1]
    return np.asarray(ends[0] < ends[1])


def loss_wins(
    sigma: float, reading: str, first: str, second: str, repetitions: int, seed: int = SEED, plan: Plan = SECTION_7
) -> np.ndarray:
    """Return whether the first sampler has the smaller final training loss, (repetitions,), as in ``regret_wins``."""
    ends = compare_samplers(sigma, reading, (first, second), repetitions, seed, plan).loss[-1]
    return np.asarray(ends[0] < ends[1])
