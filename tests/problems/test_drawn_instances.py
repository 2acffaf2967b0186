"""What strategies draw: every option keeps its promise, and the ranges are used on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.problems import strategies
from fltheory.problems.separable import QuadraticClients
from fltheory.problems.sets import set_optimum
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage
from fltheory.problems.strategies import (
    cosine_clients,
    dense_clients,
    federated_runs,
    finite_sum_clients,
    log_uniform_counts,
    log_uniform_positive,
    quadratic_clients,
)

F = Fraction


def drawn(strategy: st.SearchStrategy[Any], examples: int = 20) -> list[Any]:
    """Instances of a strategy, the same ones each time."""
    found: list[Any] = []

    @settings(max_examples=examples, derandomize=True, database=None, phases=[Phase.generate])
    @given(strategy)
    def collect(one: Any) -> None:
        found.append(one)

    collect()
    return found


def test_quadratic_clients_are_of_all_kinds() -> None:
    free = drawn(quadratic_clients(), 30)
    assert {1, 2} < {i.n_clients for i in free} <= {1, 2, 3, 4}
    assert {i.dim for i in free} == {1, 2}
    assert any(0 in row for i in free for row in i.curvatures)
    assert all(sum(column) > 0 for i in free for column in zip(*i.curvatures, strict=True))
    assert all(0 <= v <= 1 for i in free for row in i.curvatures for v in row)
    assert {v > 0 for i in free for v in i.start} == {True, False}
    assert any(v < 0 for i in free for row in i.slopes for v in row)
    assert {i.draws for i in free} == {0, 1}
    several = [i for i in free if i.n_clients > 1]
    assert {len(set(i.curvatures)) == 1 for i in several} == {True, False}
    assert any(sum(column) for i in free for column in zip(*i.slopes, strict=True))


def test_curved_and_equal_quadratic_clients() -> None:
    for one in drawn(quadratic_clients(curved=True, noise=False, equal=True)):
        assert all(v > 0 for row in one.curvatures for v in row)
        assert len(set(one.curvatures)) == 1
        assert one.draws == 0
    assert any(len(set(i.curvatures)) > 1 for i in drawn(quadratic_clients(equal=False)))


def test_centred_quadratic_clients() -> None:
    centred = drawn(quadratic_clients(centred=True, max_clients=2, max_dim=1), 60)
    for one in centred:
        assert not any(sum(column) for column in zip(*one.slopes, strict=True))
        assert one.n_clients <= 2
        assert one.dim == 1
    assert any(any(row) for one in centred for row in one.slopes)


TWO = QuadraticClients((4, 2), (1, -1), 1)


@pytest.mark.parametrize("way", ["sequential", "parallel"])
def test_runs_have_step_sizes_relative_to_their_smoothness(way: str) -> None:
    """step <= 1 / (L K server), and for clients one after the other also over those that take part."""
    runs = drawn(federated_runs(st.just(TWO), 100, 3, way, participation=True, server=True), 30)
    relative = []
    for case in runs:
        c = case.constants
        taking = c[symbols.n_participating] if way == "sequential" else 1
        factor = c[symbols.n_local_steps] * taking * 4 * c[symbols.server_step_size]
        relative.append(c[symbols.step_size] * factor)
        assert 1 <= c[symbols.n_rounds] <= 100
        assert 1 <= c[symbols.n_local_steps] <= 3
    assert all(Fraction(1, 10**5) <= v <= 1 for v in relative)
    assert {c.constants[symbols.n_participating] for c in runs} == {1, 2}
    servers = {c.constants[symbols.server_step_size] for c in runs}
    assert servers <= {1, Fraction(3, 2), 2, 5}
    assert len(servers) > 1
    assert {1} < {c.constants[symbols.n_local_steps] for c in runs} <= {1, 2, 3}
    bare = drawn(federated_runs(st.just(TWO), step=False), 10)
    assert all(symbols.step_size not in c.constants and "n_participating" not in dict(c.settings) for c in bare)
    plain = drawn(federated_runs(st.just(TWO)), 20)
    assert all(c.constants[symbols.step_size] * c.constants[symbols.n_local_steps] * 2 * 4 <= 1 for c in plain)


@pytest.mark.parametrize("way", [{}, {"participation": True}, {"server": True}, {"step": False}])
def test_runs_have_the_settings_that_are_asked_for(way: dict[str, bool]) -> None:
    names = {"participation": "n_participating", "server": "server_step_size", "step": "step_size"}
    always = {"n_rounds", "n_local_steps"}
    wanted = always | {names[k] for k in names if way.get(k, k == "step")}
    for case in drawn(federated_runs(st.just(TWO), 20, 3, **way), 3):
        assert set(dict(case.settings)) == wanted
        assert 1 <= dict(case.settings)["n_rounds"] <= 20


def test_dense_clients_keep_to_their_options() -> None:
    dense = drawn(dense_clients(), 30)
    assert {1} < {i.n_clients for i in dense} <= {1, 2, 3}
    assert all(max(row) == 1 for i in dense for row in i.curvatures)
    assert any(any(i.reflections) for i in dense)
    assert all(len(i.minimiser) == 2 for i in dense)
    assert {v > 0 for i in dense for v in i.start} == {True, False}
    assert any(v < 0 for i in dense for row in i.slopes for v in row)


def test_curved_dense_clients() -> None:
    curved = drawn(dense_clients(curved=True))
    assert all(v > 0 for i in curved for row in i.curvatures for v in row)
    assert any(i.n_clients > 1 for i in curved)


def test_finite_sums_keep_to_their_options() -> None:
    sums = drawn(finite_sum_clients(), 30)
    assert {1} < {i.n_clients for i in sums} <= {1, 2, 3}
    assert {1} < {i.batch_size for i in sums} <= {1, 2, 3}
    assert any(v < 0 for i in sums for client in i.slopes for row in client for v in row)
    assert any(v > 0 for i in sums for client in i.slopes for row in client for v in row)
    assert all(i.constants[symbols.smoothness] == 1 for i in sums)
    assert {i.start[0] < 0 for i in sums} == {True, False}
    assert all(-3 <= i.start[0] <= 3 for i in sums)
    assert {1} < {n for i in sums for n in i.sizes.tolist()} <= {1, 2, 3, 4}
    steps = {v / scale for i in sums for v, scale in values_of(i)}
    assert {-1, 1} < steps <= {F(k, m) for k in range(-3, 4) for m in range(1, 4)}
    assert all(v > 0 for i in drawn(finite_sum_clients(curved=True)) for c in i.curvatures for row in c for v in row)


def values_of(one: Any) -> Iterator[tuple[Fraction, Fraction]]:
    """The slopes beside the smallest of them that is not 0."""
    slopes = [v for client in one.slopes for row in client for v in row]
    least = min((abs(v) for v in slopes if v), default=F(1))
    yield from ((v, least) for v in slopes)


def test_waves_keep_to_their_options() -> None:
    waves = drawn(cosine_clients(), 30)
    assert {i.n_clients for i in waves} == {2, 4}
    assert all(-3 <= i.start[0] <= 3 for i in waves)
    assert {i.start[0] < 0 for i in waves} == {True, False}
    assert {i.draws for i in waves} == {0, 1}
    assert all(i.draws == 0 for i in drawn(cosine_clients(noise=False)))


def test_numbers_lie_between_their_ends() -> None:
    found = drawn(log_uniform_positive(0.02, 4), 60)
    assert all(F(1, 50) <= v <= 4 for v in found)
    assert min(found) < F(1, 10)
    assert max(found) > 1


def test_numbers_have_one_digit_and_the_simplest_is_one() -> None:
    found = drawn(log_uniform_positive(), 30)
    assert {f"{float(v):.9e}"[0] for v in found} == {"1", "2", "3", "5", "7"}
    few = settings(max_examples=40, derandomize=True, database=None)
    assert find(log_uniform_positive(), lambda v: True, settings=few) == 1
    assert find(log_uniform_positive(), lambda v: v > 1, settings=few) == 2


def test_counts_are_all_digits_up_to_their_limit() -> None:
    assert set(drawn(log_uniform_counts(9), 60)) == set(range(1, 10))
    assert all(1 <= n <= 40 for n in drawn(log_uniform_counts(40), 30))
    few = settings(max_examples=40, derandomize=True, database=None)
    assert find(log_uniform_counts(500), lambda n: True, settings=few) == 1
    assert find(log_uniform_counts(40), lambda n: n >= 40, settings=few) == 40


@pytest.mark.parametrize("end", [0, 1])
def test_drawn_curvatures_lie_between_a_thousandth_and_one(end: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategies, "log_uniform_positive", lambda *ends: st.just(F(str(ends[end]))))
    limit, flat = (F(1, 1000), F(1))[end], {F(0)}
    for strategy in (dense_clients, quadratic_clients):
        drawn_curved = {v for one in drawn(strategy(curved=True), 4) for row in one.curvatures for v in row}
        assert limit in drawn_curved <= {limit, F(1)}
        assert {v for one in drawn(strategy(), 8) for row in one.curvatures for v in row} <= {limit, F(1)} | flat


def test_a_ball_contains_the_optimum_whatever_set_the_solver_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver's bound from above holds; here its set is not the best."""
    import scipy.optimize

    functions = (Coverage(((0, 1), (2,), (3,)), 4, (1, 5, 3)),)
    solve = scipy.optimize.milp

    def worse(*told: Any, **named: Any) -> Any:
        found = solve(*told, **named)
        found.x[:4] = [1, 0, 0, 0]
        return found

    monkeypatch.setattr(scipy.optimize, "milp", worse)
    ball, items = set_optimum.optimum_by_milp(functions, (Fraction(1),), Uniform(4, 2))
    assert items == {0}
    assert ball.contains(fmpq(8))
    assert ball.contains(fmpq(1))
    assert not ball.contains(fmpq(9))
