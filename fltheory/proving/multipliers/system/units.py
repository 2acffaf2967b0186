"""Physical units: degrees in which every inequality is homogeneous, so that some parameters may be set to 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy
from flint import fmpq, fmpq_mat, fmpq_mpoly
from sympy import Expr, Integer

from fltheory.proof.terms import Dot
from fltheory.proving.multipliers.system.forms import Form
from fltheory.proving.multipliers.system.ratios import Field, Ratio

UNIT = Integer(1)
Degree = tuple[Fraction, ...]  # one entry for each parameter that is set to 1


@dataclass(frozen=True)
class Units:
    """The parameters that are set to 1, and the degrees of all others, of atoms and of inequalities."""

    whole: Field
    ones: tuple[Expr, ...]
    degrees: Mapping[Expr, Degree]
    field: Field

    def of_form(self, form: Form) -> Degree:
        """Return the degree of a homogeneous form; 0 for the form 0."""
        if not form:
            return (Fraction(0),) * len(self.ones)
        atom, c = next(iter(form.items()))
        return _plus(self.of_atom(atom), self.of_ratio(self.whole.read(c)))

    def of_atom(self, atom: Expr) -> Degree:
        """Return the degree of an atom; that of a product of vectors is the sum of theirs."""
        if isinstance(atom, Dot):
            return _plus(self.degrees[atom.args[0]], self.degrees[atom.args[1]])
        return self.degrees.get(atom, (Fraction(0),) * len(self.ones))

    def of_ratio(self, value: Ratio) -> Degree:
        """Return the degree of a homogeneous function of the parameters."""
        top, bottom = (next(iter(p.to_dict())) for p in (value.top, value.bottom))
        powers = [a - b for a, b in zip(top, bottom, strict=True)]
        total: Degree = (Fraction(0),) * len(self.ones)
        for name, power in zip(self.whole.names, powers, strict=False):
            total = _plus(total, tuple(int(power) * d for d in self.degrees[name]))
        return total

    def short(self, value: Ratio) -> Ratio:
        """Return a function with the chosen parameters set to 1."""
        kept = [i for i, name in enumerate(self.whole.names) if name not in self.ones]

        def moved(polynomial: fmpq_mpoly) -> fmpq_mpoly:
            found = dict[tuple[int, ...], fmpq]()
            for powers, c in polynomial.to_dict().items():
                own = tuple(powers[i] for i in kept) or (0,)
                found[own] = found.get(own, fmpq(0)) + c
            return self.field.ring.from_dict({k: c for k, c in found.items() if c != 0})

        one = Ratio(self.field.ring.constant(1), self.field.ring.constant(1))
        return Ratio(moved(value.top), one.bottom) / Ratio(moved(value.bottom), one.bottom)

    def long(self, polynomial: fmpq_mpoly) -> tuple[Expr, Degree]:
        """Return the polynomial of lowest degree that is this one where the chosen parameters are 1, and its degree."""
        terms = list[tuple[Expr, Degree]]()
        for powers, c in polynomial.to_dict().items():
            own, degree = sympy.Rational(int(c.p), int(c.q)), (Fraction(0),) * len(self.ones)
            for name, power in zip(self.field.names, powers, strict=False):
                own, degree = own * name ** int(power), _plus(degree, tuple(int(power) * d for d in self.degrees[name]))
            terms.append((own, degree))
        top = tuple(max(d[i] for _, d in terms) for i in range(len(self.ones)))
        return sympy.Add(*(own * self.power(_minus(top, d)) for own, d in terms)), top

    def power(self, degree: Degree) -> Expr:
        """Return the product of powers of the chosen parameters that has a degree."""
        return sympy.Mul(
            *(name ** sympy.Rational(d.numerator, d.denominator) for name, d in zip(self.ones, degree, strict=True))
        )

    def factors(self, value: Ratio, degree: Degree) -> tuple[Expr, list[tuple[Expr, fmpq_mpoly, int]]]:
        """Return a function of a degree as a number times powers, and powers of factors that need a sign."""
        lead, found, rest = Integer(1), list[tuple[Expr, fmpq_mpoly, int]](), degree
        for polynomial, sign in ((value.top, 1), (value.bottom, -1)):
            c, parts = polynomial.factor()
            lead *= sympy.Rational(int(c.p), int(c.q)) ** sign
            for part, times in parts:
                expr, own = self.long(part)
                rest = _minus(rest, tuple(sign * int(times) * d for d in own))
                if len(part.to_dict()) == 1 and expr.is_positive:
                    lead *= expr ** (sign * int(times))
                else:
                    found.append((expr, part, sign * int(times)))
        return lead * self.power(rest), found

    def expression(self, value: Ratio, degree: Degree, signs: Mapping[str, tuple[int, bool]] | None = None) -> Expr:
        """Return a function of a degree in factored form, with the factors of known sign as nonnegative ones."""
        if not value:
            return Integer(0)
        lead, parts = self.factors(value, degree)
        found = list[Expr]()
        for expr, polynomial, times in parts:
            sign = (signs or {}).get(str(polynomial), (1, False))[0]
            lead *= sign ** (times % 2)
            found.append(sympy.expand(sign * expr) ** times)
        return lead * sympy.Mul(*found)


def _plus(a: Degree, b: Degree) -> Degree:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _minus(a: Degree, b: Degree) -> Degree:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def units_of(whole: Field, forms: Iterable[Form], conditions: Sequence[Ratio]) -> Units:
    """Return the units of forms and conditions, with as many parameters set to 1 as there are independent units."""
    forms = list(forms)
    atoms = sorted({a for f in forms for a in f}, key=sympy.default_sort_key)
    vectors = {v for a in atoms if isinstance(a, Dot) for v in a.args}
    numbers = {a for a in atoms if not isinstance(a, Dot) and a != 1}
    letters = [*whole.names, *sorted(vectors | numbers, key=sympy.default_sort_key)]
    place = {letter: i for i, letter in enumerate(letters)}
    rows = set[tuple[int, ...]]()

    def powers(monomial: tuple[int, ...], atom: Expr = UNIT, sign: int = 1) -> list[int]:
        row = [0] * len(letters)
        for i, power in enumerate(monomial[: len(whole.names)]):
            row[i] += sign * int(power)
        for part in () if atom == 1 else atom.args if isinstance(atom, Dot) else (atom,):
            row[place[part]] += 1
        return row

    def level(lines: Sequence[Sequence[int]]) -> None:
        rows.update(tuple(a - b for a, b in zip(line, lines[0], strict=True)) for line in lines[1:])

    for form in forms:
        level([_leading(whole.read(c), powers, atom) for atom, c in form.items()])
    for value in [*(whole.read(c) for f in forms for c in f.values()), *conditions]:
        for polynomial in (value.top, value.bottom):
            level([powers(m) for m in polynomial.to_dict()] or [[0] * len(letters)])
    chosen = _chosen(whole.names, letters, sorted(r for r in rows if any(r)))
    ones = tuple(chosen)
    degrees = {letter: tuple(chosen[one][i] for one in ones) for i, letter in enumerate(letters)}
    return Units(whole, ones, degrees, Field(tuple(n for n in whole.names if n not in ones)))


def _leading(value: Ratio, powers: object, atom: Expr) -> list[int]:
    top, bottom = (next(iter(p.to_dict())) for p in (value.top, value.bottom))
    return powers(tuple(a - b for a, b in zip(top, bottom, strict=True)), atom)  # type: ignore[operator]


def _chosen(
    names: Sequence[Expr], letters: Sequence[Expr], rows: Sequence[Sequence[int]]
) -> dict[Expr, list[Fraction]]:
    """Return for each parameter that is set to 1 the degrees of all letters in its unit."""
    size = len(letters)
    basis = [[fmpq(i == j) for i in range(size)] for j in range(size)]
    if rows:
        reduced, rank = fmpq_mat([[fmpq(v) for v in r] for r in rows]).rref()
        leads = [next(j for j in range(size) if reduced[i, j] != 0) for i in range(rank)]
        basis = []
        for f in (j for j in range(size) if j not in leads):
            vector = [fmpq(0)] * size
            vector[f] = fmpq(1)
            for i, lead in enumerate(leads):
                vector[lead] = -reduced[i, f]
            basis.append(vector)
    found = dict[Expr, list[fmpq]]()
    positive = (i for i, n in enumerate(names) if n.is_positive)
    order = sorted(positive, key=lambda i: (not names[i].is_integer, str(names[i])))  # few integers are small
    for column in order:  # one elimination step makes this letter's degree 1 in its own unit and 0 in the others
        unit = next((v for v in basis if v[column] != 0), None)
        if unit is None:
            continue
        own = [x / unit[column] for x in unit]
        others = [v for v in basis if v is not unit]
        trial = {n: [x - v[column] * y for x, y in zip(v, own, strict=True)] for n, v in found.items()}
        trial[names[column]] = own
        basis = [[x - v[column] * y for x, y in zip(v, own, strict=True)] for v in others]
        found = trial
    kept = {n: v for n, v in found.items() if all(x.q == 1 for x in v[: len(names)])}  # halves would need roots
    return {n: [Fraction(int(x.p), int(x.q)) for x in v] for n, v in kept.items()}
