"""The hypotheses of a theorem written out for small counts, as constraints between unknowns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy
from flint import fmpq
from sympy import Add, Expr, Mul, Pow, Symbol

from fltheory.proof import terms
from fltheory.proof.language import Given, Member, Theorem
from fltheory.proof.models.exact_terms import (
    NoValue,
    Number,
    Place,
    add,
    function_of,
    power,
    product_of,
    rational,
    sign,
)
from proofs_checks.search.shape import Contradiction, SpaceTooSmall, has_draws
from proofs_checks.search.world import UnknownWorld

Values = dict[Symbol, Number]
Evaluation = Callable[[Values], Number]


def compile_term(expr: Number) -> Evaluation:
    """A number with unknowns as a function of their values."""
    if isinstance(expr, fmpq):
        return lambda values: expr
    if isinstance(expr, Symbol):
        return lambda values: values[expr]
    if isinstance(expr, Expr) and expr.is_Rational:
        number = rational(expr)
        return lambda values: number
    if not expr.args:
        return lambda values: expr
    parts = [compile_term(a) for a in expr.args]
    if isinstance(expr, Add):
        return lambda values: add([p(values) for p in parts])
    if isinstance(expr, Mul):
        return lambda values: product_of([p(values) for p in parts])
    if isinstance(expr, Pow):
        base, exponent = parts
        return lambda values: power(base(values), exponent(values), False)
    return lambda values: function_of(expr.func, [p(values) for p in parts], False)


@dataclass
class Constraint:
    """0 <= gap, 0 < gap or 0 == gap, its unknowns."""

    name: str
    op: str
    gap: Expr
    unknowns: frozenset[Symbol]
    value: Evaluation

    def true(self, values: Values) -> bool:
        try:
            found = sign(self.value(values))
        except (NoValue, OverflowError, ZeroDivisionError, TypeError):
            return False
        return found == 0 if self.op == "==" else found >= 0 if self.op == "<=" else found > 0


def ground_constraints(theorem: Theorem, world: UnknownWorld, horizon: int) -> list[Constraint]:
    """The hypotheses written out."""
    found: dict[Any, Constraint] = {}
    rounds = [str(r) for r in range(25)] if world.manner.population == 1 and has_draws(theorem) else []
    while True:
        world.prepare(rounds)
        try:
            for h in theorem.hypotheses:
                if isinstance(h, Given):
                    chance = terms.is_random(h.relation.left) or terms.is_random(h.relation.right)
                    outcomes = range(len(world.weights)) if chance and not world.manner.flat else (0,)
                    for place in world.evaluator.places(h.relation.over, horizon, {}):
                        for o in outcomes:
                            if h.relation.op == "==":
                                _add_definition(world, h.relation.left, place, o)
                            for gap in world.evaluator.gaps(h.relation, place, o):
                                _add_constraint(found, h.id, h.relation.op, gap)
                elif isinstance(h, Member):
                    slots = h.function.args[1:]
                    everywhere = _indices(world, h) or [()]
                    for places in everywhere:
                        at = {s: fmpq(i) for s, i in zip(slots, places, strict=True)}
                        a = world.function(h.function, places)[0]
                        if h.smooth is not None:
                            smooth = world.evaluator.number(sympy.sympify(h.smooth), at, 0)
                            _add_constraint(found, h.id, "<=", add([smooth, -abs(a)]))
                        if h.convex is not None:
                            convex = world.evaluator.number(sympy.sympify(h.convex), at, 0)
                            _add_constraint(found, h.id, "<=", add([a, product_of([fmpq(-1), convex])]))
                else:
                    if isinstance(h.left, Symbol):
                        world.symbol(h.left)
            break
        except SpaceTooSmall:
            rounds = list(world.rounds)
            if len(rounds) > 4 or (world.manner.population > 2 and len(rounds) > 2):
                raise Contradiction from None
            found.clear()
            world.evaluator.means.clear()
            world.defined.clear()
    return list(found.values())


def _add_definition(world: UnknownWorld, left: Expr, place: Place, outcome: int) -> None:
    """What an equation gives by the rest: it is computed, not drawn, where that can be."""
    if isinstance(left, terms.Vector):
        world.heads |= {v for v in world.evaluator.vector(left, place, outcome) if isinstance(v, Symbol)}
    elif isinstance(left, terms.Scalar | Symbol):
        found = world.evaluator.number(left, place, outcome)
        if isinstance(found, Symbol):
            world.heads.add(found)


def _indices(world: UnknownWorld, member: Member) -> list[tuple[int, ...]]:
    name, count = member.function.args[0].name, len(member.function.args) - 1
    own = [k for n, k in world.functions if n == name]
    if not own and count:
        return [(1,) * count]
    return [
        tuple(map(int, k.split(","))) if k else () for k in own if k != "*" and (k.count(",") + 1 if k else 0) == count
    ] or ([(1,) * count])


def _add_constraint(found: dict[Any, Constraint], name: str, op: str, gap: Number) -> None:
    if isinstance(gap, fmpq):
        if not (gap == 0 if op == "==" else gap >= 0 if op == "<=" else gap > 0):
            raise Contradiction(name)
        return
    if (op, gap) not in found:
        constraint = Constraint(name, op, gap, frozenset(gap.free_symbols), compile_term(gap))
        if not constraint.unknowns and not constraint.true({}):
            raise Contradiction(name)
        if constraint.unknowns:
            found[(op, gap)] = constraint
