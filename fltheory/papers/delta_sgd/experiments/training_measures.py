"""Measures of the experiments: the share of a study's runs in which an event occurs, for any step-size rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import Number, Ring, to_float
from fltheory.papers.delta_sgd.experiments import studies as experiments
from fltheory.papers.delta_sgd.experiments.studies import Study
from fltheory.papers.delta_sgd.experiments.training import Method
from fltheory.runs.measures import NUMBER, GameMeasure
from fltheory.runs.method import NotEnumerable
from fltheory.runs.step_rule import StepRule
from fltheory.work import NETWORK_ROUNDS_PER_UNIT, spend

READ = ("initial_step_size", "initial_ratio", "amplifier", "growth_damping")  # available to a rule
TIE = 1e-6  # relative distance below which a step size counts as the cap: a round starts in single precision


class Ours(NamedTuple):
    """A step-size rule in a study, with its constants as pairs."""

    rule: StepRule
    study: Study
    constants: tuple[tuple[str, float], ...]

    def method(self, **times: float) -> Method:
        """Return the rule as a method, with some of its constants multiplied."""
        values = {name: value * times.get(name, 1.0) for name, value in self.constants}
        return experiments.untuned_method(self.rule, **values)

    def final(self, **times: float) -> np.ndarray:
        """Return the final accuracy, (settings, seeds)."""
        return experiments.final(self.method(**times), self.study)


Event = Callable[[Ours], np.ndarray]  # booleans, one for every run of the study


@lru_cache(maxsize=256)
def _share(event: Event, ours: Ours) -> float:
    return float(np.mean(event(ours)))


@dataclass(frozen=True)
class Share(GameMeasure):
    """The share of runs of a study in which an event occurs; every study has its own seeds."""

    name: str
    event: Event
    dimension: Dimension = NUMBER
    of_any_algorithm: bool = True

    def is_random(self, case: Case) -> bool:
        """Return False: the study determines the runs."""
        return False

    def exact(self, rule: StepRule, case: Case, ring: Ring) -> Any:
        """Raise NotEnumerable: networks are trained in floats."""
        raise NotEnumerable(f"{self.name} is only simulated")

    def simulate(self, rule: StepRule, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return the one share, (1,)."""
        study: Study = case.instance
        spend(study.n_seeds * study.n_rounds * study.n_participating * len(study.tasks) / NETWORK_ROUNDS_PER_UNIT)
        constants = {s.name: to_float(v) for s, v in case.constants.items() if s.name in READ}
        return np.array([_share(self.event, Ours(rule, study, tuple(sorted(constants.items()))))])

    def trivial(self, case: Case) -> Number | None:
        """Return None: no bound is as large as 1, and a count has no rounding error."""
        return None


# Events ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Behind:
    """The rule ends more than ``by`` below the best of the tuned columns."""

    by: float

    def __call__(self, ours: Ours) -> np.ndarray:
        return experiments.behind(ours.method(), ours.study) > self.by


@dataclass(frozen=True)
class Beaten:
    """The rule's worst shortfall from the best column, over the settings, exceeds that of some of these columns.

    It is one boolean for every seed.
    """

    labels: tuple[str, ...]

    def __call__(self, ours: Ours) -> np.ndarray:
        known = experiments.tuned_columns(ours.study)
        mine = _worst(ours.method(), ours.study)
        return np.asarray(np.any([mine > _worst(known[label], ours.study) for label in self.labels], axis=0))


def _worst(method: Method, study: Study) -> np.ndarray:
    return np.asarray(experiments.behind(method, study).max(axis=0))


@dataclass(frozen=True)
class NoBetter:
    """The rule does not end above a column with a wrong step size."""

    label: str

    def __call__(self, ours: Ours) -> np.ndarray:
        wrong = experiments.mistuned_sgd(experiments.tuned_columns(ours.study))[self.label]
        return np.asarray(ours.final() <= experiments.final(wrong, ours.study))


@dataclass(frozen=True)
class Changed:
    """Multiplication of a constant by some of the factors changes the final accuracy by more than ``by``.

    ``down``: only a loss counts; ``kept`` negates the event.
    """

    constant: str
    factors: tuple[float, ...]
    by: float
    down: bool = False
    kept: bool = False

    def __call__(self, ours: Ours) -> np.ndarray:
        known = ours.final()
        losses = np.stack([known - ours.final(**{self.constant: factor}) for factor in self.factors])
        found = (losses if self.down else np.abs(losses)).max(axis=0) > self.by
        return ~found if self.kept else found


@dataclass(frozen=True)
class Epochs:
    """More local epochs raise the accuracy at a record (0: early, -1: at the end) by more than ``by``.

    ``below``: they lower it by more than ``by``.
    """

    more: int
    record: int
    by: float
    below: bool = False

    def __call__(self, ours: Ours) -> np.ndarray:
        gains = []
        for at in ours.study.settings:
            longer = at._replace(plan=at.plan._replace(n_epochs=self.more))
            one, several = (experiments.train_in(ours.method(), s).accuracy[:, self.record] for s in (at, longer))
            gains.append(several - one)
        return -np.stack(gains) > self.by if self.below else np.stack(gains) > self.by


def at_the_cap(ours: Ours) -> np.ndarray:
    """Return for every computed step whether it is the second entry of the min, sqrt(1 + delta theta) eta."""
    constants = dict(ours.constants)
    found = []
    for at in ours.study.settings:
        lr = experiments.train_in(ours.method(), at).step_sizes
        assert lr is not None
        ratio = np.concatenate([np.full_like(lr[:, :1], constants["initial_ratio"]), lr[:, 1:] / lr[:, :-1]], axis=1)
        cap = np.sqrt(1 + constants["growth_damping"] * ratio[:, :-1]) * lr[:, :-1]
        found.append((lr[:, 1:] >= cap * (1 - TIE)).ravel())
    return np.concatenate(found)


def below_the_cap(ours: Ours) -> np.ndarray:
    """Return whether it is the first entry, which depends on the local smoothness."""
    return ~at_the_cap(ours)
