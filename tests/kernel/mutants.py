"""Theorems with something changed, as random inputs of every rule: what is still confirmed must be true at points."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from flint import fmpq

from tests.kernel.points import conditions, point, satisfied, tried, world_of
from tests.kernel.values import FALSE, OPEN, exactly, gap, holds, number
from tests.kernel.worlds import Spent, Undecided, Unfit, World, of_sort
from tests.kernel.written import LETTERS, told

POINTS = 4
NUMBERS = ["0", "1", "-1", "2", "1/2", "-2", "3"]
WORDS = [
    ("max", "min"),
    ("exp", "log"),
    ("abs", "floor"),
    ("abs", "indicator"),
    ("log", "floor"),
    ("sin", "cos"),
    ("mean", "abs"),
]
KINDS = [
    ("Scalar", "Nonnegative"),
    ("Nonnegative", "Positive"),
    ("Scalar", "RandomScalar"),
    ("RandomScalar", "RandomNonnegative"),
    ("Vector", "RandomVector"),
    ("RandomScalar", "RandomInteger"),
]
OPS = ("<=", "<", "==")


def nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything in a theorem that may be changed, and where it stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if (
                key in ("statement", "hypotheses")
                or key not in ("id", "kind", "claim", "rule")
                or isinstance(inner, dict)
            ):
                yield from nodes(inner, (*path, key))
    elif isinstance(value, list):
        yield path, value
        for place, inner in enumerate(value):
            yield from nodes(inner, (*path, place))
    elif isinstance(value, str):
        yield path, value


def is_term(value: Any) -> bool:
    """Whether it looks like one."""
    if isinstance(value, str):
        return value.lstrip("-").replace("/", "").isdecimal()
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], str)
        and len(value) > 1
        and value[0].isalpha() | (value[0] in "+*^")
    )


def changed(value: Any, r: Random) -> Any:
    """Another thing of its kind."""
    if isinstance(value, str):
        if value in OPS:
            return r.choice(OPS)
        return r.choice(NUMBERS) if is_term(value) else value
    if value and value[0] == "symbol":
        return r.choice([*LETTERS.values(), ["+", value, "1"], ["+", value, "-1"], ["*", "-1", value]])
    for one, two in WORDS:
        if value[:1] in ([one], [two]):
            return [two if value[0] == one else one, *value[1:]]
    if value[:1] == ["family"]:
        for one, two in r.sample(KINDS, len(KINDS)):
            if value[1] in (one, two):
                return ["family", two if value[1] == one else one, *value[2:]]
    if value[:1] == ["^"]:
        return ["^", value[1], r.choice([*NUMBERS, "-1/2", LETTERS["k"], LETTERS["m"], LETTERS["x"]])]
    if value[:1] in (["+"], ["*"]) and len(value) > 2:
        return r.choice([value[1], [*value[:-1], changed(value[-1], r)], ["^", value, "-1"]])
    if value[:1] == ["sum"]:
        return [*value[:3], *(r.choice([e, ["+", e, "1"], ["+", e, "-1"], LETTERS["k"]]) for e in value[3:])]
    return value


def replaced(value: Any, old: Any, new: Any) -> Any:
    """With ``new`` for ``old`` everywhere."""
    if value == old:
        return copy.deepcopy(new)
    if isinstance(value, dict):
        return {
            key: inner if key in ("id", "kind", "name") else replaced(inner, old, new) for key, inner in value.items()
        }
    return [replaced(inner, old, new) for inner in value] if isinstance(value, list) else value


def mutant(theorem: Any, r: Random) -> Any:
    """The theorem with one term changed, everywhere or in one place, or with a use less."""
    own = json.loads(json.dumps(theorem))
    for _ in range(r.choice((1, 1, 1, 2))):
        able = [(path, value) for path, value in nodes(own) if is_term(value) or value in OPS]
        path, value = r.choice(able)
        new = changed(value, r)
        turn = r.random()
        if turn < 0.55 and value not in OPS and not isinstance(value, str):
            own = replaced(own, value, new)
        elif turn < 0.95:
            place = own
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = new
        else:
            step = r.choice(own["steps"])
            some = r.choice(("uses", "by"))
            step[some] = step[some][:-1]
    if r.random() < 0.8:
        own["statement"] = copy.deepcopy(own["steps"][-1]["claim"])
    return own


def _witness(theorem: Any) -> str:
    """Where a refutation is none."""
    rule = theorem["steps"][-1]["rule"]
    world = world_of(theorem, "witness", False)
    for letter, value in rule["at"]:
        own = number(value, world, {}, 0)
        if not isinstance(own, fmpq):
            raise Undecided("a witness at an irrational number")
        if not of_sort(own, letter[2]):
            return f"{letter} = {own}"
        world.put(tuple(letter), own)
    if not all(satisfied(h, world) for h in conditions(theorem)):
        return "a hypothesis fails there"
    said, indices = theorem["statement"], [i for i, _, _ in theorem["statement"]["over"]]
    at = {(i[1], i[2]): world.value(tuple(i)) for i in indices}
    told = holds(said["op"], gap(said, world, at, 0))
    if told == OPEN:
        raise Undecided("a witness that no ball decides")
    return "" if told == FALSE else "it is not false there"


def false_somewhere(theorem: Any, seed: object) -> tuple[int, str]:
    """At how many places the statement was tried, and where it is false though it is confirmed."""
    count = 0
    if theorem["refuted"]:
        try:
            with exactly():
                return 1, _witness(theorem)
        except (Undecided, Unfit, Spent):
            return 0, ""
    for turn in range(POINTS):
        world: World | None = point(theorem, (seed, turn), turn % 2 == 1)
        if world is None:
            continue
        more, wrong = tried(theorem["statement"], [], world, conditions(theorem))
        count += more
        if wrong:
            return count, wrong
    return count, ""


Seeds = Sequence[tuple[str, tuple[Any, ...]]]  # the rule, and theorems of which the last is changed


def of_rules(
    seeds: Seeds, seed: object, count: int, first: bool = False
) -> tuple[Counter[str], list[tuple[str, Any, str]]]:
    """By rule how many changed theorems were confirmed and tried, and those that are false."""
    r, counts, wrong = Random(str(seed)), Counter[str](), list[tuple[str, Any, str]]()
    for turn in range(count):
        if first and wrong:
            break
        rule, theorems = seeds[turn % len(seeds)]
        own = mutant(theorems[-1], r)
        if own == theorems[-1]:
            continue
        counts["changed"] += 1
        if told(*theorems[:-1], own).outcome != "confirmed":
            continue
        counts[rule] += 1
        places, said = false_somewhere(own, (seed, turn))
        counts[f"{rule}: at points"] += bool(places)
        if said:
            wrong.append((rule, own, said))
    return counts, wrong
