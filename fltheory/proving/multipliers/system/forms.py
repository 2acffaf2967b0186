"""Gaps as forms: linear in values and other numbers, quadratic in vectors, with coefficients in the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy
from sympy import Expr, Integer

from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.terms import Dot, E, Grad, Indicator, Scalar, Term, Total, Val, is_random

Form = Mapping[Expr, Expr]  # atoms (1 for a constant) and their coefficients
UNKNOWN = (Dot, Val, Grad, E, Total, Indicator)


def form_of(gap: Expr) -> Form:
    """Return the form of a number; an expectation counts as what it is the mean of."""
    found = dict[Expr, Expr]()
    for term in sympy.Add.make_args(sympy.expand(normal_form(gap))):
        inside, outside = list[Expr](), list[Expr]()
        for factor in sympy.Mul.make_args(term):
            (inside if is_unknown(factor) else outside).append(factor)
        atom = without_means(sympy.Mul(*inside))
        found[atom] = found.get(atom, Integer(0)) + sympy.Mul(*outside)
    return {atom: c for atom, c in found.items() if sympy.cancel(sympy.together(c)) != 0}


def without_common(form: Form) -> tuple[Expr, Form]:
    """Return the product of positive parameters that all coefficients have, and the form divided by it."""
    terms = [t for c in form.values() for t in sympy.Add.make_args(sympy.expand(c))]
    powers = [t.as_powers_dict() for t in terms]
    common = Integer(1)
    for symbol in sorted(powers[0], key=str) if powers else ():
        least = min((p.get(symbol, Integer(0)) for p in powers), key=lambda n: n if n.is_Integer else 0)
        if symbol.is_Symbol and symbol.is_positive and least.is_Integer and least > 0:
            common *= symbol**least
    return common, {atom: sympy.expand(c / common) for atom, c in form.items()} if common != 1 else form


def constants_apart(forms: Sequence[Form]) -> tuple[list[Form], set[Expr]]:
    """Return the forms with constants such as sigma^2 as atoms, and the symbols of these, which no other coefficient has."""
    elsewhere = parameters_of(c for form in forms for atom, c in form.items() if atom != 1)
    own = set(parameters_of(c for form in forms for atom, c in form.items() if atom == 1)) - set(elsewhere)
    return [_apart(form, own) if own else form for form in forms], own


def _apart(form: Form, symbols: set[Expr]) -> Form:
    """Return a form whose constant is a sum of products of these symbols, which are its atoms, with coefficients."""
    found = {atom: c for atom, c in form.items() if atom != 1}
    for term in sympy.Add.make_args(sympy.expand(form.get(Integer(1), Integer(0)))):
        coefficient, atom = term.as_independent(*symbols, as_Add=False)
        found[atom] = found.get(atom, Integer(0)) + coefficient
    return {atom: c for atom, c in found.items() if c != 0}


def is_unknown(factor: Expr) -> bool:
    """Return whether a factor is a quantity of the run rather than a parameter."""
    return bool(factor.has(*UNKNOWN)) or is_random(factor)


def without_means(expr: Expr) -> Expr:
    """Return a term with each expectation replaced by what it is the mean of."""
    if isinstance(expr, E):
        return without_means(expr.args[0])
    if isinstance(expr, sympy.Add | sympy.Mul | sympy.Pow):
        return expr.func(*map(without_means, expr.args))
    return expr


def parameters_of(expressions: Iterable[Expr]) -> tuple[Expr, ...]:
    """Return the symbols and fixed numbers on which coefficients depend, in a fixed order."""
    found = set[Expr]()
    for expr in expressions:
        found |= expr.atoms(Scalar)
        found |= {s for s in expr.free_symbols if not _is_label(s, expr)}
    return tuple(sorted(found, key=sympy.default_sort_key))


def _is_label(symbol: Expr, expr: Expr) -> bool:
    """Return whether a symbol only names families or their members."""
    return not _free_outside(symbol, expr)


def _free_outside(symbol: Expr, expr: Expr) -> bool:
    if expr == symbol:
        return True
    return not isinstance(expr, Term) and any(_free_outside(symbol, a) for a in expr.args)
