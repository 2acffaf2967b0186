"""The exact distribution of a user's step on quadratic clients, from symbolic execution on affine forms.

The unknowns of the forms are the state and the noise. Gradient steps and linear operations map forms to forms. Anything
else (a product of two forms, a comparison without a fixed result, see ``sides``) is rejected, and the caller falls
back to enumeration or simulation. So the distribution is proved, not assumed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from fltheory.model.case import Case, Client, FederatedInstance
from fltheory.number import BALL, RATIONAL, Ring, as_number, exact
from fltheory.number.elements import Ball, Element, NotExact, missing_attribute, read_rational, run_exact_step
from fltheory.number.impurity import Impure
from fltheory.number.ownership import definition_location, is_library
from fltheory.number.signals import place_of
from fltheory.runs.algorithm import Algorithm, start_state
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.comparisons import (
    ComparisonLog,
    Name,
    RoundMap,
    SignedForm,
    TooManyComparisons,
    first_open_comparison,
    form_name,
    noise_draw_bound,
)
from fltheory.runs.distributions.moments import Block
from fltheory.runs.distributions.randomness import ScriptedChance, enumerate_outcomes
from fltheory.runs.distributions.sample_paths import AskingOracle
from fltheory.runs.method import NotEnumerable, not_exact
from fltheory.runs.protocols import client_noise_factors

CONSTANT = 0  # the key of the constant part; coordinates have keys 1..d, noise variables (client, k, i)
MAX_OUTCOMES = 720  # largest number of sample paths of a round
FORMS = 100_000  # largest number of forms in all rounds of a run whose rounds differ
COMPARISON_REASON = "compares numbers"
MAX_OPEN_COMPARISONS = 4  # largest number of undecided comparisons whose result makes no difference


class NotAffine(NotExact):
    """The result of an operation is not an affine form."""


class Form:
    """A linear combination of 1, the coordinates of the state at the start of the round, and noise variables.

    Comparisons need ``sides``, a log of the comparisons on which the result rests.
    """

    __slots__ = ("ring", "sides", "terms")

    def __init__(self, terms: Mapping[Any, Any], ring: Ring, sides: ComparisonLog | None = None) -> None:
        self.terms, self.ring, self.sides = dict(terms), ring, sides

    def _with(self, terms: Mapping[Any, Any]) -> Form:
        return Form(terms, self.ring, self.sides)

    def __getattr__(self, name: str) -> Any:
        raise missing_attribute(name)

    def _scalar(self, other: object) -> Any:
        if isinstance(other, Form):
            if set(other.terms) <= {CONSTANT}:
                return other.terms.get(CONSTANT, self.ring.scalar(0))
            raise NotAffine("multiplies values that depend on the state")
        if isinstance(other, Element):
            other = other.value
        if type(other) is type(self.ring.scalar(0)):
            return other
        known = Ball(arb(0))._read(other) if self.ring is BALL else read_rational(other)
        if known is None:
            return self.ring.scalar(exact(other))
        return self.ring.scalar(as_number(known))

    def __add__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Form):
            other = Form({CONSTANT: self._scalar(other)}, self.ring)
        terms = dict(self.terms)
        for key, value in other.terms.items():
            terms[key] = terms[key] + value if key in terms else value
        return Form(terms, self.ring, self.sides or other.sides)

    def __mul__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Form) and set(self.terms) <= {CONSTANT} and not set(other.terms) <= {CONSTANT}:
            return other * self
        factor = self._scalar(other)
        return self._with({k: v * factor for k, v in self.terms.items()})

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        factor = self._scalar(other)
        return self._with({k: v / factor for k, v in self.terms.items()})

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Form:
        return self * -1

    def __rtruediv__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if set(self.terms) <= {CONSTANT}:
            return self._with({CONSTANT: self._scalar(other)}) / self
        raise NotAffine("divides by a value that depends on the state")

    def __sub__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + (-other if isinstance(other, Form) else -1 * self._scalar(other))

    def __rsub__(self, other: object) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else -self + other

    def __pow__(self, other: object) -> Form:
        if other == 1:
            return self
        raise NotAffine("takes a power")

    def _sign_against(self, other: object) -> int:
        """Return the assumed sign of self - other on all reachable states, and log it in ``sides``."""
        if self.sides is None:
            raise NotAffine(COMPARISON_REASON)
        if isinstance(other, float | np.floating) and math.isinf(other):
            return -1 if other > 0 else 1
        return self.sides.sign((self - other).terms)

    def _folded(self) -> Any:
        raise NotAffine("takes an absolute value")

    def _rounded(self) -> Any:
        raise NotAffine("converts an exact number to a float")

    def __lt__(self, other: object) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign_against(other) < 0

    def __le__(self, other: object) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign_against(other) <= 0

    def __gt__(self, other: object) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign_against(other) > 0

    def __ge__(self, other: object) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign_against(other) >= 0

    def __eq__(self, other: object) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign_against(other) == 0

    def __ne__(self, other: object) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self._sign_against(other) != 0

    def __bool__(self) -> bool:
        return self._sign_against(0) != 0

    __hash__ = None  # type: ignore[assignment]
    __abs__, __float__, __int__, __floor__, __ceil__ = _folded, _rounded, _rounded, _rounded, _rounded


def fixed_chances(found: np.ndarray) -> np.ndarray:
    """Return probabilities as numbers; NotAffine if one depends on the state."""
    if not any(isinstance(v, Form) for v in found.flat):
        return found
    numbers = np.empty(found.shape, dtype=object)
    for place, value in np.ndenumerate(found):
        if isinstance(value, Form) and any(c != 0 for key, c in value.terms.items() if key != CONSTANT):
            raise NotAffine("draws with a probability that depends on the state")
        numbers[place] = value.terms.get(CONSTANT, 0) if isinstance(value, Form) else value
    return numbers


class AffineOracle(AskingOracle):
    """An oracle that enumerates orders and coins; noise is symbolic, a variable for every (client, k) and vector."""

    def __init__(self, algorithm: Algorithm, case: Case[FederatedInstance], chance: ScriptedChance, ring: Ring) -> None:
        super().__init__(algorithm, case, chance, ring)
        self._of = ring

    def _chances(self, values: ArrayLike) -> np.ndarray:
        return fixed_chances(super()._chances(values))

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        gradient = self.instance.gradient(x, client)
        if self.instance.draws == 0:
            return gradient
        clients = np.broadcast_to(np.asarray(client), (len(x),))
        noise = np.empty(x.shape, dtype=object)
        for row, m in enumerate(clients):
            factors = client_noise_factors(self.instance, int(m))
            if factors is None:
                raise NotAffine
            for i in range(x.shape[1]):
                terms = {(int(m), k, j): self._of.scalar(factor[i]) for j, factor in enumerate(factors)}
                noise[row, i] = Form(terms, self._of)
        return gradient + noise


class AffineFailure(NamedTuple):
    """The reason why a step is not affine, such as "clip at mine.py:12 compares numbers"."""

    why: str


class ComparisonPolicy(NamedTuple):
    """How to answer comparisons of forms: the largest draw of the noise, and the results of undecided comparisons."""

    draw: Fraction
    tried: Mapping[Name, int]


class RoundOutcome(NamedTuple):
    """One outcome of a round: the answers to its random questions, and its probability."""

    answers: tuple[int, ...]
    weight: Any


class Affine(NamedTuple):
    """One round of a step as an affine map for every outcome: forms (outcomes, width).

    ``of_round``: whether the step read the round, so that other rounds may differ; ``used_chance``: whether it drew coins.
    ``sides``: the comparisons, each with the same result on all reachable states; ``draw`` bounds the noise.
    """

    courses: list[RoundOutcome]
    forms: np.ndarray
    of_round: bool
    used_chance: bool
    ring: Ring
    sides: tuple[SignedForm, ...] = ()
    draw: Fraction = Fraction(0)


def affine_round(
    algorithm: Algorithm, case: Case[FederatedInstance], round_: int, ring: Ring, noting: ComparisonPolicy | None = None
) -> Affine | AffineFailure:
    """Run one round of a step on affine forms, if it is affine in the state and the noise.

    Rationals, if they can represent the constants, decide all comparisons of constants; balls may leave them open.
    With ``noting`` the other comparisons are answered and logged too: the caller must prove these answers.
    """
    try:
        start = start_state(algorithm, case, 1, ring)[0]
        c = run_constants(case, ring).in_round(round_)
        state = [ring.scalar(as_number(v)) for v in start]

        def formed(
            rows: np.ndarray, chance: ScriptedChance
        ) -> tuple[np.ndarray | None, ScriptedChance, ComparisonLog | None]:
            sides = None if noting is None else ComparisonLog(state, noting.tried)
            return _round_forms(algorithm, case, c, chance, len(start), ring, sides), chance, sides

        found = enumerate_outcomes(formed, 1, ring, MAX_OUTCOMES)
    except (MemoryError, Impure):
        raise
    except Exception as error:  # a genuine mistake in the step appears when it runs on floats
        return AffineFailure(reason_of(algorithm, error))
    if found is None:
        return AffineFailure(f"{definition_location(algorithm.step)} has more than {MAX_OUTCOMES} outcomes of a round")
    _, (forms, chance, sides), weights = found
    if forms is None:
        return AffineFailure(f"{definition_location(algorithm.step)} returns numbers that don't come from its state")
    courses = [
        RoundOutcome(answers, w) for answers, w in zip(answers_by_run(chance.heard, len(forms)), weights, strict=True)
    ]
    noted = () if sides is None else tuple(sides.forms_by_name.values())
    return Affine(courses, forms, c.uses_round, chance.used_chance, ring, noted, noting.draw if noting else Fraction(0))


def answers_by_run(heard: list[np.ndarray], runs: int) -> list[tuple[int, ...]]:
    """Return the answers that every run received, in the order of its questions."""
    columns = [part.reshape(runs, -1).astype(np.int64) for part in heard]
    rows = np.concatenate([np.empty((runs, 0), dtype=np.int64), *columns], axis=1)
    return [tuple(row) for row in rows.tolist()]


def _round_forms(
    algorithm: Algorithm,
    case: Case,
    c: Constants,
    chance: ScriptedChance,
    width: int,
    ring: Ring,
    sides: ComparisonLog | None,
) -> np.ndarray | None:
    """Return the forms after a round for every outcome, (outcomes, width)."""
    x = np.empty((chance.rows, width), dtype=object)
    for row in range(chance.rows):
        for i in range(width):
            x[row, i] = Form({i + 1: ring.scalar(1)}, ring, sides)
    oracle = AffineOracle(algorithm, case, chance, ring)
    step = algorithm.step
    new = step(x, oracle, c) if is_library(step) else run_exact_step(step, x, oracle, c)
    if type(new) is not np.ndarray or new.shape != x.shape:
        return None
    forms = np.empty(new.shape, dtype=object)
    forms.reshape(-1)[:] = [_as_form(v, ring) for v in new.flat]
    return None if any(v is None for v in forms.flat) else forms


def _as_form(value: object, ring: Ring) -> Form | None:
    """Return a value as a form; a number becomes a constant form."""
    if isinstance(value, Form):
        return value
    if type(value) is type(ring.scalar(0)):
        return Form({CONSTANT: value}, ring)
    known = Ball(arb(0))._read(value) if ring is BALL else read_rational(value)
    return None if known is None else Form({CONSTANT: ring.scalar(as_number(known))}, ring)


def reason_of(algorithm: Algorithm, error: Exception) -> str:
    """Return why a step cannot run on exact numbers, with the line of the user's file."""
    name = definition_location(algorithm.step)
    said = str(error if isinstance(error, NotEnumerable) else not_exact(error, name))
    return said if not isinstance(error, NotEnumerable) or place_of(error) else f"{name}: {said}"


def affine_rounds(algorithm: Algorithm, case: Case[FederatedInstance]) -> tuple[Affine, ...] | AffineFailure:
    """Return the rounds of a run on affine forms, or a single one if all are the same.

    Coefficients are rationals, or balls if a constant is irrational. Each comparison must have a fixed result on all
    reachable states.
    """
    strict = _affine_rounds(algorithm, case)
    draw = (
        noise_draw_bound(case.instance)
        if isinstance(strict, AffineFailure) and COMPARISON_REASON in strict.why
        else None
    )
    if draw is None:
        return strict
    opened = list[Name]()
    while len(opened) <= MAX_OPEN_COMPARISONS:
        found = _order_free_rounds(algorithm, case, draw, opened)
        if isinstance(found, AffineFailure):
            return strict
        start = start_state(algorithm, case, 1, found[0].ring)[0]
        maps = [RoundMap([[form.terms for form in forms] for forms in one.forms], one.sides) for one in found]
        try:
            side = first_open_comparison(maps, start, int(run_constants(case, None).n_rounds), draw)
        except TooManyComparisons:
            return strict
        if side is None:
            return found
        opened.append(form_name(side.terms)[0])
    return strict


def _order_free_rounds(
    algorithm: Algorithm, case: Case[FederatedInstance], draw: Fraction, opened: Sequence[Name]
) -> tuple[Affine, ...] | AffineFailure:
    """Return the rounds if they do not depend on the undecided comparisons, as the mean of two sorted numbers."""
    found = list[tuple[Affine, ...]]()
    for signs in itertools.product((-1, 0, 1), repeat=len(opened)):
        one = _affine_rounds(algorithm, case, ComparisonPolicy(draw, dict(zip(opened, signs, strict=True))))
        if isinstance(one, AffineFailure):
            return one
        found.append(one)
        if len(found) > 1 and (one[0].ring is not RATIONAL or _comparable_maps(one) != _comparable_maps(found[0])):
            return AffineFailure(COMPARISON_REASON)
    first, *others = found
    return tuple(
        a._replace(sides=(*a.sides, *(side for b in others for side in b[r].sides))) for r, a in enumerate(first)
    )


def _same_round(one: Affine, other: Affine) -> bool:
    """Return whether two rounds are the same maps with the same comparisons."""
    return one.sides == other.sides and _comparable_maps([one]) == _comparable_maps([other])


def _comparable_maps(found: Sequence[Affine]) -> list[Any]:
    """Return a key that is equal for equal lists of rounds."""
    return [
        (a.courses, a.of_round, [{k: v for k, v in f.terms.items() if v != 0} for f in a.forms.flat]) for a in found
    ]


def _affine_rounds(
    algorithm: Algorithm, case: Case[FederatedInstance], noting: ComparisonPolicy | None = None
) -> tuple[Affine, ...] | AffineFailure:
    ring = RATIONAL
    first = affine_round(algorithm, case, 0, ring, noting)
    rounded = isinstance(first, AffineFailure) and ("irrational" in first.why or "rounded" in first.why)
    if rounded:
        ring = BALL
        first = affine_round(algorithm, case, 0, ring, noting)
    if isinstance(first, AffineFailure) or not first.of_round:
        return first if isinstance(first, AffineFailure) else (first,)
    rounds = int(run_constants(case, None).n_rounds)
    if rounds * first.forms.size > FORMS:
        return AffineFailure(
            f"{definition_location(algorithm.step)} reads the round, and {rounds} different rounds are too many"
        )
    found = [first]
    for r in range(1, rounds):
        one = affine_round(algorithm, case, r, ring, noting)
        if isinstance(one, AffineFailure):
            return one
        found.append(one)
    if all(_same_round(one, first) for one in found[1:]):  # it read the round only to log or print it
        return (first,)
    return tuple(found)


def affine_blocks(algorithm: Algorithm, case: Case, ring: Ring) -> list[Block] | None:
    """Return the law of the rounds of a step that is affine in the state, all coordinates in one block, or None."""
    found = affine_rounds(algorithm, case)
    return None if isinstance(found, AffineFailure) else blocks_from_rounds(found, ring)


class Matrices(NamedTuple):
    """The affine map of an outcome: x -> matrix x + offset + noise, where the noise has this covariance."""

    matrix: list[list[Any]]
    offset: list[Any]
    covariance: list[list[Any]]


def _matrices(forms: np.ndarray, ring: Ring) -> Matrices:
    d, zero = len(forms), ring.scalar(0)
    entries = [{k: ring.scalar(as_number(v)) for k, v in form.terms.items()} for form in forms]
    matrix = [[form.get(j + 1, zero) for j in range(d)] for form in entries]
    noise = [{k: v for k, v in form.items() if isinstance(k, tuple)} for form in entries]
    covariance = [[sum((a[k] * b[k] for k in a if k in b), zero) for b in noise] for a in noise]
    return Matrices(matrix, [form.get(CONSTANT, zero) for form in entries], covariance)


def blocks_from_rounds(rounds: tuple[Affine, ...], ring: Ring) -> list[Block]:
    """Return the law of a run's rounds from their affine maps."""
    width = rounds[0].forms.shape[1]
    coordinates = tuple(range(width))
    if len(rounds) == 1:
        found = rounds[0]
        laws = []
        for row, course in enumerate(found.courses):
            laws.append((_ring_weight(course, ring), moments.affine_moments(*_matrices(found.forms[row], ring), ring)))
        return [Block(coordinates, moments.mixture_moments(laws))]
    maps = []
    for found in rounds:
        courses = zip(found.courses, found.forms, strict=True)
        maps.append(
            tuple(
                (_ring_weight(course, ring), *_homogeneous_map(_matrices(forms, ring), ring))
                for course, forms in courses
            )
        )
    return [Block(coordinates, moments.MapsByRound(tuple(maps), ring))]


def _ring_weight(course: RoundOutcome, ring: Ring) -> Any:
    return ring.scalar(as_number(course.weight))


def _homogeneous_map(found: Matrices, ring: Ring) -> tuple[Any, Any]:
    """Return A~ and the covariance of the noise on (1, x)."""
    n = len(found.offset) + 1
    first, noise = ring.zeros(n, n), ring.zeros(n, n)
    first[0, 0] = ring.scalar(1)
    for i in range(n - 1):
        first[i + 1, 0] = found.offset[i]
        for j in range(n - 1):
            first[i + 1, j + 1] = found.matrix[i][j]
            noise[i + 1, j + 1] = found.covariance[i][j]
    return first, noise
