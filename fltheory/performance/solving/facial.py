"""Facial reduction: what every certificate of a program has in common, found in floats and recognised as rationals.

Along a direction in which instances of a program recede without a change of the objective, the form that a certificate leaves
is 0, and so is each multiplier of a limit that loosens. Multipliers near a solver's then meet neither exactly; in a basis that
has these directions they do, once their products are unknown values. Nothing is assumed of what is found: certificates are
checked in the program itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from flint import fmpq
from scipy.sparse import bmat, csr_array, eye_array

from fltheory.performance.solving.program import Program, common_directions
from fltheory.worst_case.certificate.face import echelon, recognised
from fltheory.worst_case.gram import ONE, Expression, Vector, basis, combine_expressions, linear_combination, product
from fltheory.worst_case.problem.labels import FREE_SIGN_KINDS, Label
from fltheory.worst_case.solver import Cone, Unsolved, identity, make_table, solve_cone_program, unpack_symmetric
from fltheory.worst_case.symmetry_reduction import WholeFrame

ROUNDS, WITHIN = 3, (1e-3, 1e-5)  # distances at which a coordinate of a direction is recognised
SMALL = 1e-7  # relative to the largest: what counts as 0


def reductions(program: Program) -> Iterator[Program]:
    """Yield forms of the program that may have certificates near a solver's: by exact directions first, then recognised ones."""
    known = common_directions(program)
    first = _in_basis_of(program, known, frozenset()) if known else program
    yield first
    for within in WITHIN:
        one = first
        for _ in range(ROUNDS):
            found = _receding(one, within)
            if found is None:
                break
            one = _in_basis_of(one, *found)
            yield one


def _receding(program: Program, within: float) -> tuple[list[list[fmpq]], frozenset[Label]] | None:
    """Return an echelon basis of directions of recession, and the limits that loosen along them; None if there are none."""
    frame = WholeFrame(program)
    (size,), table = frame.sizes, make_table(program, frame)
    if not size:
        return None
    free, packed = len(table.names), size * (size + 1) // 2
    labels, signed = frame.labels, list(table.signed)
    limits = csr_array(np.hstack([table.entries.T.toarray(), table.linear.T.toarray()]))
    goal = csr_array(np.concatenate([table.goal_entries, table.goal_linear])[None])
    equations = [k for k, label in enumerate(labels) if label[0] in FREE_SIGN_KINDS]
    slack, whole, room = eye_array(len(signed), format="csr"), packed + free, len(signed)
    rows = [
        [goal, None],
        *([[limits[equations], None]] if equations else []),
        [limits[signed], slack],
        [csr_array(np.concatenate([identity(size), np.zeros(free)])[None]), csr_array(np.ones((1, room)))],
        [None, -slack],
        [-eye_array(packed, whole, format="csr"), None],
    ]
    zero = 2 + len(equations) + room
    right = np.concatenate([np.zeros(zero - 1), np.ones(1), np.zeros(room + packed)])
    cones: list[Cone] = [("zero", zero), ("nonnegative", room), ("semidefinite", size)]
    try:
        found = solve_cone_program(
            np.zeros(whole + room), bmat(_filled(rows, (whole, room)), format="csc"), right, cones, 1e-9
        )
    except Unsolved:
        return None
    if str(found.status) not in ("Solved", "AlmostSolved"):
        return None
    x = np.array(found.x)
    loosened, roots_and_vectors = x[whole:], np.linalg.eigh(unpack_symmetric(x[:packed], size))
    roots, vectors = roots_and_vectors
    least = SMALL * max(float(loosened.max(initial=0.0)), float(roots.max()))
    loose = frozenset(labels[k] for k, s in zip(signed, loosened, strict=True) if s > least)
    rows_, _ = echelon(vectors[:, roots > least].T)
    exact = [[recognised(c, within) for c in row] for row in rows_.tolist()]
    if any(c is None for row in exact for c in row):
        exact = []
    if not exact and not loose:
        return None
    spread = [[fmpq(0)] * program.size for _ in exact]
    for row, own in zip(spread, exact, strict=True):
        for place, c in zip(frame.kept, own, strict=True):
            row[place] = c if c is not None else fmpq(0)
    return spread, loose


def _filled(rows: list[list[Any]], widths: tuple[int, ...]) -> list[list[Any]]:
    """Return the blocks with empty ones of the right width."""
    found = []
    for row in rows:
        height = next(one.shape[0] for one in row if one is not None)
        found.append([csr_array((height, w)) if one is None else one for one, w in zip(row, widths, strict=True)])
    return found


def _in_basis_of(program: Program, directions: list[list[fmpq]], loose: frozenset[Label]) -> Program:
    """Return the program without the loose limits, in a basis in which the directions are unlimited vectors."""
    moved = {next(i for i, c in enumerate(row) if c): row for row in directions}
    meaning: tuple[Vector, ...] = tuple(
        linear_combination((ONE, basis(i)), *((row[i], basis(p)) for p, row in moved.items() if i not in moved))
        for i in range(program.size)
    )

    def told(expression: Expression) -> Expression:
        parts = ((c, product(meaning[i], meaning[j])) for (i, j), c in expression.products.items())
        return combine_expressions(*parts, (ONE, Expression({}, expression.values, expression.constant)))

    stated = {label: told(limit) for label, limit in program.stated.items() if label not in loose}
    before = program.meaning or tuple(map(basis, range(program.size)))
    whole = tuple(linear_combination(*((c, meaning[i]) for i, c in vector)) for vector in before)
    unlimited = program.unlimited | frozenset(moved)
    return replace(program, goal=told(program.goal), stated=stated, unlimited=unlimited, meaning=whole, single=())
