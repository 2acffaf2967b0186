"""Check of inequalities on a box, in ball arithmetic.

``check_on_box`` reads a certificate of ``target >= 0`` on a closed box with rational ends: a tree of bisections whose leaves
name the method that proves them. A tree is a leaf or a pair ``[below, above]``; the cut of a box is not stored but
follows from the box (``bisect_box``), so that the leaves cover it by construction. A leaf is

- ``"direct"``: the target's ball is >= 0;
- ``"mean"``: f(middle) + sum_i (df/dx_i)(leaf) * (x_i - middle_i) is >= 0;
- ``{"symbol": "x", "centre": "p/q", "order": "k"}``: the target and its derivatives in x up to the order k - 1 vanish at
  x = centre exactly, and the k-th has, on the whole leaf, the sign that makes (x - centre)^k * f^(k) positive.

A leaf must name the first method that works, in this order, and a box is split only if needed: so certificates are
unique up to the choice of zeros. The caller maps half-lines to boxes: u = 1/n turns "for all n >= 2" into 0 < u <= 1/2.

Symbols stand for real numbers, and the target must be real on the box: the radicand of a root must be provably >= 0. If
the target is 0 at a kink or branch point (sqrt(x) at 0), no leaf proves it: substitute (x = v^2) first.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf
from typing import Any

import sympy
from flint import arb, ctx
from sympy import Symbol

from fltheory import number
from fltheory.proof.algebra.polynomial import Unreadable, read_number

PRECISION = 128
MAX_DEPTH = 100
MAX_ORDER = 12

Box = tuple[tuple[Fraction, Fraction], ...]  # a pair of ends for each symbol
Node = tuple[int, Fraction, int]  # of a Taylor form: the index of the symbol, the centre, the order
SMOOTH = (sympy.Add, sympy.Mul, sympy.exp, sympy.log, sympy.sin, sympy.cos)
FAILURES = (TypeError, ValueError, IndexError, ZeroDivisionError)  # errors of an evaluation outside the target's domain


def check_on_box(target: sympy.Expr, box: Mapping[Symbol, tuple[Any, Any]], certificate: object) -> str | None:
    """Return None if the certificate proves ``target >= 0`` on the box (for the symbols' domains), else the fault."""
    try:
        problem = Problem(target, box)
        problem.verify(problem.box, certificate, 0)
    except Unreadable as error:
        return str(error)
    return None


class Problem:
    """A target on a box; it caches the derivatives that its leaves need."""

    def __init__(self, target: sympy.Expr, box: Mapping[Symbol, tuple[Any, Any]]) -> None:
        if not isinstance(target, sympy.Expr):
            raise Unreadable(f"not an expression: {target}")
        used = [s for s in box if s in target.free_symbols]
        if missing := target.free_symbols - set(used):
            raise Unreadable(f"the box has no sides for {', '.join(sorted(map(str, missing)))}")
        self.names = tuple(str(s) for s in used)
        if len(set(self.names)) < len(used):
            raise Unreadable("two symbols have the same name")
        self.box: Box = tuple(_side_bounds(s, box[s]) for s in used)
        self.symbols = tuple(Symbol(f"x{i}", real=True) for i in range(len(used)))
        self.target = target.xreplace(dict(zip(used, self.symbols, strict=True)))
        self._derivatives: dict[tuple[int, int], sympy.Expr] = {}
        self._zeros: dict[tuple[int, Fraction, int], bool] = {}

    def verify(self, box: Box, tree: object, depth: int) -> set[Node]:
        """Check the tree and return the Taylor nodes that it uses; Unreadable with the reason if it proves nothing."""
        method = self.method(box)
        if isinstance(tree, list):
            if len(tree) != 2 or depth >= MAX_DEPTH or not box:
                raise Unreadable(f"not a tree of pairs at most {MAX_DEPTH} deep")
            nodes: set[Node] = set()
            for half, branch in zip(bisect_box(box, self.box), tree, strict=True):
                nodes |= self.verify(half, branch, depth + 1)
            if method or any(self.taylor(box, *node) for node in nodes):
                raise Unreadable(f"a split is not needed on {self.describe(box)}")
            return nodes
        if isinstance(tree, dict) and set(tree) == {"symbol", "centre", "order"}:
            node = self._node(tree)
            if method:
                raise Unreadable(f"a simpler method, {method}, proves {self.describe(box)}")
            if not self.taylor(box, *node):
                raise Unreadable(
                    f"the Taylor form around {tree['symbol']} = {node[1]} does not prove {self.describe(box)}"
                )
            return {node}
        if tree not in ("direct", "mean"):
            raise Unreadable(f"not a leaf: {str(tree)[:60]}")
        if tree != method:
            raise Unreadable(
                f"{tree} is not the first method that proves {self.describe(box)} ({method or 'neither does'})"
            )
        return set()

    def _node(self, leaf: dict[str, object]) -> Node:
        centre, order = read_number(leaf["centre"]), read_number(leaf["order"])
        if leaf["symbol"] not in self.names or order.denominator != 1:
            raise Unreadable("a Taylor leaf names no symbol of the target, or an order that is not whole")
        return self.names.index(str(leaf["symbol"])), centre, int(order)

    def method(self, box: Box) -> str | None:
        """Return the first of direct and mean that proves the target >= 0 on the box."""
        with ctx.workprec(PRECISION):
            if self._direct(box):
                return "direct"
            return "mean" if self._mean(box) else None

    def taylor(self, box: Box, axis: int, centre: Fraction, order: int) -> bool:
        """Return whether a Taylor node of this order at a zero of the target proves it >= 0 on the box."""
        low, high = box[axis]
        if not (low <= centre <= high and 1 <= order <= MAX_ORDER):
            return False
        sign = 1 if order % 2 == 0 or centre == low else -1
        if order % 2 and low < centre < high:
            return False
        with ctx.workprec(PRECISION):
            if not all(self.smooth(self.derivative(axis, k), box) for k in range(order + 1)):
                return False
            if not sign * self._ball(self.derivative(axis, order), box) > 0:
                return False
        return all(self.vanishes(axis, centre, k) for k in range(order))

    def derivative(self, axis: int, order: int) -> sympy.Expr:
        """Return the derivative of this order in one symbol."""
        if order == 0:
            return self.target
        if (axis, order) not in self._derivatives:
            self._derivatives[axis, order] = sympy.diff(self.derivative(axis, order - 1), self.symbols[axis])
        return self._derivatives[axis, order]

    def vanishes(self, axis: int, centre: Fraction, order: int) -> bool:
        """Return whether the derivative is exactly 0 at the centre of one symbol, for all values of the others."""
        key = (axis, centre, order)
        if key not in self._zeros:
            expr = self.derivative(axis, order)
            somewhere = tuple((m, m) for m in (*_middle(self.box[:axis]), centre, *_middle(self.box[axis + 1 :])))
            with ctx.workprec(PRECISION):
                possible = self._ball(expr, somewhere).contains(0)
            value = expr.subs(self.symbols[axis], number.symbolic(centre)) if possible else sympy.S.One
            self._zeros[key] = bool(value == 0 or sympy.expand(value) == 0 or sympy.simplify(value) == 0)
        return self._zeros[key]

    def smooth(self, expr: sympy.Expr, box: Box) -> bool:
        """Return whether the expression is provably analytic on the box: no kinks, poles or branch points."""
        for part in sympy.preorder_traversal(expr):
            if isinstance(part, sympy.Pow):
                if not isinstance(part.exp, sympy.Integer) and not self._ball(part.base, box) > 0:
                    return False
            elif part.args and not isinstance(part, SMOOTH):
                return False
        return bool(self._ball(expr, box).is_finite())

    def describe(self, box: Box) -> str:
        """Return the box in words."""
        return (
            ", ".join(f"{n} in [{low}, {high}]" for n, (low, high) in zip(self.names, box, strict=True))
            or "the constant"
        )

    def _direct(self, box: Box) -> bool:
        return bool(self._ball(self.target, box) >= 0) and all(
            self._real_root(p, box) for p in self.target.atoms(sympy.Pow) if not isinstance(p.exp, sympy.Integer)
        )

    def _real_root(self, power: sympy.Pow, box: Box) -> bool:
        if power.base in self.symbols:
            return box[self.symbols.index(power.base)][0] >= 0
        return bool(power.base.is_nonnegative) or bool(self._ball(power.base, box) >= 0)

    def _mean(self, box: Box) -> bool:
        if not box or not self.smooth(self.target, box):
            return False
        middle = _middle(box)
        total = self._ball(self.target, tuple((m, m) for m in middle))
        for axis, (side, m) in enumerate(zip(box, middle, strict=True)):
            slope = self.derivative(axis, 1)
            if not self.smooth(slope, box):
                return False
            total += self._ball(slope, box) * (_hull(side) - number.to_ball(m))
        return bool(total >= 0)

    def _ball(self, expr: sympy.Expr, box: Box) -> arb:
        try:
            return number.evaluate_ball(expr, {s: _hull(side) for s, side in zip(self.symbols, box, strict=True)})
        except FAILURES:
            return arb.nan()


def bisect_box(box: Box, whole: Box) -> tuple[Box, Box]:
    """Return the two halves of a box, cut on its longest side relative to the whole box, at a suitable point."""
    lengths = [(high - low) / (top - bottom) for (low, high), (bottom, top) in zip(box, whole, strict=True)]
    axis = lengths.index(max(lengths))
    low, high = box[axis]
    cut = _cut_point(low, high)
    return (*box[:axis], (low, cut), *box[axis + 1 :]), (*box[:axis], (cut, high), *box[axis + 1 :])


def _cut_point(low: Fraction, high: Fraction) -> Fraction:
    """Return the middle; for ends of one sign and different scales, about their geometric mean."""
    if high < 0:
        return -_cut_point(-high, -low)
    ratio = high / low if low > 0 else inf
    if not 8 <= ratio < inf:
        return (low + high) / 2
    return low * 2 ** (int(ratio).bit_length() // 2)


def _middle(box: Box) -> tuple[Fraction, ...]:
    return tuple((low + high) / 2 for low, high in box)


def _hull(side: tuple[Fraction, Fraction]) -> arb:
    low, high = (number.to_ball(end) for end in side)
    return low if side[0] == side[1] else low.union(high)


def _side_bounds(symbol: Symbol, ends: tuple[Any, Any]) -> tuple[Fraction, Fraction]:
    try:
        low, high = (Fraction(number.exact(end)) for end in ends)
    except (TypeError, ValueError) as error:
        raise Unreadable(f"the side of {symbol} is not a pair of rational numbers") from error
    if not low < high:
        raise Unreadable(f"the side of {symbol} is empty: [{low}, {high}]")
    if symbol.is_nonnegative and low < 0:
        raise Unreadable(f"{symbol} is nonnegative, but its side begins at {low}")
    return low, high
