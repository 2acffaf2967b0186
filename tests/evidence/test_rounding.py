"""A step is its real formula: what its own rounding may have made in floats is no verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from sympy import Expr, Rational, sqrt

from fltheory import Algorithm, Case, StepRule, find, quantity, theorem
from fltheory.claims.check import check_claim
from fltheory.evidence import deterministic, single_path
from fltheory.evidence.deterministic import evaluate_deterministic
from fltheory.evidence.measured import Interval
from fltheory.evidence.validation.rounding import rounding_mode, rounding_modes
from fltheory.evidence.verdict import Comparison, Verdict
from fltheory.games.player import ImpreciseState
from fltheory.model.bound import Bound, Dimension, Source
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import NUMBER, DeterministicMeasure, GameMeasure, LastDistance, PathMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.symbols import dissimilarity_sum, initial_distance

CASE = Case(QuadraticClients(("1",), ("0",), 1), n_rounds=60, step_size="1/10")
LAST = initial_distance**2 * Rational(9, 10) ** 120  # of a step to 9/10
NEAR = 1 + Rational(1, 10**6)


def in_floats(x: np.ndarray) -> np.ndarray:
    """Nothing exact goes through."""
    return np.array([[float(v) for v in row] for row in x])


STEPS: dict[str, Any] = {
    "shifted": lambda x, o, c: (in_floats(x) + 1e10) * 0.9 - 0.9e10,
    "short": lambda x, o, c: (in_floats(x).astype(np.float32) * np.float32(0.9)).astype(float),
    "cancelled": lambda x, o, c: 0.9 * (np.sqrt(1e16 + in_floats(x)) - 1e8) * 2e8,
    "straight": lambda x, o, c: in_floats(x) * 0.9,
}


def of(step: Any, *holds: Expr) -> Verdict:
    claim = theorem("t", *holds, algorithm=Algorithm("mine", step), measure=LastDistance(), cases=[CASE], key="t")
    return check_claim(claim, CASE)


@pytest.mark.parametrize("name", STEPS)
def test_a_true_bound_is_not_violated_by_the_steps_own_rounding(name: str) -> None:
    above, below = of(STEPS[name], quantity <= LAST * NEAR), of(STEPS[name], quantity >= LAST / NEAR)
    assert {above.status, below.status} == ({"holds"} if name == "straight" else {"inconclusive"})
    if name != "straight":
        assert "rounding" in above.reason


@pytest.mark.parametrize("name", ["shifted", "short", "straight"])
def test_what_is_far_beyond_rounding_is_violated_all_the_same(name: str) -> None:
    assert of(STEPS[name], quantity <= LAST / 10**18).status == "violated"


def test_a_step_that_exact_numbers_follow_is_judged_by_its_formula() -> None:
    def shifted(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return (x + 1e10) * 0.9 - 0.9e10

    assert (of(shifted, quantity <= LAST).status, of(shifted, quantity <= LAST).evidence) == ("holds", "exact")
    assert of(shifted, quantity <= LAST / NEAR).status == "violated"


def tuned(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
    return np.minimum(c.amplifier * reach / 2, np.sqrt(1 + c.growth_damping * ratio) * lr)


@pytest.mark.parametrize(
    "claim_id", ["R1@explicit", "R1-attained@explicit", "R3@explicit", "R4@printed", "R5@explicit"]
)
def test_a_true_bound_of_a_rule_is_not_violated_by_its_rounding(claim_id: str) -> None:
    claim = find(f"delta_sgd/{claim_id}")
    for case in claim.cases[:2]:
        for shift, doubt in ((1e10, {"inconclusive", "holds", "inapplicable"}), (0.0, {"inconclusive", "holds"})):
            rule = StepRule("mine", lambda *given: tuned(*given) + shift - shift)  # noqa: B023 (judged at once)
            assert check_claim(replace(claim, algorithm=rule), case).status in doubt
    doubled = StepRule("mine", lambda *given: 2 * tuned(*given))
    if claim_id == "R1@explicit":
        assert check_claim(replace(claim, algorithm=doubled), claim.cases[0]).status == "violated"


def test_rounding_is_as_before_afterwards() -> None:
    assert len(rounding_modes()) == 3
    with pytest.raises(ValueError, match="mine"), rounding_mode(rounding_modes()[0]):
        raise ValueError("mine")
    assert 1 + 1e-30 == 1 == 1 - 1e-30


# A deterministic run -----------------------------------------------------------------------------------------------------

TWO = Case(QuadraticClients((1,), (0,), 2), n_rounds=1, n_local_steps=1, step_size="1/3")  # the distance is 2
ROOT, FOUR = Bound(sqrt(initial_distance), Source("t", "t")), Bound(initial_distance**2, Source("t", "t"))
OWN: Any = SimpleNamespace(name="own", own=True, of_library=True, step=lambda *given: given[0])


@dataclass(frozen=True)
class Given(DeterministicMeasure):
    """A value that is computed at the working precision."""

    value: Any
    tolerance: float = 0.0
    name: str = "given"
    dimension: Dimension = NUMBER
    precisions: list[int] = field(default_factory=list)
    read: Any = field(default_factory=dict)

    def follow(self, rule: Any, case: Case) -> tuple[Any, Any]:
        self.precisions.append(ctx.prec)
        return self.value(), self.read


def told(value: Any, bound: Bound = FOUR, rule: Any = OWN, **more: Any) -> tuple[Comparison, list[int]]:
    measure = Given(value, **more)
    return evaluate_deterministic(measure, rule, bound, TWO), measure.precisions


@pytest.mark.parametrize(("value", "status"), [(Fraction(7, 2), "holds"), (4, "holds"), (Fraction(9, 2), "violated")])
def test_a_rational_value_is_compared_at_once(value: Any, status: str) -> None:
    found, precisions = told(lambda: value)
    assert (found.status, found.measured.evidence, found.measured.value, found.limit) == (status, "exact", value, 4)
    assert precisions == [128]
    assert found.measured.note == ""


def test_precision_grows_until_the_sides_are_apart() -> None:
    found, precisions = told(lambda: arb(2).sqrt() + arb(10) ** -100, ROOT)
    assert (found.status, found.measured.evidence, precisions) == ("violated", "exact", [128, 512])
    found, precisions = told(lambda: arb(2).sqrt() - arb(10) ** -600, ROOT)
    assert (found.status, precisions) == ("holds", [128, 512, 2048])


def test_equal_irrational_sides_are_left_open_at_the_last_precision() -> None:
    found, precisions = told(lambda: arb(2).sqrt(), ROOT)
    assert (found.status, precisions) == (None, [128, 512, 2048, 8192])
    assert "balls can't prove that irrational numbers are equal" in found.measured.note
    assert told(lambda: arb(2).sqrt(), replace(ROOT, side="equal"))[0].status is None


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_sides_that_agree_to_the_tolerance_hold_numerically(factor: float) -> None:
    """Relative to the bound; to 1 where it is 0."""
    width = 1e-3 * factor

    def near() -> Any:
        return arb(4, 4 * width)

    found, precisions = told(near, tolerance=1e-3)
    if factor < 1:
        assert (found.status, found.measured.evidence, precisions) == ("holds", "numerical", [128])
    else:
        assert found.status is None
        assert len(precisions) == 4
    at_zero = Bound(initial_distance - 2, Source("t", "t"))
    assert told(lambda: arb(0, width), at_zero, tolerance=1e-3)[0].status == ("holds" if factor < 1 else None)
    assert told(lambda: arb(0, width), at_zero)[0].status is None


def test_a_run_that_is_not_precise_enough_is_repeated_with_more_digits() -> None:
    def needs(bits: int) -> Any:
        if ctx.prec < bits:
            raise ImpreciseState("more")
        return Fraction(3)

    found, precisions = told(lambda: needs(1000))
    assert (found.status, precisions) == ("holds", [128, 512, 2048])
    assert told(lambda: needs(8192))[0].status == "holds"
    with pytest.raises(ImpreciseState):
        told(lambda: needs(8193))


def test_balls_without_end_are_called_too_wide() -> None:
    found, precisions = told(lambda: arb("nan"))
    assert (found.status, found.measured.note) == (None, "the balls of the run become too wide")
    assert len(precisions) == 4
    assert told(lambda: arb("nan"), tolerance=1.0)[0].status is None


USERS = StepRule("mine", lambda lr, ratio, reach, c: lr)


@pytest.mark.parametrize(
    ("excess", "status"),
    [(0, "holds"), (1.9e-9, None), (-1.9e-9, None), (2.1e-9, "violated"), (-2.1e-9, "holds"), (0.5, "violated")],
)
def test_a_users_rule_has_a_budget_of_floats_on_both_sides(excess: float, status: Any) -> None:
    """A billionth of both sides, unless they are the same rational."""
    value = 4 + 4 * Fraction(excess)
    for bound in (FOUR, replace(FOUR, side="lower")):
        found = told(lambda: value, bound, USERS)[0]
        wanted = (
            {"holds": "violated", "violated": "holds"}.get(status, status)
            if bound.side == "lower" and excess
            else status
        )
        assert found.status == wanted
        assert found.measured.evidence == "sampled"
    assert told(lambda: value, rule=OWN)[0].status == ("violated" if excess > 0 else "holds")


MINUS_FOUR = Bound(-(initial_distance**2), Source("t", "t"))


@pytest.mark.parametrize(
    ("excess", "status"), [(1.9e-9, None), (-1.9e-9, None), (2.1e-9, "holds"), (-2.1e-9, "violated")]
)
def test_negative_sides_have_the_same_budget(excess: float, status: Any) -> None:
    value = -4 - 4 * Fraction(excess)
    assert told(lambda: value, MINUS_FOUR, USERS)[0].status == status


def test_no_users_rule_holds_by_the_tolerance_of_a_measure() -> None:
    """Its numbers are floats, so both sides agree by chance."""
    assert told(lambda: arb(4, 1e-6), tolerance=1e-3)[0].status == "holds"
    assert told(lambda: arb(4, 1e-6), rule=USERS, tolerance=1e-3)[0].status is None
    assert told(lambda: arb(-4, 1e-6), MINUS_FOUR, tolerance=1e-3)[0].status == "holds"


def test_the_difference_of_both_sides_has_no_sign() -> None:
    for value, limit in ((1, 3), (3, 1), (Fraction(-1), Fraction(1)), (arb(2), -arb(0))):
        assert deterministic._difference_ball(value, limit, 128) == 2
    found, _ = told(lambda: arb(0, 5), tolerance=1e-3)  # from -5 to 5 about 4, mostly below
    assert found.status is None


@pytest.mark.parametrize(
    ("off", "value", "status"),
    [
        (3.9e-9, Fraction(4), "holds"),  # the same rational, and rounding within the budget
        (4.1e-9, Fraction(4), None),
        (4.1e-9, 4 - Fraction(11, 10**9), None),
        (4.1e-9, 4 - Fraction(13, 10**9), "holds"),
        (0.4, Fraction(37, 10), None),
        (0.4, Fraction(35, 10), "holds"),
        (0.4, Fraction(43, 10), None),
        (0.4, Fraction(45, 10), "violated"),
        (math.inf, Fraction(1), None),
    ],
)
def test_rounding_in_a_users_rule_widens_its_value(
    monkeypatch: pytest.MonkeyPatch, off: float, value: Fraction, status: Any
) -> None:
    """What the budget of floats covers counts for nothing; the rest is added to it."""
    monkeypatch.setattr(deterministic, "is_stable_under_rounding", lambda *given: False)
    monkeypatch.setattr(deterministic, "_rounding_effect", lambda *given: off)
    found = told(lambda: value, rule=USERS)[0]
    assert found.status == status
    if status is None:
        assert (
            found.measured.note == f"rounding in its own arithmetic may move it by {off:.2g}, which floats can't follow"
        )


def test_where_rounding_changes_nothing_it_is_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deterministic, "_rounding_effect", lambda *given: pytest.fail("it is not asked"))
    monkeypatch.setattr(deterministic, "is_stable_under_rounding", lambda *given: True)
    assert told(lambda: Fraction(3), rule=USERS)[0].status == "holds"
    monkeypatch.setattr(deterministic, "is_stable_under_rounding", lambda *given: False)
    assert told(lambda: Fraction(3), rule=OWN)[0].status == "holds"


def test_a_rule_that_answers_otherwise_when_asked_again_is_refused() -> None:
    calls: list[int] = []

    def moody(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
        calls.append(1)
        return lr * len(calls)

    class Asking(Given):
        def follow(self, rule: Any, case: Case) -> tuple[Any, Any]:
            rule.step(np.ones(3), np.ones(3), np.ones(3), None)
            return Fraction(3), {}

    with pytest.raises(VariantError, match="returns different step sizes for equal arguments"):
        evaluate_deterministic(Asking(None), StepRule("mine", moody), FOUR, TWO)


def test_the_constants_of_the_run_enter_its_bound() -> None:
    bound = Bound(initial_distance + dissimilarity_sum, Source("t", "t"))
    assert told(lambda: Fraction(5), bound, read={dissimilarity_sum: Fraction(3)})[0].limit == 5
    with pytest.raises(VariantError, match="given is the float"):
        told(lambda: 3.0)
    with pytest.raises(VariantError, match="given is the float"):
        told(lambda: Fraction(5), bound, read={dissimilarity_sum: 3.0})


@pytest.mark.parametrize(
    ("sides", "moved", "shift"),
    [
        ((3, 4), (3, 4), 0.0),
        ((3, 4), (5, 4), 2.0),
        ((3, 4), (6, 8), 0.0),  # another step: both sides are twice as large
        ((3, 4), (6, 4), 3.0),
        ((3, 0), (3, 0), 0.0),
        ((3, 0), (5, -2), 4.0),
        ((3, 4), (1, 0), 6.0),
        ((-3, 4), (-1, 4), 2.0),
        ((3, 4), (math.inf, 4), math.inf),
    ],
)
def test_how_far_rounding_moves_one_side_against_the_other(
    sides: tuple[float, float], moved: tuple[float, float], shift: float
) -> None:
    assert deterministic._relative_shift(*sides, *moved) == pytest.approx(shift)


def test_the_effect_of_rounding_is_ten_times_the_largest_move(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([(arb(3.5), 4), (2, 4), (3, 4)])
    monkeypatch.setattr(deterministic, "_sides", lambda *given: next(answers))
    monkeypatch.setattr(deterministic, "rounding_modes", lambda: (1, 2, 3))
    asked: Any = (Given(None), USERS, FOUR, TWO, 3, 4)
    assert deterministic._rounding_effect(*asked) == pytest.approx(10.0)
    answers = iter([(arb(3.5), 4), (arb("nan"), 4), (3, 4)])
    assert deterministic._rounding_effect(*asked) == math.inf

    def imprecise(*given: Any) -> Any:
        raise ImpreciseState

    monkeypatch.setattr(deterministic, "_sides", imprecise)
    assert deterministic._rounding_effect(*asked) == math.inf
    monkeypatch.setattr(deterministic, "rounding_modes", tuple)
    monkeypatch.setattr(deterministic, "_sides", lambda *given: pytest.fail("there is no other mode"))
    assert deterministic._rounding_effect(*asked) == math.inf


# How much rounding moves values in floats --------------------------------------------------------------------------------


def sensitivity(
    monkeypatch: pytest.MonkeyPatch, plain: Any, *others: Any, again: Any = None, limit: float = 0.0
) -> float:
    """Of values in floats, in the other modes, and when they are repeated."""
    answers = iter(
        [None if v is None else np.array(v, dtype=float) for v in (plain, *others, plain if again is None else again)]
    )
    monkeypatch.setattr(single_path, "_float_values", lambda *given: next(answers))
    monkeypatch.setattr(single_path, "rounding_modes", lambda: tuple(range(len(others))))
    monkeypatch.setattr(single_path, "with_rounding_mode", lambda method, way: method)
    return single_path.rounding_sensitivity(LastDistance(), USERS, TWO, FOUR, limit, 0)


def test_the_sensitivity_is_ten_times_the_mean_of_the_largest_relative_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sensitivity(monkeypatch, [4.0, 4.0], [4.1, 4.0], [3.8, 4.0]) == pytest.approx(10 * (0.2 / 4) / 2)
    assert sensitivity(monkeypatch, [-4.0], [-4.1], limit=-1.0) == pytest.approx(10 * 0.1 / 5)
    assert sensitivity(monkeypatch, [0.0], [0.0]) == 0.0
    assert sensitivity(monkeypatch, [math.inf], [math.inf]) == 0.0
    assert sensitivity(monkeypatch, [0.0], [1.0]) == math.inf
    assert sensitivity(monkeypatch, [1.0], [math.nan]) == math.inf
    assert sensitivity(monkeypatch, [1.0], [1.0, 2.0]) == math.inf
    assert sensitivity(monkeypatch, [1.0], None) == math.inf
    assert sensitivity(monkeypatch, None, None) == 0.0
    assert sensitivity(monkeypatch, [1.0]) == math.inf  # no other mode: nothing is known


@pytest.mark.parametrize("again", [[2.0], [1.0 + 1e-15]])
def test_a_run_that_differs_when_it_is_repeated_is_refused(monkeypatch: pytest.MonkeyPatch, again: Any) -> None:
    with pytest.raises(VariantError, match="mine returns different results for the same arguments"):
        sensitivity(monkeypatch, [1.0], [1.0], again=again)
    assert sensitivity(monkeypatch, [math.nan], [math.nan], again=[math.nan]) == math.inf


def test_the_values_in_floats_of_each_kind_of_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    class Path(PathMeasure):
        name = "path"

    class Game(GameMeasure):
        name = "game"

        def in_floats(self, player: Any, case: Case) -> tuple[float, float]:
            return 1.0, 2.0

    class Many(Game):
        def in_floats(self, player: Any, case: Case) -> tuple[float, float]:
            raise NotEnumerable("too many")

    monkeypatch.setattr(single_path, "simulated_sides", lambda *given: np.array([given[-1], given[-2]]))
    monkeypatch.setattr(
        single_path,
        "simulate",
        lambda measure, *given: (
            np.array([3.0, given[-2]]) if isinstance(measure, GameMeasure) else np.array([[5.0, 3.0]])
        ),
    )
    values = [
        single_path._float_values(m, USERS, TWO, FOUR, 7) for m in (Path(), Game(), Many(), LastDistance(), Given(None))
    ]
    assert [None if v is None else v.tolist() for v in values] == [[8, 7], [1, 2], [3, 8], [3], None]


def test_the_middle_of_what_is_known() -> None:
    assert single_path.middle_of(Interval(1.0, 4.0)) == 2.5
    assert single_path.middle_of(Interval(1.0, math.inf)) == 1.0
    assert single_path.middle_of(Fraction(1, 2)) == 0.5
