"""Comparisons of rates: Table 1, random reshuffling, gaps between the bounds, the term that decides for many rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, exp, sqrt

from fltheory.bound import Bound, Dimension
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.bounds import comparison as formula
from fltheory.papers.sfl.bounds import lower
from fltheory.papers.sfl.bounds.lemmas import lemma
from fltheory.papers.sfl.claims.direct import claim, drawn
from fltheory.papers.sfl.data.lemma_instances import Parameters
from fltheory.papers.sfl.letters import A, D, K, L, M, R, beta, mu, sigma, sigma_star, zeta, zeta_star
from fltheory.runs.measures import ENERGY, GRADIENT_SQUARED, NUMBER, DirectMeasure, in_ring

COMPARED = "comparison"
ENERGY_CUBED: Dimension = (Integer(3), Integer(0))  # of a cubed energy


def formula_of(name: str, expr: Expr, dimension: Dimension) -> DirectMeasure:
    """The value of a formula."""
    return DirectMeasure(name, lambda case, ring: in_ring(expr, case, ring), dimension)


def stricter(bound: Bound, *conditions: Any) -> Bound:
    """The bound with further conditions."""
    return replace(bound, conditions=(*bound.conditions, *conditions))


def noted(bound: Bound, note: str) -> Bound:
    """The bound with a note on what differs from the print."""
    return replace(bound, source=replace(bound.source, note=note))


def _ratio(
    name: str, text: str, top: Expr, bottom: Expr, value: Expr, place: str, *conditions: Any, power: int = 1
) -> Claim:
    """A claim that top / bottom, to a power that makes it rational, is exactly ``value``."""
    measured = DirectMeasure(
        text, lambda case, ring: in_ring(top**power, case, ring) / in_ring(bottom**power, case, ring), NUMBER
    )
    bound = lemma(value, place, "printed", conditions, side="equal")
    return claim(name, f"{text} = {value}", bound, measured, POINTS, ANY, kind=COMPARED)


def parameters(**values: object) -> Case:
    """Ordinary constants, some of them changed."""
    common: dict[str, object] = {
        "n_clients": 10,
        "n_local_steps": 5,
        "n_rounds": 100,
        "smoothness": 1,
        "strong_convexity": "1/10",
        "noise_std": 1,
        "noise_std_at_optimum": 1,
        "heterogeneity": 2,
        "heterogeneity_at_optimum": 1,
        "heterogeneity_slope": 0,
        "max_heterogeneity": 3,
        "initial_distance": 1,
        "initial_gap": "1/2",
    }
    return Case(Parameters(**(common | values)))


POINTS = (
    parameters(),
    parameters(n_clients=100, n_local_steps=1, n_rounds=10_000, noise_std="1/100", noise_std_at_optimum="1/100"),
    parameters(n_clients=2, n_rounds=7, smoothness=100, initial_distance=50, initial_gap=1000),
)
ANY = drawn("parameters")
_NOISY = sigma + zeta_star > 0

# Table 1 --------------------------------------------------------------------------------------------------------

_TWO = (M >= 2, _NOISY)
_SPREAD, _SAME_NOISE = zeta_star <= zeta, sigma <= sigma_star
_ADDED = "the row with noise at the minimiser only where that noise is not the smaller one, which Table 1 does not say"
TABLE_1 = (
    claim(
        "TAB1-SC",
        "strongly convex rates of Table 1: SFL is at most PFL (Theorem 7, Assumption 4, and Assumption 3 where σ <= σ⋆)",
        (
            stricter(formula.PFL_SC, *_TWO),
            stricter(formula.KARIMIREDDY_SC, *_TWO, _SPREAD),
            noted(stricter(formula.KOLOSKOVA_SC, *_TWO, _SAME_NOISE), _ADDED),
        ),
        formula_of("SFL's rate", formula.SFL_SC, ENERGY),
        POINTS,
        ANY,
        kind=COMPARED,
    ),
    claim(
        "TAB1-GC",
        "general convex rates of Table 1: SFL is at most PFL (Assumption 4, and Assumption 3 where σ <= σ⋆)",
        (
            stricter(formula.KARIMIREDDY_GC, *_TWO, _SPREAD),
            noted(stricter(formula.KOLOSKOVA_GC, *_TWO, _SAME_NOISE), _ADDED),
        ),
        formula_of("SFL's rate", bounds.RATE_GC, ENERGY),
        POINTS,
        ANY,
        kind=COMPARED,
    ),
    claim(
        "TAB1-NC",
        "non-convex rates of Table 1: SFL is at most PFL (Assumption 4, β = 0)",
        stricter(formula.PFL_NC, M >= 2, sigma + zeta > 0),
        formula_of("SFL's rate", formula.SFL_NC, GRADIENT_SQUARED),
        POINTS,
        ANY,
        kind=COMPARED,
    ),
    _ratio(
        "TAB1-zeta-SC",
        "PFL / SFL, heterogeneity terms",
        formula.ZETA_PFL_SC,
        formula.ZETA_SFL_SC,
        M,
        "Table 1",
        zeta_star > 0,
    ),
    _ratio(
        "TAB1-zeta-GC",
        "(PFL / SFL, heterogeneity terms)³",
        formula.ZETA_PFL_GC,
        formula.ZETA_SFL_GC,
        M,
        "Table 1",
        zeta_star > 0,
        D > 0,
        power=3,
    ),
    _ratio(
        "TAB1-zeta-NC",
        "(PFL / SFL, heterogeneity terms)³",
        formula.ZETA_PFL_NC,
        formula.ZETA_SFL_NC,
        M,
        "Table 1",
        zeta > 0,
        A > 0,
        power=3,
    ),
)


def _external(name: str, statement: str, bound: Bound) -> Claim:
    return Claim.recorded(
        f"sfl/{name}@printed",
        statement + " (quoted, hidden constant 1)",
        (bound,),
        expected="inapplicable",
        kind="external",
    )


EXTERNAL = (
    _external("TAB1-SC-Karimireddy", "PFL, strongly convex, Assumptions 2 and 4", formula.KARIMIREDDY_SC),
    _external("TAB1-SC-Koloskova", "PFL, strongly convex, Assumptions 1 and 3", formula.KOLOSKOVA_SC),
    _external("TAB1-SC-Woodworth", "PFL, strongly convex, Assumptions 2 and 5", formula.WOODWORTH_SC),
    _external("TAB1-GC-Karimireddy", "PFL, general convex, Assumptions 2 and 4", formula.KARIMIREDDY_GC),
    _external("TAB1-GC-Koloskova", "PFL, general convex, Assumptions 1 and 3", formula.KOLOSKOVA_GC),
    _external("TAB1-GC-Woodworth", "PFL, general convex, Assumptions 2 and 5", formula.WOODWORTH_GC),
    _external("TAB1-NC-PFL", "PFL, non-convex, Assumptions 2 and 4 with β = 0", formula.PFL_NC),
    _external("RR-SC", "random reshuffling, strongly convex", formula.RR_SC),
    _external("RR-GC", "random reshuffling, general convex", formula.RR_GC),
    _external("RR-NC", "random reshuffling, non-convex", formula.RR_NC),
    _external("C19", "SFL with random reshuffling inside clients (Malinovsky et al.): E|x_R - x*|²", formula.C19),
)

# Random reshuffling, gaps between upper and lower bounds ---------------------------------------------------------

_ONE_STEP = {"n_local_steps": 1, "noise_std": 0, "noise_std_at_optimum": 0}
_PLAIN_POINTS = (parameters(**_ONE_STEP), parameters(**_ONE_STEP, n_clients=100, smoothness=30, n_rounds=1000))


def _matches(name: str, text: str, ours: Expr, theirs: Expr, last: Expr, dimension: Dimension) -> Claim:
    """Cubes of what stands before the last term, so that both sides are rational."""
    bound = lemma((theirs - last) ** 3, "after Corollary 4", "printed", (K <= 1, sigma <= 0, beta <= 0), side="equal")
    without = ours.subs({sigma: 0, beta: 0, K: 1}) - last
    measured = formula_of("(SFL's rate without its last term)³", without**3, dimension)
    return claim(
        name,
        text,
        bound,
        measured,
        _PLAIN_POINTS,
        drawn("parameters", **_ONE_STEP, heterogeneity_slope=0),
        kind=COMPARED,
    )


def _exponent(rate: Expr) -> Expr:
    """The exponent of the one exponential term of a rate."""
    (term,) = rate.atoms(exp)
    return term.args[0]


_T17_GAP = (2415 * mu <= L, mu > 0, zeta > 0)
_FLAT_POINT = parameters(strong_convexity="1/5000", n_rounds=10**6)
GAPS = (
    _matches(
        "RR-comparison-GC",
        "SFL at K = 1, σ = 0 has the rate of random reshuffling, general convex",
        bounds.RATE_GC,
        formula.RR_GC.expr,
        L * D**2 / R,
        ENERGY_CUBED,
    ),
    _matches(
        "RR-comparison-NC",
        "SFL at K = 1, σ = 0, β = 0 has the rate of random reshuffling, non-convex",
        bounds.RATE_NC,
        formula.RR_NC.expr,
        L * A / R,
        (Integer(6), Integer(-6)),
    ),
    _ratio(
        "RR-comparison-SC",
        "random reshuffling / SFL, heterogeneity terms, strongly convex",
        L / mu * formula.ZETA_SFL_SC,
        formula.ZETA_SFL_SC,
        L / mu,
        "after Corollary 4",
        zeta_star > 0,
        mu > 0,
    ),
    _ratio(
        "RR-comparison-SC-exponent",
        "random reshuffling / SFL, exponents, strongly convex",
        _exponent(formula.RR_SC.expr),
        _exponent(formula.SFL_SC),
        M,
        "after Corollary 4",
        mu > 0,
    ),
    _ratio(
        "T5-gap",
        "Corollary 4 / Theorem 5, heterogeneity terms at ζ_* = ζ",
        formula.ZETA_SFL_SC.subs(zeta_star, zeta),
        formula.ZETA_T5,
        L / mu,
        "after Theorem 5",
        zeta > 0,
        mu > 0,
    ),
    replace(
        _ratio(
            "APPF",
            "Theorem 17 / Theorem 5, heterogeneity terms for R >= 161κ",
            lower.T17_LONG.expr,
            formula.ZETA_T5,
            L / mu,
            "Appendix F",
            *_T17_GAP,
            161 * L / mu <= R,
        ),
        cases=(_FLAT_POINT,),
        family=drawn("parameters", strong_convexity="1/5000", smoothness=1, n_rounds=10**6),
    ),
    replace(
        _ratio(
            "APPF-short",
            "Theorem 17 / Theorem 5, heterogeneity terms for R < 161κ",
            lower.T17_SHORT.expr,
            formula.ZETA_T5,
            R,
            "Appendix F",
            *_T17_GAP,
            161 * L / mu > R,
        ),
        cases=(parameters(strong_convexity="1/5000"),),
        family=drawn("parameters", strong_convexity="1/5000", smoothness=1),
    ),
    _ratio(
        "APPF-small-step",
        "Theorem 18 / Theorem 6, heterogeneity terms",
        lower.T18_SC.expr,
        formula.ZETA_T6_SC,
        Integer(1),
        "Appendix F",
        zeta > 0,
        mu > 0,
    ),
    _ratio(
        "APPF-small-step-GC",
        "(Theorem 18 / Theorem 6, heterogeneity terms, general convex)³",
        lower.T18_GC.expr,
        formula.ZETA_T6_GC,
        Integer(1),
        "Appendix F",
        zeta > 0,
        D > 0,
        power=3,
    ),
)

# Which term decides for many rounds ------------------------------------------------------------------------------

_MANY = {"n_rounds": 10**12}
_LATE = (parameters(**_MANY), parameters(**_MANY, n_clients=100, heterogeneity="1/10", heterogeneity_at_optimum="1/10"))


def _first_term_rules(name: str, rate: Expr, first: Expr, threshold: Expr, dimension: Dimension) -> Claim:
    bound = lemma(2 * first, "after Corollary 4", "explicit", (sigma > 0, threshold <= R))
    return claim(
        name,
        "for many rounds and σ > 0 the first term of the rate is at least half of it",
        bound,
        formula_of("SFL's rate", rate, dimension),
        _LATE,
        drawn("parameters", **_MANY, heterogeneity_slope=0),
        kind=COMPARED,
    )


LIMITS = (
    _first_term_rules("C4-limit-SC", formula.SFL_SC, sigma**2 / (mu * M * K * R), formula.NOISE_RULES_SC, ENERGY),
    _first_term_rules("C4-limit-GC", bounds.RATE_GC, sigma * D / sqrt(M * K * R), formula.NOISE_RULES_GC, ENERGY),
    _first_term_rules(
        "C4-limit-NC", bounds.RATE_NC, sqrt(L * sigma**2 * A / (M * K * R)), formula.NOISE_RULES_NC, GRADIENT_SQUARED
    ),
)

CLAIMS: tuple[Claim, ...] = (*TABLE_1, *GAPS, *LIMITS, *EXTERNAL)
