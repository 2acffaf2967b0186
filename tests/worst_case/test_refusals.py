"""What has no worst case is refused with its reason: by the code that decides it, on the smallest input that needs it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from flint import fmpq

from fltheory import Algorithm
from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.papers.sfl.algorithms import sequential
from fltheory.runs.distributions.affine import Form as PointForm
from fltheory.runs.distributions.affine import NotAffine
from fltheory.runs.measures import LastDistance, RunMeasure
from fltheory.worst_case import symbolic_run
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.gram import ORIGIN, basis
from fltheory.worst_case.question import Question, problem_of, question
from fltheory.worst_case.set_functions import (
    PathCertificate,
    _interchangeable,
    answers,
    linear_program,
    why_not_worst,
    worst_ratio,
)
from fltheory.worst_case.set_functions.answers import SetProblem
from fltheory.worst_case.set_functions.linear_forms import Form, Game
from fltheory.worst_case.set_functions.linear_program import Program, Unbounded
from fltheory.worst_case.symbolic_run import GradientQuery, OutOfReach, Record, TooLong, UnknownClients, point_of

ONE: dict[str, Any] = {"n_local_steps": 1, "step_size": "1/2", "initial_distance": 1}
MEET: dict[str, Any] = {**ONE, "n_clients": 2, "heterogeneity_at_optimum": 1}


def posed(**settings: Any) -> Question:
    return question(sequential, Smooth(1, "1/2"), LastDistance(), **(settings or ONE))


# Set functions --------------------------------------------------------------------------------------------------------


def first_or_second(game: Game) -> Form:
    return game.value({game.argmax({0: game.value({0}), 1: game.value({1})})})


def test_answers_that_are_no_options_are_named() -> None:
    worst = worst_ratio(first_or_second, 2, {0})
    assert why_not_worst(worst, first_or_second) is None
    strange = replace(worst, certificates=(PathCertificate((7,), Fraction(0), ()), *worst.certificates))
    assert why_not_worst(strange, first_or_second) == (
        "course (7,): the script's answer 7 isn't among the options of comparison 1"
    )


def test_items_that_are_no_options_of_others_are_told_apart() -> None:
    def only_the_first(game: Game) -> Form:
        return game.value({game.argmax({0: game.value({0})})})

    with pytest.raises(ValueError, match="tells items of a class apart: leave symmetric out"):
        worst_ratio(only_the_first, 2, {0, 1}, symmetric=True)
    assert worst_ratio(only_the_first, 2, {0, 1}).ratio == 0


@pytest.mark.parametrize(("most", "ends"), [(1, False), (2, True)])
def test_comparisons_of_all_courses_are_counted(most: int, ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two courses of one comparison each."""
    monkeypatch.setattr(answers, "MAX_COMPARISONS", most)
    if ends:
        assert worst_ratio(first_or_second, 2, {0}).ratio == 1
        return
    with pytest.raises(ValueError, match="more than 1 comparisons in the first 2 courses: the last one has 1;"):
        worst_ratio(first_or_second, 2, {0})


@pytest.mark.parametrize(("most", "ends"), [(1, False), (2, True)])
def test_courses_are_counted(most: int, ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MAX_RUNS", most)
    problem = SetProblem.read(2, {0}, (), False)
    if ends:
        assert [run.script for run in problem.runs(first_or_second)] == [(0,), (1,)]
        return
    with pytest.raises(ValueError, match="more than 1 courses; symmetric=True follows those that differ by names once"):
        list(problem.runs(first_or_second))


def test_a_course_without_an_exact_function_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_program, "attain", lambda program, proof: None)
    with pytest.raises(ArithmeticError, match="no exact function was found for any course"):
        worst_ratio(lambda game: game.value({0}), 2, {0, 1})


def test_numbers_are_no_forms() -> None:
    form: Any = Form.of({1: Fraction(2)})
    assert form + 0 == 0 + form == form
    for wrong in (1, "a", None):
        with pytest.raises(TypeError):
            _ = form + wrong
        with pytest.raises(TypeError):
            _ = form - wrong


NEVER = Program({1: Fraction(1)}, ({0: Fraction(-1)},), 0, 2)  # -z_0 >= 0 and z_0 = 1
AT_LEAST_ONE = Program({1: Fraction(1)}, ({1: Fraction(1), 0: Fraction(-1)},), 0, 2)


def test_what_floats_say_alone_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    assert linear_program.prove(NEVER).low is None
    assert linear_program.prove(AT_LEAST_ONE).low == 1
    with pytest.raises(Unbounded, match="the objective has no lower limit"):
        linear_program.prove(replace(AT_LEAST_ONE, objective={1: Fraction(-1)}))
    monkeypatch.setattr(linear_program, "_rational_multipliers", lambda program, y, low: iter(()))
    with pytest.raises(ArithmeticError, match="no exact proof that the linear program is infeasible"):
        linear_program.prove(NEVER)
    monkeypatch.setattr(linear_program, "solve", lambda columns, right: None)
    with pytest.raises(ArithmeticError, match="no exact proof of the linear program's value was found"):
        linear_program.prove(AT_LEAST_ONE)


@pytest.mark.parametrize(
    ("achieved", "given", "cells"),
    [
        ({1: 1, 2: 1}, (), ((0, 1), (2, 3))),  # f(0) + f(1), the optimum {0, 1}
        ({1: 1, 2: 2}, (), ((0,), (1,), (2, 3))),
        ({1: 1, 2: 1}, ({4: 1, 8: -1},), ((0, 1), (2,), (3,))),  # f(2) >= f(3)
        ({1: 1, 2: 1}, ({1: 1, 4: -1}, {1: 1, 8: -1}), ((0,), (1,), (2, 3))),
        ({1: 1, 2: 1}, ({1: 1, 4: -1}, {2: 1, 4: -1}), ((0, 1), (2,), (3,))),
        ({15: 1}, (), ((0, 1), (2, 3))),
        ({5: 1, 10: 1}, (), ((0,), (1,), (2,), (3,))),  # f(02) + f(13): both must be swapped at once
    ],
)
def test_items_whose_swaps_change_nothing_share_a_cell(
    achieved: dict[int, int], given: tuple[dict[int, int], ...], cells: Any
) -> None:
    def form(terms: dict[int, int]) -> Form:
        return Form.of({mask: Fraction(c) for mask, c in terms.items()})

    problem = SetProblem.read(4, {0, 1}, (), False)
    assert _interchangeable(problem, form(achieved), set(map(form, given))) == cells


# Symbolic runs --------------------------------------------------------------------------------------------------------


def row(*terms: dict[tuple[Any, int], Any]) -> np.ndarray:
    found = np.empty(len(terms), dtype=object)
    for axis, one in enumerate(terms):
        found[axis] = PointForm({key: fmpq(c) for key, c in one.items()}, RATIONAL)
    return found


def test_points_are_the_start_and_gradients_alike_in_each_coordinate() -> None:
    moved = row({(0, 0): 1, (3, 0): 2}, {(0, 1): 1, (3, 1): 2})
    assert point_of(moved) == ((0, 1), (3, 2))
    assert point_of(row({(0, 0): 1, (3, 0): 0}, {(0, 1): 1})) == ((0, 1),)
    with pytest.raises(NotAffine, match="mixes coordinates"):
        point_of(row({(0, 0): 1, (3, 1): 2}, {(0, 1): 1, (3, 0): 2}))
    with pytest.raises(NotAffine, match="treats coordinates differently"):
        point_of(row({(0, 0): 1, (3, 0): 2}, {(0, 1): 1, (3, 1): 1}))
    with pytest.raises(NotAffine, match="scales a point: the result depends on the origin"):
        point_of(row({(0, 0): 2}, {(0, 1): 2}))
    numbers = np.array([fmpq(1), fmpq(1)], dtype=object)
    with pytest.raises(NotAffine, match="adds numbers to a point"):
        point_of(numbers)
    with pytest.raises(NotAffine, match="scales a point"):
        point_of(numbers * 0)


def test_a_gradient_at_the_minimiser_is_none_of_its_own() -> None:
    record = Record(2)
    assert record.place(1, ORIGIN) is None
    assert record.gradient(1, ORIGIN) == record.at_optimum(1)
    assert not record.made
    assert record.gradient(1, basis(0)) == basis(3)
    assert dict(record.asked) == {GradientQuery(1, basis(0)): 3}
    assert Record(2, still=True).gradient(0, ORIGIN) == ORIGIN


def test_values_and_mean_gradients_are_not_given_to_a_step() -> None:
    clients: Any = UnknownClients(Record(1), {})
    for ask in (clients.gap, clients.mean_gradient, clients.noise):
        with pytest.raises(NotAffine, match="asks for a value, which is no linear form of points and gradients"):
            ask(None)


@pytest.mark.parametrize("most", [3, 4])
def test_a_run_of_more_vectors_is_too_long(most: int) -> None:
    """A start, one h and a gradient, and another one in the second round: four vectors."""
    record = Record(1, most=most)
    case = posed(**ONE, n_rounds=2).case(record)
    if most == 4:
        assert symbolic_run.trace_run(sequential, case).record.size == 4
        return
    with pytest.raises(TooLong, match="a run with more than 3 vectors is not followed whole"):
        symbolic_run.trace_run(sequential, case)


def test_a_step_that_hides_that_it_is_too_long_is_too_long() -> None:
    def catching(x: Any, oracle: Any, c: Any) -> Any:
        try:
            return x - c.step_size * oracle.gradient(x, 0)
        except ValueError:
            raise RuntimeError("something else") from None

    case = posed(n_rounds=3, step_size="1/2", initial_distance=1).case(Record(1, most=3))
    with pytest.raises(TooLong, match="more than 3 vectors"):
        symbolic_run.trace_run(Algorithm("catching", catching), case)


@pytest.mark.parametrize("most", [1, 3, 4])
def test_courses_of_a_run_are_counted(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two clients in a drawn order, in two rounds: four courses."""
    monkeypatch.setattr(symbolic_run, "MAX_PATHS", most)
    case = posed(**MEET, n_rounds=2).case(Record(2))
    if most == 4:
        assert [course.weight for course in symbolic_run.trace_run(sequential, case).courses] == [fmpq(1, 4)] * 4
        return
    with pytest.raises(OutOfReach, match=f"{sequential.name} has more than 3 courses" if most == 3 else "more than 1 "):
        symbolic_run.trace_run(sequential, case)


def test_states_with_more_parts_in_more_dimensions_have_no_known_shape() -> None:
    def init(x: Any, c: Any) -> Any:
        return {str(k): x for k in range(x.shape[-1])}

    own: Any = SimpleNamespace(call=lambda function, *given: function(*given), init=init)
    cases: list[Any] = [Case(UnknownClients(Record(1), {}, dim=dim), n_rounds=1) for dim in (2, 3)]
    assert symbolic_run._dimension_free_parts(own, *cases) == ()
    own.init = lambda x, c: (x, np.zeros(3))
    assert symbolic_run._dimension_free_parts(own, *cases) == (False, True)


class Strange(RunMeasure):
    """A measure that no run on unknown functions has."""

    name = "|x_R|"


def test_other_measures_are_not_followed() -> None:
    with pytest.raises(OutOfReach, match=r"\|x_R\| can't be followed: LastDistance, LastGap, LeastGap, AveragedGap"):
        problem_of(replace(posed(), measure=cast("Any", Strange)()))
