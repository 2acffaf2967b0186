"""What a file for Rocq states is the exported theorem: read back, byte for byte; and its reading has the same values."""

from __future__ import annotations

import json
import math
import random
import re
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from fltheory.api import proofs
from fltheory.proof.export import export_papers
from fltheory.rocq import printer
from tests.rocq.reading import statement, term, tree


@cache
def theorems() -> list[Any]:
    """All recorded theorems as they are exported."""
    told = json.loads(json.dumps(export_papers(*proofs.selected_proofs(()))))
    return [t for own in told["papers"].values() for t in own]


def stated(theorem: Any) -> dict[str, Any]:
    """What the JSON states, without names that Rocq does not see."""
    hypotheses = [{k: v for k, v in h.items() if k != "id"} for h in theorem["hypotheses"]]
    return {"refuted": theorem["refuted"], "hypotheses": hypotheses, "statement": theorem["statement"]}


def told(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def test_every_statement_is_read_back_byte_for_byte():
    wrong = [t["id"] for t in theorems() if told(statement(printer.statement(t))) != told(stated(t))]
    assert len(theorems()) > 1800
    assert wrong == []


def test_statements_that_differ_are_printed_differently():
    by_text: dict[str, str] = {}
    for t in theorems():
        own = told(stated(t))
        assert by_text.setdefault(printer.statement(t), own) == own


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("1/2", ["*", "1", ["^", "2", "-1"]]),
        (["symbol", "x", "real"], ["symbol", "x", "positive"]),
        (["symbol", 'a"b', "real"], ["symbol", "ab", "real"]),
        (["+", "1", "2", "3"], ["+", "1", ["+", "2", "3"]]),
        (["family", "Scalar", "x", "1"], ["family", "Positive", "x", "1"]),
        (["draw", "1", "2"], ["draw", "1", "2", "3"]),
    ],
)
def test_different_terms_are_printed_differently(one: Any, two: Any):
    assert printer.term(one) != printer.term(two)
    assert term(tree(printer.term(one))) == one
    assert term(tree(printer.term(two))) == two


# Both readings at numbers ---------------------------------------------------------------------------------------------


def power(a: Fraction, n: int) -> Fraction:
    """n-fold product, a^-n = (1/a)^n, 1/0 = 0."""
    base = a if n >= 0 else (1 / a if a else Fraction(0))
    return math.prod([base] * abs(n), start=Fraction(1))


def by_json(value: Any, at: dict[str, Fraction]) -> Fraction | None:
    """A term without chance, vectors and sums as the page of semantics reads it; None where it has other words."""
    if isinstance(value, str):
        return Fraction(value)
    word, *args = value
    if word == "symbol":
        return at.setdefault(f"{args[0]} {args[1]}", _some(args[1]))
    if word not in ("+", "*", "^", "abs", "max", "min", "indicator", "floor"):
        return None
    own = [by_json(a, at) for a in args]
    if any(v is None for v in own):
        return None
    return _value(word, [v for v in own if v is not None])


def _value(word: str, own: list[Fraction]) -> Fraction | None:
    if word == "^":
        return power(own[0], int(own[1])) if own[1].denominator == 1 and abs(own[1]) < 9 else None
    simple = {"+": sum, "*": math.prod, "max": max, "min": min}
    if word in simple:
        return Fraction(simple[word](own))
    (a,) = own
    return {"abs": abs(a), "indicator": Fraction(a >= 0), "floor": Fraction(math.floor(a))}[word]


def _some(sort: str) -> Fraction:
    first = {"positive": 1, "from 1": 1, "nonnegative": 0, "from 0": 0}.get(sort, -4)
    below = 1 if sort in ("integer", "from 0", "from 1", "unknown") else random.choice((1, 2, 3))
    return Fraction(random.randint(first * below, 5 * below), below)


LEAF = re.compile(r"[A-Z]\w*")


def by_rocq(own: Any, at: dict[str, Fraction]) -> Fraction | None:
    """The constructors as ``num`` of Semantics.v reads them: sums and products from the right, literal powers alone."""
    while isinstance(own, list) and len(own) == 1:
        own = own[0]
    head, *args = own
    if head == "Num":
        return Fraction(int(args[0][0]), int(args[1]))
    if head == "Sym":
        names = {
            "Real": "real",
            "Nonnegative": "nonnegative",
            "Positive": "positive",
            "Integer": "integer",
            "From0": "from 0",
            "From1": "from 1",
        }
        return at.get(f"{args[0][1]} {names.get(args[1], 'unknown')}")
    folded = {"Add": lambda a, b: a + b, "Mul": lambda a, b: a * b, "Max": max, "Min": min}
    if head in folded:
        parts = [by_rocq(a, at) for a in args[0][1]]
        found = parts[-1]
        for p in parts[-2::-1]:
            found = None if p is None or found is None else folded[head](p, found)
        return found
    if head in ("Abs", "Indicator", "Floor", "Pow"):
        parts = [by_rocq(a, at) for a in args]
        word = {"Abs": "abs", "Indicator": "indicator", "Floor": "floor", "Pow": "^"}[head]
        return None if any(p is None for p in parts) else _value(word, [p for p in parts if p is not None])
    return None


def test_both_readings_have_the_same_values():
    random.seed(20260101)
    seen = 0
    for t in theorems():
        for side in ("left", "right"):
            at: dict[str, Fraction] = {}
            value = by_json(t["statement"][side], at)
            if value is None:
                continue
            seen += 1
            assert by_rocq(tree(printer.term(t["statement"][side])), at) == value, t["id"]
    assert seen > 500
