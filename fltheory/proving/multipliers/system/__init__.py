"""The dual system: nonnegative multipliers with which the linear part vanishes and the quadratic rest is semidefinite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from flint import fmpq
from sympy import Expr, Integer

from fltheory.proof.terms import Dot
from fltheory.proving.multipliers.system.forms import Form
from fltheory.proving.multipliers.system.ratios import Field, Ratio
from fltheory.proving.multipliers.system.reading import Candidate, Reading
from fltheory.proving.multipliers.system.units import Degree, Units, units_of

Matrix = Mapping[tuple[int, int], Ratio]  # entries on and above the diagonal of a symmetric matrix


@dataclass(frozen=True)
class Part:
    """A gap in short units: its coefficients at the numbers, and its symmetric matrix."""

    linear: Mapping[int, Ratio]
    matrix: Matrix
    degree: Degree


@dataclass(frozen=True)
class System:
    """The goal and the candidates as parts, over vectors and numbers in a fixed order."""

    reading: Reading
    units: Units
    vectors: tuple[Expr, ...]
    numbers: tuple[Expr, ...]
    candidates: tuple[Candidate, ...]
    goal: Part
    parts: tuple[Part, ...]
    bounds: tuple[tuple[Ratio, bool], ...]  # what the conditions say, in short units, and whether they are strict

    @property
    def field(self) -> Field:
        """The field of the parameters that remain."""
        return self.units.field

    @cached_property
    def positive(self) -> tuple[Ratio, ...]:
        """What the conditions say is nonnegative."""
        return tuple(bound for bound, _ in self.bounds)

    @cached_property
    def all(self) -> tuple[int, ...]:
        """The places of all candidates."""
        return tuple(range(len(self.candidates)))

    def degree_of(self, place: int) -> Degree:
        """Return the degree of a candidate's multiplier."""
        return tuple(a - b for a, b in zip(self.goal.degree, self.parts[place].degree, strict=True))

    def entry_degree(self, i: int, j: int) -> Degree:
        """Return the degree of an entry of the rest."""
        one, two = (self.units.degrees[self.vectors[k]] for k in (i, j))
        return tuple(g - a - b for g, a, b in zip(self.goal.degree, one, two, strict=True))


def system_of(reading: Reading) -> System:
    """Return the dual system of a reading; ValueError if a coefficient is no rational function of the parameters."""
    whole = Field(reading.parameters)
    forms = [reading.form, *(c.form for c in reading.candidates)]
    bounds = [(whole.read(bound), strict) for bound, strict in reading.bounds()]
    units = units_of(whole, [f for f in forms if f], [bound for bound, _ in bounds])
    atoms = sorted({a for f in forms for a in f}, key=sympy.default_sort_key)
    vectors = tuple(sorted({v for a in atoms if isinstance(a, Dot) for v in a.args}, key=sympy.default_sort_key))
    numbers = tuple(a for a in atoms if not isinstance(a, Dot))
    more = [Candidate("", "", a, {a: Integer(1)}) for a in numbers if a.is_nonnegative]
    candidates = tuple(c for c in (*reading.candidates, *more) if c.form)

    def part(form: Form) -> Part:
        linear, matrix = dict[int, Ratio](), dict[tuple[int, int], Ratio]()
        for atom, c in form.items():
            own = units.short(whole.read(c))
            if isinstance(atom, Dot):
                i, j = sorted(map(vectors.index, atom.args))
                matrix[i, j] = own if i == j else own * units.field.number(fmpq(1, 2))
            else:
                linear[numbers.index(atom)] = own
        return Part(linear, matrix, units.of_form(form))

    return System(
        reading,
        units,
        vectors,
        numbers,
        candidates,
        part(reading.form),
        tuple(part(c.form) for c in candidates),
        tuple((units.short(bound), strict) for bound, strict in bounds),
    )


def rest_of(system: System, weights: Mapping[int, Ratio], whole: bool = True) -> list[list[Ratio]]:
    """Return the matrix that is left when the candidates are subtracted with these multipliers, from 0 if not ``whole``."""
    size, zero = len(system.vectors), system.field.number(0)
    rest = [[zero] * size for _ in range(size)]
    goal = [(system.goal, None)] if whole else []
    for own, weight in [*goal, *((system.parts[k], w) for k, w in weights.items() if w)]:
        for (i, j), c in own.matrix.items():
            value = c if weight is None else -(c * weight)
            rest[i][j] = rest[i][j] + value
            if i != j:
                rest[j][i] = rest[j][i] + value
    return rest


def equations(
    system: System, support: Sequence[int], null: Sequence[Sequence[Ratio]], field: Field | None = None
) -> list[list[Ratio]]:
    """Return the linear equations of the multipliers on a support: no number is left, and the rest vanishes on ``null``."""
    zero = system.field.number(0)
    rows = [
        [*(system.parts[k].linear.get(a, zero) for k in support), system.goal.linear.get(a, zero)]
        for a in range(len(system.numbers))
    ]
    for vector in null:
        for i in range(len(system.vectors)):
            rows.append([_row(system.parts[k].matrix, i, vector, zero) for k in support])
            rows[-1].append(_row(system.goal.matrix, i, vector, zero))
    return [r for r in rows if any(r)]


def _row(matrix: Matrix, i: int, vector: Sequence[Ratio], zero: Ratio) -> Ratio:
    total = zero
    for j, v in enumerate(vector):
        entry = matrix.get((min(i, j), max(i, j)))
        if entry is not None and v:
            total = total + entry * v
    return total
