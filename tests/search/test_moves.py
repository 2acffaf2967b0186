"""Moves of cases: quantities change, labels stay."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from fltheory.claims.catalogue import catalogue
from fltheory.model.case import Case
from fltheory.search.neighbours import LABEL_NAMES, leaves, random_neighbour, simpler_cases
from fltheory.verification import find


def _labelled() -> list[Case]:
    found: dict[type, Case] = {}
    for claim in catalogue():
        for case in claim.cases:
            names = vars(case.instance).keys() if hasattr(case.instance, "__dict__") else ()
            if {*LABEL_NAMES} & {*names}:
                found.setdefault(type(case.instance), case)
    return list(found.values())


@pytest.mark.parametrize("case", _labelled(), ids=lambda case: type(case.instance).__name__)
def test_no_move_changes_a_label(case: Case) -> None:
    """Of each kind of instance that has one: a label is no leaf, and no neighbour or simpler case has another."""
    labels = {name: value for name, value in vars(case.instance).items() if name in LABEL_NAMES}
    assert not any({*LABEL_NAMES} & {*path} for path in leaves(case))
    near = [random_neighbour(case, 3.0, Random(seed)) for seed in range(40)]
    for other in (*(one for one in near if one is not None), *list(simpler_cases(case))[:20]):
        if type(other.instance) is type(case.instance):
            assert {name: vars(other.instance)[name] for name in labels} == labels


def test_there_are_kinds_of_instances_with_labels() -> None:
    """The control: the test above asks something."""
    assert len(_labelled()) >= 3


def test_quantities_move() -> None:
    case = find("sfl/T3-GC@printed").cases[0]
    near = [random_neighbour(case, 1.0, Random(seed)) for seed in range(20)]
    assert len({repr(one) for one in near if one is not None}) > 10


@dataclass(frozen=True)
class Named:
    """An instance that is a number and its name."""

    seed: int
    width: int


def test_a_label_inside_a_part_of_an_instance_is_none_of_its_numbers() -> None:
    case = find("sfl/T3-GC@printed").cases[0]
    inside = Case.__new__(Case)
    object.__setattr__(inside, "__dict__", {**vars(case), "instance": (Named(3, 4), True)})
    found = {path: value for path, value in leaves(inside).items() if path[0] == "instance"}
    assert found == {("instance", 0, "width"): 4}
