"""(56), (57), predictable comparators and Appendix D.2: what is measured, found by other ways, and what must not pass."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import Integer, Rational

from fltheory import find, verify
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.osmd.algorithms import draws
from fltheory.papers.osmd.claims.projected import AT_ITS_OWN, AWAY, LOOKING, WALKS
from fltheory.papers.osmd.data.comparators import OWN, ActiveOnce, Away, Looking, Walk
from fltheory.papers.osmd.exact import enumeration as law


def _scaled(id: str, factor: Rational) -> Claim:
    claim = find(id)
    (bound,) = claim.bounds
    return replace(claim, bounds=(replace(bound, expr=bound.expr * factor),))


@pytest.mark.parametrize("case", WALKS)
def test_what_moving_costs_is_the_sum_over_rounds(case: Case[Walk]) -> None:
    one, found, allowed = case.instance, Fraction(0), Fraction(0)
    for q, a in zip(one.q, one.feedback, strict=True):
        moved, n = law.moved_inside(q, one.floor), one.n_sampled
        assert sum(moved) == 1
        assert min(moved) >= Fraction(one.floor) / len(q)
        found += sum(Fraction(v) / w - (Fraction(v) / u if v else 0) for v, w, u in zip(a, moved, q, strict=True)) / n
        allowed += law.loss_of_moving(q, one.floor) * Fraction(law.loss(a, q)) / n
    assert (one.dearer, one.allowed) == (found, allowed)


@pytest.mark.parametrize("id", ["osmd/C-56@corrected", "osmd/C-56-step@printed"])
def test_a_tenth_less_is_refuted(id: str) -> None:
    assert verify(find(id), WALKS[-2]).status == "holds"
    assert verify(_scaled(id, Rational(8, 10)), WALKS[-2]).status == "violated"


def test_one_draw_takes_the_printed_line_to_the_corrected_one() -> None:
    one = Case(Walk(((1, 20),), ((0, 1),), 1, "1/2"))
    assert verify(find("osmd/C-56@printed"), one).status == "holds"
    assert verify(find("osmd/C-56@printed"), Case(Walk(((1, 20),), ((0, 1),), 2, "1/2"))).status == "violated"


def test_moving_inside_takes_comparators_no_farther_apart_by_as_much_as_nothing() -> None:
    claim = find("osmd/C-57@sharpened")
    (bound,) = claim.bounds
    less = replace(claim, bounds=(replace(bound, expr=Integer(-1)),))
    assert [verify(claim, case).status for case in claim.cases] == ["holds"] * len(claim.cases)
    assert verify(less, claim.cases[-1]).status == "violated"


def test_a_comparator_with_its_own_draws_in_sight_pays_less_than_its_loss() -> None:
    estimated, true = AT_ITS_OWN.instance.means
    assert estimated < true
    blind = Looking(*(AT_ITS_OWN.instance.feedback, AT_ITS_OWN.instance.masses), (2, 1), (2, 1), looks_at=OWN)
    assert blind.means[0] == blind.means[1], "it looks, and does the same whatever it sees"
    for case in LOOKING:
        assert verify(find("osmd/C-comparator@corrected"), case).status == "holds"
    assert verify(find("osmd/C-comparator@corrected"), AT_ITS_OWN).status == "inapplicable"


@pytest.mark.parametrize("case", AWAY)
def test_estimates_of_the_active_are_those_of_simulated_draws(case: Case[Away]) -> None:
    one, n = case.instance, 4000
    p = np.tile([float(v) for v in one.p], (n, 1))
    here = np.tile([float(v) for v in one.here], (n, 1))
    _, weights = draws.draw_active(p, here, one.n_sampled, 3, np.arange(n), 1)
    x = np.array([[float(v) for v in row] for row in one.x])
    told = {tuple(round(float(v), 9) for v in estimate) for estimate, _ in one.estimates}
    seen = {tuple(np.round(row, 9) + 0.0) for row in weights @ x}
    assert seen <= told
    assert sum((chance for _, chance in one.estimates), Fraction(0)) == 1


def test_other_probabilities_are_biased_for_the_active() -> None:
    one = AWAY[1].instance
    p = np.array(one.p, dtype=object)[None]  # not rescaled
    counts = np.array([[Fraction(v) for v in row] for row in np.eye(3, dtype=int)], dtype=object)
    weights = draws.active_weights(np.repeat(p, 3, axis=0), counts, np.zeros((3, 1), bool))
    mean = sum(
        q * w * row[0]
        for chance, w_row in zip(draws.among(p, np.array([[1, 0, 1]]))[0], weights, strict=True)
        for q, w, row in [(chance, w_row[k], one.x[k]) for k in range(3)]
    )
    assert mean != one.sum_of(one.here)[0]


def test_a_client_that_comes_back_keeps_the_run_nearer() -> None:
    once, often = ActiveOnce("1/2", 40), ActiveOnce("1/2", 40, every=1)
    assert abs(often.end) == 0 < 1 - abs(once.end) < Fraction(1, 1000)
    assert verify(find("osmd/C-D2-once@explicit"), Case(ActiveOnce("1/2", 40, every=2))).status == "violated"
