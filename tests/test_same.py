"""Equality of claims: the same file read twice gives equal claims, and whatever changes what is computed makes them unequal."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache, partial
from importlib import import_module

import numpy as np
import pytest
from sympy import Symbol

from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim
from fltheory.claims.statement import requires
from fltheory.model.same import is_same


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
    assert replace(claim, recorded="violated") != claim
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
        (Symbol("x") + 1, Symbol("x") + 1, True),
        (Symbol("x") + 1, Symbol("x") + 2, False),  # of one class, with a ``func``
        (cache(lambda v: v + 1), cache(lambda v: v + 1), True),
        (cache(lambda v: v + 1), cache(lambda v: v + 2), False),
    ],
)
def test_functions_are_the_same_by_what_they_compute_with(a: object, b: object, same: bool) -> None:
    assert is_same(a, b) is same


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
