"""Every line of every recorded theorem, tried at points where what it rests on holds."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from fltheory.claims.catalogue import KEYS
from fltheory.proof import export, library
from tests.kernel.points import conditions, grounds, point, tried
from tests.kernel.values import many
from tests.kernel.worlds import World
from tests.typed import Recorded

EVERY = 60  # of so many theorems of a paper the gate tries one
SHARE = {"sfl": 0.75}  # of the lines must have been tried, of other papers more
OTHERS, OF_SOME = 0.85, 0.6  # of all theorems; of the few that the gate takes
POINTS, WORLDS, ENOUGH = 2, 7, 2
NO_RULE = ("Assumed", "Violated")


@pytest.fixture(autouse=True)
def deep() -> Iterator[None]:
    """Terms inside terms."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def recorded(key: str) -> list[Any]:
    """The theorems of a paper as a program reads them."""
    exported = json.loads(json.dumps(export.export_papers(library.load(key))))
    return [t for theorems in exported["papers"].values() for t in theorems]


def points_of(theorem: Any) -> list[World]:
    """Points at which all hypotheses hold."""
    found: list[World] = []
    for turn in range(WORLDS):
        own = point(theorem, (theorem["id"], turn), turn % 3 == 2)
        found += [own] if own else []
        if len(found) == POINTS:
            break
    return found


def places(theorem: Any, step: Any, points: list[World]) -> tuple[int, str]:
    """At how many places a line was tried, and where it is false: where all hypotheses hold, or what it uses."""
    count, given = 0, conditions(theorem)
    for own in points:
        more, wrong = tried(step["claim"], step["assuming"], own, given)
        count += more
        if wrong:
            return count, wrong
    for turn in range(WORLDS):
        if count >= ENOUGH:
            break
        own_grounds = grounds(theorem, step)
        near = point(theorem, (theorem["id"], step["id"], turn), turn % 3 == 2, own_grounds)
        if near:
            more, wrong = tried(step["claim"], step["assuming"], near, own_grounds)
            count += more
            if wrong:
                return count, wrong
    return count, ""


def false_lines(theorems: list[Any]) -> tuple[Counter[str], list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """How many lines there are and were tried, those that are false somewhere, those that were tried nowhere."""
    counts, wrong, nowhere = Counter[str](), list[tuple[str, str, str]](), list[tuple[str, str, str]]()
    for own in theorems:
        points = points_of(own)
        counts["theorems"] += 1
        counts["with all hypotheses"] += bool(points)
        for step in own["steps"]:
            if step["refuted"] or step["rule"]["rule"] in NO_RULE:
                continue
            counts["lines"] += 1
            count, told = places(own, step, points)
            counts["places"] += count
            counts["tried"] += bool(count)
            if told:
                wrong.append((own["id"], step["id"], told[:600]))
            elif not count:
                nowhere.append((own["id"], step["id"], step["rule"]["rule"]))
    return counts, wrong, nowhere


def checked(key: str, every: int, share: float, record_property: Recorded) -> None:
    counts, wrong, nowhere = false_lines(recorded(key)[::every])
    record_property("table", f"lines of {key} at points: {', '.join(f'{n} {kind}' for kind, n in counts.items())}")
    assert not wrong
    assert counts["tried"] >= share * counts["lines"], Counter(rule for _, _, rule in nowhere)
    assert counts["places"] >= 2 * counts["tried"]


@pytest.mark.parametrize("key", KEYS)
def test_lines_of_some_recorded_theorems_are_true_at_points(key: str, record_property: Recorded) -> None:
    checked(key, EVERY, OF_SOME, record_property)


@pytest.mark.deep
@pytest.mark.parametrize("key", KEYS)
def test_every_line_of_every_recorded_theorem_is_true_at_points(key: str, record_property: Recorded) -> None:
    checked(key, 1, SHARE.get(key, OTHERS), record_property)


def test_equalities_with_one_added_are_found_false() -> None:
    """The negative control: a wrong line of a recorded theorem is seen wherever the right one was tried."""
    found, tried_lines = 0, 0
    for own in recorded("delta_sgd")[::EVERY]:
        points = points_of(own)
        for step in own["steps"]:
            claim = step["claim"]
            if step["refuted"] or claim["op"] != "==" or many(claim["left"]) or many(claim["right"]):
                continue
            more = {**step, "claim": {**claim, "right": ["+", claim["right"], "1"]}}
            tried_lines += bool(places(own, step, points)[0])
            found += bool(places(own, more, points)[1])
    assert tried_lines > 10
    assert found >= 0.9 * tried_lines
