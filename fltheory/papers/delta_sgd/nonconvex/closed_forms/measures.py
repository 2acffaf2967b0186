"""The measure of Theorem 1: the mean over the rounds of the expected squared gradient of f."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from flint import arb, ctx
from sympy import Symbol

from fltheory.evidence.measured import AtLeast
from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.bound import Dimension
from fltheory.model.case import Case, FederatedInstance, HasClients
from fltheory.number import BALL, NotRational, Number, Ring, to_float
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.nonconvex.cases.bent_samples import BentSamples
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import GRADIENT_SQUARED, GameMeasure, evaluate_in_case
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.step_rule import StepRule

IN_BALLS = 1_800  # most local steps of all clients in all rounds of a run in balls
COURSES = 1_024  # most sample paths of a run
BITS = 8  # bits lost per local step: a step size is a quotient of small differences
BUDGET = 1e-7  # relative error of a run in floats


@dataclass(frozen=True)
class MeanSquaredGradient(GameMeasure):
    """The mean (1/T) sum_{t < T} E|grad f(x_t)|^2, which is at most G^2 along any run."""

    name: str = "(1/T) Σ E|∇f(x_t)|²"
    dimension: Dimension = GRADIENT_SQUARED
    of_any_algorithm: bool = True

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        """Return one value for every run, (runs, 1), from states (runs, T + 1, dim)."""
        runs, rounds, dim = states.shape
        instance: FederatedInstance = case.instance
        found = instance.mean_gradient(states[:, :-1].reshape(runs * (rounds - 1), dim))
        squares = (found * found).sum(axis=-1).reshape(runs, rounds - 1)
        return np.asarray(squares.sum(axis=1, keepdims=True) / (rounds - 1))

    def exact(self, algorithm: Algorithm, case: Case, ring: Ring) -> Any:
        """Return the value over all sample paths of a short run, as a ball; for some long runs it, or a lower bound."""
        _require_run(algorithm)
        if ring is not BALL:
            raise NotRational
        try:
            return self._enumerated(algorithm, case)
        except NotEnumerable:
            found = _long_run_value(algorithm, case)
            if found is None:
                raise
            return found

    def _enumerated(self, algorithm: Algorithm, case: Case) -> arb:
        """Return the value over all sample paths of a short run, as a ball."""
        if not algorithm.anonymous:
            raise NotEnumerable("balls can't always be compared, as a step of one's own may ask")
        steps = _count(case, notation.T) * _count(case, notation.K)
        if steps * _count(case, notation.P) > IN_BALLS:
            raise NotEnumerable(f"more than {IN_BALLS} local steps")
        with ctx.workprec(64 + BITS * steps), suppress(VariantError):
            states, chances = enumerate_runs(algorithm, case, BALL, COURSES)
            mean = sum((p * v for p, v in zip(chances, self.values(states, case)[:, 0], strict=True)), arb(0))
            if mean.is_finite() and mean.rel_accuracy_bits() > 60:
                return mean
        raise NotEnumerable("the run in balls grows too wide")

    def in_floats(self, algorithm: Algorithm, case: Case) -> tuple[float, float]:
        """Return two floats that enclose the value of a deterministic run."""
        instance: FederatedInstance = case.instance
        if instance.draws or _count(case, notation.P) < instance.n_clients:
            raise NotEnumerable("runs differ")
        value = float(self.values(rollout(algorithm, case, 1), case)[0, 0])
        if not np.isfinite(value):
            raise VariantError(f"{algorithm.name} left the finite numbers")
        return value * (1 - BUDGET), value * (1 + BUDGET)

    def simulate(self, algorithm: Algorithm, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return the value in simulated runs, (repetitions,)."""
        _require_run(algorithm)
        states = rollout(algorithm, case, len(repetitions), seed, int(repetitions[0]))
        return np.asarray(self.values(states, case)[:, 0])

    def span(self, case: Case) -> tuple[float, float]:
        """Return the range from 0 to G^2."""
        return 0.0, to_float(self.trivial(case)) * (1 + 1e-9)

    def trivial(self, case: Case) -> Number:
        """Return G^2."""
        return evaluate_in_case(notation.G**2, case)

    def trivial_formula(self) -> sympy.Expr | None:
        return notation.G**2


def _require_run(algorithm: object) -> None:
    """Raise VariantError for an object that is not an algorithm, such as its rule."""
    if not isinstance(algorithm, Algorithm):
        name = algorithm.name if isinstance(algorithm, StepRule) else algorithm
        raise VariantError(
            f"{name} is of type {type(algorithm).__name__}, expected an Algorithm: for a "
            'step-size rule use federated_averaging(adaptive_optimiser(rule, "pair")) of fltheory.runs.client_optimiser'
        )


def _long_run_value(algorithm: Algorithm, case: Case) -> Any:
    """Return the value, or a lower bound, for a long run of Algorithm 1 on bent samples; None if neither is known."""
    from fltheory.papers.delta_sgd import algorithms
    from fltheory.papers.delta_sgd.nonconvex.closed_forms import parabolas, straight

    game = case.instance
    if not isinstance(game, BentSamples) or not is_plain(game):
        return None
    if algorithm in (algorithms.same, algorithms.pair):
        found = parabolas.mean_square(game, case, algorithm == algorithms.same)
        if found is not None:
            return found
    ways = {algorithms.pair.name: straight.throw_lower_limit, algorithms.reuse.name: straight.walk_lower_limit}
    least = ways[algorithm.name](game, case) if algorithm in (algorithms.pair, algorithms.reuse) else None
    return None if least is None else AtLeast(least)


def _count(case: Case, symbol: Symbol) -> int:
    everyone = case.instance.n_clients if isinstance(case.instance, HasClients) else 1
    return int(case.constants.get(symbol, everyone))
