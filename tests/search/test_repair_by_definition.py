"""Changes of bounds and facts as arrays, on made-up facts; random neighbours, budgets, and the constants of CMA-ES."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb

from fltheory import symbols
from fltheory.evidence.measured import Measured
from fltheory.model.case import Case
from fltheory.problems.responses import ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.search import continuation, evaluations, local_search, portfolio, reshaping, whole_class
from fltheory.search.evaluations import Evaluator
from fltheory.search.history import SearchState
from fltheory.search.neighbours import leaves, random_neighbour
from fltheory.search.portfolio import Budget
from fltheory.search.repair import changes
from fltheory.search.repair.arrays import FLOAT_TOLERANCE, Sample
from fltheory.search.repair.changes import next_nice_factor
from fltheory.search.starts import patterns
from fltheory.search.tightness.constraints import Fact, UninformativeCase, certified_end
from fltheory.search.tightness.terms import summands
from fltheory.verification import find
from fltheory.work import Meter

F = Fraction
R, K, L, STEP = symbols.n_rounds, symbols.n_local_steps, symbols.smoothness, symbols.step_size
CASE = Case(QuadraticClients(((1,), (2,)), ((1,), (-1,)), (3,)), n_rounds=40, n_local_steps=2, step_size="1/100")


def fact(measured: Any, terms: Any, fixed: Any = 0, side: str = "upper") -> Any:
    own: Any = SimpleNamespace(constants={})
    return Fact(own, F(measured), tuple(arb(t) for t in terms), arb(fixed), "exact", 0.0, side, {})


def sample(measured: Any, rows: Any, side: str = "upper", fixed: Any = 0, **constants: Any) -> Sample:
    """Facts with these terms, and with constants by name."""
    bound = SimpleNamespace(side=side, expr=R + K, conditions=())
    terms: Any = SimpleNamespace(claim=SimpleNamespace(bound=bound, measure=None), exprs=(R, K)[: len(rows[0])])
    found = Sample(terms, tuple(fact(m, row, fixed, side) for m, row in zip(measured, rows, strict=True)))
    found.__dict__["symbols"] = {getattr(symbols, n): np.array(v, dtype=float) for n, v in constants.items()}
    return found


# Facts as arrays --------------------------------------------------------------------------------------------------------


def test_facts_break_a_bound_beyond_the_resolution_of_floats() -> None:
    own = sample([1, 2, -3], [[1], [1], [1]])
    assert own.limit.tolist() == [1, 1, 1]
    assert own.broken(own.limit).tolist() == [False, True, False]
    assert own.broken(own.limit, "lower").tolist() == [False, False, True]
    assert own.broken(own.limit, "equal").tolist() == [False, True, True]
    near = np.array([1 - FLOAT_TOLERANCE / 2, 2 - FLOAT_TOLERANCE, -3.0])
    assert not own.broken(near).any()
    assert own.broken(np.array([1 - 3 * FLOAT_TOLERANCE, 2, -3])).tolist() == [True, False, False]
    assert own.broken(np.array([np.inf, np.nan, 0])).tolist() == [True, True, False]
    assert own.keeps(np.array([1.0, 2.0, 0.0]))
    assert not own.keeps(own.limit)
    assert own.keeps(own.limit, np.array([True, False, True]))
    assert not own.keeps(own.limit, np.array([False, True, False]))
    assert sample([1], [[2, 3]], fixed=-4).limit.tolist() == [1]


def test_a_bound_implies_another_on_its_side() -> None:
    own = sample([1], [[1]])
    low, high = np.array([1.0, 2.0]), np.array([1.0, 3.0])
    assert [own.within(low, high, "upper"), own.within(high, low, "upper")] == [True, False]
    assert [own.within(low, high, "lower"), own.within(high, low, "lower")] == [False, True]
    assert [own.within(low, high, "equal"), own.within(low, low.copy(), "equal")] == [False, True]
    assert own.within(low + FLOAT_TOLERANCE / 2, low, "upper")


def test_nearness_is_the_ratio_of_the_side() -> None:
    own = sample([1, 3, 0], [[1]] * 3)
    assert own.reached(np.array([2.0, 2.0, 5.0]), "upper").tolist() == [0.5, 1.5, 0]
    assert own.reached(np.array([2.0, 2.0, 0.0]), "lower").tolist()[:2] == [2, pytest.approx(2 / 3)]
    assert own.reached(np.array([0.0, 1.0, 0.0]), "upper")[2] == -np.inf or own.reached(np.zeros(3), "upper")[0] > 1e200


def test_conditions_are_met_up_to_the_resolution_of_floats() -> None:
    own = sample([1] * 3, [[1]] * 3, n_rounds=[1, 2, 3], n_local_steps=[2, 2, 2])
    for condition, met in (
        (sympy.Le(R, K), [1, 1, 0]),
        (sympy.Lt(R, K), [1, 0, 0]),
        (sympy.Ge(R, K), [0, 1, 1]),
        (sympy.Gt(R, K), [0, 0, 1]),
        (sympy.Eq(R, K), [0, 1, 0]),
        (sympy.Ne(R, K), [1, 0, 1]),
        (sympy.Le(R, 2), [1, 1, 0]),
    ):
        assert own.meets(condition).tolist() == [bool(v) for v in met]  # type: ignore[union-attr]
    assert own.meets(sympy.Le(L, 1)) is None
    assert own.values(R**2 + 1).tolist() == [2, 5, 10]  # type: ignore[union-attr]
    assert own.values(sympy.Integer(4)).tolist() == [4, 4, 4]  # type: ignore[union-attr]


# Factors ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.3, 0.9, 1.0, 1.01, 1.3, 2.2, 7.1, 33.0, 0.123456, 5 / 7, 11 / 12, 900.0, 0.002])
def test_nice_factors_are_on_the_safe_side_and_near(value: float) -> None:
    up, down = next_nice_factor(value, True), next_nice_factor(value, False)
    assert up is not None
    assert down is not None
    assert float(down) <= value * (1 + 2e-7)
    assert float(up) >= value * (1 - 2e-7)
    assert up <= 2 * F(value) * F(10001, 10000)
    if value in (1.0, 5 / 7, 11 / 12):
        assert up == down == F(value).limit_denominator(12)


def test_factors_out_of_reach_are_none() -> None:
    for value in (math.inf, math.nan, 0.0, -1.0, 1000.0, 1e9, 1e-3, 1e-9):
        assert next_nice_factor(value, True) is None


def test_the_least_sufficient_factor() -> None:
    own = sample([3, 8, 1], [[1], [4], [1]])
    assert changes._extreme(own, own.measured, own.limit) == 3
    low = sample([3, 8, 1], [[1], [4], [1]], "lower")
    assert changes._extreme(low, low.measured, low.limit) == 1
    assert changes._extreme(own, np.array([1.0, 1, 1]), np.array([0.0, 1, 1])) is None
    assert changes._extreme(own, np.array([0.0, 1, 1]), np.array([0.0, 1, 2])) == 1
    assert changes._extreme(own, np.array([0.0, 0, 0]), np.zeros(3)) is None
    assert changes._extreme(own, np.array([1.0, 1, 1]), np.array([-1.0, 1, 2])) is None
    assert changes._extreme(low, np.array([-1.0, 1, 1]), np.array([0.0, 1, 1])) is None


def test_the_factor_that_fits_all() -> None:
    assert changes._constant(np.array([2.0, 4, 0]), np.array([1.0, 2, 0])) == 2
    assert changes._constant(np.array([2.0, 5, 0]), np.array([1.0, 2, 0])) is None
    assert changes._constant(np.array([2.0, 4, 1]), np.array([1.0, 2, 0])) is None
    assert changes._constant(np.array([0.0, 0]), np.array([0.0, 0])) is None
    assert changes._constant(np.array([1.0, 1]), np.array([1.0, np.inf])) is None
    own = sample([2, 4], [[3], [6]], "equal")
    assert changes._nice_solution(own, own.measured, own.limit) == F(2, 3)
    odd = sample([1, 2], [[math.pi], [2 * math.pi]], "equal")
    assert changes._nice_solution(odd, odd.measured, odd.limit) is None
    upper = sample([3, 1], [[2], [2]])
    assert changes._nice_solution(upper, upper.measured, upper.limit) == F(3, 2)
    none = sample([0, 0], [[2], [2]])
    assert changes._nice_solution(none, none.measured, none.limit) is None


def test_whole_factors_near_1_cost_least() -> None:
    cost = changes._log
    assert cost(F(1)) == 0
    assert cost(F(2)) < cost(F(3)) < cost(F(5, 2))
    assert cost(F(2)) < cost(F(4)) < cost(F(8))
    assert cost(F(2)) < cost(F(1, 2)) < cost(F(1, 4))
    assert cost(F(1, 4)) - cost(F(1, 2)) == pytest.approx(cost(F(4)) - cost(F(2)))
    assert cost(F(0)) == 1


def test_losses_are_means_of_logarithms_where_the_bound_held() -> None:
    own = sample([1, 9], [[2], [4]])
    assert changes._mean_loss(own, np.array([8.0, 4.0])) == pytest.approx(0.5)  # two doublings at the first alone
    assert changes._mean_loss(own, own.limit) == 0
    assert changes._mean_loss(sample([9], [[1]]), np.array([9.0])) == 1


def test_factors_of_a_bound_and_of_its_terms() -> None:
    own = sample([4, 2], [[1, 1], [1, 0]])
    found = {c.said: c.expr for c in changes._factors(own)}
    assert found["times 2"] == 2 * (R + K)
    assert found[f"the term {K} times 3"] == R + 3 * K if f"the term {K} times 3" in found else True
    assert all(float(c.size) > changes.COSTS["factor"] for c in changes._factors(own))
    assert list(changes._factors(sample([2, 4], [[2], [4]]))) == []


def test_conditions_exclude_all_that_break_and_leave_some() -> None:
    measured, rounds = [5, 5, 0.5, 0.5, 0.5, 0.5], [1, 2, 3, 4, 5, 6]
    own = sample(measured, [[1]] * 6, n_rounds=rounds)
    found = {c.said: c.size for c in changes._conditions(own, [R >= 3, R >= 2, R >= 4, R <= 6, sympy.Le(L, 1)])}
    assert list(found) == [f"if {R >= 3}"]
    assert found[f"if {R >= 3}"] == pytest.approx(changes.COSTS["condition"] + 0.1)
    assert list(changes._conditions(sample([0.5] * 6, [[1]] * 6, n_rounds=rounds), [R >= 3])) == []
    more = sample([5, *[0.5] * 7], [[1]] * 8, n_rounds=range(1, 9))
    sizes = [c.size for c in changes._conditions(more, [R >= 2, R >= 4])]
    assert sizes[1] - sizes[0] == pytest.approx(2 * 2 / 7)


def test_powers_are_those_of_the_bounds_own_roots_too() -> None:
    assert changes._powers_of(R) == changes.POWERS
    roots = set(changes._powers_of(R ** sympy.Rational(1, 3))) - set(changes.POWERS)
    assert roots == {F(1, 3), F(2, 3), F(-1, 3), F(-2, 3)}
    assert set(changes._powers_of(R ** sympy.Rational(1, 5))) == set(changes.POWERS)


# Facts ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_a_fact_forces_a_weight_and_refutes_all_beyond(side: str) -> None:
    own = fact(7, (2, 3), -1, side)
    for index, exact in ((None, F(7, 4)), (0, F(5, 2)), (1, F(2))):
        found = own.weight(index)
        assert abs(found - exact) < F(1, 10**12)
        assert (found <= exact) if side == "upper" else (found >= exact)
        for off in (F(-1, 1000), F(1, 1000)):
            w = exact + off
            weights = [w, w] if index is None else [w if i == index else F(1) for i in range(2)]
            refuted = own.refutes(weights, w if index is None else F(1))
            assert refuted is ((off < 0) == (side == "upper"))
    assert own.refutes([F(5, 2), F(1)]) is False  # exactly reached
    assert fact(1, (0, 1), 0, side).weight(0) is None
    assert fact(1, (arb(0, 1),), 0, side).refutes([F(1)]) is None


def test_an_end_is_certified_only_on_the_side_where_a_bound_fails() -> None:
    assert certified_end(Measured(F(1, 3), "exact"), "upper") == F(1, 3)
    assert certified_end(Measured(2, "exact"), "lower") == 2
    wide = Measured(arb(2, 0.5), "exact")
    assert F(3, 2) - F(1, 10**6) < certified_end(wide, "upper") <= F(3, 2)
    assert F(5, 2) <= certified_end(wide, "lower") < F(5, 2) + F(1, 10**6)
    with pytest.raises(UninformativeCase, match="no end of the measured quantity is known"):
        certified_end(Measured(arb.nan(), "exact"), "upper")


def test_products_with_one_sum_are_expanded() -> None:
    assert set(summands(R * (K + L))) == {R * K, R * L}
    assert summands(R * (K - L)) == (R * (K - L),)
    assert set(summands(R + K)) == {R, K}
    assert summands(R * K) == (R * K,)
    assert summands((R + K) * (K + L)) == ((R + K) * (K + L),)


# Neighbours, budgets, climbing ------------------------------------------------------------------------------------------


def test_neighbours_are_of_all_kinds() -> None:
    before, kinds = leaves(CASE), set()
    inside = {p for p, v in before.items() if p[0] == "instance" and v}
    for seed in range(160):
        made = random_neighbour(CASE, 0.5, Random(seed))
        if made is None:
            continue
        now = leaves(made)
        changed = {p for p, v in before.items() if v and now[p] != v}
        ratios = {p: float(now[p]) / float(before[p]) for p in changed}
        if inside <= changed and len(changed) == len(inside) and np.ptp(list(ratios.values())) < 1e-2:
            kinds.add("units")
        if len(changed) == 1:
            (p,) = changed
            kinds.add("sign" if now[p] == -before[p] else "zero" if now[p] == 0 else "one")
        if len(changed) == 2 and len({p[:2] for p in changed}) == 2:
            one, other = ratios.values()
            kinds.add("against" if (one - 1) * (other - 1) < 0 else "along")
        if changed == {p for p in before if p[:2] == ("instance", "curvatures")}:
            kinds.add("field")
    assert kinds >= {"units", "sign", "zero", "one", "against", "along", "field"}


def test_cases_are_rearranged_in_signs_and_scales() -> None:
    before, factors = leaves(CASE), set()
    for seed in range(150):
        made = reshaping.rearranged_case(CASE, Random(seed))
        if made is None or made.instance.n_clients != 2:
            continue
        now = leaves(made)
        changed = {p: F(now[p]) / F(before[p]) for p in before if p in now and now[p] != before[p]}
        if len({p[:-1] for p in changed}) == 1:
            factors |= set(changed.values())
    assert {F(-1), F(1, 10), F(10)} <= factors


def test_longer_cases_grow_a_count_by_one_or_by_a_factor() -> None:
    grown = []
    for seed in range(80):
        made = reshaping.longer_case(CASE, Random(seed))
        if made is not None and leaves(made)[("settings", "n_rounds")] != 40:
            grown.append(leaves(made)[("settings", "n_rounds")])
    assert set(grown) == {41, 80, 120, 160, 400}
    assert 0.1 < grown.count(41) / len(grown) < 0.4


def test_lengthened_runs_come_alone_or_with_a_smaller_setting() -> None:
    (way,) = reshaping.lengthenings(CASE, 16)
    found = [(leaves(c)[("settings", "n_rounds")], leaves(c)[("settings", "step_size")], c.instance) for c in way]
    assert found == [(640, F(1, 100) / by, CASE.instance) for by in (1, 16, 4)]
    assert list(reshaping.lengthenings(CASE, reshaping.MAX_COUNT)) == []


def test_a_long_first_case_is_shortened_to_what_it_may_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Evaluator(find("sfl/T7-GC@explicit"), 0, 0, Meter(0.0), 1000.0, 100.0)
    monkeypatch.setattr(evaluations, "steps_per_run", lambda case, clients=True: 100)
    monkeypatch.setattr(evaluations, "inapplicable_reason", lambda claim, case: None)
    looks.rate = 1.0
    assert leaves(looks.shorter(CASE))[("settings", "n_rounds")] == 4  # 100 units, of which 10 are allowed
    looks.rate = 0.1
    assert looks.shorter(CASE) is CASE
    looks.rate, looks.slice = 1.0, 1000.0
    assert leaves(looks.shorter(CASE))[("settings", "n_rounds")] == 8  # a fiftieth of 1000
    monkeypatch.setattr(evaluations, "inapplicable_reason", lambda claim, case: "no")
    assert looks.shorter(CASE) is CASE


def test_only_long_dear_cases_are_scouted(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Evaluator(find("sfl/T7-GC@explicit"), 0, 0, Meter(0.0), 1000.0, 100.0)
    steps, told = [100], [0.0]
    monkeypatch.setattr(evaluations, "steps_per_run", lambda case, clients=True: steps[0])
    monkeypatch.setattr(evaluations, "estimate", lambda *given: told[0])
    looks.rate = 1e9
    assert not looks._is_far(CASE)  # nothing is known yet
    looks.seen.best = [SimpleNamespace(ratio=0.8, trivial=None, measured=None, status="holds")]  # type: ignore[list-item]
    assert looks._is_far(CASE)
    steps[0] = evaluations.LONG_RUN_STEPS - 1
    assert not looks._is_far(CASE)
    steps[0] = evaluations.LONG_RUN_STEPS
    assert looks._is_far(CASE)
    for value, far in ((0.8 * evaluations.FAR_RATIO, False), (0.79 * evaluations.FAR_RATIO, True), (None, False)):
        told[0] = value  # type: ignore[call-overload]
        assert looks._is_far(CASE) is far
    told[0], looks.rate = 0.0, 0.0
    assert not looks._is_far(CASE)


def test_an_interrupted_search_stays_so() -> None:
    seen = SearchState(interrupted=True)
    seen.join(SearchState())
    assert seen.interrupted


def test_slices_double_within_their_limits() -> None:
    own = Budget(1e6, Meter(0.0))
    slices = [own.slice(k) for k in range(40)]
    assert slices == sorted(slices)
    inner = [v for v in slices if portfolio.MIN_SLICE < v < portfolio.MAX_SLICE_SHARE * 1e6]
    assert len(inner) >= 2
    assert all(b == pytest.approx(2 * a) for a, b in itertools.pairwise(inner))
    assert slices[-1] == portfolio.MAX_SLICE_SHARE * 1e6
    assert Budget(1.0, Meter(0.0)).slice(0) == portfolio.MIN_SLICE
    used = Budget(100.0, Meter(0.0))
    used.meter.spent = 99.0
    assert (used.left, used.over) == (1.0, False)
    used.meter.spent = 99.5
    assert used.over
    used.meter.spent = 300.0
    assert used.left == 0
    assert own.share("draws", 4) <= own.left / 4
    assert own.share("climbs", 1) == pytest.approx(portfolio.MEMBER_SHARE * 1e6)
    assert own.share("draws", 1) == own.share("patterns", 1) == pytest.approx(portfolio.DRAW_SHARE * 1e6)


@pytest.mark.parametrize(("n", "parents"), [(2, 3), (7, 5), (20, 8), (2, 40)])
def test_constants_of_cma_es_are_those_of_the_tutorial(n: int, parents: int) -> None:
    """N. Hansen, The CMA evolution strategy: a tutorial (2016), table 1, without negative weights."""
    law = local_search._SearchDistribution(np.zeros(n), parents)
    raw = [math.log(parents + 0.5) - math.log(i) for i in range(1, parents + 1)]
    mass = sum(raw) ** 2 / sum(w * w for w in raw)
    assert law.mass == pytest.approx(mass)
    assert law.c_width == pytest.approx((mass + 2) / (n + mass + 5))
    assert law.damping == pytest.approx(1 + 2 * max(0, math.sqrt((mass - 1) / (n + 1)) - 1) + law.c_width)
    assert law.c_path == pytest.approx((4 + mass / n) / (n + 4 + 2 * mass / n))
    assert law.c_one == pytest.approx(2 / ((n + 1.3) ** 2 + mass))
    assert law.c_many == pytest.approx(min(1 - law.c_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass)))
    assert law.length == pytest.approx(math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2)), rel=1e-12)
    steps = np.random.default_rng(1).standard_normal((2 * parents, n))
    weights = np.array(raw) / sum(raw)
    shift = weights @ steps[:parents]
    law.steps(steps)
    width = law.width
    law.update(steps)
    np.testing.assert_allclose(law.mean, width * shift)
    walk = math.sqrt(law.c_width * (2 - law.c_width) * mass) * shift
    path = math.sqrt(law.c_path * (2 - law.c_path) * mass) * shift
    np.testing.assert_allclose(law.walk, walk)
    np.testing.assert_allclose(law.path, path)
    many = sum(w * np.outer(s, s) for w, s in zip(weights, steps, strict=False))
    shape = (1 - law.c_one - law.c_many) * np.eye(n) + law.c_one * np.outer(path, path) + law.c_many * many
    np.testing.assert_allclose(law.shape, shape)
    grown = law.c_width / law.damping * (np.linalg.norm(walk) / law.length - 1)
    assert law.width == pytest.approx(width * math.exp(min(1.0, grown)))
    again = np.random.default_rng(2).standard_normal((2 * parents, n))
    shift = weights @ again[:parents]
    law.inverse = np.eye(n)
    law.update(again)
    walk = (1 - law.c_width) * walk + math.sqrt(law.c_width * (2 - law.c_width) * mass) * shift
    path = (1 - law.c_path) * path + math.sqrt(law.c_path * (2 - law.c_path) * mass) * shift
    np.testing.assert_allclose(law.walk, walk)
    np.testing.assert_allclose(law.path, path)


# Longer runs, classes, patterns -----------------------------------------------------------------------------------------


def lengthened(
    monkeypatch: pytest.MonkeyPatch, scores: list[float | None], cost: float = 1.0, slice: float = 1e6
) -> tuple[Any, list[tuple[int, float]]]:
    """The score where lengthening ends, and each factor asked for with the work it may take; scores are in turn."""
    asked: list[tuple[int, float]] = []
    coming = iter(scores[1:])

    def longer(looks: Any, case: Any, by: int, most: float) -> Any:
        asked.append((by, most))
        score = next(coming, None)
        return None if score is None else SimpleNamespace(case=score)

    monkeypatch.setattr(continuation, "_longer", longer)
    monkeypatch.setattr(continuation, "search_score", lambda verdict: verdict.case)
    monkeypatch.setattr(continuation, "steps_per_run", lambda case: 10.0**case if case else 1.0)
    monkeypatch.setattr(continuation, "length_factor_to_pass", lambda one, other: None)
    looks: Any = SimpleNamespace(cost=lambda case: cost, over=False)
    return continuation.lengthen_repeatedly(looks, SimpleNamespace(case=scores[0]), slice).case, asked  # type: ignore[arg-type]


def test_runs_are_lengthened_once_for_certain_and_then_while_they_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lengthened(monkeypatch, [1.0, 0.5, 0.8, 0.9])[0] == 0.8  # 0.9 is less than 1.2 times 0.8
    assert lengthened(monkeypatch, [1.0, 0.5, 0.5])[0] == 0.5
    assert lengthened(monkeypatch, [1.0, None])[0] == 1.0
    end, asked = lengthened(monkeypatch, [1.0, 2.0, 4.0, 4.7])
    assert end == 4.0
    assert [by for by, _ in asked] == [10, 10, 10]


def test_a_longer_run_may_take_so_many_times_the_work_of_the_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    _, asked = lengthened(monkeypatch, [1.0, None], 2.0)
    assert asked == [(10, 30 * 2.0)]
    _, asked = lengthened(monkeypatch, [1.0, None], 2.0, 50.0)
    assert asked == [(8, 0.4 * 50)]  # 20 units at 2.5 each
    end, asked = lengthened(monkeypatch, [1.0, None], 2.0, 6.0)
    assert (end, asked) == (1.0, [])  # not even twice as long


def test_a_class_that_keeps_to_the_bound_is_said_to_and_one_that_may_not_is_not_accused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim: Any = SimpleNamespace()
    monkeypatch.setattr(whole_class, "require_question", lambda claim: None)
    monkeypatch.setattr(whole_class, "_questions", lambda claim: iter([(SimpleNamespace(constants={}), "class")]))
    monkeypatch.setattr(whole_class, "without_start", lambda claim, constants: constants)
    monkeypatch.setattr(whole_class, "_question_text", lambda asked: asked)
    monkeypatch.setattr(whole_class, "satisfies_bounds", lambda claim, value, values: value <= 1)
    monkeypatch.setattr(whole_class, "_refuting_case", lambda claim, asked, found: iter([found.case]))
    for lower, upper, case, answers in (
        (0.5, 1.0, "case", [(None, "class")]),
        (0.5, 1.5, "case", []),
        (1.25, 1.5, "case", [("case", "class")]),
        (1.25, 1.5, None, []),
        (None, 1.5, "case", []),
        (None, None, "case", []),
        (1.25, None, "case", [("case", "class")]),
    ):
        found = SimpleNamespace(lower=lower, upper=upper, case=case)
        monkeypatch.setattr(whole_class, "bracket", lambda asked, own=found: own)
        assert [tuple(a) for a in map(answer, whole_class.class_answers(claim))] == answers


def answer(found: Any) -> list[Any]:
    return [
        getattr(found, name)
        for name in list(found.__dataclass_fields__ if hasattr(found, "__dataclass_fields__") else found._fields)[:2]
    ]


def test_lengths_are_whole_numbers_under_the_name_of_a_count() -> None:
    own = {"counts_of": (2, 3), "n_each": (1, 1), "n_shares": (1, F(1, 2)), "sizes": (1, 2), "n_rounds": 7}
    assert patterns.length_fields(own) == ["counts_of", "n_each"]


def test_patterns_of_many_clients_take_each_in_turn() -> None:
    three = Case(ResponseTable(((0, "1/2", 1), (1, 0, 0)), (2, 3), repeat=10))
    found = [(one.instance.responses, one.instance.counts_of) for one in patterns.pattern_cases(three, 60)]
    for one, others in ((1, 0), (0, 1)):
        rows = tuple(tuple(one if i == k else others for i in range(3)) for k in range(3))
        assert found.count((rows, (1, 1, 1))) == 1
    assert all(len(row) == 3 for rows, _ in found for row in rows)
    flat = Case(ResponseTable(((1, 1, 1),), (4,), 1, 0))
    assert list(patterns.pattern_cases(flat, 8))  # the range is the instance's own
