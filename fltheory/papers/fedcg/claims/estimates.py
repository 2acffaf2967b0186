"""Lemma C.3 and the sentences on Chernoff's bound: how far sampled values and gradients are off, by exact laws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Rational, exp, log

from fltheory.bound import Bound, Reading, Source
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.number import Number, Ring
from fltheory.papers.fedcg.claims.direct import SUBMODULAR, claim, drawn, of_case
from fltheory.papers.fedcg.exact import estimates as law
from fltheory.papers.fedcg.exact.estimates import Pairs, Sampled
from fltheory.papers.fedcg.letters import J, delta, eps, m, m_max, n, sigma
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular, Table, WeightedRank
from fltheory.runs.measures import NUMBER, DirectMeasure

LETTERS = ((n, "n"), (m, "m"), (J, "J"), (eps, r"\sigma"), (sigma, r"\sigma"), (delta, r"\delta"), (m_max, "m_f"))
CERTAIN: dict[str, Any] = {"trivial": Rational(1)}  # no probability is above 1
_C3 = "Lemma C.3"
_SENTENCE = "Section 4, gradient estimation"


def bound(
    expr: Any, place: str, reading: Reading = "printed", conditions: tuple[Any, ...] = (), note: str = ""
) -> Bound:
    """A bound in the letters of the lemma: its error is relative, and called sigma too."""
    return Bound(expr, Source("fedcg", place, reading, note), conditions, letters=LETTERS)


def _of(case: Case, *names: Any) -> list[Any]:
    return [case.constants[name] for name in names]


# Lemma C.3: values ------------------------------------------------------------------------------------------------------


def value_fails(case: Case) -> Fraction:
    """P(|mean of f(R) - f(x)| > sigma max f)."""
    instance: Any = case.instance
    size, most = _of(case, m, eps)
    return law.value_fails(instance, size, Fraction(most))


COIN = Sampled(Modular((1,)), ("1/2",))
VALUES = (
    Case(COIN, n_samples=8, accuracy="37/100"),
    Case(Sampled(Coverage(((0, 1), (1, 2)), 3, (2, 1)), ("1/2", "1/3", "1/4")), n_samples=12, accuracy="1/2"),
    Case(Sampled(Table((0, 2, 2, 3)), ("1/2", "1/2")), n_samples=8, accuracy="3/4"),
    Case(Sampled(Modular((1,)), ("1/10",)), n_samples=9, accuracy="3/10"),
)
_FAILS = of_case("P(|mean of f(R) - f̂(x)| > σ max f)", value_fails, NUMBER, **CERTAIN)
_VALUES = drawn("points", "sampled_values")
_HOEFFDING = 2 * exp(-2 * m * eps**2)
LEMMA_C3 = (
    claim(
        "C.3",
        "P(|mean of f(R₁)..f(Rₘ) - f̂(x)| > σ max f) <= e^{-mσ²/4}",
        bound(exp(-m * eps**2 / 4), _C3),
        _FAILS,
        (Case(COIN, n_samples=1, accuracy="49/100"), Case(COIN, n_samples=3, accuracy="4/25")),
        _VALUES,
        SUBMODULAR,
        expected="violated",
        remark="A fair coin, once: the mean is off by 1/2 for sure. Chernoff's bound has a factor 2 that is missing.",
    ),
    claim(
        "C.3",
        "P(|mean of f(R₁)..f(Rₘ) - f̂(x)| > σ max f) <= 2e^{-2mσ²}",
        bound(_HOEFFDING, _C3, "corrected", note="Hoeffding"),
        _FAILS,
        VALUES[:3],
        _VALUES,
        SUBMODULAR,
    ),
    claim(
        "C.3-large",
        "P(|mean of f(R₁)..f(Rₘ) - f̂(x)| > σ max f) <= e^{-mσ²/4}, for mσ² >= (4/7) ln 2",
        bound(exp(-m * eps**2 / 4), _C3, "corrected", (m * eps**2 >= Rational(4, 7) * log(2),)),
        _FAILS,
        (Case(COIN, n_samples=2, accuracy="49/100"), *VALUES),
        drawn("points", "sampled_values", enough=True),
        SUBMODULAR,
        remark="There 2e^{-2mσ²} is no more than e^{-mσ²/4}.",
    ),
)

# The sentence: gradients ------------------------------------------------------------------------------------------------


def _all_entries(case: Case, ring: Ring) -> Any:
    """P(|mean of sampled gradients - gradient| > sigma), in the maximum norm, for pairs."""
    pairs: Any = case.instance
    size, most = _of(case, m, sigma)
    return 1 - pairs.succeeds(size, most, ring)


def gradient_fails(case: Case) -> Fraction:
    """P(some of J estimates is off by more than sigma in some entry)."""
    instance: Any = case.instance
    size, most, times = _of(case, m, sigma, J)
    return law.repeated(law.gradient_fails(instance, size, lambda e: max(map(abs, e)) > most), times)


def euclidean_fails(case: Case) -> Fraction:
    """P(some of J estimates is off by more than sigma, Euclidean)."""
    instance: Any = case.instance
    size, most, times = _of(case, m, sigma, J)
    return law.repeated(
        law.gradient_fails(instance, size, lambda e: sum(v * v for v in e) > Fraction(most) ** 2), times
    )


def relative_fails(case: Case) -> Fraction:
    """P(some entry is off by more than sigma times itself)."""
    instance: Any = case.instance
    size, most = _of(case, m, eps)
    true = instance.gradient

    def off(error: law.Vector) -> bool:
        return any(abs(e) > most * g for e, g in zip(error, true, strict=True))

    return law.gradient_fails(instance, size, off)


_SIZED: dict[str, Number | str] = {"estimate_error": "3/10", "failure_probability": "1/10", "n_samples": 103}
WITNESSES = (
    Case(Pairs(10**9), **_SIZED),  # many items
    Case(Pairs(2, 10), **_SIZED),  # another unit
    Case(Pairs(4), n_samples=2, estimate_error="49/100", failure_probability="9/10"),
)
_BY_SIGMA = m >= 4 * log(1 / delta) / sigma**2
_GRADIENTS = (
    Case(
        Sampled(Coverage(((0, 1),), 2), ("1/2", "1/2")),
        n_samples=5,
        estimate_error="49/100",
        failure_probability="1/2",
        n_estimates=1,
    ),
    Case(
        Sampled(Coverage(((0, 1), (2, 3)), 4), ("1/2",) * 4),
        n_samples=5,
        estimate_error="3/5",
        failure_probability="1/2",
        n_estimates=1,
    ),
    Case(
        Sampled(FacilityLocation(((3, 1, 2),)), ("1/2", "1/3", "1/4")),
        n_samples=9,
        estimate_error="3/2",
        failure_probability="1/10",
        n_estimates=1,
    ),
    Case(
        Sampled(Table((0, 1, 1, 1)), ("1/2", "1/2")),
        n_samples=12,
        estimate_error="2/5",
        failure_probability="1/4",
        n_estimates=2,
    ),
    Case(
        Sampled(WeightedRank(Uniform(3, 1), (3, 2, 1)), ("1/2", "1/2", "1/2")),
        n_samples=6,
        estimate_error="2",
        failure_probability="2/5",
        n_estimates=1,
    ),
)
_EUCLIDEAN = (
    Case(
        Sampled(Coverage(((0, 1),), 2), ("1/2", "1/2")),
        n_samples=10,
        estimate_error="3/5",
        failure_probability="1/2",
        n_estimates=1,
    ),
    Case(
        Sampled(Table((0, 1, 1, "3/2")), ("1/2", "1/3")),
        n_samples=18,
        estimate_error="3/5",
        failure_probability="1/4",
        n_estimates=2,
    ),
)
SMALL_SLOPE = Case(
    Sampled(Coverage(((0, 1),), 2), (0, "99/100")), n_samples=37, accuracy="1/2", failure_probability="1/10"
)
_ENOUGH = m >= m_max**2 * log(2 * n * J / delta) / (2 * sigma**2)
_MANY = m >= n * m_max**2 * log(2 * n * J / delta) / (2 * sigma**2)
SENTENCE = (
    claim(
        "C.3-samples",
        "m = O(log(1/δ)/σ²), with Lemma C.3's 4 log(1/δ)/σ²: P(|∇f̃ - ∇f̂| > σ) <= δ",
        bound(delta, _SENTENCE, "printed", (_BY_SIGMA, delta < 1)),
        DirectMeasure("P(|∇f̃ - ∇f̂|_∞ > σ), at most that of |·|", _all_entries, NUMBER),
        WITNESSES,
        drawn("points", "sampled_pairs"),
        expected="violated",
        misscaled=True,
        remark="The number of items and the scale of f are missing: with n independent entries some one is off, and 10f has "
        "10 times the error.",
    ),
    claim(
        "C.3-samples",
        "m >= m_f² ln(2nJ/δ)/(2σ²): with J estimates, P(some |∇f̃ - ∇f̂|_∞ > σ) <= δ",
        bound(delta, _SENTENCE, "corrected", (_ENOUGH, delta < 1)),
        of_case("P(some |∇f̃ - ∇f̂|_∞ > σ)", gradient_fails, NUMBER, **CERTAIN),
        _GRADIENTS,
        drawn("points", "sampled_gradients"),
        SUBMODULAR,
    ),
    claim(
        "C.3-samples-euclidean",
        "m >= n m_f² ln(2nJ/δ)/(2σ²): with J estimates, P(some |∇f̃ - ∇f̂|₂ > σ) <= δ",
        bound(delta, _SENTENCE, "corrected", (_MANY, delta < 1)),
        of_case("P(some |∇f̃ - ∇f̂|₂ > σ)", euclidean_fails, NUMBER, **CERTAIN),
        _EUCLIDEAN,
        drawn("points", "sampled_gradients", euclidean=True),
        SUBMODULAR,
    ),
    claim(
        "C.3-relative",
        "Appendix: gradients are estimated within (1 ± σ), m >= 4 log(1/δ)/σ²: P(some entry isn't) <= δ",
        bound(delta, "Appendix C", "printed", (m >= 4 * log(1 / delta) / eps**2, delta < 1)),
        of_case("P(some |∂ₑf̃ - ∂ₑf̂| > σ ∂ₑf̂)", relative_fails, NUMBER),
        (SMALL_SLOPE,),
        drawn("points", "small_slopes"),
        SUBMODULAR,
        expected="violated",
        remark="A slope of q is estimated by 0 with probability (1 - q)^m: the lemma is about errors relative to max f.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*LEMMA_C3, *SENTENCE)
