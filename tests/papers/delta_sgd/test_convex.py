"""Lemma 4, (5) and Theorem 5: exact reference figures, mutants, runs of rules that are not the paper's."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import as_number, to_float
from fltheory.number.mixed import to_mixed
from fltheory.papers.delta_sgd import bounds
from fltheory.papers.delta_sgd.convex.cases import case_of_run, disjoint, huber, line, null_direction
from fltheory.papers.delta_sgd.convex.claims import averages, convex
from fltheory.papers.delta_sgd.convex.closed_forms.measures import (
    AverageGap,
    average_point,
    decrease,
    left_terms,
    lyapunov,
    lyapunov_constant,
    right_terms,
)
from fltheory.papers.delta_sgd.convex.families import runs
from fltheory.papers.delta_sgd.rule.closed_forms.runs import Reading, follow
from fltheory.problems.convex import ConvexClients, LogCosh, Quadratic, Quartic
from fltheory.runs.constants import Constants
from fltheory.runs.measures import ENERGY, DeterministicMeasure
from fltheory.runs.step_rule import StepRule, auto_tuned, auto_tuned_exact, auto_tuned_step

CLAIMS = (*convex.CLAIMS, *averages.CLAIMS)
BY_ID = {c.id.removeprefix("delta_sgd/"): c for c in CLAIMS}
TRUE = [n for n, c in BY_ID.items() if c.entry.recorded == "holds"]


def ratio(measure: DeterministicMeasure, case: Case, rule: StepRule = auto_tuned) -> Fraction:
    return Fraction(as_number(measure.follow(rule, case)[0]))


def test_disjoint_clients_that_never_meet() -> None:
    case = case_of_run(disjoint(), 4, "3/2")
    h = follow(auto_tuned, case, "A")
    gaps = [sum(left_terms(h, t), fmpq(0)) - sum(right_terms(h, t), fmpq(0)) for t in (1, 2, 3)]
    assert gaps == [fmpq(-15, 16), fmpq(1, 64), fmpq(9, 256)]
    assert (sum(right_terms(h, 3), fmpq(0)), sum(right_terms(h, 4), fmpq(0))) == (fmpq(27, 64), fmpq(115, 256))


@pytest.mark.parametrize(
    ("steepness", "lean", "theta", "expected"),
    [(10**6, "0.49888", 99, 13.9), (100, "2/5", 99, 3.56), (10**6, "0.49", 24, 2.6), (10**7, "0.499", 10, 1.03)],
)
def test_the_null_direction_against_the_printed_rate(steepness: int, lean: str, theta: int, expected: float) -> None:
    verdict = check_claim(BY_ID["T5-B-common@printed"], case_of_run(null_direction(steepness, lean), 2, 1, theta))
    assert verdict.status == "violated"
    assert verdict.ratio == pytest.approx(expected, rel=1e-2)


def test_one_client_far_out_with_a_large_amplifier() -> None:
    case = case_of_run(huber("2003/20"), 3, 100, 1, "7/5")
    h = follow(auto_tuned, case, "B")
    assert [h.lr[1][0], h.lr[2][0]] == [fmpq(1400, 17), fmpq(2940, 391)]
    assert to_float(as_number(lyapunov("B").follow(auto_tuned, case)[0])) == pytest.approx(1.0757, abs=5e-5)
    assert ratio(decrease("B"), case_of_run(huber("2003/20"), 2, 100, 1, "7/5")) == pytest.approx(1.0757, abs=5e-5)
    assert to_float(
        as_number(lyapunov("B").follow(auto_tuned, case_of_run(huber("2003/20"), 3, 100, 1, 2))[0])
    ) == pytest.approx(1.5416, abs=5e-5)


def one_step(case: Case, weight: Fraction, last: Fraction) -> Fraction:
    """(31) after one step with these weights of the moves: left over right."""
    h = follow(auto_tuned, case, "B")
    left, right = (
        sum(side, fmpq(0)) for side in (left_terms(h, 1, to_mixed(weight)), right_terms(h, 1, to_mixed(last)))
    )
    return Fraction(as_number(left)) / Fraction(as_number(right))


WEIGHTS = st.fractions(0, 1, max_denominator=20)
AMPLIFIERS = st.fractions(Fraction(1, 2), 2, max_denominator=20)


@given(WEIGHTS, AMPLIFIERS)
def test_no_smaller_weight_of_the_last_move_will_do(weight: Fraction, gamma: Fraction) -> None:
    """(1 + b) γ²/4 is enough in each of the runs below, and in the plane 10^-4 less is not."""
    needed, case = (1 + weight) * gamma**2 / 4, convex.turning_case(gamma)
    assert 1 - Fraction(1, 10**5) < one_step(case, weight, needed) <= 1
    assert one_step(case, weight, needed * (1 - Fraction(1, 10**4))) > 1


@given(runs(most=1, amplifiers=(Fraction(1, 2), 1, Fraction(3, 2), 2), any_point=True, rounds=1), WEIGHTS)
def test_the_weights_that_fit_hold_in_any_run(case: Case, weight: Fraction) -> None:
    h = follow(auto_tuned, case, "B")
    gamma = Fraction(dict(case.settings)["amplifier"])
    right = right_terms(h, 1, to_mixed((1 + weight) * gamma**2 / 4))
    assert not sum(left_terms(h, 1, to_mixed(weight)), fmpq(0)) > sum(right, fmpq(0))


def test_weights_above_one_ask_for_more() -> None:
    """On a line nothing limits the step but the growth rule: (b - 1) θ² is to be paid too."""
    case = case_of_run(huber(100), 1, 1, 3, Fraction(1, 10))
    assert one_step(case, Fraction(1), Fraction(2, 400)) <= 1
    assert one_step(case, Fraction(3), Fraction(4, 400)) > 1


@pytest.mark.parametrize(("id", "inside", "outside"), [("L4-one", "1.1547", "1.1548"), ("L4-weight", "1.414", "1.415")])
def test_the_largest_amplifier(id: str, inside: str, outside: str) -> None:
    claim = BY_ID[f"{id}@strengthened"]
    assert check_claim(claim, convex.turning_case(inside)).status == "holds"
    assert check_claim(claim, convex.turning_case(outside)).status == "inapplicable"
    assert check_claim(BY_ID["L4-amplified@explicit"], convex.turning_case("1.1548")).status == "violated"


def test_one_client_against_the_printed_rate_exactly() -> None:
    claim = BY_ID["T5-one@printed"]
    verdict = check_claim(claim, case_of_run(line(("1/100",)), 1, 50))
    assert (verdict.status, verdict.measured) == ("violated", float(Fraction(1, 800)))
    assert verdict.limit == float(Fraction(7, 40800))


def test_the_distance_may_exceed_the_constant_before_the_first_step() -> None:
    case = case_of_run(line((1,)), 2, 1)
    h = follow(auto_tuned, case, "B")
    assert lyapunov_constant(h) == fmpq(3, 4)
    assert h.server[0][0] ** 2 == 1


def test_the_average_is_one_of_the_points_with_positive_weights() -> None:
    """(42) and R4: weights of a run under (4) are nonnegative, so the average lies between the points."""
    with ctx.workprec(256):
        h = follow(auto_tuned, case_of_run(line((1, 10), (0, 1)), 30, "1/5"), "B")
        for i in range(2):
            x = average_point(h, i)[0]
            assert h.points[-1][i][0] <= x <= h.points[0][i][0]


def test_where_sharing_clients_end() -> None:
    """Without a common minimiser the run under B ends at the mean of the centres, not at the minimiser."""
    h = follow(auto_tuned, case_of_run(line((1, 10), (0, 1)), 60, "1/2"), "B")
    assert abs(float(h.server[-1][0]) - 0.5) < 1e-12
    assert h.instance.best[0] == fmpq(10, 11)


def test_one_round_by_hand_in_every_reading() -> None:
    """Two clients x^2/2 and 3 (x-1)^2/2, x_0 = 2, eta_0 = 1/10: all first entries or caps by hand."""
    instance = line((1, 3), (0, 1), 2)
    case = case_of_run(instance, 1, "1/10", 3)
    readings: tuple[Reading, ...] = ("B", "C", "A")
    for reading in readings:
        h = follow(auto_tuned, case, reading)
        assert h.server[1][0] == fmpq(7, 4)
        assert h.lr[1] == [fmpq(1, 5), fmpq(1, 6)]  # the cap sqrt(1 + 3)/10, and 1/(2*3)
    b, c, a = (follow(auto_tuned, case, r).server[2][0] for r in readings)
    assert b == fmpq(7, 4) - (fmpq(1, 5) * fmpq(7, 4) + fmpq(1, 6) * 3 * fmpq(3, 4)) / 2
    assert c == b
    assert a == ((1 - fmpq(1, 5)) * fmpq(9, 5) + (fmpq(17, 10) - fmpq(1, 6) * 3 * fmpq(7, 10))) / 2
    step = follow(auto_tuned, case, "step")
    assert step.lr[1] == [fmpq(1, 6)] * 2
    paced = ConvexClients(instance.objectives, 2, pace=(1, 2))
    grown = follow(auto_tuned, case_of_run(paced, 1, "1/10", 3), "ratio")
    assert grown.lr == [
        [fmpq(1, 10), fmpq(1, 5)],
        [fmpq(1, 12), fmpq(1, 6)],
    ]  # client 2's first entry is 5/6 of its step


@given(runs(most=2, centres="apart"), st.sampled_from(["A", "B", "C", "step", "ratio"]))
def test_an_exact_run_is_near_the_run_in_floats(case: Case, reading: Reading) -> None:
    """The same rule asked in floats gives the same run, to rounding, for a few rounds."""
    with ctx.workprec(256):
        exactly = follow(auto_tuned, case, reading)
        few = case.with_settings(n_rounds=min(3, exactly.n_rounds))
        floats = follow(StepRule("floats", auto_tuned_step), few, reading)
    for one, two in zip(exactly.lr[1:4], floats.lr[1:4], strict=False):
        for a, b in zip(one, two, strict=True):
            assert to_float(as_number(a)) == pytest.approx(to_float(as_number(b)), rel=1e-6)


def test_a_users_rule_is_judged_on_the_steps_that_it_takes() -> None:
    """It answers in floats; its run is exact, and a ratio at 1 to rounding is no violation."""
    same = StepRule("mine", lambda lr, ratio, reach, c: np.minimum(reach / 2, np.sqrt(1 + ratio) * lr))
    for name in ("T5-one@strengthened", "L4-sync@corrected"):
        for case in BY_ID[name].cases[:6]:
            verdict = check_claim(replace(BY_ID[name], algorithm=same), case)
            if dict(case.settings)["amplifier"] == 1:
                assert (verdict.status, verdict.evidence) == ("holds", "sampled"), str(verdict)
    greedy = StepRule("greedy", lambda lr, ratio, reach, c: np.minimum(3 * reach, 9 * lr))
    assert (
        check_claim(replace(BY_ID["L4-one@corrected"], algorithm=greedy), case_of_run(line((1,)), 6, "1/10")).status
        == "violated"
    )


def test_a_users_rule_on_the_edge_is_not_called_violated() -> None:
    """(31) with an error of one part in 10^12: an equality case would be off by rounding."""
    claim = BY_ID["L4-one@corrected"]
    flat = case_of_run(huber(10**9, 1, 1), 2, 1)  # far out on the linear part both sides agree to nine digits
    close = replace(
        claim, bounds=(replace(claim.bound, expr=claim.bound.expr * Fraction(check_claim(claim, flat).ratio or 0)),)
    )
    same = StepRule("mine", lambda lr, ratio, reach, c: np.minimum(reach / 2, np.sqrt(1 + ratio) * lr))
    assert check_claim(replace(close, algorithm=same), flat).status == "inconclusive"


def test_the_rule_forgets_the_growth_cap_and_breaks_the_decrease() -> None:
    """(31) needs the first entry only, (5) the growth rule too: the last weight of (40) would be negative."""

    def first_only(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        return auto_tuned_exact(lr, None, reach, c)

    free = StepRule("no cap", lambda lr, ratio, reach, c: reach / 2, first_only)
    found = {
        n: [check_claim(replace(BY_ID[n], algorithm=free), c).status for c in CURVED]
        for n in ("L4-one@corrected", "V-one@corrected")
    }
    assert set(found["L4-one@corrected"]) == {"holds"}
    assert "violated" in found["V-one@corrected"]


CURVED = tuple(
    case_of_run(ConvexClients((Quadratic(((1, 0), (0, 100)), (0, 0)),), (x, 1)), 8, eta)
    for x, eta in ((10, "1/100"), (1, "1/10"))
)


def test_bounds_say_what_they_need() -> None:
    case = case_of_run(line((1,)), 3, "1/10", 1, 2)
    verdict = check_claim(BY_ID["L4-one@corrected"], case)
    assert verdict.status == "inapplicable"
    assert "amplifier" in verdict.reason
    assert check_claim(BY_ID["T5-one@corrected"], case_of_run(line((1, 2)), 3, "1/10")).reason.startswith("one client")
    apart = case_of_run(line((1, 2), (0, 1)), 3, "1/10")
    assert "not one of every client" in check_claim(BY_ID["T5-B-common@printed"], apart).reason


def test_claims_keep_the_units() -> None:
    limit: Bound = bounds.T5_SUM
    assert tuple(limit.dimension()) == tuple(ENERGY)
    claim: Claim = BY_ID["T5-one@strengthened"]
    one, other = (case_of_run(line((h,), (0,), x), 6, eta) for h, x, eta in ((2, 1, "1/7"), (6, 5, "1/21")))
    first, second = check_claim(claim, one), check_claim(claim, other)
    assert first.measured is not None
    assert second.measured == pytest.approx(75 * first.measured)  # energy: 3 times the curvature, 5 times the length


def test_readings_are_the_same_for_one_client() -> None:
    case = case_of_run(ConvexClients((Quadratic(((2, 1), (1, 3)), (0, 0)),), (2, -1)), 5, "1/10")
    readings: tuple[Reading, ...] = ("A", "B", "C", "step", "ratio")
    found = [follow(auto_tuned, case, r) for r in readings]
    values = [to_float(as_number(AverageGap(r).follow(auto_tuned, case)[0])) for r in readings]
    assert values == pytest.approx([values[0]] * 5, rel=1e-12)
    assert {len(h.server) for h in found} == {7}


STILL = (  # nothing, or hardly anything, moves
    ConvexClients((Quadratic(((3,),), (2,)),), 2),
    ConvexClients((LogCosh(((0,),)),), 2),
    ConvexClients((Quadratic(((0,),), (0,)),), 2),
    ConvexClients((Quadratic(((1,), (1, 1)), (0, 0)),), (1, -1)),
    ConvexClients((Quartic((1,), (0,)),), 0),
    ConvexClients((Quadratic(((3,),), (2,)),) * 9 + (Quadratic(((3,),), (1,)),), 2),
)


@pytest.mark.parametrize("name", TRUE)
def test_starts_at_a_minimiser_break_nothing(name: str) -> None:
    for instance in STILL:
        for ratio in (1, None):
            for rounds in (1, 3):
                verdict = check_claim(BY_ID[name], case_of_run(instance, rounds, "1/100", ratio))
                assert verdict.status in ("holds", "vacuous", "inapplicable"), str(verdict)
                assert verdict.status != "inapplicable" or verdict.reason


def test_a_step_without_any_limit_is_outside_the_theorem() -> None:
    verdict = check_claim(BY_ID["T5-free@corrected"], case_of_run(huber("21/2"), 4, "1/2", None))
    assert verdict.status == "inapplicable"
    assert "nothing limits the first step" in verdict.reason


def test_a_run_whose_balls_grow_too_wide_is_left_open() -> None:
    """A kink of log-cosh is steep: after a few rounds no precision in reach tells the steps apart."""
    case = case_of_run(ConvexClients((LogCosh(((100,),)),), 50), 400, "1/100")
    verdict = check_claim(BY_ID["V-one@corrected"], case)
    assert verdict.status in ("inconclusive", "holds")
    assert verdict.status == "holds" or verdict.reason
