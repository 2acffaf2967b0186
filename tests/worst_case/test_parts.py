"""Parts of a worst case by themselves, each against its definition in fractions or by trying everything."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import sympy
from flint import fmpq, fmpq_mat

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.number.linear import is_semidefinite
from fltheory.papers.sfl.algorithms import sequential
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.distributions.affine import Form as PointForm
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, Measure, OneRoundMeasure
from fltheory.verification import find
from fltheory.worst_case import claims, many_rounds, problem, set_functions, solver, symbolic_run, whole_run
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.claims import certified
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.linear import Linear
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.lower_bounds import gram_factor, rational_matrix
from fltheory.worst_case.many_rounds import Coefficients, coefficients, link_questions, question_key
from fltheory.worst_case.measures import ConstrainedQuantity, LastGradient, LeastGap, RoundGrowth
from fltheory.worst_case.problem import objectives
from fltheory.worst_case.question import Question, problem_of, question
from fltheory.worst_case.set_functions import linear_program
from fltheory.worst_case.set_functions.answers import SetProblem
from fltheory.worst_case.set_functions.linear_forms import Form, elementary_inequalities, inequality, replay
from fltheory.worst_case.set_functions.linear_program import Program, Proof
from fltheory.worst_case.solver import Proposal
from fltheory.worst_case.symbolic_run import GradientQuery, NoiseDraw, OutOfReach, Record, UnknownClients
from fltheory.worst_case.symmetry_reduction import WholeFrame
from fltheory.worst_case.two_sided import bracket
from fltheory.worst_case.whole_run import Bracket, record_options

ONE: dict[str, Any] = {"n_local_steps": 1, "step_size": "1/4", "initial_distance": 1}
TWO: dict[str, Any] = {**ONE, "n_clients": 2, "heterogeneity_at_optimum": 1}
CURVED = Smooth(1, "1/2")


def asked(functions: FunctionClass = CURVED, measure: Measure | None = None, **settings: Any) -> Question:
    return question(sequential, functions, measure or LastDistance(), **(settings or ONE))


# Which clients are tried ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("functions", "settings", "options"),
    [
        (CURVED, {}, {}),
        (CURVED, {"n_clients": 2, "heterogeneity_at_optimum": 1}, {"tilted": False, "still": False}),
        (CURVED, {"n_clients": 2, "heterogeneity_at_optimum": 0}, {"tilted": False, "still": True}),
        (CURVED, {"n_clients": 2, "max_heterogeneity_at_optimum": 0}, {"tilted": False, "still": True}),
        (CURVED, {"n_clients": 2, "heterogeneity": 1}, {"tilted": False, "still": False}),
        (CURVED, {"n_clients": 2, "heterogeneity": 0}, {"tilted": True, "still": True}),
        (CURVED, {"n_clients": 2, "max_heterogeneity": 0}, {"tilted": True, "still": True}),
        (CURVED, {"n_clients": 2, "heterogeneity": 0, "heterogeneity_slope": 1}, {"tilted": False, "still": False}),
        (CURVED, {"n_clients": 2, "heterogeneity": 0, "heterogeneity_slope": 0}, {"tilted": True, "still": True}),
        (Quadratic(1), {"n_clients": 2, "heterogeneity": 1}, {"tilted": True, "still": False}),
        (Quadratic(1), {"n_clients": 2, "max_heterogeneity": 2}, {"tilted": True, "still": False}),
        (
            Quadratic(1),
            {"n_clients": 2, "heterogeneity": 1, "heterogeneity_slope": 1},
            {"tilted": False, "still": False},
        ),
        (Quadratic(1), {**TWO, "hessian_heterogeneity": 0}, {"tilted": True, "still": False}),
        (Quadratic(1), {**TWO, "hessian_heterogeneity": 1}, {"tilted": False, "still": False}),
    ],
)
def test_limits_of_0_make_clients_alike(functions: Any, settings: dict[str, Any], options: dict[str, bool]) -> None:
    """One x* where none differ there; one Hessian where none differ anywhere, or for quadratic ones by a limited amount."""
    assert record_options(asked(functions, **{**ONE, **settings})) == options


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"noise_std_at_optimum": 1}, {"within": True, "between": True}),
        ({"noise_std_at_optimum": 0}, {"within": False, "between": True}),
        ({"noise_std_at_optimum": 1, **TWO}, {"within": True, "between": True}),
        ({"noise_std_at_optimum": 1, **TWO, "heterogeneity_at_optimum": 0}, {"within": True, "between": False}),
        ({"noise_std_at_optimum": 0, **TWO, "heterogeneity_at_optimum": 0}, {"within": False, "between": False}),
    ],
)
def test_sampled_functions_differ_where_limits_let_them(settings: dict[str, Any], options: dict[str, bool]) -> None:
    assert record_options(asked(**{**ONE, **settings}, n_components=2)) == options


@pytest.mark.parametrize(
    ("settings", "short"),
    [
        ({"n_rounds": 6}, True),
        ({"n_rounds": 7}, False),
        ({"n_rounds": 3, "n_local_steps": 2}, True),
        ({"n_rounds": 2, "n_local_steps": 4}, False),
        ({**TWO, "n_rounds": 3}, True),
        ({**TWO, "n_rounds": 4}, False),
    ],
)
def test_noisy_runs_of_at_most_six_steps_are_replayed(settings: dict[str, Any], short: bool) -> None:
    assert whole_run._is_short(asked(**{**ONE, **settings})) == short


def test_curvatures_are_tried_from_end_to_end() -> None:
    found = whole_run._curvatures(Smooth(3, 1))
    assert (found[0], found[-1], len(found)) == (1, 3, whole_run.N_CURVATURES + 1)
    assert len({b - a for a, b in itertools.pairwise(found)}) == 1


@pytest.mark.parametrize("curvature", ["1/2", "2/3", "1"])
@pytest.mark.parametrize("n_rounds", [1, 2, 3])
def test_the_value_of_noise_is_that_of_its_own_coordinate(curvature: str, n_rounds: int) -> None:
    """eta^2 s^2 sum (1 - eta c)^(2 k) for the distance, times c / 2 for the gap, whatever the clients start from."""
    c, std, eta = Fraction(curvature), Fraction(3), Fraction(1, 4)
    square = sum((eta * std * (1 - eta * c) ** k) ** 2 for k in range(n_rounds))
    for measure, value in ((LastDistance(), square), (LastGap(), square * c / 2)):
        one = asked(measure=measure, **ONE, n_rounds=n_rounds, noise_std=std)
        assert whole_run._noise_value(one, CURVED, c, std) == value


def test_what_the_method_gives_is_what_is_attained() -> None:
    found = bracket(asked())
    assert found.case is not None
    assert found.lower is not None
    assert whole_run.reproduces(found.question, found.case, found.lower)
    with pytest.raises(
        OutOfReach, match=r"SFL gives .* on clients where its symbolic run on unknown functions gives 2"
    ):
        whole_run.reproduces(found.question, found.case, Fraction(2))


def test_what_is_not_known_exactly_is_not_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = bracket(asked())
    monkeypatch.setattr(whole_run, "exact_rational", lambda *given: None)
    assert not whole_run.reproduces(found.question, found.case, Fraction(2))
    assert whole_run._noise_value(found.question, CURVED, Fraction(1), Fraction(1)) == 0


@pytest.mark.parametrize(
    ("functions", "n_clients", "tilted", "known", "enough"),
    [
        (CURVED, 2, False, (), True),
        (CURVED, 2, False, ("heterogeneity",), False),
        (CURVED, 2, False, ("max_heterogeneity",), False),
        (CURVED, 2, True, ("heterogeneity",), True),
        (CURVED, 1, False, ("heterogeneity",), True),
        (NonConvex(1), 1, False, (), True),
        (NonConvex(1), 2, False, (), False),
        (NonConvex(1), 2, True, (), True),
    ],
)
def test_limits_are_sufficient_where_clients_are_limited_one_by_one(
    functions: FunctionClass, n_clients: int, tilted: bool, known: tuple[str, ...], enough: bool
) -> None:
    case: Any = SimpleNamespace(instance=SimpleNamespace(known={getattr(symbols, name): 1 for name in known}))
    assert problem._are_limits_sufficient(case, functions, Record(n_clients, tilted=tilted)) == enough


# Rounds that chain ----------------------------------------------------------------------------------------------------


def link(upper: str, *multipliers: Any, measure: Any = None, **settings: Any) -> Bracket:
    """A bracket by these multipliers, true or not."""
    own = tuple((label, fmpq(*Fraction(c).as_integer_ratio())) for label, c in multipliers)
    found = Certificate(fmpq(*Fraction(upper).as_integer_ratio()), own)
    return Bracket(asked(measure=measure, **{**ONE, **settings}), None, None, found, None)


def test_multipliers_are_the_coefficients_of_a_recursion() -> None:
    """a D^2 + b zeta^2 + c sigma^2: each by the limits that say so, added up; others are no part of it."""
    start, spread, noise = (("distance",), "1/2"), (("heterogeneity",), "1/3"), (("noise", 5), "1/5")
    pair = (("client", 0, 0, 3), "7")
    one = {"initial_distance": 2}
    two = {**one, "n_clients": 2, "heterogeneity_at_optimum": 3}
    noisy = {**two, "noise_std": 5}
    assert coefficients(link("2", start, pair, **one)) == Coefficients(Fraction(1, 2), Fraction(0), None)
    assert coefficients(link("5", start, spread, pair, **two)) == Coefficients(Fraction(1, 2), Fraction(1, 3), None)
    found = coefficients(link("20", start, spread, noise, (("noise", 6), "2/5"), **noisy))
    assert found == Coefficients(Fraction(1, 2), Fraction(1, 3), Fraction(3, 5))
    worst = coefficients(link("11", start, (("worst", "*", 0), "1/3"), (("everywhere", "x*"), "2/3"), **two))
    assert worst == Coefficients(Fraction(1, 2), Fraction(1), None)
    sampled = {**one, "n_components": 2, "noise_std_at_optimum": 3}
    assert coefficients(link("8", start, (("sampled", 0), "2/3"), **sampled)).noise == Fraction(2, 3)
    for wrong in (link("3", start, **one), link("2", start, (("gap",), "1"), measure=LastGap(), **one, initial_gap=1)):
        with pytest.raises(OutOfReach, match="does not chain"):
            coefficients(wrong)
    for n_clients, settings in ((2, {"heterogeneity_at_optimum": 0}), (1, {})):
        alike = link("2", start, **one, n_clients=n_clients, **settings)
        if n_clients == 1:
            assert coefficients(alike).spread == 0
            continue
        with pytest.raises(OutOfReach, match="a bound for identical clients is no recursion for others"):
            coefficients(alike)
    tolerant = link("2", start, spread, **one, n_clients=2, heterogeneity_at_optimum=0)
    assert coefficients(tolerant).spread == Fraction(1, 3)


def test_falls_start_a_recursion_too() -> None:
    fall = ConstrainedQuantity(LastGap(), sympy.Integer(1), Fraction(3))
    own = Bracket(
        Question(sequential, CURVED, fall, (("n_clients", 1), ("n_rounds", 1))),
        None,
        None,
        Certificate(fmpq(6), ((("fall",), fmpq(2)),)),
        None,
    )
    assert coefficients(own) == Coefficients(Fraction(2), Fraction(0), None)


def test_links_are_about_single_rounds() -> None:
    """The gap at the end needs the distance before it; other measures need one round."""
    settings = {**TWO, "n_rounds": 9, "noise_std": 2}
    for measure, kinds in (
        (LastGap(), [LastDistance, LastGap]),
        (LastDistance(), [LastDistance]),
        (AveragedGap(sympy.Integer(1)), [ConstrainedQuantity]),
    ):
        found = list(link_questions(asked(measure=measure, **settings)))
        assert [type(one.measure) for one in found] == kinds
        assert all(one.alone and dict(one.settings)["n_rounds"] == 1 for one in found)
    first, other = (next(link_questions(asked(**{**settings, "initial_distance": d}))) for d in (1, 2))
    assert first != other
    assert question_key(first) == question_key(other)
    for change in ({"step_size": "1/5"}, {"n_clients": 3}, {"n_local_steps": 2}):
        assert question_key(next(link_questions(asked(**{**settings, **change})))) != question_key(first)
    assert question_key(replace(first, alone=False)) != question_key(first)
    assert question_key(replace(first, functions=Smooth(1))) != question_key(first)
    falls = [ConstrainedQuantity(LastGap(), sympy.Integer(1), Fraction(c)) for c in (1, 2)]
    assert len({question_key(replace(first, measure=fall)) for fall in falls}) == 1
    high = replace(falls[0], of_height=True)
    assert question_key(replace(first, measure=high)) != question_key(replace(first, measure=falls[0]))


def test_a_chain_starts_from_what_is_known_of_its_class() -> None:
    assert many_rounds._start_setting(asked()) == "initial_distance"
    rough = question(sequential, NonConvex(1), LeastGradient(), n_local_steps=1, step_size="1/2", initial_gap=3)
    assert many_rounds._start_setting(rough) == "initial_gap"
    assert "heterogeneity_at_optimum" not in many_rounds.chain_settings(rough)
    steep = question(sequential, Lipschitz(1), LastGap(), n_local_steps=1, step_size="1/2", initial_distance=3)
    for wrong in (steep, asked(**{**TWO, "heterogeneity": 1}), asked(measure=LastGap(), **{**ONE, "initial_gap": 1})):
        with pytest.raises(OutOfReach, match="alone, and always from the first"):
            many_rounds._require_alike(wrong)
    many_rounds._require_alike(asked(**TWO, noise_std=1))


def test_stored_certificates_are_of_any_length() -> None:
    one = asked(**{**TWO, "n_rounds": 7, "noise_std": 3})
    found = dict(certified.normalise_length(one).settings)
    tangent = dict.fromkeys(("n_rounds", "initial_distance", "heterogeneity_at_optimum", "noise_std"), 2)
    assert found == {**dict(one.settings), **{k: v for k, v in tangent.items() if k in certified.LENGTH_SETTINGS}}
    assert found["n_clients"] == 2
    assert found["n_local_steps"] == 1
    assert found["step_size"] == Fraction(1, 4)
    assert found["n_rounds"] == 2


@pytest.mark.parametrize(("value", "found"), [(3, 3), (Fraction(2, 7), Fraction(2, 7)), (sympy.sqrt(2), None)])
def test_limits_are_rounded_up(value: Any, found: Any) -> None:
    own = claims._upwards(value)
    if found is not None:
        assert own == found
        return
    assert (own - Fraction(2, 10**12)) ** 2 < 2 <= own**2
    assert 10**12 % own.denominator == 0


def test_a_round_from_any_start_has_no_start() -> None:
    own, whole = find("sfl/U6@explicit"), find("sfl/T3-GC@printed")
    assert isinstance(own.measure, OneRoundMeasure)
    values: dict[Any, Any] = {symbols.smoothness: 2}
    start = {symbols.initial_distance: 0, symbols.initial_gap: 0}
    assert claims.bound_constants(own, values) == claims.without_start(own, values) == {**values, **start}
    assert claims.bound_constants(own, {**values, symbols.initial_gap: 0}) == {**values, **start}
    given = {**values, symbols.initial_distance: 3}
    assert claims.bound_constants(whole, given) == claims.without_start(whole, given) == given
    for symbol in start:
        with pytest.raises(OutOfReach, match=f"{own.id} is about a round from any start: leave out {symbol.name}"):
            claims.bound_constants(own, {**values, symbol: 3})


# Numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_rows_have_the_products_of_a_gram_matrix(rank: int) -> None:
    """In their units, in as many dimensions as its rank; of a matrix that is not symmetric, those of its mean."""
    draw = np.random.default_rng(rank)
    rows, units = draw.normal(size=(4, rank)), np.array([1.0, 2.0, 0.5, 4.0])
    gram = rows @ rows.T
    found = gram_factor(gram, units)
    assert found.shape == (4, rank)
    assert np.allclose(found @ found.T, gram * np.outer(units, units), atol=1e-9)
    off = np.triu(draw.normal(size=(4, 4)), 1) * 0.1
    assert np.allclose(np.abs(gram_factor(gram + off - off.T, units)), np.abs(found), atol=1e-6)
    exact = rational_matrix(found)
    assert (exact.nrows(), exact.ncols()) == (4, rank)
    for i, j in itertools.product(range(4), range(rank)):
        assert abs(Fraction(int(exact[i, j].p), int(exact[i, j].q)) - Fraction(found[i, j])) <= Fraction(1, 2 * 10**12)


def test_a_point_between_two_proposals() -> None:
    def proposal(v: float) -> Proposal:
        blocks = (np.array([[v]]), np.array([[2 * v, v], [v, 3 * v]]))
        return Proposal(v, np.array([v, 5 * v]), blocks, {"a": v, "b": -v}, np.array([7.0]))

    found, wanted = proposal(1.0).towards(proposal(5.0), 0.25), proposal(2.0)
    assert found.value == 2.0
    assert np.array_equal(found.multipliers, wanted.multipliers)
    assert found.values == wanted.values
    assert all(np.array_equal(a, b) for a, b in zip(found.blocks, wanted.blocks, strict=True))
    assert np.array_equal(found.units, wanted.units)


@pytest.mark.parametrize("seed", range(6))
def test_hessians_are_certainly_in_their_range(seed: int) -> None:
    """Symmetric rationals near the matrix where it is inside, else near the closest one."""
    own, draw = Quadratic(3, "1/2"), np.random.default_rng(seed)
    turn = np.linalg.qr(draw.normal(size=(3, 3)))[0]
    roots = np.array([[0.5, 1.0, 3.0], [-2.0, 0.5, 9.0], [1.0, 2.0, 2.5], [3.0, 3.0, 3.0], [0.5, 0.5, 0.5], [0, 0, 0]])[
        seed
    ]
    found = own.inside(turn * roots @ turn.T)
    table = found.tolist()
    assert found == found.transpose()
    assert is_semidefinite((found - fmpq_mat([[fmpq(int(i == j), 2) for j in range(3)] for i in range(3)])).tolist())
    assert is_semidefinite((fmpq_mat([[fmpq(3 * int(i == j)) for j in range(3)] for i in range(3)]) - found).tolist())
    floats = np.array([[float(c.p) / float(c.q) for c in row] for row in table])
    assert np.allclose(floats, turn * np.clip(roots, 0.5, 3.0) @ turn.T, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_hessian_maps_points_to_their_images(seed: int) -> None:
    """Of points that span a part of the space, or all of it, some of them dependent."""
    own, draw = Quadratic(3, "1/2"), np.random.default_rng(seed)
    turn = np.linalg.qr(draw.normal(size=(4, 4)))[0]
    whole = turn * np.array([0.6, 1.0, 2.0, 2.9]) @ turn.T
    places = draw.normal(size=(4, seed + 1))
    places = np.hstack([places, places[:, :1] * 2])
    found = own.hessian(places, whole @ places).tolist()
    floats = np.array([[float(c.p) / float(c.q) for c in row] for row in found])
    assert np.allclose(floats @ places, whole @ places, atol=1e-7)
    roots = np.linalg.eigvalsh(floats)
    assert 0.5 <= roots[0] <= roots[-1] <= 3


# Set functions --------------------------------------------------------------------------------------------------------


CELLS: Any = [((0, 1), (2, 3)), ((0,), (1, 2), (3,)), ((0, 1, 2, 3),), ((0,), (1,), (2,), (3,))]


def swaps(cells: Any) -> list[tuple[int, ...]]:
    """All renamings within cells."""
    found = []
    for names in itertools.permutations(range(4)):
        if all(names[e] in cell for cell in cells for e in cell):
            found.append(names)
    return found


@pytest.mark.parametrize("cells", CELLS)
def test_elementary_inequalities_fall_into_orbits(cells: Any) -> None:
    rows = set_functions._elementary_rows(4, cells)
    own = dict(elementary_inequalities(4))
    assert sorted(label for labels, _ in rows for label in labels) == sorted(own)
    for labels, form in rows:
        assert {own[label] for label in labels} == {form.renamed(names) for names in swaps(cells)}
    variables = set_functions._variables(4, cells)
    for a, b in itertools.product(range(16), repeat=2):
        alike = any(Form.of({a: Fraction(1)}).renamed(names) == Form.of({b: Fraction(1)}) for names in swaps(cells))
        assert (variables[a] == variables[b]) == (alike or a == b)


@pytest.mark.parametrize("cells", CELLS)
def test_inequalities_of_a_course_fall_into_orbits(cells: Any) -> None:
    random = Random(3)
    starts = [Form.of({random.randrange(1, 16): Fraction(1), random.randrange(1, 16): Fraction(-2)}) for _ in range(3)]
    forms = list(dict.fromkeys(form.renamed(names) for form in starts for names in swaps(cells)))
    given = {("course", k): form for k, form in enumerate(forms)}
    rows = list(set_functions._path_rows(given, 4, cells))
    assert sorted(label for labels, _ in rows for label in labels) == sorted(given)
    for labels, form in rows:
        assert {given[label] for label in labels} == {form.renamed(names) for names in swaps(cells)}


def test_multipliers_are_shared_by_the_inequalities_of_an_orbit() -> None:
    own: Any = SimpleNamespace(labels=[("a",), ("b", "c", "d")])
    lifted = set_functions._Quotient.lifted(own, {0: Fraction(5), 1: Fraction(6)})
    assert dict(lifted) == {"a": 5, "b": 2, "c": 2, "d": 2}


def test_a_quotient_has_the_value_of_its_table() -> None:
    """At each point: objective and rows by variables are the forms by sets."""
    problem_ = SetProblem.read(4, {0, 1}, [{2, 3}], False)
    achieved = Form.of({1: Fraction(1), 2: Fraction(1), 15: Fraction(-3)})
    run: Any = SimpleNamespace(achieved=achieved, inequalities=())
    quotient = set_functions._Quotient(problem_, cast("Any", run))
    random = Random(5)
    point = [Fraction(random.randint(-9, 9), random.randint(1, 5)) for _ in range(quotient.program.size)]
    table = quotient.table(point)
    assert table[0] == 0
    assert len(table) == 16
    assert sum(c * point[v] for v, c in quotient.program.objective.items()) == achieved.at(table)
    assert point[quotient.program.unit] == table[3]
    own = dict(elementary_inequalities(4)) | problem_.better()
    for labels, row in zip(quotient.labels, quotient.program.rows, strict=True):
        value = sum(c * point[v] for v, c in row.items())
        assert {own[label].at(table) for label in labels} == {value}


# Constants and units --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Smooth, Quadratic, NonConvex, Lipschitz, Linear])
def test_constants_of_a_class_are_read_as_rationals(kind: Any) -> None:
    own = kind("3/7")
    assert own == kind(Fraction(3, 7))
    assert next(iter(own.constants.values())) == Fraction(3, 7)
    assert "3/7" in str(own)
    if kind in (Smooth, Quadratic):
        assert kind("3/7", "1/7") == kind(Fraction(3, 7), Fraction(1, 7))
        assert own.curvatures == (0, fmpq(3, 7))
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="must be positive"):
            kind(wrong)


def test_hessians_keep_a_small_distance_to_the_ends_of_their_range() -> None:
    own = Quadratic(3, "1/2")
    for end, side in ((0.5, 1), (3.0, -1)):
        found = own.inside(np.array([[end]]))[0, 0]
        inside = side * (found - fmpq(*Fraction(end).as_integer_ratio()))
        assert 0 < inside <= fmpq(5, 2) * fmpq(1, 10**11)
    middle = own.inside(np.array([[2.0]]))[0, 0]
    assert abs(middle - 2) <= fmpq(3, 10**12)


def test_an_average_with_fading_weights() -> None:
    """Weights decay^-(r + 1), normalised; where earlier points have none it is the last one."""
    points = tuple(((r, fmpq(1)),) for r in range(3))
    found = dict(objectives._weighted_average(points, fmpq(1, 2)))
    assert found == {0: fmpq(1, 7), 1: fmpq(2, 7), 2: fmpq(4, 7)}
    assert set(dict(objectives._weighted_average(points, fmpq(1))).values()) == {fmpq(1, 3)}
    assert objectives._weighted_average(points, fmpq(0)) == points[-1]
    assert objectives._weighted_average(points[:1], fmpq(1, 2)) == points[0]


def test_tight_rows_are_those_below_the_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Program({1: Fraction(1)}, ({1: Fraction(1)},), 0, 2)
    for tolerance, second in ((0.5, Fraction(1, 2)), (0.6, 0)):
        monkeypatch.setattr(linear_program, "TOLERANCES", (tolerance,))
        for near in (0.5, -0.5):
            *_, last = linear_program._rational_points(own, Proof(None, {}, (1.0, near)))
            assert last == [1, second if near > 0 else -second]


@pytest.mark.parametrize("steep", ["1/3", "1234567891/987654321987", "987654321987/1234567891"])
def test_a_weaker_limit_is_repaired_to_an_exact_one(steep: str) -> None:
    """The only row leaves its multiplier no choice: the limit itself is moved."""
    slope = Fraction(steep)
    own = Program({1: Fraction(1)}, ({0: -slope, 1: Fraction(1)},), 0, 2)
    found = linear_program.prove_weaker(own, float(slope), ())
    assert found.low == slope
    assert found.multipliers == {0: 1}
    assert own.is_proof(found.low, found.multipliers)


def test_larger_cone_programs_cost_more() -> None:
    assert solver._units_of(0, []) == solver.MIN_CALL_UNITS
    sizes = [
        solver._units_of(n, [("semidefinite", k)]) for n, k in ((1, 1), (500, 1), (1000, 1), (1000, 30), (1000, 60))
    ]
    assert sizes == sorted(set(sizes))
    assert solver._units_of(100, [("nonnegative", 60)]) == solver._units_of(100, [("zero", 5)])
    two, one = (solver._units_of(100, [("semidefinite", 20)] * k) for k in (2, 1))
    none = solver._units_of(100, [])
    assert two - one == pytest.approx(one - none)


# Solutions that are tried ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize("attain", [False, True])
@pytest.mark.parametrize(("proved_at", "attained_at"), list(itertools.product((0, 1, 2, 4, 9), repeat=2)))
def test_solutions_are_tried_until_both_ends_are_found(
    prove: bool, attain: bool, proved_at: int, attained_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two for each scale of units; another scale where neither end was found; an end that is found stays."""
    seen, tried, told = list[float](), list[int](), SimpleNamespace(sizes=(1,))

    def proposals(of: Any, frame: Any, scale: float) -> Any:
        seen.append(scale)
        for _ in range(2):
            tried.append(len(tried))
            yield tried[-1]

    monkeypatch.setattr(whole_run, "frame", lambda of: told)
    monkeypatch.setattr(whole_run, "_proposals", proposals)
    monkeypatch.setattr(whole_run, "round_to_certificate", lambda of, f, k: f"proof {k}" if k >= proved_at else None)
    monkeypatch.setattr(whole_run, "_attaining_instance", lambda of, f, k: f"point {k}" if k >= attained_at else None)
    found = whole_run._certificate_and_instance(cast("Any", None), prove, attain)
    proof = next((k for k in range(6) if prove and k >= proved_at), None)
    point = next((k for k in range(6) if attain and k >= attained_at), None)
    wanted = [k for k, asked_ in ((proved_at, prove), (attained_at, attain)) if asked_]
    first = min(wanted, default=0)  # a scale with an end is the last one
    end = 5 if first > 5 else min(max(wanted, default=0), 2 * (first // 2) + 1)
    assert tried == list(range(end + 1))
    assert seen == list(whole_run.UNIT_SCALES[: end // 2 + 1])
    assert found == (
        f"proof {proof}" if proof is not None and proof <= end else None,
        f"point {point}" if point is not None and point <= end else None,
    )


@pytest.mark.parametrize("size", [whole_run.MIN_BLOCK_SIZE, whole_run.MIN_BLOCK_SIZE + 1])
def test_margins_grow_until_nothing_is_left_inside(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solver is stuck the next is tried; between two solutions of small problems there are others."""
    answers: list[Any] = [solver.SolverStuck("a"), 1.0, solver.SolverStuck("b"), 3.0, solver.Unsolved("c"), 9.0]
    rooms = list[float]()

    @dataclass(frozen=True)
    class Sized:
        size: int
        sizes: tuple[float, float]

    class Solution(float):
        def towards(self, other: float, part: float) -> float:
            return self + part * (other - self)

    def told(table: Any, room: float) -> Any:
        assert table == (0.5, 2.0)
        rooms.append(room)
        found = answers[len(rooms) - 1]
        if isinstance(found, Exception):
            raise found
        return Solution(found)

    monkeypatch.setattr(whole_run, "make_table", lambda of, frame: of.sizes)
    monkeypatch.setattr(whole_run, "propose", told)
    own: Any = Sized(size, (5.0, 20.0))
    found = list(whole_run._proposals(own, cast("Any", None), 0.1))
    between = [1.25, 1.5, 2.0] if size <= whole_run.MIN_BLOCK_SIZE else []
    assert found == [1.0, *between, 3.0]
    assert rooms == list(whole_run.INTERIOR_MARGINS[:5])
    assert rooms == sorted(rooms)
    rooms.clear()
    answers[0] = solver.Unsolved("there is no limit")
    with pytest.raises(solver.Unsolved, match="there is no limit"):
        list(whole_run._proposals(own, cast("Any", None), 0.1))


def test_products_with_a_free_start_must_cancel() -> None:
    """A limit with one of a single sign has the multiplier 0, and so have those that only it could cancel."""
    sided = {("client", 0): {(0, 3): 1, 5: -1}, ("client", 1): {(0, 3): -2, (0, 4): 1}, ("client", 2): {7: 1}}
    limits: dict[Any, dict[Any, int]] = {**sided, ("client", 3): {(0, 6): 1}, ("apart", 1, 6): {(0, 8): 1}}

    def useful(goal: dict[Any, int], **more: Any) -> list[Any]:
        known = {**limits, **more.get("more", {})}
        own: Any = SimpleNamespace(
            limit=lambda label: SimpleNamespace(values=known[label]), objective=SimpleNamespace(values=goal)
        )
        return list(WholeFrame(own)._useful_labels(tuple(known)))

    apart = ("apart", 1, 6)
    assert useful({}) == [("client", 2), apart]
    assert useful({(0, 4): 1}) == [("client", 0), ("client", 1), ("client", 2), apart]
    assert useful({(0, 6): -1}) == [("client", 2), ("client", 3), apart]
    other = {("client", 4): {(0, 4): -3}}
    assert useful({}, more=other) == [("client", 0), ("client", 1), ("client", 2), apart, ("client", 4)]


# Records of runs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [1, 2, 3])
@pytest.mark.parametrize("n_clients", [1, 2, 3])
@pytest.mark.parametrize(("within", "between"), list(itertools.product((False, True), repeat=2)))
def test_gradients_at_the_minimiser_span_what_limits_let_them(
    n_clients: int, samples: int, within: bool, between: bool
) -> None:
    """They sum to 0 and differ within clients, between them, or both; needless vectors are just those beyond the rank."""
    n = n_clients * samples
    record = Record(n, samples=samples, within=within, between=between)
    rows = [dict(record.at_optimum(m)) for m in range(n)]
    table = fmpq_mat(n, n, [row.get(1 + k, fmpq(0)) for row in rows for k in range(n)])
    free = n_clients * (samples - 1) * within + (n_clients - 1) * between
    assert table.rank() == free
    assert all(sum((table[m, k] for m in range(n)), fmpq(0)) == 0 for k in range(n))
    kept = [k for k in range(n) if 1 + k not in record.needless]
    assert len(kept) == free
    if kept:
        assert fmpq_mat(n, len(kept), [table[m, k] for m in range(n) for k in kept]).rank() == free
    for m in range(n):
        first = m - m % samples
        if not within:
            assert record.at_optimum(m) == record.at_optimum(first)
        if not between:
            mean = [sum((table[k, j] for k in range(first, first + samples)), fmpq(0)) for j in range(n)]
            assert mean == [0] * n


def test_gradients_at_a_comparator_are_free_and_of_still_clients_0() -> None:
    assert Record(3, balanced=False).needless == frozenset()
    assert [Record(3, balanced=False).at_optimum(m) for m in range(3)] == [((1 + m, fmpq(1)),) for m in range(3)]
    assert Record(3, still=True).needless == {1, 2, 3}
    assert Record(3, still=True).at_optimum(2) == ()
    assert len(Record(3).needless) == 1


def test_what_depends_on_a_noise_is_not_before_it() -> None:
    """Directly, or by a point in which a gradient occurs that does."""
    start, one = ((0, fmpq(1)),), fmpq(1)
    made: dict[Any, int] = {
        GradientQuery(0, start): 2,
        NoiseDraw(0, start, 0, 0): 3,
        GradientQuery(0, ((0, one), (3, one))): 4,
        GradientQuery(0, ((0, one), (2, one))): 5,
        NoiseDraw(0, ((0, one), (4, one)), 1, 0): 6,
        NoiseDraw(0, ((0, one), (5, one)), 1, 1): 7,
    }
    record = Record(1, made=made)
    assert record.size == 8
    assert set(record.before(3)) == {0, 1, 2, 5, 7}
    assert set(record.before(6)) == {0, 1, 2, 3, 4, 5, 7}
    assert set(record.before(7)) == {0, 1, 2, 3, 4, 5, 6}
    assert dict(record.drawn) == {key: index for key, index in made.items() if index in (3, 6, 7)}


# Rational proofs and points -------------------------------------------------------------------------------------------


def test_proofs_have_no_multipliers_of_0() -> None:
    """Whether they are rounded from floats or solved for: what is not needed is left out."""
    own = Program({1: Fraction(1)}, ({0: Fraction(-1, 3), 1: Fraction(1)}, {1: Fraction(1)}), 0, 2)
    found = list(linear_program._rational_multipliers(own, np.array([1.0, 1e-4]), 1 / 3))
    assert len(found) > 2
    for low, multipliers in found:
        assert own.is_proof(low, multipliers)
        assert 0 not in multipliers.values()
    assert found[0] == (Fraction(1, 3), {0: 1})
    nothing = Program({1: Fraction(1)}, ({1: Fraction(1)}, {0: Fraction(1)}), 0, 2)
    for low, multipliers in linear_program._rational_multipliers(nothing, np.array([1.0, 1e-4]), 0.0):
        assert (low, multipliers) == (0, {0: 1})


def test_coordinates_that_nothing_fixes_keep_six_digits() -> None:
    own = Program({1: Fraction(1)}, ({1: Fraction(1)},), 0, 3)
    near = (1.0, 0.0, 0.123456789)
    found = list(linear_program._rational_points(own, Proof(None, {}, near)))
    for _, second, third in found[-4:]:
        assert second == 0
        assert abs(third - Fraction(near[2])) <= Fraction(1, 10**6)
    for point, grain in zip(found[:4], linear_program.DENOMINATORS, strict=True):
        assert point[2].denominator <= grain
        assert abs(point[2] - Fraction(near[2])) < Fraction(1, grain)


def test_the_first_of_points_equally_good_is_attained(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Program({1: Fraction(1)}, ({1: Fraction(1)},), 0, 3)
    points = [[Fraction(1), Fraction(2), Fraction(v)] for v in (5, 6)]
    monkeypatch.setattr(linear_program, "_rational_points", lambda program, proof: iter(points))
    assert linear_program.attain(own, Proof(Fraction(0), {}, ())) == points[0]


# Noise beside clients -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["measure", "clients", "none", "functions"])
def test_noise_is_added_where_a_sum_of_functions_has_the_sum_of_values(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another measure, clients that have no further coordinate, none at all, or another class: no lower end."""
    one = asked(measure=LeastGradient() if wrong == "measure" else LastDistance(), **ONE, noise_std=1)
    quiet = bracket(asked())
    assert quiet.case is not None
    other: Any = SimpleNamespace(instance="other clients")
    cases: dict[str, Any] = {"clients": other, "none": None}
    told = replace(quiet, case=cases.get(wrong, quiet.case))
    if wrong == "functions":
        one = replace(one, functions=Lipschitz(1))
    seen = list[Question]()

    def run(without: Question, attain: bool) -> Bracket:
        seen.append(without)
        return told

    monkeypatch.setattr(whole_run, "_bracket_run", run)
    assert whole_run._noisy_bracket(one, Fraction(7), None) == Bracket(one, None, Fraction(7), None, None)
    assert ["noise_std" in dict(without.settings) for without in seen] == [False]


@pytest.mark.parametrize(("n_rounds", "replayed"), [(2, True), (7, False)])
def test_noisy_runs_of_many_steps_are_not_replayed(
    n_rounds: int, replayed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lower end adds the worst noise of a curvature: a quarter of s^2 for each step, kept by (1 - c/4)^2."""
    one = asked(**{**ONE, "n_rounds": n_rounds, "noise_std": 2})
    found = bracket(one)
    assert found.lower is not None
    assert found.upper is not None
    assert found.is_reproduced == replayed
    kept = Fraction(7, 8) ** 2
    value = kept**n_rounds + Fraction(4, 16) * sum(kept**k for k in range(n_rounds))
    assert 0 <= value - found.lower < Fraction(1, 10**6)
    monkeypatch.setattr(whole_run, "reproduces", lambda *given: False)
    assert not whole_run._noisy_bracket(one, None, None).is_reproduced


# Tangents and links ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "rest", "distances"),
    [
        ("0", "0", [Fraction(1, 10 ** (6 * k)) for k in range(many_rounds.MAX_TANGENTS)]),
        ("1/2", "2", [1, 2]),  # the fixed point of x^2 / 2 + 2
        ("1/2", "1/2", [1]),
        ("1", "5", [1]),  # where distances grow there is none
        ("2", "5", [1]),
    ],
)
def test_tangents_are_at_the_fixed_point_of_the_one_before(
    start: str, rest: str, distances: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or at a millionth of the distance, where there is nothing that keeps clients away."""
    one = Coefficients(Fraction(start), Fraction(0), Fraction(rest))
    monkeypatch.setattr(many_rounds, "_prove_round", lambda of: dict(of.settings)["initial_distance"])
    monkeypatch.setattr(many_rounds, "coefficients", lambda found: one)
    found = list(many_rounds._recursions(asked(**ONE, n_rounds=1000, noise_std=1)))
    assert found == distances


def test_links_are_of_rounds_alike_and_as_many_as_are_needed() -> None:
    def broken(measure: Any, links: Any, **more: Any) -> str:
        own = Bracket(asked(measure=measure, **{**TWO, **more}), None, Fraction(1), None, None, links=links)
        return str(many_rounds.why_broken(own))

    empty = Bracket(asked(), None, None, None, None)
    assert "chain from initial_distance" in broken(LastDistance(), (empty,), heterogeneity=1)
    for count in (0, 2):
        assert broken(LastDistance(), (empty,) * count) == "the number of links does not fit the measure"
    assert broken(LastGap(), (empty,)) == "the number of links does not fit the measure"
    assert broken(LastDistance(), (empty,)).startswith("a link is about something else: ")
    right = next(link_questions(asked(**TWO)))
    nothing = Bracket(right, None, None, None, None)
    assert broken(LastDistance(), (nothing,)) == "there is no certificate of this upper bound"


def test_certificates_are_of_runs_whose_rounds_weigh_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where weights depend on the number of rounds, a round of two is no round of nine."""

    def kept(key: str, normal: Question) -> Any:
        assert dict(normal.settings)["n_rounds"] == 2
        return (tuple(Bracket(one, None, None, None, None) for one in link_questions(normal)),)

    monkeypatch.setattr(certified, "_valid_certificates", kept)
    monkeypatch.setattr(certified, "chain_upper", lambda asked_, links: Fraction(5))
    fading, evenly = AveragedGap(1 - 1 / (2 * symbols.n_rounds)), AveragedGap(sympy.Rational(3, 4))
    for measure, n_rounds, bound in ((fading, 2, 5), (fading, 9, None), (evenly, 2, 5), (evenly, 9, 5)):
        assert certified.certified_bound("any", asked(measure=measure, **ONE, n_rounds=n_rounds)) == bound
    monkeypatch.setattr(certified, "_valid_certificates", lambda key, normal: ())
    assert certified.certified_bound("any", asked(measure=evenly, **ONE)) is None


# Measures of runs -----------------------------------------------------------------------------------------------------


def test_measures_of_runs_are_what_they_say_of_their_states() -> None:
    """Two runs of three rounds in two coordinates, on two quadratic clients, by the formulas in fractions."""
    left, slopes = ((1, 2), (3, 4)), ((1, -1), (-1, 1))
    case: Any = Case(QuadraticClients(left, slopes, (1, 2)), n_rounds=2, n_local_steps=1, step_size="1/2")
    random = Random(1)
    states = np.array(
        [[[Fraction(random.randint(-9, 9), 2) for _ in range(2)] for _ in range(3)] for _ in range(2)], dtype=object
    )
    rational = np.array([[[RATIONAL.scalar(v) for v in x] for x in run] for run in states], dtype=object)

    def square(x: Any) -> Fraction:
        return sum((v * v for v in x), Fraction(0))

    def gap(x: Any) -> Fraction:  # the mean is x_1^2 + 3/2 x_2^2
        return x[0] ** 2 + Fraction(3, 2) * x[1] ** 2

    def values(measure: Any) -> list[list[Fraction]]:
        found = measure.values(rational, case)
        return [[Fraction(int(v.p), int(v.q)) for v in row] for row in found]

    assert values(LastGradient()) == [[4 * run[-1][0] ** 2 + 9 * run[-1][1] ** 2] for run in states]
    assert values(LeastGap()) == [[gap(x) for x in run] for run in states]
    growth = RoundGrowth(sympy.Rational(1, 3), symbols.step_size)
    wanted = [[square(run[-1]) - square(run[0]) / 2 + gap(run[0]) / 3] for run in states]
    assert values(growth) == wanted


# Labels ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "label",
    [
        ("submodular", 0, 1),
        ("submodular", 0, 1, 2, 3),
        ("submodular", 0, 1, 1),
        ("submodular", 2, 1, 2),
        ("submodular", 0, -1, 2),
        ("submodular", "0", 1, 2),
        ("monotone", 0),
        ("monotone", 0, 1, 2),
        ("monotone", 2, 1),
        ("monotone", -1, 1),
        ("optimal", 0, 1),
    ],
)
def test_labels_of_no_inequality_are_named(label: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"no inequality: {label}")):
        inequality(label)


def test_comparisons_of_equal_forms_say_nothing() -> None:
    def run(game: Any) -> Any:
        first, second = game.value({0}), game.value({1})
        game.argmax({0: first, 1: first})
        game.argmax({0: first, 1: second})
        game.argmax({1: second, 0: first})
        return first

    found = replay(run, 2, [0, 0, 0])
    assert found.inequalities == (Form.of({1: Fraction(1), 2: Fraction(-1)}),)
    assert len(found.decisions) == 3
    assert found.strict == ()


def test_clients_of_one_function_have_no_spread_within() -> None:
    one = asked(**TWO)
    own = replace(one, settings=(*one.settings, ("noise_std_at_optimum", Fraction(1))))
    labels = {label[0] for label in problem_of(own).labels()}
    assert "heterogeneity" in labels
    assert "sampled" not in labels
    both = problem_of(asked(**TWO, n_components=2, noise_std_at_optimum=1))
    assert [label for label in both.labels() if label[0] == "sampled"] == [("sampled", 0), ("sampled", 1)]


# Unknown clients ------------------------------------------------------------------------------------------------------


def test_unknown_clients_know_their_constants_alone() -> None:
    """The number of whole clients, not of their functions; nothing depends on the origin."""
    clients = UnknownClients(Record(6, samples=3), {symbols.smoothness: 2}, dim=4)
    assert clients.n_clients == 2
    assert clients.constants == {symbols.n_clients: 2, symbols.smoothness: 2}
    assert clients.start == (0,) * 4
    assert clients.minimiser == clients.start
    assert not clients.noisy
    assert UnknownClients(Record(1), {symbols.noise_std: 1}).noisy
    assert not UnknownClients(Record(1), {symbols.noise_std: 0}).noisy


def test_gradients_of_unknown_clients_are_alike_in_each_coordinate() -> None:
    clients = UnknownClients(Record(2), {}, dim=3)
    start = np.empty((2, 3), dtype=object)
    for run, axis in itertools.product(range(2), range(3)):
        start[run, axis] = PointForm({(0, axis): fmpq(1)}, RATIONAL)
    found = clients.gradient(start, np.array([1, 0]))
    assert found.shape == (2, 3)
    for run, axis in itertools.product(range(2), range(3)):
        assert found[run, axis].terms == {(3 + run, axis): 1}
    again = clients.gradient(start, 0)
    assert all(again[run, axis].terms == {(4, axis): 1} for run in range(2) for axis in range(3))


def test_states_are_equal_where_their_forms_are() -> None:
    """Whatever the order of their terms, and whether they list coefficients of 0."""

    def form(**terms: int) -> Any:
        return PointForm({(name, 0): fmpq(c) for name, c in terms.items()}, RATIONAL)

    key = symbolic_run._key
    assert key(form(a=1, b=2)) == key(form(b=2, a=1)) == key(form(b=2, c=0, a=1))
    assert len({key(form(a=1)), key(form(a=2)), key(form(b=1)), key(form())}) == 4
    assert key(7) == 7
    assert key(form(a=1)) != key(1)


def test_powers_too_small_for_a_number_of_that_size_are_the_least_one() -> None:
    least = Fraction(1, 2**many_rounds.BITS)
    for exponent in (16_000, 24_000, 10**9):  # 2^-21151 and less
        assert many_rounds.power_rounded_up(Fraction(2, 5), exponent) == least
    found = many_rounds.power_rounded_up(Fraction(2, 5), 15_000)  # 2^-19829
    assert found > least
    assert 0 <= found / Fraction(2, 5) ** 15_000 - 1 < Fraction(1, 10**9)
