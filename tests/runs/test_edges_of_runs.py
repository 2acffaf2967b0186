"""Runs at their edges: laws whose proofs rest on every comparison, minima over rounds, exact kinds of numbers, children."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat, ctx, fmpq

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational
from fltheory.number.elements import Ball, ExactRational, Undecided
from fltheory.papers.sfl.algorithms import sequential
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import algorithm as algorithms
from fltheory.runs import assumptions as assume
from fltheory.runs import client_optimiser, workers
from fltheory.runs.algorithm import Algorithm, object_array, take_step
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions import comparisons
from fltheory.runs.distributions.affine import AffineFailure, Form, _as_form, affine_rounds
from fltheory.runs.distributions.comparisons import RoundMap, SignedForm, first_open_comparison, noise_draw_bound
from fltheory.runs.distributions.moments import (
    ExponentialTerm,
    MapMoments,
    minimum_over_rounds,
    squared_distance_terms,
    trajectory,
)
from fltheory.runs.distributions.randomness import OpenQuestion, ScriptedChance
from fltheory.runs.distributions.sample_paths import AskingOracle, EnumeratedOracle, enumerate_runs
from fltheory.runs.flat_states import RowStep, with_row_states
from fltheory.runs.method import NotEnumerable
from fltheory.runs.oracle import Oracle
from fltheory.runs.protocols import FiniteNoise, has_capability
from fltheory.runs.states import parts_of
from fltheory.work import COMPILED_FLOATS_PER_UNIT, EXACT_NUMBERS_PER_UNIT, separate_meter

F = Fraction
RUN: dict[str, Any] = {"n_rounds": 12, "n_local_steps": 1, "step_size": "1/10"}
TIED = QuadraticClients(((1, 1),), ((0, 0),), (1, 1))  # both coordinates fall from 1 by the factor 9/10


# Affine laws ------------------------------------------------------------------------------------------------------------


def cut(level: Fraction) -> Algorithm:
    """A step that looks at the level only where the first coordinate is above the second, and cuts below it."""

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        plain = x - c.step_size * oracle.gradient(x, 0)
        if (x[:, 0] > x[:, 1]).all() and (x[:, 0] < level).all():
            return 0 * x
        return plain

    return Algorithm("cut", step)


def test_a_comparison_behind_an_undecided_one_is_proved_for_all_rounds() -> None:
    """The start is a tie: whichever way it goes, the level is not reached at first, but it is in round 7."""
    assert isinstance(affine_rounds(cut(F(1, 2)), Case(TIED, **RUN)), AffineFailure)
    for never, rounds in ((F(-5), 12), (F(1, 2), 3)):
        found = affine_rounds(cut(never), Case(TIED, **{**RUN, "n_rounds": rounds}))
        assert not isinstance(found, AffineFailure)
        assert len(found[0].sides) >= 1


def test_a_step_of_its_own_at_ties_depends_on_the_comparison() -> None:
    """The sides of x = y agree, the tie itself does not: no one map is the round."""

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return x / 3 if (x[:, 0] == x[:, 1]).all() else x / 2

    def equal(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return 2 * x / 4 if (x[:, 0] == x[:, 1]).all() else x / 2

    assert isinstance(affine_rounds(Algorithm("mine", step), Case(TIED, **RUN)), AffineFailure)
    assert not isinstance(affine_rounds(Algorithm("mine", equal), Case(TIED, **RUN)), AffineFailure)


def test_undecided_comparisons_may_not_change_the_chances_of_outcomes() -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        chance = F(1, 4) if (x[:, 0] > x[:, 1]).all() else F(3, 4)
        return x * np.where(oracle.coin(chance), F(1, 2), F(1))[:, None]

    def even(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        chance = F(1, 4) if (x[:, 0] > x[:, 1]).all() else F(2, 8)
        return x * np.where(oracle.coin(chance), F(1, 2), F(1))[:, None]

    assert isinstance(affine_rounds(Algorithm("mine", step), Case(TIED, **RUN)), AffineFailure)
    assert not isinstance(affine_rounds(Algorithm("mine", even), Case(TIED, **RUN)), AffineFailure)


def test_maps_that_differ_by_a_multiple_of_0_are_the_same() -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        swapped = x[:, ::-1]
        return x / 2 + 0 * swapped if (x[:, 0] > x[:, 1]).all() else x / 2

    assert not isinstance(affine_rounds(Algorithm("mine", step), Case(TIED, **RUN)), AffineFailure)


def test_a_step_that_compares_is_told_so_whatever_else_it_does() -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return x * x if (x[:, 0] > x[:, 1]).all() else x

    found = affine_rounds(Algorithm("mine", step), Case(TIED, **RUN))
    assert isinstance(found, AffineFailure)
    assert "compares numbers" in found.why


def test_a_set_that_one_round_keeps_says_nothing_of_another_round() -> None:
    below = (SignedForm({0: fmpq(10), 1: fmpq(-1)}, 1),)  # x < 10
    half, far = RoundMap([[{1: fmpq(1, 2)}]], below), RoundMap([[{0: fmpq(100)}]], below)
    found = first_open_comparison([half] * 4 + [far, half], [fmpq(3)], 6, F(0))
    assert found is below[0]
    assert first_open_comparison([half] * 4 + [far, half], [fmpq(3)], 5, F(0)) is None
    assert first_open_comparison([half], [fmpq(3)], 6, F(0)) is None


def test_long_runs_are_followed_with_more_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(comparisons, "_sign_holds", lambda *given: bool(told.append(ctx.prec)) or True)
    monkeypatch.setattr(comparisons, "_is_invariant_set", lambda *given: False)
    one = RoundMap([[{1: fmpq(1, 2)}]], (SignedForm({1: fmpq(1)}, 1),))
    for rounds in (1, 10, 100):
        told.clear()
        first_open_comparison([one], [fmpq(3)], rounds, F(0))
        assert set(told) == {comparisons.PRECISION + comparisons.MAX_PER_ROUND * rounds}


def test_noise_below_its_claimed_size_has_a_smaller_bound() -> None:
    rows = np.array([[RATIONAL.scalar(F(1))], [RATIONAL.scalar(F(-1))]], dtype=object)
    mine: Any = SimpleNamespace(draws=1, noise_std=(F(4),), n_noise_values=2, noise_support=lambda ring: rows)
    assert noise_draw_bound(mine) == F(1, 4)


def test_constant_forms_are_numbers() -> None:
    for ring in (RATIONAL, BALL):
        seven, x = Form({0: ring.scalar(7)}, ring), Form({1: ring.scalar(1)}, ring)
        for found in (seven * 2, 2 * seven, seven * F(2), seven * Form({0: ring.scalar(2)}, ring)):
            assert isinstance(found, Form)
            assert found.terms == {0: ring.scalar(14)}
        assert (seven * x).terms == (x * seven).terms == {1: ring.scalar(7)}
        element = ExactRational(fmpq(3)) if ring is RATIONAL else Ball(arb(3))
        assert (x * element).terms == {1: ring.scalar(3)}
        assert (x + element).terms == {1: ring.scalar(1), 0: ring.scalar(3)}


def test_a_form_of_rationals_takes_no_balls() -> None:
    x = Form({1: RATIONAL.scalar(1)}, RATIONAL)
    for irrational in (Ball(arb(2).sqrt()), arb(2).sqrt()):
        for operation in (lambda v: x * v, lambda v: x + v, lambda v: x - v, lambda v: x / v):
            with pytest.raises(NotRational):
                operation(irrational)


def test_irrational_results_are_constants_of_balls_alone() -> None:
    root = arb(2).sqrt()
    found = _as_form(Ball(root), BALL)
    assert found is not None
    assert found.terms[0].overlaps(root)
    assert _as_form(Ball(root), RATIONAL) is None
    assert _as_form("a", BALL) is None


# Minima over rounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("constant", "terms", "last"),
    [
        (0, [(10, "1/2"), (-3, "9/10"), (1, "999/1000")], 10_000),  # falls, rises, falls to 0
        (2, [(-5, "1/3"), (4, "4/5")], 60),  # rises, then falls
        (1, [(3, "1/2"), (-2, "7/8")], 200),  # falls, then rises
        (0, [(-1, "1/2")], 50),
        (0, [(1, "1/2")], 50),
        (5, [(1, "99/100"), (-2, "9/10"), ("3/2", "1/2"), (-1, "3/4")], 500),
        (1, [(3, "1/2"), (-2, "7/8")], 1),
        (1, [(3, "1/2"), (-2, "7/8")], 2),
        (1, [(3, "1/2"), (-2, "7/8")], 3),
    ],
)
def test_the_least_round_is_found_among_all(constant: int, terms: list[tuple[Any, str]], last: int) -> None:
    exact = [ExponentialTerm(arb(fmpq(*pair(c))), arb(fmpq(*pair(ratio)))) for c, ratio in terms]
    found = minimum_over_rounds(arb(constant), exact, last)
    rounds = np.arange(last + 1)
    values = constant + sum(float(F(c)) * float(F(ratio)) ** rounds for c, ratio in terms)
    assert float(found.mid()) == pytest.approx(values.min(), abs=1e-9)
    assert found.rad() < 1e-9


def pair(value: Any) -> tuple[int, int]:
    return F(value).numerator, F(value).denominator


def test_closed_forms_need_ratios_surely_between_0_and_1() -> None:
    start = arb_mat([[arb(1)], [arb(2)], [arb(2)], [arb(4)]])

    def terms(a: arb, b: arb) -> Any:
        first, second = arb_mat([[1, 0], [0, a]]), arb_mat([[0] * 4] * 4)
        second[3, 3] = b
        return squared_distance_terms(MapMoments(first, second), start, arb(0), arb(1))

    quarter = arb(0.25)
    assert terms(arb(0.5), quarter) is not None
    for a, b in (
        (arb(0.5), arb(0.1, 0.2)),
        (arb(0.5), arb(0)),
        (arb(0.1, 0.2), quarter),
        (arb(0.5), arb(1)),
        (arb(0.5), arb(0.9, 0.2)),
        (arb(1), quarter),
        (arb(0.5), arb(0.5)),
        (arb(0.5), arb(0.5, 0.01)),
    ):
        assert terms(a, b) is None


# Kinds of numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ring", [RATIONAL, BALL], ids=str)
def test_a_step_on_exact_numbers_gives_numbers_of_their_kind(ring: Any) -> None:
    kind, c = type(ring.scalar(0)), run_constants(Case(TIED, **RUN), ring)
    x = object_array([ring.scalar(1), ring.scalar(2)], (1, 2))
    oracle: Any = SimpleNamespace(instance=TIED)
    for values in ([1, 2], [F(1), ring.scalar(2)], [fmpq(1), 2], [True, ring.scalar(2)]):
        step = Algorithm("mine", lambda x, oracle, c, own=values: object_array(list(own), (1, 2)))
        found = take_step(step, x, oracle, c, 0)
        assert [type(v) for v in found.flat] == [kind, kind]
        assert [float(v.mid()) if kind is arb else float(F(int(v.p), int(v.q))) for v in found.flat] == [1, 2]


def test_exact_gradients_at_whole_numbers_stay_exact() -> None:
    """A point of Python's integers is exact where a ring is asked for, and floats where it isn't."""
    whole = object_array([3, 5], (1, 2))
    for ring, kind in ((RATIONAL, object), (None, float)):
        oracle = EnumeratedOracle(TIED, np.array([[0]]), np.empty((1, 0), dtype=int), 1, ring)
        assert oracle.gradient(whole, 0).dtype == kind


def test_a_step_size_without_a_gradient_is_0() -> None:
    exact = object_array([arb(1), arb(2)], (2, 1))
    none = object_array([arb(0), arb(0, 1)], (2, 1))
    found, outside = client_optimiser._exact_implied_steps(exact, none, 0.1, 0.5)
    assert [v == 0 for v in found] == [True, True]
    assert outside.tolist() == [False, False]
    one = object_array([arb(1), arb(1)], (2, 1))
    found, outside = client_optimiser._exact_implied_steps(exact, one, 0.5, 1.5)
    assert [float(v) for v in found] == [1, 2]
    assert outside.tolist() == [False, True]


def test_exact_arrays_are_the_same_by_every_object() -> None:
    a, b, c = arb(1), arb(2), arb(2)
    assert client_optimiser._same(object_array([a, b], (2,)), object_array([a, b], (2,)))
    assert not client_optimiser._same(object_array([a, b], (2,)), object_array([a, c], (2,)))
    assert not client_optimiser._same(object_array([a, b], (2,)), object_array([a, b], (2, 1)))
    assert client_optimiser._same(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    assert not client_optimiser._same(np.array([1.0, 2.0]), np.array([1.0, 3.0]))


@pytest.mark.parametrize(("local", "times"), [(1, 1), (2, 2), (5, 5)])
def test_compiled_work_counts_local_steps(local: int, times: int) -> None:
    with separate_meter() as meter:
        algorithms.rollout(sequential, Case(TIED, **{**RUN, "n_local_steps": local}), 7)
    assert meter.spent == pytest.approx(7 * 12 * 1 * times * 2 / COMPILED_FLOATS_PER_UNIT)
    c: Any = SimpleNamespace(n_rounds=12, get=lambda name, default: default)
    assert algorithms._compiled_work(c, TIED, 7) == pytest.approx(7 * 12 * 2 / COMPILED_FLOATS_PER_UNIT)


# Instances and states ---------------------------------------------------------------------------------------------------


def test_an_instances_own_oracle_is_asked_in_an_enumeration() -> None:
    asked: list[Any] = []

    class Owned(QuadraticClients):
        def oracle(self, chance: Any) -> Oracle:
            found = AskingOracle(sequential, Case(TIED, **RUN), chance, RATIONAL)
            asked.append(found)
            return found

    case = Case(Owned(((1, 1),), ((0, 0),), (1, 1)), **RUN)
    mine = Algorithm("mine", lambda x, oracle, c: x - c.step_size * oracle.gradient(x, 0))
    enumerate_runs(mine, case, RATIONAL)
    assert len(asked) == RUN["n_rounds"]


def test_points_looked_up_in_the_state_of_a_librarys_step_are_in_rows() -> None:
    assert with_row_states(sequential, Case(TIED, **RUN)) is sequential
    looked = with_row_states(replace(sequential, point=lambda state: state), Case(TIED, **RUN))
    assert isinstance(looked.step, RowStep)


def test_a_users_class_may_learn_of_its_noise_later() -> None:
    class Mine:
        pass

    assert not has_capability(Mine(), FiniteNoise)
    for name in ("n_noise_values", "noise_support"):
        setattr(Mine, name, lambda *given: None)
    assert has_capability(Mine(), FiniteNoise)


# Children ---------------------------------------------------------------------------------------------------------------


def test_an_answer_is_waited_for() -> None:
    own: Any = object.__new__(workers.Worker)
    own._pipe, theirs = multiprocessing.Pipe()
    sentinel, other = multiprocessing.Pipe()
    own._process = SimpleNamespace(sentinel=sentinel, exitcode=0, join=lambda seconds: None)
    late = threading.Timer(0.05, theirs.send, [42])
    late.start()
    assert own.answer() == 42
    late.join()
    other.close()


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_a_child_serves_until_its_pipe_is_closed(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lets Ctrl-C of the terminal go to its parent, follows its parent in a thread that doesn't hold it, and ends."""
    done: list[Any] = []

    class Thread:
        def __init__(self, target: Any, daemon: bool) -> None:
            done.append(("thread", target, daemon))

        def start(self) -> None:
            done.append("started")

    monkeypatch.setattr(workers.sys, "platform", platform)
    monkeypatch.setattr(os, "setpgid", lambda *given: done.append(("group", given)))
    monkeypatch.setattr(os, "_exit", lambda status: done.append(("exit", status)))
    monkeypatch.setattr(signal, "signal", lambda *given: done.append(given))
    monkeypatch.setattr(signal, "pthread_sigmask", lambda *given: done.append(given))
    monkeypatch.setattr(gc, "freeze", lambda: done.append("frozen"))
    monkeypatch.setattr(threading, "Thread", Thread)
    own, theirs = multiprocessing.Pipe()
    for item in (3, 4):
        own.send((abs, -item, {}))
    answers = []
    monkeypatch.setattr(workers, "_run_next_task", counted(workers._run_next_task, own, answers))
    workers._serve(theirs)
    assert answers == [3, 4]
    quiet = [
        ("group", (0, 0)),
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM}),
    ]
    rest = [("thread", workers._follow_parent, True), "started", "frozen", ("exit", 0)]
    assert done == (quiet if platform == "linux" else []) + rest


def counted(run: Any, own: Any, answers: list[Any]) -> Any:
    """Runs a task and reads its answer; after the second the pipe is closed."""

    def once(pipe: Any, home: str) -> None:
        assert home == os.getcwd()
        run(pipe, home)
        answers.append(own.recv())
        if len(answers) == 2:
            own.close()

    return once


# Reasons ----------------------------------------------------------------------------------------------------------------


def test_rounded_numbers_of_a_step_are_read_as_balls() -> None:
    found = affine_rounds(Algorithm("third", lambda x, oracle, c: x * (1 / 3)), Case(TIED, **RUN))
    assert not isinstance(found, AffineFailure)
    assert found[0].ring is BALL
    assert found[0].forms[0, 0].terms[1].contains(fmpq(1, 3))
    exact = affine_rounds(Algorithm("half", lambda x, oracle, c: x * 0.5), Case(TIED, **RUN))
    assert not isinstance(exact, AffineFailure)
    assert exact[0].ring is RATIONAL


@pytest.mark.parametrize(
    "step",
    [
        lambda x, oracle, c: x + {}["a"],
        lambda x, oracle, c: x * x,
        lambda x, oracle, c: np.minimum(x, 1),
        lambda x, oracle, c: x[:, :1],
        lambda x, oracle, c: x + oracle.gradient(x, 7),
    ],
)
def test_a_reason_names_its_place_once(step: Any) -> None:
    found = affine_rounds(Algorithm("mine", step), Case(TIED, **RUN))
    assert isinstance(found, AffineFailure)
    assert found.why.count("test_edges_of_runs.py") == 1


# Assumptions ------------------------------------------------------------------------------------------------------------


def test_the_rounding_of_a_short_pair_is_that_of_its_curvature() -> None:
    """Points of size 1000 are known to 1e-13 of it, and a gradient that changes by 4 over 1/2 to 8 times that."""
    x, y = np.array([[1000.0, 0.0]]), np.array([[1000.5, 0.0]])
    length, size, inner, slack = assume._pair(x, y, np.zeros((1, 2)), np.array([[4.0, 0.0]]))
    assert (length[0], size[0], inner[0]) == (0.5, 4, 2)
    assert slack[0] == pytest.approx(assume._SLACK * 4 + 1e-13 * 8 * 1000.5, rel=1e-12, abs=0)
    same = assume._pair(x, x, np.zeros((1, 2)), np.array([[4.0, 0.0]]))
    assert same[3][0] == pytest.approx(assume._SLACK * 4 + 1e-13 * 4 * 1000, rel=1e-12, abs=0)


class Turning:
    """|x|^2 / 2 plus a part that changes with the angle alone, of which the gradient says nothing."""

    def __init__(self, part: float) -> None:
        self.part = part

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return x

    def gap(self, x: np.ndarray) -> np.ndarray:
        square = (x * x).sum(axis=1)
        return square / 2 + self.part * x[:, 0] * x[:, 1] / square


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_gaps_are_compared_along_short_segments_in_two_directions(scale: float) -> None:
    x = scale * np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, 1.0], [2.0, -1.0]])
    assert (assume._drift(Turning(0.0), x, scale, 1.0) <= 0).all()  # type: ignore[arg-type]
    assert assume._drift(Turning(0.01 * scale**2), x, scale, 1.0).max() > 0  # type: ignore[arg-type]


@pytest.mark.parametrize("factor", [0.5, 0.99, 1.01, 2.0])
def test_gaps_may_grow_neither_more_nor_less_than_their_gradient_says(factor: float) -> None:
    """Uphill from each of these points in both directions, so that the errors have one sign."""
    x = np.array([[1.0, 0.5], [0.25, 2.0], [3.0, 3.0]])
    scaled = SimpleNamespace(mean_gradient=lambda x: x, gap=lambda x: factor * (x * x).sum(axis=1) / 2)
    assert assume._drift(scaled, x, 1.0, 1.0).max() > 0  # type: ignore[arg-type]
    for own in (x, -x):
        assert (assume._drift(scaled, own, 1.0, 1.0) > 0).all()  # type: ignore[arg-type]


def test_clients_that_are_0_everywhere_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = SimpleNamespace(clients=np.zeros((2, 3, 1)))
    monkeypatch.setattr(assume, "_probe", lambda instance: probe)
    case: Any = SimpleNamespace(instance=None, constants={symbols.heterogeneity_at_optimum: 0})
    assert assume._check_heterogeneity_at_optimum(case) is None
    probe.clients[0, -1] = 1e-3
    assert assume._check_heterogeneity_at_optimum(case) is not None


def test_a_gap_below_0_at_the_minimiser_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    slopes = np.array([[1.0], [-1.0], [0.0]])
    case: Any = SimpleNamespace(instance=SimpleNamespace(), constants={})
    monkeypatch.setattr(assume, "has_capability", lambda *given: False)
    for last, reason in ((-1.0, "gap is -1, not 0"), (1.0, "gap is 1, not 0"), (0.0, None)):
        probe = SimpleNamespace(clients=slopes[None], mean=slopes, gaps=np.array([1.0, 1.0, last]), drift=np.zeros(2))
        monkeypatch.setattr(assume, "_probe", lambda instance, own=probe: own)
        found = assume._check_minimised(case)
        assert (found is None) if reason is None else (found is not None and found.startswith(reason))


# More of affine laws ----------------------------------------------------------------------------------------------------


def test_comparisons_with_irrational_constants_are_proved_in_balls() -> None:
    case = Case(TIED, **{**RUN, "step_size": "sqrt(2)/20"})

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return np.minimum(x - c.step_size * oracle.gradient(x, 0), 100)

    found = affine_rounds(Algorithm("mine", step), case)
    assert not isinstance(found, AffineFailure)
    assert found[0].ring is BALL
    assert found[0].sides


def test_numbers_in_words_are_factors_and_memory_is_no_reason() -> None:
    for ring in (RATIONAL, BALL):
        assert (Form({1: ring.scalar(4)}, ring) * "1/2").terms == {1: ring.scalar(2)}

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        raise MemoryError

    with pytest.raises(MemoryError):
        affine_rounds(Algorithm("mine", step), Case(TIED, **RUN))


def test_followed_moments_are_charged_by_the_round() -> None:
    law = MapMoments(
        arb_mat([[1, 0], [0, arb(0.5)]]), arb_mat([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    )
    start = arb_mat([[arb(1)]] * 4)
    spent = []
    for rounds in (2000, 4000):
        with separate_meter() as meter:
            assert len(trajectory(law, start, rounds)) == rounds + 1
        spent.append(meter.spent)
    assert spent[1] - spent[0] == pytest.approx(2000 * 16 / EXACT_NUMBERS_PER_UNIT, rel=0.05)


# Paths in balls ---------------------------------------------------------------------------------------------------------


def test_comparisons_that_balls_leave_open_are_undecided() -> None:
    case = Case(TIED, **{**RUN, "n_rounds": 2, "step_size": "sqrt(2)/2"})

    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return x / 2 if c.step_size * c.step_size > F(1, 2) else x

    with pytest.raises(Undecided):
        enumerate_runs(Algorithm("mine", step), case, BALL)


def test_chances_of_noise_are_numbers_of_the_ring() -> None:
    noisy = QuadraticClients(((1,), (2,)), ((1,), (-1,)), (1,), "1/2")
    case = Case(noisy, **RUN)
    for ring in (RATIONAL, BALL):
        oracle = AskingOracle(sequential, case, ScriptedChance([], 1, ring, False, 100), ring)
        with pytest.raises(OpenQuestion) as asked:
            oracle.gradient(object_array([ring.scalar(2)], (1, 1)), 0, 0)
        assert {type(v) for v in asked.value.chances.flat} == {type(ring.scalar(0))}
        known = AskingOracle(sequential, case, ScriptedChance([np.array([1])], 1, ring, False, 100), ring)
        points = object_array([ring.scalar(2)] * 1, (1, 1))
        first = known.gradient(points, 0, 0)
        assert known.gradient(points, 0, 0).tolist() == first.tolist()


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_run_that_leaves_all_bounds_in_any_round_is_undecided(bad: int) -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return object_array([arb("inf")] * x.size, x.shape) if c.round == bad else x / 2

    case = Case(TIED, **{**RUN, "n_rounds": 3, "step_size": "sqrt(2)/2"})
    with pytest.raises(Undecided, match="balls that are too wide"):
        enumerate_runs(Algorithm("mine", step), case, BALL)


def test_one_long_coordinate_is_too_long() -> None:
    halved = Case(QuadraticClients(((1, 0),), ((0, 0),), (1, 1)), n_rounds=4, n_local_steps=1, step_size="1/2")
    states, _ = enumerate_runs(sequential, halved, RATIONAL, bits=5)
    assert states[0, -1].tolist() == [fmpq(1, 16), 1]
    with pytest.raises(NotEnumerable, match="the rationals become too long"):
        enumerate_runs(sequential, halved, RATIONAL, bits=4)


def test_one_number_that_is_not_finite_is_enough() -> None:
    def step(x: np.ndarray, oracle: Oracle, c: Any) -> np.ndarray:
        return np.stack([x[:, 0] / 2, object_array([arb("inf")] * len(x), (len(x),))], axis=1)

    case = Case(TIED, **{**RUN, "n_rounds": 1, "step_size": "sqrt(2)/2"})
    with pytest.raises(Undecided, match="balls that are too wide"):
        enumerate_runs(Algorithm("mine", step), case, BALL)


def test_tuples_of_a_users_class_without_names_have_positions() -> None:
    class Pair(tuple):
        __slots__ = ()

    assert parts_of(Pair((3, 4))) == {0: 3, 1: 4}


def test_children_start_without_signals_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: Any) -> Any:
        raise AttributeError("no such function")

    monkeypatch.setattr(workers.sys, "platform", "win32")
    monkeypatch.setattr(workers.signal, "pthread_sigmask", none)
    monkeypatch.setattr(workers.resource_tracker, "ensure_running", none)
    with workers._quiet_start(1):
        assert os.environ["OMP_NUM_THREADS"]
