"""Records of declared fields: what is read, refused, written, drawn and counted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import find as find_example
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from sympy import sqrt

from fltheory.model.case import Case
from fltheory.model.dataclass_fields import field_values, fields_of, replace_fields
from fltheory.model.schema import (
    Data,
    Domain,
    FieldSpec,
    Record,
    _draw_field,
    all_records,
    constant,
    count,
    format_arguments,
    indices,
    integer,
    lazy_strategy,
    nonnegative,
    one_of,
    one_of_names,
    per,
    positive,
    printable_table,
    probability,
    rational,
    read_table,
    read_vector,
    real,
    scalar,
    share,
    shortest_form,
)
from fltheory.number import Number
from fltheory.symbols import n_clients, smoothness, step_size

HALF = Fraction(1, 2)


class Pair(Record):
    """Vectors for every client, a table, and a constant."""

    roots: tuple[Number, ...] = per(n_clients, of=nonnegative, nonzero=True)
    masses: tuple[Number, ...] = per(n_clients, of=real, default=())
    places: tuple[tuple[Number, ...], ...] = per(n_clients, "coordinates", of=real, default=())
    slope: Number = scalar(positive, smoothness, default="1/2")

    @constant(step_size)
    def step(self) -> Number:
        return 3 * sum(self.roots)


class Choice(Record):
    """Two names and a number of three, of which one pair is refused."""

    name: str = scalar(one_of_names("a", "b"))
    value: Number = scalar(one_of(1, 2, HALF))

    def require(self) -> None:
        if self.name == "b" and self.value == 2:
            raise ValueError("not both")


# Reading -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (1, (1,)),
        ("1/2", (HALF,)),
        (0.5, (HALF,)),
        ([1, "1/2"], (1, HALF)),
        ((), ()),
        (np.array([1.5, 2.0]), (Fraction(3, 2), 2)),
        (np.array([1, 2]), (1, 2)),
    ],
)
def test_a_vector_is_one_number_or_several(given: Any, read: Any) -> None:
    assert read_vector(given) == read


def test_a_table_has_an_entry_for_every_client() -> None:
    assert read_table([1, (2, "1/2")]) == ((1,), (2, HALF))
    assert read_table(np.eye(2)) == ((1, 0), (0, 1))
    for other in (1, "1/2", None):
        with pytest.raises(ValueError, match="expected one entry for every client, got"):
            read_table(other)


@pytest.mark.parametrize("given", [(0, 0), (-1,), (3,), ("1/2",), (0, 1, 2, 1)])
def test_indices_are_different_and_inside(given: Any) -> None:
    with pytest.raises(ValueError, match=r"sets .*: expected different integers from 0 to 2"):
        indices(given, 3, "sets")
    assert indices((2, 0), 3) == (0, 2)
    assert indices((), 3) == ()
    with pytest.raises(ValueError, match="items"):
        indices(5, 3)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ((1,), 1),
        ((HALF,), "1/2"),
        ((1, HALF), (1, "1/2")),
        (((1,), (2,)), (1, 2)),
        (((1, 2),), ((1, 2),)),
        ((), ()),
        ("text", "text"),
        (Pair((1,)), Pair((1,))),
        ((Pair((1,)),), (Pair((1,)),)),
        (sqrt(2), "sqrt(2)"),
    ],
)
def test_the_shortest_form(value: Any, form: Any) -> None:
    assert shortest_form(value) == form


def test_a_table_keeps_its_clients() -> None:
    assert printable_table(((1,),)) == (1,)
    assert printable_table(((1, 2),)) == ((1, 2),)
    assert printable_table((1,)) == 1
    assert printable_table(()) == ()
    assert printable_table(HALF) == "1/2"
    assert format_arguments({"a": (1, HALF), "b": ((1,),)}) == "a=(1, '1/2'), b=(1,)"


# Domains -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (real, (-1, 0, 1), ()),
        (nonnegative, (0, HALF), (-HALF,)),
        (positive, (Fraction(1, 100), 1), (0, -1)),
        (probability, (Fraction(1, 100), 1), (0, Fraction(101, 100), -1)),
        (share, (0, HALF, 1), (-Fraction(1, 100), Fraction(101, 100))),
        (count(), (1, 7), (0, HALF)),
        (count(2), (2, 3), (1, Fraction(5, 2))),
        (one_of(1, HALF), (1, HALF), (2,)),
        (rational(positive), (1, HALF), (0, sqrt(2))),
        (rational(real), (-1, HALF), (sqrt(2),)),
    ],
    ids=lambda v: getattr(v, "words", ""),
)
def test_what_a_domain_holds(domain: Domain, inside: Any, outside: Any) -> None:
    assert all(domain.holds(v) for v in inside)
    assert not any(domain.holds(v) for v in outside)


def test_domains_in_words() -> None:
    assert count(2).words == "integers of at least 2"
    assert one_of(1, HALF).words == "one of 1, 1/2"
    assert rational(real).words == "rational numbers"
    assert rational(positive).words == "rational numbers, positive"
    assert one_of(1, 2).values == (1, 2)
    assert one_of_names("a").read("a") == "a"
    assert positive.values is None


@pytest.mark.parametrize(
    ("domain", "some", "none"),
    [
        (positive, lambda v: v == Fraction(7, 1000), lambda v: v <= 0),
        (positive, lambda v: v == 70, lambda v: v > 70),
        (positive, lambda v: v == 9, lambda v: v.denominator > 1000),
        (positive, lambda v: v == 1, lambda v: v < Fraction(1, 1000)),
        (nonnegative, lambda v: v == 0, lambda v: v < 0),
        (nonnegative, lambda v: v == 3, lambda v: v > 70),
        (real, lambda v: v == -70, lambda v: v < -70),
        (real, lambda v: v == -4, lambda v: v > 70),
        (probability, lambda v: v == Fraction(1, 100), lambda v: v < Fraction(1, 100)),
        (probability, lambda v: v == 1, lambda v: v > 1),
        (share, lambda v: v == 0, lambda v: v < 0),
        (share, lambda v: v == 1, lambda v: v > 1),
        (count(2, 4), lambda v: v == 2, lambda v: v < 2),
        (count(2, 4), lambda v: v == 4, lambda v: v > 4),
        (count(), lambda v: v == 3, lambda v: v > 3),
        (one_of("a", "b"), lambda v: v == "b", lambda v: v not in ("a", "b")),
    ],
)
def test_what_a_domain_draws(domain: Domain, some: Callable[[Any], bool], none: Callable[[Any], bool]) -> None:
    quick = settings(max_examples=400, database=None, derandomize=True)
    assert some(find_example(domain.draw(), some, settings=quick))
    with pytest.raises(NoSuchExample):
        find_example(domain.draw(), none, settings=quick)


# Records -----------------------------------------------------------------------------------------------------------------


def test_a_record_reads_its_fields_exactly() -> None:
    found = Pair((0.5, "1/3"))
    assert field_values(found) == {"roots": (HALF, Fraction(1, 3)), "masses": (1, 1), "places": (), "slope": HALF}
    assert found.constants == {n_clients: 2, smoothness: HALF, step_size: Fraction(5, 2)}
    assert Pair((1,), (), ((1, 2),), 3).places == ((1, 2),)
    assert Pair((1,), (2,)).masses == (2,)
    assert found.replaced(slope=2).slope == 2
    assert repr(found) == "Pair(roots=('1/2', '1/3'), masses=(1, 1), places=(), slope='1/2')"
    assert eval(repr(found), {"Pair": Pair}) == found


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (((),), "roots has 0 entries for n_clients: expected at least one"),
        (((1, -1),), r"roots = \(1, -1\): expected nonnegative, not all 0"),
        (((0, 0),), r"roots = \(0, 0\): expected nonnegative, not all 0"),
        (((1, 2), (1,)), "masses has 1 entries for n_clients: expected 2"),
        (((1, 2), (), ((1,),)), "places has 1 entries for n_clients: expected 2"),
        (((1, 2), (), ((1, 2), (3,))), "places has 1 entries for coordinates: expected 2"),
        (((1,), (), ((),)), "places has 0 entries for coordinates: expected at least one"),
        (((1,), (), (), 0), "slope = 0: expected positive$"),
        (((1,), (), 3), "expected one entry for every client"),
    ],
)
def test_a_record_refuses_what_does_not_fit(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Pair(*given)


def test_some_entries_may_be_zero_and_none_of_others_need_not() -> None:
    assert Pair((0, 1)).roots == (0, 1)
    assert Pair((1, 1), (0, 0)).masses == (0, 0)
    with pytest.raises(ValueError, match="not both"):
        Choice("b", 2)
    with pytest.raises(ValueError, match="name = c: expected one of a, b"):
        Choice("c", 1)


def test_all_records_of_finitely_many() -> None:
    assert all_records(Choice) == tuple(Choice(n, v) for n in "ab" for v in (1, 2, HALF) if (n, v) != ("b", 2))

    class Open(Record):
        value: Number = scalar(positive)
        name: str = scalar(one_of_names("a"))

    class Many(Record):
        values: tuple[Number, ...] = per("n", of=one_of(1, 2))

    class Loose(Record):
        name: str = scalar(one_of_names("a"))
        other: Any = None

    class Empty(Record):
        """No field."""

    for kind in (Open, Many, Loose, Empty, Pair, int):
        assert all_records(kind) is None, kind


# Drawing -----------------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.data())
def test_a_family_draws_cases_of_the_record(data: st.DataObject) -> None:
    family = Pair.drawn(2, 3, settings={"n_rounds": count(4, 5), "step_size": 7}, slope=Fraction(9))
    case = data.draw(family())
    assert isinstance(case, Case)
    record = case.instance
    assert 2 <= len(record.roots) == len(record.masses) == len(record.places) <= 3
    assert 2 <= len({len(row) for row in record.places} | {0, 1}) <= 3
    assert len({len(row) for row in record.places}) == 1
    assert 2 <= len(record.places[0]) <= 3
    assert record.slope == 9
    assert dict(case.settings)["n_rounds"] in (4, 5)
    assert dict(case.settings)["step_size"] == 7
    assert any(record.roots)


def drawn(strategy: Any, n: int = 60) -> list[Any]:
    """What a strategy gives, the same in each run."""
    found: list[Any] = []

    @settings(max_examples=n, database=None, derandomize=True)
    @given(strategy)
    def keep(value: Any) -> None:
        found.append(value)

    keep()
    return found


class Row(Record):
    """A number for every client."""

    roots: tuple[Number, ...] = per(n_clients, of=one_of(1, 2))


def test_a_family_has_one_to_four_entries() -> None:
    assert {len(case.instance.roots) for case in drawn(Row.drawn()(), 40)} == {1, 2, 3, 4}
    assert {len(case.instance.roots) for case in drawn(Row.drawn(most=2)(), 10)} == {1, 2}


def test_given_fields_are_domains_strategies_functions_or_values() -> None:
    for source, value in ((one_of(5), 5), (st.just(6), 6), (lambda: st.just(7), 7), (8, 8)):
        assert {case.instance.slope for case in drawn(Pair.drawn(slope=source)(), 3)} == {value}


def test_a_family_may_be_imported_late() -> None:
    loaded: list[int] = []

    def load() -> Any:
        loaded.append(1)
        return lambda **options: st.just(options)

    family = lazy_strategy(load)(a=1)
    assert loaded == []
    assert drawn(family(), 1) == [{"a": 1}]
    assert loaded == [1]


# Data --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Sized(Data):
    """Two sequences of one length and a count."""

    left: tuple[int, ...] = (1,)
    right: tuple[int, ...] = (2,)
    n: Any = 1
    least: int = 1

    def __post_init__(self) -> None:
        self._require_same_length("left", "right")
        self._count("n", self.least)


def test_data_checks_lengths_and_counts() -> None:
    assert repr(Sized((1, 2), (3, 4), "5")) == "Sized(left=(1, 2), right=(3, 4), n=5, least=1)"
    with pytest.raises(ValueError, match="left, right must have the same length"):
        Sized((1, 2), (3,))
    assert Sized(n=2, least=2).n == 2
    for value, least in ((1, 2), (0, 1), ("1/2", 1), (Fraction(5, 2), 2)):
        with pytest.raises(ValueError, match=f"expected an integer of at least {least}"):
            Sized(n=value, least=least)


@dataclass(frozen=True, repr=False)
class Counted(Data):
    n: Any = 1

    def __post_init__(self) -> None:
        self._count("n")


def test_an_integer_of_at_least_so_much() -> None:
    assert integer("n", "3") == 3
    assert integer("n", 0, 0) == 0
    with pytest.raises(ValueError, match="n = 0: expected an integer of at least 1"):
        integer("n", 0)
    with pytest.raises(ValueError, match="n = 0: expected an integer of at least 1"):
        Counted(0)
    assert Counted(1).n == 1


def test_fields_of_dataclasses() -> None:
    assert list(fields_of(Sized)) == ["left", "right", "n", "least"]
    assert fields_of(3) == {}
    assert replace_fields(Sized(), n=4).n == 4
    for other in (3, Sized):
        with pytest.raises(TypeError, match="expected a dataclass"):
            replace_fields(other, n=4)
    assert math.isclose(float(Pair((1,)).slope), 0.5)


POSITIVE = {Fraction(v) for v in range(1, 10)} | {
    m * Fraction(10) ** e for m in (1, 2, 3, 5, 7) for e in (-3, -2, -1, 0, 1)
}
DRAWN = {
    "positive": (positive, POSITIVE, ("1/1000", "7/1000", "3/100", "2/10", "7/10", "3/10", "9", "8", "10", "70")),
    "real": (real, POSITIVE | {-v for v in POSITIVE} | {Fraction(0)}, ("-5", "-4", "0", "5", "-70", "-1/1000", "3/10")),
    "nonnegative": (nonnegative, POSITIVE | {Fraction(0)}, ("0", "70", "1/1000")),
    "probability": (probability, {Fraction(k, 100) for k in range(1, 101)}, ("1/100", "1", "1/2")),
    "share": (share, {Fraction(k, 100) for k in range(101)}, ("0", "1/100", "1")),
}


@pytest.mark.parametrize(("name", "value"), [(name, v) for name, (*_, some) in DRAWN.items() for v in some])
def test_a_number_that_may_be_drawn_of_a_domain(name: str, value: str) -> None:
    calm = settings(database=None, max_examples=2000, derandomize=True)
    domain = DRAWN[name][0]
    assert find_example(domain.draw(), lambda v: v == Fraction(value), settings=calm) == Fraction(value)


@pytest.mark.parametrize("name", DRAWN)
def test_all_numbers_that_are_drawn_of_a_domain(name: str) -> None:
    domain, all_of_them, _ = DRAWN[name]
    for value in drawn(domain.draw(), 40):
        assert value in all_of_them
        assert domain.holds(value)


def test_an_empty_table_is_refused_unless_it_is_the_default() -> None:
    class Wanted(Record):
        places: tuple[tuple[Number, ...], ...] = per(n_clients, "coordinates", of=real)

    class Free(Record):
        places: tuple[tuple[Number, ...], ...] = per(n_clients, "coordinates", of=real, default=())

    assert Free().places == Free(()).places == ()
    with pytest.raises(ValueError, match="places"):
        Wanted(())
    with pytest.raises(TypeError, match="places"):
        Wanted()  # type: ignore[call-arg]


def test_fields_that_are_computed_are_no_arguments() -> None:
    @dataclass
    class Own:
        given: int
        made: int = field(init=False, default=7)

    assert list(fields_of(Own)) == list(fields_of(Own(1))) == ["given"]
    assert field_values(Own(1)) == {"given": 1}
    assert replace_fields(Own(1), given=2) == Own(2)
    assert fields_of(3) == {}


def test_fields_of_one_axis_are_drawn_with_one_length() -> None:
    of_two = (FieldSpec(one_of(1, 2), (n_clients,)), FieldSpec(one_of(3), (n_clients, "coordinates")))

    @st.composite
    def both(draw: Any) -> Any:
        sizes: dict[Any, int] = {}
        return [_draw_field(draw, spec, sizes, (1, 5)) for spec in of_two], sizes

    for (row, table), sizes in drawn(both(), 30):
        assert len(row) == len(table) == sizes[n_clients]
        assert {len(own) for own in table} == {sizes["coordinates"]}


def test_texts_and_records_are_their_own_shortest_form() -> None:
    for value in ("a", "1/2", Row((1,))):
        assert shortest_form(value) is value
    assert shortest_form((1, (HALF, "a"))) == (1, ("1/2", "a"))
