"""The value of a program, between one that an instance attains and one that multipliers prove; both are exact."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction

import sympy
from flint import fmpq, fmpq_mat

from fltheory.number import Number, exact_text
from fltheory.performance.points import Quantity
from fltheory.performance.solving.facial import reductions
from fltheory.performance.solving.program import Program
from fltheory.performance.solving.scaling import in_units
from fltheory.performance.solving.sides import Sides, recognised, rounded, solved
from fltheory.performance.solving.solutions import Solution, solution_at
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.worst_case.certificate import Certificate, why_invalid
from fltheory.worst_case.lower_bounds import evaluate_expression
from fltheory.worst_case.problem.labels import Label
from fltheory.worst_case.symmetry_reduction import WholeFrame

LONGEST, SHORT, DIGITS = 40, 12, 10  # characters of a worst case that is shown exactly, and of one end


@dataclass(frozen=True)
class WorstValue:
    """The worst value lies between ``lower``, which ``solution`` attains, and ``upper``, which ``multipliers`` prove.

    ``lower`` is None where none was found; ``only_upper`` says why there can be none. ``bound``: what it is compared with.
    """

    program: Program = field(repr=False)
    lower: Fraction | None
    upper: Fraction | None
    multipliers: tuple[tuple[Label, Fraction], ...] = field(repr=False)
    solution: Solution | None = field(repr=False)
    bound: Number | None = None
    problem: object = field(default=None, repr=False, compare=False)

    @property
    def only_upper(self) -> str | None:
        """Return why a solution of the program need not be an instance, or None."""
        return self.program.only_upper

    @property
    def value(self) -> Fraction | None:
        """Return the worst value where it is known exactly, else None."""
        return self.upper if self.upper == self.lower else None

    @property
    def status(self) -> str | None:
        """Return "holds", "violated" or "open" for the bound, exactly; None without a bound."""
        if self.bound is None:
            return None
        limit = sympy.sympify(self.bound)
        if self.upper is not None and bool(sympy.Rational(str(self.upper)) <= limit):
            return "holds"
        return "violated" if self.lower is not None and bool(sympy.Rational(str(self.lower)) > limit) else "open"

    def of(self, quantity: Quantity) -> Fraction | None:
        """Return a quantity on the instance that attains ``lower``, exactly; None if there is none."""
        if not isinstance(quantity, Quantity):
            raise TypeError(f"expected a quantity such as (x - best)**2, got {quantity!r}")
        if quantity.problem is not self.problem:
            raise ValueError("the quantity belongs to another problem")
        if self.solution is None:
            return None
        known = {name for limit in self.program.stated.values() for name in limit.values} | set(
            self.program.goal.values
        )
        size = self.program.size
        if set(quantity.expression.values) - known or any(max(pair) >= size for pair in quantity.expression.products):
            raise ValueError("the quantity was asked for after the worst case: ask for the worst case again")
        return to_python_fraction(
            evaluate_expression(quantity.expression, self.solution.gram, dict(self.solution.values))
        )

    def row(self) -> dict[str, object]:
        """Return the result as JSON; each multiplier with the label of its limit."""
        ends = {"lower": self.lower, "upper": self.upper, "bound": self.bound}
        return {
            **{name: None if end is None else str(exact_text(end)) for name, end in ends.items()},
            "status": self.status,
            "only_upper": self.only_upper,
            "scope": "class",
            "evidence": "exact",
            "multipliers": [[list(label), str(c)] for label, c in self.multipliers],
        }

    def __str__(self) -> str:
        return f"worst case: {self._limits()}" + ("" if self.bound is None else f"\n{self._verdict()}")

    def ends(self) -> tuple[str, str]:
        """Return both ends as short fractions, or rounded to their own side; "?" where there is none."""
        return _text(self.lower, ROUND_FLOOR), _text(self.upper, ROUND_CEILING)

    def _limits(self) -> str:
        low, high = self.ends()
        if self.value is not None:
            text = str(self.value)
            return f"{f'exactly {text}' if len(text) < LONGEST else f'about {float(self.value):.10g}'}, attained and proved"
        if self.upper is None and self.lower is None:
            return "unknown: no value is attained, and none is proved"
        if self.upper is None:
            return f"at least {low} (attained); no upper value is proved"
        if self.lower is None:
            return f"at most {high} (proved)" + (f"; {self.only_upper}" if self.only_upper else "")
        return f"between {low} (attained) and {high} (proved)"

    def _verdict(self) -> str:
        told = {
            "holds": "holds for every instance, in every dimension (exact)",
            "violated": "violated: the instance that attains the worst case refutes it (exact)",
            "open": "open: the bound lies between both, or one is missing",
        }
        tight = ", and is attained" if self.status == "holds" and self.lower == self.bound else ""
        return f"bound {exact_text(self.bound)}: {told[str(self.status)]}{tight}"


def _text(end: Fraction | None, rounding: str) -> str:
    """Return an end as a short fraction, else with ten digits, rounded to its own side."""
    if end is None:
        return "?"
    if len(str(end)) <= SHORT:
        return str(end)
    with localcontext(Context(prec=DIGITS, rounding=rounding)):
        return f"{Decimal(end.numerator) / Decimal(end.denominator):g}"


def worst_value(program: Program, bound: Number | None = None, problem: object = None) -> WorstValue:
    """Return the limits of a program's value; ValueError if a solver finds none."""
    units = in_units(program)
    both = _both_sides(units.program)
    certificate = None if both.certificate is None else units.certificate(both.certificate)
    if certificate is not None and why_invalid(program, certificate, WholeFrame(program)) is not None:
        certificate = None
    solution = None if both.solution is None else solution_at(program, *units.solution(both.solution))
    return WorstValue(
        program,
        None if solution is None else to_python_fraction(solution.objective),
        None if certificate is None else to_python_fraction(certificate.upper),
        () if certificate is None else tuple((label, to_python_fraction(c)) for label, c in certificate.multipliers),
        solution,
        bound,
        problem,
    )


def _both_sides(program: Program) -> Sides:
    """Return the best that is found on both sides, in the program itself and in other forms of it."""
    own = solved(program)
    both, forms = recognised(own), reductions(program)
    if not both.near(own) and (exact := next(forms)) is not program:
        both = both.better(_sides_of(exact, program))
    if not both.near(own):
        both = both.better(rounded(own, both))
    while not both.near(own) and (other := next(forms, None)) is not None:
        both = both.better(_sides_of(other, program))
    return both


def _sides_of(other: Program, program: Program) -> Sides:
    """Return both sides of a program as found in another form of it."""
    try:
        own = solved(other)
    except ValueError:
        return Sides(None, None)
    found = recognised(own)
    found = found if found.near(own) else found.better(rounded(own, found))
    certificate, solution = found.certificate, found.solution
    if certificate is not None and why_invalid(program, certificate, WholeFrame(program)) is not None:
        certificate = None
    if solution is not None:
        size = program.size
        turn = fmpq_mat(size, size, [dict(vector).get(j, fmpq(0)) for vector in other.meaning for j in range(size)])
        solution = solution_at(program, turn * solution.gram * turn.transpose(), solution.values)
    return Sides(certificate, solution)


def why_not_proved(found: WorstValue) -> str | None:
    """Return why the multipliers do not prove the upper value, or None; exact, without a solver."""
    if found.upper is None:
        return "there is no upper value"
    multipliers = tuple((label, fmpq(c.numerator, c.denominator)) for label, c in found.multipliers)
    upper = fmpq(found.upper.numerator, found.upper.denominator)
    return why_invalid(found.program, Certificate(upper, multipliers), WholeFrame(found.program))
