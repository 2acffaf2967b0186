"""The search for certificates of scalar inequalities; it is not trusted, the engines check its results.

``find_polynomial``: a linear programme in floats selects products of the facts, and exact linear algebra gives their
coefficients. ``find_ball``: branch and bound.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import fmpq, fmpq_mat, fmpq_mpoly
from scipy.optimize import linprog
from scipy.sparse import csc_array
from sympy import Symbol

from fltheory import number
from fltheory.proof.algebra import ball, polynomial

MAX_PRODUCTS = 20_000
TOLERANCES = (1e-7, 1e-9, 1e-5, 1e-11)

Term = tuple[tuple[int, ...], int]  # exponents of the facts, and the index of the square


def find_polynomial(
    target: sympy.Expr,
    facts: tuple[sympy.Expr, ...],
    degree: int = 3,
    squares: tuple[sympy.Expr, ...] = (),
    multipliers: tuple[sympy.Expr, ...] = (),
    most: int = MAX_PRODUCTS,
) -> dict[str, Any] | None:
    """Return a certificate of ``target >= 0`` from products of at most ``degree`` facts, times a square or 1.

    ``squares`` are the polynomials to square; ``multipliers`` are tried for the target after 1.
    None if there is none, or more than ``most`` products to try.
    """
    try:
        problem = polynomial.Problem.read(target, facts)
        roots = [
            problem.ring.constant(1),
            *(_with_positive_leading(r) for s in squares if (r := _readable(problem, s))),
        ]
        factors = [problem.ring.constant(1), *(_to_ring(problem, m) for m in multipliers)]
    except polynomial.Unreadable:
        return None
    rest = without_relations(problem)
    for size, factor in itertools.product(range(degree + 1), factors):
        terms = list(_candidates(problem, size, len(roots), most))
        if len(terms) > most:
            break
        products = [rest(_product(problem, powers) * roots[root] ** 2) for powers, root in terms]
        for coefficients in _combinations(rest(problem.target * factor), products, [1 + sum(p) for p, _ in terms]):
            certificate = _certificate_json(terms, coefficients, roots, factor)
            if polynomial.check_identity(target, facts, certificate) is None:
                return certificate
    return None


def without_relations(problem: polynomial.Problem) -> Callable[[fmpq_mpoly], fmpq_mpoly]:
    """Return a function that writes a polynomial without the relations of its generators.

    (sqrt(e))^2 is e, e^(3/2) is e sqrt(e), and x^2 is |x|^2 if |x| is a generator.
    """
    letters = dict(zip(problem.generators, problem.ring.gens(), strict=True))
    sizes = [
        (problem.generators.index(g.args[0]), letters[g])
        for g in problem.generators
        if isinstance(g, sympy.Abs) and g.args[0] in problem.generators
    ]
    halves = list[tuple[int, int, fmpq_mpoly, fmpq_mpoly]]()  # place, n, e and sqrt(e) of a generator e^(n/2)
    for place, generator in enumerate(problem.generators):
        power = generator.exp if isinstance(generator, sympy.Pow) else None
        if power is not None and power.is_Rational and power.q == 2 and power > 0:
            root = letters.get(sympy.sqrt(generator.base))
            with suppress(polynomial.Unreadable):
                if root is not None:
                    halves.append((place, int(power.p), _to_ring(problem, generator.base), root))

    def rest(value: fmpq_mpoly) -> fmpq_mpoly:
        for place, power, base, root in sorted(halves, key=lambda h: -h[1]):
            found = problem.ring.constant(0)
            for exponents, coefficient in value.to_dict().items():
                left = tuple(0 if k == place else int(e) for k, e in enumerate(exponents))
                whole, single = divmod(power * int(exponents[place]), 2)
                found += problem.ring.from_dict({left: coefficient}) * base**whole * root**single
            value = found
        for place, size in sizes:
            found = problem.ring.constant(0)
            for exponents, coefficient in value.to_dict().items():
                left = tuple(int(e) % 2 if k == place else int(e) for k, e in enumerate(exponents))
                found += problem.ring.from_dict({left: coefficient}) * size ** (int(exponents[place]) // 2 * 2)
            value = found
        return value

    return rest


def _readable(problem: polynomial.Problem, expr: sympy.Expr) -> fmpq_mpoly | None:
    """Return a candidate in the problem's generators, or None if it has others."""
    with suppress(polynomial.Unreadable):
        return _to_ring(problem, expr)
    return None


def _to_ring(problem: polynomial.Problem, expr: sympy.Expr) -> fmpq_mpoly:
    """Return a polynomial of the caller in the problem's generators."""
    if not set(polynomial.generators([expr])) <= set(problem.generators):
        raise polynomial.Unreadable(f"not in the problem's generators: {expr}")
    return polynomial.to_polynomial(expr, problem.generators, problem.ring)


def _with_positive_leading(root: fmpq_mpoly) -> fmpq_mpoly:
    return root if root.leading_coefficient() > 0 else -root


def _candidates(problem: polynomial.Problem, degree: int, n_roots: int, most: int) -> Iterator[Term]:
    usable = [i for i, constant in enumerate(problem.constant) if not constant]
    for size in range(degree + 1):
        if math.comb(len(usable) + size, size) > most:
            yield from (((), 0) for _ in range(most + 1))
            return
        for chosen in itertools.combinations_with_replacement(usable, size):
            powers = tuple(chosen.count(i) for i in range(len(problem.facts)))
            yield from ((powers, root) for root in range(n_roots))


def _product(problem: polynomial.Problem, powers: tuple[int, ...]) -> fmpq_mpoly:
    product = problem.ring.constant(1)
    for fact, power in zip(problem.facts, powers, strict=True):
        if power:
            product *= fact**power
    return product


def _combinations(goal: fmpq_mpoly, products: list[fmpq_mpoly], costs: list[int]) -> Iterator[dict[int, fmpq]]:
    """Yield nonnegative rational combinations of the products that equal the goal, cheap ones first."""
    if goal == 0:
        yield {}
        return
    columns = [p.to_dict() for p in products]
    right = goal.to_dict()
    rows = {m: i for i, m in enumerate(dict.fromkeys(itertools.chain(right, *columns)))}
    entries = [(rows[m], j, int(c.p) / int(c.q)) for j, column in enumerate(columns) for m, c in column.items()]
    row, column, value = zip(*entries, strict=True)
    matrix = csc_array((value, (row, column)), shape=(len(rows), len(columns)))
    wanted = np.zeros(len(rows))
    for m, c in right.items():
        wanted[rows[m]] = int(c.p) / int(c.q)
    solution = linprog(costs, A_eq=matrix, b_eq=wanted, method="highs-ds")
    if solution.status != 0:
        return
    seen = set()
    for tolerance in TOLERANCES:
        support = tuple(int(j) for j in np.flatnonzero(solution.x > tolerance))
        if support and support not in seen:
            seen.add(support)
            exact = _solve([columns[j] for j in support], right)
            if exact is not None and all(c >= 0 for c in exact):
                yield {j: c for j, c in zip(support, exact, strict=True) if c > 0}


def _solve(columns: list[dict[tuple[int, ...], fmpq]], right: dict[tuple[int, ...], fmpq]) -> list[fmpq] | None:
    """Return the exact solution of the linear system with free unknowns 0, or None."""
    monomials = dict.fromkeys(itertools.chain(right, *columns))
    zero = fmpq(0)
    table = [[c.get(m, zero) for c in [*columns, right]] for m in monomials]
    reduced, rank = fmpq_mat(table).rref()
    solution = [zero] * len(columns)
    for i in range(rank):
        pivot = next(j for j in range(len(columns) + 1) if reduced[i, j] != 0)
        if pivot == len(columns):
            return None
        solution[pivot] = reduced[i, len(columns)]
    return solution


def _certificate_json(
    terms: list[Term], coefficients: dict[int, fmpq], roots: list[fmpq_mpoly], factor: fmpq_mpoly
) -> dict[str, Any]:
    written: list[dict[str, Any]] = []
    for j, coefficient in coefficients.items():
        powers, root = terms[j]
        term: dict[str, Any] = {"coefficient": str(coefficient), "powers": [str(p) for p in powers]}
        if root:
            term["square"] = term_json(roots[root])
        written.append(term)
    certificate: dict[str, Any] = {"terms": written}
    if not factor.is_one():
        certificate["multiplier"] = term_json(factor)
    return certificate


def term_json(value: fmpq_mpoly) -> list[Any]:
    """Return a polynomial as a certificate lists it: coefficients and exponents."""
    return [[str(c), [str(e) for e in exponents]] for exponents, c in value.to_dict().items()]


def find_ball(
    target: sympy.Expr,
    box: Mapping[Symbol, tuple[Any, Any]],
    zeros: Mapping[Symbol, tuple[Any, ...]] | None = None,
    max_boxes: int = 3000,
) -> Any | None:
    """Return a certificate of ``target >= 0`` on the box by branch and bound; None if ``max_boxes`` do not suffice.

    Taylor nodes are tried at the given zeros of a symbol and at the ends of its side.
    """
    try:
        problem = ball.Problem(target, box)
    except polynomial.Unreadable:
        return None
    known = {str(s): [Fraction(number.exact(z)) for z in values] for s, values in (zeros or {}).items()}
    nodes = [
        (axis, centre, order)
        for axis, (name, side) in enumerate(zip(problem.names, problem.box, strict=True))
        for centre in dict.fromkeys([*known.get(name, []), *side])
        if (order := _order(problem, axis, centre))
    ]
    budget = itertools.count(1)

    def grow(part: ball.Box, depth: int) -> Any | None:
        if next(budget) > max_boxes or depth > ball.MAX_DEPTH:
            return None
        if method := problem.method(part):
            return method
        for axis, centre, order in nodes:
            if problem.taylor(part, axis, centre, order):
                return {"symbol": problem.names[axis], "centre": str(centre), "order": str(order)}
        if not part:
            return None
        branches = []
        for half in ball.bisect_box(part, problem.box):
            branch = grow(half, depth + 1)
            if branch is None:
                return None
            branches.append(branch)
        return branches

    return grow(problem.box, 0)


def _order(problem: ball.Problem, axis: int, centre: Fraction) -> int:
    """Return how many derivatives vanish at the centre, from the zeroth on; 0 if that exceeds ``MAX_ORDER``."""
    for order in range(ball.MAX_ORDER + 1):
        if not problem.vanishes(axis, centre, order):
            return order
    return 0
