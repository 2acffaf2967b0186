"""The ten tasks of Table 2 with their printed constants, at two points of the line."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.schema import Record, constant, count, real, scalar
from fltheory.number import Number
from fltheory.papers.sfl import notation
from fltheory.papers.sfl.instances.quadratics import table_2
from fltheory.problems.separable import KinkedFunction

PRINTED_DELTA = (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(0), Fraction(0))
PRINTED_H = (Fraction(0), Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1))


class Task(Record):
    """A task of Table 2, by its number, with its printed constants, and two points x and y."""

    task: int = scalar(count(1, 10))
    x: Number = scalar(real, default=-1)
    y: Number = scalar(real, default=1)

    @property
    def clients(self) -> tuple[KinkedFunction, ...]:
        """F_1 and F_2."""
        made = table_2(self.task)
        rows = zip(made.left, made.right, made.slopes, strict=True)
        return tuple(KinkedFunction(left, right, slopes) for left, right, slopes in rows)

    @constant(notation.zeta_star)
    def printed_heterogeneity(self) -> int:
        """Return zeta_*, as printed."""
        return 1 if self.task <= 5 else 10

    @constant(notation.hessian_heterogeneity)
    def printed_delta(self) -> Fraction:
        """Return delta, as printed."""
        return PRINTED_DELTA[(self.task - 1) % 5]

    @constant(notation.hessian_lipschitz)
    def printed_lipschitz(self) -> Fraction:
        """Return H as printed, in the definition of the text."""
        return PRINTED_H[(self.task - 1) % 5]

    @constant(notation.hessian_jump)
    def printed_jump(self) -> Fraction:
        """Return H as printed, as the size of a jump."""
        return PRINTED_H[(self.task - 1) % 5]

    @constant(notation.distance)
    def apart(self) -> Fraction:
        """Return |x - y|."""
        return abs(Fraction(self.x) - Fraction(self.y))

    def curvature(self, at: Number) -> Fraction:
        """Return F'' at a point; at the kink, the value of the right side."""
        return sum((f.curvature(0, at) for f in self.clients), Fraction(0)) / len(self.clients)
