"""The proof of Theorem 5.1 display by display: mutants, and its rational runs by other means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.statement import constants_of, quantity_measure
from fltheory.games.play import simulate_rounds
from fltheory.model.case import Case
from fltheory.number.vectors import total
from fltheory.papers.aaggff.algorithms import aaggff_s
from fltheory.papers.aaggff.bounds import T51
from fltheory.papers.aaggff.instances.lemmas import Vector, dot
from fltheory.papers.aaggff.newton import families as strategies_newton
from fltheory.papers.aaggff.newton.claims import proof51
from fltheory.papers.aaggff.newton.claims.proof51 import constants, parts
from fltheory.papers.aaggff.newton.claims.proof51.parts import PAPERS, RUNS, STEEP, run_of
from fltheory.papers.aaggff.newton.closed_forms.newton import NewtonRun, least_on_simplex, newton_run
from fltheory.papers.aaggff.notation import alpha
from fltheory.papers.aaggff.transforms.claims.ranges import at_range
from fltheory.problems.responses import ResponseTable
from fltheory.runs.method import NotEnumerable

BY_ID = {c.id.removeprefix("aaggff/"): c for c in proof51.CLAIMS}


def mutated(claim: str, quantity: Callable[[NewtonRun, Vector], Fraction], case: Case) -> bool:
    """Whether the claim fails on a case where it measures another quantity of the run and p*."""
    measure = quantity_measure(lambda one, c: quantity(run_of(one, c), one.comparator), name="a mutant")
    return check_claim(replace(BY_ID[claim], measure=measure), case).status == "violated"


def run_at(case: Case) -> NewtonRun:
    return run_of(case.instance, constants_of(case))


# Mutants of what is compared with 0 -----------------------------------------------------------------------------------

HALF = Fraction(1, 2)
MUTANTS: dict[str, Callable[[NewtonRun, Vector], Fraction]] = {
    "66@printed": lambda run, p: run.linearised(p) - run.first(p) - run.second(p) + run.third,
    "67@printed": lambda run, p: (
        run.regulariser(run.n_rounds, p) - run.alpha / 2 * dot(p, p) - 2 * parts.in_norms(run, p)
    ),
    "68-first@printed": lambda run, p: run.regulariser(run.n_rounds, p) - run.first(p),
    "68@corrected": lambda run, p: parts.beyond_68(run, p, run.decisions[1]),
    "68-whole@strengthened": lambda run, p: run.first(p) - run.alpha / 2 * dot(p, p) - run.beta / 2 * run.squares(p),
    "68-second@printed": lambda run, p: run.leader(1, p) - run.leader(1, run.decisions[1]),
    "71@printed": lambda run, p: total(
        run.regulariser(t, q) - run.regulariser(t + 1, q) for t, q in enumerate(run.decisions[1:-1])
    ),
    "74-holder@printed": lambda run, p: constants.beyond_product(run, p, Fraction(1, 10)),
    "74-holder@strengthened": lambda run, p: constants.beyond_product(run, p, Fraction(1, 4)),
    "76-round@explicit": lambda run, p: max(
        abs(run.beta * cost / 2 - run.beta * cost) for cost in run.costs
    ),  # half the cost
    "78-trace@printed": lambda run, p: constants.trace(run) - constants.lengths(run),
    "78-each@corrected": lambda run, p: (
        constants.lengths(run) - len(p) * max(max(map(abs, g)) for g in run.gradients) ** 2 / 2
    ),
}


@pytest.mark.parametrize("claim", sorted(MUTANTS))
def test_a_mutant_of_each_identity_fails(claim: str) -> None:
    assert mutated(claim, MUTANTS[claim], RUNS[0]) or mutated(claim, MUTANTS[claim], RUNS[1])


def test_nothing_that_is_compared_with_0_lacks_a_mutant() -> None:
    others = {"73@corrected", "81@printed"}
    zero = {
        id
        for id, c in BY_ID.items()
        if c.entry.recorded == "holds" and any(b.expr == 0 for b in c.bounds) and c.kind == "lemma"
    }
    assert zero == others | set(MUTANTS)


def test_beyond_the_window_the_curvature_takes_off_too_much() -> None:
    """(73) fails for β above β*(V) as soon as p* loses what p⁽ᵗ⁾ wins, however little above."""
    claim = BY_ID["73@corrected"]
    free = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    low, high = (parts.short_run("1/10", beta, (("1/10", 0),), (0, 1), high="1/10") for beta in ("9/10", 2))
    assert check_claim(free, low).status == "holds"
    assert check_claim(free, high).status == "violated"


def test_alpha_of_81_is_the_one_that_is_set() -> None:
    claim = BY_ID["81@printed"]
    wrong = at_range("half of it", constants.SUM.subs(alpha, 2 * constants.L * constants.K) - T51.expr, ())
    assert all(check_claim(replace(claim, measure=wrong), case).status == "violated" for case in claim.cases)


def test_two_mistakes_of_the_proof_make_up_for_each_other() -> None:
    """1/(2β) for 1/2 in (70), 1 for 1/β in (76): their product, which (80) goes on with, is the right one."""
    for case in (PAPERS, *RUNS):
        run = run_at(case)
        wrong = [check_claim(BY_ID[f"{n}@printed"], case).status == "violated" for n in ("70", "76")]
        assert sum(wrong) <= 1
        assert 2 * float(run.beta * run.third) < math.log(constants.growth(run))


# Rational runs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [PAPERS, *RUNS])
def test_rational_runs_are_those_of_the_learner(case: Case) -> None:
    run, c = run_at(case), dict(case.settings)
    game = ResponseTable(run.responses, (1,) * run.n_rounds, c["response_high"], c["response_low"])
    own = Case(game, learner_regularisation=c["learner_regularisation"], learner_curvature=c["learner_curvature"])
    found = [turn.p[0] for turn in simulate_rounds(aaggff_s, own, 0, np.arange(1))]
    np.testing.assert_allclose(found, np.array(run.decisions[:-1], dtype=float), atol=1e-8)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_each_decision_is_least_among_others(data: st.DataObject) -> None:
    case = data.draw(strategies_newton.short_runs())
    run = run_at(case)
    others = [case.instance.comparator, *run.decisions]
    for t, p in enumerate(run.decisions):
        assert sum(p) == 1
        assert min(p) >= 0
        assert all(run.leader(t, p) <= run.leader(t, q) for q in others)


def test_the_regret_in_balls_is_that_in_floats() -> None:
    run, p = run_at(STEEP), STEEP.instance.comparator
    responses, decisions = (np.array(v, dtype=float) for v in (run.responses, run.decisions[:-1]))
    paid = -np.log1p((responses * decisions).sum(axis=1)).sum() + np.log1p(responses @ np.array(p, dtype=float)).sum()
    assert abs(float(parts.regret(run, p)) - paid) < 1e-9


def test_long_runs_are_left_to_others() -> None:
    row = (Fraction(1), Fraction(0))
    with pytest.raises(NotEnumerable, match="at most"):
        newton_run((row,) * 9, Fraction(1), Fraction(1))
    with pytest.raises(NotEnumerable, match="at most"):
        newton_run(((Fraction(1),) * 7,), Fraction(1), Fraction(1))


def test_the_least_of_a_quadratic_is_known_by_hand() -> None:
    ones: Any = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    assert least_on_simplex(ones, (Fraction(0), Fraction(0))) == (HALF, HALF)
    assert least_on_simplex(ones, (Fraction(0), Fraction(2))) == (1, 0)
    assert least_on_simplex(ones, (Fraction(0), HALF)) == (Fraction(3, 4), Fraction(1, 4))
