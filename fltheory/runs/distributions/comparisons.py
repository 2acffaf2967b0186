"""Proofs that a comparison of affine forms has the same result at every reachable state, so that a step is affine.

Each comparison of a step is answered as at the first state without noise, and logged. Then balls enclose the states of
every round for all noise and all orders of clients. While all logged answers hold there, the step is the affine map
that was found, and its image contains the next states. So every answer is proved.
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
)  # bits of the balls: base, extra per round (balls of momentum grow in each), largest
MAX_CHECKS = 400_000  # largest number of comparisons in all rounds
WIDENING = arb(0, 1.5)  # size of a candidate invariant set of states, in radii of the reached states
Name = tuple[tuple[str, str], ...]
Terms = Mapping[Any, Any]  # coefficients of a form by key: 0 the constant, 1..d the state's coordinates, others noise


class TooManyComparisons(Exception):
    """There are more comparisons than ``MAX_CHECKS``."""


class SignedForm(NamedTuple):
    """A form with its sign on all reachable states; 0 if the first state does not decide it."""

    terms: Terms
    sign: int


@dataclass
class ComparisonLog:
    """The answers to the comparisons of one round: from ``tried``, or else from the state with zero noise."""

    state: Sequence[Any]
    tried: Mapping[Name, int] = field(default_factory=dict)
    forms_by_name: dict[Name, SignedForm] = field(default_factory=dict)

    def sign(self, terms: Terms) -> int:
        """Return and log the sign of a form."""
        value = sum((v * (1 if k == 0 else self.state[k - 1]) for k, v in terms.items() if isinstance(k, int)), fmpq(0))
        found = int(value > 0) - int(value < 0)
        if all(v == 0 for k, v in terms.items() if k != 0):
            if isinstance(value, arb) and not found and not value.is_zero():
                raise Undecided("compares numbers that are too close to decide")
            return found
        name, turned = form_name(terms)
        if name in self.tried:
            return turned * self.tried[name]
        self.forms_by_name[name] = SignedForm(terms, found)
        return found


def form_name(terms: Terms) -> tuple[Name, int]:
    """Return a name that a form shares with its negative, and 1 or -1 to tell them apart."""
    own = tuple(sorted((str(k), str(v)) for k, v in terms.items() if v != 0))
    other = tuple(sorted((str(k), str(-v)) for k, v in terms.items() if v != 0))
    return (own, 1) if own <= other else (other, -1)


class RoundMap(NamedTuple):
    """One round: the forms of the new state for every outcome, and the logged comparisons."""

    courses: Sequence[Sequence[Terms]]
    sides: tuple[SignedForm, ...]

    @property
    def size(self) -> int:
        """The number of coefficients of a round."""
        forms = [form for forms in self.courses for form in forms]
        return sum(map(len, forms)) + sum(len(side.terms) for side in self.sides)


def noise_draw_bound(instance: FederatedInstance) -> Fraction | None:
    """Return a bound on the single factor of the noise in standard deviations, or None if none is known."""
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
    """Return a comparison whose result may change in some round of a run from ``start``, or None.

    ``maps`` holds one map if all rounds are the same. TooManyComparisons if there are more than ``MAX_CHECKS``.
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
    """Return whether a set around the reached states is invariant and every comparison has the logged result on it."""
    wide = [v.mid() + WIDENING * v.rad() + arb(0, 2.0**-100) for v in seen]
    return _all_signs_hold(one.sides, wide, noise) and all(
        w.contains(v) for w, v in zip(wide, _image(one, wide, noise), strict=True)
    )


def _all_signs_hold(sides: Iterable[SignedForm], box: Sequence[arb], noise: arb) -> bool:
    return all(_sign_holds(s, box, noise) for s in sides)


def _sign_holds(side: SignedForm, box: Sequence[arb], noise: arb) -> bool:
    return bool(_form_range(side.terms, box, noise) * side.sign > 0)


def _form_range(terms: Terms, box: Sequence[arb], noise: arb) -> arb:
    """Enclose the values of a form on a box of states."""
    found = arb(0)
    for key, factor in terms.items():
        found += arb(factor) * (1 if key == 0 else box[key - 1] if isinstance(key, int) else noise)
    return found


def _image(one: RoundMap, box: Sequence[arb], noise: arb) -> list[arb]:
    """Enclose the image of a box under a round, over all outcomes."""
    ends = [[_form_range(form, box, noise) for form in forms] for forms in one.courses]
    found = ends[0]
    for other in ends[1:]:
        found = [a.union(b) for a, b in zip(found, other, strict=True)]
    return found


def _reachable_boxes(maps: Sequence[RoundMap], start: Sequence[Any], noise: arb) -> Iterator[list[arb]]:
    """Yield boxes that contain the states at the start of every round."""
    box = [arb(v) for v in start]
    r = 0
    while True:
        yield box
        box = _image(maps[min(r, len(maps) - 1)], box, noise)
        r += 1


def _single_path_boxes(one: RoundMap, start: Sequence[Any], noise: arb) -> Iterator[list[arb]]:
    """Yield such boxes for a single outcome: propagate the mean and each round's noise exactly, without wrapping."""
    (forms,) = one.courses
    mean, quiet = [arb(v) for v in start], arb(0)
    keys = {k for form in forms for k in form if not isinstance(k, int)}
    waves = [[arb(form.get(k, 0)) for form in forms] for k in keys]  # effect of one round's noise
    width = [arb(0) for _ in forms]
    linear = [{k: v for k, v in form.items() if isinstance(k, int) and k > 0} for form in forms]
    while True:
        yield [m + arb(0, w.upper()) if w > 0 else m for m, w in zip(mean, width, strict=True)]
        mean = [_form_range({k: v for k, v in form.items() if isinstance(k, int)}, mean, quiet) for form in forms]
        reach = abs(noise).upper()
        width = [w + reach * sum((abs(wave[i]) for wave in waves), arb(0)) for i, w in enumerate(width)]
        waves = [[_form_range(form, wave, quiet) for form in linear] for wave in waves]


def signs_hold_at(sides: Iterable[SignedForm], state: Sequence[float], draw: Fraction) -> bool:
    """Return whether every comparison has the logged result at a state for all noise."""
    with ctx.workprec(PRECISION):
        noise = arb(0, to_ball(draw)) if draw else arb(0)
        return all(map(math.isfinite, state)) and _all_signs_hold(sides, [arb(float(v)) for v in state], noise)
