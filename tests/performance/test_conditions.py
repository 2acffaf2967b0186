"""The conditions of every class: functions of the class meet them, those at its edge with equality, others do not."""

from fractions import Fraction as Q

import pytest
from flint import fmpq, fmpq_mat

from fltheory.number.linear import is_semidefinite
from fltheory.performance import (
    BlockSmooth,
    Cocoercive,
    Convex,
    Indicator,
    LinearOperator,
    LipschitzMonotone,
    LipschitzOperator,
    Lojasiewicz,
    Monotone,
    NegativelyComonotone,
    Problem,
    QuadraticGrowth,
    RestrictedSecant,
    SkewSymmetric,
    StronglyConvex,
    StronglyMonotone,
    Support,
    SymmetricLinear,
)
from fltheory.performance.classes import Inequalities
from fltheory.worst_case.functions import Point
from fltheory.worst_case.gram import basis
from fltheory.worst_case.lower_bounds import evaluate_expression

PLACES = (Q(-2), Q(-1), Q(0), Q(1, 2), Q(3))


def rational(number):
    return fmpq(Q(number).numerator, Q(number).denominator)


def data_of(rows):
    """Points, gradients and values as data of a class, with the Gram matrix of their vectors; points may have coordinates."""
    vectors, points, values = [], [], {}
    for k, (x, g, v) in enumerate(rows):
        both = [[rational(c) for c in (u if isinstance(u, tuple) else (u,))] for u in (x, g)]
        vectors += both
        at, slope = (basis(2 * k + i) if any(u) else () for i, u in enumerate(both))
        points.append(Point(at, slope, f"v{k}"))
        values[f"v{k}"] = rational(v)
    table = fmpq_mat(vectors)
    return points, table * table.transpose(), values


def largest(kind, rows):
    """The largest of all conditions, at most 0 for a function of the class."""
    points, gram, values = data_of(rows)
    found = [own for one in points if (own := kind.alone(one)) is not None]
    for one in points:
        for other in points:
            if one is not other:
                several = isinstance(kind, Inequalities)
                found += kind.inequalities(one, other) if several else [kind.inequality(one, other)]
    return max(evaluate_expression(expression, gram, values) for expression in found)


def rows(gradient, value=lambda x: 0):
    return [(x, gradient(x), value(x)) for x in PLACES]


def parabola(c):
    """c x^2 / 2."""
    return rows(lambda x: c * x, lambda x: c * x * x / 2)


def linear(c):
    return rows(lambda x: c * x)


def turned(c, d):
    """(x, y) goes to (c x - d y, d x + c y)."""
    places = [(Q(1), Q(2)), (Q(-1), Q(1, 2)), (Q(0), Q(3))]
    return [((x, y), (c * x - d * y, d * x + c * y), 0) for x, y in places]


SIZE = rows(lambda x: (x > 0) - (x < 0), abs)
INTERVAL = [(Q(0), Q(-3), 0), (Q(1), Q(2), 0), (Q(1, 2), Q(0), 0)]
FIFTH = Q(1, 5)
# class, functions at its edge (a condition is 0), functions inside, others
CASES = [
    (Convex(), [SIZE, parabola(0)], [], [parabola(-1)]),
    (StronglyConvex("1/2"), [parabola(Q(1, 2))], [parabola(1)], [parabola(Q(2, 5)), SIZE]),
    (Indicator(1), [INTERVAL], [], [[(Q(0), Q(0), 0), (Q(2), Q(0), 0)], [(Q(0), Q(1), 0), (Q(1), Q(0), 0)]]),
    (Indicator(), [INTERVAL], [], [[(Q(0), Q(1), 0), (Q(1), Q(0), 0)]]),
    (Support(1), [SIZE], [], [rows(lambda x: 2 * ((x > 0) - (x < 0))), [(Q(2), Q(-1), 0), (Q(-1), Q(1), 0)]]),
    (QuadraticGrowth(1), [parabola(1), parabola(0)], [], [parabola(Q(6, 5)), parabola(-1)]),
    (RestrictedSecant(1, "1/2"), [linear(1), linear(Q(1, 2))], [linear(Q(3, 4))], [linear(Q(6, 5)), linear(Q(2, 5))]),
    (
        Lojasiewicz(1, "1/2"),
        [parabola(1), parabola(Q(1, 2))],
        [parabola(Q(3, 4))],
        [parabola(Q(6, 5)), parabola(Q(2, 5))],
    ),
    (Monotone(), [linear(0), turned(0, 1)], [linear(1), turned(1, 5)], [linear(-FIFTH), turned(-FIFTH, 1)]),
    (
        StronglyMonotone("1/2"),
        [linear(Q(1, 2)), turned(Q(1, 2), 3)],
        [linear(1)],
        [linear(Q(2, 5)), turned(Q(2, 5), 3)],
    ),
    (Cocoercive("1/2"), [linear(2), linear(0), turned(1, 1)], [linear(1)], [linear(Q(11, 5)), turned(1, Q(6, 5))]),
    (Cocoercive("1/2", "1/2"), [linear(2), linear(Q(1, 2))], [linear(1)], [linear(Q(11, 5)), linear(Q(2, 5))]),
    (
        LipschitzOperator(2),
        [linear(2), linear(-2), turned(0, 2)],
        [linear(1)],
        [linear(Q(11, 5)), turned(Q(3, 2), Q(3, 2))],
    ),
    (LipschitzMonotone(1), [linear(1), linear(0), turned(0, 1)], [linear(Q(1, 2))], [linear(Q(6, 5)), linear(-FIFTH)]),
    (LipschitzMonotone(1, "1/2"), [linear(1), linear(Q(1, 2))], [linear(Q(3, 4))], [linear(Q(6, 5)), linear(Q(2, 5))]),
    (NegativelyComonotone("1/2"), [linear(-2), linear(0)], [linear(-3), linear(1)], [linear(Q(-19, 10)), linear(-1)]),
]


@pytest.mark.parametrize(("kind", "edge", "inside", "outside"), CASES, ids=[str(kind) for kind, *_ in CASES])
def test_functions_of_a_class_meet_its_conditions_and_others_do_not(kind, edge, inside, outside):
    for one in edge:
        assert largest(kind, one) == 0
    for one in inside:
        assert largest(kind, one) < 0 or kind.__class__ in (LipschitzMonotone, Monotone)
        assert largest(kind, one) <= 0
    for one in outside:
        assert largest(kind, one) > 0


def test_blocks_have_their_own_smoothness():
    """x^2 + y^2 / 2 has the constants 2 and 1 of its blocks; with less of either a condition fails."""
    for high, at, fine in (
        ((2, 1), (1, 0), True),
        ((2, 1), (0, 1), True),
        ((Q(19, 10), 1), (1, 0), False),
        ((2, Q(9, 10)), (0, 1), False),
    ):
        p = Problem()
        blocks = p.blocks(2)
        kind = BlockSmooth(high, blocks)
        first, second = p.new_vector(place=True), p.new_vector(place=True)
        (x, g), (y, h) = ((first, p.new_vector()), (second, p.new_vector()))
        places = {first: (0, 0), second: at}
        slopes = {g: (0, 0), h: (2 * at[0], at[1])}
        parts = {v: [blocks.part(v, k) for k in range(2)] for v in (g, h)}
        own = {first: places[first], second: places[second], g: slopes[g], h: slopes[h]}
        coordinates = {v[0][0]: c for v, c in own.items()}
        for v, split in parts.items():
            coordinates[split[0][0][0]] = (slopes[v][0], 0)
        table = fmpq_mat([[rational(c) for c in coordinates[i]] for i in range(len(coordinates))])
        points = [Point(x, g, "a"), Point(y, h, "b")]
        values = {"a": fmpq(0), "b": rational(at[0] ** 2 + Q(at[1] ** 2, 2))}
        found = [e for one, other in (points, points[::-1]) for e in kind.inequalities(one, other)]
        most = max(evaluate_expression(e, table * table.transpose(), values) for e in found)
        assert (most <= 0) == fine
        assert all(evaluate_expression(e, table * table.transpose(), values) == 0 for e in blocks.equations())


def matrix(kind, rows):
    """The matrix of a linear class at points, and its equations."""
    points, gram, values = data_of(rows)
    n = range(len(points))
    entries = [[fmpq(0) for _ in n] for _ in n]
    for a in n:
        for b in range(a, len(points)):
            found = -evaluate_expression(kind.entry(points[a], points[b]), gram, values)
            entries[a][b] = entries[b][a] = found if a == b else found / 2
    turned_by = [evaluate_expression(kind.turned(one, other), gram, values) for one in points for other in points]
    return is_semidefinite(entries) and not any(turned_by)


def images(a, b, c, d):
    """Two points and their images under the matrix with these rows."""
    places = [(Q(1), Q(0)), (Q(1), Q(2)), (Q(-1), Q(3))]
    return [((x, y), (a * x + b * y, c * x + d * y), 0) for x, y in places]


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        (
            LinearOperator(2),
            [images(2, 0, 0, -2), images(0, 2, 0, 0)],
            [images(2, 1, 0, 0), images(Q(21, 10), 0, 0, 0)],
        ),
        (
            SymmetricLinear(2, -1),
            [images(2, 0, 0, -1), images(1, Q(1, 2), Q(1, 2), 0)],
            [images(2, 1, 1, 2), images(0, 1, 0, 0)],
        ),
        (SkewSymmetric(2), [images(0, 2, -2, 0)], [images(0, 3, -3, 0), images(0, 1, 1, 0), images(1, 0, 0, 0)]),
    ],
)
def test_linear_operators_of_a_class_meet_its_conditions_and_others_do_not(kind, inside, outside):
    assert all(matrix(kind, one) for one in inside)
    assert not any(matrix(kind, one) for one in outside)


def test_classes_say_what_they_are():
    assert str(Support()) == "support functions"
    assert str(Support("3/2")) == "support functions of sets in a 3/2-ball"
    assert str(Indicator(2)) == "indicators of convex sets of diameter at most 2"
    assert str(Cocoercive(1, "1/2")) == "1-cocoercive, 1/2-strongly monotone operators"
    assert Cocoercive(1, 1).sufficient is False
    assert Cocoercive(1).sufficient is True


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda: Indicator(0), "diameter must be positive, got 0"),
        (lambda: StronglyConvex(-1), "strong_convexity must be positive, got -1"),
        (lambda: Support(0), "bound must be positive, got 0"),
        (lambda: QuadraticGrowth(0), "smoothness must be positive, got 0"),
        (lambda: RestrictedSecant(1, 2), r"must lie in \[0, smoothness\], got 2"),
        (lambda: RestrictedSecant(1, -1), r"must lie in \[0, smoothness\], got -1"),
        (lambda: Lojasiewicz(1, 0), r"must lie in \(0, smoothness\], got 0"),
        (lambda: StronglyMonotone(0), "strong_monotonicity must be positive, got 0"),
        (lambda: Cocoercive(0), "cocoercivity must be positive, got 0"),
        (lambda: Cocoercive(1, -1), "strong_monotonicity must not be negative, got -1"),
        (lambda: LipschitzOperator(0), "smoothness must be positive, got 0"),
        (lambda: LipschitzMonotone(1, 2), r"must lie in \[0, smoothness\], got 2"),
        (lambda: LipschitzMonotone(1, -1), r"must lie in \[0, smoothness\], got -1"),
        (lambda: NegativelyComonotone(0), "comonotonicity must be positive, got 0"),
        (lambda: LinearOperator(0), "bound must be positive, got 0"),
        (lambda: SymmetricLinear(1, 1), "low must be less than high, got 1 and 1"),
        (lambda: BlockSmooth((1,), Problem().blocks(2)), "1 constants for 2 blocks: one for each is needed"),
        (lambda: BlockSmooth((1, 0), Problem().blocks(2)), "smoothness of a block must be positive, got 0"),
    ],
)
def test_classes_refuse_constants_without_meaning(made, reason):
    with pytest.raises(ValueError, match=reason):
        made()
