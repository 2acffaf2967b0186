"""The constants that Table 2 prints: zeta_*, delta and H of its ten tasks, each of two clients on the line.

Task 5 u + v has the curvatures of row v, left and right of 0, and the slopes s and -s with s = 1 for u = 0, s = 10 for u = 1.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Abs, Expr, Integer, Max, Rational, Symbol

from fltheory.papers.sfl.notation import distance, hessian_heterogeneity, hessian_jump, zeta_star
from fltheory.proof import Given, Relation, Step, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import Indicator, Scalar, family
from fltheory.verification import find

u, v = Symbol("u", integer=True, nonnegative=True), Symbol("v", integer=True, positive=True)
x, y = Symbol("x", real=True), Symbol("y", real=True)
left, right, slope, delta, jump, spread = (family(Scalar, name) for name in ("left", "right", "slope", "delta", "jump", "spread"))
ONE, HALF, ZERO = Integer(1), Rational(1, 2), Integer(0)
ROWS = (
    (ONE, ONE, ONE, ONE, ZERO, ZERO),
    (Rational(3, 2), Rational(3, 2), HALF, HALF, HALF, ZERO),
    (Integer(2), Integer(2), ZERO, ZERO, ONE, ZERO),
    (Rational(3, 2), ONE, Rational(3, 2), ONE, ZERO, HALF),
    (Integer(2), ONE, Integer(2), ONE, ZERO, ONE),
)
NAMES = ("left 1", "right 1", "left 2", "right 2", "delta", "jump")
PLACES = (lambda i: left(1, i), lambda i: right(1, i), lambda i: left(2, i), lambda i: right(2, i), delta, jump)
WHY = ("what the table says of the first client",) * 2 + ("what the table says of the second client",) * 2
WHY += ("what the table prints",) * 2
FIVE = Given("five", le(v, 5), "there are five rows, for tasks 1-5 and again for 6-10")


def rows(*columns: int) -> tuple[Given, ...]:
    """Return the values of the table in some columns."""
    return tuple(
        Given(f"{NAMES[i]} of {place}", eq(PLACES[i](place), row[i]), WHY[i])
        for place, row in enumerate(ROWS, 1)
        for i in columns
    )


def in_row(place: int) -> tuple[Relation, ...]:
    """Return the case that the task is in this row."""
    return tuple(c for c, real in ((le(v, place), place < len(ROWS)), (le(place, v), place > 1)) if real)


def by_rows(
    columns: tuple[int, ...], each: Callable[[str, tuple[Relation, ...], tuple[str, ...]], tuple[Step, ...]]
) -> tuple[Step, ...]:
    """Return lines row by row: ``each`` gets the row's name, its case, and the names of its numbers."""
    found: list[Step] = [line("some", le(1, v), by.linear())]
    ends = {1: ("some",), len(ROWS): ("five",)}
    for place in range(1, len(ROWS) + 1):
        case = in_row(place)
        found.append(line(f"row {place}", eq(v, place), by.antisymmetry(*ends.get(place, ())), assuming=case))
        found += each(str(place), case, (f"row {place}", *(f"{NAMES[i]} of {place}" for i in columns)))
    return tuple(found)


ALL = tuple(f"in {place}" for place in range(1, len(ROWS) + 1))


def at(client: int, point: Expr) -> Expr:
    """Return F_m'' at a point; at the kink its value on the right."""
    return left(client, v) + (right(client, v) - left(client, v)) * Indicator(point)


def mean(point: Expr) -> Expr:
    """F'' at a point."""
    return (at(1, point) + at(2, point)) / 2


# zeta_* ------------------------------------------------------------------------------------------------------------------

_ZETA = find("sfl/TAB2-zeta@printed").bound
_STEEP, _ = statement_of(_ZETA, Abs(slope(u)))
SPREAD = (
    proof("sfl/TAB2-zeta", of="sfl/TAB2-zeta@printed", bound=_ZETA,
        note="at x* = 0, where the curved part has no slope")
    .given("blocks", le(u, 1), "tasks 1-5 and 6-10")
    .given("slope of 0", eq(slope(0), 1), "what the table says of tasks 1-5")
    .given("slope of 1", eq(slope(1), 10), "what the table says of tasks 6-10")
    .given("zeta of 0", eq(spread(0), 1), "what the table prints")
    .given("zeta of 1", eq(spread(1), 10), "what the table prints")
    .given("printed", eq(zeta_star, spread(u)), "the number that is printed for the task")
    .step("least", le(0, u), by.linear())
    .step("first", eq(u, 0), by.antisymmetry("least"), assuming=le(u, 0))
    .step("in first", _STEEP, by.linear(first=0), inserting=("printed", "first", "slope of 0", "zeta of 0"),
        assuming=le(u, 0))
    .step("second", eq(u, 1), by.antisymmetry("blocks"), assuming=le(1, u))
    .step("in second", _STEEP, by.linear(second=0), inserting=("printed", "second", "slope of 1", "zeta of 1"),
        assuming=le(1, u))
    .qed(_STEEP, by.cases("in first", "in second"), name="either")
)

# delta -------------------------------------------------------------------------------------------------------------------

_DELTA = find("sfl/TAB2-delta@printed").bound
_OFF, _ = statement_of(_DELTA, Max(Abs(at(1, x) - mean(x)), Abs(at(2, x) - mean(x))))
_COLUMNS = (0, 1, 2, 3, 4)
_PRINTED = Given("printed", eq(hessian_heterogeneity, delta(v)), "the number that is printed for the task")
APART = (
    proof("sfl/TAB2-delta", of="sfl/TAB2-delta@printed", bound=_DELTA).under(FIVE, *rows(*_COLUMNS), _PRINTED)
    .steps(
        *by_rows(
            _COLUMNS,
            lambda name, case, numbers: (
                line(f"in {name}", _OFF, by.linear({f"row {name}": 0}), inserting=("printed", *numbers), assuming=case),
            ),
        )
    )
    .qed(_OFF, by.cases(*ALL), name="every")
)

# H ------------------------------------------------------------------------------------------------------------------------

_H = find("sfl/TAB2-H@corrected").bound
_CHANGE = mean(x) - mean(y)
_JUMP, _ = statement_of(_H, Abs(_CHANGE))
_SIDES = (0, 1, 2, 3, 5)
_PRINTED_H = Given("printed", eq(hessian_jump, jump(v)), "the number that is printed for the task")
_AT_MOST = tuple(line(f"{name} at most", le(Indicator(p), 1), by.fact("indicator", p)) for name, p in (("x", x), ("y", y)))


def _both(name: str, case: tuple[Relation, ...], numbers: tuple[str, ...]) -> tuple[Step, ...]:
    put = ("printed", *numbers)
    row = ROWS[int(name) - 1]
    size = abs(row[1] - row[0] + row[3] - row[2]) / 2
    return (
        line(f"up {name}", le(_CHANGE, hessian_jump), by.linear({"y at most": size}, "x at most"), inserting=put,
            assuming=case),
        line(f"down {name}", le(-_CHANGE, hessian_jump), by.linear({"x at most": size}, "y at most"), inserting=put,
            assuming=case),
        line(f"in {name}", _JUMP, by.absolute(f"up {name}", f"down {name}"), assuming=case),
    )


JUMPS = (
    proof("sfl/TAB2-H", of="sfl/TAB2-H@corrected", bound=_H).under(FIVE, *rows(*_SIDES), _PRINTED_H)
    .steps(*_AT_MOST, *by_rows(_SIDES, _both))
    .qed(_JUMP, by.cases(*ALL), name="every")
)
_ANY = find("sfl/TAB2-H-any@strengthened").bound
_QUOTIENT, _ = statement_of(_ANY, Abs(_CHANGE) / distance)
STEEP = (
    proof("sfl/TAB2-H-any", of="sfl/TAB2-H-any@strengthened", bound=_ANY).under(FIVE, *rows(*_SIDES), _PRINTED_H)
    .given("before", lt(x, 0), "one point is left of the kink,")
    .given("beyond", le(0, y), "the other is not")
    .given("distance", eq(distance, y - x), "how far they are from each other")
    .step("apart", lt(0, distance), by.linear({"before": 1, "beyond": 1, "distance": -1}))
    .step("right", eq(Indicator(y), 1), by.fact("indicator", y, "beyond"))
    .step("minus", by.fact("abs", -x))
    .step("positive part", eq(x * Indicator(x), (x + Abs(x)) / 2), by.fact("indicator", x))
    .step("same", le(-x, -x), by.linear())
    .step("negative", le(x, -x), by.linear("before"))
    .step("size most", by.absolute("negative", "same"))
    .step("size", by.antisymmetry("size most", "minus"))
    .step("left", eq(Indicator(x), 0), by.linear({"positive part": 1 / x, "size": 1 / (2 * x)}, "before"))
    .steps(
        *by_rows(
            _SIDES,
            lambda name, case, numbers: (
                line(f"in {name}", _QUOTIENT, by.linear({"apart": 0}), inserting=("printed", "left", "right", *numbers),
                    assuming=case),
            ),
        )
    )
    .qed(_QUOTIENT, by.cases(*ALL), name="every")
)
THEOREMS = (SPREAD, APART, JUMPS, STEEP)
