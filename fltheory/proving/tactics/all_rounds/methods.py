"""Steps x(t + 1) = x(t) - s(t) v(t), perhaps projected, and the inequality that each of them obeys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sympy import Expr, S

from fltheory.proof import by
from fltheory.proof.algebra.normal import linear_form
from fltheory.proof.language import Given, Hypothesis, Range, Relation, le
from fltheory.proof.terms import Dot, E, Vector, square
from fltheory.proving.board import Board
from fltheory.proving.weighing import weighed

MOST_CENTRES = 2


@dataclass(frozen=True)
class Method:
    """The steps x(t + 1) = x(t) - size v over a range, stated by a line, and a fixed point ``centre`` near which they go."""

    step: str
    point: Expr
    size: Expr
    direction: Expr
    over: Range
    centre: Expr
    projected: bool = False  # the step is an inequality between distances
    mean: bool = False  # the claim is about expectations

    def whole(self, number: Expr) -> Expr:
        """A number, or its expectation if the claim is about expectations."""
        return E(number) if self.mean else number

    def distance(self, at: Expr) -> Expr:
        """The squared distance of the centre from the point of a round, or its expectation."""
        return self.whole(self.distance_of_run(at))

    def distance_of_run(self, at: Expr) -> Expr:
        """The squared distance of the centre from the point of a round."""
        return square(self.point.func(self.point.args[0], at) - self.centre)

    @property
    def slope(self) -> Expr:
        """The inner product of the direction with the way from the centre, or its expectation."""
        return self.whole(Dot(self.direction, self.point - self.centre))

    @property
    def cost(self) -> Expr:
        """What a step costs: half its size times the squared length of the direction."""
        return self.size / 2 * self.whole(square(self.direction))


def methods(hypotheses: tuple[Hypothesis, ...], claim: Relation) -> Iterator[Method]:
    """Yield the steps of the hypotheses with the fixed points of the claim."""
    centres = {v for side in (claim.left, claim.right) for v in side.atoms(Vector) if len(v.args) == 1}
    mean = claim.gap.has(E)
    for own in hypotheses:
        if not isinstance(own, Given) or len(own.relation.over) != 1:
            continue
        if own.relation.op != "==":
            yield from (replace(method, mean=mean) for method in _projected(own))
            continue
        (over,), left = own.relation.over, own.relation.left
        if not isinstance(left, Vector) or left.args[1:] != (over[0] + 1,) or not over[1].is_Integer:
            continue
        before = left.func(left.args[0], over[0])
        parts = {v: c for c, v in linear_form(own.relation.right)}
        if parts.pop(before, 0) != 1 or len(parts) != 1:
            continue
        ((direction, c),) = parts.items()
        for centre in sorted(centres, key=str)[:MOST_CENTRES]:
            yield Method(own.id, before, -c, direction, over, centre, mean=mean)


def _projected(own: Given) -> Iterator[Method]:
    """Yield the step of |x(t + 1) - u|^2 <= |x(t) - s v - u|^2, as of a projection on a set that has u."""
    left, right, (over,) = own.relation.left, own.relation.right, own.relation.over
    if own.relation.op != "<=" or not all(isinstance(s, Dot) and s.args[0] == s.args[1] for s in (left, right)):
        return
    after = {v: c for c, v in linear_form(left.args[0])}
    parts = {v: c for c, v in linear_form(right.args[0])}
    for point in (v for v, c in after.items() if c == 1 and isinstance(v, Vector)):
        before = point.func(point.args[0], *(over[0] if a == over[0] + 1 else a for a in point.args[1:]))
        centre = [v for v in after if v != point and after[v] == -1 and isinstance(v, Vector) and len(v.args) == 1]
        moved = before != point and parts.get(before) == 1 and over[1].is_Integer
        if len(after) != 2 or not centre or not moved or parts.get(centre[0]) != -1 or len(parts) != 3:
            continue
        direction = next(v for v in parts if v not in (before, centre[0]))
        yield Method(own.id, before, -parts[direction], direction, over, centre[0], projected=True)


def one_step(board: Board, method: Method) -> Board | None:
    """Return the board with a last line: <v, x - u> <= (V(t) - V(t + 1))/(2 s) + s/2 |v|^2."""
    index, size, over = method.over[0], method.size, method.over
    now, after = (method.distance_of_run(at) for at in (index, index + 1))
    middle = (
        method.point.func(method.point.args[0], index + 1) + method.point - size * method.direction - 2 * method.centre
    )
    claim = le(
        Dot(method.direction, method.point - method.centre),
        (now - after) / (2 * size) + size / 2 * square(method.direction),
        over,
    )
    line = board.accept(claim, by.linear({method.step: (1 if method.projected else middle) / (2 * size)}))
    if line is None or not method.mean:
        return line
    progress = (method.distance(index) - method.distance(index + 1)) / (2 * size)
    return line.accept(le(method.slope, progress + method.cost, over), by.expectation(line.last))


def with_slope(board: Board, slope: Relation) -> tuple[Board, str] | None:
    """Return the board with what a function gains by its slope, and the name of the line, stated or by multipliers."""
    below = (board.stating(slope) and board) or _stated_otherwise(board, slope) or weighed(board, slope, "slope")
    return (below, str(below.stating(slope))) if below else None


def _stated_otherwise(board: Board, claim: Relation) -> Board | None:
    """Return the board with a claim about expectations that one of the hypotheses states in other words."""
    for own in board.hypotheses if claim.gap.has(E) else ():
        if isinstance(own, Given) and own.relation.op == claim.op and own.relation.over == claim.over:
            done = board.accept(claim, by.linear({own.id: S.One})) if own.relation.gap.has(E) else None
            if done is not None:
                return done
    return None


def signed_distance(board: Board, method: Method, at: Expr, *over: Range) -> Board | None:
    """Return the board with a last line that says that the distance of a round is not negative."""
    plain = board.accept(le(0, method.distance_of_run(at), *over), by.sos())
    return (
        plain.accept(le(0, method.distance(at), *over), by.expectation(plain.last)) if plain and method.mean else plain
    )
