"""The steps of the proof of Theorem 3 as inequalities A <= B about one round, and the exact worst A / B of each.

One round of sequential clients without noise, from any x: its points and gradients are vectors over a Gram
basis, A and B expressions in their inner products. A certificate's multipliers prove the largest A under B <= 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from fltheory.worst_case.certificate import round_to_certificate
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.gram import (
    ONE,
    Expression,
    Vector,
    basis,
    combine_expressions,
    constant,
    difference,
    linear_combination,
    mean,
    product,
    square,
)
from fltheory.worst_case.problem import CLIENT, OPTIMUM, Label, Problem
from fltheory.worst_case.problem.objectives import gap
from fltheory.worst_case.solver import Unsolved, make_table, propose
from fltheory.worst_case.symbolic_run import START_INDEX, Record
from fltheory.worst_case.symmetry_reduction import Exact, WholeFrame
from fltheory.worst_case.whole_run import INTERIOR_MARGINS

SMOOTH = Smooth(1)
ENOUGH = 4  # margins of the solver: a proof with a larger margin is far from tight
SCALES = tuple(fmpq(1, 10**n) for n in (0, 2, 1, 3))
START_VECTOR = basis(START_INDEX)  # x - x*


@dataclass(frozen=True)
class Step:
    """A local step: the client, its point minus x*, and the earlier gradients on the way, as (client, point)."""

    client: int
    point: Vector
    before: tuple[tuple[int, Vector], ...]


@dataclass(frozen=True, eq=False)
class Round:
    """A round of M clients with K local steps of size ``eta``; ``courses``: the steps for every order, all as likely."""

    n_clients: int
    n_local_steps: int
    eta: Fraction
    record: Record
    courses: tuple[tuple[Step, ...], ...]

    @property
    def n_steps(self) -> int:
        """Return N, the number of gradients."""
        return self.n_clients * self.n_local_steps

    # Parts of a gradient, as vectors ---------------------------------------------------------------------------------

    def gradient(self, client: int, point: Vector) -> Vector:
        """Return the whole gradient."""
        return self.record.gradient(client, point)

    def drift_part(self, client: int, point: Vector) -> Vector:
        """Return its change from x to the local model."""
        return difference(self.record.gradient(client, point), self.record.gradient(client, START_VECTOR))

    def slope_part(self, client: int, point: Vector) -> Vector:
        """Return its change from x* to x."""
        return difference(self.record.gradient(client, START_VECTOR), self.record.at_optimum(client))

    def spread_part(self, client: int, point: Vector) -> Vector:
        """Return the client's gradient at x*."""
        return self.record.at_optimum(client)

    # Expected quantities ---------------------------------------------------------------------------------------------

    @cached_property
    def gap(self) -> Expression:
        """Return F(x) - F*."""
        return gap(self.record, START_VECTOR)

    @cached_property
    def heterogeneity(self) -> Expression:
        """Return zeta_*^2."""
        return mean(square(self.record.at_optimum(m)) for m in range(self.n_clients))

    @cached_property
    def drift(self) -> Expression:
        """Return E sum |x_{m,k} - x|^2."""
        return self._expected(lambda s: square(difference(s.point, START_VECTOR)))

    @cached_property
    def pull(self) -> Expression:
        """Return E sum <g, x - x*>."""
        return self._expected(lambda s: product(self.gradient(s.client, s.point), START_VECTOR))

    def whole(self, part: Callable[[int, Vector], Vector]) -> Expression:
        """Return E |sum of a part over the round|^2."""
        return mean(square(self._sum(part, ((s.client, s.point) for s in course))) for course in self.courses)

    def so_far(self, part: Callable[[int, Vector], Vector]) -> Expression:
        """Return E sum over the steps of |sum of a part before the step|^2."""
        return self._expected(lambda s: square(self._sum(part, s.before)))

    @cached_property
    def growth(self) -> Expression:
        """Return E|x+ - x*|^2 - |x - x*|^2."""
        eta = rational(self.eta)
        return combine_expressions((-2 * eta, self.pull), (eta**2, self.whole(self.gradient)))

    def _sum(self, part: Callable[[int, Vector], Vector], asked: Iterable[tuple[int, Vector]]) -> Vector:
        return linear_combination(*((ONE, part(client, point)) for client, point in asked))

    def _expected(self, quantity: Callable[[Step], Expression]) -> Expression:
        weight = fmpq(1, len(self.courses))
        return combine_expressions(*((weight, quantity(s)) for course in self.courses for s in course))


def sequential_round(n_clients: int, n_local_steps: int, effective: Fraction) -> Round:
    """Return the round of SFL, with every order of the clients."""
    eta = effective / (n_clients * n_local_steps)
    record = Record(n_clients)
    courses = []
    for order in itertools.permutations(range(n_clients)):
        courses.append(_chain(record, [m for m in order for _ in range(n_local_steps)], rational(eta)))
    return Round(n_clients, n_local_steps, eta, record, tuple(courses))


def _chain(record: Record, clients: list[int], step: fmpq) -> tuple[Step, ...]:
    point, before, found = START_VECTOR, (), list[Step]()
    for client in clients:
        found.append(Step(client, point, before))
        before = (*before, (client, point))
        point = linear_combination((ONE, point), (-step, record.gradient(client, point)))
    return tuple(found)


def rational(number: Fraction) -> fmpq:
    """Return the number as flint's rational."""
    return fmpq(number.numerator, number.denominator)


def fraction(number: fmpq) -> Fraction:
    """Return the number as a Fraction."""
    return Fraction(int(number.p), int(number.q))


# Worst cases ---------------------------------------------------------------------------------------------------------


def all_inequalities(one: int, other: int) -> bool:
    """Return all inequalities of the class."""
    return True


def no_tangent_at_optimum(one: int, other: int) -> bool:
    """Return those without the tangent at x*: far from x* these have unbounded slack, so that none of them is used."""
    return other != OPTIMUM


def without_optimum(one: int, other: int) -> bool:
    """Return those between points of the round, if A and B do not involve x*."""
    return OPTIMUM not in (one, other)


@dataclass(frozen=True, eq=False)
class PartialClass(WholeFrame):
    """Forms of a proof with some of the inequalities; without those at x* no gradient there matters."""

    uses: Callable[[int, int], bool] = all_inequalities

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Return the labels in use, and those of limits beyond the class."""
        return tuple(x for x in self.problem.labels() if x[0] != CLIENT or self.uses(int(str(x[2])), int(str(x[3]))))

    @property
    def _at_optimum(self) -> range:
        return range(1, self.problem.n_clients + 1)

    @cached_property
    def _place(self) -> dict[int, int]:
        dropped = self._at_optimum if self.uses is without_optimum else self._at_optimum[-1:]
        kept = (i for i in range(self.problem.size) if i != START_INDEX and i not in dropped)
        return {index: i for i, index in enumerate(kept)}

    def matrices(self, expression: Expression) -> list[Exact]:
        """Return the only matrix; ValueError if it lacks a gradient at x* in the expression."""
        if self.uses is without_optimum and any(i in self._at_optimum for pair in expression.products for i in pair):
            raise ValueError("this depends on gradients at x*")
        return super().matrices(expression)


@dataclass(frozen=True, eq=False)
class Inequality:
    """A step left <= right of the proof; ``uses``: the inequalities of the class that may prove it."""

    one: Round
    left: Expression
    right: Expression
    uses: Callable[[int, int], bool] = all_inequalities

    def problem(self, scale: fmpq = ONE) -> Problem:
        """Return the largest left / scale with right <= scale, over all 1-smooth convex clients, in every dimension."""
        limit = combine_expressions((ONE, self.right), (-ONE, constant(scale)))
        asked = Problem(self.one.record, SMOOTH, ((("right",), limit),), self.left, free=True)
        return replace(asked, objective=asked.told(self.left.times(1 / scale)))

    def enough(self) -> Fraction:
        """Return the least proved c with left <= c right, nearly the least true one."""
        for scale, room in itertools.product(SCALES, INTERIOR_MARGINS[:ENOUGH]):
            asked = self.problem(scale)
            told = PartialClass(asked, self.uses)
            try:
                certificate = round_to_certificate(asked, told, propose(make_table(asked, told), room))
            except Unsolved:  # another scale may suit the solver
                continue
            if certificate is not None:
                return fraction(certificate.upper)
        raise ArithmeticError("no certificate was found")
