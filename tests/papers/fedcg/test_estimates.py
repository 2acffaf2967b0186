"""Lemma C.3 and the sentences on Chernoff's bound: mutants, and exact laws by other means."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.papers.fedcg.estimates import claims
from fltheory.papers.fedcg.estimates import closed_forms as law
from fltheory.papers.fedcg.estimates.closed_forms import Pairs, Sampled
from fltheory.papers.fedcg.instances.families import functions, points
from fltheory.papers.fedcg.local.cases import LocalRound
from fltheory.papers.fedcg.points import families as strategies_points
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets import matroids, set_functions
from fltheory.problems.sets.set_functions import Coverage, Modular, SetFunction
from fltheory.runs.method import NotEnumerable
from tests.typed import instance_of

CLAIMS = claims.CLAIMS
BY_ID = {c.id.removeprefix("fedcg/"): c for c in CLAIMS}


def test_the_printed_number_of_samples_has_a_unit() -> None:
    claim = BY_ID["C.3-samples@printed"]
    assert claim.inconsistent_units
    assert "dimension" in (claim.dimension_error() or "")


# The conditions are needed ----------------------------------------------------------------------------------------------


def _free(name: str, case: Case) -> str:
    claim = BY_ID[name]
    assert check_claim(claim, case).status == "inapplicable"
    return check_claim(replace(claim, bounds=(replace(claim.bound, conditions=()),)), case).status


def test_with_fewer_samples_it_fails() -> None:
    pair = Sampled(Coverage(((0, 1),), 2), ("1/2", "1/2"))
    few = Case(pair, n_samples=1, estimate_error="49/100", failure_probability="1/2", n_estimates=1)
    assert _free("C.3-samples@corrected", few) == "violated"
    assert _free("C.3-samples-euclidean@corrected", few) == "violated"
    assert _free("C.3-large@corrected", Case(claims.COIN, n_samples=1, accuracy="49/100")) == "violated"


def test_the_count_of_estimates_matters() -> None:
    pair = Sampled(Coverage(((0, 1),), 2), ("1/2", "1/2"))
    many = Case(pair, n_samples=5, estimate_error="49/100", failure_probability="1/2", n_estimates=20)
    assert _free("C.3-samples@corrected", many) == "violated"


def test_a_larger_unit_needs_more_samples() -> None:
    pair = Sampled(Coverage(((0, 1),), 2, (10,)), ("1/2", "1/2"))
    assert (
        _free(
            "C.3-samples@corrected",
            Case(pair, n_samples=5, estimate_error="49/100", failure_probability="1/2", n_estimates=1),
        )
        == "violated"
    )


# Laws by other means ----------------------------------------------------------------------------------------------------


def binomial(m: int, p: Fraction, wrong: Callable[[Fraction], bool]) -> Fraction:
    """The chance of all counts that are wrong."""
    return sum(
        (math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1) if wrong(Fraction(k, m))), Fraction(0)
    )


@given(st.integers(1, 12), st.integers(1, 9), st.integers(1, 99))
def test_a_coin_is_binomial(m: int, tenths: int, percent: int) -> None:
    p, sigma = Fraction(tenths, 10), Fraction(percent, 100)
    found = law.value_fails(Sampled(Modular((1,)), (p,)), m, sigma)
    assert found == binomial(m, p, lambda mean: abs(mean - p) > sigma)


@given(st.integers(1, 3).flatmap(lambda n: st.tuples(functions(n), points(n))), st.integers(1, 2))
def test_sampled_gradients_are_unbiased_and_sum_as_all_sequences(
    pair: tuple[SetFunction, tuple[Fraction, ...]], m: int
) -> None:
    f, x = pair
    if not f.value(frozenset(range(f.n_items))):
        return
    one = Sampled(f, x)
    assert sum(one.gradient_law.values()) == 1
    mean = [sum(p * v[e] for v, p in one.gradient_law.items()) for e in range(f.n_items)]
    assert tuple(mean) == one.gradient
    every: law.Law = {}
    for way in itertools.product(one.gradient_law.items(), repeat=m):
        key = tuple(sum(v[e] for v, _ in way) for e in range(f.n_items))
        every[key] = every.get(key, Fraction(0)) + math.prod(p for _, p in way)
    assert law.sum_distribution(one.gradient_law, m) == every


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize(("n", "scale"), [(2, 1), (4, 3)])
def test_pairs_have_the_law_of_their_coverage(n: int, scale: int, m: int) -> None:
    cover = Sampled(Coverage([(e, e + 1) for e in range(0, n, 2)], n, [scale] * (n // 2)), ["1/2"] * n)
    for sigma in (Fraction(1, 10), Fraction(49, 100), Fraction(6, 5)):
        by_law = law.gradient_fails(cover, m, lambda e, most=sigma: max(map(abs, e)) > most)
        pairs = Pairs(n, scale)
        success = pairs.succeeds(m, sigma)
        assert 1 - Fraction(int(success.p), int(success.q)) == by_law


def test_success_vanishes_with_the_number_of_items() -> None:
    found = [float(Pairs(n).succeeds(3, Fraction(3, 10))) for n in (2, 8, 32, 128)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 1e-15


def test_the_numbers_of_lemma_c3() -> None:
    verdict = check_claim(BY_ID["C.3@printed"], BY_ID["C.3@printed"].cases[0])
    assert verdict.measured == 1
    assert verdict.limit == pytest.approx(0.9417, abs=1e-4)


def test_small_slopes_are_estimated_by_zero() -> None:
    q, m = Fraction(1, 100), 37
    one = instance_of(claims.SMALL_SLOPE, Sampled)
    fails = law.relative_fails(one, m, Fraction(1, 2))
    assert fails >= (1 - q) ** m > Fraction(1, 10)


def test_too_many_sums_are_no_verdict() -> None:
    wild = Sampled(Modular([Fraction(1, 7**k + 1) for k in range(8)]), ["1/2"] * 8)
    with pytest.raises(NotEnumerable):
        law.value_fails(wild, 20, Fraction(1, 10))
    assert check_claim(BY_ID["C.3@corrected"], Case(wild, n_samples=20, accuracy="1/10")).status == "inconclusive"


# Instances --------------------------------------------------------------------------------------------------------------

NAMES = {"Sampled": Sampled, "Pairs": Pairs}
for room in (set_functions, matroids):
    NAMES |= {k: v for k, v in vars(room).items() if isinstance(v, type)}


@given(strategies_points.local_rounds())
def test_drawn_instances_rebuild_from_their_text(case: Case) -> None:
    rebuilt = eval(repr(case.instance), NAMES | {"LocalRound": LocalRound, "SubmodularClients": SubmodularClients})
    assert rebuilt == case.instance
    assert hash(rebuilt) == hash(case.instance)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Sampled(Modular((1, 1)), (0, 2)), r"x = \(0, 2\): expected in \[0, 1\]"),
        (lambda: Sampled(Modular((0, 0)), (0, 1)), "function is 0"),
        (lambda: Pairs(3), "even"),
        (lambda: Pairs(0), "at least 2"),
        (lambda: Pairs(2, 0), "positive"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
