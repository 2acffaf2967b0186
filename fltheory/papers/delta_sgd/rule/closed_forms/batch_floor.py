"""The least step size of a client's noisy local run over all outcomes of its mini-batches, for every way of drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from flint import ctx, fmpq
from sympy import Symbol

from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.bound import BoundError, Dimension
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import RATIONAL, as_number, to_float
from fltheory.number.mixed import Mixed, smallest, to_mixed
from fltheory.papers.delta_sgd import notation as letters
from fltheory.papers.delta_sgd.rule.closed_forms.measures import STEP, OfRule
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import start_state
from fltheory.runs.client_optimiser import Batches, ClientOracle, adaptive_optimiser, federated_averaging
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.distributions.sample_paths import EnumeratedOracle, round_outcomes
from fltheory.runs.step_rule import StepRule, float_steps

COURSES = 4096


def exactly(rule: StepRule, case: Case) -> StepRule:
    """Return a rule for mixed numbers; a user's rule is evaluated in floats, and its results are the steps."""
    if rule.own:
        return rule
    floats = run_constants(case, None)

    def ask(lr: Mixed, ratio: Mixed | None, reach: Mixed | None, c: Constants) -> Mixed:
        known = [np.array([np.inf if v is None else to_float(as_number(v))]) for v in (lr, ratio, reach)]
        return fmpq(*float(float_steps(rule, known[0], known[1], known[2], floats)[0]).as_integer_ratio())

    return StepRule(rule.name, rule.step, ask)


def steps(rule: StepRule, batches: Batches, case: Case) -> list[np.ndarray]:
    """Return the steps eta_0, ..., eta_{K-1} of the only client in one round, one row per outcome, as mixed numbers."""
    return _steps(rule, batches, case, ctx.prec)


@lru_cache(maxsize=32)
def _steps(rule: StepRule, batches: Batches, case: Case[FederatedInstance], precision: int) -> list[np.ndarray]:
    optimiser = adaptive_optimiser(exactly(rule, case), batches)
    algorithm = federated_averaging(optimiser)
    found = round_outcomes(algorithm, case, COURSES)
    c = run_constants(case, RATIONAL)
    noise = np.array([o.noise for o in found], dtype=np.int64).reshape(len(found), -1)
    orders = np.zeros((len(found), 1), dtype=np.int64)
    instance = case.instance
    oracle = EnumeratedOracle(instance, orders, noise, c.n_local_steps * algorithm.batches, RATIONAL)
    x = start_state(algorithm, case, len(found), RATIONAL)
    state, every = optimiser.init(x, c), []
    for k in range(c.n_local_steps):
        x, state = optimiser.step(x, state, ClientOracle(oracle, 0, k * optimiser.batches), c)
        every.append(state.lr)
    return every


def steepest_batch(instance: Any) -> Mixed:
    """Return the largest Lipschitz constant of the gradients of single mini-batches."""
    if isinstance(instance, QuadraticClients):  # additive noise does not change the curvature
        return to_mixed(max(v for client in instance.curvatures for v in client))
    return to_mixed(max(v for client in instance.curvatures for part in client for v in part))


@dataclass(frozen=True)
class BatchFloor(OfRule):
    """The least step size of all outcomes, from the ``first`` on; the steepest mini-batch is its constant."""

    batches: Batches
    first: int = 0
    dimension: Dimension = STEP

    @property
    def name(self) -> str:
        """Return the measure in symbols."""
        return f"min η_k, k >= {self.first}, {self.batches}"

    @property
    def letters(self) -> tuple[Symbol, ...]:
        return (letters.L_hat,)

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, Mapping[Symbol, Any]]:
        instance: FederatedInstance = case.instance
        if not is_plain(instance, QuadraticClients, FiniteSumQuadraticClients) or instance.n_clients > 1:
            raise BoundError("expected one client with quadratic mini-batches")
        steep = steepest_batch(instance)
        if not steep > 0:
            raise BoundError("the mini-batches are flat")
        every = steps(rule, self.batches, case)[self.first :]
        if not every:
            raise BoundError("no step is computed")
        return smallest([v for row in every for v in row]), {letters.L_hat: steep}
