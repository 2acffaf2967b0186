"""Places of several parts, and what is seen to be the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import sympy

from fltheory.model.place import Contents, Item, Place, PlaceError
from fltheory.model.same import is_same

BOOK = Contents(
    (
        Item("Section 1", "Introduction", "1"),
        Item("Section 2", "Results", "2-3, 12a-12c"),
        Item("Theorem 3", "The rate", "5, 10-11"),
        Item("Section 2.1", "More"),
        Item("Section 2.1.4", "Still more"),
        Item("Table 1", "Numbers"),
        Item("Appendix A", "Proofs"),
        Item("Appendix A.1", "First part"),
        Item("Appendix A.1.2", "Proof of Theorem 3", "6-8", proves=("Theorem 3",)),
        Item("Lemma A.1", "A lemma", "9"),
        Item("Appendix C.2", "Alone"),
    )
)


def parts(text: str) -> tuple[str, str, str]:
    found = BOOK.place(text)
    return found.item, found.part, found.eq


@pytest.mark.parametrize(
    ("name", "around"),
    [
        ("Section 1", ()),
        ("Theorem 3", ("Section 2",)),
        ("Section 2.1.4", ("Section 2.1", "Section 2")),
        ("Table 1", ("Section 2.1.4", "Section 2.1", "Section 2")),
        ("Appendix A.1.2", ("Appendix A.1", "Appendix A")),
        ("Lemma A.1", ("Appendix A.1.2", "Appendix A.1", "Appendix A")),
        ("Appendix C.2", ()),
    ],
)
def test_the_sections_around_an_item_the_innermost_first(name: str, around: tuple[str, ...]) -> None:
    assert BOOK.around(name) == around


def test_an_item_before_all_sections_has_none_around_it() -> None:
    assert Contents((Item("Theorem 1"), Item("Section 1"))).around("Theorem 1") == ()


def test_displays_have_an_item_and_a_position() -> None:
    labels = ["1", "2", "3", "12a", "12b", "12c", "5", "10", "11", "6", "7", "8", "9"]
    assert list(BOOK.equations) == labels
    assert [position for _, position in BOOK.equations.values()] == list(range(1, len(labels) + 1))
    assert BOOK.equations["12b"][0] == "Section 2"
    assert BOOK.equations["11"][0] == "Theorem 3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(2), (3)", ("Section 2", "(3)", "2")),
        ("Theorem 3 (5), (10)", ("Theorem 3", "(10)", "5")),
        ("Theorem 3, Lemma A.1", ("Theorem 3", "Lemma A.1", "")),
        ("Lemma A.1, Theorem 3", ("Lemma A.1", "Theorem 3", "")),
        ("Section 2.1, Table 1", ("Table 1", "", "")),
        ("Table 1, Section 2.1", ("Table 1", "Section 2.1", "")),
        ("proof of Theorem 3 (5)", ("Theorem 3", "proof", "5")),
        ("proof of Theorem 3", ("Appendix A.1.2", "proof of Theorem 3", "")),
        ("(5), Theorem 3 of Salehi et al.", ("Theorem 3", "Theorem 3 of Salehi et al.", "5")),
        ("(5), Theorem 77 of Salehi et al.", ("Theorem 3", "Theorem 77 of Salehi et al.", "5")),
        ("Theorems 3", ("Theorem 3", "", "")),
        ("App. A.1.2 (7)", ("Appendix A.1.2", "", "7")),
        ("Appendix A (7)", ("Appendix A.1.2", "", "7")),
    ],
)
def test_the_first_item_and_the_first_display_count(text: str, expected: tuple[str, str, str]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Theorem 3 of Salehi", "names no item of the paper"),
        ("nowhere", "'nowhere' names no item of the paper"),
        ("(77)", r"no item contains the display \(77\)"),
        ("Lemma 3", "the paper has no Lemma 3"),
        ("Section 9", "the paper has no Section 9"),
        ("App. B", "the paper has no Appendix B"),
        ("Table 1 (5)", r"\(5\) is in Theorem 3, not in Table 1"),
        ("Section 1 (5)", r"\(5\) is in Theorem 3, not in Section 1"),
    ],
)
def test_a_place_that_fits_nothing_is_refused_with_its_reason(text: str, words: str) -> None:
    with pytest.raises(PlaceError, match=words):
        BOOK.place(text)


def test_a_place_may_name_what_is_inside_or_around_its_display() -> None:
    assert parts("Section 2 (5)")[0] == "Theorem 3"
    assert parts("Theorem 3 (2)")[0] == "Section 2"
    assert parts("Theorem 3 (6)")[0] == "Appendix A.1.2"


def test_the_order_of_places() -> None:
    texts = [
        "Section 1",
        "Theorem 3",
        "Theorem 3 (5)",
        "Theorem 3 (10)",
        "after (10)",
        "after Theorem 3",
        "proof of Theorem 3",
        "proof of Lemma A.1",
        "Lemma A.1 (9)",
    ]
    places = [BOOK.place(t) for t in texts]
    backwards = list(reversed(places))
    assert sorted(backwards) == places
    assert not places[0] < places[0]
    assert BOOK.proof("Theorem 3") == "Appendix A.1.2"
    assert BOOK.proof("Lemma A.1") is None
    assert Place("a", "b") == Place("a", "b", order=(1, 2, 3, 4))
    assert Item("Section 2").is_section
    assert Item("Appendix A").is_section
    assert not Item("Theorem 3").is_section


# Sameness ----------------------------------------------------------------------------------------------------------------


def adder(n: Any) -> Callable[[Any], Any]:
    return lambda x: x + n


def looking(x: Any) -> Any:
    return eval("x")


def looking_too(x: Any) -> Any:
    return eval("x")


def recursive(n: int) -> int:
    return n and recursive(n - 1)


@dataclass
class Left:
    value: int = 1


@dataclass
class Right:
    value: int = 1


class Colour(Enum):
    RED = 1
    BLUE = 2


class Plain:
    """Without parts."""


def default(x: Any, y: Any = 1) -> Any:
    return x


def other_default(x: Any, y: Any = 2) -> Any:
    return x


def named(x: Any, *, y: Any = 1) -> Any:
    return x


def method_of(value: Any) -> Any:
    return Left.__eq__.__get__(value)


@cache
def cached(x: Any) -> Any:
    return x


SAME: list[tuple[Any, Any]] = [
    (1, 1),
    (Fraction(1, 2), Fraction(1, 2)),
    ([1, "a"], [1, "a"]),
    ((1, (2,)), (1, (2,))),
    ({"a": 1}, {"a": 1}),
    (MappingProxyType({"a": 1}), MappingProxyType({"a": 1})),
    ({1, 2}, {2, 1}),
    (frozenset({(1, 2)}), frozenset({(1, 2)})),
    (1.5, 1.5),
    (np.arange(3), np.arange(3)),
    (np.array([1, "a"], dtype=object), np.array([1, "a"], dtype=object)),
    (sympy.Symbol("x"), sympy.Symbol("x")),
    (adder(1), adder(1)),
    (Left(), Left()),
    (partial(adder, 1), partial(adder, 1)),
    (method_of(Left()), method_of(Left())),
    (looking, looking),
    (cached, cached),
    (lru_cache(3)(adder(1)), lru_cache(3)(adder(1))),
    (recursive, recursive),
    (Colour.RED, Colour.RED),
]
DIFFERENT: list[tuple[Any, Any]] = [
    (1, 2),
    (1, True),
    (1, 1.0),
    ([1], (1,)),
    ([1], [1, 2]),
    ([1, 2], [1, 3]),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({1}, {True}),
    ({1}, {2}),
    ({Plain}, {Plain}),
    (0.0, -0.0),
    (np.arange(3), np.arange(4)),
    (np.arange(3), np.arange(3.0)),
    (np.arange(4), np.arange(4).reshape(2, 2)),
    (np.arange(3), np.arange(1, 4)),
    (np.array([1, "a"], dtype=object), np.array([1, "b"], dtype=object)),
    (adder(1), adder(2)),
    (default, other_default),
    (default, named),
    (Left(), Left(2)),
    (Left(), Right()),
    (Left, Right),
    (partial(adder, 1), partial(adder, 2)),
    (partial(adder, n=1), partial(adder, n=2)),
    (method_of(Left()), method_of(Left(2))),
    (looking, looking_too),
    (looking, default),
    (default, looking),
    (lru_cache(3)(adder(1)), lru_cache(4)(adder(1))),
    (lru_cache(3)(adder(1)), lru_cache(3)(adder(2))),
    (Plain(), Plain()),
    (Colour.RED, Colour.BLUE),
    (sympy.Symbol("x"), sympy.Symbol("y")),
]


@pytest.mark.parametrize(("one", "two"), SAME, ids=[str(i) for i in range(len(SAME))])
def test_what_is_the_same(one: Any, two: Any) -> None:
    assert is_same(one, two)
    assert is_same([one], [two])


@pytest.mark.parametrize(("one", "two"), DIFFERENT, ids=[str(i) for i in range(len(DIFFERENT))])
def test_what_is_not_seen_to_be_the_same(one: Any, two: Any) -> None:
    assert not is_same([one], [two])
    assert not is_same([two], [one])


def test_what_is_too_deep_to_follow_is_not_the_same() -> None:
    one: list[Any] = []
    two: list[Any] = []
    for _ in range(100_000):
        one, two = [one], [two]
    try:
        assert not is_same(one, two)
    finally:
        while one:
            one, two = one[0], two[0]


def test_a_cell_without_content_is_a_value() -> None:
    def made(fill: bool) -> Any:
        if fill:
            content = 1
        return lambda: content

    assert is_same(made(False), made(False))
    assert not is_same(made(False), made(True))
    assert is_same(made(True), made(True))


def test_globals_count_by_what_they_are() -> None:
    source = "def f(x): return g(x) + len(x)"
    spaces: list[dict[str, Any]] = [
        {"g": adder(1)},
        {"g": adder(1)},
        {"g": adder(2)},
        {},
        {"g": adder(1), "len": adder(1)},
    ]
    functions = []
    for space in spaces:
        exec(source, space)
        functions.append(space["f"])
    assert [is_same(functions[0], f) for f in functions] == [True, True, False, False, False]
    assert [is_same(functions[3], f) for f in functions] == [False, False, False, True, False]


def made_by(module: str, kind: type = object) -> type:
    def equal(self: Any, other: Any) -> bool:
        return bool(self.value == other.value)

    def init(self: Any, value: Any) -> None:
        self.value = value

    return type("Made", (kind,), {"__module__": module, "__eq__": equal, "__init__": init, "__hash__": None})


def test_the_librarys_own_equality_is_believed_and_no_other() -> None:
    known, other = made_by("fltheory.somewhere"), made_by("elsewhere.fltheory")
    assert is_same(known(1), known(1))
    assert not is_same(known(1), known(2))
    assert not is_same(other(1), other(1))
    own = other(1)
    assert is_same(own, own)


def test_sets_are_of_plain_values_all_through() -> None:
    class Posing:
        def __repr__(self) -> str:
            return "'a'"

    assert is_same({1, (2, "a")}, {(2, "a"), 1})
    assert not is_same({(2, Posing())}, {(2, Posing())})
    assert not is_same({(2, Posing())}, {(2, "a")})
    assert not is_same({(2, "a")}, {(2, Posing())})
    assert not is_same({1, Posing()}, {1, Posing()})
    assert not is_same({1}, {True})
    assert not is_same({1}, {1, 2})
