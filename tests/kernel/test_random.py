"""Random terms: their normal forms are worth what they are, and every sign that the kernel tells is so, where its needs are met."""

from __future__ import annotations

import pytest

from fltheory.kernel import normal
from tests.kernel.trials import Found, forget, laws, of_laws, of_nested, of_terms, without
from tests.typed import Recorded

GATE = (150, 2000)  # terms, pairs by a law
DEEP, TURNS = (3000, 7000), 10  # in so many turns: 100,000 in all
CONTROL = 6000
NESTED = 200
SHARE = 0.9  # of what is said must have been held against points
SAID = (
    "has this normal form",
    "not negative at a glance",
    "positive at a glance",
    "not zero",
    "not negative by a fact",
)


def checked(seed: str, terms: int, pairs: int, record_property: Recorded) -> None:
    said, wrong = of_terms(seed, terms)
    same, more = of_laws(seed, pairs)
    record_property(
        "table", f"random terms {seed}: {', '.join(f'{n} {k}' for k, n in (said + same).items() if ':' not in k)}"
    )
    assert not [*wrong, *more]
    for word in SAID:
        assert said[f"{word}: at points"] >= SHARE * said[word] * (0.7 if "fact" in word else 1)
        assert said[word] >= terms / 12, word
    assert same["the same: at points"] >= max(SHARE * same["the same"], pairs / 2)


def test_what_is_said_of_random_terms_is_so(record_property: Recorded) -> None:
    checked("gate", *GATE, record_property)


def test_sums_inside_sums_are_worth_their_normal_forms() -> None:
    """An index keeps what it is whatever sums stand in the ends of ranges: two in a hundred show where one is caught."""
    said, wrong = of_nested("gate", NESTED)
    assert not wrong
    assert said["has this normal form: at points"] >= SHARE * NESTED


@pytest.mark.deep
@pytest.mark.parametrize("turn", range(TURNS))
def test_what_is_said_of_a_hundred_thousand_random_terms_is_so(turn: int, record_property: Recorded) -> None:
    checked(f"deep {turn}", *DEEP, record_property)


@pytest.mark.parametrize("law", laws())
def test_a_law_that_does_not_say_what_it_supposes_is_found(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: with one call of ``supposed`` gone, something false is said soon."""
    forget()
    monkeypatch.setattr(normal, "supposed", without(laws()[law]))
    try:
        found: list[Found] = of_laws("control", CONTROL, first=True)[1]
    finally:
        forget()
    assert found
