"""What is asked: a measure of a run over all clients of a class, with what is known of them beside it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.case import Case
from fltheory.number import exact, text
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import Measure
from fltheory.symbols import VOCABULARY
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.problem import Growth, Held, Problem, stated
from fltheory.worst_case.trace import Record, Unknown

OF_CLIENTS = ("initial_distance", "heterogeneity_at_optimum", "noise_std")
KNOWN = (*OF_CLIENTS, "n_clients")  # of the clients, not of the run

WHOLE = 60  # vectors of a run of several rounds that is followed whole


@dataclass(frozen=True)
class Question:
    """What is asked: the worst value of a measure over all clients of a class, in any dimension.

    ``settings``: the constants of the run and what is known of the clients beside their class, by canonical name.
    """

    method: Algorithm
    functions: Smooth
    measure: Measure
    settings: tuple[tuple[str, Any], ...]

    def case(self, record: Record) -> Case[Unknown]:
        """The run on unknown clients."""
        given = dict(self.settings)
        known = {**self.functions.constants, **{VOCABULARY[n].symbol: given[n] for n in OF_CLIENTS if n in given}}
        return Case(Unknown(record, known), **self.of_run)

    @property
    def of_run(self) -> dict[str, Any]:
        """The settings of a case."""
        return {name: value for name, value in self.settings if name not in KNOWN}

    def __str__(self) -> str:
        said = ", ".join(f"{name} = {text(value)}" for name, value in self.settings)
        return f"{self.measure.name} of {self.method.name} over all {self.functions} in every dimension, {said}"


def question(method: Algorithm, functions: Smooth, measure: Measure, **settings: object) -> Question:
    """Read and check what is asked; ValueError says what is missing."""
    given: dict[str, Any] = {"n_clients": 1, "n_rounds": 1, **settings}
    for name in given:
        if name not in VOCABULARY:
            raise ValueError(f"{name} is no constant of the vocabulary (fltheory.symbols)")
    read = {name: exact(value) for name, value in given.items()}
    irrational = next((name for name, value in read.items() if not isinstance(value, int | Fraction)), None)
    if irrational is not None:
        said = f"{irrational} = {text(read[irrational])}"
        raise ValueError(f"{said} is irrational: a worst case is told at rational numbers, give one near it")
    if "initial_distance" not in read and not isinstance(measure, Growth | Held):
        raise ValueError("initial_distance: without a limit on the distance of the start the worst case has no limit")
    if read["n_clients"] > 1 and "heterogeneity_at_optimum" not in read:
        raise ValueError("heterogeneity_at_optimum: without it clients may differ without limit")
    for name in functions.constants:
        if name.name in read:
            raise ValueError(f"{name.name} belongs to the class of functions: {functions}")
    return Question(method, functions, measure, tuple(sorted(read.items())))


def problem_of(asked: Question) -> Problem:
    """The question as a problem, the run followed anew; TooLong for several rounds that ask for too much."""
    given = dict(asked.settings)
    record = Record(int(given["n_clients"]), most=None if given["n_rounds"] == 1 else WHOLE)
    return stated(asked.method, asked.functions, asked.measure, asked.case(record))
