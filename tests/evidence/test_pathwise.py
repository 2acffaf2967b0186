"""Path by path: chances are counted at a share of the error rate for each look and side, floats have a budget on both sides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq
from scipy.stats import binom

from fltheory.evidence import pathwise
from fltheory.evidence.measured import ESTIMATE_ERROR_RATE, Interval
from fltheory.evidence.pathwise import (
    Paths,
    bet_on_difference,
    check_simulated_paths,
    count_violating_paths,
    evaluate_all_paths,
    sampled_maximum,
)
from fltheory.evidence.sequential import bet_on_mean, geometric_schedule
from fltheory.evidence.verdict import Comparison
from fltheory.model.bound import Bound, Dimension, Source
from fltheory.model.case import Case
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.measures import ENERGY, GameMeasure, LastGap, PathMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.symbols import dissimilarity_sum, max_singleton

HERE = Source("test", "test")
TWO = SubmodularClients((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1), (4, 1))
CASE = Case(TWO, n_rounds=1, server_step_size=1, failure_probability="1/5")
ONE = Bound(max_singleton * Fraction(5, 4), HERE)  # the constant 1
LETTER = Bound(dissimilarity_sum, HERE)
PLAYER: Any = SimpleNamespace(name="mine", anonymous=True, own=False)


@dataclass(frozen=True)
class Tabled(PathMeasure):
    """The first coordinate of the last point; the letter is the second."""

    most: Any = None
    unsure: float = 0.0
    random: bool = True
    known: tuple[float, float] | None = (-1.0, 1.0)
    name: str = "tabled"
    dimension: Dimension = ENERGY
    letters: tuple[Any, ...] = (dissimilarity_sum,)

    def is_random(self, case: Case) -> bool:
        return self.random

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        return states[:, -1, :1]

    def read(self, states: np.ndarray, case: Case) -> dict[Any, np.ndarray]:
        return {dissimilarity_sum: states[:, -1, 1]}

    def trivial(self, case: Case) -> Any:
        return self.most

    def span(self, case: Case) -> tuple[float, float] | None:
        return self.known

    def uncertainty(self, case: Case) -> float:
        return self.unsure


def states(left: Any, letter: Any) -> np.ndarray:
    return np.stack([np.asarray(left), np.asarray(letter)], axis=1)[:, None, :]


def simulated(monkeypatch: pytest.MonkeyPatch, left: Any, letter: Any) -> None:
    """Runs are the rows of a table, in two blocks."""
    table = states(np.array(left, dtype=float), np.array(letter, dtype=float))

    def blocks(algorithm: Any, case: Any, n: int, seed: int, first: int = 0) -> Iterator[np.ndarray]:
        yield from (part for part in np.array_split(table[first : first + n], 2) if len(part))

    monkeypatch.setattr(pathwise, "state_blocks", blocks)


# Both sides of a path ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trivial", [None, 3])
@pytest.mark.parametrize("unsure", [0.0, 1e-3])
@pytest.mark.parametrize("exact", [False, True])
def test_the_budget_of_a_path(trivial: Any, unsure: float, exact: bool) -> None:
    """A billionth of both sides and of the trivial bound in floats, a tenth of that in rationals, and what is unsure."""
    left, letter = [Fraction(-1, 2), Fraction(1, 4), Fraction(0)], [Fraction(1), Fraction(2), Fraction(0)]
    kind = (lambda v: fmpq(v.numerator, v.denominator)) if exact else float
    table = states(
        np.array([kind(v) for v in left], dtype=object if exact else float),
        np.array([kind(v) for v in letter], dtype=object if exact else float),
    )
    bound = Bound(max_singleton / 4 + dissimilarity_sum, HERE)
    found = pathwise._paths(Tabled(trivial, unsure), bound, CASE, table, None)
    size = [abs(v) + Fraction(1, 5) + s + (trivial or 0) for v, s in zip(left, letter, strict=True)]
    rate = 1e-10 if exact else 1e-9
    assert found.budget == pytest.approx([float(v) * rate + unsure for v in size], rel=1e-9)
    assert found.left == pytest.approx([float(v) for v in left])
    assert found.limit == pytest.approx([0.2 + float(v) for v in letter])
    if exact:
        assert [found.exact(i) for i in range(3)] == [
            (v, s + Fraction(1, 5)) for v, s in zip(left, letter, strict=True)
        ]


def test_the_radius_of_balls_belongs_to_the_budget() -> None:
    for left, letter in ((arb(1, 0.25), fmpq(2)), (fmpq(1), arb(2, 0.25)), (arb(1, 0.125), arb(2, 0.125))):
        table = np.empty((1, 1, 2), dtype=object)
        table[0, 0] = [left, letter]
        found = pathwise._paths(Tabled(), LETTER, CASE, table, None)
        assert 0.25 <= found.budget[0] <= 0.26
        assert found.states("upper")[0] == 0


@pytest.mark.parametrize("place", [0, 1])
def test_a_path_of_nan_is_a_broken_variant(place: int) -> None:
    table = states([0.5, 0.5], [1.0, 1.0])
    table[1, 0, place] = math.nan
    with pytest.raises(VariantError, match="the measure of a run is NaN"):
        pathwise._paths(Tabled(), LETTER, CASE, table, None)


@pytest.mark.parametrize("low", ["wider below", "wider above"])
def test_constants_known_as_balls_widen_a_limit(low: str) -> None:
    """Twice the larger deviation of the ends; a decreasing function has its larger one at the lower end."""
    expr = 1 / max_singleton if low == "wider below" else max_singleton**2
    case: Any = SimpleNamespace(constants={max_singleton: arb(2, 0.5)})
    middle, unsure = pathwise._path_limits(Bound(expr, HERE), case, {}, 3)
    assert middle == pytest.approx([0.5] * 3 if low == "wider below" else [4.0] * 3)
    assert unsure == pytest.approx([2 * (1 / 1.5 - 0.5)] * 3 if low == "wider below" else [2 * 2.25] * 3, rel=1e-6)
    plain: Any = SimpleNamespace(constants={max_singleton: Fraction(1, 3)})
    middle, unsure = pathwise._path_limits(
        Bound(max_singleton + dissimilarity_sum, HERE), plain, {dissimilarity_sum: np.arange(3)}, 3
    )
    assert middle == pytest.approx([1 / 3, 4 / 3, 7 / 3])
    assert (unsure == 0).all()


def test_the_larger_deviation_of_a_limit_may_be_downwards() -> None:
    """Of a concave function, increasing or decreasing, the lower values are farther away."""
    case: Any = SimpleNamespace(constants={max_singleton: arb(2, 0.5)})
    for expr, worst in ((sympy.sqrt(max_singleton), 1.5), (-(max_singleton**2), 2.5)):
        middle, unsure = pathwise._path_limits(Bound(expr, HERE), case, {}, 1)
        off = abs(float(expr.subs(max_singleton, worst)) - float(expr.subs(max_singleton, 2)))
        assert middle == pytest.approx([float(expr.subs(max_singleton, 2))])
        assert unsure == pytest.approx([2 * off], rel=1e-6)


def test_a_constant_known_as_a_ball_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as an optimum that a solver has found."""
    table = states([1.0], [2.0])
    exactly = np.empty(table.shape, dtype=object)
    exactly.flat[:] = [fmpq(int(v)) for v in table.flat]
    monkeypatch.setattr(pathwise, "exact_runs", lambda algorithm, case, most: (exactly, [fmpq(1)]))
    for known, evidence in ((Fraction(1, 3), "exact"), (arb(1), "numerical")):
        own = SimpleNamespace(dim=2, constants={max_singleton: known})
        case: Any = SimpleNamespace(instance=own, constants=own.constants)
        for mode in ("surely", "in expectation"):
            found = evaluate_all_paths(Tabled(), PLAYER, LETTER, case, mode, None)
            assert (found.status, found.measured.evidence) == ("holds", evidence)


def test_a_path_is_violated_beyond_its_budget_kept_below_it_and_open_between() -> None:
    gap = np.array([0.2, 0.1, 0.05, 0.0, -0.05, -0.1, -0.2])
    paths = Paths(None, 1 + gap, np.ones(7), lambda i: (0, 0), np.full(7, 0.1 + 1e-12))
    assert paths.states("upper").tolist() == [1, -1, -1, -1, -1, -1, 0]
    assert paths.states("lower").tolist() == [0, -1, -1, -1, -1, -1, 1]
    edge = Paths(None, np.array([1.5, 0.5]), np.ones(2), lambda i: (0, 0), np.full(2, 0.5))
    assert edge.states("upper").tolist() == [-1, -1]


def test_open_paths_of_an_enumeration_are_compared_exactly() -> None:
    asked: list[int] = []
    sides = [
        (Fraction(1), Fraction(1)),
        (Fraction(2), Fraction(1)),
        (arb(1, 1), Fraction(1)),
        (Fraction(0), Fraction(1)),
    ]

    def exact(i: int) -> tuple[Any, Any]:
        asked.append(i)
        return sides[i]

    paths = Paths([fmpq(1, 4)] * 4, np.array([1.0, 1.0, 1.0, 0.0]), np.ones(4), exact, np.full(4, 0.1))
    assert paths.states("upper").tolist() == [0, 1, -1, 0]
    assert asked == [0, 1, 2]
    assert paths.states("lower").tolist() == [0, 0, -1, 1]


def test_ratios_to_a_limit_of_zero_count_by_sign() -> None:
    left, limit = np.array([3.0, 0.5, 0.1, -2.0, 0.2]), np.array([2.0, 0.0, 0.0, 0.0, 0.0])
    paths = Paths(None, left, limit, lambda i: (0, 0), np.full(5, 0.2))
    assert paths.ratios.tolist() == [1.5, math.inf, 0.0, 0.0, 0.0]
    assert pathwise._tightness_ratios(paths, ONE).tolist() == paths.ratios.tolist()
    below = Bound(max_singleton, HERE, side="lower")
    turned = Paths(
        None, np.array([2.0, 0.0, 0.0, 0.0]), np.array([3.0, 0.5, 0.1, 0.2]), lambda i: (0, 0), np.full(4, 0.2)
    )
    assert pathwise._tightness_ratios(turned, below).tolist() == [1.5, math.inf, 0.0, 0.0]


# All paths ---------------------------------------------------------------------------------------------------------------


def enumerated(
    monkeypatch: pytest.MonkeyPatch,
    rows: list[tuple[Any, Any, Any]],
    mode: str,
    failure: Any = None,
    bound: Bound = LETTER,
) -> Comparison:
    """What is decided from paths with their chances, measured sides and letters."""
    table = np.empty((len(rows), 1, 2), dtype=object)
    for i, (_, left, letter) in enumerate(rows):
        table[i, 0] = [fmpq(Fraction(v).numerator, Fraction(v).denominator) for v in (left, letter)]
    weights = [fmpq(Fraction(w).numerator, Fraction(w).denominator) for w, _, _ in rows]
    monkeypatch.setattr(pathwise, "exact_runs", lambda algorithm, case, most: (table, weights))
    return evaluate_all_paths(Tabled(), PLAYER, bound, CASE, mode, failure)


ROWS = [("1/2", 1, 2), ("1/4", 3, 2), ("1/8", 4, 2), ("1/8", 2, 2)]  # the third and the second are broken: 3/8


@pytest.mark.parametrize("excess", [Fraction(-1, 10**30), Fraction(0), Fraction(1, 10**30)])
def test_the_broken_paths_have_just_the_allowed_chance(monkeypatch: pytest.MonkeyPatch, excess: Fraction) -> None:
    found = enumerated(monkeypatch, ROWS, "with probability", Fraction(3, 8) + excess)
    assert found.status == ("violated" if excess < 0 else "holds")
    assert found.measured.evidence == "exact"


@pytest.mark.parametrize(
    ("allowed", "value"),
    [("1/16", 4), ("1/8", 4), ("3/16", 3), ("1/4", 3), ("3/8", 2), ("1/2", 1), ("3/4", 1), ("9/10", 1)],
)
def test_the_path_that_is_shown_is_the_first_beyond_the_allowed_chance(
    monkeypatch: pytest.MonkeyPatch, allowed: str, value: int
) -> None:
    found = enumerated(monkeypatch, ROWS, "with probability", Fraction(allowed))
    assert (found.measured.value, found.limit) == (value, 2)


def test_the_quantile_of_a_violation_counts_a_chance_that_is_just_reached() -> None:
    ratios, weights = np.array([1.0, 3.0, 2.0]), [fmpq(1, 2), fmpq(1, 4), fmpq(1, 4)]
    for allowed, status, path in (
        (0.25, "holds", 2),
        (0.25, "violated", 1),
        (0.25, None, 2),
        (0.5, "holds", 0),
        (0.5, "violated", 2),
        (1.0, "holds", 0),
        (1.0, "violated", 0),
        (0.2, "holds", 1),
    ):
        assert pathwise._quantile(ratios, weights, allowed, status) == path  # type: ignore[arg-type]


def test_open_paths_leave_a_chance_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they could turn the answer: broken ones alone decide against it, all of them together for it."""
    told = np.array([0, 1, -1, 0])
    monkeypatch.setattr(Paths, "states", lambda self, side: told)
    for allowed, status in (("1/5", "violated"), ("1/4", None), ("3/10", None), ("3/8", "holds"), ("1/2", "holds")):
        assert enumerated(monkeypatch, ROWS, "with probability", Fraction(allowed)).status == status


@pytest.mark.parametrize(
    ("told", "status"),
    [([0, 0], "holds"), ([0, -1], None), ([1, -1], "violated"), ([0, 1], "violated"), ([-1, -1], None)],
)
def test_surely_is_of_all_paths(told: list[int], status: Any) -> None:
    assert pathwise._status_of_all(np.array(told)) == status


def test_surely_shows_the_tightest_path(monkeypatch: pytest.MonkeyPatch) -> None:
    found = enumerated(monkeypatch, [("1/2", 3, 4), ("1/4", 5, 6), ("1/4", 1, 2)], "surely")
    assert (found.status, found.measured.value, found.limit) == ("holds", 5, 6)
    below = Bound(dissimilarity_sum, HERE, side="lower")
    found = enumerated(monkeypatch, [("1/2", 4, 3), ("1/4", 6, 5), ("1/4", 2, 1)], "surely", bound=below)
    assert (found.status, found.measured.value, found.limit) == ("holds", 6, 5)


def test_in_expectation_both_sides_are_weighted(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("1/2", 1, 0), ("1/4", 3, 4), ("1/4", 5, 8)]  # means 5/2 and 3
    found = enumerated(monkeypatch, rows, "in expectation")
    assert (found.status, found.measured.value, found.limit) == ("holds", Fraction(5, 2), 3)
    assert (
        enumerated(monkeypatch, rows, "in expectation", bound=Bound(dissimilarity_sum * Fraction(4, 5), HERE)).status
        == "violated"
    )
    with pytest.raises(ValueError, match="is not affine in"):
        enumerated(monkeypatch, rows, "in expectation", bound=Bound(dissimilarity_sum**2, HERE))


def test_letters_may_not_be_multiplied() -> None:
    from fltheory.symbols import noise_std

    both = Bound(dissimilarity_sum * noise_std, HERE)
    with pytest.raises(ValueError, match="not affine"):
        pathwise._require_affine(both, (dissimilarity_sum, noise_std))
    pathwise._require_affine(both, (dissimilarity_sum,))
    pathwise._require_affine(Bound(dissimilarity_sum + noise_std, HERE), (dissimilarity_sum, noise_std))


def test_irrational_bounds_are_narrow_balls() -> None:
    from sympy import sqrt

    found = pathwise._bound_value(Bound(sqrt(max_singleton), HERE), CASE.constants)
    with ctx.workprec(300):
        assert abs(found**2 - arb(4) / 5) < 1e-27
    assert found.rel_accuracy_bits() >= 90
    assert pathwise._bound_value(Bound(max_singleton, HERE), CASE.constants) == Fraction(4, 5)


def test_an_irrational_bound_is_computed_to_a_hundred_bits_if_a_thousand_suffice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from sympy import sqrt

    seen: list[int] = []

    def computed(width: float) -> arb:
        monkeypatch.setattr(pathwise, "evaluate_ball", lambda *given: seen.append(ctx.prec) or arb(1, width))
        seen.clear()
        return pathwise._bound_value(Bound(sqrt(max_singleton), HERE), CASE.constants)

    for power in range(90, 110):
        accurate = computed(2.0**-power).rel_accuracy_bits() >= 100
        assert seen == ([256] if accurate else [256, 512, 1024])


# Simulated paths ---------------------------------------------------------------------------------------------------------


def test_all_simulated_paths_decide_surely_with_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    for left, status in (([1.0, 1.5], "holds"), ([1.0, 2.5], "violated"), ([1.0, 2.0], None), ([2.0, 2.5], "violated")):
        simulated(monkeypatch, left, [2.0, 2.0])
        found = check_simulated_paths(Tabled(), PLAYER, LETTER, CASE, 0, 2)
        assert (found.status, found.measured.evidence, found.measured.n_seeds) == (status, "sampled", 2)
        worst, budget = max(left), (max(left) + 2.0) * 1e-9
        assert found.measured.value == (
            pytest.approx(worst - budget, rel=1e-12),
            pytest.approx(worst + budget, rel=1e-12),
        )
        assert found.measured.value.low < worst < found.measured.value.high


@pytest.mark.parametrize(
    ("anonymous", "random", "n"), [(True, True, 9), (False, False, 9), (True, False, 4), (False, True, 9)]
)
def test_a_run_without_chance_is_repeated_a_few_times(
    monkeypatch: pytest.MonkeyPatch, anonymous: bool, random: bool, n: int
) -> None:
    simulated(monkeypatch, [1.0] * 9, [2.0] * 9)
    player: Any = SimpleNamespace(name="mine", anonymous=anonymous)
    assert check_simulated_paths(Tabled(random=random), player, LETTER, CASE, 0, 9).measured.n_seeds == n


def by_tails(broken: int, most: int, n: int, allowed: float, rate: float) -> str | None:
    """Violated if so many broken paths are too improbable at the allowed chance, holding if so few are."""
    if binom.sf(broken - 1, n, allowed) < rate:
        return "violated"
    return "holds" if binom.cdf(most, n, allowed) <= rate else None


@pytest.mark.parametrize("stages", [(30,), (40, 320), (20, 90)])
@pytest.mark.parametrize("rate", [0.2, 1e-3])
def test_chances_are_counted_at_a_share_of_the_rate_for_each_look_and_side(
    monkeypatch: pytest.MonkeyPatch, stages: tuple[int, ...], rate: float
) -> None:
    looks, allowed = geometric_schedule(stages, 2, 10), Fraction(1, 4)
    share = rate / len(looks) / 2
    seen = set()
    for seed in range(12):
        random = np.random.default_rng(seed)
        left = 1.0 + (random.random(stages[-1]) < (0.02, 0.1, 0.25, 0.32, 0.5, 0.8)[seed % 6])
        left[random.random(stages[-1]) < 0.05] = 1.5  # open: within their budget
        simulated(monkeypatch, left, np.full(len(left), 1.5))
        found = count_violating_paths(Tabled(), PLAYER, LETTER, CASE, allowed, rate, 0, stages)
        wanted, n = None, 0
        for n in looks:
            broken, open_ = int((left[:n] == 2).sum()), int((left[:n] == 1.5).sum())
            wanted = by_tails(broken, broken + open_, n, 0.25, share)
            if wanted:
                break
        assert (found.status, found.measured.n_seeds, found.measured.error_rate) == (wanted, n, rate)
        seen.add(wanted)
    assert len(seen) >= 2


@pytest.mark.parametrize("side", ["broken", "kept"])
def test_a_count_between_the_whole_rate_and_its_share_decides_nothing(
    monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    """Of one look: its tail is less than the rate and more than a half of it."""
    n, allowed = 10, Fraction(1, 2)
    for k in range(n + 1):
        tail = binom.sf(k - 1, n, 0.5) if side == "broken" else binom.cdf(k, n, 0.5)
        if tail > 0.4:
            continue
        left = np.where(np.arange(n) < k, 2.0, 0.0)
        simulated(monkeypatch, left, np.ones(n))
        status = "violated" if side == "broken" else "holds"
        monkeypatch.setattr(pathwise, "geometric_schedule", lambda *given: (10,))
        for factor, told in ((1.5, None), (1.9, None), (2.1, status)):
            found = count_violating_paths(Tabled(), PLAYER, LETTER, CASE, allowed, float(tail) * factor, 0, (n, n))
            assert found.status == told
        monkeypatch.undo()


@pytest.mark.parametrize("n_looks", [2, 3, 5])
@pytest.mark.parametrize("k", [7, 8, 9, 10])
def test_each_look_that_is_planned_has_its_share(monkeypatch: pytest.MonkeyPatch, n_looks: int, k: int) -> None:
    """The last runs are broken, and only the last look could tell: at just its share of the rate it does."""
    monkeypatch.setattr(pathwise, "geometric_schedule", lambda *given: tuple(range(11 - n_looks, 11)))
    simulated(monkeypatch, np.where(np.arange(10) >= 10 - k, 2.0, 0.0), np.ones(10))
    whole = float(binom.sf(k - 1, 10, 0.5)) * 2 * n_looks
    for factor, status in ((0.99, None), (1.01, "violated")):
        found = count_violating_paths(Tabled(), PLAYER, LETTER, CASE, Fraction(1, 2), whole * factor, 0, (10,))
        assert found.status == status


def test_chances_of_nothing_and_of_everything() -> None:
    """No broken path is no violation of a chance of 0, and all broken ones keep a chance of 1."""
    told = pathwise._status_by_counts
    assert told(0, 0, 9, 0.0, 0.1) is None
    assert told(1, 0, 9, 0.0, 0.1) == "violated"
    assert told(9, 0, 9, 1.0, 0.1) == "holds"
    assert told(0, 9, 9, 1.0, 0.1) == "holds"
    assert told(0, 9, 9, 0.9, 0.1) is None
    assert told(0, 0, 90, 0.5, 0.1) == "holds"


def crossing(allowed: float, rate: float, stages: tuple[int, ...], status: str) -> float:
    """The chance that the rule is ever wrong, by all courses of counts at the looks."""
    looks = geometric_schedule(stages, 2, 10)
    going, wrong, before = {0: 1.0}, 0.0, 0
    for n in looks:
        more = binom.pmf(np.arange(n - before + 1), n - before, allowed)
        step: dict[int, float] = {}
        for k, p in going.items():
            for extra, q in enumerate(more):
                step[k + extra] = step.get(k + extra, 0.0) + p * float(q)
        going, before = {}, n
        for k, p in step.items():
            told = pathwise._status_by_counts(k, 0, n, allowed, rate / len(looks) / 2)
            wrong += p * (told == status)
            if told is None:
                going[k] = p
    return wrong


@pytest.mark.parametrize("allowed", [0.05, 0.3])
def test_the_chance_of_a_wrong_status_over_all_looks_is_at_most_the_rate(allowed: float) -> None:
    for rate in (0.2, 0.02):
        wrong = [crossing(allowed, rate, (40, 120), status) for status in ("violated", "holds")]
        assert sum(wrong) <= rate
        assert max(wrong) > 0


def test_the_interval_of_a_quantile_is_between_ranks_and_has_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    values, rate, allowed = np.random.default_rng(3).permutation(np.arange(1.0, 101.0)), 0.02, 0.3
    simulated(monkeypatch, values, np.full(100, 70.05))
    monkeypatch.setattr(pathwise, "geometric_schedule", lambda *given: (100,))
    found = count_violating_paths(Tabled(), PLAYER, LETTER, CASE, Fraction(3, 10), rate, 0, (100,))
    falling = -np.sort(-values)
    above = max(k for k in range(101) if binom.cdf(k, 100, allowed) <= rate / 2)
    below = min(k for k in range(101) if binom.sf(k - 1, 100, allowed) < rate / 2)
    budget = (falling[above] + 70.05) * 1e-9
    assert found.measured.value == (
        pytest.approx(falling[below] - budget, rel=1e-13),
        pytest.approx(falling[above] + budget, rel=1e-13),
    )
    assert found.measured.value.high > falling[above]
    assert found.measured.value.low < falling[below]
    assert found.measured.estimate == falling[30]
    assert found.limit == 70.05


def test_the_quantile_that_is_shown_is_of_the_runs_that_suffice_at_the_common_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = (20, 40, 80, 160)
    values = np.random.default_rng(4).permutation(np.arange(1.0, 161.0))
    simulated(monkeypatch, values, np.full(160, 0.5))  # all are broken
    monkeypatch.setattr(pathwise, "geometric_schedule", lambda *given: looks)
    share = ESTIMATE_ERROR_RATE / len(looks) / 2
    enough = next(n for n in looks if by_tails(n, n, n, 0.5, share) == "violated")
    assert enough == 40
    for rate, n_seeds, used in ((1e-6, 40, 40), (1e-20, 80, 40), (0.5, 20, 20)):
        found = count_violating_paths(Tabled(), PLAYER, LETTER, CASE, Fraction(1, 2), rate, 0, (160,))
        assert (found.status, found.measured.n_seeds) == ("violated", n_seeds)
        assert found.measured.estimate == -np.sort(-values[:used])[used // 2]
    simulated(monkeypatch, np.where(values <= 80, 1.0, 0.25) + values / 1e4, np.full(160, 0.5))
    open_ = count_violating_paths(Tabled(), PLAYER, LETTER, CASE, Fraction(1, 2), 1e-6, 0, (160,))
    assert (open_.status, open_.measured.n_seeds) == (None, 160)
    assert open_.measured.estimate == pytest.approx(0.25 + 160 / 1e4)
    least = np.where(values <= 80, 1.0, 0.25)[:20] + values[:20] / 1e4
    always = count_violating_paths(Tabled(), PLAYER, LETTER, CASE, Fraction(1), 1e-6, 0, (160,))
    assert (always.status, always.measured.estimate) == ("holds", pytest.approx(least.min()))


def test_quantiles_are_in_units_of_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths have limits of their own: a value counts by its ratio."""
    left, limit = np.array([6.0, 1.0, 5.0]), np.array([4.0, 2.0, 0.0])
    paths = Paths(None, left, limit, lambda i: (0, 0), np.array([0.125, 0.25, 0.5]))
    found, shown = pathwise._interval_measurement(paths, paths.ratios, np.array([0, 1]), "statistical", 0.1, 3)
    assert shown == 2.0
    assert found.value == (1.0 - 0.25, 3.0 + 0.25)
    assert found.estimate is None
    found, shown = pathwise._interval_measurement(paths, paths.ratios, np.array([1, 2]), "statistical", 0.1, 3, 0)
    assert shown == 4.0
    assert found.value == (2.0 - 0.5, 5.0 + 0.5)
    assert found.estimate == 6.0


# Bets --------------------------------------------------------------------------------------------------------------------


def test_a_bet_is_on_the_difference_of_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the measured side and the letter's part; the fixed part stays as the limit."""
    random = np.random.default_rng(2)
    left, letter = random.random(200), random.random(200) * 0.4
    bound = Bound(max_singleton / 4 + dissimilarity_sum / 2, HERE)
    simulated(monkeypatch, left, letter)
    found = bet_on_difference(Tabled(), PLAYER, bound, CASE, 0.1, 0, (40, 200))
    looks = geometric_schedule((40, 200), 2, 10)
    differences = left - letter / 2
    budgets = (left + 0.2 + letter / 2) * 1e-9
    ends = [0, *looks]

    def draw(first: int, last: int) -> tuple[np.ndarray, float]:
        assert (first, last) in pairwise(ends)
        return differences[first:last], float(budgets[first:last].max())

    same = bet_on_mean(draw, ("a", "b"), Interval(-1.0, 1.0), 0.2, lambda f: not f.low <= 0.2 <= f.high, 0.1, looks)
    assert found.measured.value == pytest.approx(same.value, abs=1e-12)
    assert found.measured.n_seeds == same.n_seeds
    assert (found.status, float(found.limit)) == ("violated", pytest.approx(0.2))
    with pytest.raises(NotEnumerable, match="the mean of tabled can't be computed"):
        bet_on_difference(Tabled(known=None), PLAYER, bound, CASE, 0.1, 0, (40, 200))
    with pytest.raises(ValueError, match="not affine"):
        bet_on_difference(Tabled(), PLAYER, Bound(dissimilarity_sum**2, HERE), CASE, 0.1, 0, (40, 200))


def test_a_mean_of_just_the_bound_is_called_violated_no_more_often_than_stated() -> None:
    """The bound takes its letter from each run, and both sides have the same mean."""
    rate, trials, wrong = 0.2, 20, 0
    for seed in range(trials):
        random = np.random.default_rng(seed)
        with pytest.MonkeyPatch.context() as patch:
            simulated(patch, random.integers(0, 2, 120), random.integers(0, 2, 120))
            found = bet_on_difference(Tabled(), PLAYER, LETTER, CASE, rate, 0, (40, 120))
        wrong += found.status is not None and not found.measured.value.low <= 0 <= found.measured.value.high
    assert wrong <= rate * trials


# The largest of simulated values -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Game(GameMeasure):
    """Games of given values."""

    table: tuple[float, ...] = (1.0,)
    most: Any = None
    off: float = 0.0
    random: bool = True
    has_lower_limit = False
    name: str = "game"
    dimension: Dimension = ENERGY

    def is_random(self, case: Case) -> bool:
        return self.random

    def trivial(self, case: Case) -> Any:
        return self.most

    def float_error(self, case: Case) -> float:
        return self.off

    def simulate(self, player: Any, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        return np.array([self.table[i % len(self.table)] for i in repetitions])


class Floored(Game):
    has_lower_limit = True


@pytest.mark.parametrize("most", [None, Fraction(1, 2), Fraction(50)])
@pytest.mark.parametrize("off", [0.0, 1e-3])
@pytest.mark.parametrize("table", [(1.0, 3.0, 2.0), (-3.0, -2.0)])
def test_the_largest_of_games_has_a_budget_of_a_billionth_and_its_own(most: Any, off: float, table: Any) -> None:
    """Relative to its size, or to that of the trivial bound, of which it is a difference."""
    found = sampled_maximum(Game(table, most, off), PLAYER, CASE, n=10)
    worst = max(table)
    budget = 1e-9 * max(abs(worst), float(most or 0)) + off
    assert worst - found.value.low == pytest.approx(budget, rel=1e-6)
    assert found.value.high - worst == pytest.approx(budget, rel=1e-6)
    assert (found.n_seeds, found.evidence) == (10, "sampled")


def test_the_trivial_bound_of_a_run_is_no_term_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pathwise, "simulate", lambda *given: np.array([[1.0], [2.0]]))

    class Large(LastGap):
        def trivial(self, case: Case) -> Any:
            return 1000

    found = sampled_maximum(Large(), PLAYER, CASE, n=2)
    assert found.value == (pytest.approx(2 - 2e-9, rel=1e-15), pytest.approx(2 + 2e-9, rel=1e-15))


@pytest.mark.parametrize(
    ("measure", "own", "above"), [(Game(), False, True), (Floored(), False, False), (Floored(), True, True)]
)
def test_games_that_bound_a_users_player_from_below_have_no_upper_end(measure: Game, own: bool, above: bool) -> None:
    player: Any = SimpleNamespace(name="mine", own=own)
    assert math.isfinite(sampled_maximum(measure, player, CASE, n=2).value.high) == above


def test_a_game_without_chance_is_played_twice_and_must_be_the_same() -> None:
    played: list[int] = []

    class Moody(Game):
        def simulate(self, player: Any, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
            played.append(len(repetitions))
            return np.full(len(repetitions), float(len(played)))

    with pytest.raises(VariantError, match="mine plays the same game differently when it is repeated"):
        sampled_maximum(Moody(random=False), PLAYER, CASE, n=10)
    assert played == [1, 1]
    own: Any = SimpleNamespace(name="mine", own=True)
    assert sampled_maximum(Moody(random=False), own, CASE, n=10).n_seeds == 1
    assert sampled_maximum(Moody(), PLAYER, CASE, n=10).n_seeds == 10
    assert sampled_maximum(Game(random=False), PLAYER, CASE, n=10).n_seeds == 1
    with pytest.raises(VariantError, match="mine: the measure of a run is NaN"):
        sampled_maximum(Game((math.nan,)), PLAYER, CASE, n=3)
