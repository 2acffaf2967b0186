"""What the paper prints and the catalogue states since: (12) and (13), Table 2, Theorems 6, 15 and 16; each with mutants."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from sympy import Expr, Rational, exp

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.number import exact
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.kinked import claims, closed_forms
from fltheory.papers.sfl.lower import bounds as lb
from fltheory.papers.sfl.lower import cases
from fltheory.papers.sfl.notation import K, L, M, R, eta, lam, lam0, mu, sigma, zeta
from fltheory.papers.sfl.tasks import claims as tasks
from fltheory.papers.sfl.tasks.cases import Task
from fltheory.runs.measures import LastDistance
from fltheory.verification import find


def statuses(claim: Claim, expr: Expr, at: int = 0) -> set[str]:
    """What a mutant of one bound gives on the claim's own cases."""
    bounds = tuple(replace(b, expr=expr) if i == at else b for i, b in enumerate(claim.bounds))
    return {check_claim(replace(claim, bounds=bounds), case).status for case in claim.cases}


# (12) and (13) ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", find("sfl/I12@printed").cases[:4], ids=str)
def test_the_second_moment_is_that_of_all_orders(case: Case) -> None:
    c = {s.name: Fraction(v) for s, v in case.constants.items() if isinstance(v, int | Fraction)}
    clients, steps, square = case.instance.n_clients, int(c["n_local_steps"]), Fraction(0)
    halves = list(combinations(range(clients), clients // 2))
    for half in halves:
        x = c["start"]
        for client in range(clients):
            for _ in range(steps):
                x -= c["step_size"] * (c["small_curvature"] * x + (1 if client in half else -1) * c["heterogeneity"])
        square += x * x / len(halves)
    assert exact_rational(LastDistance(), algorithms.sequential, case).value == square


def test_the_second_moment_needs_each_of_its_factors() -> None:
    claim = find("sfl/I12@printed")
    kept, left = claims.KEPT, claims.LEFT_BEHIND * eta**2 * zeta**2
    assert "violated" in statuses(claim, claim.bound.expr - left + left * (M - 1) / M)  # draws with replacement
    assert "violated" in statuses(claim, claim.bound.expr - left + left * lam * eta * K / (1 - kept))
    assert "violated" in statuses(claim, claim.bound.expr + left / 1000)
    one = cases.one_round_even(
        small_curvature=1, heterogeneity=1, start=0, n_clients=4, n_local_steps=2, step_size=3, n_rounds=1
    )
    assert check_claim(claim, one).status == "inapplicable"  # the regimes end at 1/lam


def test_13_is_not_that_of_another_t() -> None:
    claim = find("sfl/I13@printed")
    assert "violated" in statuses(claim, claim.bound.expr.subs(K, K + 1))
    assert "violated" in statuses(claim, claim.bound.expr.subs(M, M + 1))


# Table 2 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["zeta@printed", "delta@printed", "H@corrected"])
def test_the_constants_of_table_2_are_the_least(name: str) -> None:
    claim = find(f"sfl/TAB2-{name}")
    assert "violated" in statuses(claim, claim.bound.expr * Rational(99, 100))
    assert claim.bound.side == ("upper" if name == "H@corrected" else "equal")


@pytest.mark.parametrize("constant", [1, 1000, 10**9])
def test_no_lipschitz_constant_serves_where_the_curvature_jumps(constant: int) -> None:
    claim = find("sfl/TAB2-H@printed")
    larger = replace(claim, bounds=(claim.bound.scaled(constant),))
    near = Fraction(1, 10 * constant)
    found = {task: check_claim(larger, Case(Task(task, -near, near))).status for task in tasks.TASKS}
    assert {task for task, status in found.items() if status == "violated"} == set(tasks.KINKED)


def test_one_side_of_the_kink_says_nothing() -> None:
    claim = find("sfl/TAB2-H@printed")
    assert check_claim(claim, Case(Task(5, 1, 2))).status == "holds"
    assert check_claim(claim, Case(Task(5, 1, 1))).status == "inapplicable"
    assert check_claim(find("sfl/TAB2-H-any@strengthened"), Case(Task(5, 1, 2))).status == "inapplicable"


# Theorem 6 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["SC", "GC"])
def test_the_second_noise_term_is_that_small_under_the_condition_only(case: str) -> None:
    claim = find(f"sfl/T6-second-{case}@strengthened")
    most = claim.bounds[1]
    tighter = replace(claim, bounds=(claim.bounds[0], most.scaled("999/1000")))
    assert check_claim(tighter, claim.cases[0]).status == "violated"  # attained at the condition's edge
    free = replace(claim, bounds=tuple(replace(b, conditions=b.conditions[:2]) for b in claim.bounds))
    earlier = Case(claim.cases[0].instance).with_settings(n_rounds=1)
    assert check_claim(claim, earlier).status == "inapplicable"
    assert check_claim(free, earlier).status == "violated"


def test_the_instance_of_theorem_6_is_one_for_all_step_sizes() -> None:
    claim = find("sfl/T6-SC@printed")
    for first, second in zip(claim.cases[:1], claim.cases[1:2], strict=True):
        assert first.constants[eta] != second.constants[eta]
        assert first.instance == second.instance


@pytest.mark.parametrize("name", ["T6-SC", "T6-SC-last"])
def test_theorem_6_as_printed_follows_from_its_constants(name: str) -> None:
    printed, explicit = find(f"sfl/{name}@printed"), find(f"sfl/{name}@explicit")
    assert set(printed.bound.conditions) == set(explicit.bound.conditions)
    for case in printed.cases:
        assert 0 < printed.bound(case.constants) <= explicit.bound(case.constants)
    assert "violated" in statuses(printed, printed.bound.expr / lb.T6_DRIFT * R**2 * L / mu)


# Theorems 15 and 16 -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["T15", "T16"])
def test_server_steps_as_printed_follow_from_the_constants(name: str) -> None:
    printed, explicit = find(f"sfl/{name}@printed"), find(f"sfl/{name}@explicit")
    assert set(printed.bound.conditions) == set(explicit.bound.conditions)
    for case in printed.cases:
        assert printed.bound(case.constants) >= explicit.bound(case.constants)


@pytest.mark.parametrize("name", ["T15", "T16"])
def test_no_constant_saves_a_faster_rate(name: str) -> None:
    claim = find(f"sfl/{name}@printed")
    assert "violated" in statuses(claim, claim.bound.expr / R)


def test_a_server_step_below_one_is_not_meant() -> None:
    case = find("sfl/T15@printed").cases[0].with_settings(server_step_size="1/2")
    assert "server_step_size" in check_claim(find("sfl/T15@printed"), case).reason


# The printed exponents of the tuned rates ------------------------------------------------------------------------

EXPONENTS = ("C4-SC-exponent", "T7-exponent", "PP-SFL-tuned", "PP-PFL-tuned", "C20-tuned")


@pytest.mark.parametrize("name", EXPONENTS)
def test_no_tuned_step_decays_as_fast_as_is_printed(name: str) -> None:
    """exp(-mu R/L), at kappa = 10 and R = 600; with the exponent of the explicit form, a twelfth or a third, all is well."""
    claim = find(f"sfl/{name}@strict")
    (case,) = claim.cases
    assert exact(case.constants[L] / case.constants[mu]) == 10
    assert case.constants[R] == 600
    verdict = check_claim(claim, case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    slower = claim.bound.expr.replace(exp, lambda e: exp(e / (3 if name == "C20-tuned" else 12)))
    assert statuses(claim, slower) <= {"holds", "vacuous"}


@pytest.mark.parametrize("name", EXPONENTS)
def test_the_printed_reading_says_which_exponent_it_has(name: str) -> None:
    printed = find(f"sfl/{name.removesuffix('-exponent')}@printed")
    assert "the exponent of the explicit form" in printed.bound.source.note


# (1) and (2) ------------------------------------------------------------------------------------------------------


def test_a_noisy_round_is_unrolled_with_every_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = find("sfl/J1@printed")
    right = closed_forms.noise_sums
    monkeypatch.setattr(closed_forms, "noise_sums", lambda found, at: right(found, max(at - 1, 0)))
    statuses = [check_claim(claim, case).status for case in claim.cases]
    assert statuses == ["holds", *["violated"] * 4]  # no step has no sign


def test_2_is_tight_where_the_signs_decide_the_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 0 the model is left of 0 where E_n > 0: the split gives nothing away, and a little more is too much.

    Any split is true; with the signs turned over it is a loose one.
    """
    claim = find("sfl/J2@printed")
    (case,) = claims.noisy_cases(4, 1, 0, 1, 1)
    more = replace(claim, bounds=(replace(claim.bound, expr=claim.bound.expr + lam0 * eta * sigma / 1000),))
    assert check_claim(claim, case).status == "vacuous"  # 0 <= 0
    assert check_claim(more, case).status == "violated"
    right = closed_forms.noise_sums
    monkeypatch.setattr(closed_forms, "noise_sums", lambda found, at: [-v for v in right(found, at)])
    assert check_claim(more, case).status == "holds"
