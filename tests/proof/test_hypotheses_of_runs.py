"""What the proofs of FedCG suppose of a run is true of runs: every hypothesis at exact numbers, on small instances."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from sympy import Expr, Integer, Max, Symbol, sympify

from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.proof import Theorem
from fltheory.proof.language import Given, Range, Relation
from fltheory.proof.terms import Scalar, Total
from fltheory.symbols import max_singleton, n_clients, n_items, n_rounds, optimum, rank, server_step_size

N, ITEMS, ROUNDS, RANK = 2, 3, 2, 2
ETA = Fraction(1, ROUNDS)
WEIGHTS = (Fraction(1, 3), Fraction(2, 3))
Point = tuple[Fraction, ...]
Values = Callable[[tuple[int, ...]], Any]  # of the sets of items
Families = dict[str, Callable[..., Any]]
# which points of a client an item covers
COVERS = ((({0}, {0, 1}, {2}), ({3}, {3}, {0, 3})), (({0, 1}, {1, 2}, {2, 0}), ({0}, {1}, {0, 1})))


def coverage(covers: tuple[set[int], ...], members: tuple[int, ...]) -> int:
    return len(set().union(*(covers[e] for e in members))) if members else 0


def extension(f: Values, x: Point) -> Fraction:
    total = Fraction(0)
    for size in range(ITEMS + 1):
        for drawn in combinations(range(ITEMS), size):
            weight = Fraction(1)
            for e in range(ITEMS):
                weight *= x[e] if e in drawn else 1 - x[e]
            total += weight * f(drawn)
    return total


def at(x: Point, e: int, value: int) -> Point:
    return (*x[:e], Fraction(value), *x[e + 1 :])


def slope(f: Values, x: Point, e: int) -> Fraction:
    return extension(f, at(x, e, 1)) - extension(f, at(x, e, 0))


def curve(f: Values, x: Point, e: int, other: int) -> Fraction:
    return slope(f, at(x, other, 1), e) - slope(f, at(x, other, 0), e)


def moved(x: Point, step: Point, count: int) -> Point:
    """The point with its first coordinates moved."""
    return tuple(a + b if e < count else a for e, (a, b) in enumerate(zip(x, step, strict=True)))


def run(covers: tuple[tuple[set[int], ...], ...]) -> tuple[Families, dict[Symbol, Any]]:
    """A run of FedCG with all clients: the families of the proof, counted from 1, and its constants."""
    clients = [lambda s, c=c: coverage(c, s) for c in covers]

    def F(members: tuple[int, ...]) -> Fraction:
        return sum((p * f(members) for p, f in zip(WEIGHTS, clients, strict=True)), Fraction(0))

    bases = list(combinations(range(ITEMS), RANK))
    best = max(bases, key=F)
    w: Point = tuple(Fraction(e in best) for e in range(ITEMS))
    points, chosen, means = [tuple(Fraction(0) for _ in range(ITEMS))], [], []
    for _ in range(ROUNDS):
        x = points[-1]
        own = [max(bases, key=lambda b, f=f: sum(slope(f, x, e) for e in b)) for f in clients]
        mean = tuple(sum(p * (e in b) for p, b in zip(WEIGHTS, own, strict=True)) for e in range(ITEMS))
        chosen.append(own)
        means.append(mean)
        points.append(tuple(a + ETA * b for a, b in zip(x, mean, strict=True)))

    def step(t: int) -> Point:
        return tuple(ETA * b for b in means[t]) if t < ROUNDS else points[0]

    def up(t: int) -> Point:
        return tuple(max(Fraction(0), a - b) for a, b in zip(w, points[t], strict=True))

    def down(t: int) -> Point:
        return tuple(max(Fraction(0), b - a) for a, b in zip(w, points[t], strict=True))

    def away(t: int, i: int) -> Fraction:
        f, x = clients[i - 1], points[t]
        return max(abs(slope(f, x, e) - slope(F, x, e)) for e in range(ITEMS))

    families: Families = {
        "p": lambda i: WEIGHTS[i - 1],
        "w": lambda e: w[e - 1],
        "x": lambda t, e: points[t][e - 1],
        "V": lambda t, k: extension(F, moved(points[t], step(t), k)),
        "G": lambda t, e, k: slope(F, moved(points[t], step(t), k), e - 1),
        "H": lambda t, e, k: curve(F, moved(points[t], step(t), k - 1), e - 1, k - 1),
        "U": lambda t, k: extension(F, moved(points[t], up(t), k)),
        "A": lambda t, e, k: slope(F, moved(points[t], up(t), k), e - 1),
        "B": lambda t, e, k: curve(F, moved(points[t], up(t), k - 1), e - 1, k - 1),
        "W": lambda t, k: extension(F, moved(w, down(t), k)),
        "S": lambda t, k: slope(F, moved(w, down(t), k - 1), k - 1),
        "g": lambda t, i, e: slope(clients[i - 1], points[t], e - 1),
        "v": lambda t, i, e: Fraction(e - 1 in chosen[t][i - 1]),
        "gamma": away,
        "gamma_max": lambda t: max(away(t, i) for i in (1, 2)),
        "Delta": lambda t, e: means[t][e - 1],
    }
    constants = {
        n_clients: N,
        n_items: ITEMS,
        n_rounds: ROUNDS,
        rank: RANK,
        server_step_size: ETA,
        optimum: F(best),
        max_singleton: max(F((e,)) for e in range(ITEMS)),
    }
    return families, constants


def number(expr: Expr, families: Families, values: dict[Symbol, Any]) -> Any:
    """A term at exact numbers."""
    if isinstance(expr, Total):
        body, index, low, high = expr.args
        ends = [int(number(end, families, values)) for end in (low, high)]
        terms = (number(body, families, {**values, index: k}) for k in range(ends[0], ends[1] + 1))
        return sum(terms, Integer(0))
    if isinstance(expr, Scalar):
        indices = [int(number(k, families, values)) for k in expr.args[1:]]
        return sympify(families[expr.args[0].name](*indices))
    if isinstance(expr, Symbol):
        return sympify(values[expr])
    if isinstance(expr, Max):
        return max(number(a, families, values) for a in expr.args)
    return expr.func(*(number(a, families, values) for a in expr.args)) if expr.args else expr


def places(over: tuple[Range, ...], families: Families, values: dict[Symbol, Any]) -> Iterator[dict[Symbol, Any]]:
    if not over:
        yield values
        return
    (index, low, high), *rest = over
    for k in range(int(number(low, families, values)), int(number(high, families, values)) + 1):
        yield from places(tuple(rest), families, {**values, index: k})


def true(relation: Relation, families: Families, values: dict[Symbol, Any]) -> bool:
    compare = {"<=": operator.le, "<": operator.lt, "==": operator.eq}[relation.op]
    return all(
        compare(number(relation.left, families, here), number(relation.right, families, here))
        for here in places(relation.over, families, values)
    )


THEOREMS = (full.S1, full.S1_SPREAD, full.T32)


@pytest.mark.parametrize("covers", COVERS)
@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda t: t.id)
def test_a_run_obeys_every_hypothesis_and_the_statement(
    theorem: Theorem, covers: tuple[tuple[set[int], ...], ...]
) -> None:
    families, constants = run(covers)
    for hypothesis in theorem.hypotheses:
        assert isinstance(hypothesis, Given)
        assert true(hypothesis.relation, families, constants), hypothesis.id
    assert true(theorem.statement, families, constants)


CHANGES = {
    "V": "path",
    "U": "path up",
    "G": "mean",
    "S": "path down",
    "g": "mean",
    "Delta": "direction",
    "gamma": "near",
    "v": "direction",
}


@pytest.mark.parametrize(("name", "broken"), CHANGES.items())
def test_what_is_no_run_does_not(name: str, broken: str) -> None:
    """One family a little off: the hypothesis that ties it to the others fails."""
    families, constants = run(COVERS[0])
    plain = families[name]
    changed = {**families, name: lambda *at: plain(*at) * Fraction(1, 2) - Fraction(1, 7) * at[-1]}
    found = {h.id for h in full.T32.hypotheses if not true(h.relation, changed, constants)}
    assert broken in found
