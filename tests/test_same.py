"""Equality of claims: the same file read twice gives equal claims, and whatever changes what is computed makes them unequal."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace
from functools import cache, lru_cache, partial
from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csr_array
from sympy import Symbol

from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim
from fltheory.claims.statement import quantity_measure, requires
from fltheory.model.same import is_same
from fltheory.verification import verify


def read_again(key: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Claim, ...]:
    """The claims of a paper from modules that are run once more."""
    package = f"fltheory.papers.{key}."
    for name in [n for n in sys.modules if n.startswith(package) and ".claims" in n]:
        parent, _, leaf = name.rpartition(".")
        if parent in sys.modules:
            monkeypatch.delattr(sys.modules[parent], leaf, raising=False)
        monkeypatch.delitem(sys.modules, name)
    return import_module(f"{package}claims").CLAIMS


@pytest.mark.parametrize("key", KEYS)
def test_a_paper_read_twice_has_equal_claims(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = import_module(f"fltheory.papers.{key}.claims").CLAIMS
    again = read_again(key, monkeypatch)
    assert again[0] is not first[0]
    assert again == first
    assert [hash(c) for c in again] == [hash(c) for c in first]


def test_a_claim_differs_from_all_others_of_its_paper() -> None:
    claims = import_module("fltheory.papers.fedcg.claims").CLAIMS
    assert not [(a.id, b.id) for i, a in enumerate(claims) for b in claims[:i] if a == b]


def test_a_changed_field_makes_a_claim_another() -> None:
    claim = import_module("fltheory.papers.fedcg.claims").CLAIMS[0]
    assert replace(claim) == claim
    assert claim.recorded_as("violated") == claim  # what is recorded is no part of the statement
    assert replace(claim, cases=claim.cases[1:]) != claim
    assert claim != "claim"


def test_assumptions_of_one_name_differ_by_what_they_check() -> None:
    same, other = (requires("positive", fails) for fails in (lambda one, c: one > 0, lambda one, c: one >= 0))
    assert is_same(same, requires("positive", lambda one, c: one > 0))
    assert not is_same(same, other)
    assert not is_same(same, requires("positive", lambda one, c: 0 < one))  # in other words: not seen to be the same


def scaled(factor: object) -> object:
    return lambda v: factor * v  # type: ignore[operator]


def twice(v: int, by: int = 2) -> int:
    return by * v


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (scaled(2), scaled(2), True),
        (scaled(2), scaled(3), False),  # the closure differs
        (scaled(2), scaled(2.0), False),
        (partial(twice, 1), partial(twice, 1), True),
        (partial(twice, 1), partial(twice, by=1), False),
        (lambda v, by=2: v, lambda v, by=3: v, False),  # the default differs
        (lambda v: len(v), lambda v: sum(v), False),  # the name differs
        (lambda v: v[1], lambda v: v[2], False),  # a constant differs
        (lambda v: [1 for w in v], lambda v: [2 for w in v], False),  # one inside
        (np.arange(3), np.arange(3), True),
        (np.arange(3), np.arange(3.0), False),
        ((1, True), (1, 1), False),
        ({"a": 1}, {"b": 1}, False),
        ([twice], [twice], True),
        ({("a", 1), "b"}, {"b", ("a", 1)}, True),
        (Symbol("x") + 1, Symbol("x") + 1, True),
        (Symbol("x") + 1, Symbol("x") + 2, False),  # of one class, with a ``func``
        (cache(lambda v: v + 1), cache(lambda v: v + 1), True),
        (cache(lambda v: v + 1), cache(lambda v: v + 2), False),
    ],
)
def test_functions_are_the_same_by_what_they_compute_with(a: object, b: object, same: bool) -> None:
    assert is_same(a, b) is same


def _of(*names: str, **scope: object) -> object:
    """The function ``q`` of some lines, run in globals of its own."""
    exec("\n".join(names), scope)
    return scope["q"]


class First:
    def go(self) -> int:
        return 1


class Second:
    def go(self) -> int:
        return 2


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (_of("def q(*v): return len(v)"), _of("def q(v): return len(v)")),
        (_of("def q(a, *, b): return a"), _of("def q(a, b): return a")),
        (_of("def q(a, /): return a"), _of("def q(a): return a")),
        (_of("def q(v): return v in {1, 2}"), _of("def q(v): return v in {1.0, 2.0}")),
        (_of("def q(v): return 0.0"), _of("def q(v): return -0.0")),
        (_of("def q(v): return max(v)"), _of("def q(v): return max(v)", max=None)),
        (_of("def q(v): return max(v)"), _of("def q(v): return max(v)", max=min)),
        (_of("def q(v): return eval('K')", K=1), _of("def q(v): return eval('K')", K=2)),
        (_of("def q(v): return globals()['K']", K=1), _of("def q(v): return globals()['K']", K=2)),
        (_of("class T: k = 1", "def q(v): return T().k"), _of("class T: k = 2", "def q(v): return T().k")),
        (
            _of("class T(B): pass", "def q(v): return T()", B=First),
            _of("class T(B): pass", "def q(v): return T()", B=Second),
        ),
        (_of("def q(v): return T.go()", T=First()), _of("def q(v): return T.go()", T=Second())),
        (
            _of("def h(v): return h.k", "h.k = 0", "def q(v): return h(v)"),
            _of("def h(v): return h.k", "h.k = 5", "def q(v): return h(v)"),
        ),
        (
            _of("def q(v): return D[v]", D=defaultdict(lambda: 1)),
            _of("def q(v): return D[v]", D=defaultdict(lambda: 2)),
        ),
        (0.0, -0.0),
        ({1, 2}, {True, 2}),
        (frozenset({twice}), frozenset({scaled(2)})),
        (lru_cache(typed=True)(twice), lru_cache(typed=False)(twice)),
        (np.array([0.0]), np.array([-0.0])),
        (np.array([twice], dtype=object), np.array([scaled(2)], dtype=object)),
    ],
)
def test_what_computes_something_else_is_not_the_same(a: object, b: object) -> None:
    assert not is_same(a, b)
    assert is_same(a, a)


def test_what_cannot_be_followed_is_not_the_same_and_no_error() -> None:
    def nested(depth: int) -> object:
        value: object = ()
        for _ in range(depth):
            value = (value,)
        return value

    def unset() -> object:
        def q() -> object:
            return late

        if False:
            late = 1
        return q

    assert not is_same(nested(5_000), nested(5_000))
    assert is_same(nested(50), nested(50))
    assert is_same(unset(), unset())
    assert not is_same(csr_array(np.eye(2)), csr_array(np.eye(2)))


def test_a_line_more_above_a_function_does_not_make_it_another() -> None:
    assert is_same(_of("def q(v): return [w + 1 for w in v]"), _of("", "x = 1", "def q(v): return [w + 1 for w in v]"))


def test_a_claim_is_judged_as_what_it_is_now_however_alike_another_is() -> None:
    def claim(scope: dict[str, object]) -> Claim:
        exec("def q(one, c):\n    return tool().go()\n", scope)
        measure = quantity_measure(scope["q"], name="what the tool says")  # type: ignore[arg-type]
        return replace(import_module("fltheory.papers.fedcg.claims").CLAIMS[0], measure=measure, assumptions=())

    first, second = (claim({"tool": kind}) for kind in (First, Second))
    case = first.cases[0]
    assert first != second
    assert [verify(first, case).measured, verify(second, case).measured] == [1, 2]
    scope: dict[str, object] = {"tool": First}
    twin, again = claim(scope), claim(dict(scope))
    assert twin == again
    assert verify(twin, case).measured == 1
    scope["tool"] = Second
    assert verify(again, case).measured == 1


def test_a_function_is_another_where_a_global_that_it_names_is() -> None:
    def of(helper: object) -> object:
        scope = {"helper": helper}
        exec("def f(v):\n    return helper(v)\n", scope)
        return scope["f"]

    assert is_same(of(scaled(2)), of(scaled(2)))
    assert not is_same(of(scaled(2)), of(scaled(3)))


def test_functions_that_call_each_other_are_compared() -> None:
    def pair(base: int) -> object:
        scope: dict[str, object] = {"base": base}
        exec("def even(n):\n    return n == base or odd(n - 1)\ndef odd(n):\n    return even(n - 1)\n", scope)
        return scope["even"]

    assert is_same(pair(0), pair(0))
    assert not is_same(pair(0), pair(1))
