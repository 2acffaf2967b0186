"""(5) on clients with kinks: values against enumeration of our own, who violates what, mutants of the bound and of its proof."""

from __future__ import annotations

import importlib
import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Rational

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.papers.osmd import notation
from fltheory.papers.osmd.sgd.closed_forms.kinked import SampledKinks
from fltheory.papers.osmd.sgd.closed_forms.strongly_convex import SampledQuadratics
from fltheory.proof import library
from fltheory.proof.check import check_all
from fltheory.proof.language import Combine
from fltheory.verification import find

PRINTED, CORRECTED, QUADRATIC = (
    find(f"osmd/C-5-{name}") for name in ("two-long@printed", "two-long@corrected", "two-quadratic@printed")
)
BENT = SampledKinks(0, "1/10", 2, 2, kinks=((100, 0, "1/10"),))
SPREAD = SampledKinks((1, -1), "1/2", 2, 3, (1, 2), (1, 3), ((20, 0, "1/4"), (5, 1, 2)))
QUADRATICS = (
    SampledQuadratics((1, -1), 1, 2, 3),
    SampledQuadratics((1, 0, -2), "1/2", 1, 3, (1, 2, "1/3"), (1, 2, 3)),
    SampledQuadratics((2,), 1, 3, 2),
)


def corner(n_rounds: int, n_sampled: int, width: Fraction) -> SampledKinks:
    """F = w^2/2 + |w| rounded on [-width, width], started so that w_{T-1} is the corner's end."""
    start = width
    for t in range(1, n_rounds - 1):
        start /= 1 - 2 * (1 + 1 / width) / t
    return SampledKinks(0, start, n_sampled, n_rounds, kinks=((1 / width, -width, width),))


# Values ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plain", QUADRATICS)
def test_without_kinks_they_are_the_quadratics(plain):
    same = SampledKinks(plain.centres, plain.start, plain.n_sampled, plain.n_rounds, plain.curvatures, plain.weights)
    assert same.constants == plain.constants
    assert same.averaged_gap == plain.averaged_gap
    assert same.minimiser == plain.minimiser


def _slope(instance, m, w):
    """F_m'(w), written out."""
    c = Fraction((instance.curvatures * instance.n_clients)[m])
    return c * (w - Fraction(instance.centres[m])) + sum(
        Fraction(s) * min(max(w, Fraction(low)), Fraction(high)) for s, low, high in instance.kinks
    )


def _value(instance, w):
    """F(w) - F(0): F' is linear between the ends of kinks, so trapezia are exact."""
    ends = {Fraction(end) for kink in instance.kinks for end in kink[1:]}
    inside = sorted({Fraction(0), w, *(e for e in ends if min(w, 0) < e < max(w, 0))})
    n = instance.n_clients
    mean = [sum(_slope(instance, m, v) for m in range(n)) / n for v in inside]
    area = sum((b - a) * (f + g) / 2 for (a, f), (b, g) in itertools.pairwise(zip(inside, mean, strict=True)))
    return area if w > 0 else -area


@pytest.mark.parametrize("instance", [BENT, SPREAD, corner(4, 3, Fraction(1, 7))])
def test_values_equal_those_over_every_sequence_of_draws(instance):
    n, k, rounds, p = instance.n_clients, instance.n_sampled, instance.n_rounds, instance.law
    gap = loss = energy = Fraction(0)
    for course in itertools.product(itertools.product(range(n), repeat=k), repeat=rounds):
        chance, w, s = Fraction(1), Fraction(instance.start), Fraction(0)
        for m in itertools.chain(*course):
            chance *= p[m]
        for t, draws in enumerate(course, 1):
            s += t * w
            g = [_slope(instance, m, w) for m in range(n)]
            loss += chance * sum(g[m] ** 2 / (n * n * p[m]) for m in range(n)) / k
            energy += chance * (sum(g) / n) ** 2
            w -= 2 / (instance.strong_convexity * t) * sum(g[m] / (n * p[m]) for m in draws) / k
        gap += chance * (_value(instance, 2 * s / (rounds * (rounds + 1))) - _value(instance, instance.minimiser))
    assert (gap, loss, energy) == (instance.averaged_gap, instance.sampling_loss, instance.oracle_energy)


@pytest.mark.parametrize("start", ["-3", "1/3", 2])
@pytest.mark.parametrize("instance", [BENT, SPREAD, SampledKinks((40, 3), 0, kinks=((2, -1, "1/2"), (7, 5, 9)))])
def test_the_minimiser_has_slope_0_and_the_modulus_is_exact(instance, start):
    star, w, nu = instance.minimiser, Fraction(start), instance.strong_convexity
    assert instance.slope(star) == 0
    assert _value(instance, w) - _value(instance, star) >= nu / 2 * (w - star) ** 2
    far = Fraction(1000)  # beyond every kink F is as flat as its modulus says
    assert instance.slope(far + 1) - instance.slope(far) == nu


@pytest.mark.parametrize(
    ("kinks", "more", "reason"),
    [
        (((1, 0),), {}, "three rationals"),
        (((-1, 0, 1),), {}, "nonnegative steepness"),
        (((1, 1, 1),), {}, "ascending"),
        ((), {"n_rounds": 60, "n_sampled": 3}, "sequences of draws"),
    ],
)
def test_what_is_no_such_client_is_refused(kinks, more, reason):
    with pytest.raises(ValueError, match=reason):
        SampledKinks((1, -1), 1, kinks=kinks, **more)


def test_its_text_rebuilds_it():
    assert eval(repr(SPREAD)) == SPREAD


# The printed (5) with two draws ---------------------------------------------------------------------------------------


def test_two_draws_and_two_rounds_refute_the_printed_bound():
    """F'(w) = w below 0, 101 w on [0, 1/10], w + 10 beyond: from 1/10 to -20.1, on average at -401/30."""
    assert BENT.averaged_gap == Fraction(401, 30) ** 2 / 2  # 89.33
    assert BENT.sampling_loss == Fraction(101**2 + 201**2, 200)
    verdict = check_claim(PRINTED, Case(BENT))
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert verdict.measured > 89.33 > 84.34 > verdict.limit
    assert check_claim(PRINTED, Case(replace(BENT, n_sampled=1))).status == "holds"
    assert check_claim(PRINTED, Case(replace(BENT, n_rounds=1))).status == "inapplicable"
    assert check_claim(find("osmd/C-5-two@printed"), Case(replace(BENT, n_rounds=1))).status == "holds"


def test_quadratics_alone_keep_the_printed_bound_and_say_so():
    verdict = check_claim(QUADRATIC, Case(BENT))
    assert verdict.status == "inapplicable"
    assert "no quadratic" in verdict.reason
    for case in PRINTED.cases:
        assert check_claim(QUADRATIC, case).status == "inapplicable"


@pytest.mark.parametrize("n_rounds", [2, 3, 5, 12, 20])
@pytest.mark.parametrize("n_sampled", [1, 2, 3])
def test_no_factor_below_the_one_that_is_said(n_rounds, n_sampled):
    case = Case(corner(n_rounds, n_sampled, Fraction(1, 10**6)))
    verdict = check_claim(CORRECTED, case)
    assert verdict.status == "holds"
    assert verdict.ratio == pytest.approx(n_rounds / (n_rounds + 1), abs=1e-3)
    lower = Fraction(n_rounds, n_rounds + 1) - Fraction(1, 500)
    mutant = replace(CORRECTED, bounds=(CORRECTED.bound.scaled(lower),))
    assert check_claim(mutant, case).status == "violated"


def test_the_constants_are_the_ones_the_bounds_ask_for():
    assert set(BENT.constants) == set(QUADRATICS[0].constants)
    assert BENT.constants[notation.nu] == 1


# Its proof ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def osmd_weighted():
    """The proofs are loaded when a test asks: collecting the tests takes none."""
    return importlib.import_module("fltheory.papers.osmd.sgd.proofs.weighted")


def _verdicts(*theorems):
    proofs = library.load("osmd")
    facts = tuple(t for t in proofs.theorems if t.id in ("osmd/nonnegative", "osmd/telescope"))
    sampling = importlib.import_module("fltheory.papers.osmd.sampling.proofs.sampling").THEOREMS[:3]
    proofs = replace(proofs, theorems=(*sampling, *facts, *theorems))
    return {r.theorem.id: r.verdict for r in check_all(proofs)}


@pytest.mark.parametrize("factor", [Rational(1, 2), Rational(99, 100)])
def test_a_smaller_factor_is_not_proved(factor, osmd_weighted):
    five, energy, whole = (osmd_weighted.FIVE, osmd_weighted.SMALLER, osmd_weighted.FACTOR)
    assert _verdicts(five, energy, whole)[whole.id] == "PROVED"
    line = replace(whole.statement, right=factor * whole.statement.right)
    weights = {name: factor * weight for name, weight in whole.steps[-1].rule.weights}
    for rule in (whole.steps[-1].rule, Combine({**weights, "1": 1}), Combine(weights)):
        steps = (*whole.steps[:-1], replace(whole.steps[-1], claim=line, rule=rule))
        mutant = replace(whole, statement=line, steps=steps, claim="", bound=None, reading=())
        assert _verdicts(five, energy, mutant)[whole.id] == "UNKNOWN"


def test_the_energy_is_not_below_a_smaller_multiple_of_the_loss(osmd_weighted):
    energy = osmd_weighted.SMALLER
    assert _verdicts(energy)[energy.id] == "PROVED"
    line = replace(energy.statement, right=Rational(9, 10) * energy.statement.right)
    mutant = replace(energy, statement=line, steps=(*energy.steps[:-1], replace(energy.steps[-1], claim=line)))
    assert _verdicts(mutant)[energy.id] == "UNKNOWN"


def test_two_draws_are_not_enough_for_more_rounds(osmd_weighted):
    """The proof for one round, read for T of them, is none."""
    two = osmd_weighted.TWO
    assert _verdicts(osmd_weighted.SMALLER, two)[two.id] == "PROVED"
    long = osmd_weighted.LONG
    mutant = replace(
        two,
        statement=long.statement,
        steps=(*two.steps[:-1], replace(two.steps[-1], claim=long.statement)),
        hypotheses=(*osmd_weighted.SETTING, *long.hypotheses),
        claim="",
        bound=None,
        reading=(),
        unused=(),
    )
    assert _verdicts(osmd_weighted.SMALLER, mutant)[two.id] == "UNKNOWN"
