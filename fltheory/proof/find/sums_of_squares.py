"""The search for sums of squares: target = sum over products of facts of the product times a sum of squares.

A semidefinite programme in floats gives Gram matrices; where they are singular, the squares are first restricted to those
that vanish as they must; then the matrices are rounded and corrected exactly, and decomposed. The checker decides.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import fmpq, fmpq_mat, fmpq_mpoly

from fltheory.proof.algebra import polynomial
from fltheory.proof.find.find_scalar import term_json, without_relations

Rest = Callable[[fmpq_mpoly], fmpq_mpoly]

MOST_LETTERS, MOST_DEGREE = 6, 10  # of a target for which squares are sought
MOST_PRODUCTS, MOST_BASIS, MOST_ENTRIES = 24, 36, 900
MOST_FACES = 4  # restrictions one after another
ROOM = 1e-7  # of the least eigenvalue, from which on a matrix may be rounded
GAP = 1e-4  # eigenvalues below this share of the largest one count as zero
DENOMINATORS = (1, 12, 120, 10**4, 10**7)  # of rounded entries, coarse ones first
DENOMINATOR_OF_VECTOR = 60  # of the entries of a vector on which a matrix vanishes


@dataclass(frozen=True)
class Block:
    """A product of facts, its powers, and the polynomials among whose combinations the squared ones are."""

    product: fmpq_mpoly
    powers: tuple[int, ...]
    basis: tuple[fmpq_mpoly, ...]


def find_sum_of_squares(target: sympy.Expr, facts: tuple[sympy.Expr, ...]) -> dict[str, Any] | None:
    """Return a certificate of ``target >= 0`` by products of facts times sums of squares, or None."""
    try:
        import clarabel
    except ImportError:  # the solver is in an extra
        return None
    try:
        problem = polynomial.Problem.read(target, facts)
    except polynomial.Unreadable:
        return None
    rest = without_relations(problem)
    whole = rest(problem.target)
    if len(problem.generators) > MOST_LETTERS or not 0 < whole.total_degree() <= MOST_DEGREE:
        return None
    one = problem.ring.constant(1)
    above = sum((g**2 for g in problem.ring.gens()), one)  # a positive multiplier
    odd = whole.total_degree() % 2
    for with_facts, factor, more in ((False, one, odd), (True, one, 0), (False, above, odd), (True, one, 1)):
        if with_facts and (not problem.facts or (more and not odd)):
            continue
        blocks = _blocks(problem, whole * factor, with_facts, more)
        certificate = _certificate(clarabel, rest(whole * factor), blocks, rest) if blocks else None
        if certificate is not None and factor != one:
            certificate["multiplier"] = term_json(factor)
        if certificate is not None and polynomial.check_identity(target, facts, certificate) is None:
            return certificate
    return None


def _blocks(problem: polynomial.Problem, whole: fmpq_mpoly, with_facts: bool, more: int) -> list[Block]:
    """Return the products of facts whose degree leaves room for squares, with the monomials of these; up to so much ``more``."""
    count = len(problem.facts)
    degree = whole.total_degree() + more
    bounds = [max(int(e[k]) for e in whole.to_dict()) for k in range(len(problem.generators))]
    usable = [i for i, f in enumerate(problem.facts) if not f.is_constant() and f.total_degree() <= degree]
    found, entries = list[Block](), 0
    chosen = [()] + ([(i,) for i in usable] + list(itertools.combinations(usable, 2)) if with_facts else [])
    for places in sorted(chosen, key=len)[:MOST_PRODUCTS]:
        product = problem.ring.constant(1)
        for i in places:
            product *= problem.facts[i]
        room = (degree - product.total_degree()) // 2
        if room < 0:
            continue
        basis = _monomials(problem, room, [(b + 1) // 2 for b in bounds])
        entries += len(basis) ** 2
        if len(basis) > MOST_BASIS or entries > MOST_ENTRIES:
            break
        found.append(Block(product, tuple(places.count(i) for i in range(count)), basis))
    return found


def _monomials(problem: polynomial.Problem, degree: int, bounds: Sequence[int]) -> tuple[fmpq_mpoly, ...]:
    ranges = [range(min(degree, b) + 1) for b in bounds]
    exponents = [e for e in itertools.product(*ranges) if sum(e) <= degree]
    return tuple(problem.ring.from_dict({e: fmpq(1)}) for e in sorted(exponents, key=lambda e: (sum(e), e)))


# The programme ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Programme:
    """Equations of the Gram matrices' entries, in the order of blocks and of pairs i <= j: columns, and the target."""

    columns: tuple[dict[tuple[int, ...], fmpq], ...]
    right: dict[tuple[int, ...], fmpq]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, whole: fmpq_mpoly, blocks: Sequence[Block], rest: Rest) -> Programme:
        """Return the equations that say that the blocks add up to the target."""
        columns = []
        for block in blocks:
            for i, j in _pairs(len(block.basis)):
                twice = 1 if i == j else 2
                columns.append(rest(block.product * block.basis[i] * block.basis[j] * twice).to_dict())
        return cls(tuple(columns), whole.to_dict(), tuple(len(b.basis) for b in blocks))


def _pairs(size: int) -> list[tuple[int, int]]:
    return [(i, j) for j in range(size) for i in range(j + 1)]


def _certificate(clarabel: Any, whole: fmpq_mpoly, blocks: list[Block], rest: Rest) -> dict[str, Any] | None:
    for _ in range(MOST_FACES):
        if not blocks:
            return None
        programme = Programme.of(whole, blocks, rest)
        solved = _solved(clarabel, programme)
        if solved is None:
            return None
        matrices, room = solved
        if room > ROOM:
            return _rounded(programme, matrices, blocks)
        smaller = [_restricted(block, matrix) for block, matrix in zip(blocks, matrices, strict=True)]
        if None in smaller or all(len(s.basis) == len(b.basis) for s, b in zip(smaller, blocks, strict=True) if s):
            return None
        blocks = [s for s in smaller if s and s.basis]
    return None


def _solved(clarabel: Any, programme: Programme) -> tuple[list[np.ndarray], float] | None:
    """Return Gram matrices with the largest least eigenvalue, and this; None if there are none."""
    from scipy.sparse import csc_matrix

    rows = {m: k for k, m in enumerate(dict.fromkeys(itertools.chain(programme.right, *programme.columns)))}
    count = len(programme.columns)
    equations = np.zeros((len(rows), count + 1))
    for place, column in enumerate(programme.columns):
        for m, c in column.items():
            equations[rows[m], place] = int(c.p) / int(c.q)
    wanted = np.zeros(len(rows))
    for m, c in programme.right.items():
        wanted[rows[m]] = int(c.p) / int(c.q)
    parts, sides, cones = [equations], [wanted], [clarabel.ZeroConeT(len(rows))]
    parts.append(np.eye(1, count + 1, count))
    sides.append(np.ones(1))
    cones.append(clarabel.NonnegativeConeT(1))
    start = 0
    for size in programme.sizes:
        pairs = _pairs(size)
        part = np.zeros((len(pairs), count + 1))
        for row, (i, j) in enumerate(pairs):
            part[row, start + row] = -1.0 if i == j else -np.sqrt(2)
            part[row, count] = float(i == j)
        parts.append(part)
        sides.append(np.zeros(len(pairs)))
        cones.append(clarabel.PSDTriangleConeT(size))
        start += len(pairs)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    cost = np.zeros(count + 1)
    cost[count] = -1
    table, side = csc_matrix(np.vstack(parts)), np.concatenate(sides)
    found = clarabel.DefaultSolver(csc_matrix((count + 1, count + 1)), cost, table, side, cones, settings).solve()
    if str(found.status) not in ("Solved", "AlmostSolved") or found.x[count] < -ROOM:
        return None
    return _matrices(programme.sizes, np.array(found.x[:count])), float(found.x[count])


def _matrices(sizes: Sequence[int], entries: np.ndarray) -> list[np.ndarray]:
    found, start = [], 0
    for size in sizes:
        matrix = np.zeros((size, size))
        for place, (i, j) in enumerate(_pairs(size)):
            matrix[i, j] = matrix[j, i] = entries[start + place]
        found.append(matrix)
        start += size * (size + 1) // 2
    return found


def _restricted(block: Block, matrix: np.ndarray) -> Block | None:
    """Return the block with the combinations on which the matrix does not vanish; None if these are not seen to be rational."""
    values, vectors = np.linalg.eigh(matrix)
    null = vectors[:, values < GAP * max(1.0, float(values.max()))]
    if not null.shape[1]:
        return block
    exact = _rational_rows(null.T)
    if exact is None:
        return None
    kept = _kernel(exact, len(block.basis))
    basis = []
    for row in kept:
        basis.append(sum((c * b for c, b in zip(row, block.basis, strict=True) if c), block.product * 0))
    return Block(block.product, block.powers, tuple(basis))


def _rational_rows(rows: np.ndarray) -> list[list[fmpq]] | None:
    """Return the reduced echelon form of some rows with small denominators, or None."""
    own, place = rows.copy(), 0
    for column in range(own.shape[1]):
        if place == len(own):
            break
        pivot = place + int(np.argmax(np.abs(own[place:, column])))
        if abs(own[pivot, column]) < 1e-3:
            continue
        own[[place, pivot]] = own[[pivot, place]]
        own[place] /= own[place, column]
        for other in range(len(own)):
            if other != place:
                own[other] -= own[other, column] * own[place]
        place += 1
    near = [[Fraction(float(v)).limit_denominator(DENOMINATOR_OF_VECTOR) for v in row] for row in own]
    if any(
        abs(float(n) - v) > 1e-3 for row, exact in zip(own, near, strict=True) for v, n in zip(row, exact, strict=True)
    ):
        return None
    return [[fmpq(n.numerator, n.denominator) for n in row] for row in near]


def _kernel(rows: list[list[fmpq]], size: int) -> list[list[fmpq]]:
    """Return a basis of the vectors that are orthogonal to the rows."""
    reduced, rank = fmpq_mat(rows).rref()
    pivots = [next(j for j in range(size) if reduced[i, j] != 0) for i in range(rank)]
    found = []
    for free in (j for j in range(size) if j not in pivots):
        row = [fmpq(0)] * size
        row[free] = fmpq(1)
        for i, pivot in enumerate(pivots):
            row[pivot] = -reduced[i, free]
        found.append(row)
    return found


# Exact squares ------------------------------------------------------------------------------------------------------


def _rounded(programme: Programme, matrices: Sequence[np.ndarray], blocks: Sequence[Block]) -> dict[str, Any] | None:
    """Return the certificate of the matrices, rounded and corrected, or None if no rounding keeps them semidefinite."""
    rows = list(dict.fromkeys(itertools.chain(programme.right, *programme.columns)))
    table = [[c.get(m, fmpq(0)) for c in (*programme.columns, programme.right)] for m in rows]
    reduced, rank = fmpq_mat(table).rref()
    count = len(programme.columns)
    pivots = [next(j for j in range(count + 1) if reduced[i, j] != 0) for i in range(rank)]
    if count in pivots:
        return None
    floats = np.concatenate([[m[i, j] for i, j in _pairs(len(m))] for m in matrices])
    for most in DENOMINATORS:
        values = [
            fmpq(f.numerator, f.denominator) for f in (Fraction(float(v)).limit_denominator(most) for v in floats)
        ]
        for i, pivot in enumerate(pivots):
            rest = (
                reduced[i, j] * values[j] for j in range(pivot + 1, count) if reduced[i, j] != 0 and j not in pivots
            )
            values[pivot] = reduced[i, count] - sum(rest, fmpq(0))
        terms = _terms(values, blocks)
        if terms is not None:
            return {"terms": terms}
    return None


def _terms(values: Sequence[fmpq], blocks: Sequence[Block]) -> list[dict[str, Any]] | None:
    """Return the terms of a certificate, or None if a matrix is not semidefinite."""
    found, start = list[dict[str, Any]](), 0
    for block in blocks:
        size = len(block.basis)
        matrix = [[fmpq(0)] * size for _ in range(size)]
        for place, (i, j) in enumerate(_pairs(size)):
            matrix[i][j] = matrix[j][i] = values[start + place]
        start += size * (size + 1) // 2
        squares = _squares(matrix)
        if squares is None:
            return None
        for weight, row in squares:
            root = sum((c * b for c, b in zip(row, block.basis, strict=True) if c), block.product * 0)
            term: dict[str, Any] = {"powers": [str(p) for p in block.powers]}
            if root.is_constant():
                weight *= root.leading_coefficient() ** 2
            else:
                lead = root.leading_coefficient()
                weight, root = weight * lead**2, root / lead
                term["square"] = term_json(root)
            found.append({"coefficient": str(weight), **term})
    return found


def _squares(matrix: list[list[fmpq]]) -> list[tuple[fmpq, list[fmpq]]] | None:
    """Return matrix = sum of weight * row^T row with positive weights, or None if it is not semidefinite."""
    size, found = len(matrix), []
    own = [list(row) for row in matrix]
    for i in range(size):
        if own[i][i] < 0 or (own[i][i] == 0 and any(own[i][j] != 0 for j in range(size))):
            return None
        if own[i][i] == 0:
            continue
        pivot, row = own[i][i], [own[i][j] / own[i][i] for j in range(size)]
        found.append((pivot, row))
        for a in range(size):
            for b in range(size):
                own[a][b] -= pivot * row[a] * row[b]
    return found
