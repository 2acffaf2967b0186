"""The worst case of a run over a whole class of functions, between what is proved and what is attained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from fltheory import symbols
from fltheory.case import Case
from fltheory.performance.attained import Attained, attained
from fltheory.performance.certificate import Certificate, proved
from fltheory.performance.functions import FunctionClass
from fltheory.performance.problem import Problem, stated
from fltheory.performance.solver import proposed
from fltheory.performance.trace import Record, Unknown
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import Measure

ROOMS = tuple(4.0**k * 1e-9 for k in range(10))


@dataclass(frozen=True)
class Bracket:
    problem: Problem
    certificate: Certificate | None
    attained: Attained | None


def worst(problem: Problem) -> Bracket:
    certificate, instance = None, None
    for room in ROOMS:
        proposal = proposed(problem, room)
        certificate = certificate or proved(problem, proposal)
        instance = instance or attained(problem, proposal)
        if certificate is not None and instance is not None:
            break
    return Bracket(problem, certificate, instance)
