"""``python -m benchmarks.families [KEY or ID...]``: true claims that are refuted where their family does not look.

A family may suppose what its claim does not say, and then the search never sees it. Here cases are made without the family:
records are drawn from the domains of their fields alone, numbers are replaced by small ones, and fields and settings by those that
other claims have of the same kind of instance. Nothing depends on a clock: the same claims give the same cases anywhere.
"""

from __future__ import annotations

import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from fltheory.claims.case_search import search_cases
from fltheory.claims.catalogue import KEYS, catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import reproducer_line
from fltheory.model.case import Case
from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.model.schema import Record, fields_of
from fltheory.search.neighbours import leaves, with_leaves

EACH = 40  # cases of every kind
BASES = 12  # drawn from the family, to start from
LONGEST = 2000  # local steps of all clients in all rounds, beyond those of the case that one starts from
NUMBERS = (
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    10,
    12,
    -1,
    -2,
    *(Fraction(1, n) for n in (2, 3, 10, 100)),
    Fraction(9, 10),
    Fraction(3, 2),
)
COUNTS = ("n_rounds", "n_local_steps", "n_clients", "n_participating", "n_sampled", "repeat", "rounds")


def drawn(family: Any, size: int) -> list[Case]:
    """The first cases of a strategy, the same at every call."""
    found: list[Case] = []
    search_cases(family, 0, size, found.append)
    return found


def bases(claim: Claim) -> list[Case]:
    """Cases that the claim is about: its own, and some of its family."""
    return [*claim.cases, *(drawn(claim.family(), BASES) if claim.family else ())]


@cache
def known() -> dict[type, dict[str, list[Any]]]:
    """What the catalogue's cases have in every field and setting, by the kind of their instance."""
    found: dict[type, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for claim in catalogue():
        for case in claim.cases:
            for name, value in (*field_values(case.instance).items(), *case.settings):
                values = found[type(case.instance)][name]
                if value not in values:
                    values.append(value)
    return found


def records(kind: type[Record], base: Case, random: Random) -> Iterator[Case | None]:
    """Records from the domains of their fields alone; what is undeclared is the base's, and some fields may be."""
    own = field_values(base.instance)
    undeclared = {name: own[name] for name, f in fields_of(kind).items() if "declared" not in f.metadata}
    try:
        free = [case.instance for case in drawn(kind.drawn(**undeclared)(), 3)]
    except Exception:  # a record that can't be drawn so is left to the other two
        return
    for instance in free:
        yield _made(instance, base)
        if own:
            name = random.choice(list(own))
            yield _changed(base, {name: field_values(instance)[name]})


def smaller(base: Case, random: Random) -> Case | None:
    """The base with one or two of its numbers, or all of one field, replaced by small ones."""
    numbers = leaves(base)
    if not numbers:
        return None
    path = random.choice(list(numbers))
    chosen = [p for p in numbers if p[:2] == path[:2]] if random.random() < 0.3 else [path]
    if random.random() < 0.4:
        chosen.append(random.choice(list(numbers)))
    return with_leaves(base, {p: _like(numbers[p], random.choice(NUMBERS)) for p in chosen})


def mixed(base: Case, random: Random) -> Case | None:
    """The base with one field or setting that another case of the catalogue has."""
    values = known()[type(base.instance)]
    if not values:
        return None
    name = random.choice(sorted(values))
    value = random.choice(values[name])
    if name in field_values(base.instance):
        return _changed(base, {name: value})
    try:
        return base.with_settings(**{name: value})
    except ValueError:
        return None


def _like(old: Any, new: Any) -> Any:
    return max(int(new), 0) if isinstance(old, int) and not isinstance(new, int) else new


def _made(instance: Any, base: Case) -> Case | None:
    try:
        return Case(instance, **dict(base.settings))
    except (ValueError, TypeError):
        return None


def _changed(base: Case, changes: dict[str, Any]) -> Case | None:
    try:
        return _made(replace_fields(base.instance, **changes), base)
    except (ValueError, TypeError, ArithmeticError):
        return None


def length(case: Case) -> int:
    """How many steps a case may take, as far as its constants tell."""
    steps = 1
    for symbol, value in case.constants.items():
        if symbol.name in COUNTS and isinstance(value, int):
            steps *= max(value, 1)
    return steps


def cases(claim: Claim) -> Iterator[Case]:
    """Cases made without the family's restrictions, no longer than those that they come from."""
    random, start = Random(zlib.crc32(claim.id.encode())), bases(claim)
    seen = set[str]()
    for turn in range(EACH):
        base = start[turn % len(start)]
        kind = type(base.instance)
        free = records(kind, base, random) if issubclass(kind, Record) and turn % 6 == 0 else ()
        for case in (*free, smaller(base, random), mixed(base, random)):
            if case is None:
                continue
            try:
                short = length(case) <= max(LONGEST, length(base))
            except (ValueError, ArithmeticError, KeyError):
                continue
            if short and repr(case) not in seen:
                seen.add(repr(case))
                yield case


def refuted(claim: Claim) -> tuple[str, str] | None:
    """The first case found that violates a claim recorded as true, as a line of Python; or why its check broke."""
    for case in cases(claim):
        try:
            verdict = check_claim(claim, case, stages=())
        except Exception as error:  # what breaks a check is listed as well
            return f"{type(error).__name__}: {error}", reproducer_line(f'"{claim.id}"', case)
        if verdict.status == "violated":
            return f"violated, ratio {verdict.ratio} ({verdict.evidence})", reproducer_line(f'"{claim.id}"', case)
    return None


def true_claims(asked: Sequence[str]) -> list[Claim]:
    """Claims recorded as true that are decided on cases: of papers by their keys, or by their ids; all for none."""
    keys = tuple(a for a in asked if a in KEYS) or (() if asked else KEYS)
    found = [c for c in catalogue() if c.paper in keys or c.id in asked]
    return [c for c in found if c.entry.recorded != "violated" and c.measure is not None and c.cases]


def main(asked: Sequence[str]) -> int:
    """List them; exit status 1 where there are any."""
    found = 0
    for claim in true_claims(asked):
        if (why := refuted(claim)) is not None:
            found += 1
            print(f"{claim.id}: {why[0]}\n  {why[1]}", flush=True)
    print(f"{found} claims")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
