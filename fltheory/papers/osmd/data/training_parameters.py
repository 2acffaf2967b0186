"""Constants alone, for statements that compare the rates of training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sympy import Symbol

from fltheory.case import Case
from fltheory.number import Number
from fltheory.record import printed
from fltheory.symbols import VOCABULARY


@dataclass(frozen=True, repr=False)
class TrainingParameters:
    """The constants of Theorems 4 and 5 by their canonical names; ordinary ones unless given."""

    n_clients: Any = 10
    n_sampled: Any = 5
    n_rounds: Any = 10**6
    batch_size: Any = 1
    n_local_steps: Any = 1
    probability_floor: Any = "1/2"
    variation_budget: Any = 0
    smoothness: Any = 1
    initial_gap: Any = 1
    noise_std: Any = 1
    gradient_bound: Any = 3
    heterogeneity: Any = 1
    dynamic_heterogeneity: Any = "1/2"

    def __post_init__(self) -> None:
        for name, value in Case(self, **{f.name: getattr(self, f.name) for f in fields(self)}).settings:
            object.__setattr__(self, name, value)  # read, and in its domain

    def __repr__(self) -> str:
        return f"TrainingParameters({', '.join(f'{f.name}={printed(getattr(self, f.name))!r}' for f in fields(self))})"

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {VOCABULARY[f.name].symbol: getattr(self, f.name) for f in fields(self)}
