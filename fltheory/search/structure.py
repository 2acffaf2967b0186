"""Cases that a good case leads to: the same in a longer run, or with its clients and coordinates arranged otherwise."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from random import Random
from typing import Any

from fltheory.case import Case, OfClients
from fltheory.parts import parts, rebuilt
from fltheory.search.neighbours import Path, leaves, rounded, with_leaves

LARGEST = 300  # numbers in a case that is made larger
POWERS = (-1.0, -0.5, 0.5, 1.0)  # of the factor by which a run is made longer, that another number takes


def longer(case: Case, random: Random) -> Case | None:
    """The case with a count (the rounds first) some times as large, and some of its other numbers scaled by a power of that.

    A worst case over R rounds mostly goes on to one over more when its scales follow: a continuation in R, K or M.
    """
    numbers = leaves(case)
    counts = [p for p, v in numbers.items() if isinstance(v, int) and v > 0 and _is_count(p)]
    if not counts:
        return None
    rounds = [p for p in counts if p[-1] in ("n_rounds", "repeat", "rounds")]
    at = random.choice(rounds if rounds and random.random() < 0.7 else counts)
    factor = random.choice((2, 2, 3, 4, 10))
    changes: dict[Path, Any] = {at: numbers[at] * factor}
    others = [p for p, v in numbers.items() if p != at and v and not isinstance(v, bool)]
    for path in random.sample(others, min(len(others), random.choice((0, 1, 1, 2)))):
        moved = float(numbers[path]) * factor ** random.choice(POWERS)
        if not isinstance(numbers[path], int) or not _is_count(path):
            changes[path] = rounded(moved, 4)
    return with_leaves(case, changes)


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
