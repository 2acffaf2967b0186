"""Cases that a good case leads to: the same in a longer run, or with its clients and coordinates arranged otherwise."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from random import Random
from typing import Any

from fltheory.case import Case, OfClients
from fltheory.parts import parts, rebuilt
from fltheory.search.neighbours import Path, leaves, rounded, with_leaves

LARGEST = 300  # numbers in a case that is made larger
ROUNDS = ("n_rounds", "repeat", "rounds")
STEP, GEOMETRIC = 0.25, 0.4  # how often a count grows by one alone; how often a number is raised to a power
SMALLEST = 1e-290
POWERS = (-1.0, -0.5, 0.5, 1.0)  # of the factor by which a run is made longer, that another number takes


def longer(case: Case, random: Random) -> Case | None:
    """The case with a count (the rounds first) some times as large, and some of its other numbers scaled by a power of that.

    A worst case over R rounds mostly goes on to one over more when its scales follow: a continuation in R, K or M.
    """
    numbers = leaves(case)
    counts = [p for p, v in numbers.items() if isinstance(v, int) and v > 0 and _is_count(p)]
    if not counts:
        return None
    rounds = [p for p in counts if p[-1] in ROUNDS]
    at = random.choice(rounds if rounds and random.random() < 0.7 else counts)
    old = int(numbers[at])
    new = old + 1 if random.random() < STEP else old * random.choice((2, 2, 3, 4, 10))
    changes: dict[Path, Any] = {at: new}
    others = [p for p, v in numbers.items() if v and not isinstance(v, bool) and not _is_count(p)]
    for path in random.sample(others, min(len(others), random.choice((0, 1, 1, 2)))):
        changes[path] = _followed(float(numbers[path]), new / old, random)
    return with_leaves(case, changes)


def scaled(case: Case, path: Path, factor: float) -> Case | None:
    """The case with one number times a factor, to six digits."""
    return with_leaves(case, {path: rounded(float(leaves(case)[path]) * factor, 6)})


def continued(case: Case, random: Random) -> tuple[Case, Path] | None:
    """A longer case, and the place of the number that has to follow, whose scale is to be looked for."""
    numbers = leaves(case)
    rounds = [p for p, v in numbers.items() if isinstance(v, int) and v > 0 and _is_count(p)]
    others = [p for p, v in numbers.items() if v and not _is_count(p)]
    if not rounds or not others:
        return None
    named = [p for p in rounds if p[-1] in ROUNDS]
    at = random.choice(named or rounds)
    far = [
        1 + abs(math.log(abs(float(numbers[p])) or 1)) for p in others
    ]  # what is far from 1 is a product over rounds
    (path,) = random.choices(others, far)
    old = int(numbers[at])
    new = random.choice((old + 1, old + 1 + old // 4, 2 * old, 4 * old))
    value = float(numbers[path])
    if random.random() < GEOMETRIC and SMALLEST < abs(value) ** (new / old) < 1 / SMALLEST:
        value = math.copysign(abs(value) ** (new / old), value)
    made = with_leaves(case, {at: new, path: rounded(value, 6)})
    return None if made is None else (made, path)


def _followed(value: float, factor: float, random: Random) -> Fraction:
    """A number that goes with a count some times as large: by a power of that, or raised to it, as what grows with every round."""
    if random.random() < GEOMETRIC and SMALLEST < abs(value) ** factor < 1 / SMALLEST:
        return rounded(math.copysign(abs(value) ** factor, value), 4)
    return rounded(value * factor ** random.choice(POWERS), 4)


def _is_count(path: Path) -> bool:
    """Whether a number counts something, by its name."""
    names = [str(part) for part in path if isinstance(part, str)]
    return bool(names) and (names[-1].startswith("n_") or names[-1] in ("repeat", "rounds", "counts"))


def rearranged(case: Case, random: Random) -> Case | None:
    """The case with a client twice, a client less, a row of numbers with other signs, or on another scale of time."""
    kind = random.choice(("twice", "less", "signs", "scale"))
    if kind in ("twice", "less"):
        return _other_clients(case, random, kind == "twice")
    numbers = leaves(case)
    rows = sorted({p[:-1] for p in numbers if p[0] == "instance" and len(p) > 2}, key=repr)
    if not rows:
        return None
    row = random.choice(rows)
    factor = Fraction(-1) if kind == "signs" else random.choice((Fraction(1, 10), Fraction(10)))
    return with_leaves(case, {p: v * factor for p, v in numbers.items() if p[:-1] == row})


def _other_clients(case: Case, random: Random, twice: bool) -> Case | None:
    """One client more or less in every table that has a row for each."""
    instance = case.instance
    n = instance.n_clients if isinstance(instance, OfClients) else 0
    tables = {name: value for name, value in parts(instance).items() if isinstance(value, tuple) and len(value) == n}
    if not tables or n < (1 if twice else 2) or (twice and len(leaves(case)) * (n + 1) > LARGEST * n):
        return None
    k = random.randrange(n)
    again = 1 if twice else 0
    changed = {name: (*value[:k], *[value[k]] * (2 * again), *value[k + 1 :]) for name, value in tables.items()}
    with suppress(ValueError, TypeError, ZeroDivisionError, IndexError):
        made = Case(rebuilt(instance, **changed), **dict(case.settings))
        _ = made.constants
        return made
    return None
