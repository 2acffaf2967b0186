"""Appendix C.3, Chernoff's bound and Lemma C.3: errors of sampled values and gradients, from exact distributions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from sympy import Rational, exp, log

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, imported_late, quantity
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.papers.fedcg.estimates import closed_forms as law
from fltheory.papers.fedcg.estimates.closed_forms import Pairs, Sampled
from fltheory.papers.fedcg.notation import J, delta, eps, m, m_max, n, sigma
from fltheory.papers.fedcg.paper import SUBMODULAR, fedcg
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular, Table, WeightedRank

# the lemma's error is relative, and also named sigma
LETTERS = ((n, "n"), (m, "m"), (J, "J"), (eps, r"\sigma"), (sigma, r"\sigma"), (delta, r"\delta"), (m_max, "m_f"))
chance = partial(fedcg.lemma, letters=LETTERS, assumptions=SUBMODULAR)

families = imported_late("fltheory.papers.fedcg.points.families")

# Appendix C.3: values ------------------------------------------------------------------------------------------------------

COIN = Sampled(Modular((1,)), ("1/2",))
VALUES = (
    Case(COIN, n_samples=8, accuracy="37/100"),
    Case(Sampled(Coverage(((0, 1), (1, 2)), 3, (2, 1)), ("1/2", "1/3", "1/4")), n_samples=12, accuracy="1/2"),
    Case(Sampled(Table((0, 2, 2, 3)), ("1/2", "1/2")), n_samples=8, accuracy="3/4"),
    Case(Sampled(Modular((1,)), ("1/10",)), n_samples=9, accuracy="3/10"),
)
ONCE = (Case(COIN, n_samples=1, accuracy="49/100"), Case(COIN, n_samples=3, accuracy="4/25"))
PRINTED = exp(-m * eps**2 / 4)

value_fails = chance("C.3", "Appendix C.3", "P(|mean of f(R) - f̂(x)| > σ max f)",
    lambda one, c: law.value_fails(one, c.n_samples, Fraction(c.accuracy)), trivial=Rational(1),
    family=lambda: families().sampled_values())

VALUE = (
    value_fails.printed("P(|mean of f(R₁)..f(Rₘ) - f̂(x)| > σ max f) <= e^{-mσ²/4}", quantity <= PRINTED,
        counterexamples=ONCE,
        remark="A fair coin, tossed once: the mean is always off by 1/2. Chernoff's bound has a factor 2 that is missing."),
    value_fails.corrected("P(|mean of f(R₁)..f(Rₘ) - f̂(x)| > σ max f) <= 2e^{-2mσ²}",
        quantity <= 2 * exp(-2 * m * eps**2), note="Hoeffding", cases=VALUES[:3]),
    value_fails.restated("C.3-large", family=lambda: families().sampled_values(enough=True)).corrected(
        "P(|mean of f(R₁)..f(Rₘ) - f̂(x)| > σ max f) <= e^{-mσ²/4}, for mσ² >= (4/7) ln 2", quantity <= PRINTED,
        given=[m * eps**2 >= Rational(4, 7) * log(2)], cases=(Case(COIN, n_samples=2, accuracy="49/100"), *VALUES),
        remark="There 2e^{-2mσ²} is no more than e^{-mσ²/4}."),
)

# Lemma C.3: gradients ------------------------------------------------------------------------------------------------

LEMMA = "Lemma C.3"
SIZED: dict[str, Number | str] = {"estimate_error": "3/10", "failure_probability": "1/10", "n_samples": 103}
COUNTEREXAMPLES = (
    Case(Pairs(10**9), **SIZED),  # many items
    Case(Pairs(2, 10), **SIZED),  # another unit
    Case(Pairs(4), n_samples=2, estimate_error="49/100", failure_probability="9/10"),
)
GRADIENTS = (
    Case(Sampled(Coverage(((0, 1),), 2), ("1/2", "1/2")), n_samples=5, estimate_error="49/100",
        failure_probability="1/2", n_estimates=1),
    Case(Sampled(Coverage(((0, 1), (2, 3)), 4), ("1/2",) * 4), n_samples=5, estimate_error="3/5",
        failure_probability="1/2", n_estimates=1),
    Case(Sampled(FacilityLocation(((3, 1, 2),)), ("1/2", "1/3", "1/4")), n_samples=9, estimate_error="3/2",
        failure_probability="1/10", n_estimates=1),
    Case(Sampled(Table((0, 1, 1, 1)), ("1/2", "1/2")), n_samples=12, estimate_error="2/5", failure_probability="1/4",
        n_estimates=2),
    Case(Sampled(WeightedRank(Uniform(3, 1), (3, 2, 1)), ("1/2", "1/2", "1/2")), n_samples=6, estimate_error="2",
        failure_probability="2/5", n_estimates=1),
)
EUCLIDEAN = (
    Case(Sampled(Coverage(((0, 1),), 2), ("1/2", "1/2")), n_samples=10, estimate_error="3/5", failure_probability="1/2",
        n_estimates=1),
    Case(Sampled(Table((0, 1, 1, "3/2")), ("1/2", "1/3")), n_samples=18, estimate_error="3/5",
        failure_probability="1/4", n_estimates=2),
)
SMALL_SLOPE = Case(Sampled(Coverage(((0, 1),), 2), (0, "99/100")), n_samples=37, accuracy="1/2",
    failure_probability="1/10")
ENOUGH = m_max**2 * log(2 * n * J / delta) / (2 * sigma**2)


def largest_fails(one: Sampled, c: Constants) -> Number:
    once = law.gradient_fails(one, c.n_samples, lambda e: max(map(abs, e)) > c.estimate_error)
    return law.chance_of_any(once, c.n_estimates)


def euclidean_fails(one: Sampled, c: Constants) -> Number:
    most = Fraction(c.estimate_error) ** 2
    return law.chance_of_any(law.gradient_fails(one, c.n_samples, lambda e: sum(v * v for v in e) > most),
        c.n_estimates)


relative_fails = chance("C.3-relative", "Appendix C.3", "P(some |∂ₑf̃ - ∂ₑf̂| > σ ∂ₑf̂)",
    lambda one, c: law.relative_fails(one, c.n_samples, Fraction(c.accuracy)), family=lambda: families().small_slopes())

SAMPLES = (
    fedcg.lemma("C.3-samples", LEMMA, "P(|∇f̃ - ∇f̂|_∞ > σ), at most that of |·|",
        lambda pairs, c: 1 - pairs.succeeds(c.n_samples, c.estimate_error), letters=LETTERS).printed(
        "m = O(log(1/δ)/σ²), with the 4 log(1/δ)/σ² of Chernoff's bound above it: P(|∇f̃ - ∇f̂| > σ) <= δ",
        quantity <= delta, given=[m >= 4 * log(1 / delta) / sigma**2, delta < 1], counterexamples=COUNTEREXAMPLES,
        family=lambda: families().sampled_pairs(), inconsistent_units=True,
        remark="The number of items and the scale of f are missing: with n independent entries one of them is off, and 10f has "
        "10 times the error."),
    chance("C.3-samples", LEMMA, "P(some |∇f̃ - ∇f̂|_∞ > σ)", largest_fails, trivial=Rational(1),
        family=lambda: families().sampled_gradients()).corrected(
        "m >= m_f² ln(2nJ/δ)/(2σ²): with J estimates, P(some |∇f̃ - ∇f̂|_∞ > σ) <= δ", quantity <= delta,
        given=[m >= ENOUGH, delta < 1, m_max > 0, sigma > 0], cases=GRADIENTS),
    chance("C.3-samples-euclidean", LEMMA, "P(some |∇f̃ - ∇f̂|₂ > σ)", euclidean_fails, trivial=Rational(1),
        family=lambda: families().sampled_gradients(euclidean=True)).corrected(
        "m >= n m_f² ln(2nJ/δ)/(2σ²): with J estimates, P(some |∇f̃ - ∇f̂|₂ > σ) <= δ", quantity <= delta,
        given=[m >= n * ENOUGH, delta < 1, m_max > 0, sigma > 0], cases=EUCLIDEAN),
    relative_fails.printed(
        "Appendix: gradients are estimated within (1 ± σ), m >= 4 log(1/δ)/σ²: P(some entry isn't) <= δ",
        quantity <= delta, given=[m >= 4 * log(1 / delta) / eps**2, delta < 1], counterexamples=(SMALL_SLOPE,),
        remark="A slope of q is estimated by 0 with probability (1 - q)^m: the lemma is about errors relative to max f."),
)

CLAIMS: tuple[Claim, ...] = (*VALUE, *SAMPLES)
