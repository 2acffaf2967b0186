"""False theorems, refused each for its reason, and beside them true ones, which are confirmed.

The tables in ``tests/kernel/false`` say where each one is false; the evaluator of the semantics looks there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kernel.false import (
    applied,
    assumed,
    by_facts,
    by_rule,
    captured,
    certified,
    chance,
    circles,
    defined,
    exponents,
    facts,
    functions_and_sums,
    granted,
    hidden,
    indexed,
    limits,
    malformed,
    natural,
    normal_form,
    powers,
    products,
    scopes,
    signs,
    steps,
    sums,
    weighed,
)
from tests.kernel.written import CRASH, Row, confirmed, false_there, refused, told

TABLES = (
    normal_form,
    powers,
    signs,
    sums,
    chance,
    weighed,
    certified,
    facts,
    indexed,
    applied,
    assumed,
    defined,
    hidden,
    captured,
    circles,
    by_facts,
    exponents,
    steps,
    granted,
    limits,
    scopes,
    products,
    functions_and_sums,
    by_rule,
)
FOLDER = Path(malformed.__file__).parent
NAMES = [t.__name__.rpartition(".")[2] for t in TABLES]
LEAST = 300
PARTS = 4


def every(kind: str) -> list[Any]:
    """What the tables have of this kind."""
    return [own for t in (*TABLES, malformed, natural) for own in getattr(t, kind, ())]


def test_no_table_is_forgotten() -> None:
    assert {*NAMES, "malformed", "natural"} == {p.stem for p in FOLDER.glob("*.py") if p.stem != "__init__"}


@pytest.mark.parametrize("table", TABLES, ids=NAMES)
def test_each_is_refused_for_its_reason_and_false_at_its_point(table: Any) -> None:
    for own in table.FALSE:
        refused(own)
        false_there(own)


@pytest.mark.parametrize("table", TABLES, ids=NAMES)
def test_the_true_ones_beside_them_are_confirmed(table: Any) -> None:
    for own in table.TRUE:
        confirmed(own)


def test_there_are_enough_of_them_and_none_stands_twice() -> None:
    own: list[Row] = [r for t in TABLES for r in t.FALSE]
    assert len({repr(r.theorems) for r in own}) >= LEAST
    for rows in (own, [r for t in TABLES for r in t.TRUE]):
        written = [(repr(r.theorems), r.at) for r in rows]
        assert len(set(written)) == len(written)
    assert all(len(t.TRUE) >= 4 for t in TABLES)


def test_what_is_no_export_is_refused_in_words() -> None:
    assert told(malformed.GOOD).outcome == "confirmed"
    for what, *own, words in every("NONE"):
        verdict = told(*own)
        assert verdict.outcome == "refused", what
        assert words in verdict.reason, f"{what}: {verdict.reason}"
        assert words
        assert not CRASH.search(verdict.reason), f"{what}: {verdict.reason}"


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_true_as_it_is_read_alone_is_said_to_be_read_so(part: int) -> None:
    for what, own, words in every("READ")[part::PARTS]:
        verdict = told(own, domains=True)
        assert verdict.outcome == "confirmed", f"{what}: {verdict.reason}"
        assert words in verdict.read, f"{what}: {verdict.read}"
        assert "~" not in verdict.read


def test_what_lies_in_its_natural_domain_is_not_said_to_be_read_otherwise() -> None:
    for what, own in every("NATURAL"):
        verdict = told(own, domains=True)
        assert verdict.outcome == "confirmed", f"{what}: {verdict.reason}"
        assert verdict.read == "", f"{what}: {verdict.read}"


def test_a_false_one_that_is_true_at_its_point_is_found() -> None:
    """The negative control of the tables."""
    wrong = Row("x/x == 1", normal_form.FALSE[0].rule, "nonzero", "x=1")
    with pytest.raises(AssertionError, match="it is true there"):
        false_there(wrong)
    with pytest.raises(AssertionError):
        refused(Row("x == x", normal_form.FALSE[0].rule, "nonzero", "x=1"))
    with pytest.raises(AssertionError):
        refused(Row("x/x == 1", normal_form.FALSE[0].rule, "another reason", "x=0"))
