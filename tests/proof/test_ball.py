"""Inequalities on boxes: the scalar lemmas, their strengthened mutants, and certificates with one thing changed."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction

import pytest
import sympy
from sympy import Rational, Symbol, exp, log, sqrt, symbols

from fltheory.proof.algebra import ball
from fltheory.proof.find.find_scalar import find_ball

x, p, q = symbols("x p q", real=True)
u = Symbol("u", positive=True)
HALF = Rational(1, 2)
THIRD = Rational(1, 3)
SIDE = (Rational(1, 100), Rational(99, 100))


def divergence(q):
    """KL(Bernoulli(1/3), Bernoulli(q))."""
    return THIRD * log(THIRD / q) + (1 - THIRD) * log((1 - THIRD) / (1 - q))


# (target, box, zeros, a stronger target that is false)
LEMMAS = {
    "log": (log(1 + x) - x + x**2, {x: (-HALF, 1)}, {x: (0,)}, log(1 + x) - x + x**2 / 3),
    "1/e": (-u - log(1 - u), {u: (0, HALF)}, {}, -u - log(1 - u) - u**2),  # (1 - u)^(1/u) <= 1/e
    "1 - exp(-1/2)": (1 - exp(-HALF) - THIRD, {}, {}, 1 - exp(-HALF) - Rational(2, 5)),
    "1 - exp(-u)": (1 - exp(-u) - 2 * u / 3, {u: (0, HALF)}, {}, 1 - exp(-u) - 4 * u / 5),
    "exp": (exp(x) - 1 - x, {x: (-5, 5)}, {x: (0,)}, exp(x) - 1 - x - x**2 / 5),
    "exp to third order": (1 - u - exp(-u) + u**2 / 2, {u: (0, 1)}, {}, 1 - u - exp(-u) + u**2 / 3),
    "Bernoulli": ((1 + x) ** 7 - 1 - 7 * x, {x: (-1, 1)}, {x: (0,)}, (1 + x) ** 7 - 1 - 7 * x - x**2 * 7),
    "Bernstein's h": (
        (1 + x) * log(1 + x) - x - x**2 / (2 + 2 * x / 3),
        {x: (0, 5)},
        {},
        (1 + x) * log(1 + x) - x - x**2 / 2,
    ),
    "Hoeffding": (
        x**2 / 8 - log(1 - THIRD + THIRD * exp(x)) + x / 3,
        {x: (-4, 4)},
        {x: (0,)},
        x**2 / 10 - log(1 - THIRD + THIRD * exp(x)) + x / 3,
    ),
    "Pinsker": (divergence(q) - 2 * (q - THIRD) ** 2, {q: SIDE}, {q: (THIRD,)}, divergence(q) - 3 * (q - THIRD) ** 2),
    "log at two scales": (
        log(x) - 1 + 1 / x,
        {x: (Rational(1, 100), 100)},
        {x: (1,)},
        log(x) - Rational(11, 10) + 1 / x,
    ),
    "two variables": (
        p**2 + p * q + q**2 + Rational(1, 9),
        {p: (-1, 1), q: (-1, 1)},
        {},
        p**2 + 3 * p * q + q**2 + Rational(1, 9),
    ),
    "a zero whatever q is": (exp(p * q) - 1 - p, {p: (0, 1), q: (Rational(3, 2), 2)}, {}, exp(p * q) - 1 - 2 * p),
    "a root": (sqrt(x) - x / 3, {x: (Rational(1, 4), 4)}, {}, sqrt(x) - x * 3 / 5),
}


def nodes(tree, path=()):
    yield path
    if isinstance(tree, list):
        for i, part in enumerate(tree):
            yield from nodes(part, (*path, i))


def replaced(tree, path, value):
    return value if not path else [*tree[: path[0]], replaced(tree[path[0]], path[1:], value), *tree[path[0] + 1 :]]


def perturbed(certificate, rng):
    """The tree with one leaf or pair changed."""
    path = rng.choice(list(nodes(certificate)))
    part = certificate
    for i in path:
        part = part[i]
    options = ["direct", "mean", [part, part], ["direct", "direct"], ["mean", "mean"], None, [part], {}]
    if isinstance(part, list):
        options += [part[0], part[1], part[::-1], [*part, "direct"]]
    if isinstance(part, dict):
        for key, shift in (
            ("centre", Fraction(1, 10**6)),
            ("centre", -1),
            ("order", 1),
            ("order", -1),
            ("order", HALF),
        ):
            options.append({**part, key: str(Fraction(part[key]) + Fraction(shift))})
        options += [{**part, "symbol": "w"}, {**part, "order": int(part["order"])}, {**part, "note": "1"}]
        options += [{**part, "order": f"+{part['order']}"}, {k: part[k] for k in ("symbol", "centre")}]
    return copy.deepcopy(replaced(certificate, path, rng.choice([o for o in options if o != part])))


@pytest.mark.parametrize("name", LEMMAS)
def test_lemmas(name):
    target, box, zeros, stronger = LEMMAS[name]
    certificate = find_ball(target, box, zeros)
    assert certificate is not None
    assert ball.check_on_box(target, box, json.loads(json.dumps(certificate))) is None
    assert find_ball(stronger, box, zeros, max_boxes=200) is None
    assert ball.check_on_box(stronger, box, certificate)


@pytest.mark.parametrize("name", LEMMAS)
def test_perturbed_certificates_are_rejected(name):
    target, box, zeros, _ = LEMMAS[name]
    certificate = find_ball(target, box, zeros)
    rng = random.Random(name)
    for _ in range(25):
        changed = perturbed(certificate, rng)
        assert ball.check_on_box(target, box, changed), changed


def test_a_certificate_is_for_its_box():
    target = log(1 + x) - x + x**2
    certificate = find_ball(target, {x: (-HALF, 1)}, {x: (0,)})
    assert ball.check_on_box(target, {x: (Rational(-9, 10), 1)}, certificate)  # false near -0.9
    assert ball.check_on_box(target, {x: (-HALF, 100)}, certificate)


@pytest.mark.parametrize(
    ("target", "box", "reason"),
    [
        (x + p, {x: (0, 1)}, "no sides for p"),
        (x, {x: (1, 0)}, "empty"),
        (x, {x: (0, sqrt(2))}, "rational"),
        (x, {x: (0, sympy.oo)}, "rational"),
        (u, {u: (-1, 1)}, "is nonnegative, but its side begins"),
        (x > 0, {x: (0, 1)}, "not an expression"),
        (x + Symbol("x"), {x: (0, 1), Symbol("x"): (0, 1)}, "the same name"),
    ],
)
def test_unreadable(target, box, reason):
    assert reason in ball.check_on_box(target, box, "direct")
    assert find_ball(target, box) is None


@pytest.mark.parametrize(
    "target", [sqrt(x), sqrt(x) + 1, 1 / x**2, log(x) ** 2, sympy.Function("f")(x) ** 2, x ** (x**2)]
)
def test_nothing_is_proved_where_the_target_is_not_defined(target):
    box = {x: (-1, 1)}
    assert find_ball(target, box, max_boxes=100) is None
    assert ball.check_on_box(target, box, "direct")


@pytest.mark.parametrize(
    "target",
    [abs(x) - x**2, sympy.Piecewise((x, x > 0), (-1, True)), sympy.Max(x, 0) - 1, sympy.floor(x), sqrt(x**2) / x],
)
def test_kinks_and_jumps_have_no_mean_value_form(target):
    """Each has a derivative of 0 or of one sign somewhere that would prove too much."""
    problem = ball.Problem(target, {x: (-1, 1)})
    assert not problem.smooth(problem.target, problem.box)
    assert problem.method(problem.box) is None


def test_the_order_of_a_taylor_node_is_exact():
    box = {x: (-1, 1)}
    leaf = {"symbol": "x", "centre": "0", "order": "2"}
    assert ball.check_on_box(x**2 / 2 + x**3 / 60, box, leaf) is None
    for order in "1", "3", "4", "0", "-2", "13":
        assert ball.check_on_box(x**2 / 2 + x**3 / 60, box, {**leaf, "order": order})
    assert ball.check_on_box(x**2 / 2 + Rational(1, 10**50) * x, box, leaf)  # not quite a zero of order 2
    assert ball.check_on_box(x**3, box, {**leaf, "order": "3"})  # changes its sign


def test_a_split_that_is_not_needed_is_refused():
    assert ball.check_on_box(1 + x, {x: (0, 1)}, "direct") is None
    assert "not needed" in ball.check_on_box(1 + x, {x: (0, 1)}, ["direct", "direct"])
    leaf = {"symbol": "x", "centre": "0", "order": "2"}
    assert ball.check_on_box(exp(x) - 1 - x, {x: (-1, 1)}, leaf) is None
    assert "not needed" in ball.check_on_box(exp(x) - 1 - x, {x: (-1, 1)}, [leaf, leaf])


def test_cuts_follow_the_scale():
    """Ends of different scales are cut about their geometric mean, and every cut is inside."""
    ((whole, cuts),) = [
        (((Fraction(1, 1000), Fraction(1000)),), ball.bisect_box(((Fraction(1, 1000), Fraction(1000)),), ((0, 1000),)))
    ]
    assert cuts[0][0][0] == whole[0][0]
    assert cuts[1][0][1] == whole[0][1]
    assert Fraction(1, 4) < cuts[0][0][1] == cuts[1][0][0] < 4
    for low, high in ((0, 1), (1, 9), (-9, -1), (-1, 8), (1, 8), (Fraction(1, 9), 10**9)):
        side = (Fraction(low), Fraction(high))
        (((_, cut),), _) = ball.bisect_box((side,), (side,))
        assert low < cut < high


def test_a_leaf_names_the_first_method():
    """Where the target's ball shows it, a Taylor form is refused for that, and so is the second of two methods."""
    leaf = {"symbol": "x", "centre": "0", "order": "1"}
    assert ball.check_on_box(1 + x, {x: (0, 1)}, leaf) == "a simpler method, direct, proves x in [0, 1]"
    assert ball.check_on_box(2 * x, {x: (0, 1)}, leaf) is None
    wrong = ball.check_on_box(2 * x, {x: (0, 1)}, {**leaf, "order": "2"})
    assert wrong == "the Taylor form around x = 0 does not prove x in [0, 1]"
    assert ball.check_on_box(1 + x, {x: (0, 1)}, "mean") == (
        "mean is not the first method that proves x in [0, 1] (direct)"
    )
    assert ball.check_on_box(sympy.Integer(1), {}, "mean") == (
        "mean is not the first method that proves the constant (direct)"
    )
    two = ball.check_on_box(p - q - 3, {p: (0, 1), q: (2, "7/2")}, "direct")
    assert two == "direct is not the first method that proves p in [0, 1], q in [2, 7/2] (neither does)"


@pytest.mark.parametrize("power", [sqrt(x), x ** Rational(3, 2), 1 / sqrt(x)])
def test_a_root_is_smooth_where_its_radicand_is_positive(power):
    """Up to 0, but not there; whole powers are smooth on both sides of it."""
    for low, good in ((Rational(1, 4), True), (0, False), (-1, False)):
        problem = ball.Problem(power, {x: (low, 4)})
        assert problem.smooth(problem.target, problem.box) == good
    whole = ball.Problem(x**3 + x**2, {x: (-1, 4)})
    assert whole.smooth(whole.target, whole.box)
