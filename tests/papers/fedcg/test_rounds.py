"""Theorem 4.3 beside Theorem 3.5 at equal numbers of rounds: mutants, and the difference by other means."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isqrt

import pytest

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.guarantees.cases import Promise
from fltheory.papers.fedcg.guarantees.claims import rounds
from fltheory.papers.fedcg.notation import Q, m_max
from tests.typed import instance_of

BY_ID = {c.id.removeprefix("fedcg/"): c for c in rounds.CLAIMS}


def with_bound(name: str, factor: object) -> bool:
    """Whether the claim with its bound times a factor is violated on one of its cases."""
    claim = BY_ID[name]
    changed = replace(claim.bounds[0], expr=claim.bounds[0].expr * factor)
    mutant = replace(claim, bounds=(changed,), cases=())
    return any(check_claim(mutant, case).status == "violated" for case in claim.cases)


def by_hand(one: Promise, tuned: bool = False) -> Fraction:
    """What the local steps add, written down again from the two displays, term by term."""
    root = Fraction(isqrt(one.n_rounds), isqrt(one.n_sampled)) / Fraction(one.root)  # sqrt(R/(K delta))
    length = isqrt(one.rank) ** 3 * Fraction(one.lipschitz_sum)
    error = one.rank * Fraction(one.estimate_error)
    if not tuned:
        return (2 * error + 2 * one.step * length) * (1 + root)
    return 2 * error * (1 + root / one.n_rounds) + 2 * length * (1 + root) / one.n_rounds


@pytest.mark.parametrize("name", ["T4.3-rounds@corrected", "T4.3-rounds-tuned@corrected"])
def test_what_local_steps_add_is_the_difference_of_both_bounds(name: str) -> None:
    for case in BY_ID[name].cases:
        verdict = check_claim(BY_ID[name], case)
        expected = by_hand(instance_of(case, Promise), "tuned" in name)
        assert verdict.status == "holds"
        assert verdict.measured == pytest.approx(float(expected))


def test_without_drift_and_error_both_theorems_are_one() -> None:
    for case in rounds.ONE_STEP:
        assert check_claim(BY_ID["T4.3-rounds@corrected"], case).measured == 0


@pytest.mark.parametrize("factor", [Fraction(99, 100), Fraction(101, 100)])
@pytest.mark.parametrize("name", ["T4.3-rounds@corrected", "T4.3-rounds-tuned@corrected"])
def test_another_factor_of_what_local_steps_cost_is_wrong(name: str, factor: Fraction) -> None:
    assert with_bound(name, factor)


def test_half_of_the_drift_is_cheaper(monkeypatch: pytest.MonkeyPatch) -> None:
    cheaper = replace(bounds.T43, expr=bounds.T43.expr.xreplace({Q: Q / 2}))
    monkeypatch.setattr(bounds, "T43", cheaper)
    claim = BY_ID["T4.3-rounds@corrected"]
    fresh = (Case(case.instance) for case in rounds.DRIFTING)
    assert any(check_claim(claim, case).status == "violated" for case in fresh)


def test_half_the_printed_term_is_below_some_optimum() -> None:
    assert with_bound("T4.3-vacuous@strengthened", Fraction(1, 2))
    assert m_max in BY_ID["T4.3-vacuous@strengthened"].bounds[0].expr.free_symbols
