"""Gradient descent on the largest coordinate of every client's gradient, without error feedback, converges linearly.
False for several clients (Karimireddy et al. 2019), true for one."""

from dataclasses import replace

import numpy as np
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import (
    dimension,
    initial_distance,
    n_clients,
    n_rounds,
    noise_std,
    smoothness,
    step_size,
    strong_convexity,
)


def step(x, oracle, c):
    sent = 0 * x
    for m in range(c.n_clients):
        g = oracle.gradient(x, m)
        largest = np.abs(g[:, :1]) >= np.abs(g[:, 1:])
        sent = sent + g * np.concatenate([largest, ~largest], axis=1)
    return x - c.step_size * sent / c.n_clients


def alike(case):
    (row,) = case.instance.curvatures
    return Case(replace(case.instance, curvatures=((max(row),) * len(row),)), **dict(case.settings))


rate = 1000 * (1 - step_size * strong_convexity / 4) ** n_rounds * initial_distance**2
common = {"algorithm": Algorithm("top 1 of 2", step), "measure": LastDistance(), "key": "top"}
given = [Eq(noise_std, 0), Eq(dimension, 2), strong_convexity > 0, step_size * smoothness <= 1]
CLAIM = theorem(
    "top1: |x_R - x*|² <= 1000 (1 - eta mu/4)^R D²",
    quantity <= rate,
    given=given,
    family=lambda: federated_runs(quadratic_clients(3, 2, curved=True, noise=False), max_rounds=300, max_local_steps=1),
    **common,
)
TRUE = theorem(
    "top1-alone: |x_R - x*|² <= 1000 (1 - eta mu/4)^R D² for one client whose coordinates are equally curved",
    quantity <= rate,
    given=[*given, Eq(n_clients, 1), Eq(smoothness, strong_convexity)],
    family=lambda: federated_runs(
        quadratic_clients(1, 2, curved=True, noise=False), max_rounds=300, max_local_steps=1
    ).map(alike),
    **common,
)
