"""Sections 7.1 and 7.2: which sampler has the smaller cumulative regret in Figures 1 and 2, as statements about a fresh run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from sympy import Rational, Symbol

from fltheory import symbols as s
from fltheory.bound import Dimension, Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.games.sampler import Sampler
from fltheory.number import Number, Ring, exact, to_float
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.claims.direct import OWN_CONSTANTS, drawn
from fltheory.papers.osmd.data.sampling_instances import Data
from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.datasets import heterogeneous_regression
from fltheory.papers.osmd.experiments.training import Plan, minibatch_sgd, train
from fltheory.runs.algorithm import NotEnumerable
from fltheory.runs.measures import NUMBER, OfGame

PLAN = experiments.SECTION_7
MARGIN = 1e-6


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
            s.n_clients: self.clients,
            s.n_sampled: PLAN.n_sampled,
            s.n_rounds: self.rounds,
            s.probability_floor: floor,
            s.max_feedback: 1,
        }


@lru_cache(maxsize=64)
def _regrets(
    game: Regression, name: str, sampler: Sampler, rivals: tuple[str, ...], seed: int, repetitions: tuple[int, ...]
) -> np.ndarray:
    """Cumulative regrets of the sampler and of its rivals, (1 + rivals, repetitions): several claims are about the same runs."""
    reading = experiments.READINGS[name]
    plan: Plan = replace(PLAN, n_rounds=game.rounds, record_every=game.rounds)
    methods = [
        replace(experiments.method("adaptive", reading, plan.n_sampled), sampler=sampler),
        *(experiments.method(rival, reading, plan.n_sampled) for rival in rivals),
    ]
    found = []
    for i in range(0, len(repetitions), experiments.BLOCK):
        runs = np.array(repetitions[i : i + experiments.BLOCK])
        data = heterogeneous_regression(
            to_float(game.spread), runs, seed, game.clients, spread_is_std=reading.spread_is_std
        )
        found.append(train(minibatch_sgd, methods, data, plan, reading, seed, runs).regret[-1])
    ends = np.concatenate(found, axis=1)
    ends.setflags(write=False)
    return ends


@dataclass(frozen=True)
class SmallerRegret(OfGame):
    """P(``factor`` times the sampler's cumulative regret is below every rival's) in a fresh run, data included.

    All see the same data, mini-batches and uniforms. Below: by more than MARGIN, far above what floats lose.
    """

    reading: str
    rivals: tuple[str, ...] = ("uniform",)
    factor: int = 1
    name: str = "P(smaller cumulative regret)"
    dimension: Dimension = NUMBER
    of_any_algorithm = True

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """NotEnumerable: data are Gaussian."""
        raise NotEnumerable(f"{self.name} is only simulated")

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """1 where the regret is smaller, else 0, (repetitions,)."""
        game: Any = case.instance
        ends = _regrets(game, self.reading, sampler, self.rivals, seed, tuple(repetitions.tolist()))
        return (self.factor * (1 + MARGIN) * ends[0] < ends[1:].min(axis=0)).astype(float)

    def span(self, case: Case) -> tuple[float, float]:
        return 0.0, 1.0

    def trivial(self, case: Case) -> Number | None:
        """None: it may be anything."""
        return None


_READINGS = {"text": "with the text's definitions", "script": "as in the authors' script"}
TO_THE_LETTER = "the text's definitions to the letter; the authors' script, which made the figure, has others"
_MOST = "Most: in a fresh run with probability at least 1/2. Also for runs of 100 and 300 rounds in place of 1000."
_OWN = {"text": experiments.experts(), "script": experiments.experts(PLAN.n_sampled / 2)}
_SPREADS = (1, 3, 10)
_ROUNDS = (100, 300, 1000)
UNIFORM, BANDITS = ("uniform",), ("mabs", "vrb", "avare")


def _of_the_figure(spreads: tuple[int, ...]) -> Assumption:
    def check(case: Case) -> str | None:
        game = case.instance
        if not isinstance(game, Regression):
            return "expected a Regression"
        wanted = f"expected spread in {spreads}, rounds in {_ROUNDS} and 100 clients"
        return None if game.spread in spreads and game.rounds in _ROUNDS and game.clients == 100 else wanted

    return Assumption("the experiment of the figure", check)


def _claim(
    name: str,
    reading: str,
    text: str,
    rivals: tuple[str, ...],
    spreads: tuple[int, ...],
    factor: int = 1,
    side: Side = "lower",
    rounds: int = 100,
    literal: bool = False,
    **more: Any,
) -> Claim:
    """A statement about fresh runs; ``literal``: the text's definitions to the letter, where the figure was made by others."""
    kind: Any = "literal" if literal else "printed"
    shown = "the rivals' least regret" if len(rivals) > 1 else f"{rivals[0]}'s regret"
    measure: Any = SmallerRegret(reading, rivals, factor, f"P({'' if factor == 1 else factor}regret < {shown})")
    return Claim.recorded(
        f"osmd/{name.format(reading)}@{kind}",
        f"{text}, {_READINGS[reading]}",
        (bounds.bound(Rational(1, 2), f"Figure {name[1]}", kind, (), TO_THE_LETTER if literal else "", side),),
        measure,
        _OWN[reading],
        (*OWN_CONSTANTS, _of_the_figure(spreads)),
        family=drawn("experts", "regressions", spreads=spreads),
        kind="experiment",
        cases=tuple(Case(Regression(spread, rounds)) for spread in spreads),
        more=lambda: tuple(Case(Regression(spread)) for spread in spreads),
        remark=_MOST,
        **more,
    )


_LESS = "Figure 1: Adaptive-OSMD's cumulative regret is below uniform sampling's in most runs, at σ = 1, 3 and 10"
_CLOSE = "Figure 1: at σ = 1 uniform sampling's cumulative regret is at most twice Adaptive-OSMD's in most runs"
_MUCH = "Figure 1: at σ = 10 uniform sampling's cumulative regret is more than twice Adaptive-OSMD's in most runs"
_BEST = "Figure 2: Adaptive-OSMD's cumulative regret is the least in most runs, against MABS, VRB and Avare"
FIGURE_1 = (
    *(_claim("F1-{}", r, _LESS, UNIFORM, _SPREADS) for r in _READINGS),
    *(_claim("F1-{}-close", r, _CLOSE, UNIFORM, (1,), 2, "upper") for r in _READINGS),
    _claim("F1-{}-much", "text", _MUCH, UNIFORM, (10,), 2, expected="violated", literal=True),
    _claim("F1-{}-much", "script", _MUCH, UNIFORM, (10,), 2, rounds=300),
)
FIGURE_2 = (
    _claim("F2-{}", "text", _BEST, BANDITS, (10,), expected="violated", literal=True),
    _claim("F2-{}", "script", _BEST, BANDITS, (10,), expected="violated"),
)
CLAIMS: tuple[Claim, ...] = (*FIGURE_1, *FIGURE_2)
