"""What a theorem without steps gives: inserted equations, conditions on parameters, candidates for multipliers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

import sympy
from sympy import Expr, Integer

from fltheory.proof.algebra.axioms import Axiom, Kind, relation_of
from fltheory.proof.algebra.context import Context, Equation, class_of
from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.language import Defines, Given, Member, ProofError, Relation, Theorem
from fltheory.proof.terms import E, Fun, Grad, Scalar, Val, Vector, is_random, is_vector
from fltheory.proving.multipliers.system.forms import (
    Form,
    constants_apart,
    form_of,
    is_unknown,
    parameters_of,
    without_common,
)

Width = Literal["strongest", "plain", "all"]  # which inequalities of a class a search may use


@dataclass(frozen=True)
class Candidate:
    """An inequality that may have a multiplier, or an equation (``free``), whose multiplier may have either sign.

    ``source`` is the axiom, or the name of the hypothesis; ``mean``: it is about expectations. ``form`` is that of the
    gap divided by ``scale``, a product of positive parameters that all its coefficients have.
    """

    source: Axiom | str
    member: str
    gap: Expr
    form: Form
    free: bool = False
    mean: bool = False
    scale: Expr = sympy.S.One


@dataclass(frozen=True)
class Reading:
    """A theorem as a goal, candidates and conditions; ``inserting`` names the equations in the order of insertion."""

    theorem: Theorem
    goal: Expr
    form: Form
    candidates: tuple[Candidate, ...]
    conditions: tuple[Given, ...]
    inserting: tuple[str, ...]
    parameters: tuple[Expr, ...]
    mean: bool

    @property
    def context(self) -> Context:
        """The context that inserts the equations."""
        return _context(self.theorem, self.inserting)

    def bounds(self) -> Iterator[tuple[Expr, bool]]:
        """Yield what the conditions say is nonnegative, and whether it is even positive."""
        for given in self.conditions:
            yield self.context.inserted(given.relation.gap), given.relation.op == "<"


def read_theorem(theorem: Theorem, width: Width = "strongest", apart: bool = False) -> Reading:
    """Return the reading of a theorem with some of the inequalities of each class.

    ``apart``: parameters that occur in numbers alone, such as a variance, make unknown numbers, and are none of the parameters;
    conditions on one parameter, such as 1 <= gamma, are left out, so that more units are free.
    """
    if theorem.statement.op != "<=" or theorem.statement.over or is_vector(theorem.statement.gap):
        raise ProofError(f"{theorem.id}: multipliers prove one inequality with <= between numbers, without ranges")
    inserting = _insertion_order(theorem)
    context = _context(theorem, inserting)
    goal = context.expand(theorem.statement.gap)
    mean = bool(goal.has(E))
    conditions, told = list[Given](), list[Candidate]()
    for given in theorem.hypotheses:
        if not isinstance(given, Given) or given.id in inserting or given.relation.over:
            continue
        if is_vector(given.relation.gap):
            continue
        gap = context.expand(given.relation.gap)
        if is_unknown(gap):
            free = given.relation.op == "=="
            scale, form = without_common(form_of(gap))
            told.append(Candidate(given.id, "", gap, form, free, bool(gap.has(E)), scale))
        elif given.relation.op != "==":
            conditions.append(given)
    bounds = [g.relation.gap for g in conditions]
    told += _axioms(theorem, context, inserting, width, bounds)
    forms = [form_of(goal), *(one.form for one in told)]
    if apart:
        forms, own = constants_apart(forms)
        told = [replace(one, form=form) for one, form in zip(told, forms[1:], strict=True)]
        conditions = [g for g in conditions if not own & g.relation.gap.free_symbols and not _is_of_one(g.relation)]
        bounds = [g.relation.gap for g in conditions]
    parameters = parameters_of([*(c for form in forms for c in form.values()), *bounds])
    return Reading(theorem, goal, forms[0], tuple(told), tuple(conditions), inserting, parameters, mean)


def _is_of_one(relation: Relation) -> bool:
    return len(relation.gap.free_symbols) == 1 and not relation.gap.has(Scalar)


def _context(theorem: Theorem, inserting: Sequence[str]) -> Context:
    named = {h.id: h for h in theorem.hypotheses}
    found = list[Defines]()
    for name in inserting:
        one = named[name]
        if isinstance(one, Given):
            found.append(Equation(name, one.relation.left, one.relation.right))
        elif isinstance(one, Defines):
            found.append(one)
    members = tuple(h for h in theorem.hypotheses if isinstance(h, Member))
    return Context({}, tuple(found), members, theorem.statement)


def _insertion_order(theorem: Theorem) -> tuple[str, ...]:
    """Return the equations that define an atom, each before those of the atoms that its right side contains."""
    sides = dict[str, tuple[Expr, Expr]]()
    taken = set[Expr]()
    for one in theorem.hypotheses:
        if isinstance(one, Defines):
            left, right = one.left, one.right
        elif isinstance(one, Given) and one.relation.op == "==" and not one.relation.over:
            left, right = one.relation.left, one.relation.right
        else:
            continue
        base = left.base if isinstance(left, sympy.Pow) else left
        atom = isinstance(base, Vector | Grad | Val | Scalar | sympy.Symbol)
        if atom and left not in taken and not right.has(left):
            sides[one.id] = (left, right)
            taken.add(left)
    order = list[str]()
    while len(order) < len(sides):
        rest = [n for n in sides if n not in order]
        ready = [n for n in rest if not any(sides[m][1].has(sides[n][0]) for m in rest if m != n)]
        if not ready:  # the equations define each other: the last of them is left out
            del sides[rest[-1]]
            continue
        order += ready
    return tuple(order)


def _axioms(
    theorem: Theorem, context: Context, inserting: Sequence[str], width: Width, conditions: Sequence[Expr]
) -> Iterator[Candidate]:
    members = tuple(h for h in theorem.hypotheses if isinstance(h, Member))
    facts = tuple(context.inserted(c) for c in conditions)
    for function, points in _points(theorem, context).items():
        try:
            member = class_of(function, members)
        except ProofError:
            continue
        for kind in _kinds(member, facts, width):
            for u, v in permutations(points, 2):
                axiom = Axiom(kind, function, u, v)
                gap = context.expand(relation_of(axiom, member, facts).gap)
                yield Candidate(axiom, member.id, gap, form_of(gap), mean=is_random(gap))


def _kinds(member: Member, facts: tuple[Expr, ...], width: Width) -> list[Kind]:
    """Return the inequalities of a class that a search of some width may use.

    The strongest one implies the others, and has L - mu in it; those without it are convexity and co-coercivity.
    """
    strong: tuple[Kind, ...] = ("cocoercive",) if member.convex == 0 else ("interpolated",)
    plain: tuple[Kind, ...] = () if member.convex == 0 else ("convex", "cocoercive")
    usual: tuple[Kind, ...] = ("convex", "descent", "ascent", "lipschitz")
    found = [kind for kind in strong if _has(member, kind, facts)]
    if width == "plain" and all(_has(member, kind, facts) for kind in plain):
        found = list(plain) or found
    elif width == "all" or not found:
        found += [kind for kind in usual if _has(member, kind, facts)]
    return found


def _has(member: Member, kind: Kind, facts: tuple[Expr, ...]) -> bool:
    """Return whether a class has an inequality, tried between two points of no theorem."""
    one, two = (Vector(sympy.Symbol("_tried"), Integer(n)) for n in (1, 2))
    try:
        relation_of(Axiom(kind, member.function, one, two), member, facts)
    except ProofError:
        return False
    return True


def _points(theorem: Theorem, context: Context) -> dict[Expr, list[Expr]]:
    """Return for each function the points of its values and gradients, each once, in a fixed order."""
    found = dict[Expr, dict[Expr, Expr]]()
    for expr in _read(theorem):
        for atom in sorted(expr.atoms(Val, Grad), key=sympy.default_sort_key):
            function, point = atom.args
            if isinstance(function, Fun):
                key = sympy.Add(*(c * v for c, v in linear_form(context.expand(point))))
                found.setdefault(function, {}).setdefault(key, point)
    return {f: list(points.values()) for f, points in found.items()}


def _read(theorem: Theorem) -> Iterable[Expr]:
    yield from _sides(theorem.statement)
    for one in theorem.hypotheses:
        if isinstance(one, Given):
            yield from _sides(one.relation)
        elif isinstance(one, Defines):
            yield one.right


def _sides(relation: Relation) -> tuple[Expr, Expr]:
    return relation.left, relation.right
