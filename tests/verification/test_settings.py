"""Constants that a user sets: each applies to the case, or is refused by name with what would be right."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fltheory.model.case import Case
from fltheory.problems import QuadraticClients
from fltheory.symbols import n_participating, n_rounds, noise_std, step_size
from fltheory.verification import find
from fltheory.verification.settings import NotFree, at_constants, free_constants, parse_settings

CLAIM = find("sfl/T3-SC@corrected")
CASE = CLAIM.cases[0]

WRONG = {
    "no constant": ({"bananas": 3}, r"bananas is not a known constant; those of its bound are .*n_rounds"),
    "no number": ({"n_rounds": "many"}, r"n_rounds: .*expected a number"),
    "a part of a round": ({"n_rounds": "1/2"}, r"n_rounds = 1/2 is out of its domain: .*integer"),
    "no rounds": ({"n_rounds": 0}, r"n_rounds = 0 is out of its domain"),
    "below nothing": ({"step_size": -1}, r"step_size = -1 is out of its domain"),
    "twice": ({"n_rounds": 5, "R": 6}, r"n_rounds is set twice"),
}


@pytest.mark.parametrize(("settings", "reason"), WRONG.values(), ids=WRONG)
def test_a_setting_that_is_none_is_refused_by_name(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(NotFree, match=reason):
        parse_settings(CLAIM, settings)


def test_settings_are_read_exactly_by_name_or_letter() -> None:
    assert parse_settings(CLAIM, {"R": "12", "noise_std": 0.1}) == {n_rounds: 12, noise_std: Fraction(1, 10)}


def test_a_constant_that_the_case_does_not_have_can_not_be_set() -> None:
    with pytest.raises(NotFree, match=r"n_participating can't be set: the free constants are n_rounds, .*"):
        at_constants(CLAIM, CASE, {n_participating: 2})


def test_a_value_that_no_such_instance_has_is_refused_with_the_one_near_to_it() -> None:
    claim = find("sfl/T3-GC@printed")
    case = Case(QuadraticClients((1, 1), (1, -1), 1), n_rounds=3, n_local_steps=1, step_size="1/10")
    assert "n_clients" in free_constants(claim, case)
    (clients,) = parse_settings(claim, {"n_clients": 5})
    with pytest.raises(NotFree, match="there is no such instance with n_clients = 5; near to it is 4"):
        at_constants(claim, case, {clients: 5})
    assert at_constants(claim, case, {clients: 4}).constants[clients] == 4


def test_a_constant_is_set_in_the_case_itself() -> None:
    case = at_constants(CLAIM, CASE, {n_rounds: 7})
    assert case.constants[n_rounds] == 7
    assert case.constants[step_size] == CASE.constants[step_size]
