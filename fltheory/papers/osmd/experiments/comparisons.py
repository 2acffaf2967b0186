"""Which sampler ends lower in a fresh run of the experiment, all on the same data and draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fltheory.games.player import Sampler
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import Number, Ring, to_float
from fltheory.papers.osmd.experiments.fresh import Kind, Setting, ends
from fltheory.papers.osmd.experiments.regression import Regression
from fltheory.runs.measures import NUMBER, GameMeasure
from fltheory.runs.method import NotEnumerable
from fltheory.work import TRAINING_ROUNDS_PER_UNIT, spend

MARGIN = 1e-6  # far above what floats lose


@dataclass(frozen=True)
class Smaller(GameMeasure):
    """P(``factor`` times what each of ``ours`` ends at is below what every rival ends at) in a fresh run, data included.

    All see the same data, mini-batches and uniforms. Below: by more than MARGIN, far above what floats lose. ``ours`` are
    settings of the sampler that is judged, ``of`` is the cumulative regret or the training loss.
    """

    kind: Kind
    reading: str
    ours: tuple[str, ...] = ("adaptive",)
    rivals: tuple[str, ...] = ("uniform",)
    factor: Number = 1
    of: Literal["regret", "loss"] = "regret"
    name: str = "P(smaller cumulative regret)"
    dimension: Dimension = NUMBER
    of_any_algorithm = True

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """NotEnumerable: data are Gaussian."""
        raise NotEnumerable(f"{self.name} is only simulated")

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """1 where it is smaller, else 0, (repetitions,)."""
        game: Regression = case.instance
        spend(len(repetitions) * game.rounds * game.clients / TRAINING_ROUNDS_PER_UNIT)
        setting = Setting(self.kind, self.reading, to_float(game.spread), game.rounds, game.clients)
        runs, regret = tuple(repetitions.tolist()), self.of == "regret"
        found = ends(setting, self.ours, sampler, self.rivals, seed, runs, regret)
        values: np.ndarray = found.regret if regret else found.loss
        mine, theirs = values[: len(self.ours)].max(axis=0), values[len(self.ours) :].min(axis=0)
        return (to_float(self.factor) * (1 + MARGIN) * mine < theirs).astype(float)

    def span(self, case: Case) -> tuple[float, float]:
        return 0.0, 1.0

    def trivial(self, case: Case) -> Number | None:
        """None: it may be anything."""
        return None
