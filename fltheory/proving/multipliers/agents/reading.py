"""The theorem about one client beside the averages, read off one about M clients."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy
from sympy import Expr, Integer, Symbol

from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.language import Defines, Given, Hypothesis, Member, Range, Relation, Theorem, eq
from fltheory.proof.terms import (
    Dot,
    Draw,
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
from fltheory.proving.multipliers.agents.ranges import (
    NotAlike,
    Place,
    count_of,
    has_sums_within,
    is_place,
    place_of,
    placed,
    ranges_of,
)


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
    over: tuple[Range, ...]  # of the agents: clients, or clients with places and steps
    averages: frozenset[str]  # the hypotheses of the single theorem that only the sum over all clients meets
    solved: Mapping[str, Solved]  # by the name of the hypothesis
    each: Mapping[str, Relation]  # what is known of each client, in the agents' indices, by the name of the hypothesis
    names: Mapping[str, str]  # a class of the single theorem, and that of the theorem
    back: tuple[tuple[Any, Any], ...]  # a term of one client, and that of client m
    joined: Mapping[str, Joined]  # averages that are combinations of others, by the name of the hypothesis that says so


def read_alike(theorem: Theorem) -> Alike | None:
    """Return the theorem about one client, or None if the statement is not about M clients that are all alike."""
    try:
        return _Reader(theorem, ranges_of(theorem)).read()
    except NotAlike:
        return None


@dataclass
class _Reader:
    """The reading of a theorem about agents ``over`` some ranges."""

    theorem: Theorem
    over: tuple[Range, ...]
    own: dict[Expr, Expr] = field(default_factory=dict)  # a family at the agents' indices, and its term for one client
    means: dict[Place, Vector] = field(default_factory=dict)  # a sum of vectors, and the symbol for its average
    averages: set[str] = field(default_factory=set)
    solved: dict[str, Solved] = field(default_factory=dict)
    each: dict[str, Relation] = field(default_factory=dict)

    @property
    def indices(self) -> frozenset[Symbol]:
        return frozenset(index for index, _, _ in self.over)

    def read(self) -> Alike:
        statement = self.theorem.statement
        body = replace(statement, left=self.averaged(statement.left), right=self.averaged(statement.right))
        read = {h.id: self.hypothesis(h) for h in self.theorem.hypotheses if isinstance(h, Given)}
        bodies = _bodies(self, {})
        while more := [h for h in self.theorem.hypotheses if h.id not in read and self.is_used(h)]:
            read |= {h.id: self.definition(h) for h in more}
            bodies = _bodies(self, bodies)
        members, names = _members(self)
        given = [read.get(h.id, members.get(h.id)) for h in self.theorem.hypotheses]
        found: list[Hypothesis] = [h for own in given for h in (own if isinstance(own, list) else [own]) if h]
        joined = _joined_averages(self, bodies, found)
        found += [Given(name, one.relation, "an average of sums") for name, one in joined.items()]
        found += _projections(self, bodies, joined, [s for h in (body, *found) for s in sides_of(h)], found)
        back = [*((one, at) for at, one in self.own.items()), *((v, p.total / p.count) for p, v in self.means.items())]
        single = replace(self.theorem, statement=body, hypotheses=tuple(found))
        averages = frozenset(self.averages)
        return Alike(self.theorem, single, self.over, averages, self.solved, self.each, names, tuple(back), joined)

    def is_used(self, own: Hypothesis) -> bool:
        """Return whether a definition is one of what the clients have."""
        return isinstance(own, Defines) and (not own.left.args[1:] or _at(self, own.left) is not None)

    def definition(self, own: Hypothesis) -> Hypothesis:
        """Return what a definition says: of what all clients share, or of what each of them has."""
        assert isinstance(own, Defines)
        if isinstance(own.left, Vector | Scalar) and own.left.args[1:]:
            at = _at(self, own.left) or {}
            over = tuple(e for e in self.over if e[0] in at.values())
            self.each[own.id] = eq(substitute(own.left, at), substitute(own.right, at), *over)
            return self.of_each(own.id, self.each[own.id], own.why)
        return self.plain(own, eq(own.left, own.right))

    def hypothesis(self, own: Given) -> Hypothesis | None:
        """Return what a hypothesis says of one client; None if it says nothing of one alone."""
        relation = own.relation
        if not relation.over:
            return self.plain(own, relation)
        if has_sums_within(relation):
            return None
        if len(self.over) == 1 and len(relation.over) == 2:
            self.averages.add(own.id)
            return Given(own.id, _of_pairs(self, relation), own.why)
        here = placed(relation, self.over, _conditions(self.theorem))
        if here is None and len(self.over) > 1:
            return None
        if here is None:
            raise NotAlike
        try:
            read = self.of_each(own.id, here, own.why)
        except NotAlike:  # a step from another one: of several sums it is one that may be left out
            if len(self.over) == 1:
                raise
            return None
        self.each[own.id] = here
        return read

    def of_each(self, name: str, relation: Relation, why: str) -> Given:
        """Return what is known of each client for one of them."""
        sides = (self.averaged(s) if _has_sum(s) else self.with_means(s) for s in (relation.left, relation.right))
        left, right = map(self.client, sides)
        return Given(name, Relation(left, relation.op, right), why)

    def plain(self, own: Given | Defines, relation: Relation) -> Hypothesis:
        """Return what is said of all clients together, in averages."""
        if not (relation.left.has(Total) or relation.right.has(Total)):
            return own
        if is_vector(relation.gap):
            return Given(own.id, _solve(self, own.id, relation), own.why)
        self.averages.add(own.id)
        sides = self.averaged(relation.left), relation.op, self.averaged(relation.right)
        return Given(own.id, Relation(*sides), own.why)

    def client(self, term: Any) -> Any:
        """Return a term of client m as one of a single client."""
        if isinstance(term, Total):
            raise NotAlike
        if isinstance(term, Vector | Scalar | Fun) and free_symbols(term) & self.indices:
            rest = tuple(a for a in term.args[1:] if not free_symbols(a) & self.indices)
            places = [a for a in term.args[1:] if a not in rest]
            if not all(is_place(a, self.indices) for a in places) or any(free_symbols(a) for a in rest):
                raise NotAlike
            if len(set(places)) < len(places):
                raise NotAlike
            if term not in self.own:
                kind = RandomVector if isinstance(term, Vector) and is_random(term) else term.func
                self.own[term] = kind(Symbol(_free_name(self, f"{term.args[0]}_each")), *rest)
            return self.own[term]
        if isinstance(term, Symbol):
            if term in self.indices:
                raise NotAlike
            return term
        start = 1 if isinstance(term, Vector | Scalar | Fun) else 0
        return rebuild(term, (*term.args[:start], *map(self.client, term.args[start:]))) if term.args else term

    def body(self, place: Place) -> Expr:
        """Return the summand for client m."""
        return self.client(self.with_means(place.body))

    def with_means(self, term: Any) -> Any:
        """Return a term with M times a symbol in the place of each sum of vectors."""
        if isinstance(term, Total) and is_vector(term):
            if free_symbols(term) & self.indices:
                raise NotAlike
            place = place_of(term, self.over)
            if place not in self.means:
                kind = RandomVector if is_random(term) else Vector
                self.means[place] = kind(Symbol(_free_name(self, f"mean_{len(self.means) + 1}")))
            return place.count * self.means[place]
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
                place = None if isinstance(total, E) else place_of(total, self.over)
                inner = E(self.averaged(total.args[0])) if place is None else place.count * self.body(place)
                part = sympy.Mul(*(inner if f is total else f for f in factors))
            parts.append(part)
        return sympy.Add(*parts)


def _solve(reader: _Reader, name: str, relation: Relation) -> Relation:
    """Return an equation between shared vectors and averages, solved for one that no other equation gives."""
    gap = reader.with_means(relation.left) - reader.with_means(relation.right)
    parts = linear_form(gap)
    taken = {solved.relation.left for solved in reader.solved.values()}
    known = [(c, v) for c, v in parts if isinstance(v, Vector) and v not in taken and not c.has(Dot, Val)]
    means = set(reader.means.values())
    first = [*(e for e in known if e[1] in relation.left.atoms(Vector)), *(e for e in known if e[1] in means)]
    if not first:
        raise NotAlike
    c, vector = first[0]
    value = sympy.Add(*(-other / c * v for other, v in parts if v != vector))
    reader.solved[name] = Solved(eq(vector, value), 1 / c)
    return reader.solved[name].relation


def _bodies(reader: _Reader, known: Mapping[Place, Expr]) -> dict[Place, Expr]:
    """Return the summand of one client for each sum of vectors; a summand may have further sums."""
    found = dict(known)
    while rest := [place for place in reader.means if place not in found]:
        found |= {place: reader.body(place) for place in rest}
    return found


def _has_sum(side: Expr) -> bool:
    """Return whether a number has a sum of numbers."""
    return not is_vector(side) and any(not is_vector(t) for t in side.atoms(Total))


def _conditions(theorem: Theorem) -> list[Relation]:
    return [h.relation for h in theorem.hypotheses if isinstance(h, Given) and not h.relation.over]


def _at(reader: _Reader, left: Expr) -> dict[Expr, Expr] | None:
    """Return the agents' indices in the place of those of a definition, as its family is used; None if it is not."""
    used = [t for t in reader.own if t.args[0] == left.args[0] and len(t.args) == len(left.args)]
    return dict(zip(left.args[1:], used[0].args[1:], strict=True)) if used else None


def _members(reader: _Reader) -> tuple[dict[str, list[Hypothesis]], dict[str, str]]:
    """Return the classes of the functions of one client by the hypothesis, and the hypothesis by the name of each of them."""
    found, names = dict[str, list[Hypothesis]](), dict[str, str]()
    taken = {h.id for h in reader.theorem.hypotheses}
    for own in (h for h in reader.theorem.hypotheses if isinstance(h, Member)):
        functions = [t for t in reader.own if isinstance(t, Fun) and t.args[0] == own.function.args[0]]
        found[own.id] = [] if functions else [own]
        for term in functions:
            name = own.id if not found[own.id] else fresh(own.id, taken | set(names))
            at = dict(zip(own.function.args[1:], term.args[1:], strict=True))
            constants = (
                reader.client(substitute(c, at)) if isinstance(c, Expr) else c for c in (own.smooth, own.convex)
            )
            smooth, convex = constants
            names[name] = own.id
            found[own.id].append(replace(own, id=name, function=reader.own[term], smooth=smooth, convex=convex))
    return found, names


def _projections(
    reader: _Reader,
    bodies: Mapping[Place, Expr],
    joined: Mapping[str, Joined],
    sides: Sequence[Expr],
    found: Sequence[Hypothesis],
) -> list[Given]:
    """Return the equations that say that what a client differs from the average is orthogonal to what all clients share."""
    gone = {one.relation.left for one in joined.values()}
    apart = [(str(v.args[0]), v - bodies[place]) for place, v in reader.means.items() if v not in gone]
    apart += _reordered(reader)
    sides = [*sides, *(difference for _, difference in apart)]
    own = set(reader.own.values()) | {solved.relation.left for solved in reader.solved.values()}
    points = {v for s in sides for v in s.atoms(Vector, Grad)} | {Grad(*v.args) for s in sides for v in s.atoms(Val)}
    shared = sorted((v for v in points if not own & {v, *v.atoms(Vector, Fun)}), key=str)
    equations = list[Given]()
    for name, difference in apart:
        for number, vector in enumerate(shared, 1):
            own_id = fresh(f"{name}, {number}", {h.id for h in (*found, *equations)})
            equations.append(Given(own_id, eq(0, Dot(difference, vector)), "the average is a projection"))
    reader.averages |= {h.id for h in equations}
    return equations


def _reordered(reader: _Reader) -> list[tuple[str, Expr]]:
    """Return averages of gradients less that of the client drawn: if all are drawn, each once, the average is the same."""
    found = list[tuple[str, Expr]]()
    drawn = [t for t in reader.own if isinstance(t, Fun) and any(isinstance(a, Draw) for a in t.args[1:])]
    for function, (place, mean) in itertools.product(drawn, reader.means.items()):
        gradient = place.body
        if not isinstance(gradient, Grad) or gradient.args[0].args[0] != function.args[0]:
            continue
        over = tuple(e for e in reader.over if e[0] in free_symbols(function))
        other = Place(Grad(function, gradient.args[1]), over)
        if gradient.args[0] != function and linear_form(other.total) == linear_form(place.total):
            found.append((f"{mean.args[0]} drawn", mean - reader.body(other)))
    return found


def _free_name(reader: _Reader, wanted: str) -> str:
    """Return a name that no other term has."""
    sides = [side for h in (reader.theorem.statement, *reader.theorem.hypotheses) for side in sides_of(h)]
    taken = {str(t.args[0]) for side in sides for t in side.atoms(Vector, Scalar, Fun)}
    taken |= {str(t.args[0]) for t in (*reader.own.values(), *reader.means.values())}
    return fresh(wanted, taken, "_")


def _joined_averages(reader: _Reader, bodies: Mapping[Place, Expr], found: Sequence[Hypothesis]) -> dict[str, Joined]:
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
    if ends != others or tuple(ends) != reader.over[0][1:] or relation.op != "==" or relation.right != 0:
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
        sides.append(reader.with_means(Total(side, index, *ends)) / count_of(reader.over))
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
