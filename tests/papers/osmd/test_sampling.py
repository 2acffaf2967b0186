"""One round of client sampling and its lemmas: mutants, and the laws by other means."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.model.schema import Table, Vector
from fltheory.number import Number, to_ball
from fltheory.papers.osmd.algorithms.draws import estimator_weights, without_replacement_weights
from fltheory.papers.osmd.algorithms.mirror import mirror_step_printed, project
from fltheory.papers.osmd.experts import claims
from fltheory.papers.osmd.experts.closed_forms.grid import Blocks
from fltheory.papers.osmd.mirror import claims as lemmas
from fltheory.papers.osmd.mirror.cases import Bilevel, Curved, FiniteVariable, Summands, TwoParts
from fltheory.papers.osmd.notation import B, G, K, M, T, alpha, beta
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.papers.osmd.sampling.cases.comparators import Walk
from fltheory.papers.osmd.sampling.cases.estimators import (
    Available,
    Comparator,
    Gradients,
    Growth,
    Losses,
    Moved,
    OneStep,
    Pretrained,
    Projected,
    StepBeside,
    Triple,
    Updates,
    floored_shares,
    shares,
)
from fltheory.papers.osmd.sampling.claims import estimators, projected, without_replacement
from fltheory.papers.osmd.sgd import bounds

CLAIMS = (*estimators.CLAIMS, *without_replacement.CLAIMS, *lemmas.CLAIMS, *claims.SUM_OF_BLOCKS, *projected.PROJECTED)
BY_ID = {c.id.removeprefix("osmd/"): c for c in CLAIMS}


# Mutants of the formulas: each breaks the statement that rests on it ----------------------------------------------------


def _violated(name: str, *cases: Case) -> bool:
    claim = BY_ID[name]
    return any(check_claim(claim, case).status == "violated" for case in cases or claim.cases)


def test_an_estimator_without_its_weights_is_biased(monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(x: Table, p: Vector, counts: tuple[int, ...]) -> Vector:
        return law.total([tuple(v * k / Fraction(sum(counts)) for v in row) for row, k in zip(x, counts, strict=True)])

    monkeypatch.setattr(law, "estimator", plain)
    assert _violated("C-2@printed")
    assert _violated("C-3@printed")


def test_a_gradient_with_one_power_of_q_less_is_biased(monkeypatch: pytest.MonkeyPatch) -> None:
    right = law.estimated_gradient

    def mutant(a: Vector, q: Vector, p: Vector, counts: tuple[int, ...]) -> Vector:
        return tuple(g * w for g, w in zip(right(a, q, p, counts), q, strict=True))

    monkeypatch.setattr(law, "estimated_gradient", mutant)
    assert _violated("C-7@printed")
    assert _violated("C-7-convex@explicit")


def test_without_replacement_the_earlier_clients_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def mutant(
        x: Table, p: Vector, order: tuple[int, ...]
    ) -> Vector:  # forgets that the probabilities are among those left
        parts = [law.total([tuple(v / p[m] for v in x[m]), *(x[i] for i in order[:k])]) for k, m in enumerate(order)]
        return tuple(v / Fraction(len(order)) for v in law.total(parts))

    monkeypatch.setattr(law, "estimator_unreplaced", mutant)
    assert _violated("C-P11-mean@printed")
    assert _violated("C-P11-formula@explicit")


def _mixed(y: Sequence[Number], floor: Fraction) -> Vector:
    """In the floored simplex, but not the projection."""
    return floored_shares(y, floor)


def test_mixing_with_uniform_is_no_projection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "project_exactly", _mixed)
    assert _violated("C-48@printed")
    assert _violated("C-P12-root@strengthened")
    assert _violated("L14@printed", *(Case(Losses((9, 1, 2), m, "1/2")) for m in ((1, 0, 0), (0, 1, 0), (0, 0, 1))))
    monkeypatch.setattr(law, "algorithm_2", lambda y, floor, by_index=False: _mixed(y, floor))
    assert _violated("C-P12@printed")
    assert _violated("L19@printed", *(Case(Projected((1, 9, 2), "1/2", m)) for m in ((1, 0, 0), (0, 1, 0), (0, 0, 1))))


def test_a_point_without_its_floor_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "floored_point", lambda q, a: tuple(q))
    assert _violated("C-53@printed")


@pytest.mark.parametrize(
    ("name", "functional"),
    [
        ("C-19-psi@printed", "below_floor"),
        ("C-19-omega@printed", "part_above_floor"),
        ("C-19-phi@printed", "loss_of_moving"),
        ("C-19-zero@corrected", "part_above_floor"),
    ],
)
def test_the_functionals_are_compared_with_zero(name: str, functional: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(law, functional)
    monkeypatch.setattr(law, functional, lambda q, a: right(q, a) - Fraction(1, 1000))
    assert _violated(name, Case(Comparator((1, 1), "1/3")), Case(Comparator((1, 1), 0)))


def test_counting_once_is_not_counting_every_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    right = law.mean_counting_once
    monkeypatch.setattr(law, "mean_counting_once", lambda x, p, n: law.total(x))
    assert _violated("C-2-script-mean@explicit")
    assert check_claim(BY_ID["C-2-script@corrected"], estimators.PLAIN).status == "inapplicable"  # two draws
    monkeypatch.setattr(law, "mean_counting_once", right)
    monkeypatch.setattr(law, "estimator_once", law.estimator)
    assert _violated("C-2-script-mean@explicit")
    assert not _violated("C-2-script@strict")


def test_what_is_away_must_be_rescaled(monkeypatch: pytest.MonkeyPatch) -> None:
    def unscaled(x: Table, p: Vector, counts: tuple[int, ...]) -> Vector:
        return law.estimator(x, tuple(Fraction(1, len(p)) for _ in p), counts)

    with monkeypatch.context() as patch:
        patch.setattr(law, "estimator_available", unscaled)
        assert _violated("C-D2-mean@explicit")
        assert _violated("C-D2-variance@explicit")
    low = Case(Available((2, 1, -1), (1, 8, 2), 1, (), (), (1, 1, 0), "1/10"))

    def squared(p: Vector, active: Sequence[object]) -> Vector:  # clients that are drawn seldom lose
        parts = [q * q if on else 0 * q for q, on in zip(p, active, strict=True)]
        return tuple(v / sum(parts[1:], parts[0]) for v in parts)

    with monkeypatch.context() as patch:
        patch.setattr(law, "rescale_active", squared)
        assert _violated("C-D2-floor@explicit", low)
        assert _violated("C-D2-loss@explicit", low)
        assert _violated("C-D2-best@explicit", Case(Available((4, 1, -1), (2, 1, 9), 1, (), (), (1, 1, 0), "1/100")))


def test_56_is_about_its_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "floored_point", lambda q, alpha: (Fraction(1, len(q)),) * len(q))  # further than need be
    assert _violated("C-56@corrected")
    assert _violated("C-56@strengthened")


# The laws by other means ------------------------------------------------------------------------------------------------

vectors = st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=3)


@given(vectors, st.integers(1, 3), st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_counts_have_the_law_of_all_sequences_of_draws(x: list[list[int]], n: int, masses: list[int]) -> None:
    p = shares(masses[: len(x)])
    found = dict(law.draws_with_replacement(p, n))
    every: dict[tuple[int, ...], Fraction] = {}
    for draws in itertools.product(range(len(x)), repeat=n):
        chance = Fraction(1)
        for m in draws:
            chance *= p[m]
        counts = tuple(draws.count(m) for m in range(len(x)))
        every[counts] = every.get(counts, Fraction(0)) + chance
    assert found == every
    for counts in found:
        weights = estimator_weights(np.array(p, dtype=object), np.array(counts))
        plain = tuple(sum((w * row[i] for w, row in zip(weights, x, strict=True)), Fraction(0)) for i in range(2))
        assert law.estimator(x, p, counts) == plain


@given(vectors, st.integers(1, 3), st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_draws_without_replacement_are_those_of_algorithm_7(x: list[list[int]], n: int, masses: list[int]) -> None:
    p, n = shares(masses[: len(x)]), min(n, len(x))
    outcomes = list(law.draws_without_replacement(p, n))
    assert sum(chance for _, chance in outcomes) == 1
    for order, chance in outcomes:
        left, product = Fraction(1), Fraction(1)
        for m in order:
            product, left = product * p[m] / left, left - p[m]
        assert chance == product
        weights = without_replacement_weights(np.array([p], dtype=object), np.array([order]))[0]
        plain = tuple(sum((w * row[i] for w, row in zip(weights, x, strict=True)), Fraction(0)) for i in range(2))
        assert law.estimator_unreplaced(x, p, order) == plain


def test_the_values_of_proposition_11s_counterexample() -> None:
    x = ((2,), (1,), (-1,))
    best = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    assert without_replacement.variance_unreplaced(x, best, 2) == 4
    other = tuple(Fraction(v, 100) for v in (47, 23, 30))
    assert without_replacement.variance_unreplaced(x, other, 2) == Fraction(8633417, 2162000)
    assert float(without_replacement.variance_unreplaced(x, shares((496, 229, 275)), 2)) == pytest.approx(
        3.9772, abs=1e-4
    )


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(1, 99))
def test_three_ways_to_project(points: list[int], percent: int) -> None:
    a = Fraction(percent, 100)
    found = law.project_exactly(points, a)
    assert sum(found) == 1
    assert min(found) >= a / len(points)
    assert found == estimators.bisect_projection(points, a / len(points)) == law.algorithm_2(points, a)
    y = np.array(points, dtype=float)
    np.testing.assert_allclose(project(y, float(a)), [float(v) for v in found], rtol=1e-12)
    literal = mirror_step_printed(y / y.sum(), np.zeros(len(points)), float(a), by="index")
    np.testing.assert_allclose(literal, [float(v) for v in law.algorithm_2(points, a, True)], rtol=1e-9)


def test_the_index_test_needs_not_give_a_distribution() -> None:
    assert sum(law.algorithm_2((3, 1, 2), Fraction(9, 10), by_index=True)) != 1
    assert sum(law.algorithm_2((1, 2, 3), Fraction(9, 10), by_index=True)) == 1  # sorted


def test_the_tuned_rates_are_the_printed_ones_at_the_largest_feedback() -> None:
    root = sympy.sqrt((2 * sympy.log(M) + 4 * beta * sympy.log(M / alpha)) / T)

    assert sympy.simplify(bounds.ETA_SGD - K * alpha**3 / (M * G**2) * root) == 0  # (13)
    assert sympy.simplify(bounds.ETA_FEDAVG - K * alpha**3 / (M * B * G**2) * root) == 0  # (16)


def test_one_draw_for_both_parts_can_cancel_them() -> None:
    flat = Case(TwoParts((1, -1), (0, 2), (1, 1)))
    assert "variance at p is 0" in check_claim(BY_ID["C-D1@printed"], flat).reason
    assert check_claim(BY_ID["C-D1@corrected"], flat).status == "holds"


def test_the_derivative_of_the_bilevel_problem_by_calculus() -> None:
    one = Bilevel((1, 2), (1, -1), (0, 3), (1, "1/2"), 2, (1, 3))
    w = sympy.Symbol("w")
    h = sum(
        sympy.Rational(*lam.as_integer_ratio()) * (c * w**2 / 2 + d * s * w**2 + e * s**2 * w**2 / 2)
        for c, d, e, s, lam in zip((1, 2), (1, -1), (0, 3), (1, sympy.Rational(1, 2)), shares((1, 3)), strict=True)
    )
    assert sympy.diff(h, w).subs(w, 2) == one.derivative == one.two_parts


@pytest.mark.parametrize("name", ["C-P12@printed", "L19@printed", "C-19-omega@printed", "C-19-phi@printed"])
def test_a_floor_of_one_is_excluded(name: str) -> None:
    one = Comparator((1, 3), 1) if "19-" in name else Projected((3, 1), 1)
    assert check_claim(BY_ID[name], Case(one)).status == "inapplicable"


def test_too_many_draws_are_no_verdict() -> None:
    case = Case(Updates((1, 2, 3, 4), (1, 1, 1, 1), 100))
    assert check_claim(BY_ID["C-3@printed"], case).status == "inconclusive"
    assert check_claim(BY_ID["C-P11-mean@printed"], case).status == "inapplicable"


# Instances --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Updates((1, 2), (1, 0)), "positive"),
        (lambda: Updates((1, 2), (1,)), "masses has 1 entries"),
        (lambda: Updates((0, 0), (1, 1)), "not all 0"),
        (lambda: Updates(((1, 0), (1,)), (1, 1)), "updates has 1 entries"),
        (lambda: Updates((1, 2), (1, 1), 0), "at least 1"),
        (lambda: Losses((0, 0), (1, 1)), "roots"),
        (lambda: Losses((1, 1), (1, 1), 0), r"\(0, 1\]"),
        (lambda: Projected((0, 1)), "positive"),
        (lambda: Growth((1, 1), ("1/2", 1), (1, 1)), "at least 1"),
        (lambda: OneStep((1, 1), (1, 1), (0, 0), 1), "draws"),
        (lambda: OneStep((1, 1), (0, 0), (1, 0), 1), "feedback"),
        (lambda: Triple((1, 1), (1, 2), (2, 4)), "the same"),
        (lambda: Comparator((1, -1)), "nonnegative"),
        (lambda: Comparator((1, 1), 2), r"\[0, 1\]"),
        (lambda: Gradients(((1,), (1, 2))), "gradients has 2 entries"),
        (lambda: Curved(0, 0, 1, 0, 1), "curvature"),
        (lambda: Curved(1, 1, 1, 1, 1), "the same"),
        (lambda: Summands(((1,),)), "two or more"),
        (lambda: FiniteVariable((1, 1), (1, 1)), "differ"),
        (lambda: Moved((1, 1), (1, 0)), "infinite"),
        (lambda: Moved((1, 1), (1, 1), 1), "floor = 1"),
        (lambda: Available((1, 2), (1, 1), 1, (), (), (0, 0)), "active"),
        (lambda: TwoParts((1, 2), ((1, 2), (3, 4)), (1, 1)), "second has 2 entries"),
        (lambda: Bilevel(1, 1, 1, -1), "derivative"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_a_claim_whose_condition_is_dropped_is_refuted() -> None:
    corrected = BY_ID["C-P11-pair@corrected"]
    free = replace(corrected, bounds=(replace(corrected.bound, conditions=()),))
    assert check_claim(corrected, without_replacement.COUNTEREXAMPLE).status == "inapplicable"
    assert check_claim(free, without_replacement.COUNTEREXAMPLE).status == "violated"


def test_what_only_the_authors_script_does_is_no_printed_statement() -> None:
    """The text counts every draw, and its estimator is unbiased."""
    assert BY_ID["C-2@printed"].entry.recorded == "holds"
    assert BY_ID["C-2-script@strict"].entry.recorded == "violated"
    assert "C-2-script@printed" not in BY_ID


# (49), (54), (69), (70), the estimate of A_max, the sum of the blocks ---------------------------------------------


def test_the_mirror_step_gains_no_more_than_49_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a step that doesn't go all the way (49) fails: optimality is what it rests on."""
    claim, near = BY_ID["C-49@printed"], Case(StepBeside((1, 1), (1, 0), (1, 0), (2, 1), (1, 0), "1/100", "1/100"))
    assert check_claim(claim, near).status == "holds"
    right = lemmas._next
    monkeypatch.setattr(
        lemmas, "_next", lambda step: [(v + to_ball(w)) / 2 for v, w in zip(right(step), step.p, strict=True)]
    )
    beside = Case(StepBeside((1, 1), (1, 0), (1, 0), (1, 1), (1, 0), "1/100", "1/100"))
    assert "violated" in {check_claim(claim, case).status for case in (*claim.cases, near, beside)}


def test_the_split_of_the_regret_counts_what_moving_costs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = BY_ID["C-54@printed"]
    right = Walk.dearer.fget
    assert right is not None
    monkeypatch.setattr(Walk, "dearer", property(lambda self: 2 * right(self)))
    assert "violated" in {check_claim(claim, case).status for case in claim.cases}


@pytest.mark.parametrize("name", ["L19-69@printed", "L19-70@printed"])
def test_the_shares_of_the_ranks_leave_little(name: str) -> None:
    """(69) is an equality at the last floored rank; (70) is nearly one where a point hardly misses its floor."""
    near = Case(Projected((Fraction(998, 1000), 1, 1), "999/1000"))
    claim = BY_ID[name]
    assert check_claim(claim, near).status == "holds"
    tighter = replace(claim, bounds=(claim.bound.scaled(Fraction(99, 100)),))
    assert "violated" in {check_claim(tighter, case).status for case in (*claim.cases, near)}


def test_a_gradient_grows_where_others_pull() -> None:
    """Curvatures 10, 1, 1 about 0, 10, 10 from 0: the first client's gradient goes from 0 to 50/3, the largest was 10."""
    case = BY_ID["C-Amax-first@strict"].cases[0]
    assert check_claim(BY_ID["C-Amax-first@strict"], case).ratio == pytest.approx(25 / 9, rel=1e-6)
    assert check_claim(BY_ID["C-Amax-first@corrected"], case).status == "inapplicable"
    alone = BY_ID["C-Amax-first@corrected"]
    fast = Case(Pretrained((3,), (2,), (1,), 0, 1, 6))
    assert check_claim(alone, fast).status == "inapplicable"
    assert check_claim(replace(alone, bounds=(replace(alone.bound, conditions=()),)), fast).status == "violated"


def test_the_estimate_with_the_weights_once_is_too_large_by_one_weight() -> None:
    claim = BY_ID["C-Amax-estimate@printed"]
    for n in (2, 5):
        equal = Case(Pretrained((1,) * n, tuple(range(n)), (1,) * n))
        assert check_claim(claim, equal).measured == n
    assert check_claim(claim, Case(Pretrained((1,), (3,), (1,)))).status == "holds"


@pytest.mark.parametrize(("rounds", "blocks", "missing"), [(1, 1, 0), (2, 2, 1), (3, 2, 1), (4, 3, 2), (1000, 10, 9)])
def test_the_sum_of_the_blocks_is_less_than_its_closed_form(rounds: int, blocks: int, missing: int) -> None:
    """By the root of 2 to the power B - 1, less 1."""
    one = Blocks(rounds)
    assert one.n_blocks == blocks
    verdict = check_claim(BY_ID["C-T10-sum@corrected"], Case(one))
    assert verdict.status == "holds"
    assert verdict.measured == pytest.approx(1 - 2 ** (missing / 2), abs=1e-12)
    equal = check_claim(BY_ID["C-T10-sum@printed"], Case(one)).status
    assert equal == ("holds" if blocks == 1 else "violated")
