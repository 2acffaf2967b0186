"""The exact law of a user's step on quadratic clients: run it on affine forms in the unknown state and noise.

A step made of gradient steps and linear operations maps forms to forms; anything else (comparing, multiplying two
forms) is refused, and the caller falls back to enumeration or simulation. So the law is proved, not assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from fltheory.case import Case, Client, FederatedInstance
from fltheory.number import RATIONAL, Ring, as_number, exact
from fltheory.number.elements import NotExact, lacking, read, run_on
from fltheory.number.signals import defined_at, of_library, place_of
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import run_constants
from fltheory.runs.laws import moments
from fltheory.runs.laws.courses import Outcome, outcomes, prefix
from fltheory.runs.laws.moments import Block
from fltheory.runs.method import NotEnumerable, not_exact
from fltheory.runs.offers import noise_factors
from fltheory.runs.oracle import Oracle

CONSTANT = 0  # the key of the constant part; coordinates are 1..d, noise variables (client, k, i)
LIMIT = 720


class NotAffine(NotExact):
    """An operation left the affine forms."""


class Form:
    """A linear combination of 1, the coordinates of the state at the start of the round, and noise variables."""

    __slots__ = ("ring", "terms")

    def __init__(self, terms: Mapping[Any, Any], ring: Ring) -> None:
        self.terms, self.ring = dict(terms), ring

    def __getattr__(self, name: str) -> Any:
        raise lacking(name)

    def _scalar(self, other: object) -> Any:
        if isinstance(other, Form):
            if set(other.terms) <= {CONSTANT}:
                return other.terms.get(CONSTANT, self.ring.scalar(0))
            raise NotAffine("multiplies what depends on the state")
        if type(other) is type(self.ring.scalar(0)):
            return other
        known = read(other)
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
        return Form(terms, self.ring)

    def __mul__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Form) and set(self.terms) <= {CONSTANT}:
            return other * self
        factor = self._scalar(other)
        return Form({k: v * factor for k, v in self.terms.items()}, self.ring)

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        factor = self._scalar(other)
        return Form({k: v / factor for k, v in self.terms.items()}, self.ring)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Form:
        return self * -1

    def __rtruediv__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if set(self.terms) <= {CONSTANT}:
            return Form({CONSTANT: self._scalar(other)}, self.ring) / self
        raise NotAffine("divides by what depends on the state")

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

    def _compared(self, *_: object) -> Any:
        raise NotAffine("compares numbers")

    def _folded(self) -> Any:
        raise NotAffine("takes an absolute value")

    def _rounded(self) -> Any:
        raise NotAffine("asks an exact number for a float")

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __eq__ = __ne__ = _compared
    __abs__, __float__, __int__, __floor__, __ceil__ = _folded, _rounded, _rounded, _rounded, _rounded


class AffineOracle(Oracle):
    """Row i lives through order i; noise stays symbolic, one variable for every (client, k) and vector that spans it."""

    def __init__(self, instance: FederatedInstance, orders: np.ndarray, ring: Ring) -> None:
        self.instance, self._orders, self._ring = instance, orders, ring

    def order(self, size: int | None = None) -> np.ndarray:
        return prefix(self._orders, self.instance.n_clients if size is None else size)

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        gradient = self.instance.gradient(x, client)
        if self.instance.draws == 0:
            return gradient
        clients = np.broadcast_to(np.asarray(client), (len(x),))
        noise = np.empty(x.shape, dtype=object)
        for row, m in enumerate(clients):
            factors = noise_factors(self.instance, int(m))
            if factors is None:
                raise NotAffine
            for i in range(x.shape[1]):
                terms = {(int(m), k, j): self._ring.scalar(factor[i]) for j, factor in enumerate(factors)}
                noise[row, i] = Form(terms, self._ring)
        return gradient + noise


class Refused(NamedTuple):
    """Why a step has no affine law: "clip at mine.py:12 compares numbers"."""

    why: str


class Affine(NamedTuple):
    """One round of a step as an affine map for every course: orders, their chances, and forms (courses, dim)."""

    courses: list[Outcome]
    forms: np.ndarray


def affine_round(algorithm: Algorithm, case: Case[FederatedInstance]) -> Affine | Refused:
    """One round of a step on affine forms, if it is affine in the state and the noise.

    It runs on rationals: what it compares is then decided exactly, as a ball could not. A user's step is compared with
    its runs in floats.
    """
    instance = case.instance
    try:
        courses = outcomes(algorithm, case, LIMIT, noisy=False)
    except NotEnumerable as error:
        return Refused(str(error))
    d = instance.dim
    orders = np.array([o.order for o in courses], dtype=np.int64).reshape(len(courses), -1)
    x = np.empty((len(courses), d), dtype=object)
    for row in range(len(courses)):
        for i in range(d):
            x[row, i] = Form({i + 1: RATIONAL.scalar(1)}, RATIONAL)
    oracle, c = AffineOracle(instance, orders, RATIONAL), run_constants(case, RATIONAL)
    try:
        own = of_library(algorithm.step)
        new = algorithm.step(x, oracle, c) if own else run_on(algorithm.step, x, oracle, c)
    except Exception as error:  # what is wrong with the step, if anything, shows when it is run on floats
        return Refused(reason_of(algorithm, error))
    if type(new) is not np.ndarray or new.shape != x.shape or not all(isinstance(v, Form) for v in new.flat):
        return Refused(f"{defined_at(algorithm.step)} answers with numbers that don't come from its state")
    found = Affine(courses, new)
    return found


def reason_of(algorithm: Algorithm, error: Exception) -> str:
    """Why a step can't be followed on exact numbers, with the line of the user's file."""
    name = defined_at(algorithm.step)
    said = str(error if isinstance(error, NotEnumerable) else not_exact(error, name))
    return said if not isinstance(error, NotEnumerable) or place_of(error) else f"{name}: {said}"


def variant_blocks(algorithm: Algorithm, case: Case, ring: Ring) -> list[Block] | None:
    """The law of one round of any step that is affine in the state, all coordinates in one block; else None."""
    found = affine_round(algorithm, case)
    return None if isinstance(found, Refused) else blocks_of(found, case, ring)


def blocks_of(found: Affine, case: Case[FederatedInstance], ring: Ring) -> list[Block]:
    """The law of one round from its affine maps."""
    d = case.instance.dim
    laws = []
    for row, course in enumerate(found.courses):
        forms = [{k: ring.scalar(as_number(v)) for k, v in form.terms.items()} for form in found.forms[row]]
        zero = ring.scalar(0)
        matrix = [[form.get(j + 1, zero) for j in range(d)] for form in forms]
        noise = [{k: v for k, v in form.items() if isinstance(k, tuple)} for form in forms]
        covariance = [[sum((a[k] * b[k] for k in a if k in b), zero) for b in noise] for a in noise]
        offset = [form.get(CONSTANT, zero) for form in forms]
        laws.append((ring.scalar(course.weight), moments.affine(matrix, offset, covariance, ring)))
    return [Block(tuple(range(d)), moments.mixture(laws))]
