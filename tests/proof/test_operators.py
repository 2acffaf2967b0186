"""Operators and proximal maps in proofs: hypotheses by name; false neighbours stay unproved and are refuted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from sympy import Expr, Rational, Symbol

from fltheory.problems import AffineOperators, quadratic_game
from fltheory.proof import Given, ProofError, Relation, by, eq, le, lt, proof
from fltheory.proof.check import check_theorem
from fltheory.proof.classes import ConvexFunction, Operator, prox
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Member, Theorem
from fltheory.proof.models import Model, StoredWorld, check_model
from fltheory.proof.models.exact_terms import Evaluator, Place, Point, sign
from fltheory.proof.terms import Fun, Grad, Nonnegative, Total, Val, Vector, family, square

PAGE = Path(__file__).parents[2] / "docs/how-to/operator_proofs.md"
A, g = family(Fun, "A")(), family(Fun, "g")()
x, z, w, after, best, u, p = (family(Vector, name)() for name in ("x", "z", "w", "z_plus", "z_star", "u", "p"))
L, mu, beta, step = (Symbol(name, positive=True) for name in ("L", "mu", "beta", "step"))
Numbers = Mapping[str, Fraction | int]


@cache
def page() -> dict[str, Any]:
    """What the page defines."""
    made: dict[str, Any] = {"__name__": "steps"}
    text = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL))
    exec(compile(text, PAGE.name, "exec"), made)
    return made


def verdict(theorem: Theorem) -> str:
    report = check_theorem(theorem, find_certificates(theorem, {}))
    return report.verdict if report.verdict != "PROVED" or report.scope == "all parameters" else report.scope


# Exact instances: an operator need not be a gradient ------------------------------------------------------------------


class OnInstance(Evaluator):
    """Evaluates terms with ``Grad(A, u)`` the value of an affine operator."""

    def __init__(self, instance: AffineOperators, symbols: Numbers, points: Mapping[str, Point]) -> None:
        members = {f"Vector {name}": {"": " ".join(map(str, point))} for name, point in points.items()}
        values = {name: str(value) for name, value in symbols.items()}
        super().__init__(StoredWorld(Model(values, members, dimension=instance.dim), ()))
        self.instance = instance

    def vector(self, expr: Expr, at: Place, outcome: int) -> Point:
        if isinstance(expr, Grad):
            return value(self.instance, self.vector(expr.args[1], at, outcome))
        return super().vector(expr, at, outcome)

    def failing(self, *given: Given) -> list[str]:
        """The names of the relations that are false."""
        return [one.id for one in given if not self.true(one.relation, {})]


def column(point: Point) -> np.ndarray:
    return np.array([[fmpq(Fraction(c).numerator, Fraction(c).denominator) for c in map(str, point)]], dtype=object)


def value(instance: AffineOperators, point: Point) -> Point:
    return tuple(instance.gradient(column(point), 0)[0])


def resolvent(instance: AffineOperators, point: Point, length: Fraction) -> Point:
    return tuple(instance.prox(column(point), 0, fmpq(length.numerator, length.denominator))[0])


def moved(instance: AffineOperators, point: Point, at: Point, length: Fraction) -> Point:
    """Return point - length A(at)."""
    return tuple(
        c - fmpq(length.numerator, length.denominator) * v for c, v in zip(point, value(instance, at), strict=True)
    )


START = (fmpq(3), fmpq(-1))
TURN, SPIRAL, SCALED = quadratic_game(1, (1, 0)), quadratic_game(1, (1, 0), 1), quadratic_game(0, (1, 0), 1)
SHEARED = AffineOperators([((1, 2), (-2, 2))], [(0, 0)], (1, 0))  # not a multiple of an isometry
HALF = Fraction(1, 2)


def on(
    instance: AffineOperators, length: Fraction = HALF, *, modulus: int = 1, lipschitz: Any = 1
) -> dict[str, OnInstance]:
    """The points of each method after one step from the start, for the operator of an instance whose zero is 0."""
    look = moved(instance, START, START, length)
    ends = {
        "proximal_point": resolvent(instance, START, length),
        "extragradient": moved(instance, START, look, length),
        "descent_ascent": look,
    }
    symbols = {"step": length, "mu": modulus, "L": lipschitz}
    zero = (fmpq(0), fmpq(0))
    points = {"z": START, "w": look, "z_star": zero}
    return {name: OnInstance(instance, symbols, {**points, "z_plus": end}) for name, end in ends.items()}


def lemmas() -> dict[str, tuple[Theorem, Theorem]]:
    """Each lemma of the page with its false neighbour."""
    made, q = page(), (step * L) ** 2
    return {
        "proximal_point": (made["proximal_point"](1 + step * mu), made["proximal_point"](1 + 2 * step * mu)),
        "extragradient": (made["extragradient"](1 - q), made["extragradient"](2 - q)),
        "descent_ascent": (made["descent_ascent"](1 - 2 * step * mu + q), made["descent_ascent"]((1 - step * mu) ** 2)),
        "proximal_gradient": (made["proximal_gradient"](1), made["proximal_gradient"](2)),
    }


METHODS = ("proximal_point", "extragradient", "descent_ascent", "proximal_gradient")


@pytest.mark.parametrize("method", METHODS)
def test_a_lemma_is_proved_and_its_false_neighbour_is_not(method: str) -> None:
    assert [verdict(theorem) for theorem in lemmas()[method]] == ["PROVED", "UNKNOWN"]


@pytest.mark.parametrize(
    ("method", "instance", "modulus", "lipschitz", "tight"),
    [
        ("proximal_point", SCALED, 1, 1, True),
        ("proximal_point", SPIRAL, 1, "sqrt(2)", False),
        ("extragradient", TURN, 1, 1, True),
        ("descent_ascent", SPIRAL, 1, "sqrt(2)", True),
        ("descent_ascent", SHEARED, 1, 3, False),
    ],
)
def test_on_an_instance_the_lemma_holds_and_its_neighbour_is_false(
    method: str, instance: AffineOperators, modulus: int, lipschitz: Any, tight: bool
) -> None:
    """All hypotheses hold there, and the points differ: they are not vacuous."""
    world = on(instance, modulus=modulus, lipschitz=lipschitz)[method]
    true, false = lemmas()[method]
    apart = (Given("apart", lt(0, square(z - best))), Given("moved", lt(0, square(after - z))))
    assert world.failing(*(h for h in true.hypotheses if isinstance(h, Given)), *apart) == []
    assert world.true(true.statement, {})
    assert world.true(replace(true.statement, op="=="), {}) == tight
    assert not world.true(false.statement, {})


def test_on_an_instance_outside_of_the_class_a_hypothesis_fails() -> None:
    """A rotation is monotone, not strongly; its Lipschitz constant is 1."""
    found = {name: world.failing(*lemmas()[name][0].hypotheses) for name, world in on(TURN, lipschitz="9/10").items()}
    assert {name: [one.split(" at ")[0] for one in failing] for name, failing in found.items()} == {
        "proximal_point": ["A: monotone"],
        "extragradient": ["A: lipschitz"],
        "descent_ascent": ["A: monotone", "A: lipschitz"],
    }


def test_the_false_neighbour_of_the_proximal_gradient_step_is_refuted() -> None:
    """f(z) = z^2/2 and g = 0 with a step of 2: from 1 to -1, where f is as large as before."""
    true, false = lemmas()["proximal_gradient"]
    points = {"Vector z": {"": "1"}, "Vector z_plus": {"": "-1"}, "Vector u": {"": "0"}}
    model = Model({"L": "1", "step": "2"}, points, {"f": {"": "1 0 0"}, "g": {"": "0 0 0"}})
    assert check_model(false, model).fault == ""
    assert "short" in check_model(true, model).fault
    assert not StoredWorld(model, ()).evaluator.true(false.statement, {})


def model_of(method: str) -> Model:
    """A model of a lemma's hypotheses, with A(z) = z or f(z) = z^2/2 and g = f, and a step of 1/2."""
    end = {"proximal_point": "2", "extragradient": "9/4", "descent_ascent": "3/2", "proximal_gradient": "1"}[method]
    points = {"z": "3", "w": "3/2", "z_star": "0", "u": "-1", "z_plus": end}
    members = {f"Vector {name}": {"": at} for name, at in points.items()}
    return Model({"L": "1", "mu": "1", "step": "1/2"}, members, {name: {"": "1 0 0"} for name in "Afg"})


@pytest.mark.parametrize("method", METHODS)
def test_the_hypotheses_have_a_model_that_is_not_vacuous(method: str) -> None:
    true, _ = lemmas()[method]
    apart = Given("apart", lt(0, square(after - z)))
    assert check_model(replace(true, hypotheses=(*true.hypotheses, apart)), model_of(method)).fault == ""
    for hypothesis in true.hypotheses:  # the opposite of any inequality beside them is named
        if isinstance(hypothesis, Given) and hypothesis.relation.op == "<=":
            r = hypothesis.relation
            opposite = replace(true, hypotheses=(*true.hypotheses, Given("opposite", lt(r.right, r.left))))
            assert "opposite" in check_model(opposite, model_of(method)).fault


@pytest.mark.parametrize("method", METHODS)
def test_every_hypothesis_is_needed(method: str) -> None:
    """Weakened by a positive number, or an equation by a vector, none gives the lemma."""
    true, _ = lemmas()[method]
    slack, apart = family(Nonnegative, "slack")(), family(Vector, "apart")()
    for place, hypothesis in enumerate(true.hypotheses):
        if isinstance(hypothesis, Member):
            weaker: Any = replace(hypothesis, smooth=2 * L)
        else:
            r = hypothesis.relation
            more = slack if r.op == "<=" else apart
            weaker = replace(hypothesis, relation=replace(r, right=r.right + more))
        hypotheses = (*true.hypotheses[:place], weaker, *true.hypotheses[place + 1 :])
        assert verdict(replace(true, hypotheses=hypotheses)) == "UNKNOWN", hypothesis.id


# The inequalities -------------------------------------------------------------------------------------------------------


SHARP = {"monotone": 1, "lipschitz": "sqrt(5)", "cocoercive": Fraction(1, 5)}  # of A = I + 2 J
TOO_STRONG = {"monotone": Fraction(101, 100), "lipschitz": "sqrt(5) - 1/100", "cocoercive": Fraction(21, 100)}


@pytest.mark.parametrize("name", SHARP)
def test_an_inequality_holds_with_the_constant_of_the_operator_and_with_no_better_one(name: str) -> None:
    instance = quadratic_game(2, (1, 0), 1)
    points = {"z": START, "w": (fmpq(1, 3), fmpq(2))}
    given = Operator("A", A, **{name: Symbol("c", real=True)}).at(name, z, w)
    for constant, failing in ((SHARP[name], []), (TOO_STRONG[name], [given.id])):
        assert OnInstance(instance, {"c": constant}, points).failing(given) == failing


def test_an_operator_that_is_not_monotone_is_seen() -> None:
    """-z has no such hypothesis; it is 1-Lipschitz."""
    members = {"Vector z": {"": "1"}, "Vector w": {"": "0"}}
    world = StoredWorld(Model({}, members, {"A": {"": "-1 0 0"}}), ()).evaluator
    classes = Operator("A", A, monotone=0, lipschitz=1)
    assert [world.true(one.relation, {}) for one in classes.between(z, w)] == [False, True]


def test_an_inequality_is_the_same_for_both_orders_of_the_points() -> None:
    classes = Operator("A", A, monotone=mu, lipschitz=L, cocoercive=beta)
    for one, other in zip(classes.between(z, w), classes.between(w, z), strict=True):
        assert one.id == other.id
        theorem = proof("mine/order").under(one).qed(other.relation, by.linear((1, one)))
        assert verdict(theorem) == "PROVED"


@pytest.mark.parametrize(
    ("argument", "at", "right"),
    [(3, 2, True), (3, "5/2", False), (-3, -2, True), ("1/2", 0, True), ("1/2", "1/2", False)],
)
def test_the_subgradient_at_a_proximal_map_of_the_absolute_value(argument: Any, at: Any, right: bool) -> None:
    """With a step of 1 the map is soft thresholding; a kink has a subgradient too. Elsewhere some u refutes it."""
    answers = []
    for far in (-4, -1, 0, 1, 4, Rational(at)):
        given = ConvexFunction("g", g).subgradient(u, prox(x, p, Rational(1)))
        size = {Val(g, u): abs(Rational(far)), Val(g, p): abs(Rational(at))}
        relation = replace(
            given.relation, left=given.relation.left.xreplace(size), right=given.relation.right.xreplace(size)
        )
        members = {"Vector x": {"": str(argument)}, "Vector p": {"": str(at)}, "Vector u": {"": str(far)}}
        answers.append(StoredWorld(Model({}, members), ()).evaluator.true(relation, {}))
    assert all(answers) == right


def test_strong_convexity_of_a_subgradient() -> None:
    """3/2 z^2 is 3-strongly convex, not more."""
    members = {"Vector p": {"": "2"}, "Vector u": {"": "-1"}}
    world = StoredWorld(Model({}, members, {"g": {"": "3 0 0"}}), ()).evaluator
    one, more = (ConvexFunction("g", g, convex).subgradient(u, p).relation for convex in (3, Rational(301, 100)))
    assert [world.true(relation, {}) for relation in (one, more)] == [True, False]
    assert sign(world.gaps(one, {}, 0)[0]) == 0


def test_a_subgradient_inequality_for_points_with_an_index() -> None:
    n, N = (Symbol(name, integer=True, positive=True) for name in "nN")
    relation = ConvexFunction("g", g).subgradient(family(Vector, "u")(n), p, (n, 1, N)).relation
    assert relation.over == ((n, 1, N),)
    theorem = proof("mine/first").given("all", relation).qed(relation.at({}), by.linear("all"))
    assert verdict(theorem) == "PROVED"


# More lemmas ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gain", "found"), [(2 * beta - step, "PROVED"), (2 * beta, "UNKNOWN")])
def test_a_forward_step_of_a_cocoercive_operator(gain: Expr, found: str) -> None:
    """|z+ - z*|^2 <= |z - z*|^2 - step (2 beta - step) |A(z)|^2."""
    near = Operator("A", A, cocoercive=beta).at("cocoercive", z, best)
    theorem = (
        proof("mine/forward")
        .under(near)
        .given("step", eq(after, z - step * Grad(A, z)))
        .given("zero", eq(Grad(A, best), 0 * best))
        .qed(
            le(square(after - best), square(z - best) - step * gain * square(Grad(A, z))),
            by.sos((2 * step, near)),
            inserting=("step", "zero"),
        )
    )
    assert verdict(theorem) == found


@pytest.mark.parametrize(("weight", "found"), [(1, "PROVED"), (2, "UNKNOWN")])
def test_resolvents_of_two_points_are_firmly_nonexpansive(weight: int, found: str) -> None:
    """|p - q|^2 <= <p - q, x - y>, for an operator with several values; not with 2 |p - q|^2."""
    y, q = family(Vector, "y")(), family(Vector, "q")()
    near = Operator("A", A, monotone=0).at("monotone", prox(x, p, step), prox(y, q, step))
    theorem = (
        proof("mine/firm")
        .under(near)
        .qed(
            le(weight * square(p - q), (square(p - q) + square(x - y) - square(p - q - x + y)) / 2),
            by.sos((step, near)),
        )
    )
    assert verdict(theorem) == found


@pytest.mark.parametrize(("gain", "found"), [(1 - (step * L) ** 2, "PROVED"), (2 - (step * L) ** 2, "UNKNOWN")])
def test_the_steps_of_extragradient_add_up(gain: Expr, found: str) -> None:
    """Hypotheses over all rounds: the sum of gain |z_r - w_r|^2 is at most |z_0 - z*|^2 - |z_R - z*|^2."""
    r, j = (Symbol(name, integer=True, nonnegative=True) for name in "rj")
    R = Symbol("R", integer=True, positive=True)
    zs, ws = family(Vector, "z"), family(Vector, "w")
    rounds = (r, 0, R - 1)
    classes = Operator("A", A, monotone=0, lipschitz=L)
    lemma = page()["extragradient"](1 - (step * L) ** 2)

    def added(n: Expr) -> Relation:
        return le(square(zs(n) - best) + gain * Total(square(zs(j) - ws(j)), j, 0, n - 1), square(zs(0) - best))

    theorem = (
        proof("mine/rounds")
        .under(classes.at("monotone", ws(r), (best, 0 * best), rounds), classes.at("lipschitz", ws(r), zs(r), rounds))
        .given("look", eq(ws(r), zs(r) - step * Grad(A, zs(r)), rounds))
        .given("step", eq(zs(r + 1), zs(r) - step * Grad(A, ws(r)), rounds))
        .step("one", by.apply(lemma, {z: zs(r), w: ws(r), after: zs(r + 1)}), over=rounds)
        .step("none", added(0 * r), by.linear())
        .step("next", replace(added(r + 1), over=(rounds,)), by.linear("one", "assumed 1"), assuming=added(r))
        .qed(replace(added(r), over=((r, 0, R),)), by.induction(r, "none", "next"))
    )
    reports = {lemma.id: check_theorem(lemma, find_certificates(lemma, {}))}
    assert check_theorem(theorem, find_certificates(theorem, reports), reports).verdict == found


def test_the_reason_of_a_hypothesis_names_the_class() -> None:
    classes = (Operator("A", A, 0, L, beta), Operator("A", A, mu), Operator("A", A, 0, why="a game"))
    assert [one.why for made in classes for one in made.between(z, w)] == [
        "A is monotone",
        "A is L-Lipschitz",
        "A is β-cocoercive",
        "A is μ-strongly monotone",
        "a game",
    ]
    functions = (ConvexFunction("g", g), ConvexFunction("g", g, mu), ConvexFunction("g", g, why="the l1 norm"))
    assert [f.subgradient(u, p).why for f in functions] == ["g is convex", "g is μ-strongly convex", "the l1 norm"]


# Refusals ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Operator("A", A, lipschitz=-1), "lipschitz=-1 is negative; expected a nonnegative"),
        (lambda: Operator("A", A, cocoercive=-L), "cocoercive=-L is negative"),
        (lambda: Operator("A", A, monotone=2, lipschitz=1), "expected monotone <= lipschitz"),
        (lambda: Operator("A", A, monotone=2, cocoercive=1), "expected a product <= 1"),
        (lambda: Operator("A", A, monotone=2 * L, lipschitz=L), "expected monotone <= lipschitz"),
        (
            lambda: Operator("A", A, monotone=0).at("lipschitz", z, w),
            "A does not state 'lipschitz' of A; it states monotone",
        ),
        (lambda: Operator("A", A).at("monotone", z, w), "it states none"),
        (lambda: Operator("A", A, monotone=0).at("monotone", z, L), "L is not a vector; expected a vector, or a pair"),
        (lambda: Operator("A", A, monotone=0).at("monotone", z, (w, mu)), "mu is not a vector"),
        (lambda: Operator("A", A, monotone=0).between(z), "expected two or more"),
        (lambda: ConvexFunction("g", g).subgradient(u, (p, L)), "L is not a vector"),
        (lambda: ConvexFunction("g", g).subgradient(L, p), "L is not a vector"),
        (lambda: prox(x, p, 0), "the step 0 of a proximal map must be positive"),
        (lambda: prox(x, p, Symbol("step", real=True)), "must be positive"),
    ],
)
def test_what_is_no_class_or_no_point_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ProofError, match=re.escape(words)):
        make()


def test_a_hypothesis_with_a_weight_must_be_one_of_the_theorem() -> None:
    near = Operator("A", A, monotone=0).at("monotone", z, w)
    theorem = proof("mine/none").qed(near.relation, by.linear((1, near)))
    assert verdict(theorem) == "UNKNOWN"
    with pytest.raises(ProofError, match="has two weights"):
        by.linear((1, near), {near.id: 2})


def test_two_elements_at_one_point_are_two_hypotheses() -> None:
    """An operator may have several values at a point: they do not become equal."""
    one, other = family(Vector, "a")(), family(Vector, "b")()
    classes = Operator("A", A, monotone=0)
    hypotheses = classes.between((p, one), (p, other), (z, w))
    assert len({h.id for h in hypotheses}) == 3
    same = proof("mine/same").under(*hypotheses).qed(le(square(one - other), 0), by.sos((1, hypotheses[0])))
    assert verdict(same) == "UNKNOWN"
