"""The points of a sweep: which claim, variant, case, constants and seed; each has a key that says all that its row rests on."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from random import Random

from sympy import Symbol

import fltheory
from fltheory.case import Case, Repeatable
from fltheory.claim import Claim
from fltheory.command.apart import fitting
from fltheory.command.variant import left_out, with_variant
from fltheory.known import find
from fltheory.number import Number, exact, text
from fltheory.number.numeral import clipped
from fltheory.papers.brought import source_of
from fltheory.pictures.reach import own_constants
from fltheory.questions.lookup import Mistake, numbers, select
from fltheory.seeds import MAX_SEED
from fltheory.symbols import VOCABULARY, in_domain, n_clients

SEEDS = "seeds"
DIGITS = 4  # of a value in a range
MOST = 10_000_000  # points


@dataclass(frozen=True)
class Point:
    """One row of a sweep, by names and texts alone: small to send, and rebuilt where it is done."""

    claim_id: str
    index: int  # of the claim's cases
    values: tuple[tuple[str, str], ...]
    seed: int
    variant: str | None = None
    code: str = ""  # a digest of the variant's file
    stated: str = ""  # a digest of the file that states the claim, where it is not the library's

    @cached_property
    def key(self) -> str:
        """A digest of all that the row rests on: this point, and the sources of the library."""
        said = [self.claim_id, self.index, self.values, self.seed, self.variant and Path(self.variant).name, self.code]
        said.append(self.stated)
        return hashlib.sha256(json.dumps([*said, sources()]).encode()).hexdigest()[:32]

    def case(self, claim: Claim) -> Case:
        """The claim's case at the point's constants; ValueError where there is none."""
        case = claim.cases[self.index]
        for name, value in self.values:
            case = changed(case, VOCABULARY[name].symbol, exact(value))
        return case


@dataclass(frozen=True)
class Design:
    """The points in their order, the names that differ among them, and remarks on what the design does not have."""

    points: tuple[Point, ...]
    axes: tuple[str, ...]
    remarks: tuple[str, ...] = ()


@cache
def sources() -> str:
    """A digest of every source and recorded file of the library, wherever it lies, and of its version."""
    found = hashlib.sha256(fltheory.__version__.encode())
    root = Path(fltheory.__file__).parent
    for path in sorted(p for kind in ("*.py", "*.json") for p in root.rglob(kind)):
        found.update(path.relative_to(root).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def changed(case: Case, symbol: Symbol, value: Number) -> Case:
    """The case with one constant changed and no other; ValueError where it has none that can be."""
    if symbol.name in dict(case.settings):
        return case.with_settings(**{symbol.name: value})
    own = own_constants(case.instance)
    if symbol.name in own:
        return Case(own[symbol.name](value), **dict(case.settings))
    if symbol == n_clients and isinstance(case.instance, Repeatable):
        times = Fraction(value) / Fraction(case.constants[n_clients])
        if times.denominator == 1 and times > 0:
            return Case(case.instance.repeated(int(times)), **dict(case.settings))
        raise ValueError(
            f"n_clients = {text(value)}: this instance has {text(case.constants[n_clients])}, or a multiple"
        )
    free = sorted({*dict(case.settings), *own, *((n_clients.name,) if isinstance(case.instance, Repeatable) else ())})
    raise ValueError(f"{symbol.name} is no free constant of {clipped(repr(case))}: these are {', '.join(free)}")


# Ranges -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """The values of one constant; of a range also how to draw one."""

    name: str
    values: tuple[Number, ...]
    draw: Callable[[Random], Number]


def axis_of(claims: Sequence[Claim], name: str, given: object) -> Axis:
    """The axis that ``name=given`` tells: ``LOW:HIGH:COUNT`` (in equal ratios), ``LOW:HIGH`` (every integer), or values."""
    symbol = _symbol(claims, name)
    parts = [p.strip() for p in given.split(",")] if isinstance(given, str) else list(_listed(given))
    if isinstance(given, str) and ":" in given:
        return _range(symbol, given)
    values = tuple(_value(symbol, part) for part in parts)
    return Axis(symbol.name, values, lambda random: random.choice(values))


def _listed(given: object) -> Iterator[object]:
    yield from given if isinstance(given, list | tuple | range) else (given,)


def _symbol(claims: Sequence[Claim], name: str) -> Symbol:
    (symbol,) = numbers([(name, 1)], [bound for claim in claims for bound in claim.bounds])
    return symbol


def _value(symbol: Symbol, given: object) -> Number:
    try:
        value = exact(given)
    except (ValueError, TypeError):
        raise Mistake(f"{symbol.name}={given}: expected a number, LOW:HIGH:COUNT, LOW:HIGH or a,b,c") from None
    if not in_domain(symbol, value):
        raise Mistake(f"{symbol.name}={given}: it is a {VOCABULARY[symbol.name].domain}")
    return value


def _range(symbol: Symbol, given: str) -> Axis:
    ends = given.split(":")
    low, high = (Fraction(_value(symbol, end)) for end in ends[:2])
    whole = "integer" in VOCABULARY[symbol.name].domain
    if len(ends) > 3 or not low < high:
        raise Mistake(f"{symbol.name}={given}: expected LOW:HIGH:COUNT with LOW < HIGH")
    if len(ends) == 2:
        if not (whole and high - low < MOST):
            raise Mistake(f"{symbol.name}={given}: how many values? LOW:HIGH:COUNT; LOW:HIGH is for integers")
        every = tuple(range(int(low), int(high) + 1))
        return Axis(symbol.name, every, lambda random: random.choice(every))
    count = _count(f"{symbol.name}={given}", ends[2])

    def at(part: float) -> Number:
        value = (
            float(low) * (float(high) / float(low)) ** part if low > 0 else float(low + (high - low) * Fraction(part))
        )
        near = Fraction(round(value)) if whole else Fraction(f"{value:.{DIGITS}g}")
        within = low if part == 0 else high if part == 1 else min(max(near, low), high)
        return int(within) if whole else within

    grid = (at(i / (count - 1)) for i in range(count)) if count > 1 else (at(0.0),)
    return Axis(symbol.name, tuple(dict.fromkeys(grid)), lambda random: at(random.random()))


def _count(where: str, given: str) -> int:
    if not given.isdigit() or not 0 < int(given) <= MOST:
        raise Mistake(f"{where}: {given!r} is no number of values")
    return int(given)


def seeds_of(given: object) -> tuple[int, ...]:
    """Seeds: how many, from 0; or LOW:HIGH, or values."""
    said = [*map(str, _listed(given))]
    if len(said) == 1 and said[0].isdigit():
        return tuple(range(_count(SEEDS, said[0])))
    if len(said) == 1 and ":" in said[0]:
        low, _, high = said[0].partition(":")
        if not (low.isdigit() and high.isdigit()):
            said = ["?"]
        elif int(high) - int(low) >= MOST:
            raise Mistake(f"seeds={given}: more than {MOST} seeds")
        else:
            said = [*map(str, range(int(low), int(high) + 1))]
    found = [part for one in said for part in one.split(",")]
    if not found or not all(part.strip().isdigit() for part in found):
        raise Mistake(f"seeds={given}: expected how many, LOW:HIGH, or a,b,c")
    if any(int(part) > MAX_SEED for part in found):
        raise Mistake(f"seeds={given}: a seed is below 2**63")
    return tuple(map(int, found))


# Designs ----------------------------------------------------------------------------------------------------------------


def designed(
    selectors: Sequence[str],
    over: Mapping[str, object],
    fixed: Mapping[str, object],
    variants: Sequence[str],
    random: int | None,
    seed: int,
    every_case: bool,
) -> Design:
    """The design; Mistake where something in it means nothing."""
    claims = tuple(c for c in select(*selectors) if c.measure is not None and c.cases)
    if not claims:
        raise Mistake(f"{' '.join(selectors)}: no claim with cases of its own")
    axes = [axis_of(claims, name, given) for name, given in over.items() if name != SEEDS]
    held = [axis_of(claims, name, given) for name, given in fixed.items()]
    if many := next((axis for axis in held if len(axis.values) > 1), None):
        raise Mistake(f"{many.name} is held fixed: one value, or say it under --over")
    kept = {axis.name: axis.values[0] for axis in held}
    if twice := next((axis.name for axis in axes if axis.name in kept), None):
        raise Mistake(f"{twice} is held fixed and swept: say which")
    values = _drawn(axes, random, seed) if random is not None else _grid(axes)
    seeds = seeds_of(over.get(SEEDS, 1))
    indices = {claim.id: range(len(claim.cases)) if every_case else range(1) for claim in claims}
    stated = {claim.id: stated_by(claim.id) for claim in claims}
    about, remarks = _about(claims, variants)
    points = dict.fromkeys(
        Point(claim.id, index, _texts({**kept, **at}), one, variant, code, stated[claim.id])
        for variant, code, chosen in about
        for claim in chosen
        for index in indices[claim.id]
        for at in values
        for one in seeds
    )
    if len(points) > MOST:
        raise Mistake(f"{len(points)} points: at most {MOST}")
    asked = len(values) * len(seeds) * sum(len(indices[claim.id]) for _, _, chosen in about for claim in chosen)
    if len(points) < asked:
        remarks.append(
            f"{asked - len(points)} of the {asked} points drawn were there already: the ranges have few values"
        )
    return Design(tuple(points), tuple(axis.name for axis in axes), tuple(remarks))


def _texts(values: Mapping[str, Number]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(text(value))) for name, value in values.items())


def _about(
    claims: tuple[Claim, ...], variants: Sequence[str]
) -> tuple[list[tuple[str | None, str, tuple[Claim, ...]]], list[str]]:
    """Each variant with its code and the claims about such a step, and which are left out; Mistake where it can't be loaded."""
    if not variants:
        return [(None, "", claims)], []
    found: list[tuple[str | None, str, tuple[Claim, ...]]] = []
    remarks = []
    for variant in dict.fromkeys(variants):
        code = code_of(variant)
        chosen = fitting(claims, variant)
        found.append((variant, code, chosen))
        remarks += [left_out(claims, chosen)] if len(chosen) < len(claims) else []
    return found, remarks


def _grid(axes: Sequence[Axis]) -> list[dict[str, Number]]:
    if math.prod(len(axis.values) for axis in axes) > MOST:
        raise Mistake(f"a grid of more than {MOST} points: take fewer values, or --random")
    names = [axis.name for axis in axes]
    return [dict(zip(names, at, strict=True)) for at in itertools.product(*(axis.values for axis in axes))]


def _drawn(axes: Sequence[Axis], count: int, seed: int) -> list[dict[str, Number]]:
    if not 0 < count <= MOST:
        raise Mistake(f"--random {count}: expected a number of points")
    random = Random(seed)
    return [{axis.name: axis.draw(random) for axis in axes} for _ in range(count)]


def code_of(variant: str) -> str:
    """A digest of a variant's file, not of what it imports; Mistake where it can't be read."""
    file, _, _ = variant.rpartition(":")
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError as error:
        raise Mistake(f"{variant}: can't read {file or variant}: {error.strerror}; expected FILE.py:NAME") from None


_source = cache(source_of)


def stated_by(claim_id: str) -> str:
    """A digest of the file that states a claim, not of what it imports; empty for the library's own."""
    file = _source(claim_id.partition("/")[0])
    return "" if file is None else hashlib.sha256(file.read_bytes()).hexdigest()


def claim_at(point: Point) -> Claim:
    """The point's claim, with its variant."""
    if point.variant is None:
        return find(point.claim_id)
    return with_variant(find(point.claim_id), point.variant)
