"""Bounds at given constants: a safely rounded number, an enclosure, and a short exact value if there is one."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from flint import arb
from sympy import Expr, Symbol

from fltheory.api.lookup import claim_of, complete_values, id_of, parse_constants, resolve
from fltheory.api.vacuity import NontrivialRange, nontrivial_range, trivial_bound, vacuity_text
from fltheory.claims import cache
from fltheory.claims.catalogue import KEYS, catalogue
from fltheory.claims.claim import Claim, bounds_with_tuning
from fltheory.claims.ids import paper_of
from fltheory.model import html_cards
from fltheory.model.bound import PLAIN_SIGNS, Bound, BoundError
from fltheory.model.errors import UserError
from fltheory.number import NotRational, Number
from fltheory.number.rational import length
from fltheory.verification import find

MAX_DECIMALS = 15  # digits after the point of a displayed exact decimal
MAX_EXACT_BITS = 100  # bits, about 30 digits, of the numerator and the denominator of a displayed exact value


@dataclass(frozen=True)
class BoundAt:
    """A bound at some constants: its value lies in [low, high] and in the ball; ``exact`` if it is a short rational."""

    bound: Bound
    measured: str  # the bounded quantity, in words
    low: float
    high: float
    ball: arb = field(compare=False)  # two balls are equal only if both are points
    exact: Fraction | None = None
    vacuous: str = ""  # a remark that it is above the trivial bound

    def __float__(self) -> float:
        return self.low if self.bound.side == "lower" else self.high

    def __repr__(self) -> str:
        return f"<BoundAt {float(self)}: {self._meaning()}>"

    def __str__(self) -> str:
        lines = [
            f"{float(self)}" if self.exact is None else decimal_text(self.exact, float(self)),
            f"  {self._meaning()}",
        ]
        if self.exact is None:
            lines.append(f"  enclosure [{self.low!r}, {self.high!r}], as a ball {self.ball.str(20)}")
        else:
            lines.append(f"  exactly {self.exact}")
        return "\n".join([*lines, f"  {self.vacuous}"] if self.vacuous else lines)

    def _repr_html_(self) -> str:
        rows = [
            ("value", html_cards.escape_text(float(self))),
            ("enclosure", html_cards.escape_text([self.low, self.high])),
            ("exactly", "" if self.exact is None else html_cards.escape_text(self.exact)),
            ("beside what is known", html_cards.escape_text(self.vacuous) if self.vacuous else ""),
        ]
        return html_cards.card(self._meaning(), rows)

    def _meaning(self) -> str:
        source = self.bound.source
        return f"{source.paper}, {source.place}: {self.measured} {PLAIN_SIGNS[self.bound.side]} this"


def decimal_text(value: Fraction, rounded: float) -> str:
    """Return a rational as a decimal, 0.143 for 143/1000, if few digits after the point suffice, else the rounded float."""
    scaled = value * 10**MAX_DECIMALS
    if scaled.denominator != 1 or abs(value) >= 10**MAX_DECIMALS:
        return f"{rounded}"
    return f"{Decimal(int(scaled)).scaleb(-MAX_DECIMALS).normalize():f}"


@dataclass(frozen=True)
class ClaimBounds:
    """The bounded quantity of a claim, in words, and its bounds at constants of the user's choice."""

    measured: str
    bounds: tuple[Bound, ...]
    trivial: Expr | None = None  # the trivial bound

    def at(self, values: Mapping[Symbol, Number]) -> tuple[BoundAt, ...]:
        """Return each bound at constants by symbol; UserError if one is missing or a condition fails."""
        return tuple(_evaluate(b, complete_values(b, values), self.measured, self.trivial) for b in self.bounds)

    def nontrivial_ranges(self, name: str, values: Mapping[Symbol, Number]) -> tuple[NontrivialRange, ...]:
        """Return where along the constant of this name each bound is nontrivial."""
        symbol = resolve(name, self.bounds)
        if symbol in values:
            raise UserError(f"--nontrivial {name}: it is looked for, and must not be set")
        return tuple(nontrivial_range(bound, self.trivial, symbol, values) for bound in self.bounds)


def claim_bounds(claim: Claim) -> ClaimBounds:
    """Return what a claim bounds."""
    return ClaimBounds(
        claim.measure.name if claim.measure else "the bounded quantity",
        bounds_with_tuning(claim),
        trivial_bound(claim.measure),
    )


def claim_bounds_by_id(claim_id: str) -> ClaimBounds:
    """Return the bounds of the claim with this id; cached for the library's papers, as loading one takes a second."""
    name = id_of(claim_id)
    key = paper_of(name)
    if key not in KEYS:
        return claim_bounds(claim_of(name))
    body = cache.read(f"{key}-bounds")
    if body is None:
        body = pickle.dumps({claim.id: pickle.dumps(claim_bounds(claim)) for claim in catalogue((key,))})
        cache.write(f"{key}-bounds", body)
    found: ClaimBounds = pickle.loads(pickle.loads(body)[name])  # one alone: building formulas takes longest
    return found


def bounds_at(
    claim: Claim | str, constants: Mapping[str, object] | None = None, /, **named: object
) -> tuple[BoundAt, ...]:
    """Return each bound of a claim at constants, by name or the paper's symbol: ``bounds_at(id, M=4, eta="1/60")``.

    Numbers are read exactly. ``float`` of a result is rounded to the safe side: up for an upper bound, else down.
    ValueError names a constant that is missing, unknown or out of its domain, or the condition that fails.
    """
    asked = claim_bounds(find(claim) if isinstance(claim, str) else claim)
    return asked.at(parse_constants([*(constants or {}).items(), *named.items()], asked.bounds))


def _evaluate(bound: Bound, values: Mapping[Symbol, Number], measured: str, trivial: Expr | None) -> BoundAt:
    try:
        low, high = bound.enclosure(values)
        ball = bound.ball(values)
        found = BoundAt(bound, measured, low, high, ball, vacuous=vacuity_text(bound, trivial, ball, values))
    except BoundError as error:
        raise UserError(str(error)) from None
    try:
        value = bound.exact(values)
    except (NotRational, ZeroDivisionError):
        return found
    return replace(found, exact=value) if length(value) <= MAX_EXACT_BITS else found
