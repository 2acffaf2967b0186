"""Claims and verdicts: five words, each reached for its reason; truth first."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import joblib
import numpy as np
import pytest
import sympy
from sympy import Rational, sqrt

from fltheory.claims.check import CASE_RATE, check_claim
from fltheory.claims.claim import Claim
from fltheory.claims.ids import first_part, paper_of
from fltheory.evidence.verdict import STATUSES, Verdict, decisive_verdict
from fltheory.model.bound import Bound, Source
from fltheory.model.case import Assumption, Case
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.claims import upper_strongly_convex
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import NUMBER, DirectMeasure, LastDistance, LastGap
from fltheory.symbols import (
    heterogeneity_at_optimum,
    initial_distance,
    initial_gap,
    n_clients,
    n_local_steps,
    n_rounds,
    smoothness,
    step_size,
    strong_convexity,
)
from fltheory.verification import find, verify

HERE = Source("sfl", "a test", "corrected")
SHRINK = Algorithm("half", lambda x, oracle, c: x / 2)
ONE = QuadraticClients((1,), (0,), 1)
CASE = Case(ONE, n_rounds=1, n_local_steps=1, step_size="1/2")
GAP = initial_gap / 4  # what halving gives exactly: (1/2)^2 of the gap at the start


def claim(expr, side="upper", measure=None, algorithm=SHRINK, **fields):
    bound = Bound(sympy.sympify(expr), HERE, side=side, conditions=fields.pop("conditions", ()))
    return Claim("sfl/test@corrected", "a test", (bound,), measure or LastGap(), algorithm, **fields)


# The five words


def test_holds_and_violated_and_the_tie():
    """The measured value is exactly a quarter of the gap at the start: a tie holds for both sides and for equality."""
    for side in ("upper", "lower", "equal"):
        assert check_claim(claim(GAP, side), CASE).status == "holds"
    below, above = GAP * (1 - Rational(1, 10**40)), GAP * (1 + Rational(1, 10**40))
    assert [check_claim(claim(below, s), CASE).status for s in ("upper", "lower", "equal")] == [
        "violated",
        "holds",
        "violated",
    ]
    assert [check_claim(claim(above, s), CASE).status for s in ("upper", "lower", "equal")] == [
        "holds",
        "violated",
        "violated",
    ]


def test_a_tie_with_an_irrational_limit_is_settled_or_left_open_but_never_wrong():
    """D = sqrt(2): D^2 is exact again; sqrt(8)/2 D is the same number in other words."""
    case = Case(QuadraticClients(((1, 1),), ((0, 0),), (1, 1)), n_rounds=1, n_local_steps=1, step_size="1/2")
    tight = smoothness * initial_distance**2 / 8
    assert check_claim(claim(tight), case).status == "holds"
    assert check_claim(claim(tight, "lower"), case).status == "holds"
    odd = smoothness * sqrt(initial_distance**4 + initial_distance**2 / smoothness * 0) / 8
    assert check_claim(claim(odd), case).status in ("holds", "inconclusive")


def test_vacuous_where_the_bound_exceeds_the_trivial_one_and_violated_beats_it():
    assert check_claim(claim(smoothness * initial_distance**2), CASE).status == "vacuous"
    assert check_claim(claim(smoothness * initial_distance**2 / 2), CASE).status == "holds"
    double = Algorithm("double", lambda x, oracle, c: 8 * x)
    assert check_claim(claim(smoothness * initial_distance**2, algorithm=double), CASE).status == "violated"


def test_a_lower_bound_that_is_not_positive_is_vacuous():
    assert check_claim(claim(initial_gap * 0 + initial_gap - 2 * initial_gap, "lower"), CASE).status == "vacuous"


def test_inconclusive_says_why():
    case = Case(
        PiecewiseQuadraticClients((1, 1), (2, 1), (1, -1), 1, 1, "uniform"),
        n_rounds=20,
        n_local_steps=2,
        step_size="1/10",
    )
    verdict = check_claim(claim(initial_gap * 1000, algorithm=algorithms.fixed_order, measure=LastGap()), case)
    assert verdict.status in ("inconclusive", "vacuous")
    close = claim(initial_gap, algorithm=algorithms.fixed_order)
    verdict = check_claim(close, case)
    assert verdict.status == "inconclusive"
    assert "lower confidence limit" in verdict.reason


def test_inapplicable_names_the_assumption_the_condition_or_the_constant():
    never = Assumption("clients are polite", lambda case: "they are not")
    assert check_claim(claim(GAP, assumptions=(never,)), CASE).reason == "clients are polite: they are not"
    verdict = check_claim(claim(GAP, conditions=(step_size <= 1 / (6 * smoothness),)), CASE)
    assert verdict.status == "inapplicable"
    assert verdict.reason == "the condition step_size <= 1/(6*smoothness) fails"
    assert "n_clients is missing" not in verdict.reason
    missing = check_claim(claim(GAP * n_local_steps), Case(ONE, n_rounds=1))
    assert (missing.status, missing.reason[:24]) == ("inapplicable", "n_local_steps is missing")
    unstated = check_claim(claim(GAP), Case(ONE, n_local_steps=1))
    assert unstated.status == "inapplicable"
    assert "n_rounds" in unstated.reason


def test_a_broken_algorithm_is_not_a_violation():
    for step, words in (
        (lambda x, oracle, c: x * np.nan, "NaN"),
        (lambda x, oracle, c: x[:, 0], "expected an array of shape"),
        (lambda x, oracle, c: x - c.nothing, "nothing is not a known constant"),
    ):
        verdict = check_claim(claim(GAP, algorithm=Algorithm("mine", step)), CASE)
        assert verdict.status == "inapplicable"
        assert words in verdict.reason


def test_an_external_result_is_not_asserted():
    verdict = check_claim(replace(claim(GAP), measure=None), CASE)
    assert verdict.status == "inapplicable"
    assert "compared, not asserted" in verdict.reason


# Truth first


def test_a_user_instance_with_wrong_constants_is_caught_not_called_a_counterexample():
    class Boaster(QuadraticClients):
        @property
        def constants(self):
            return {**super().constants, smoothness: Fraction(1, 2), initial_distance: Fraction(1, 100)}

    case = Case(Boaster((1, 1), (1, -1), 1), n_rounds=100, n_local_steps=1, step_size="1/12")
    verdict = check_claim(upper_strongly_convex, case)
    assert verdict.status == "inapplicable"
    assert "smoothness" in verdict.reason or "initial_distance" in verdict.reason


def test_a_mutant_with_a_scaled_bound_is_violated():
    """The smallest ratio of the true claim on its own cases, made half as large again, is what breaks it."""
    true = verify(upper_strongly_convex)
    assert true.status == "holds"
    (bound,) = upper_strongly_convex.bounds
    ratios = [check_claim(upper_strongly_convex, c).ratio for c in upper_strongly_convex.cases]
    mutant = replace(upper_strongly_convex, bounds=(bound.scaled(Fraction(max(ratios)) * Fraction(2, 3)),))
    verdict = verify(mutant)
    assert verdict.status == "violated"
    assert verdict.ratio == pytest.approx(1.5, rel=1e-9)
    assert verdict.measured > verdict.limit


def test_a_wrong_algorithm_is_violated_by_a_true_bound():
    backwards = algorithms.sequential._replace(step=lambda x, oracle, c: x + c.step_size * oracle.gradient(x, 0))
    case = Case(QuadraticClients((1, 1), (0, 0), 1), n_rounds=200, n_local_steps=1, step_size="1/12")
    assert check_claim(upper_strongly_convex, case).status == "holds"
    verdict = check_claim(replace(upper_strongly_convex, algorithm=backwards), case)
    assert verdict.status == "violated"
    assert verdict.evidence == "exact"


def test_a_violation_beyond_the_floats_is_still_a_violation():
    explode = Algorithm("explode", lambda x, oracle, c: 10**200 * x)
    verdict = check_claim(claim(GAP, algorithm=explode), Case(ONE, n_rounds=3, n_local_steps=1))
    assert verdict.status == "violated"
    assert verdict.ratio is None or verdict.ratio > 1


def test_a_simulated_violation_is_found_without_a_ceiling():
    """Uniform noise, a kink and a step of one's own: only statistics can tell, and they do."""
    instance = PiecewiseQuadraticClients((1, 1), (2, 1), (1, -1), 3, 1, "uniform")
    away = Algorithm("away", lambda x, oracle, c: x + c.step_size * oracle.gradient(x, oracle.order().T[0]))
    case = Case(instance, n_rounds=20, n_local_steps=1, step_size="1/10")
    verdict = check_claim(claim(initial_gap, algorithm=away), case)
    assert (verdict.status, verdict.evidence) == ("violated", "statistical")
    assert 0 < verdict.error_rate <= 1e-6
    assert verdict.measured > verdict.limit


def test_a_simulated_bound_holds_where_a_ceiling_is_known():
    instance = PiecewiseQuadraticClients((1, 1), (2, 1), (1, -1), 3, "1/10", "uniform")
    case = Case(instance, n_rounds=300, n_local_steps=1, step_size="1/10")
    verdict = check_claim(claim(initial_gap, algorithm=algorithms.sequential), case)
    assert (verdict.status, verdict.evidence) == ("holds", "statistical")


# Several bounds, several cases


def test_a_two_sided_claim_shares_the_error_rate_and_reports_the_side_that_decides():
    instance = PiecewiseQuadraticClients((1, 1), (2, 1), (1, -1), 3, "1/10", "uniform")
    case = Case(instance, n_rounds=300, n_local_steps=1, step_size="1/10")
    low = Bound(initial_gap * 2, HERE, side="lower")
    both = replace(claim(initial_gap, algorithm=algorithms.sequential), bounds=(claim(initial_gap).bound, low))
    verdict = check_claim(both, case, error_rate=1e-4)
    assert verdict.status == "violated"
    assert verdict.error_rate == pytest.approx(5e-5)


def test_the_gravest_verdict_decides():
    made = [Verdict("x", s, "holds", CASE, ratio=r) for s, r in (("holds", 0.5), ("vacuous", 0.1), ("holds", 0.9))]
    assert decisive_verdict(made).status == "vacuous"
    assert decisive_verdict(made[::2]).ratio == 0.9
    for i, status in enumerate(STATUSES[:-1]):
        rest = [Verdict("x", s, "holds", CASE) for s in STATUSES[i:]]
        assert decisive_verdict(reversed(rest)).status == status


def test_every_case_has_its_own_error_rate():
    """Whatever is asked beside it: the same verdict alone and among others."""
    instance = PiecewiseQuadraticClients((1, 1), (2, 1), (1, -1), 3, "1/10", "uniform")
    case = Case(instance, n_rounds=300, n_local_steps=1, step_size="1/10")
    many = claim(initial_gap, algorithm=algorithms.sequential, cases=(case, case.with_settings(n_rounds=301)))
    verdict = verify(many)
    assert verdict.cases == 2
    assert verdict.error_rate == pytest.approx(CASE_RATE)
    alone = verify(many, case)
    assert (alone.error_rate, alone.measured) == (verdict.error_rate, verify(many, many.cases[0]).measured)


def test_verify_without_cases_asks_for_an_instance():
    with pytest.raises(ValueError, match="no cases of its own"):
        verify(claim(GAP))
    assert verify(claim(GAP), ONE, n_rounds=1).status == "holds"
    assert verify(claim(GAP), CASE).status == "holds"


def test_jobs_do_not_change_a_verdict():
    instance = PiecewiseQuadraticClients((1, 1), (2, 1), (1, -1), 3, "1/2", "uniform")
    cases = [Case(instance, n_rounds=r, n_local_steps=1, step_size="1/10") for r in (5, 50)]
    one = claim(initial_gap, algorithm=algorithms.sequential)
    found = []
    for jobs in (1, 2, 3):
        verdicts = joblib.Parallel(n_jobs=jobs, prefer="threads")(joblib.delayed(check_claim)(one, c) for c in cases)
        found.append([replace(v, seconds=0.0) for v in verdicts])
    assert found[0] == found[1] == found[2]


# Tuning, modes, direct measures


def test_tuning_sets_the_step_exactly():
    tuned = claim(GAP, tuning=((step_size, 1 / (6 * smoothness * n_clients)),))
    assert tuned.prepared(Case(ONE, n_rounds=1)).constants[step_size] == Fraction(1, 6)
    irrational = claim(GAP, tuning=((step_size, sqrt(2) / smoothness),))
    assert irrational.prepared(CASE).constants[step_size] == sqrt(2)
    verdict = check_claim(claim(GAP, tuning=((step_size, 1 / strong_convexity / n_rounds),)), Case(ONE))
    assert verdict.status == "inapplicable"
    assert "n_rounds missing, needed for step_size" in verdict.reason


def test_surely_means_every_course():
    """In expectation the walk stays below; one of its courses doesn't."""
    instance = PiecewiseQuadraticClients((1, 1), (1, 1), (1, -1), 2)
    case = Case(instance, n_rounds=1, n_local_steps=1, step_size="1/2")
    half = Algorithm(
        "one client",
        lambda x, oracle, c: x - c.step_size * oracle.gradient(x, oracle.order().T[0]) * (1 + oracle.order()[:, :1]),
    )
    limit = (step_size * heterogeneity_at_optimum) ** 2 * (
        n_clients + Rational(3, 5)
    )  # between the mean 5/8 and the worst 1
    scale = Bound(limit, HERE)
    plain = Claim("sfl/t@corrected", "", (scale,), LastDistance(), half)
    assert check_claim(plain, case).measured == pytest.approx(0.625)
    assert check_claim(plain, case).status == "holds"
    assert check_claim(replace(plain, mode="surely"), case).status == "violated"


def test_lower_bounds_cannot_hold_surely_on_runs():
    with pytest.raises(ValueError, match="only upper bounds"):
        claim(GAP, "lower", mode="surely")


def test_direct_measures_are_compared_exactly():
    count = DirectMeasure("M", lambda case, ring: ring.scalar(case.constants[n_clients]), NUMBER)
    for factor, status in ((1, "holds"), (Rational(99, 100), "violated")):
        made = Claim("sfl/t@corrected", "", (Bound(n_clients * factor, HERE),), count)
        assert check_claim(made, Case(QuadraticClients((1, 1), (0, 0), 1))).status == status


# Verdicts


def test_a_verdict_is_no_truth_value():
    with pytest.raises(TypeError, match="five states"):
        bool(check_claim(claim(GAP), CASE))


def test_a_witness_replays():
    """The line is self-contained Python: run it, and it prints the same verdict."""
    mutant = replace(upper_strongly_convex, bounds=(upper_strongly_convex.bound.scaled(Fraction(1, 100)),))
    verdict = verify(mutant)
    assert verdict.status == "violated"
    printed: list[str] = []
    exec(verdict.counterexample, {"print": lambda v: printed.append(str(v)), "claim": mutant})
    assert printed == [str(check_claim(mutant, verdict.case))]
    known = verify("sfl/T3-SC@strict")
    assert known.status == known.recorded == "violated"
    exec(known.counterexample, {"print": lambda v: printed.append(str(v))})
    assert printed[-1] == str(check_claim(find("sfl/T3-SC@strict"), known.case))


def test_verdicts_print_what_matters():
    text = str(check_claim(claim(GAP / 2), CASE))
    assert text.startswith("sfl/test@corrected: violated (ratio 2, exact), measured 0.125 > limit 0.0625")
    assert "counterexample (claim: the one you checked): " in text
    assert "counterexample" not in str(check_claim(claim(GAP), CASE))


def test_an_unknown_id_lists_its_neighbours():
    with pytest.raises(KeyError, match="T3-SC"):
        find("sfl/T3-S")


def test_assumptions_of_the_first_claim_are_the_theorems():
    names = {a.name for a in upper_strongly_convex.assumptions}
    assert assume.strongly_convex.name in names
    assert assume.full_participation.name in names
    kinked = Case(QuadraticClients((1, 0), (1, -1), 1), n_rounds=9, n_local_steps=1, step_size="1/12")
    assert check_claim(upper_strongly_convex, kinked).reason.endswith("strong_convexity is 0")


# What is no claim, no case, no profile


def test_claims_that_say_nothing_measurable_are_refused():
    with pytest.raises(ValueError, match="needs a bound"):
        Claim("sfl/test@corrected", "a test", (), LastGap(), SHRINK)
    with pytest.raises(ValueError, match="powers of"):
        check_claim(claim(initial_distance), CASE)
    with pytest.raises(ValueError, match="give the algorithm"):
        claim(GAP, algorithm=None)
    assert check_claim(claim(sympy.Integer(1)), CASE).status in ("holds", "vacuous")


def test_a_limit_without_a_real_value_gives_no_verdict():
    verdict = check_claim(claim(GAP * sqrt(n_rounds - 2)), CASE)
    assert (verdict.status, "has no real value here" in verdict.reason) == ("inapplicable", True)


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        (("sfl/T3-SC@corrected", 3), {}, "instance"),
        ((3,), {}, "claim must be"),
        (("sfl/T3-SC@corrected",), {"profile": "nope"}, "profile must be quick or full"),
        (("sfl/T3-SC@corrected",), {"seed": -1}, "seed must be"),
        (("sfl/T3-SC@corrected",), {"seed": 2**63}, "seed must be"),
    ],
)
def test_mistakes_in_the_arguments_of_verify_are_named(arguments, settings, words):
    with pytest.raises(ValueError, match=words):
        verify(*arguments, **settings)


def test_lists_are_as_good_as_tuples() -> None:
    """Whoever writes a theorem may give lists; what is no list is told by name."""
    claim = find("sfl/T3-SC@corrected")
    listed = replace(claim, assumptions=list(claim.assumptions), cases=list(claim.cases), bounds=list(claim.bounds))
    assert (listed, hash(listed)) == (claim, hash(claim))
    assert check_claim(listed, listed.cases[0]).status == check_claim(claim, claim.cases[0]).status
    with pytest.raises(ValueError, match="cases must be a tuple or a list"):
        replace(claim, cases=claim.cases[0])
    with pytest.raises(ValueError, match=r"assumptions must be of fltheory.runs.assumptions.*'convex'"):
        replace(claim, assumptions=["convex"])


@pytest.mark.parametrize(
    ("claim_id", "paper", "first"),
    [
        ("sfl/T3-SC@corrected", "sfl", "sfl/T3"),
        ("osmd/F1-text-close@printed", "osmd", "osmd/F1"),
        ("my-paper/T1", "my-paper", "my-paper/T1"),
        ("my-paper/a@b-c", "my-paper", "my-paper/a"),
        ("sfl", "sfl", "sfl"),
    ],
)
def test_parts_of_an_id(claim_id: str, paper: str, first: str) -> None:
    assert (paper_of(claim_id), first_part(claim_id)) == (paper, first)
