"""Points at which hypotheses hold: definitions are inserted as they are asked for, the rest is solved for one letter, or tried."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from flint import arb, fmpq

from tests.kernel.values import FALSE, OPEN, TRUE, exactly, gap, holds, integers, near, number, places
from tests.kernel.worlds import FUNCTION, VECTORS, WORK, Spent, Undecided, Unfit, World, of_sort, sort_of

ROUNDS, TRIES, BEYOND = (
    4,
    8,
    2,
)  # lines are looked at where ranges without end were looked at, and not at their last places
OTHERS = [fmpq(a) for a in (0, 1, 2, -1, 10, 100, 5)] + [fmpq(1, 2), fmpq(1, 10), fmpq(1, 1000)]


def drawn(terms: Any) -> bool:
    """Whether a permutation stands in it."""
    if isinstance(terms, dict):
        return any(map(drawn, terms.values()))
    return isinstance(terms, list) and (terms[:1] == ["draw"] or any(map(drawn, terms)))


def random_inside(value: Any) -> bool:
    """Whether something depends on chance, under an expectation or not."""
    if isinstance(value, dict):
        return any(map(random_inside, value.values()))
    own = isinstance(value, list) and value[:1] == ["family"] and str(value[1]).startswith("Random")
    return own or (isinstance(value, list) and any(map(random_inside, value)))


def world_of(theorem: Any, seed: object, wild: bool) -> World:
    """A point for a theorem, with its definitions and classes; its hypotheses may fail."""
    world = World(seed, wild, 2 + (str(seed)[-3:].count("1") > 0) if drawn(theorem) else 0, random_inside(theorem))
    defined, members = {}, {}
    for h in theorem["hypotheses"]:
        if h["kind"] == "defines":
            left = h["left"]
            if left[0] == "symbol":
                head = tuple(left)
            elif left[0] == "family":
                head = (left[1], left[2], len(left) - 3)
            else:
                continue
            defined[head] = (left, h["right"])
        elif h["kind"] == "member":
            f = h["function"]
            members[("Fun", f[2], len(f) - 3)] = (f, h["smooth"], h["convex"])
    world.definitions, world.members = defined, members
    return world


def conditions(theorem: Any) -> list[Any]:
    """The lines that are supposed; what is only named by a definition has the sort that its name says."""
    return [h["relation"] for h in theorem["hypotheses"] if h["kind"] == "given"]


def grounds(theorem: Any, step: Any) -> list[Any]:
    """What a step rests on: the lines that it uses; of cases, an induction and a theorem applied the hypotheses behind these.

    Signs of letters stand with them, which show that nothing is divided by 0.
    """
    steps, given = {s["id"]: s for s in theorem["steps"]}, {h["id"]: h for h in theorem["hypotheses"]}
    waiting, seen, found = [*step["uses"], *step["by"]], set(), []
    deep = step["rule"]["rule"] in ("Cases", "Induction", "Apply")
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        if name in given:
            found += [given[name]["relation"]] if given[name]["kind"] == "given" else []
        elif deep:
            waiting += [*steps[name]["uses"], *steps[name]["by"]]
        else:
            found.append(steps[name]["claim"])
    signs = [
        h["relation"] for n, h in given.items() if n not in seen and h["kind"] == "given" and _plain(h["relation"])
    ]
    bare = [a for a in step["assuming"] if not a["over"]]
    return [*signs, *bare, *found]


def _plain(line: Any) -> bool:
    """Whether it speaks of letters alone."""
    return line["op"] != "==" and '"family"' not in json.dumps(line)


def point(theorem: Any, seed: object, wild: bool = False, lines: Sequence[Any] | None = None) -> World | None:
    """A point at which the hypotheses (or other lines) hold, if one is found."""
    world = world_of(theorem, seed, wild)
    lines = conditions(theorem) if lines is None else lines
    world.window += BEYOND
    with exactly():
        try:
            for _ in range(ROUNDS):
                frozen: set[Any] = set()
                wrong = False
                for own in lines:
                    world.touched = {}
                    wrong = not mended(own, world, frozen) or wrong
                    frozen |= set(world.touched)
                if not wrong and all(satisfied(own, world) for own in lines) and sorts_hold(world):
                    world.window -= BEYOND
                    return world
        except (Undecided, Unfit, Spent):
            return None
    return None


def satisfied(line: Any, world: World) -> bool:
    """Whether a line holds, for all of its indices and every outcome; irrational equalities hold within 10^-20."""
    for at, outcome in places(line, world):
        found = gap(line, world, at, outcome)
        told = holds(line["op"], found)
        if told == FALSE or (told == OPEN and not near(found)):
            return False
    return True


def sorts_hold(world: World) -> bool:
    """Whether what is defined has the sort of its name."""
    for head, (left, right) in world.definitions.items():
        sort = sort_of(head)
        if head[0] in VECTORS or sort == "real" or left[0] != "symbol":
            continue
        value = number(right, world, {}, 0)
        if isinstance(value, arb):
            if not (sort in ("nonnegative", "positive") and value > 0):
                return False
        elif not of_sort(value, sort):
            return False
    return True


def mended(line: Any, world: World, frozen: set[Any]) -> bool:
    """Whether the line holds everywhere, once one letter or more was changed for each place where it failed."""
    good = True
    for at, outcome in list(places(line, world)):
        if _fine(line, world, at, outcome):
            continue
        world_touched, world.touched = world.touched, {}
        _fine(line, world, at, outcome)
        own = world.touched
        world.touched = {**world_touched, **own}
        newest = sorted(own, key=lambda k: -world.born.get(k, 0))
        order = [*(k for k in newest if k not in frozen), *(k for k in newest if k in frozen)][:TRIES]
        good = any(_solved(line, world, at, outcome, key) for key in order) and good
    return good


def _fine(line: Any, world: World, at: Any, outcome: int) -> bool:
    found = gap(line, world, at, outcome)
    told = holds(line["op"], found)
    return told == TRUE or (told == OPEN and line["op"] != "<" and near(found))


def _solved(line: Any, world: World, at: Any, outcome: int, key: Any) -> bool:
    before = world.values[key]
    found = _vector_solved if key[0] in VECTORS else _number_solved
    for _ in found(line, world, at, outcome, key):
        try:
            if _fine(line, world, at, outcome):
                return True
        except (Undecided, Unfit):
            continue
    world.put(key, before)
    return False


def _number_solved(line: Any, world: World, at: Any, outcome: int, key: Any) -> Iterator[None]:
    """Each time it goes on, another value stands there: that which solves the line, then others."""
    sort = "real" if key[0] in FUNCTION else sort_of(key)
    slack = fmpq(0) if line["op"] == "==" else world.random.choice((fmpq(0), fmpq(1, 3), fmpq(2)))
    slack = fmpq(1, 3) if line["op"] == "<" else slack
    try:
        probes = []
        for probe in (1, 2, 3):
            world.put(key, fmpq(probe))
            probes.append(gap(line, world, at, outcome))
        values = _affine(probes, slack)
    except (Undecided, Unfit):
        values = []
    for value in values:
        for own in (value, fmpq(value.floor()), fmpq(value.ceil())) if isinstance(value, fmpq) else (value,):
            fits = of_sort(own, sort) if isinstance(own, fmpq) else sort == "real" or (sort != "integer" and own > 0)
            if fits:
                world.put(key, own)
                yield
    for value in OTHERS:
        if of_sort(value, sort):
            world.put(key, value)
            yield


def _affine(probes: Sequence[Any], slack: fmpq) -> list[Any]:
    """The arguments at which a function that goes through three points at 1, 2, 3 on a line is as large as wanted."""
    if isinstance(probes[0], tuple):
        return [v for own in zip(*probes, strict=True) for v in _affine(own, fmpq(0))]
    one, two, three = probes
    if not all(isinstance(p, fmpq) for p in probes):
        one, two, three = (arb(p) for p in probes)
        slope = two - one
        return [] if slope.contains(0) or not (three - two - slope).contains(0) else [1 + (arb(slack) - one) / slope]
    slope = two - one
    return [] if slope == 0 or three - two != slope else [1 + (slack - one) / slope]


def _vector_solved(line: Any, world: World, at: Any, outcome: int, key: Any) -> Iterator[None]:
    """Coordinate by coordinate; then the vector 0, and the other vectors."""
    before = world.values[key]
    solved = list(before)
    for j in range(world.dimension):
        probes = []
        try:
            for probe in (1, 2, 3):
                world.put(key, (*solved[:j], fmpq(probe), *solved[j + 1 :]))
                found = gap(line, world, at, outcome)
                probes.append(found[j] if isinstance(found, tuple) else found)
            values = _affine(probes, fmpq(0))
        except (Undecided, Unfit):
            values = []
        if values:
            solved[j] = values[0]
            world.put(key, tuple(solved))
            yield
    others = [v for k, v in world.values.items() if k[0] in ("Vector", "RandomVector") and k != key]
    for v in ((fmpq(0),) * world.dimension, *others[:4]):
        world.put(key, v)
        yield
    for c in (fmpq(1, 2), fmpq(1, 10), fmpq(1, 1000)):
        world.put(key, tuple(c * x for x in before))
        yield


# Lines at points ------------------------------------------------------------------------------------------------------


def _still(conditions: Sequence[Any], world: World) -> bool:
    """Whether the hypotheses hold farther out too, where a line may have asked for something."""
    world.window, world.work, before = world.window + 2 * BEYOND, WORK, world.window
    try:
        return all(satisfied(own, world) and _far_out(own, world) for own in conditions)
    except (Undecided, Unfit, Spent):
        return False
    finally:
        world.window = before


def _far_out(line: Any, world: World) -> bool:
    """Whether a line whose one range has no end holds far out too, where it speaks of nothing new there: 0 <= 1/m + r."""
    if len(line["over"]) != 1 or line["over"][0][2] != ["oo"]:
        return True
    index = line["over"][0][0]
    for far in (10**3, 10**9):
        before = len(world.values)
        fine = _fine(line, world, {(index[1], index[2]): fmpq(far)}, 0)
        if not fine and len(world.values) == before:
            return False
    return True


def tried(line: Any, assuming: Sequence[Any], world: World, conditions: Sequence[Any] = ()) -> tuple[int, str]:
    """How many places of a line were decided (or near) where its assumptions hold, and where it is false, if anywhere."""
    count, world.work = 0, WORK // 4
    with exactly(), suppress(Undecided, Unfit, Spent):
        for at, outcome in places(line, world):
            with suppress(Undecided, Unfit):
                if not all(_assumed(h, world, at, outcome) for h in assuming):
                    continue
                found = gap(line, world, at, outcome)
                told = holds(line["op"], found)
                if told == FALSE and _still(conditions, world):
                    return count, f"false at {dict(at)}, outcome {outcome}: 0 {line['op']} {found} where {world.values}"
                count += told == TRUE or near(found)
    return count, ""


def _assumed(line: Any, world: World, at: Any, outcome: int) -> bool:
    """Whether an assumption is seen to hold for these indices, at this outcome."""
    ranges = integers(line["over"], world, at, outcome)
    return all(holds(line["op"], gap(line, world, inner, outcome)) == TRUE for inner in ranges)
