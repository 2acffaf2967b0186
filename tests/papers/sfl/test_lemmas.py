"""The lemmas behind the bounds of `sfl`: mutants, and enumeration by other means."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.model.case import Case, Instance
from fltheory.number import BALL, RATIONAL, Number, as_number
from fltheory.papers.sfl.instances.lemmas import (
    BalancedSigns,
    IndependentSigns,
    Parameters,
    Points,
    Recursion,
    StepPair,
    Vectors,
)
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion import claims as recursion
from fltheory.papers.sfl.recursion.closed_forms import by_enumeration, one_round
from fltheory.papers.sfl.signs import claims
from fltheory.papers.sfl.signs import closed_forms as law
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.verification import find

CLAIMS = (*recursion.CLAIMS, *claims.CLAIMS)


# One round ------------------------------------------------------------------------------------------------------

NOISY = QuadraticClients((1, "1/2"), (1, -2), 3, noise_std="1/2")
THREE = QuadraticClients((1, "1/2", 0), (1, -1, 2), "3/2")


def plain_drift(
    clients: QuadraticClients, order: tuple[int, ...], eta: Fraction, steps: int, parallel: bool
) -> Fraction:
    """The drift along one noiseless order, as the algorithm is written in the paper."""
    start = Fraction(clients.start[0])
    x, total = start, Fraction(0)
    for m in order:
        x = start if parallel else x
        for _ in range(steps):
            total += (x - start) ** 2
            x -= eta * (clients.curvatures[m][0] * x + clients.slopes[m][0])
    return total


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_drift_is_that_of_all_orders(size: int, parallel: bool) -> None:
    case = Case(THREE, n_local_steps=3, step_size="1/20", n_participating=size)
    orders = list(itertools.permutations(range(3), size))
    mean = sum(plain_drift(THREE, o, Fraction(1, 20), 3, parallel) for o in orders) / len(orders)
    assert as_number(one_round(case, RATIONAL, parallel).drift) == mean


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("gamma", [1, 2])
def test_moments_of_a_round_are_those_of_its_courses(parallel: bool, gamma: int) -> None:
    case = Case(NOISY, n_local_steps=2, step_size="1/10", server_step_size=gamma)
    assert one_round(case, RATIONAL, parallel) == by_enumeration(case, RATIONAL, parallel)


def test_a_round_in_balls_contains_the_rational_one() -> None:
    kinked = PiecewiseQuadraticClients(("1/5", "1/50"), ("3/100", "3/100"), (1, 2), -5)
    case = Case(kinked, n_local_steps=2, step_size="7/80")
    for ball, rational in zip(one_round(case, BALL), one_round(case, RATIONAL), strict=True):
        assert ball.contains(rational)


def test_the_identity_of_block_sums_knows_its_constant() -> None:
    claim = find("sfl/U3b@strengthened")
    near = formula.M * formula.K * (formula.K**2 * formula.M + 2) / 6 * formula.zeta_star**2
    mutant = replace(claim, bounds=(replace(claim.bound, expr=near),))
    assert {check_claim(mutant, case).status for case in claim.cases} == {"violated"}


# Averages -------------------------------------------------------------------------------------------------------


def test_averaging_needs_its_proviso() -> None:
    claim = find("sfl/U7@explicit")
    unguarded = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    case = Case(Recursion(1, 1, 0, 0, 1), effective_step_size=Fraction(2, 5) / 10**4, n_rounds=10**4)
    assert check_claim(claim, case).status == "inapplicable"
    assert check_claim(unguarded, case).status == "violated"


@given(st.lists(st.sampled_from([0, Fraction(1, 3), Fraction(1, 2), 1]), min_size=1, max_size=4), st.integers(1, 12))
def test_no_sequence_beats_the_last_round_taking_all(shares: list[Fraction], rounds: int) -> None:
    def average(taken: Sequence[Number]) -> Fraction:
        recursion = Recursion("1/2", "1/3", 2, 1, 3, taken)
        return Fraction(as_number(recursion.weighted_average(Fraction(1, 5), rounds)))

    largest = average((0, 1)) if rounds % 2 else average((0, 0, 1))
    assert average(shares) <= average([0] * (rounds + 1) + [1])
    assert largest <= average([0] * (rounds + 1) + [1])


# Signs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clients", [2, 4, 6])
def test_laws_of_permuted_signs_are_those_of_all_permutations(clients: int) -> None:
    signs_in_order = [1] * (clients // 2) + [-1] * (clients // 2)
    orders = list(itertools.permutations(signs_in_order))
    for place in range(1, clients + 1):
        for part in (Fraction(0), Fraction(1, 3), Fraction(4, 5)):
            found: dict[Fraction, Fraction] = {}
            for order in orders:
                value = sum(order[: place - 1]) + part * order[place - 1]
                found[value] = found.get(value, Fraction(0)) + Fraction(1, len(orders))
            assert law.fractional_sum(clients, place, part) == found
            assert law.table_7(clients, place, part) == found


@pytest.mark.parametrize("n", range(9))
def test_laws_of_independent_signs_are_those_of_all_signs(n: int) -> None:
    sums = [sum(s) for s in itertools.product((1, -1), repeat=n)]
    assert law.independent_sum(n) == {Fraction(v): Fraction(sums.count(v), 2**n) for v in set(sums)}


def test_the_range_of_positions_in_lemma_12_matters() -> None:
    claim = find("sfl/L12@printed")
    lower = replace(claim.bounds[0], conditions=())
    case = Case(BalancedSigns(18), position=18, local_step=4, n_local_steps=5)
    assert check_claim(claim, case).status == "inapplicable"
    assert check_claim(replace(claim, bounds=(lower,)), case).status == "violated"


@pytest.mark.parametrize(("clients", "steps"), [(2, 1), (3, 4), (7, 2)])
def test_both_forms_of_t_agree_and_its_derivative_is_one(clients: int, steps: int) -> None:
    for d in (Fraction(1, 50), Fraction(1, 3), Fraction(9, 10)):
        t = 1 - (1 - d) ** steps
        assert law.t_of_step(clients, steps, d) == law.t_function(clients, t)
        h = t * (1 - t) / 10**6
        slope = (law.t_function(clients, t + h) - law.t_function(clients, t - h)) / (2 * h)
        assert float(slope) == pytest.approx(float(law.t_derivative(clients, t)), rel=1e-6)


def test_a_table_with_swapped_odds_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = law.table_7

    def swapped(clients: int, place: int, part: Fraction) -> law.Law:
        return {v: right(clients, place, part).get(v, Fraction(0)) / 2 for v in right(clients, place, part)}

    monkeypatch.setattr(law, "table_7", swapped)
    claim = find("sfl/L13-law@printed")
    assert check_claim(claim, claim.cases[0]).status == "violated"


# Instances ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "instance",
    [
        Points((1, "1/2"), (1, 0), (0, 1), (1, 2), (0, 0), ("1/3", 1)),
        Points(1, 1, 0, 1, 2, 0),
        Vectors(((1, 0), ("1/2", 3))),
        Recursion("1/2", 1, 0, "1/3", 2, (0, "1/2", 1)),
        IndependentSigns(4),
        BalancedSigns(6),
        StepPair(4, 2, "1/10", "1/2"),
        Parameters(n_clients=3, smoothness="1/7"),
    ],
    ids=lambda i: type(i).__name__,
)
def test_instances_rebuild_from_their_text(instance: Instance) -> None:
    assert eval(repr(instance)) == instance
    assert hash(eval(repr(instance))) == hash(instance)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: BalancedSigns(3), "even"),
        (lambda: IndependentSigns(-1), "at least 0"),
        (lambda: StepPair(2, 1, "1/2", "1/2"), "0 < low < high < 1"),
        (lambda: Points(-1, 1, 0, 0, 0, 0), "nonnegative"),
        (lambda: Points(1, 1, (0, 1), 0, 0, 0), "2 entries"),
        (lambda: Vectors(((1, 0), (1,))), "1 entries"),
        (lambda: Recursion(1, 1, 0, 0, 1, (2,)), "shares"),
        (lambda: Parameters(speed=1), "speed is not a known constant"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
