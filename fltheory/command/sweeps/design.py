"""The points of a sweep: claim, variant, case, constants and seed; each has a key derived from all its inputs."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from random import Random

from sympy import Symbol

from fltheory.api.lookup import parse_constants, select
from fltheory.claims.claim import Claim
from fltheory.command.subprocess_runs import replaceable_claims
from fltheory.command.sweeps.provenance import case_digest, code_digest, sources_digest, statement_digest, versions
from fltheory.command.variant import unusable_message, with_variant
from fltheory.model.case import Case, Repeatable
from fltheory.model.errors import UserError
from fltheory.number import Number, exact, exact_text
from fltheory.number.parsing import clip_text
from fltheory.seeds import MAX_SEED, require_seed
from fltheory.symbols import VOCABULARY, in_domain, n_clients
from fltheory.verification import find
from fltheory.verification.settings import own_constants

SEEDS = "seeds"
RANGE_DIGITS = 4  # values in a range
MAX_POINTS = 10_000_000  # points
MAX_DIGITS = 1000  # digits of a count or a seed


@dataclass(frozen=True)
class Point:
    """One row of a sweep, as names and texts: small to send, and rebuilt in its process."""

    claim_id: str
    index: int  # index of the claim's case
    values: tuple[tuple[str, str], ...]
    seed: int
    variant: str | None = None
    code: str = ""  # digest of the variant's file
    stated: str = ""  # digest of the file that states the claim, unless it is the library's

    @cached_property
    def key(self) -> str:
        """Return a digest of all inputs of the row: point, case, sources of the library, versions of dependencies."""
        said = [self.claim_id, self.index, self.values, self.seed, self.variant and Path(self.variant).name, self.code]
        said += [self.stated, case_digest(self.claim_id, self.index, self.stated), sources_digest(), versions()]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]

    def case(self, claim: Claim) -> Case:
        """Return the claim's case at the point's constants; ValueError if there is none."""
        case = claim.cases[self.index]
        for name, value in self.values:
            case = set_constant(case, VOCABULARY[name].symbol, exact(value))
        return case


@dataclass(frozen=True)
class Design:
    """The points in order, the names that vary and those held fixed, and remarks on omitted points."""

    points: tuple[Point, ...]
    axes: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    held: tuple[str, ...] = ()

    @property
    def constants(self) -> tuple[str, ...]:
        """Return all constants of the points, as columns of a table."""
        return (*self.held, *self.axes)


def set_constant(case: Case, symbol: Symbol, value: Number) -> Case:
    """Return the case with only one constant changed; ValueError if it has none that can be."""
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
            f"n_clients = {exact_text(value)}: this instance has {exact_text(case.constants[n_clients])}, or a multiple"
        )
    free = sorted({*dict(case.settings), *own, *((n_clients.name,) if isinstance(case.instance, Repeatable) else ())})
    raise ValueError(f"{symbol.name} is no free constant of {clip_text(repr(case))}: these are {', '.join(free)}")


# Ranges -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """The values of one constant; for a range also how to sample it."""

    name: str
    values: tuple[Number, ...]
    draw: Callable[[Random], Number]


def parse_axis(claims: Sequence[Claim], name: str, given: object) -> Axis:
    """Parse ``name=given``: ``LOW:HIGH:COUNT`` (in equal ratios), ``LOW:HIGH`` (every integer), or values."""
    symbol = _symbol(claims, name)
    parts = [p.strip() for p in given.split(",")] if isinstance(given, str) else list(_split_values(given))
    if isinstance(given, str) and ":" in given:
        return _range(symbol, given)
    if not parts:
        raise UserError(f"{symbol.name}: no values; expected LOW:HIGH:COUNT, LOW:HIGH or a,b,c")
    values = tuple(_value(symbol, part) for part in parts)
    return Axis(symbol.name, values, lambda random: random.choice(values))


def _split_values(given: object) -> Iterator[object]:
    yield from given if isinstance(given, list | tuple | range) else (given,)


def _symbol(claims: Sequence[Claim], name: str) -> Symbol:
    (symbol,) = parse_constants([(name, 1)], [bound for claim in claims for bound in claim.bounds])
    return symbol


def _value(symbol: Symbol, given: object) -> Number:
    try:
        value = exact(given)
    except (ValueError, TypeError):
        raise UserError(f"{symbol.name}={given}: expected a number, LOW:HIGH:COUNT, LOW:HIGH or a,b,c") from None
    if not in_domain(symbol, value):
        raise UserError(f"{symbol.name}={given}: it is a {VOCABULARY[symbol.name].domain}")
    return value


def _range(symbol: Symbol, given: str) -> Axis:
    ends = given.split(":")
    low, high = (_end(symbol, given, end) for end in ends[:2])
    whole = "integer" in VOCABULARY[symbol.name].domain
    if len(ends) > 3 or not low < high:
        raise UserError(f"{symbol.name}={given}: expected LOW:HIGH:COUNT with LOW < HIGH")
    if len(ends) == 2:
        if not (whole and high - low < MAX_POINTS):
            raise UserError(f"{symbol.name}={given}: how many values? LOW:HIGH:COUNT; LOW:HIGH is for integers")
        every = tuple(range(int(low), int(high) + 1))
        return Axis(symbol.name, every, lambda random: random.choice(every))
    count = _count(f"{symbol.name}={given}", ends[2])
    _require_floats(f"{symbol.name}={given}", low, high)

    def at(part: float) -> Number:
        value = (
            float(low) * (float(high) / float(low)) ** part if low > 0 else float(low + (high - low) * Fraction(part))
        )
        near = Fraction(round(value)) if whole else Fraction(f"{value:.{RANGE_DIGITS}g}")
        within = low if part == 0 else high if part == 1 else min(max(near, low), high)
        return int(within) if whole else within

    grid = (at(i / (count - 1)) for i in range(count)) if count > 1 else (at(0.0),)
    return Axis(symbol.name, tuple(dict.fromkeys(grid)), lambda random: at(random.random()))


def _end(symbol: Symbol, given: str, end: str) -> Fraction:
    value = _value(symbol, end)
    if not isinstance(value, int | Fraction):
        raise UserError(f"{symbol.name}={given}: the ends of a range are rational, {end} is not")
    return Fraction(value)


def _require_floats(where: str, low: Fraction, high: Fraction) -> None:
    """Raise UserError if the values between can't be computed in floats."""
    try:
        fit = low <= 0 or (float(low) > 0 and math.isfinite(float(high) / float(low)))
        fit = fit and math.isfinite(float(high) - float(low))
    except OverflowError:
        fit = False
    if not fit:
        raise UserError(f"{where}: the ends, and their ratio, must lie between 1e-300 and 1e300; give values: a,b,c")


def _count(where: str, given: str) -> int:
    if not 0 < (count := _natural(given)) <= MAX_POINTS:
        raise UserError(f"{where}: {given!r} is no number of values")
    return count


def _natural(given: str) -> int:
    """Return the natural number of these digits; -1 for any other text."""
    return int(given) if given.isascii() and given.isdecimal() and len(given) <= MAX_DIGITS else -1


def parse_seeds(given: object) -> tuple[int, ...]:
    """Parse seeds: a number of them, from 0; or LOW:HIGH, or values."""
    said = [*map(str, _split_values(given))]
    if len(said) == 1 and _natural(said[0]) >= 0:
        return tuple(range(_count(SEEDS, said[0])))
    parts = [part.strip() for one in said for part in one.split(",")]
    ends = parts[0].split(":") if len(parts) == 1 else []
    found = [_natural(part) for part in (ends if len(ends) == 2 else parts)]
    if not found or min(found) < 0 or (len(ends) == 2 and found[0] > found[1]):
        raise UserError(f"seeds={given}: expected how many, LOW:HIGH, or a,b,c")
    if max(found) > MAX_SEED:
        raise UserError(f"seeds={given}: a seed is below 2**63")
    if len(ends) != 2:
        return tuple(found)
    if found[1] - found[0] >= MAX_POINTS:
        raise UserError(f"seeds={given}: more than {MAX_POINTS} seeds")
    return tuple(range(found[0], found[1] + 1))


# Designs ----------------------------------------------------------------------------------------------------------------


def make_design(
    selectors: Sequence[str],
    over: Mapping[str, object],
    fixed: Mapping[str, object],
    variants: Sequence[str],
    random: int | None,
    seed: int,
    every_case: bool,
) -> Design:
    """Return the design; UserError for an invalid argument."""
    _require_kinds(selectors, over, fixed, variants)
    _require_random_options(random, seed, every_case)
    claims = tuple(c for c in select(*selectors) if c.measure is not None and c.cases)
    if not claims:
        raise UserError(f"{' '.join(selectors)}: no claim with cases of its own")
    axes = [parse_axis(claims, name, given) for name, given in over.items() if name != SEEDS]
    held = [parse_axis(claims, name, given) for name, given in fixed.items()]
    if many := next((axis for axis in held if len(axis.values) > 1), None):
        raise UserError(f"{many.name} is held fixed: one value, or say it under --over")
    kept = {axis.name: axis.values[0] for axis in held}
    if twice := next((axis.name for axis in axes if axis.name in kept), None):
        raise UserError(f"{twice} is held fixed and swept: say which")
    values = _random_points(axes, random, seed) if random is not None else _grid(axes)
    seeds = parse_seeds(over.get(SEEDS, 1))
    indices = {claim.id: range(len(claim.cases)) if every_case else range(1) for claim in claims}
    stated = {claim.id: statement_digest(claim.id) for claim in claims}
    about, remarks = _claims_by_variant(claims, variants)
    points = dict.fromkeys(
        Point(claim.id, index, _values_as_texts({**kept, **at}), one, variant, code, stated[claim.id])
        for variant, code, chosen in about
        for claim in chosen
        for index in indices[claim.id]
        for at in values
        for one in seeds
    )
    if len(points) > MAX_POINTS:
        raise UserError(f"{len(points)} points: at most {MAX_POINTS}")
    asked = len(values) * len(seeds) * sum(len(indices[claim.id]) for _, _, chosen in about for claim in chosen)
    if few := asked - len(points):
        drawn = f"{few} of the {asked} points drawn were there already: the ranges have few values"
        remarks.append(f"{few} of the {asked} points are given twice" if random is None else drawn)
    return Design(tuple(points), tuple(axis.name for axis in axes), tuple(remarks), tuple(kept))


def _require_kinds(selectors: object, over: object, fixed: object, variants: object) -> None:
    """Raise UserError unless the arguments are texts, or tables of values."""
    for name, given, such in (("selectors", selectors, "sfl/T3-GC@printed"), ("variants", variants, "mine.py:step")):
        if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
            raise UserError(f"{name} = {given!r}: expected a list of texts, such as [{such!r}]")
    for name, given in (("over", over), ("fixed", fixed)):
        if not isinstance(given, Mapping) or not all(isinstance(one, str) for one in given):
            raise UserError(f"{name} = {given!r}: expected values by name, such as {{'n_rounds': '1e2:1e6:13'}}")


def _require_random_options(random: object, seed: object, every_case: object) -> None:
    """Raise UserError for an invalid number of points or seed, or for a seed without random points."""
    if random is not None and not (type(random) is int and 0 < random <= MAX_POINTS):
        raise UserError(f"random = {random!r}: expected how many points are drawn, an integer from 1 to {MAX_POINTS}")
    try:
        require_seed(seed)
    except ValueError as error:
        raise UserError(str(error)) from None
    if random is None and seed != 0:
        raise UserError(
            f"seed = {seed}: it is that of random points; which seeds the rows have is said by {SEEDS} = ..."
        )
    if type(every_case) is not bool:
        raise UserError(f"every_case = {every_case!r}: expected true or false")


def _values_as_texts(values: Mapping[str, Number]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(exact_text(value))) for name, value in values.items())


def _claims_by_variant(
    claims: tuple[Claim, ...], variants: Sequence[str]
) -> tuple[list[tuple[str | None, str, tuple[Claim, ...]]], list[str]]:
    """Return each variant with its code and the claims that it fits, and the others; UserError if not loadable."""
    if not variants:
        return [(None, "", claims)], []
    found: list[tuple[str | None, str, tuple[Claim, ...]]] = []
    remarks = []
    for variant in dict.fromkeys(variants):
        code = code_digest(variant)
        chosen = replaceable_claims(claims, variant)
        found.append((variant, code, chosen))
        remarks += [unusable_message(claims, chosen)] if len(chosen) < len(claims) else []
    return found, remarks


def _grid(axes: Sequence[Axis]) -> list[dict[str, Number]]:
    if math.prod(len(axis.values) for axis in axes) > MAX_POINTS:
        raise UserError(f"a grid of more than {MAX_POINTS} points: take fewer values, or --random")
    names = [axis.name for axis in axes]
    return [dict(zip(names, at, strict=True)) for at in itertools.product(*(axis.values for axis in axes))]


def _random_points(axes: Sequence[Axis], count: int, seed: int) -> list[dict[str, Number]]:
    random = Random(seed)
    return [{axis.name: axis.draw(random) for axis in axes} for _ in range(count)]


def claim_at(point: Point) -> Claim:
    """Return the point's claim, with its variant."""
    if point.variant is None:
        return find(point.claim_id)
    return with_variant(find(point.claim_id), point.variant)
