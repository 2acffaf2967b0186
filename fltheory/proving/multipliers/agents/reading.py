"""The theorem about one client beside the averages, read off one about M clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy
from sympy import Expr, Integer, Symbol

from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.language import Defines, Given, Hypothesis, Member, Range, Relation, Theorem, eq
from fltheory.proof.terms import (
    Dot,
    E,
    Fun,
    Grad,
    RandomVector,
    Scalar,
    Total,
    Val,
    Vector,
    free_symbols,
    is_random,
    is_vector,
    rebuild,
    substitute,
)


class NotAlike(Exception):
    """Signal that a theorem is not one about M clients that are all alike."""


@dataclass(frozen=True)
class Solved:
    """An equation between vectors, solved for one of them: the line that states it, and its weight in that line."""

    relation: Relation
    weight: Expr


@dataclass(frozen=True)
class Joined:
    """An equation between averages, and the weights of the clients' equations with which it holds."""

    relation: Relation
    weights: Mapping[str, Expr]


@dataclass(frozen=True)
class Alike:
    """A theorem about M clients and the one about a single client beside the averages."""

    theorem: Theorem
    single: Theorem
    over: Range
    averages: frozenset[str]  # the hypotheses of the single theorem that only the sum over all clients meets
    solved: Mapping[str, Solved]  # by the name of the hypothesis
    defined: frozenset[str]  # the definitions of what each client has
    back: tuple[tuple[Any, Any], ...]  # a term of one client, and that of client m
    joined: Mapping[str, Joined]  # averages that are combinations of others, by the name of the hypothesis that says so


def read_alike(theorem: Theorem) -> Alike | None:
    """Return the theorem about one client, or None if the statement is not about M clients that are all alike."""
    try:
        return _Reader(theorem, _range_of(theorem)).read()
    except NotAlike:
        return None


def _range_of(theorem: Theorem) -> Range:
    """Return the range of the clients: the only one that occurs."""
    relations = [theorem.statement, *(h.relation for h in theorem.hypotheses if isinstance(h, Given))]
    sides = [side for r in relations for side in (r.left, r.right)]
    sides += [h.right for h in theorem.hypotheses if isinstance(h, Defines)]
    ranges = [(t.args[1], t.args[2], t.args[3]) for side in sides for t in side.atoms(Total)]
    ranges += [entry for r in relations for entry in r.over]
    if not ranges or theorem.statement.over or {low for _, low, _ in ranges} != {Integer(1)}:
        raise NotAlike
    counts = {high for _, _, high in ranges}
    count = next(iter(counts))
    if len(counts) > 1 or not (isinstance(count, Symbol) and count.is_integer and count.is_positive):
        raise NotAlike
    return sorted(ranges, key=str)[0]


@dataclass
class _Reader:
    """The reading of a theorem about clients ``over`` a range."""

    theorem: Theorem
    over: Range
    own: dict[Expr, Expr] = field(default_factory=dict)  # a family at the client's index, and its term for one client
    means: dict[Expr, Vector] = field(default_factory=dict)  # a sum of vectors, and the symbol for its average
    averages: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    solved: dict[str, Solved] = field(default_factory=dict)

    @property
    def count(self) -> Expr:
        return self.over[2]

    def read(self) -> Alike:
        statement = self.theorem.statement
        body = replace(statement, left=self.averaged(statement.left), right=self.averaged(statement.right))
        found = [self.hypothesis(own) for own in self.theorem.hypotheses]
        bodies = dict[Expr, Expr]()
        while rest := [total for total in self.means if total not in bodies]:  # a summand may have further sums
            bodies |= {total: self.body(total) for total in rest}
        joined = _joined_averages(self, bodies, found)
        found += [Given(name, one.relation, "an average of sums") for name, one in joined.items()]
        gone = {one.relation.left for one in joined.values()}
        apart = [(str(v.args[0]), v - bodies[total]) for total, v in self.means.items() if v not in gone]
        sides = [s for h in (body, *found) for s in sides_of(h)] + [difference for _, difference in apart]
        own = set(self.own.values()) | {solved.relation.left for solved in self.solved.values()}
        points = {v for s in sides for v in s.atoms(Vector, Grad)} | {
            Grad(*v.args) for s in sides for v in s.atoms(Val)
        }
        shared = sorted((v for v in points if not own & {v, *v.atoms(Vector, Fun)}), key=str)
        for name, difference in apart:
            for number, vector in enumerate(shared, 1):
                own_id = fresh(f"{name}, {number}", {h.id for h in found})
                found.append(Given(own_id, eq(0, Dot(difference, vector)), "the average is a projection"))
                self.averages.add(found[-1].id)
        back = [*((one, at) for at, one in self.own.items()), *((v, t / self.count) for t, v in self.means.items())]
        single = replace(self.theorem, statement=body, hypotheses=tuple(found))
        return Alike(
            self.theorem,
            single,
            self.over,
            frozenset(self.averages),
            self.solved,
            frozenset(self.defined),
            tuple(back),
            joined,
        )

    def hypothesis(self, own: Hypothesis) -> Hypothesis:
        """Return what a hypothesis says of one client."""
        if isinstance(own, Member):
            slots = own.function.args[1:]
            at = {slots[0]: self.over[0]} if len(slots) == 1 else {}
            constants = (self.client(substitute(c, at)) if isinstance(c, Expr) else c for c in (own.smooth, own.convex))
            smooth, convex = constants
            return replace(own, function=self.client(substitute(own.function, at)), smooth=smooth, convex=convex)
        relation = own.relation if isinstance(own, Given) else eq(own.left, own.right)
        if isinstance(own, Defines) and isinstance(own.left, Vector | Scalar) and own.left.args[1:]:
            if len(own.left.args) > 2:
                raise NotAlike
            relation = eq(own.left, own.right, (own.left.args[1], Integer(1), self.count))
            self.defined.add(own.id)
        if len(relation.over) == 2:
            self.averages.add(own.id)
            return Given(own.id, _of_pairs(self, relation), own.why)
        if relation.over:
            if len(relation.over) > 1:
                raise NotAlike
            at = {relation.over[0][0]: self.over[0]}
            left, right = (self.client(self.with_means(substitute(s, at))) for s in (relation.left, relation.right))
            return Given(own.id, Relation(left, relation.op, right), own.why)
        if not (relation.left.has(Total) or relation.right.has(Total)):
            return own
        if is_vector(relation.gap):
            return Given(own.id, self.solve(own.id, relation), own.why)
        self.averages.add(own.id)
        return Given(
            own.id, Relation(self.averaged(relation.left), relation.op, self.averaged(relation.right)), own.why
        )

    def solve(self, name: str, relation: Relation) -> Relation:
        """Return an equation between shared vectors and averages, solved for one that no other equation gives."""
        gap = self.with_means(relation.left) - self.with_means(relation.right)
        parts = linear_form(gap)
        taken = {solved.relation.left for solved in self.solved.values()}
        known = [(c, v) for c, v in parts if isinstance(v, Vector) and v not in taken and not c.has(Dot, Val)]
        means = set(self.means.values())
        first = [*(e for e in known if e[1] in relation.left.atoms(Vector)), *(e for e in known if e[1] in means)]
        if not first:
            raise NotAlike
        c, vector = first[0]
        value = sympy.Add(*(-other / c * v for other, v in parts if v != vector))
        self.solved[name] = Solved(eq(vector, value), 1 / c)
        return self.solved[name].relation

    def client(self, term: Any) -> Any:
        """Return a term of client m as one of a single client."""
        index = self.over[0]
        if isinstance(term, Total):
            raise NotAlike
        if isinstance(term, Vector | Scalar | Fun) and index in term.args[1:]:
            rest = tuple(a for a in term.args[1:] if a != index)
            if len(rest) < len(term.args) - 2 or any(free_symbols(a) for a in rest):
                raise NotAlike
            if term not in self.own:
                self.own[term] = term.func(Symbol(_free_name(self, f"{term.args[0]}_each")), *rest)
            return self.own[term]
        if isinstance(term, Symbol):
            if term == index:
                raise NotAlike
            return term
        start = 1 if isinstance(term, Vector | Scalar | Fun) else 0
        return rebuild(term, (*term.args[:start], *map(self.client, term.args[start:]))) if term.args else term

    def body(self, total: Expr) -> Expr:
        """Return the summand for client m."""
        body, index, *_ = total.args
        return self.client(self.with_means(substitute(body, {index: self.over[0]})))

    def with_means(self, term: Any) -> Any:
        """Return a term with M times a symbol in the place of each sum of vectors."""
        if isinstance(term, Total) and is_vector(term):
            if free_symbols(term) & {self.over[0]}:
                raise NotAlike
            if term not in self.means:
                kind = RandomVector if is_random(term) else Vector
                self.means[term] = kind(Symbol(_free_name(self, f"mean_{len(self.means) + 1}")))
            return self.count * self.means[term]
        return rebuild(term, tuple(map(self.with_means, term.args))) if term.args else term

    def averaged(self, number: Expr) -> Expr:
        """Return a number, linear in sums over the clients, with M times the term of one client in the place of each sum."""
        number = self.with_means(number)
        parts = list[Expr]()
        for part in sympy.Add.make_args(sympy.expand(number)):
            factors = sympy.Mul.make_args(part)
            sums = [f for f in factors if f.has(Total)]
            if len(sums) > 1 or not all(isinstance(f, Total | E) for f in sums):
                raise NotAlike
            for total in sums:
                inner = E(self.averaged(total.args[0])) if isinstance(total, E) else self.count * self.body(total)
                part = sympy.Mul(*(inner if f is total else f for f in factors))
            parts.append(part)
        return sympy.Add(*parts)


def _free_name(reader: _Reader, wanted: str) -> str:
    """Return a name that no other term has."""
    sides = [side for h in (reader.theorem.statement, *reader.theorem.hypotheses) for side in sides_of(h)]
    taken = {str(t.args[0]) for side in sides for t in side.atoms(Vector, Scalar, Fun)}
    taken |= {str(t.args[0]) for t in (*reader.own.values(), *reader.means.values())}
    return fresh(wanted, taken, "_")


def _joined_averages(reader: _Reader, bodies: Mapping[Expr, Expr], found: Sequence[Hypothesis]) -> dict[str, Joined]:
    """Return the averages that are combinations of others, by the equations of the clients."""
    steps = {
        h.relation.left: h
        for h in found
        if isinstance(h, Given) and h.relation.op == "==" and h.relation.left in set(reader.own.values())
        if not h.relation.right.has(h.relation.left)
    }
    names = {h.id for h in found}
    plain = {total: _plain(body, steps) for total, body in bodies.items()}
    alone = {v: total for total, (parts, _) in plain.items() for v, c in parts.items() if parts == {v: 1}}
    joined = dict[str, Joined]()
    for total, (parts, weights) in plain.items():
        own = {v: c for v, c in parts.items() if set(reader.own.values()) & {v, *v.atoms(Vector, Fun)}}
        if len(parts) == 1 or not set(own) <= set(alone):
            continue
        others = (c * (reader.means[alone[v]] if v in own else v) for v, c in parts.items())
        name = fresh(f"{reader.means[total].args[0]}, joined", names)
        joined[name] = Joined(eq(reader.means[total], sympy.Add(*others)), weights)
    return joined


def _of_pairs(reader: _Reader, relation: Relation) -> Relation:
    """Return what an equation E<v(m), w(n)> == 0 for all pairs of clients says of the averages of v and of w."""
    (one, *ends), (two, *others) = relation.over
    mean = relation.left
    if ends != others or tuple(ends) != reader.over[1:] or relation.op != "==" or relation.right != 0:
        raise NotAlike
    inner = mean.args[0] if isinstance(mean, E) else None
    if not isinstance(inner, Dot):
        raise NotAlike
    sides = list[Expr]()
    for side in inner.args:
        free = free_symbols(side) & {one, two}
        if len(free) != 1:
            raise NotAlike
        (index,) = free
        sides.append(reader.with_means(Total(side, index, *ends)) / reader.count)
    if {one, two} - (free_symbols(inner.args[0]) | free_symbols(inner.args[1])):
        raise NotAlike
    return eq(E(Dot(*map(sympy.expand, sides))), 0)


def _plain(body: Expr, steps: Mapping[Expr, Given]) -> tuple[dict[Expr, Expr], dict[str, Expr]]:
    """Return the vectors of a term with their coefficients, those that an equation defines replaced, and its weights."""
    parts, weights = dict[Expr, Expr](), dict[str, Expr]()
    left = list(linear_form(body))
    while left:
        c, v = left.pop()
        if v in steps:
            weights[steps[v].id] = weights.get(steps[v].id, Integer(0)) + c
            left += [(c * other, w) for other, w in linear_form(steps[v].relation.right)]
        else:
            parts[v] = sympy.expand(parts.get(v, 0) + c)
    return {v: c for v, c in parts.items() if c != 0}, weights


def sides_of(part: Relation | Hypothesis) -> tuple[Expr, ...]:
    """Return the sides of a relation, a hypothesis or a definition; of a class, its function."""
    if isinstance(part, Member):
        return (part.function,)
    relation = part.relation if isinstance(part, Given) else part
    return relation.left, relation.right


def fresh(name: str, taken: set[str], more: str = " too") -> str:
    while name in taken:
        name += more
    return name
