"""Values of the unknowns: an equation with one unknown gives it, another unknown is drawn where inequalities leave room."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable

import sympy
from flint import fmpq
from sympy import Expr, Max, Min, Symbol

from fltheory.proof import models, terms
from fltheory.proof.models.exact_terms import (
    ZERO,
    NoValue,
    Number,
    add,
    obeys_assumptions,
    power,
    product_of,
    rational,
    sign,
    symbolic,
)
from proofs_checks.search.ground import Constraint, Values
from proofs_checks.search.shape import Contradiction
from proofs_checks.search.world import UnknownWorld

USUAL = ("1", "2", "1/2", "3", "-1", "1/3", "4", "-2", "1/4", "3/2", "-1/2", "1/10", "5", "10", "1/100", "100")


class Search:
    """One attempt to give all unknowns values."""

    def __init__(
        self, world: UnknownWorld, constraints: list[Constraint], draw: random.Random, zero: float, first: str
    ) -> None:
        self.world, self.draw, self.zero, self.first = world, draw, zero, first
        self.values: Values = {}
        self.about: dict[Symbol, list[Constraint]] = {}
        for c in constraints:
            for u in c.unknowns:
                self.about.setdefault(u, []).append(c)
        self.left = {id(c): len(c.unknowns) for c in constraints}
        self.ready = [c for c in constraints if c.op == "==" and self.left[id(c)] == 1]
        self.order = list(world.kinds)
        draw.shuffle(self.order)
        if first == "symbols":
            self.order.sort(key=lambda u: not isinstance(world.kinds[u], Symbol))
        elif first == "members":
            self.order.sort(key=lambda u: isinstance(world.kinds[u], Symbol))
        elif first == "written":
            self.order = list(world.kinds)
        if draw.random() < 0.8:
            self.order.sort(key=lambda u: u in world.heads)
        families = sorted({self._family(u) for u in self.order})
        still = {f for f in families if draw.random() < 0.35} if draw.random() < 0.7 else set()
        if draw.random() < 0.6:
            still |= {f for f in families if f.endswith((" xi", " zeta"))}
        late = draw.random() < 0.8
        self.still = [u for u in self.order if self._family(u) in still and not (late and u in world.heads)]

    def _family(self, unknown: Symbol) -> str:
        kind = self.world.kinds[unknown]
        return kind.name if isinstance(kind, Symbol) else models.family_key(kind)

    def run(self) -> Values:
        """Values of all unknowns; Stuck at a contradiction."""
        for unknown in self.still:
            if unknown not in self.values and self._fits(unknown, ZERO):
                self._set(unknown, ZERO)
        while True:
            while self.ready:
                c = self.ready.pop()
                if self.left[id(c)] == 1:
                    (unknown,) = (u for u in c.unknowns if u not in self.values)
                    if self._idle(c, unknown):
                        continue
                    self._set(unknown, self._among(unknown, self._roots(c, unknown), c.name))
            unknown = next((u for u in self.order if u not in self.values), None)
            if unknown is None:
                return self.values
            value = self._among(unknown, self._free(unknown), "choice")
            self._set(unknown, value)
            for other in self.world.groups[self.world.key_of[unknown]]:
                if (
                    other not in self.values
                    and not any(c.op == "==" and self.left[id(c)] == 1 for c in self.about.get(other, ()))
                    and self._fits(other, value)
                ):
                    self._set(other, value)

    def _idle(self, c: Constraint, unknown: Symbol) -> bool:
        """Whether an equation holds whatever its last unknown is."""
        points = [self._at(c, unknown, fmpq(x)) for x in (1, 2, 5)]
        try:
            return all(p is not None and sign(p) == 0 for p in points)
        except NoValue:
            return False

    def _set(self, unknown: Symbol, value: Number) -> None:
        self.values[unknown] = value
        for c in self.about.get(unknown, ()):
            self.left[id(c)] -= 1
            if self.left[id(c)] == 1 and c.op == "==":
                self.ready.append(c)
            elif self.left[id(c)] == 0 and not c.true(self.values):
                raise Contradiction(c.name)

    def _fits(self, unknown: Symbol, value: Number) -> bool:
        kind = self.world.kinds[unknown]
        try:
            if unknown in self.world.logs:
                if sign(value) <= 0:
                    return False
            elif isinstance(kind, Symbol):
                if isinstance(value, fmpq):
                    if (
                        (kind.is_positive and value <= 0)
                        or (kind.is_nonnegative and value < 0)
                        or (kind.is_integer and value.q != 1)
                    ):
                        return False
                elif sympy.count_ops(value) > 150 or not obeys_assumptions(kind, value):
                    return False
            elif isinstance(kind, terms.Nonnegative) and sign(value) < (1 if isinstance(kind, terms.Positive) else 0):
                return False
        except NoValue:
            return False
        if not isinstance(value, fmpq) and sympy.count_ops(value) > 150:
            return False
        trial = {**self.values, unknown: value}
        return all(c.true(trial) for c in self.about.get(unknown, ()) if self.left[id(c)] == 1)

    def _among(self, unknown: Symbol, candidates: Iterable[Number], name: str) -> Number:
        for value in candidates:
            if self._fits(unknown, value):
                return value
        sole = [c.name for c in self.about.get(unknown, ()) if self.left[id(c)] == 1]
        raise Contradiction(f"{name}: {self.world.kinds[unknown]} ({', '.join(dict.fromkeys(sole))})")

    def _at(self, c: Constraint, unknown: Symbol, value: Number) -> Number | None:
        try:
            return c.value({**self.values, unknown: value})
        except (NoValue, ZeroDivisionError, OverflowError, TypeError):
            return None

    def _linear_root(self, c: Constraint, unknown: Symbol) -> Number | None:
        points = [self._at(c, unknown, fmpq(x)) for x in (1, 2, 3)]
        if any(p is None for p in points):
            return None
        a, b, d = points
        slope, other = add([b, product_of([fmpq(-1), a])]), add([d, product_of([fmpq(-1), b])])
        try:
            if sign(add([slope, product_of([fmpq(-1), other])])) != 0 or sign(slope) == 0:
                return None
            return add([fmpq(1), product_of([fmpq(-1), a, power(slope, fmpq(-1), False)])])
        except NoValue:
            return None

    def _roots(self, c: Constraint, unknown: Symbol) -> list[Number]:
        """Where the gap vanishes."""
        root = self._linear_root(c, unknown)
        if root is not None:
            return [root]
        points = [self._at(c, unknown, fmpq(x)) for x in (1, 2, 3, 4)]
        if all(isinstance(p, fmpq) for p in points):
            one, two, three, four = points
            if four - 3 * three + 3 * two - one == 0 and three - 2 * two + one != 0:
                a = (three - 2 * two + one) / 2
                b = two - one - 3 * a
                c0 = one - a - b
                disc = b * b - 4 * a * c0
                if disc < 0:
                    return []
                r = rational(sympy.sqrt(symbolic(disc)))
                found = [
                    product_of([add([-b, r]), 1 / (2 * a)]),
                    product_of([add([-b, product_of([fmpq(-1), r])]), 1 / (2 * a)]),
                ]
                self.draw.shuffle(found)
                return found
        found = []
        for expr in _branches(symbolic(c.gap)):
            plain = expr.xreplace({u: symbolic(v) for u, v in self.values.items() if u in c.unknowns})
            if not plain.has(unknown) or sympy.count_ops(plain) > 120:
                continue
            try:
                if plain.is_polynomial(unknown):
                    factors = sympy.factor_list(plain, unknown)[1]
                    found += [
                        rational(-f.coeff(unknown, 0) / f.coeff(unknown, 1))
                        for f, _ in factors
                        if sympy.degree(f, unknown) == 1
                    ]
                    continue
                if sympy.count_ops(plain) > 40:
                    continue
                found += [
                    rational(r)
                    for r in sympy.solve(plain, unknown, check=False, simplify=False)
                    if r.is_real and r.is_number
                ]
            except (NotImplementedError, ValueError, TypeError, AttributeError, ZeroDivisionError):
                continue
        return found

    def _free(self, unknown: Symbol) -> list[Number]:
        sole = [c for c in self.about.get(unknown, ()) if self.left[id(c)] == 1]
        usual: list[Number] = [models.read_number(t) for t in USUAL]
        if self.draw.random() > 0.5:
            self.draw.shuffle(usual)
        else:
            head = usual[:5]
            self.draw.shuffle(head)
            usual[:5] = head
        kind = self.world.kinds[unknown]
        name = kind.name if isinstance(kind, Symbol) else kind.args[0].name
        if ("step" in name or name in ("eta", "gamma")) and self.draw.random() < 0.7:
            usual = [fmpq(1, self.draw.choice((10, 50, 100, 400, 2000))), *usual]
        edges = [r for c in sole if (r := self._linear_root(c, unknown)) is not None]
        edges = edges[:12]
        near: list[Number] = []
        for e in edges:
            near += [product_of([e, fmpq(1, 2)]), add([e, fmpq(1)]), add([e, fmpq(-1)]), product_of([e, fmpq(2)]), e]
        near += [product_of([add([a, b]), fmpq(1, 2)]) for a, b in itertools.combinations(edges, 2)]
        if kind.is_integer:
            whole = [fmpq(int(e.p) // int(e.q)) for e in edges if isinstance(e, fmpq)]
            near += [w + d for w in whole for d in (0, 1, -1)]
        if self.draw.random() < 0.5:
            self.draw.shuffle(near)
        found = [*near, *usual, ZERO] if self.draw.random() < 0.5 else [*usual, *near, ZERO]
        return [ZERO, *found] if self.draw.random() < self.zero else found


def _branches(expr: Expr) -> list[Expr]:
    """The term with each extreme or absolute value replaced by each of its branches."""
    outer = next((p for p in sympy.preorder_traversal(expr) if isinstance(p, Max | Min | sympy.Abs)), None)
    if outer is None:
        return [expr]
    choices = [outer.args[0], -outer.args[0]] if isinstance(outer, sympy.Abs) else list(outer.args)
    return [b for choice in choices for b in _branches(expr.xreplace({outer: choice}))][:8]
