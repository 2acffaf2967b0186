"""Heterogeneity under sampling: mutants, and values of the games by other means."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.osmd.heterogeneity import claims
from fltheory.papers.osmd.heterogeneity.closed_forms import heterogeneity as het
from fltheory.papers.osmd.heterogeneity.closed_forms.heterogeneity import GradientTable, OneDraw, value_on_grid
from fltheory.papers.osmd.heterogeneity.closed_forms.minimax import Outcome, least_largest, variance
from fltheory.papers.osmd.instances.bounded_clients import ProportionalClients, TiltedClients
from fltheory.papers.osmd.notation import zeta_fix, zeta_unif

CLAIMS = claims.CLAIMS
BY_ID = {c.id: c for c in CLAIMS}
TWO = ((1, 0), (0, 1))


def test_the_printed_equation_31_has_a_witness_that_replays(capsys: pytest.CaptureFixture[str]) -> None:
    claim = BY_ID["osmd/C-31@printed"]
    counterexample = check_claim(claim, claim.cases[0]).counterexample
    assert counterexample is not None
    exec(counterexample, {"claim": claim})
    assert "violated" in capsys.readouterr().out


THREE = ((3, 1, 0), (0, 2, -2), (1, 1, 4))
OTHER_TABLES = (
    ((2, -1), (-1, 2)),
    ((1, 0), (1, 0)),
    ((1, 0), (0, 2)),
    ((1, 0, 0), (0, 1, 0)),
    THREE,
    ((1, 0), (0, 1), (0, 0)),
)


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", ["I9", "I9-middle", "I9-ample"])
@pytest.mark.parametrize("gradients", OTHER_TABLES, ids=str)
def test_the_values_of_the_game_of_two_states_are_about_no_other(
    name: str, gradients: tuple[tuple[int, ...], ...]
) -> None:
    claim = BY_ID[f"osmd/{name}@explicit"]
    settings = {"I9": (2, "1/5"), "I9-middle": (3, "8/5"), "I9-ample": (1, 0)}[name]
    assert "two states" in check_claim(claim, Case(GradientTable(gradients, "1/5", *settings))).reason
    for size in (1, (3, -4)):
        zero = 0 if size == 1 else (0, 0)
        for states in (((size, zero), (zero, size)), ((zero, size), (size, zero), (zero, size))):
            status = check_claim(claim, Case(GradientTable(states, "1/5", *settings))).status
            assert status == "holds" or (
                len(states) == 3 and status == "inconclusive"
            )  # the minimum is found in floats


def test_without_its_assumption_a_value_is_refuted() -> None:
    bare = replace(BY_ID["osmd/I9-ample@explicit"], assumptions=())
    assert check_claim(bare, Case(GradientTable(((2, -1), (-1, 2)), "1/5", 1, 0))).status == "violated"


@pytest.mark.parametrize("game", [(3, 0, "1/5"), (2, "8/5", "1/5"), (3, "8/5", "1/10")])
def test_the_middle_value_is_that_of_one_budget_horizon_and_floor(game: tuple[int, int | str, str]) -> None:
    rounds, budget, floor = game
    verdict = check_claim(BY_ID["osmd/I9-middle@explicit"], Case(GradientTable(TWO, floor, rounds, budget)))
    assert verdict.status == "inapplicable"
    assert "the condition" in verdict.reason


# Values by other means ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "value"), [("1/10", 0.2341), ("1/5", 0.2197), ("4/5", 0.1548), ("8/5", 0.0969), ("16/5", 0.0278)]
)
def test_the_table_of_the_two_state_game(budget: str, value: float) -> None:
    found = GradientTable(TWO, "1/5", 3, budget).dynamic
    assert found.high - found.low < 1e-6
    assert abs(float(found.high) - value) < 6e-5


@pytest.mark.parametrize(("rounds", "budget"), [(2, "3/10"), (3, "8/5"), (3, "1/10")])
def test_a_grid_encloses_the_program_from_both_sides(rounds: int, budget: str) -> None:
    table = GradientTable(TWO, "1/5", rounds, budget)
    widths = []
    for cells in (32, 128):
        low, high = value_on_grid(table.points, 0.2, float(Fraction(budget)), rounds, cells)
        assert low / rounds <= float(table.dynamic.high)
        assert float(table.dynamic.low) <= high / rounds
        widths.append(high - low)
    assert widths[1] < widths[0] / 2


def test_long_games_approach_the_value_of_fixed_sampling() -> None:
    low, high = value_on_grid(GradientTable(TWO).points, 0.2, 0.4, 12, 64)
    assert low <= 12 * 0.25 - 0.4 / 2.4 <= high
    assert high - low < 0.25


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # the generic solver, of SciPy before 1.16
@settings(max_examples=5)
@given(st.integers(0, 10**6))
def test_the_best_fixed_distribution_agrees_with_a_generic_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = GradientTable(tuple(tuple(int(v) for v in row) for row in rng.integers(-5, 6, (3, 3))), "3/10")
    squares = np.array([[float(a) for a in row] for row in table.points.squares])
    means = np.array([float(b) for b in table.points.means])

    def largest(p: np.ndarray) -> np.ndarray:
        return (squares / p).sum(axis=1) / 9 - means

    best = scipy.optimize.minimize(
        lambda z: z[3],
        [1 / 3, 1 / 3, 1 / 3, largest(np.full(3, 1 / 3)).max()],
        bounds=[(0.1, 1)] * 3 + [(None, None)],
        constraints=[
            {"type": "eq", "fun": lambda z: z[:3].sum() - 1},
            {"type": "ineq", "fun": lambda z: z[3] - largest(z[:3])},
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert float(table.fixed.high) == pytest.approx(float(table.fixed.low), rel=1e-6, abs=1e-9)
    assert float(table.fixed.low) <= largest(best.x[:3]).max() + 1e-6
    assert float(table.fixed.high) == pytest.approx(largest(best.x[:3]).max(), rel=1e-4, abs=1e-6)


def test_plans_keep_to_the_floor_and_to_the_budget_and_cost_what_is_said() -> None:
    table = GradientTable(((1, 3), (2, -1)), "1/3", 2, "1/7")
    courses = list(itertools.product(range(2), repeat=2))
    nodes: dict[tuple[int, ...], int] = {}
    outcomes = []
    for course in courses:
        path = [nodes.setdefault(course[: t + 1], len(nodes)) for t in range(2)]
        outcomes.append(Outcome(tuple(zip(path, course, strict=True)), ((path[0], path[1]),)))
    found = least_largest(table.points, outcomes, Fraction(1, 3), Fraction(1, 7))
    assert all(sum(p) == 1 and min(p) >= Fraction(1, 6) for p in found.plan)
    for o in outcomes:
        (i, j) = o.moves[0]
        assert sum(abs(a - b) for a, b in zip(found.plan[i], found.plan[j], strict=True)) <= Fraction(1, 7)
    assert found.high == max(sum(variance(table.points, found.plan[n], w) for n, w in o.paid) for o in outcomes)
    assert found.low <= found.high <= found.low * (1 + Fraction(1, 10**6))


def test_no_policy_that_reacts_beats_the_lower_value() -> None:
    table = GradientTable(TWO, "1/5", 2, "3/10")
    rng = np.random.default_rng(1)
    for x, move_a, move_b in rng.uniform(size=(300, 3)):
        worst = 0.0
        for first in (0, 1):
            p = 0.1 + 0.8 * (x if first == 0 else 1 - x)
            for second, move in ((0, move_a), (1, move_b)):
                q = np.clip(p + 0.3 * (move - 0.5), 0.1, 0.9)
                total = sum(0.25 / (v if w == 0 else 1 - v) - 0.25 for v, w in ((p, first), (q, second)))
                worst = max(worst, total / 2)
        assert worst >= float(table.dynamic.low) - 1e-12


def test_no_budget_is_one_distribution_once_the_first_point_is_known() -> None:
    for gradients in (((1, 2), (3, -1)), ((1, 0, 2), (2, 2, -1))):
        table = GradientTable(gradients, "1/4", 2, 0)
        assert float(table.dynamic.high) == pytest.approx(float(table.without_budget.low), rel=1e-6)


# Log-cosh clients -----------------------------------------------------------------------------------------------------


def _ends(
    u: Fraction, rows: list[tuple[Fraction, Fraction]], floor: str, rounds: int = 1, budget: object = 0
) -> GradientTable:
    """The table at f' = -u, 0, u of clients with gradients c f' + h."""
    return GradientTable(tuple(tuple(c * v + h for c, h in rows) for v in (-u, Fraction(0), u)), floor, rounds, budget)


def test_proportional_clients_gain_nothing_from_a_budget() -> None:
    shares, bend = [Fraction(1), Fraction(4), Fraction(9)], Fraction(1, 2)
    rows = [(c, Fraction(0)) for c in shares]
    closed = het.proportional_variance(shares, bend, Fraction(1, 2))
    for table in (_ends(bend, rows, "1/2"), _ends(bend, rows, "1/2", 2, 1)):
        assert float(table.dynamic.high) == pytest.approx(float(closed.mid()), rel=1e-7)
        assert float(table.fixed.high) == pytest.approx(float(closed.mid()), rel=1e-7)
    clients = ProportionalClients((1, 4, 9), bend="1/2", floor="1/2")
    assert to_float(clients.constants[zeta_fix]) ** 2 == pytest.approx(float(closed.mid()))
    assert to_float(clients.constants[zeta_unif]) ** 2 == pytest.approx(float(_ends(bend, rows, "1/2").uniform))


def test_tilted_clients_have_their_closed_forms() -> None:
    tilts = [Fraction(2), Fraction(1, 3), Fraction(-2), Fraction(-1, 3), Fraction(0)]
    table = _ends(Fraction(1, 2), [(Fraction(1), h) for h in tilts], "1/4")
    closed = het.tilted_variance(tilts, Fraction(1, 2), Fraction(1, 4))
    assert float(table.fixed.high) == pytest.approx(float(closed.mid()), rel=1e-7)
    clients = TiltedClients((2, "1/3"), 1, bend="1/2", floor="1/4")
    assert to_float(clients.constants[zeta_fix]) ** 2 == pytest.approx(float(closed.mid()))
    assert to_float(clients.constants[zeta_unif]) ** 2 == pytest.approx(float(table.uniform))
    u = np.linspace(-0.5, 0.5, 10_001)
    values = np.mean([abs(u + float(h)) for h in tilts], axis=0) ** 2 - u**2
    assert float(het.least_tilted_variance(tilts, Fraction(1, 2))) == pytest.approx(values.max(), abs=1e-7)
    assert het.least_tilted_variance(tilts, Fraction(1, 2)) >= Fraction(values.max()) - Fraction(1, 10**12)


def test_the_floor_on_the_best_distributions_is_decided_exactly() -> None:
    assert GradientTable(((1, 3),), "1/2").best_is_floored()
    assert not GradientTable(((1, 3),), "51/100").best_is_floored()
    assert not GradientTable(TWO, "1/100").best_is_floored()


# Instances ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "instance",
    [GradientTable(TWO, "1/5", 3, "2/5"), GradientTable((((1, 2), ("1/3", 0)),)), OneDraw((1, 2), ("1/3", "2/3"))],
)
def test_instances_rebuild_from_their_text(instance: GradientTable | OneDraw) -> None:
    assert eval(repr(instance)) == instance


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: GradientTable(((1, 2), (1,))), "every client"),
        (lambda: GradientTable(((1, (1, 2)),)), "same dimension"),
        (lambda: GradientTable(TWO, 2), "floor"),
        (lambda: GradientTable(TWO, budget=-1), "budget"),
        (lambda: GradientTable(TWO, n_rounds="1/2"), "n_rounds"),
        (lambda: GradientTable(TWO, n_rounds=20).dynamic, "paths"),
        (lambda: OneDraw((1, 2), ("1/2", "1/3")), "distribution"),
        (lambda: value_on_grid(GradientTable(((1, 2, 3),)).points, 0.5, 0, 1, 8), "two clients"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_a_wrong_multiplier_only_loosens_the_enclosure(monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.papers.osmd.heterogeneity.closed_forms import minimax

    right = GradientTable(((1, 3), (2, -1)), "1/3", 2, "1/7").dynamic
    original = minimax._attempts

    def spoiled(*arguments: Any) -> Any:
        for plan, shares, prices, forces, last in original(*arguments):
            against = {k: -v for k, v in forces.items()}
            yield minimax._Attempt(plan[:, ::-1], shares[::-1] + 0.1, prices * 0.7, against, last)

    monkeypatch.setattr(minimax, "_attempts", spoiled)
    minimax._enclose.cache_clear()
    loose = GradientTable(((1, 3), (2, -1)), "1/3", 2, "1/7").dynamic
    minimax._enclose.cache_clear()
    assert loose.low < right.low <= right.high < loose.high


@pytest.mark.parametrize("early", [(), (1, 2, 3)])
@pytest.mark.parametrize("table", [(((1, 3), (2, -1)), "1/3", 2, "1/7"), (TWO, "1/5", 2, 0), (TWO, "1/5", 3, "1/2")])
def test_early_attempts_find_what_the_last_one_does(monkeypatch: pytest.MonkeyPatch, early: Any, table: Any) -> None:
    from fltheory.papers.osmd.heterogeneity.closed_forms import minimax

    usual = GradientTable(*table).dynamic
    monkeypatch.setattr(minimax, "EARLY", early)
    minimax._enclose.cache_clear()
    found = GradientTable(*table).dynamic
    minimax._enclose.cache_clear()
    assert (found.low, found.high) == (usual.low, usual.high)


def test_a_claim_on_the_game_with_the_sides_swapped_is_refuted() -> None:
    claim = BY_ID["osmd/C-11-budget@printed"]
    swapped = replace(claim, bounds=(replace(claim.bound, side="lower"),))
    assert check_claim(swapped, Case(GradientTable(TWO, "1/5", 2, 0))).status == "violated"


def test_the_least_heterogeneity_in_balls_and_exactly() -> None:
    table = GradientTable(((1, 3), (4, -2)), "1/2")
    with ctx.workprec(100):
        assert table.least().contains(arb(int(table.least_exact())))


def test_the_root_of_an_enclosure_that_reaches_below_0_is_0() -> None:
    """Where the square is 0 its lower end may be found a little below."""
    plan = het.Enclosure(Fraction(-1, 10**9), Fraction(0), ())
    assert het.root_of(plan) == 0
