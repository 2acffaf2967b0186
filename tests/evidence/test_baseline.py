"""A second algorithm as the bound: exact where both are, in floats where none draws, else by a test of the difference."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb
from sympy import Eq, Integer

from fltheory import Algorithm, Case, quantity, theorem, verify
from fltheory.claims.claim import Claim
from fltheory.command.cli import run
from fltheory.evidence import baseline
from fltheory.evidence.measured import Interval, Measured
from fltheory.games.learners import constant_learner, online_newton
from fltheory.games.player import Learner
from fltheory.games.static_regret import StaticRegret
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.responses import ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import Against, DirectMeasure, LastDistance, LastGap, LeastGradient, RunMeasure
from fltheory.runs.method import NotEnumerable

ALONE = QuadraticClients((1,), (0,), (3,))
NOISY = replace(ALONE, noise_std=1, noise_law="uniform")


def descent(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * oracle.gradient(x, 0)


def longer(x: Any, oracle: Any, c: Any) -> Any:
    return x - 2 * c.step_size * oracle.gradient(x, 0)


def clipped(x: Any, oracle: Any, c: Any) -> Any:
    """Of no exact value in floats: a hyperbolic tangent."""
    return x - c.step_size * np.tanh(oracle.gradient(x, 0))


def lazy(x: Any, oracle: Any, c: Any) -> Any:
    """The same in every second round, by a coin."""
    return x - c.step_size * np.tanh(oracle.gradient(x, 0)) * np.where(oracle.coin("1/2")[:, None], 1, 0)


GD, LONG, CLIPPED, LAZY = (Algorithm(step.__name__, step) for step in (descent, longer, clipped, lazy))
NEAR, LAZY_NEAR = replace(CLIPPED, within=10), replace(LAZY, within=10)


def claim(
    ours: Algorithm,
    theirs: Algorithm,
    relation: Callable[[Any], Any] = lambda other: quantity <= other,
    on: Any = ALONE,
    measure: Any = None,
    **more: Any,
) -> Claim:
    against = Against(measure or LastDistance(), theirs)
    case = Case(on, n_rounds=5, n_local_steps=1, step_size="1/10")
    return theorem("T: x", relation(against.baseline), algorithm=ours, measure=against, cases=[case], key="own", **more)


def told(*of: Any, **more: Any) -> tuple[str, str | None]:
    found = verify(claim(*of, **more))
    return found.status, found.evidence


def test_exact_values_are_compared_exactly() -> None:
    found = verify(claim(LONG, GD))
    assert (found.status, found.evidence, found.measured) == ("holds", "exact", pytest.approx(9 * 0.8**10))
    assert found.limit == pytest.approx(9 * 0.9**10)
    assert told(GD, LONG) == ("violated", "exact")


def test_ties_are_decided_and_factors_are_part_of_the_bound() -> None:
    ratio = Fraction(8, 9) ** 10
    exact = [(GD, GD, lambda other: Eq(quantity, other)), (LONG, GD, lambda other: Eq(quantity, other * ratio))]
    assert [told(*one) for one in exact] == [("holds", "exact")] * 2
    assert told(LONG, GD, lambda other: quantity <= other * ratio) == ("holds", "exact")
    assert told(LONG, GD, lambda other: quantity <= other * ratio * (1 - Fraction(1, 10**12))) == ("violated", "exact")
    assert told(LONG, GD, lambda other: quantity >= other * ratio) == ("holds", "exact")
    assert told(LONG, GD, lambda other: quantity >= other) == ("violated", "exact")


def test_noise_is_in_the_expectation_of_both() -> None:
    """By moments: from the minimiser the longer step is farther, as it collects more noise; from afar it is nearer."""
    still = replace(NOISY, start=(0,))
    assert told(LONG, GD, on=still) == ("violated", "exact")
    assert told(GD, LONG, on=still) == ("holds", "exact")
    assert told(LONG, GD, on=NOISY) == ("holds", "exact")


def test_the_library_s_algorithms_and_a_least_of_means() -> None:
    two = QuadraticClients((1, "1/2"), (1, -1), (3,))
    least = LeastGradient()
    assert told(parallel, sequential, on=two, measure=least)[1] == "exact"
    assert {told(one, other, on=two)[0] for one, other in ((parallel, sequential), (sequential, parallel))} == {
        "holds",
        "violated",
    }
    against, at = Against(least, LAZY_NEAR), claim(LAZY_NEAR, LAZY_NEAR, on=NOISY, measure=least)
    asked = baseline.TwoAlgorithms(against, LAZY_NEAR, at.bound.at({}, against.letters), at.cases[0], 0)
    with pytest.raises(NotEnumerable, match="least of means"):
        baseline.bet_on_both(asked, 1e-6, (1000,))


def test_what_cannot_be_enumerated_is_bet_on_and_only_where_a_run_is_bounded() -> None:
    """The mean of each is not compared: a bound of a run on one side gives one verdict, on both sides both."""
    sampled = ("holds", "statistical"), ("violated", "statistical")
    assert told(GD, LAZY_NEAR, on=NOISY) == sampled[0]
    assert told(LAZY_NEAR, GD, on=NOISY) == sampled[1]
    assert told(LAZY, GD, on=NOISY) == sampled[1]  # our value needs no ceiling to be refuted
    assert told(GD, LAZY, on=NOISY) == sampled[0]  # nor theirs, to be a bound
    assert told(GD, LAZY, lambda other: quantity >= other, on=NOISY) == sampled[1]
    assert told(NEAR, LAZY, on=NOISY) == sampled[0]
    assert told(CLIPPED, LAZY_NEAR, on=NOISY)[0] == "inconclusive"  # our runs may be anywhere
    assert told(LAZY, NEAR, on=NOISY) == sampled[1]
    assert told(LAZY_NEAR, LAZY_NEAR, lambda other: quantity >= other / 2, on=NOISY) == sampled[0]
    assert told(LAZY_NEAR, LAZY_NEAR, lambda other: quantity <= other / 2, on=NOISY) == sampled[1]
    assert (
        told(LAZY_NEAR, LAZY_NEAR, lambda other: quantity <= 30 - other, on=NOISY, inconsistent_units=True)
        == (sampled[0])
    )


def test_equal_expectations_are_left_open_by_samples() -> None:
    found = verify(claim(LAZY_NEAR, LAZY_NEAR, on=NOISY))
    assert (found.status, found.evidence, found.error_rate) == ("inconclusive", "statistical", pytest.approx(1e-10))
    assert found.reason.count("as lazy declares") == 1
    found = verify(claim(LAZY_NEAR, LAZY, on=NOISY))
    assert "only an upper confidence limit" in found.reason
    assert "in [-∞, " in str(found)


def test_where_no_run_is_bounded_nothing_is_sampled() -> None:
    found = verify(claim(LAZY, LAZY, on=NOISY))
    assert (found.status, found.evidence) == ("inconclusive", None)
    assert "may declare it (within=)" in found.reason


def test_interval_and_limit_are_shown_at_the_sampled_value_of_the_second() -> None:
    half = verify(claim(LAZY_NEAR, LAZY_NEAR, lambda other: quantity <= other / 2, on=NOISY))
    twice = verify(claim(LAZY_NEAR, LAZY_NEAR, lambda other: quantity <= other * 2, on=NOISY))
    for found, factor in ((half, 0.5), (twice, 2.0)):
        assert None not in (found.low, found.measured, found.high, found.limit)
        assert found.low < found.measured < found.high  # type: ignore[operator]
        assert found.limit == pytest.approx(factor * found.measured, rel=0.01)  # type: ignore[operator]
    assert half.low > half.limit  # type: ignore[operator]
    assert twice.high < twice.limit  # type: ignore[operator]


def pair(ours: Algorithm, theirs: Algorithm, on: Any = NOISY, measure: Any = None) -> baseline.TwoAlgorithms:
    """The question itself."""
    at, against = claim(ours, theirs, on=on, measure=measure), Against(measure or LastDistance(), theirs)
    return baseline.TwoAlgorithms(against, ours, at.bound.at({}, against.letters), at.cases[0], 0)


def test_the_error_of_floats_is_part_of_a_bet(monkeypatch: pytest.MonkeyPatch) -> None:
    offs = []

    def bet(draw: Any, *given: Any) -> Any:
        offs.append(draw(0, 4)[1])
        return Measured(Interval(0.0, 1.0), "statistical")

    monkeypatch.setattr(baseline, "bet_on_mean", bet)
    monkeypatch.setattr(baseline, "_rounding", lambda *given: 0.0)
    baseline.bet_on_both(pair(LAZY_NEAR, LAZY_NEAR), 1e-6, (1000,))
    monkeypatch.setattr(baseline, "_rounding", lambda *given: 0.25)
    baseline.bet_on_both(pair(LAZY_NEAR, LAZY_NEAR), 1e-6, (1000,))
    assert 1e-9 < offs[0] < 1e-7
    assert offs[1] == pytest.approx(offs[0] + 0.5)


def test_rounding_in_a_step_s_own_arithmetic_widens_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    floats = Algorithm("floats", by_floats)
    for sensitivity, status in ((0.01, "holds"), (0.5, "inconclusive")):
        monkeypatch.setattr(baseline, "rounding_sensitivity", lambda *given, s=sensitivity: s)
        found = verify(claim(GD, floats))
        assert (found.status, found.evidence) == (status, "sampled")
    assert "rounding in its own arithmetic" in found.reason


def test_what_is_known_on_one_side_only_or_not_at_all_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "exact_ball", lambda *given: Measured(arb(1), "exact", at_most=True))
    with pytest.raises(NotEnumerable, match="only a limit of an exact value"):
        baseline.compare_exact_values(pair(GD, LONG))
    apart = Measured(Interval(0.0, math.inf), "sampled", note="paths part")
    monkeypatch.setattr(baseline, "evaluate_single_path", lambda *given: apart)
    monkeypatch.setattr(baseline, "_rounding", lambda *given: 0.0)
    with pytest.raises(NotEnumerable, match="paths part"):
        baseline.compare_single_paths(pair(GD, LONG))


@dataclass(frozen=True)
class Signed(RunMeasure):
    """A quantity below 0 in some runs."""

    name: str = "x_R"
    dimension: tuple[Any, Any] = (Integer(0), Integer(1))

    def values(self, states: np.ndarray, case: Any) -> np.ndarray:
        return states[:, -1, :1] - 5

    def ceiling(self, case: Any, within: float | None = None) -> float | None:
        return within


def test_samples_of_a_measure_below_0_decide_nothing() -> None:
    found = verify(claim(LAZY_NEAR, LAZY_NEAR, on=NOISY, measure=Signed()))
    assert (found.status, found.evidence) == ("inconclusive", None)
    assert "is negative" in found.reason


def test_the_range_of_a_game_s_quantity_is_that_of_the_learners_it_is_known_of() -> None:
    @dataclass(frozen=True)
    class Known(StaticRegret):
        of_any_algorithm: bool = False

    class Below(StaticRegret):
        has_lower_limit = True

    uniform = constant_learner()
    mine = Learner("mine", uniform.step, init=uniform.init, play=lambda state, c: 1.0 * uniform.play(state, c))
    at = Case(TABLE, **SETTINGS)
    low, high = StaticRegret().span(at)
    assert baseline._range(StaticRegret(), mine, at) == (low, high)
    assert baseline._range(Known(), mine, at) == (low, math.inf)
    with pytest.raises(NotEnumerable, match="can't be computed"):
        baseline._range(Below(), mine, at)


def test_samples_need_a_bound_that_is_affine() -> None:
    found = verify(claim(LAZY_NEAR, LAZY_NEAR, lambda other: quantity <= other**2, on=NOISY, inconsistent_units=True))
    assert (found.status, found.evidence) == ("inconclusive", None)
    assert "is not affine in LastDistance_of_lazy" in found.reason
    assert told(LONG, GD, lambda other: quantity <= other**2, inconsistent_units=True) == ("holds", "exact")


def test_the_error_rate_is_kept_where_both_are_the_same() -> None:
    """Of a hundred tests of a true claim that is tight, at an error rate of a tenth, far fewer than ten fail."""
    twin = Algorithm("its twin", turned, within=10)
    against, at = Against(LastDistance(), twin), claim(LAZY_NEAR, twin, on=NOISY)
    wrong = 0
    for seed in range(100):
        limit = at.bound.at({}, against.letters)
        asked = baseline.TwoAlgorithms(against, LAZY_NEAR, limit, at.cases[0], seed)
        wrong += baseline.bet_on_both(asked, 0.1, (100,)).status == "violated"
    assert wrong <= 10


def turned(x: Any, oracle: Any, c: Any) -> Any:
    """The same law by the other side of the coin."""
    return x - c.step_size * np.tanh(oracle.gradient(x, 0)) * np.where(oracle.coin("1/2")[:, None], 0, 1)


def by_floats(x: Any, oracle: Any, c: Any) -> Any:
    """In floats alone, and it draws nothing."""
    return x - c.step_size * np.arctan(np.asarray(oracle.gradient(x, 0), dtype=float) * 1.0)


def test_deterministic_runs_in_floats_have_an_error_budget() -> None:
    floats = Algorithm("floats", by_floats)
    assert told(GD, floats) == ("holds", "sampled")
    assert told(floats, GD) == ("violated", "sampled")
    assert told(floats, floats)[0] == "inconclusive"
    assert told(floats, floats, lambda other: quantity <= other * (1 + Fraction(1, 10**5)))[0] == "holds"
    assert told(floats, floats, lambda other: quantity <= other * (1 - Fraction(1, 10**5)))[0] == "violated"


def test_the_second_may_not_change_the_instance_of_a_trusted_first() -> None:
    found = verify(claim(parallel, Algorithm("meddling", meddling)))
    assert found.status == "inapplicable"
    assert "the step changed the instance" in found.reason


memory: list[float] = []


def remembering(x: Any, oracle: Any, c: Any) -> Any:
    memory.append(0.0)
    return x - c.step_size * len(memory) * oracle.gradient(x, 0)


def meddling(x: Any, oracle: Any, c: Any) -> Any:
    object.__setattr__(oracle.instance, "start", (0,))
    return x


def crowded(x: Any, oracle: Any, c: Any) -> Any:
    """Runs depend on each other."""
    return x - c.step_size * oracle.gradient(x, 0) * len(x)


def drawing(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * np.random.default_rng().standard_normal(x.shape)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (remembering, "changes a number that it keeps|not a pure function"),
        (meddling, "changed the instance"),
        (drawing, "not a pure function"),
        (crowded, "not a pure function of each seed's state"),
    ],
)
def test_the_second_algorithm_is_checked_as_the_first(step: Any, words: str) -> None:
    bad = Algorithm(step.__name__, step)
    first, second = verify(claim(bad, GD)), verify(claim(GD, bad))
    assert first.status == second.status == "inapplicable"
    assert first.broken
    assert second.broken
    assert re.search(words, first.reason)
    assert re.search(words, second.reason)
    assert Against(LastDistance(), replace(parallel, step=step)).other.law is None  # type: ignore[attr-defined]


def with_memory(s: Any, oracle: Any, c: Any) -> Any:
    v = s["v"] / 2 - c.step_size * oracle.gradient(s["x"], 0)
    return {"x": s["x"] + v, "v": v}


def test_states_of_the_second_may_be_trees_and_its_errors_are_its_own() -> None:
    momentum = Algorithm("momentum", with_memory, init=lambda x, c: {"x": x, "v": 0 * x})
    assert told(momentum, GD) == ("holds", "exact")
    assert told(GD, momentum) == ("violated", "exact")
    found = verify(claim(GD, Algorithm("broken", lambda x, oracle, c: x[:, :0])))
    assert found.status == "inapplicable"
    assert "broken returned" in found.reason


def test_what_is_no_comparison_is_refused_with_its_reason() -> None:
    with pytest.raises(ValueError, match=r"such as LastDistance\(\), got DirectMeasure"):
        Against(DirectMeasure("one", lambda case, ring: ring.scalar(1)), GD)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs a second algorithm"):
        Against(LastDistance(), descent)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="compared in expectation, not surely"):
        claim(GD, LONG, mode="surely")
    with pytest.raises(ValueError, match="compared in expectation, not with probability"):
        claim(GD, LONG, failure=Fraction(1, 2))
    with pytest.raises(ValueError, match="give the algorithm"):
        claim(None, GD)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="differ in their powers"):
        verify(claim(GD, LONG, lambda other: quantity <= Against(LastGap(), LONG).baseline))


def test_two_claims_are_equal_when_their_second_algorithms_are() -> None:
    assert claim(GD, LONG) == claim(GD, LONG)
    assert claim(GD, LONG) != claim(GD, replace(LONG, step=descent))


FILE = """
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import Against, LastDistance


def gd(x, oracle, c):
    return x - c.step_size * oracle.gradient(x, 0)


def rest(x, oracle, c):
    return x


against = Against(LastDistance(), Algorithm("rest", rest))
case = Case(QuadraticClients((1,), (0,), 3), n_rounds=2, step_size="1/2")
T1 = theorem("T1: no farther", quantity <= against.baseline, algorithm=Algorithm("GD", gd), measure=against, cases=[case])
"""


def test_commands_show_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "compared.py"
    file.write_text(FILE)
    (tmp_path / "away.py").write_text("def step(x, oracle, c):\n    return x + c.step_size * oracle.gradient(x, 0)\n")
    assert run(["show", f"{file}:T1"]) == 0
    assert "value of the second algorithm, rest" in capsys.readouterr().out
    out = tmp_path / "both.csv"
    assert run(["plot", f"{file}:T1", "-o", str(tmp_path / "a.svg"), "--along", "n_rounds", "--csv", str(out)]) == 0
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert {float(row[3]) for row in rows if row[1:2] == ["bound (T1)"]} == {9.0}
    assert [float(row[3]) for row in rows if row[1:2] == ["measured (exact)"]][:2] == [2.25, 0.5625]
    rows_file = tmp_path / "rows.jsonl"
    assert run(["verify", f"{file}:T1", "--variant", f"{tmp_path / 'away.py'}:step", "--json", str(rows_file)]) == 1
    row = json.loads(rows_file.read_text().splitlines()[0])
    assert (row["status"], row["limit"]) == ("violated", 9.0)


SETTINGS: dict[str, Any] = {"learner_regularisation": 2, "learner_curvature": "1/2", "learner_scale": "1/2"}
TABLE = ResponseTable(((1, 0, "1/2"), (0, 1, "1/4")), (2, 1))


def regrets(ours: Learner, theirs: Learner, game: ResponseTable = TABLE) -> tuple[str, str | None]:
    against = Against(StaticRegret(), theirs)
    at = Case(game, **SETTINGS)
    made = theorem("T: x", quantity <= against.baseline, algorithm=ours, measure=against, cases=[at], key="own")
    found = verify(made)
    return found.status, found.evidence


def test_regrets_of_two_learners_are_compared() -> None:
    newton, uniform = online_newton(), constant_learner()
    mine = Learner("mine", uniform.step, init=uniform.init, play=lambda state, c: 1.0 * uniform.play(state, c))
    exact = {regrets(newton, uniform), regrets(uniform, newton)}
    assert exact == {("holds", "exact"), ("violated", "exact")}
    assert {regrets(newton, mine), regrets(mine, newton)} == {("holds", "numerical"), ("violated", "numerical")}
    drawn = replace(TABLE, n_participating=2, counts_of=(3, 2))
    assert {one for one, _ in (regrets(newton, mine, drawn), regrets(mine, newton, drawn))} == {"holds", "violated"}
