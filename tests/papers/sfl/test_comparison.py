"""Comparisons of `sfl`: mutants, and the proven limits of long runs against enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.comparison import closed_forms
from fltheory.papers.sfl.comparison.claims import table1, thresholds
from fltheory.papers.sfl.instances.lemmas import Parameters
from fltheory.papers.sfl.instances.quadratics import table_2
from fltheory.problems.separable import PiecewiseQuadraticClients, SeparableClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.method import NotEnumerable
from fltheory.verification import find
from tests.typed import instance_of

CLAIMS = (*table1.CLAIMS, *thresholds.CLAIMS)


def test_external_results_are_evaluated_but_not_asserted() -> None:
    external = [c for c in CLAIMS if c.kind == "external"]
    assert len(external) == 11
    case = table1.POINTS[0]
    for claim in external:
        assert claim.bound(case.constants) > 0
        assert check_claim(claim, case).status == "inapplicable"


@pytest.mark.parametrize("name", ["S5.2-SC", "S5.2-GC", "S4.3-GC@corrected", "C4-limit-SC", "S5.2-SC-behind"])
def test_thresholds_are_needed(name: str) -> None:
    claim = find(f"sfl/{name}" if "@" in name else f"sfl/{name}@explicit")
    unguarded = replace(claim, bounds=tuple(replace(b, conditions=()) for b in claim.bounds))
    values = {
        "n_clients": 10,
        "n_local_steps": 5,
        "n_rounds": 40,
        "smoothness": 1,
        "strong_convexity": "1/2",
        "noise_std": 0,
        "noise_std_at_optimum": 0,
        "heterogeneity": 1,
        "heterogeneity_at_optimum": 1,
        "max_heterogeneity": 1,
        "heterogeneity_slope": 0,
        "initial_distance": 3,
        "initial_gap": 1,
    }
    changes: dict[str, dict[str, object]] = {
        "S4.3-GC@corrected": {"heterogeneity_at_optimum": "1/100"},
        "C4-limit-SC": {"noise_std": "1/100"},
        "S5.2-SC-behind": {"heterogeneity_at_optimum": 0, "max_heterogeneity": 0, "n_rounds": 2},
    }
    case = Case(Parameters(**{**values, **changes.get(name, {})}))
    assert check_claim(claim, case).status == "inapplicable"
    assert check_claim(unguarded, case).status == "violated"


def test_the_ratio_of_table_1_is_not_its_square_root() -> None:
    claim = find("sfl/TAB1-zeta-SC@printed")
    mutant = replace(claim, bounds=(replace(claim.bound, expr=claim.bound.expr**2),))
    assert {check_claim(mutant, case).status for case in claim.cases} == {"violated"}


# Long runs ------------------------------------------------------------------------------------------------------


def enumerated_gap(case: Case) -> float:
    states, weights = enumerate_runs(algorithms.sequential, case, BALL)
    gaps = instance_of(case, SeparableClients).gap(states[:, -1])
    return float(sum((g * w for g, w in zip(gaps, weights, strict=True)), BALL.scalar(0)).mid())


@pytest.mark.parametrize("task", [4, 5, 9])
@pytest.mark.parametrize("atoms", [4, 800])
def test_intervals_contain_the_enumerated_error(task: int, atoms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_forms, "ATOMS", atoms)
    closed_forms.intervals.cache_clear()
    case = Case(table_2(task, "3/2"), step_size="1/20", n_local_steps=4, n_rounds=7)
    low, high = closed_forms.intervals(case)
    closed_forms.intervals.cache_clear()
    exact = enumerated_gap(case)
    assert low <= exact <= high
    assert atoms == 4 or high - low < 1e-4 * high
    assert atoms == 800 or high - low > 1e-3 * high  # merging is visible, so the containment says something


def test_intervals_serve_three_clients_of_different_curvatures() -> None:
    clients = PiecewiseQuadraticClients((2, 1, "1/2"), (1, 1, 2), (1, -3, 2), 1)
    case = Case(clients, step_size="1/10", n_local_steps=2, n_rounds=4)
    low, high = closed_forms.intervals(case)
    assert low <= enumerated_gap(case) <= high


@pytest.mark.parametrize(
    ("clients", "words"),
    [
        (table_2(5), "too large"),
        (PiecewiseQuadraticClients((1, 1), (1, 0), (1, -1), 1), "without curvature"),
        (PiecewiseQuadraticClients((1, 2), (1, 1), (1, -1), 1, noise_std=1), "no noise"),
    ],
)
def test_intervals_refuse_what_they_cannot_prove(clients: PiecewiseQuadraticClients, words: str) -> None:
    with pytest.raises(NotEnumerable, match=words):
        closed_forms.intervals(Case(clients, step_size="3/5", n_local_steps=1, n_rounds=2))


@pytest.mark.parametrize("task", [2, 4])
def test_the_error_of_pfl_is_that_of_its_path(task: int) -> None:
    case = Case(table_2(task), step_size="1/10", n_local_steps=10, n_rounds=30)
    path = rollout(algorithms.parallel, case, 1)
    gap = float(instance_of(case, SeparableClients).gap(path[:, -1])[0])
    assert float(closed_forms.last_gap(case, parallel=True).mid()) == pytest.approx(gap, rel=1e-9)


@pytest.mark.parametrize(
    ("task", "inverse", "parallel", "sequential"),
    [(2, 10, 2.5e-2, 1.5e-2), (4, 10, 3.2e-3, 2.1e-2), (5, 10, 9.0e-3, 2.6e-2), (3, 100, 1.1e-3, 1.7e-5)],
)
def test_long_run_errors_of_table_2(task: int, inverse: int, parallel: float, sequential: float) -> None:
    case = Case(table_2(task), step_size=Fraction(1, inverse), n_local_steps=10, n_rounds=4 * inverse)
    halved = case.with_settings(step_size=Fraction(1, 2 * inverse))
    assert float(closed_forms.last_gap(case, parallel=True).mid()) == pytest.approx(parallel, rel=0.05)
    assert float(closed_forms.last_gap(halved).mid()) == pytest.approx(sequential, rel=0.06)


def test_what_is_out_of_reach_is_inconclusive_and_says_so() -> None:
    claim = find("sfl/S6.1@corrected")
    case = Case(table_2(4), step_size="1/1000", n_local_steps=10, n_rounds=50_000)
    verdict = check_claim(claim, case)
    assert verdict.status == "inconclusive"
    assert "can't be computed" in verdict.reason


def test_a_run_that_still_remembers_its_start_is_no_case() -> None:
    claim = find("sfl/S6.1@corrected")
    case = Case(table_2(2), step_size="1/1000000", n_local_steps=10, n_rounds=10**6)
    assert check_claim(claim, case).status == "inapplicable"
