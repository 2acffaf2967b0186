"""Comparisons of affine forms that come out alike at every state and noise that a run can reach, so that a step stays affine.

A step is followed on the side where its first state is, without noise; each comparison is noted. Then balls enclose the states
of every round, whatever the noise and the order of clients: while all that was noted holds there, the step is the affine map that
was found, and the next round's states lie in its image. So each comparison is decided, not supposed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from fltheory.model.case import FederatedInstance
from fltheory.number import RATIONAL, as_number, to_ball
from fltheory.number.elements import Undecided
from fltheory.runs.protocols import FiniteNoise, LargestDraw, OneFactor, has_capability
from fltheory.work import EXACT_NUMBERS_PER_UNIT, spend

PRECISION, MAX_PER_ROUND, MAX_COMPARISONS = (
    256,
    4,
    16_384,
)  # bits of the balls, more for every round, at most: balls of momentum grow in each
MAX_CHECKS = 400_000  # comparisons of all rounds at most
WIDENING = arb(0, 1.5)  # a set of states that is looked at for one that no round leaves, in radii of what was reached
Name = tuple[tuple[str, str], ...]
Terms = Mapping[Any, Any]  # of a form: 0 of the constant, 1..d of the state's coordinates, else of noise


class TooManyComparisons(Exception):
    """More comparisons than are looked at."""


class SignedForm(NamedTuple):
    """A form that is positive, or negative, wherever a run gets; 0 where the first state leaves it open."""

    terms: Terms
    sign: int


@dataclass
class ComparisonLog:
    """What comparisons of one round were answered: those that are open as ``tried``, others as the state says, with noise of 0."""

    state: Sequence[Any]
    tried: Mapping[Name, int] = field(default_factory=dict)
    forms_by_name: dict[Name, SignedForm] = field(default_factory=dict)

    def sign(self, terms: Terms) -> int:
        """The sign of a form there, noted."""
        value = sum((v * (1 if k == 0 else self.state[k - 1]) for k, v in terms.items() if isinstance(k, int)), fmpq(0))
        found = int(value > 0) - int(value < 0)
        if all(v == 0 for k, v in terms.items() if k != 0):
            if isinstance(value, arb) and not found and not value.is_zero():
                raise Undecided("compares numbers that are too close to tell")
            return found
        name, turned = form_name(terms)
        if name in self.tried:
            return turned * self.tried[name]
        self.forms_by_name[name] = SignedForm(terms, found)
        return found


def form_name(terms: Terms) -> tuple[Name, int]:
    """What a form and its negative are known by, and which of them it is: 1 or -1."""
    own = tuple(sorted((str(k), str(v)) for k, v in terms.items() if v != 0))
    other = tuple(sorted((str(k), str(-v)) for k, v in terms.items() if v != 0))
    return (own, 1) if own <= other else (other, -1)


class RoundMap(NamedTuple):
    """One round: the forms of the new state for every course, and what was noted."""

    courses: Sequence[Sequence[Terms]]
    sides: tuple[SignedForm, ...]

    @property
    def size(self) -> int:
        """How many numbers a round has."""
        forms = [form for forms in self.courses for form in forms]
        return sum(map(len, forms)) + sum(len(side.terms) for side in self.sides)


def noise_draw_bound(instance: FederatedInstance) -> Fraction | None:
    """How large the one factor of the noise is at most, in standard deviations; None where that is not known."""
    if not instance.draws:
        return Fraction(0)
    if not has_capability(instance, OneFactor):
        return None
    if has_capability(instance, LargestDraw) and type(instance).__module__.startswith("fltheory."):
        return instance.largest_draw
    spread = instance.noise_std
    if not has_capability(instance, FiniteNoise) or not instance.n_noise_values:
        return None
    largest = Fraction(0)
    for row in instance.noise_support(RATIONAL):
        for value, std in zip(row, spread, strict=True):
            size = abs(Fraction(as_number(value)))
            if size and not std:
                return None
            largest = max(largest, size / Fraction(std) if std else largest)
    return largest


def first_open_comparison(
    maps: Sequence[RoundMap], start: Sequence[Any], rounds: int, draw: Fraction
) -> SignedForm | None:
    """A comparison that may come out otherwise in some round of a run from ``start``; one map where rounds are alike.

    TooMany where there are more of them than are looked at.
    """
    if not any(one.sides for one in maps):
        return None
    with ctx.workprec(min(MAX_COMPARISONS, PRECISION + MAX_PER_ROUND * rounds)):
        noise = arb(0, to_ball(draw)) if draw else arb(0)
        alike = len(maps) == 1
        boxes = (
            _single_path_boxes(maps[0], start, noise)
            if alike and len(maps[0].courses) == 1
            else _reachable_boxes(maps, start, noise)
        )
        seen: list[arb] | None = None
        for r in range(rounds):
            one = maps[0] if alike else maps[r]
            spend(one.size / EXACT_NUMBERS_PER_UNIT)
            box = next(boxes)
            if (r + 1) * len(one.sides) > MAX_CHECKS:
                raise TooManyComparisons
            if (side := next((s for s in one.sides if not _sign_holds(s, box, noise)), None)) is not None:
                return side
            seen = box if seen is None else [a.union(b) for a, b in zip(seen, box, strict=True)]
            if alike and r & (r + 1) == 0 and _is_invariant_set(one, seen, noise):
                return None
    return None


def _is_invariant_set(one: RoundMap, seen: Sequence[arb], noise: arb) -> bool:
    """Whether a set around what was reached is left by no round, and every comparison comes out as noted on it."""
    wide = [v.mid() + WIDENING * v.rad() + arb(0, 2.0**-100) for v in seen]
    return _all_signs_hold(one.sides, wide, noise) and all(
        w.contains(v) for w, v in zip(wide, _image(one, wide, noise), strict=True)
    )


def _all_signs_hold(sides: Iterable[SignedForm], box: Sequence[arb], noise: arb) -> bool:
    return all(_sign_holds(s, box, noise) for s in sides)


def _sign_holds(side: SignedForm, box: Sequence[arb], noise: arb) -> bool:
    return bool(_form_range(side.terms, box, noise) * side.sign > 0)


def _form_range(terms: Terms, box: Sequence[arb], noise: arb) -> arb:
    """What a form may be for a state of a box."""
    found = arb(0)
    for key, factor in terms.items():
        found += arb(factor) * (1 if key == 0 else box[key - 1] if isinstance(key, int) else noise)
    return found


def _image(one: RoundMap, box: Sequence[arb], noise: arb) -> list[arb]:
    """Where a round leads from a box, over all courses."""
    ends = [[_form_range(form, box, noise) for form in forms] for forms in one.courses]
    found = ends[0]
    for other in ends[1:]:
        found = [a.union(b) for a, b in zip(found, other, strict=True)]
    return found


def _reachable_boxes(maps: Sequence[RoundMap], start: Sequence[Any], noise: arb) -> Iterator[list[arb]]:
    """Boxes that hold the states at the start of every round."""
    box = [arb(v) for v in start]
    r = 0
    while True:
        yield box
        box = _image(maps[min(r, len(maps) - 1)], box, noise)
        r += 1


def _single_path_boxes(one: RoundMap, start: Sequence[Any], noise: arb) -> Iterator[list[arb]]:
    """The same of a single course: a mean, and what the noise of each round has become by then, which no box is wrapped around."""
    (forms,) = one.courses
    mean, quiet = [arb(v) for v in start], arb(0)
    keys = {k for form in forms for k in form if not isinstance(k, int)}
    waves = [[arb(form.get(k, 0)) for form in forms] for k in keys]  # of one round's noise
    width = [arb(0) for _ in forms]
    linear = [{k: v for k, v in form.items() if isinstance(k, int) and k > 0} for form in forms]
    while True:
        yield [m + arb(0, w.upper()) if w > 0 else m for m, w in zip(mean, width, strict=True)]
        mean = [_form_range({k: v for k, v in form.items() if isinstance(k, int)}, mean, quiet) for form in forms]
        reach = abs(noise).upper()
        width = [w + reach * sum((abs(wave[i]) for wave in waves), arb(0)) for i, w in enumerate(width)]
        waves = [[_form_range(form, wave, quiet) for form in linear] for wave in waves]


def signs_hold_at(sides: Iterable[SignedForm], state: Sequence[float], draw: Fraction) -> bool:
    """Whether every comparison comes out as noted at a state, whatever the noise."""
    with ctx.workprec(PRECISION):
        noise = arb(0, to_ball(draw)) if draw else arb(0)
        return all(map(math.isfinite, state)) and _all_signs_hold(sides, [arb(float(v)) for v in state], noise)
