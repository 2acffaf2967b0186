"""Work is counted and forgotten, terms have room inside one another, a family is replaced in its own places alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from fltheory.kernel.deep import DEEP, deeply
from fltheory.kernel.language import effort
from fltheory.kernel.language.effort import KEPT, MOST, Account, TooLong, begin, counted, forgets, spend, spent
from fltheory.kernel.language.terms import Term, fresh, insert, make, number, read, symbol
from fltheory.kernel.needs import remembered
from fltheory.kernel.normal import normal, polynomials, value
from tests.kernel import written


def t(text: str) -> Term:
    return read(written.term(text))


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Nothing is kept of other questions; how often everything is forgotten from now on."""
    effort._forget()
    begin()
    times: list[int] = []
    monkeypatch.setattr(Account, "memories", [*Account.memories])
    forgets(lambda: times.append(Account.turn))
    yield times
    effort._forget()
    begin()


# Room -----------------------------------------------------------------------------------------------------------------


def test_what_is_raised_inside_is_raised_outside() -> None:
    def fails() -> None:
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        deeply(fails)


def test_there_is_room_inside_and_the_limits_are_as_before() -> None:
    def down(n: int) -> int:
        return n and 1 + down(n - 1)

    before, size = sys.getrecursionlimit(), 2**20
    assert before < DEEP
    kept = threading.stack_size(size)
    try:
        assert deeply(lambda: down(DEEP - 1000)) == DEEP - 1000
    finally:
        found = threading.stack_size(kept)
    assert (sys.getrecursionlimit(), found) == (before, size)


def test_nobody_waits_for_it_at_the_end() -> None:
    assert deeply(lambda: threading.current_thread().daemon)


# Work -----------------------------------------------------------------------------------------------------------------


def test_what_is_too_long_ends_and_is_forgotten(afresh: list[int]) -> None:
    begin(100)
    spend(60)
    assert spent() == 60
    with pytest.raises(TooLong):
        spend(41)
    begin()
    assert len(afresh) == 1
    assert (Account.kept, spent(), Account.left) == (0, 0, MOST)


def test_what_was_worked_out_is_kept_until_it_is_much(afresh: list[int]) -> None:
    for units, kept in ((10, 10), (KEPT - 10, KEPT)):
        spend(units)
        begin()
        assert (Account.kept, spent(), afresh) == (kept, 0, [])
    spend(1)
    begin()
    assert (Account.kept, len(afresh)) == (0, 1)


@pytest.mark.parametrize(
    ("before", "work", "asked"),
    [(0, MOST - 10, 1), (1, MOST - 10, 1), (10, MOST - 10, 1), (11, MOST - 10, 2), (0, MOST, 1), (1, MOST, 2)],
)
def test_a_question_is_asked_again_where_it_may_be_too_long(
    before: int, work: int, asked: int, afresh: list[int]
) -> None:
    found: list[int] = []

    def question() -> str:
        spend(work)
        found.append(spent())
        return "said"

    spend(before)
    assert counted(question) == "said"
    assert found == [work] * asked
    assert len(afresh) == asked - 1


def test_a_term_costs_the_same_once_all_is_forgotten(afresh: list[int]) -> None:
    for _ in range(2):
        begin()
        make("max", number(11), number(12))
        first = spent()
        make("max", number(11), number(12))
        assert first == spent() > 0
        effort._forget()
    assert first == 7


def test_what_is_remembered_is_forgotten(afresh: list[int]) -> None:
    asked: list[int] = []

    def twice(n: int) -> int:
        asked.append(n)
        return 2 * n

    double = remembered(twice)
    assert (double(3), double(3), len(asked)) == (6, 6, 1)
    effort._forget()
    assert (double(3), len(asked)) == (6, 2)


def test_a_long_sum_of_powers_is_closed(afresh: list[int]) -> None:
    begin(11_000)
    assert value(normal(t("sum(i, i, 1, 10000)"))) == 50_005_000


def test_high_powers_are_counted(afresh: list[int]) -> None:
    form = normal(t("x**200 + 1"))
    begin(200)
    with pytest.raises(TooLong):
        polynomials(form)
    begin(1_000)
    with pytest.raises(TooLong):
        normal(t("sum(a(i)**5000*b(i), i, 1, n)"))


# Terms ----------------------------------------------------------------------------------------------------------------


def test_what_stands_behind_a_letter_made_up_here_counts_for_the_order() -> None:
    own = fresh(symbol("i", "integer"))
    one, two = (make("exp", make("+", own, symbol(name, "real"))) for name in "xy")
    assert one.place[:2] != two.place[:2]
    assert (number(987_654_321).place[0], one.place[0]) == (1, 3)  # how deep they are


def test_the_same_family_inside_itself_is_another_place() -> None:
    assert insert(t("N(N(1))"), t("N(1)"), t("2"), False) is t("N(2)")
