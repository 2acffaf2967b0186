"""Every rule on random inputs: small theorems with something changed; what is confirmed is true at points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fltheory.kernel import analysis, applied, rules, theorem
from tests.kernel.mutants import Seeds, of_rules
from tests.kernel.test_false import TABLES
from tests.typed import Recorded

GATE, DEEP, TURNS, CONTROL = 3000, 20_000, 5, 2000
SHARE = 0.95  # of what is confirmed must have been tried at a point
RULES = [*rules.RULES, "Witness", "Apply", "Cases", "Induction", "Rising"]


def seeds(*only: str) -> Seeds:
    """The true theorems of the tables, and the false ones: what is near them is plausible."""
    own = [(row.rule["rule"], row.theorems) for t in TABLES for row in (*t.TRUE, *t.FALSE)]
    return [s for s in own if not only or s[0] in only]


def checked(seed: str, count: int, record_property: Recorded) -> None:
    true = [(row.rule["rule"], row.theorems) for t in TABLES for row in t.TRUE]
    counts, wrong = of_rules([*true, *true, *true, *seeds()], seed, count)
    confirmed = {rule: counts[rule] for rule in RULES}
    record_property("table", f"changed theorems {seed}: {counts['changed']}, confirmed: {confirmed}")
    assert not wrong
    some = [rule for rule in RULES if confirmed[rule]]
    assert len(some) >= len(RULES) - 4, confirmed
    assert sum(counts[f"{rule}: at points"] for rule in RULES) >= SHARE * sum(confirmed.values())


def test_what_is_confirmed_of_changed_theorems_is_true(record_property: Recorded) -> None:
    checked("gate", GATE, record_property)


@pytest.mark.deep
@pytest.mark.parametrize("turn", range(TURNS))
def test_what_is_confirmed_of_many_changed_theorems_is_true(turn: int, record_property: Recorded) -> None:
    checked(f"deep {turn}", DEEP, record_property)


def yes(*_: Any, **__: Any) -> bool:
    return True


def nothing(*_: Any, **__: Any) -> None:
    return None


# (whose question is answered with yes, or not asked; the rules on whose theorems something false is then confirmed)
WEAKENED: list[tuple[Any, str, Callable[..., Any], tuple[str, ...]]] = [
    (rules, "not_negative", yes, ("Combine", "Polynomial")),
    (rules, "not_negative", yes, ("Summed",)),
    (rules, "not_negative", yes, ("Power",)),
    (rules, "not_negative", yes, ("Known",)),
    (rules, "not_negative", yes, ("Instance",)),
    (rules, "not_negative", yes, ("Ball",)),
    (rules, "same_ranges", yes, ("Combine",)),
    (rules, "settled", yes, ("Combine",)),
    (rules, "is_zero", yes, ("Combine",)),
    (rules, "glance", yes, ("Known", "Combine")),
    (rules, "compared", nothing, ("Summed", "Expected")),
    (rules, "compared", nothing, ("Instance",)),
    (rules, "compared", nothing, ("Squeezed", "Power")),
    (rules, "equal", yes, ("Squeezed",)),
    (rules, "equal", yes, ("Rising",)),
    (rules, "vanishes", yes, ("Polynomial",)),
    (rules, "nonnegative", yes, ("Polynomial",)),
    (rules, "whole", yes, ("Known",)),
    (rules, "_bounded", nothing, ("Absolute",)),
    (rules, "_bounded", nothing, ("Monotone",)),
    (rules, "_covered", yes, ("Cases",)),
    (rules, "same", yes, ("Induction",)),
    (rules, "fits", yes, ("Witness",)),
    (rules, "holds", yes, ("Witness",)),
    (rules, "holds", yes, ("Enumerate",)),
    (analysis, "_shown", yes, ("Ball",)),
    (applied, "_discharged", nothing, ("Apply",)),
    (applied, "fits", yes, ("Apply",)),
    (applied, "of_kind", yes, ("Apply",)),
    (applied, "same", yes, ("Apply",)),
    (theorem, "_granted", nothing, ("Combine",)),
    (theorem, "_uncaught", nothing, ("Combine", "Instance", "Summed")),
]


@pytest.mark.parametrize(("module", "name", "weak", "only"), WEAKENED, ids=lambda v: v if isinstance(v, str) else None)
def test_a_rule_that_does_not_ask_is_found(
    module: Any, name: str, weak: Callable[..., Any], only: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: without one of its questions a rule confirms something false soon."""
    monkeypatch.setattr(module, name, weak)
    assert of_rules(seeds(*only), "control", CONTROL, first=True)[1]
