"""Section 7.1: which sampler has the smaller cumulative regret in the experiment of Figure 1, as a statement about a fresh run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Rational, Symbol

from fltheory import symbols as s
from fltheory.algorithm import NotEnumerable
from fltheory.bound import Dimension
from fltheory.claim import Claim
from fltheory.instance import Case
from fltheory.measure import NUMBER
from fltheory.number import Number, Ring, exact, to_float
from fltheory.papers.osmd import bounds, experiments
from fltheory.papers.osmd.claims.direct import drawn
from fltheory.papers.osmd.datasets import heterogeneous_regression
from fltheory.papers.osmd.sampling_instances import Data
from fltheory.papers.osmd.training import Plan, minibatch_sgd, train
from fltheory.sampler import Sampler

PLAN = experiments.SECTION_7


@dataclass(frozen=True, repr=False)
class Regression(Data):
    """The heterogeneous regression of Section 7: sigma = ``spread``, how many rounds are played, and by how many clients.

    Feedback is in units of its largest value before training, which every run measures for itself.
    """

    spread: Any
    rounds: Any = 1000
    clients: Any = 100

    def __post_init__(self) -> None:
        self._count("rounds")
        self._count("clients", 2)
        self._set(spread=exact(self.spread))
        if not self.spread >= 0:
            raise ValueError(f"spread = {self.spread}: expected a nonnegative number")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        floor = Fraction(str(PLAN.probability_floor))
        return {
            s.n_clients: self.clients, s.n_sampled: PLAN.n_sampled, s.n_rounds: self.rounds, s.probability_floor: floor,
            s.max_feedback: 1,
        }  # fmt: skip


@dataclass(frozen=True)
class SmallerRegret:
    """P(the sampler's cumulative regret is below ``rival``'s) in a fresh run, data included; both see the same run."""

    reading: str
    rival: str = "uniform"
    name: str = "P(smaller cumulative regret)"
    dimension: Dimension = NUMBER

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """NotEnumerable: data are Gaussian."""
        raise NotEnumerable(f"{self.name} is only simulated")

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """1 where the regret is smaller, else 0, (repetitions,)."""
        reading, game = experiments.READINGS[self.reading], case.instance
        assert isinstance(game, Regression)
        plan: Plan = replace(PLAN, n_rounds=game.rounds, record_every=game.rounds)
        methods = [
            replace(experiments.method("adaptive", reading, plan.n_sampled), sampler=sampler),
            experiments.method(self.rival, reading, plan.n_sampled),
        ]
        found = []
        for i in range(0, len(repetitions), experiments.BLOCK):
            runs = repetitions[i : i + experiments.BLOCK]
            data = heterogeneous_regression(
                to_float(game.spread), runs, seed, game.clients, spread_is_std=reading.spread_is_std
            )
            ends = train(minibatch_sgd, methods, data, plan, reading, seed, runs).regret[-1]
            found.append((ends[0] < ends[1]).astype(float))
        return np.concatenate(found)

    def span(self, case: Case) -> tuple[float, float]:
        return 0.0, 1.0

    def trivial(self, case: Case) -> Number | None:
        """None: it may be anything."""
        return None


def _figure_1(reading: str, sampler: Sampler, text: str) -> Claim:
    measure: Any = SmallerRegret(reading)
    return Claim(
        f"osmd/F1-{reading}@printed",
        f"Figure 1, {text}: Adaptive-OSMD's cumulative regret is below uniform sampling's in most runs",
        (bounds.bound(Rational(1, 2), "Figure 1", conditions=(s.n_rounds >= 20,), side="lower"),),
        measure,
        sampler,
        cases=(Case(Regression(10, 100, 20)),),
        more=lambda: tuple(Case(Regression(sigma, rounds)) for sigma, rounds in ((1, 200), (3, 200), (10, 1000))),
        family=drawn("experts", "regressions"),
        kind="experiment",
        remark="Most: in a fresh run with probability at least 1/2. How far below is another matter: see the figure.",
    )


CLAIMS: tuple[Claim, ...] = (
    _figure_1("text", experiments.experts(), "the text's experiment"),
    _figure_1("script", experiments.experts(PLAN.n_sampled / 2), "as in the authors' script"),
)
