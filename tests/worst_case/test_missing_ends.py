"""An end of a bracket that is not found is none: the other one stays, and nothing is proved in its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import sympy
from flint import arb, fmpq, fmpq_mat

from fltheory import Algorithm, symbols
from fltheory.claims.check import check_claim
from fltheory.number import NotRational
from fltheory.papers.sfl.algorithms import sequential
from fltheory.problems.interpolated.beside import WithNoisyCoordinate
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient
from fltheory.runs.method import NotEnumerable
from fltheory.verification import find
from fltheory.worst_case import certificate as certificates
from fltheory.worst_case import exact_value, many_rounds, one_round, solver, two_sided, whole_run
from fltheory.worst_case.certificate import face as faces
from fltheory.worst_case.certificate import round_to_certificate
from fltheory.worst_case.claims import certified, question_of_claim, require_reach, satisfies_bounds
from fltheory.worst_case.exact_value import with_exact_value
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.lower_bounds import attaining_instance, evaluate_expression, hessians
from fltheory.worst_case.lower_bounds.nearby import nearby_hessians
from fltheory.worst_case.measures import ConstrainedQuantity, RoundGrowth
from fltheory.worst_case.question import Question, problem_of, question
from fltheory.worst_case.solver import NoSolver, SolverStuck, Unsolved, make_table, propose
from fltheory.worst_case.symbolic_run import GradientQuery, OutOfReach
from fltheory.worst_case.symmetry_reduction import BlockFrame, WholeFrame, frame, permutations, separate_clients
from fltheory.worst_case.symmetry_reduction.permutations import symmetry
from fltheory.worst_case.symmetry_reduction.separate_clients import agent_frame
from fltheory.worst_case.two_sided import bracket
from fltheory.worst_case.whole_run import Bracket
from tests.worst_case.test_class_claims import claim_of
from tests.worst_case.test_frames import noisy_problem

ONE: dict[str, Any] = {"n_local_steps": 1, "step_size": "1/2", "initial_distance": 1}
CURVED = Smooth(1, "1/2")


def asked(functions: Any = CURVED, measure: Any = None, **more: Any) -> Question:
    return question(sequential, functions, measure or LastDistance(), **{**ONE, **more})


# Worst cases as rational numbers --------------------------------------------------------------------------------------


def descent(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * oracle.gradient(x, 0)


@pytest.fixture(scope="module")
def near_sixth() -> Bracket:
    """A bracket of 1/6, the worst gap after a step of 1 on 1-smooth convex functions from distance 1."""
    method = Algorithm("descent", descent)
    found = bracket(question(method, Smooth(1), LastGap(), n_rounds=1, step_size=1, initial_distance=1))
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower < Fraction(1, 6) < found.upper
    return found


def unsolved(*given: Any, **named: Any) -> Any:
    raise Unsolved("not today")


@pytest.mark.parametrize("missing", ["propose", "find_face", "rational_vectors", "certificate_of"])
def test_without_a_face_both_ends_stay(near_sixth: Bracket, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_value, missing, unsolved if missing == "propose" else lambda *given: None)
    assert with_exact_value(near_sixth) is near_sixth


@pytest.mark.parametrize("missing", ["instance_of", "instance_at", "case_of_instance"])
def test_without_an_instance_the_lower_end_stays(
    near_sixth: Bracket, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_value, missing, lambda *given: None)
    found = with_exact_value(near_sixth)
    assert found.upper == Fraction(1, 6)
    assert (found.lower, found.case, found.is_reproduced) == (near_sixth.lower, near_sixth.case, True)


def test_each_end_moves_only_inwards(near_sixth: Bracket) -> None:
    """A better upper end stays, and so does a lower one; without one none is made up."""
    sixth = Fraction(1, 6)
    tight = replace(near_sixth, upper=sixth - Fraction(1, 10**9), certificate=near_sixth.certificate)
    assert with_exact_value(tight).upper == tight.upper
    assert with_exact_value(tight).lower == sixth
    good = replace(near_sixth, lower=sixth + Fraction(1, 10**9))
    assert with_exact_value(good).lower == good.lower
    assert with_exact_value(good).upper == sixth
    equal = replace(near_sixth, lower=sixth, case=None)
    assert with_exact_value(equal).case is None
    none = replace(near_sixth, lower=None, case=None)
    assert (with_exact_value(none).lower, with_exact_value(none).upper) == (None, sixth)
    open_ = replace(near_sixth, upper=None)
    assert (with_exact_value(open_).lower, with_exact_value(open_).upper) == (sixth, None)
    bare = replace(near_sixth, certificate=None)
    assert with_exact_value(bare) is bare


@pytest.mark.parametrize("less", [0, 1])
def test_only_small_problems_have_a_face(near_sixth: Bracket, less: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(near_sixth.question)
    told = frame(problem)
    monkeypatch.setattr(faces, "MOST_LIMITS", len(told.labels) - less)
    assert faces.is_tried(problem, told) == (less == 0)
    assert (with_exact_value(near_sixth) is near_sixth) == (less == 1)


@pytest.mark.parametrize(
    ("variance", "labels", "tried"),
    [
        (0, (("client", 0, 0, 2), ("distance",)), True),
        (1, (("client", 0, 0, 2), ("distance",)), False),
        (0, (("bent", 0, 2, 2), ("turned", 0, 2, 3)), False),
        (0, (("distance",), ("near", 0, 2, 2)), False),
        (0, (("distance",), ("turned", 0, 2, 2)), True),  # equations are no matrices
        (0, (), True),
    ],
)
def test_faces_are_of_whole_frames_without_matrices_of_multipliers(variance: int, labels: Any, tried: bool) -> None:
    own: Any = SimpleNamespace(variance=variance)
    told = WholeFrame(own)
    vars(told)["labels"] = labels
    assert faces.is_tried(own, told) == tried
    assert not faces.is_tried(own, SimpleNamespace(labels=labels))


@pytest.fixture(scope="module")
def sixth(near_sixth: Bracket) -> tuple[Any, Any, Any]:
    """The problem, its face and the vectors on which the form vanishes."""
    problem = problem_of(near_sixth.question)
    told = frame(problem)
    found = faces.find_face(problem, cast("Any", told), propose(make_table(problem, told), 0.0), faces.ACTIVE[0])
    assert found is not None
    face = faces.refined(problem, found)
    vectors = faces.rational_vectors(face)
    assert vectors is not None
    return problem, face, vectors


def test_a_face_is_singular_and_an_inner_solution_has_none(near_sixth: Bracket) -> None:
    problem = problem_of(near_sixth.question)
    told: Any = frame(problem)
    for room, found in ((0.0, True), (0.001, False)):
        proposal = propose(make_table(problem, told), room)
        assert (faces.find_face(problem, told, proposal, 1e-6) is not None) == found


def test_the_form_vanishes_on_the_vectors_of_a_face(sixth: tuple[Any, Any, Any]) -> None:
    """The form of objective 1/6 - (f - f*) + the limits; on other vectors none of these limits vanishes."""
    problem, face, vectors = sixth
    found = faces.certificate_of(problem, face, vectors)
    assert found is not None
    assert found.upper == fmpq(1, 6)
    limits = {label: face.frame.matrices(problem.limit(label))[0] for label, _ in found.multipliers}
    goal = face.frame.matrices(problem.objective)[0]
    for v in vectors:
        for i, row in enumerate(goal):
            rest = sum((m * faces._dot(limits[label][i], v) for label, m in found.multipliers), fmpq(0))
            assert rest == faces._dot(row, v)
    units = [[fmpq(int(i == j)) for j in range(len(goal))] for i in range(len(goal))]
    for wrong in (units, [[fmpq(3)] * len(goal)]):
        assert faces.certificate_of(problem, face, wrong) is None


def test_the_instance_of_a_face_meets_its_limits_with_equality(sixth: tuple[Any, Any, Any]) -> None:
    problem, face, vectors = sixth
    found = faces.instance_of(problem, face, vectors)
    assert found is not None
    rows, values = found
    gram = rows * rows.transpose()
    for limit in face.limits:
        assert evaluate_expression(limit, gram, values) == 0
    assert evaluate_expression(problem.objective, gram, values) == fmpq(1, 6)
    assert all(rows[k, axis] == 0 for k in problem.needless for axis in range(rows.ncols()))
    assert faces.instance_of(problem, face, [[fmpq(0)] * len(vectors[0])]) is None  # |x_0 - x*| = 0 is not 1
    below = tuple(replace(limit, constant=-limit.constant) for limit in face.limits)
    assert faces.instance_of(problem, replace(face, limits=below), vectors) is None  # a square of -1


def test_refined_numbers_are_recognised(sixth: tuple[Any, Any, Any]) -> None:
    """Floats that are off by a thousandth come back to the rationals of the face."""
    problem, face, vectors = sixth
    pivots = list(face.pivots)
    off = face.vectors * 1.001
    off[:, pivots] = face.vectors[:, pivots]
    spoilt = replace(
        face, vectors=off, inner=face.inner * 0.999, values=face.values * 1.001, multipliers=face.multipliers * 1.001
    )
    assert faces.rational_vectors(spoilt) != vectors
    again = faces.refined(problem, spoilt)
    assert faces.rational_vectors(again) == vectors
    assert np.allclose(again.inner, face.inner, atol=1e-12)
    assert np.allclose(again.values, face.values, atol=1e-12)
    assert np.array_equal(again.multipliers, spoilt.multipliers)


@pytest.mark.parametrize(
    ("number", "found"),
    [
        (0.5, "1/2"),
        (0.5 + 0.9e-12, "1/2"),
        (0.5 + 1.2e-12, None),
        (-0.5 - 0.9e-12, "-1/2"),
        (-0.5 - 1.2e-12, None),
        (3.25 + 3e-12, "13/4"),
        (-3.25 - 3e-12, "-13/4"),
        (3.25 + 4e-12, None),
        (1 / 99991, "1/99991"),
        (1 / 100003, None),
    ],
)
def test_a_float_stands_for_the_rational_next_to_it(number: float, found: str | None) -> None:
    """To 1e-12, of itself where it is more than 1, and with a denominator of at most 1e5."""
    own = faces.recognised(number)
    assert own == (None if found is None else fmpq(*Fraction(found).as_integer_ratio()))
    near = faces._near(number)
    assert abs(Fraction(int(near.p), int(near.q)) - Fraction(number)) <= Fraction(4, 10**12)


def test_coordinates_are_no_more_than_needed() -> None:
    """A square of rationals takes one of its own, 7 takes four, and what depends on others takes none."""
    for products, columns in (
        ([[1]], 1),
        ([[7]], 4),
        ([[4, 2], [2, 1]], 1),
        ([[1, 0], [0, 0]], 1),
        ([[1, 0], [0, 9]], 2),
    ):
        found = faces._with_products([[fmpq(c) for c in row] for row in products])
        assert found is not None
        assert found.ncols() == columns
        assert found * found.transpose() == fmpq_mat([[fmpq(c) for c in row] for row in products])


def test_numbers_near_a_rational_are_taken_for_it_and_others_are_rounded() -> None:
    assert faces._near(1 / 3) == fmpq(1, 3)
    root = faces._near(2**0.5)
    assert root == fmpq(round(2**0.5 * 10**12), 10**12)
    face: Any = SimpleNamespace(vectors=np.array([[1.0, 0.5], [1 / 3, 0.0]]))
    assert faces.rational_vectors(face) == [[1, fmpq(1, 2)], [fmpq(1, 3), 0]]
    for place in ((0, 0), (1, 1)):
        face.vectors = np.array([[1.0, 0.5], [1 / 3, 0.0]])
        face.vectors[place] = 2**0.5
        assert faces.rational_vectors(face) is None


def test_a_certificate_at_a_face_is_checked_like_any(
    sixth: tuple[Any, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faces, "why_invalid", lambda *given: "not proved")
    assert faces.certificate_of(*sixth) is None


# Runs and rounds ------------------------------------------------------------------------------------------------------


def test_a_bracket_says_whether_its_ends_meet() -> None:
    one = asked()
    both = Bracket(one, Fraction(1, 4), Fraction(1, 4), None, None)
    assert str(both) == f"{one}: 0.25, both attained and proved"
    assert str(replace(both, upper=Fraction(1, 2))) == f"{one}: between 0.25 (attained) and 0.5 (proved)"
    assert str(replace(both, lower=None, upper=None)) == f"{one}: between ? (attained) and ? (proved)"


def test_a_free_start_that_is_not_attained_keeps_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    free = question(sequential, Smooth(1), LastGap(), n_local_steps=1, step_size="1/2", initial_gap=1)
    monkeypatch.setattr(whole_run, "_bracket_run", unsolved)
    found = whole_run._with_near_start(free, Fraction(3), None)
    assert found == Bracket(free, None, Fraction(3), None, None)


@pytest.mark.parametrize(
    ("settings", "distance"),
    [
        ({"initial_gap": 2}, 20 * Fraction(1, 2)),  # the root of 2 / 8
        ({"initial_gap": 2, "heterogeneity_at_optimum": 24, "n_clients": 2}, 20 * Fraction(1, 2)),
        ({"heterogeneity_at_optimum": 24, "n_clients": 2}, 20 * 3),
        ({"heterogeneity_at_optimum": 24, "n_clients": 2, "noise_std": 32}, 20 * 4),
        ({"max_heterogeneity_at_optimum": 40, "n_clients": 2, "noise_std": 32}, 20 * 5),
        ({"heterogeneity_at_optimum": 0, "n_clients": 2, "noise_std": 32}, 20 * 4),
        ({}, 20),
    ],
)
def test_near_starts_are_some_lengths_away(
    settings: dict[str, Any], distance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty times the root of the height over L, or what pulls the clients apart over L."""
    seen: list[Question] = []

    def told(one: Question, attain: bool) -> Bracket:
        seen.append(one)
        return Bracket(one, Fraction(1), Fraction(9), None, None, True)

    monkeypatch.setattr(whole_run, "_bracket_run", told)
    growth = LastGap() if "initial_gap" in settings else RoundGrowth(sympy.Integer(1))
    one = question(sequential, Smooth(8), growth, n_local_steps=1, step_size="1/20", **settings)
    found = whole_run._with_near_start(one, Fraction(3), None)
    assert found == Bracket(one, Fraction(1), Fraction(3), None, None, True)
    (near,) = seen
    assert dict(near.settings) == {**dict(one.settings), "initial_distance": distance + Fraction(1, 1000)}
    assert list(near.settings) == sorted(near.settings)


@pytest.mark.parametrize("error", [OutOfReach, Unsolved])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_recursions_end_where_the_solver_does(error: type[Exception], at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The earlier ones stay; without a first there is none."""
    proved = list[Fraction]()

    def prove(one: Question) -> Any:
        if len(proved) == at:
            raise error("too near")
        proved.append(dict(one.settings)["initial_distance"])
        return proved[-1]

    def twice(before: Fraction) -> Any:
        return SimpleNamespace(start=0, total=lambda *given: (2 * before) ** 2)

    monkeypatch.setattr(many_rounds, "_prove_round", prove)
    monkeypatch.setattr(many_rounds, "coefficients", twice)
    found = many_rounds._recursions(asked(n_rounds=1000))
    if at == 0:
        with pytest.raises(error, match="too near"):
            next(found)
    else:
        assert list(found) == [1, 2][:at]


@pytest.mark.parametrize("changed", ["objective", "known", "made"])
def test_a_round_that_differs_when_it_is_repeated_is_no_recursion(
    changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = question(Algorithm("descent", descent), CURVED, LastDistance(), step_size="1/2", initial_distance=1)
    first = problem_of(one)
    objective, known = first.objective.times(fmpq(2)), first.known[:-1]
    record = replace(first.record, made={**first.record.made, GradientQuery(0, ((0, fmpq(2)),)): 9})
    others = {
        "objective": replace(first, objective=objective),
        "known": replace(first, known=known),
        "made": replace(first, record=record),
    }
    for again in (first, others[changed]):
        runs = iter((first, again))
        monkeypatch.setattr(many_rounds, "problem_of", lambda asked_, runs=runs: next(runs))
        if again is first:
            many_rounds.require_equal_rounds(one)
            continue
        with pytest.raises(OutOfReach, match="descent behaves otherwise when its round is repeated: it has memory"):
            many_rounds.require_equal_rounds(one)


def test_a_recursion_without_a_certificate_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_round, "bracket_run", lambda one, attain: Bracket(one, None, None, None, None))
    with pytest.raises(OutOfReach, match="no certificate of one round was found"):
        one_round.recursion(sequential, CURVED, **ONE)


def test_values_that_are_not_rational_are_rounded_down(monkeypatch: pytest.MonkeyPatch) -> None:
    one, case = asked(), next(two_sided._cases(asked()))

    def told(value: Any) -> Fraction | None:
        def ball(*given: Any) -> Any:
            if isinstance(value, Exception):
                raise value
            return SimpleNamespace(value=value)

        monkeypatch.setattr(two_sided, "exact_ball", ball)
        return two_sided._rational_lower_bound(one, case)

    assert told(NotEnumerable("many")) is None
    assert told(NotRational("no")) is None
    assert told(3) == told(Fraction(3)) == 3
    assert told("3") is None
    root = arb(2).sqrt()
    low = told(root)
    assert low is not None
    assert low**2 < 2 < (low + Fraction(1, 10**12)) ** 2
    wide = told(arb(5, 1))
    assert wide is not None
    assert Fraction(399, 100) < wide <= 4
    monkeypatch.setattr(two_sided, "_rational_lower_bound", lambda *given: None)
    assert two_sided.worst_quadratic(one) == (None, None)


def test_weights_that_vanish_or_grow_do_not_chain() -> None:
    """Factors from 0, which is none, to 1, which is one."""
    for decay, refused in ((0, True), (sympy.Rational(1, 9), False), (1, False), (sympy.Rational(10, 9), True)):
        one = asked(measure=AveragedGap(sympy.sympify(decay)))
        if refused:
            with pytest.raises(OutOfReach, match=f"weights that fall by {decay} a round do not chain"):
                many_rounds._decay(one)
        else:
            assert many_rounds._decay(one) == Fraction(str(decay))


def test_what_falls_over_a_round_needs_no_infimum() -> None:
    """A height that falls is a difference: no limit from below is stated of it."""
    one = question(sequential, NonConvex(1), LeastGradient(), n_local_steps=1, step_size="1/2", initial_gap=1)
    whole = {label[0] for label, _ in problem_of(one).known}
    round_ = {label[0] for label, _ in problem_of(many_rounds.one_round_question(one)).known}
    assert whole == {"gap", "floor", "round"}
    assert round_ == {"fall"}


@pytest.mark.parametrize("noise", [0, 1])
def test_a_recursion_is_asked_of_noise_only_where_there_is_some(noise: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[dict[str, Any]]()

    def told(method: Any, functions: Any, **settings: Any) -> one_round.Recursion:
        seen.append(settings)
        share = settings["initial_distance"]
        return one_round.Recursion(abs(share - 3), Fraction(0), Fraction(0), cast("Any", None))

    monkeypatch.setattr(one_round, "recursion", told)
    best = one_round.best_recursion(
        sequential, CURVED, 2, Fraction(6), Fraction(5), Fraction(noise), ("1/3", "1/2", 1), step_size=Fraction(1, 9)
    )
    assert best.contraction == 0
    expected: dict[str, Any] = {"heterogeneity_at_optimum": 5, "step_size": Fraction(1, 9)}
    expected |= {"noise_std": 1} if noise else {}
    assert seen == [{**expected, "initial_distance": distance} for distance in (2, 3, 6)]


def test_measures_say_what_they_are() -> None:
    weight = 2 * symbols.step_size
    whole = "E|x_R - x*|\u00b2 - |x_0 - x*|\u00b2 + (2*step_size) (F(x_0) - F*)"
    assert RoundGrowth(weight).name == whole
    assert RoundGrowth(weight, sympy.Rational(1, 2)).name == whole.replace("- |x_0", "- (1/2) |x_0")
    fall = ConstrainedQuantity(LastGap(), sympy.Integer(1), Fraction(1, 3))
    assert fall.name == f"{LastGap().name} of x_0 where a round takes at most 1/3 off |x_0 - x*|\u00b2"
    assert replace(fall, of_height=True).name.endswith("takes at most 1/3 off F(x_0)")


def test_noise_beside_quadratic_clients_leaves_them_quadratic() -> None:
    settings: dict[str, Any] = {"step_size": "1/2", "n_local_steps": 1, "initial_distance": 1, "noise_std": 1}
    for functions, kind in ((Quadratic(1, "1/2"), MatrixClients), (CURVED, WithNoisyCoordinate)):
        found = bracket(question(sequential, functions, LastDistance(), **settings))
        assert found.case is not None
        assert isinstance(found.case.instance, kind)
        assert found.is_reproduced
        assert found.lower == pytest.approx(float((1 - Fraction(1, 2) / 2) ** 2 + Fraction(1, 4)), abs=1e-6)


# Solvers and rounding -------------------------------------------------------------------------------------------------


def test_finding_needs_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(
        NoSolver, match=r"finding a worst case needs the extra `find` \(pip install 'fltheory\[find\]'\)"
    ):
        bracket(asked())


@pytest.mark.parametrize(
    ("status", "error", "why"),
    [
        ("InsufficientProgress", SolverStuck, "the solver stopped with InsufficientProgress: no further progress"),
        ("MaxTime", SolverStuck, "the solver stopped with MaxTime: no further progress"),
        ("PrimalInfeasible", Unsolved, "the worst case may have no limit, be 0, or be beyond floats"),
        ("AlmostDualInfeasible", Unsolved, "the worst case may have no limit"),
        ("AlmostSolved", None, ""),
    ],
)
def test_a_solver_that_stops_otherwise_has_found_nothing(
    status: str, error: type[Exception] | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = problem_of(asked())
    table, own = make_table(problem, frame(problem)), solver.solve_cone_program

    def told(*given: Any) -> Any:
        found = own(*given)
        return SimpleNamespace(status=status, x=found.x, z=found.z)

    monkeypatch.setattr(solver, "solve_cone_program", told)
    if error is None:
        assert propose(table, 0.0).value == pytest.approx(9 / 16, abs=1e-6)
        return
    with pytest.raises(error, match=why):
        propose(table, 0.0)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_the_best_instance_of_those_that_exist(order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(asked(Quadratic(1)))
    told: Any = frame(problem)
    proposal = propose(make_table(problem, told), 1e-9)
    lowers = [2, None, 3]
    turned = iter([*lowers[order:], *lowers[:order]])
    monkeypatch.setattr(hessians, "_candidates", lambda *given: iter(range(3)))

    def instance(*given: Any) -> Any:
        lower = next(turned)
        return None if lower is None else SimpleNamespace(lower=lower)

    monkeypatch.setattr(hessians, "_instance_with", instance)
    best: Any = hessians.quadratic_instance(problem, Quadratic(1), told, proposal)
    assert best.lower == 3
    monkeypatch.setattr(hessians, "_instance_with", lambda *given: None)
    assert hessians.quadratic_instance(problem, Quadratic(1), told, proposal) is None


def test_multipliers_that_meet_no_equation_are_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(asked())
    told = frame(problem)
    proposal = propose(make_table(problem, told), 1e-9)
    assert round_to_certificate(problem, told, proposal) is not None
    monkeypatch.setattr(certificates, "nearby_solution", lambda *given: None)
    assert round_to_certificate(problem, told, proposal) is None


@pytest.mark.parametrize("functions", [Smooth(1), Quadratic(1)])
def test_a_free_start_has_no_instance(functions: Any) -> None:
    growth = RoundGrowth(sympy.Rational(1, 9))
    problem = problem_of(question(sequential, functions, growth, n_local_steps=1, step_size="1/2"))
    assert problem.free
    nothing: Any = None
    assert attaining_instance(problem, nothing, nothing) is None
    assert hessians.quadratic_instance(problem, functions, nothing, nothing) is None


@pytest.mark.parametrize(("length", "factor"), [(2, "1/2"), (5, "1/5"), ("1/3", "3"), (10**30, None)])
def test_all_vectors_are_scaled_until_the_start_is_near_enough(length: Any, factor: str | None) -> None:
    """|x_0 - x*| <= 1; a factor below 1e-12 is rounded to 0, and then there is no instance."""
    problem = problem_of(asked(Quadratic(1)))
    gram = fmpq_mat(problem.size, problem.size)
    gram[0, 0] = fmpq(*(Fraction(length) ** 2).as_integer_ratio())
    found = hessians._largest_factor(problem, gram)
    assert found == (None if factor is None else fmpq(*Fraction(factor).as_integer_ratio()))
    first = fmpq_mat(2, 1, [fmpq(*Fraction(length).as_integer_ratio()), fmpq(0)])
    instance = hessians._instance_with(problem, (fmpq_mat([[fmpq(1)]]),), first)
    if factor is None:
        assert instance is None
        return
    assert instance is not None
    assert instance.lower == fmpq(1, 4)  # (1 - 1/2)^2 of the distance 1
    assert instance.vectors[0, 0] == 1


def test_all_limits_are_met_by_the_factor() -> None:
    """The start within 1, and slopes of a mean square of at most 1; where nothing moves the factor is 1."""
    problem = problem_of(asked(Quadratic(1), n_clients=2, heterogeneity_at_optimum=1))
    for start, apart, factor in (
        (2, 6, "1/3"),
        (4, 6, "1/4"),
        (2, 0, "1/2"),
        (0, 6, "1/3"),
        (0, 0, "1"),
        (0, "1/2", "4"),
    ):
        rows = fmpq_mat(problem.size, 1)
        rows[0, 0], rows[1, 0] = (fmpq(*Fraction(v).as_integer_ratio()) for v in (start, apart))
        found = hessians._largest_factor(problem, rows * rows.transpose())
        assert found is not None
        assert 0 <= fmpq(*Fraction(factor).as_integer_ratio()) - found < fmpq(1, 10**12)


def test_hessians_that_are_not_near_their_mean_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of each client alone and those found together; together with one Hessian for all there is nothing to find."""
    functions = Quadratic(1, "1/10")
    one = asked(functions, n_clients=2, heterogeneity_at_optimum=1, hessian_heterogeneity="1/8")
    problem = problem_of(one)
    told: Any = frame(problem)
    proposal = propose(make_table(problem, told), 1e-9)
    rows = hessians.gram_factor(told.gram(proposal.blocks), proposal.units)

    def count(of: Any = problem, rows: Any = rows) -> int:
        found = list(hessians._candidates(of, functions, rows))
        for each in found if of.apart is not None and not of.record.tilted else ():
            mean = (each[0] + each[1]) / 2
            off = (each[0] - mean).tolist()
            assert max(abs(np.linalg.eigvalsh([[float(c.p) / float(c.q) for c in row] for row in off]))) <= 1 / 8
        return len(found)

    assert count() == 2
    assert count(replace(problem, apart=None)) == 1
    far = (np.eye(len(rows[0])), np.eye(len(rows[0])) / 5)
    monkeypatch.setattr(hessians, "nearby_hessians", lambda *given: far)
    assert count() == 2  # shrunk to the limit
    monkeypatch.setattr(hessians, "shrink_deviations", lambda given, limit: given)
    whole = list(hessians._candidates(problem, functions, rows))
    assert all(abs((each[0] - each[1]).tolist()[0][0]) <= fmpq(1, 4) for each in whole)
    assert len(whole) < 2
    monkeypatch.setattr(hessians, "nearby_hessians", lambda *given: None)
    assert count() == len(whole)
    tilted = problem_of(one, tilted=True)
    assert count(tilted, np.eye(tilted.size)) == 1


def test_hessians_in_an_empty_range_are_not_found() -> None:
    places, images = np.eye(1), [np.eye(1), np.eye(1)]
    found = nearby_hessians(places, images, (0.5, 2.0), 1.0)
    assert found is not None
    assert np.allclose(found, 1.0, atol=1e-6)
    assert nearby_hessians(places, images, (2.0, 0.5), 1.0) is None


# Symmetry -------------------------------------------------------------------------------------------------------------


def test_numbers_that_floats_do_not_sum_exactly_are_refused() -> None:
    """Sums of 2 g b^2 terms stay below 2^52 for g permutations and the largest entry b."""
    own = noisy_problem(2)
    same = symmetry(own)
    assert same is not None
    told = BlockFrame(own, same)
    largest = max(int(np.abs(b).max()) for b in told._bases)
    ordinary = told.matrices(own.objective)
    for power, refused in ((24, False), (25, True)):
        scaled = BlockFrame(own, same)
        vars(scaled)["_bases"] = tuple(b * 2**power // largest for b in told._bases)
        if refused:
            with pytest.raises(
                ArithmeticError, match="a basis with numbers so large that floats don't hold their sums"
            ):
                scaled.matrices(own.objective)
            continue
        for one, other in zip(ordinary, scaled.matrices(own.objective), strict=True):
            assert other == [[c * 4**power / largest**2 for c in row] for row in one]


def test_blocks_that_do_not_span_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    same = symmetry(noisy_problem(2))
    assert same is not None
    own = permutations._independent
    monkeypatch.setattr(permutations, "_independent", lambda rows: own(rows)[:-1])
    with pytest.raises(ArithmeticError, match="the blocks don't span the basis"):
        permutations.representation_blocks(same)


@pytest.mark.parametrize(
    ("swap", "turn", "apart"),
    [
        ([0, 2, 1, 4, 3], [0, 2, 1, 4, 3], True),  # x_0, two h, and a gradient of each client
        ([0, 2, 1, 4, 3], [0, 1, 2, 3, 4], False),  # h_1 is its own copy
        ([0, 2, 1, 4, 3], [0, 2, 3, 4, 1], False),  # h_1 has no way back
        ([0, 2, 1, 4, 3], [0, 2, 1, 2, 3], False),  # a gradient becomes an h
        ([0, 1, 2, 3, 4], [0, 2, 1, 4, 3], False),  # the swap leaves the clients where they are
        ([0, 2, 3, 1, 4], [0, 2, 1, 4, 3], False),  # and mixes kinds
    ],
)
def test_agents_are_copies_of_the_first(
    swap: list[int], turn: list[int], apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {GradientQuery(m, ((0, fmpq(1)),)): 3 + m for m in range(2)}
    own: Any = SimpleNamespace(n_clients=2, size=5, record=SimpleNamespace(made=made))
    monkeypatch.setattr(separate_clients, "generators", lambda problem: [((1, 0), swap), ((1, 0), turn)])
    found = agent_frame(own)
    assert (found is not None) == apart
    if found is not None:
        assert found.kinds.tolist() == [0, 1, 1, 3, 3]
    own.record.made = {GradientQuery(1, point): k for k, point in ((3, ((0, fmpq(1)),)), (4, ((0, fmpq(2)),)))}
    assert agent_frame(own) is None  # what is no copy of the first client's


@pytest.mark.parametrize("free", [False, True])
def test_the_sum_of_all_agents_has_a_row_for_a_start_that_is_known(free: bool) -> None:
    found = agent_frame(noisy_problem(3, free))
    assert found is not None
    kinds = len(set(found.kinds.tolist()))
    assert found.sizes == (kinds - 1 - free, kinds - 1)


# Claims ---------------------------------------------------------------------------------------------------------------


VALUES: dict[Any, Any] = {
    symbols.smoothness: 2,
    symbols.n_clients: 1,
    symbols.step_size: Fraction(1, 4),
    symbols.n_rounds: 2,
    symbols.n_local_steps: 1,
}


def test_claims_about_games_and_formulas_have_no_worst_case_of_rounds() -> None:
    game = find("aaggff/T5.1@printed")
    assert game.algorithm is not None
    with pytest.raises(OutOfReach, match=rf"{game.id} is about a game that .* plays, not the rounds of an algorithm"):
        require_reach(game)
    with pytest.raises(OutOfReach, match="is about a formula, not the rounds of an algorithm"):
        require_reach(find("aaggff/4.1@printed"))


def test_a_claim_says_which_clients_take_part() -> None:
    own = claim_of(LastGap(), assume.convex, assume.full_participation)
    values = {**VALUES, symbols.initial_distance: 1, symbols.n_clients: 2, symbols.heterogeneity_at_optimum: 1}
    assert question_of_claim(own, {**values, symbols.n_participating: 2}).functions == Smooth(2)
    with pytest.raises(OutOfReach, match=f"{own.id} does not apply: some clients don't take part"):
        question_of_claim(own, {**values, symbols.n_participating: 1})
    other = claim_of(LastGap(), assume.convex)
    assert question_of_claim(other, {**values, symbols.n_participating: 1}).functions == Smooth(2)


@pytest.mark.parametrize("noise", [0, 3])
def test_noise_of_0_is_none_and_other_zeros_stay(noise: int) -> None:
    own = claim_of(LastGap(), assume.convex)
    given = {**VALUES, symbols.initial_distance: 1, symbols.n_clients: 2, symbols.heterogeneity_at_optimum: 0}
    settings = dict(question_of_claim(own, {**given, symbols.noise_std: noise}).settings)
    assert settings.get("noise_std") == (noise or None)
    assert settings["heterogeneity_at_optimum"] == 0


def test_claims_on_gradients_are_of_clients_that_need_not_be_convex() -> None:
    own = claim_of(LeastGradient(), assume.smooth)
    found = question_of_claim(own, {**VALUES, symbols.initial_gap: 3, symbols.strong_convexity: 1})
    assert found.functions == NonConvex(2)


@pytest.mark.parametrize(("value", "holds"), [("14142/10000", True), ("14143/10000", False)])
def test_irrational_bounds_are_compared_as_balls(value: str, holds: bool) -> None:
    own = claim_of(LastGap(), assume.convex, bound=sympy.sqrt(2) * symbols.initial_distance)
    assert satisfies_bounds(own, Fraction(value), {symbols.initial_distance: 1}) == holds
    exact = claim_of(LastGap(), assume.convex, bound=symbols.initial_distance)
    assert satisfies_bounds(exact, Fraction(1), {symbols.initial_distance: 1})


@pytest.mark.parametrize("error", [OutOfReach, ValueError, ArithmeticError])
def test_a_verdict_stays_where_there_is_no_class(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    claim = find("sfl/T3-GC@printed")
    verdict = check_claim(claim, claim.cases[0])

    def refuse(*given: Any) -> Iterator[Any]:
        raise error("none")

    monkeypatch.setattr(certified, "certified_bound", refuse)
    assert certified.with_class_scope(claim, verdict) is verdict


# Who may change places ------------------------------------------------------------------------------------------------


def test_a_symmetry_is_of_some_clients_and_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert symmetry(problem_of(asked())) is None
    assert agent_frame(problem_of(asked())) is None
    for n_clients in (2, 3):
        own = noisy_problem(n_clients)
        found = symmetry(own)
        assert found is not None
        assert len(found.permutations) == len(set(found.permutations)) == (2 if n_clients == 2 else 6)
        monkeypatch.setattr(permutations, "MAX_CLIENTS", n_clients)
        assert symmetry(own) is not None
        monkeypatch.setattr(permutations, "MAX_CLIENTS", n_clients - 1)
        assert symmetry(own) is None
        assert agent_frame(own) is not None  # of any number of clients
        monkeypatch.undo()


@pytest.mark.parametrize("seed", range(8))
def test_independent_rows_are_as_many_as_the_rank(seed: int) -> None:
    """The first ones: each is kept that is no combination of those before it."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(-2, 3, (5, 3)) @ draw.integers(-2, 3, (3, 6))
    found = permutations._independent(rows)
    kept = list[Any]()
    for row in rows.tolist():
        if fmpq_mat([*kept, row]).rank() == len(kept) + 1:
            kept.append(row)
    assert [row.tolist() for row in found] == kept
