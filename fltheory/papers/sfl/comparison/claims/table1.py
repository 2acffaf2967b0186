"""Comparisons of rates: Table 1, random reshuffling, gaps between the bounds, the dominant term for many rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Eq, Expr, Integer, Rational, exp, sqrt
from sympy.core.relational import Relational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, case_measure, formula_measure, quantity
from fltheory.model.bound import Bound, Dimension
from fltheory.model.case import Case
from fltheory.model.schema import Family
from fltheory.number.mixed import evaluate_mixed
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.comparison import bounds as formula
from fltheory.papers.sfl.instances.lemmas import Parameters
from fltheory.papers.sfl.lower import bounds as lower
from fltheory.papers.sfl.notation import A, D, K, L, M, R, beta, mu, sigma, sigma_star, zeta, zeta_star
from fltheory.papers.sfl.paper import PAPER, strategies
from fltheory.runs.measures import ENERGY, GRADIENT_SQUARED

ENERGY_CUBED: Dimension = (Integer(3), Integer(0))  # of a cubed energy


def stricter(bound: Bound, *conditions: Relational) -> Bound:
    """Return the bound with further conditions."""
    return replace(bound, conditions=(*bound.conditions, *conditions))


def with_note(bound: Bound, note: str) -> Bound:
    """Return the bound with a note on its differences from the printed one."""
    return replace(bound, source=replace(bound.source, note=note))


def parameters(**values: object) -> Case:
    """Return ordinary constants, some of them changed."""
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


def any_parameters(**fixed: object) -> Family:
    """Draw any constants, except for those ``fixed``."""
    return lambda: strategies().parameters(**fixed)


def rate_statement(
    id: str, place: str, name: str, rate: Expr, dimension: Dimension = ENERGY, **shared: Any
) -> Statement:
    """Return the value of a formula."""
    return PAPER.theorem(id, place, formula_measure(name, rate, dimension),
        **{"kind": "comparison", "cases": POINTS, "family": any_parameters(), **shared})


def ratio(id: str, place: str, name: str, top: Expr, bottom: Expr, power: int = 1) -> Statement:
    """Return the value of top / bottom, to a power that makes it rational."""
    measure = case_measure(name,
        lambda case: evaluate_mixed(top**power, case.constants) / evaluate_mixed(bottom**power, case.constants))
    return PAPER.theorem(id, place, measure, kind="comparison", cases=POINTS, family=any_parameters())


# Table 1 --------------------------------------------------------------------------------------------------------

_TWO = (M >= 2, sigma + zeta_star > 0)
_ADDED = "the row with noise at the minimiser only where that noise is not the smaller one, which Table 1 does not say"
TABLE = "Table 1"
TABLE_1 = (
    rate_statement("TAB1-SC", TABLE, "SFL's rate", formula.SFL_SC).printed(
        "strongly convex rates of Table 1: SFL is at most PFL (Theorem 7, Assumption 4, and Assumption 3 where σ <= σ⋆)",
        stricter(formula.PFL_SC, *_TWO), stricter(formula.KARIMIREDDY_SC, *_TWO, zeta_star <= zeta),
        with_note(stricter(formula.KOLOSKOVA_SC, *_TWO, sigma <= sigma_star), _ADDED)),
    rate_statement("TAB1-GC", TABLE, "SFL's rate", bounds.RATE_GC).printed(
        "general convex rates of Table 1: SFL is at most PFL (Assumption 4, and Assumption 3 where σ <= σ⋆)",
        stricter(formula.KARIMIREDDY_GC, *_TWO, zeta_star <= zeta),
        with_note(stricter(formula.KOLOSKOVA_GC, *_TWO, sigma <= sigma_star), _ADDED)),
    rate_statement("TAB1-NC", TABLE, "SFL's rate", formula.SFL_NC, GRADIENT_SQUARED).printed(
        "non-convex rates of Table 1: SFL is at most PFL (Assumption 4, β = 0)",
        stricter(formula.PFL_NC, M >= 2, sigma + zeta > 0)),
    ratio("TAB1-zeta-SC", TABLE, "PFL / SFL, heterogeneity terms", formula.ZETA_PFL_SC, formula.ZETA_SFL_SC).printed(
        "PFL / SFL, heterogeneity terms = n_clients", Eq(quantity, M), given=[zeta_star > 0, mu > 0]),
    ratio("TAB1-zeta-GC", TABLE, "(PFL / SFL, heterogeneity terms)³", formula.ZETA_PFL_GC, formula.ZETA_SFL_GC, 3).printed(
        "(PFL / SFL, heterogeneity terms)³ = n_clients", Eq(quantity, M), given=[zeta_star > 0, D > 0]),
    ratio("TAB1-zeta-NC", TABLE, "(PFL / SFL, heterogeneity terms)³", formula.ZETA_PFL_NC, formula.ZETA_SFL_NC, 3).printed(
        "(PFL / SFL, heterogeneity terms)³ = n_clients", Eq(quantity, M), given=[zeta > 0, A > 0]),
)
EXTERNAL = tuple(
    PAPER.quoted(id, bound.source.place, recorded="inapplicable").printed(f"{text} (quoted, hidden constant 1)", bound)
    for id, text, bound in (
        ("TAB1-SC-Karimireddy", "PFL, strongly convex, Assumptions 2 and 4", formula.KARIMIREDDY_SC),
        ("TAB1-SC-Koloskova", "PFL, strongly convex, Assumptions 1 and 3", formula.KOLOSKOVA_SC),
        ("TAB1-SC-Woodworth", "PFL, strongly convex, Assumptions 2 and 5", formula.WOODWORTH_SC),
        ("TAB1-GC-Karimireddy", "PFL, general convex, Assumptions 2 and 4", formula.KARIMIREDDY_GC),
        ("TAB1-GC-Koloskova", "PFL, general convex, Assumptions 1 and 3", formula.KOLOSKOVA_GC),
        ("TAB1-GC-Woodworth", "PFL, general convex, Assumptions 2 and 5", formula.WOODWORTH_GC),
        ("TAB1-NC-PFL", "PFL, non-convex, Assumptions 2 and 4 with β = 0", formula.PFL_NC),
        ("RR-SC", "random reshuffling, strongly convex", formula.RR_SC),
        ("RR-GC", "random reshuffling, general convex", formula.RR_GC),
        ("RR-NC", "random reshuffling, non-convex", formula.RR_NC),
        ("C19", "SFL with random reshuffling inside clients (Malinovsky et al.): E|x_R - x*|²", formula.C19),
    )
)

# Random reshuffling, gaps between upper and lower bounds ---------------------------------------------------------

AFTER_C4 = "after Corollary 4"
_ONE_STEP: dict[str, object] = {"n_local_steps": 1, "noise_std": 0, "noise_std_at_optimum": 0}


def like_reshuffling(id: str, ours: Expr, last: Expr, dimension: Dimension) -> Statement:
    """State the cube of the part before the last term, so that both sides are rational."""
    return rate_statement(id, AFTER_C4, "(SFL's rate without its last term)³",
        (ours.subs({sigma: 0, beta: 0, K: 1}) - last) ** 3, dimension,
        cases=(parameters(**_ONE_STEP), parameters(**_ONE_STEP, n_clients=100, smoothness=30, n_rounds=1000)),
        family=any_parameters(**_ONE_STEP, heterogeneity_slope=0))


def _exponent(rate: Expr) -> Expr:
    """Return the exponent of the one exponential term of a rate."""
    (term,) = rate.atoms(exp)
    return term.args[0]


_BARE = (K <= 1, sigma <= 0, beta <= 0)
_T17_GAP = (2415 * mu <= L, mu > 0, zeta > 0)
_FLAT: dict[str, object] = {"strong_convexity": "1/5000"}
GAPS = (
    like_reshuffling("RR-comparison-GC", bounds.RATE_GC, L * D**2 / R, ENERGY_CUBED).printed(
        "SFL at K = 1, σ = 0 has the rate of random reshuffling, general convex",
        Eq(quantity, (formula.RR_GC.expr - L * D**2 / R) ** 3), given=_BARE),
    like_reshuffling("RR-comparison-NC", bounds.RATE_NC, L * A / R, (Integer(6), Integer(-6))).printed(
        "SFL at K = 1, σ = 0, β = 0 has the rate of random reshuffling, non-convex",
        Eq(quantity, (formula.RR_NC.expr - L * A / R) ** 3), given=_BARE),
    ratio("RR-comparison-SC", AFTER_C4, "random reshuffling / SFL, heterogeneity terms, strongly convex",
        L / mu * formula.ZETA_SFL_SC, formula.ZETA_SFL_SC).printed(
        "random reshuffling / SFL, heterogeneity terms, strongly convex = smoothness/strong_convexity",
        Eq(quantity, L / mu), given=[zeta_star > 0, mu > 0]),
    ratio("RR-comparison-SC-exponent", AFTER_C4, "random reshuffling / SFL, exponents, strongly convex",
        _exponent(formula.RR_SC.expr), _exponent(formula.SFL_SC)).printed(
        "random reshuffling / SFL, exponents, strongly convex = n_clients", Eq(quantity, M), given=[mu > 0]),
    ratio("T5-gap", "after Theorem 5", "Corollary 4 / Theorem 5, heterogeneity terms at ζ_* = ζ",
        formula.ZETA_SFL_SC.subs(zeta_star, zeta), formula.ZETA_T5).printed(
        "Corollary 4 / Theorem 5, heterogeneity terms at ζ_* = ζ = smoothness/strong_convexity", Eq(quantity, L / mu),
        given=[zeta > 0, mu > 0]),
    ratio("APPF", "Appendix F", "Theorem 17 / Theorem 5, heterogeneity terms for R >= 161κ", lower.T17_LONG.expr,
        formula.ZETA_T5).printed(
        "Theorem 17 / Theorem 5, heterogeneity terms for R >= 161κ = smoothness/strong_convexity", Eq(quantity, L / mu),
        given=[*_T17_GAP, 161 * L / mu <= R], cases=(parameters(**_FLAT, n_rounds=10**6),),
        family=any_parameters(**_FLAT, smoothness=1, n_rounds=10**6)),
    ratio("APPF-short", "Appendix F", "Theorem 17 / Theorem 5, heterogeneity terms for R < 161κ", lower.T17_SHORT.expr,
        formula.ZETA_T5).printed("Theorem 17 / Theorem 5, heterogeneity terms for R < 161κ = n_rounds", Eq(quantity, R),
        given=[*_T17_GAP, 161 * L / mu > R], cases=(parameters(**_FLAT),), family=any_parameters(**_FLAT, smoothness=1)),
    ratio("APPF-small-step", "Appendix F", "Theorem 18 / Theorem 6, heterogeneity terms", lower.T18_SC.expr,
        formula.ZETA_T6_SC).printed("Theorem 18 / Theorem 6, heterogeneity terms = 1", Eq(quantity, 1),
        given=[zeta > 0, mu > 0]),
    ratio("APPF-small-step-GC", "Appendix F", "(Theorem 18 / Theorem 6, heterogeneity terms, general convex)³",
        lower.T18_GC.expr, formula.ZETA_T6_GC, 3).printed(
        "(Theorem 18 / Theorem 6, heterogeneity terms, general convex)³ = 1", Eq(quantity, 1), given=[zeta > 0, D > 0]),
)

# The second noise term of Theorem 6 -------------------------------------------------------------------------------

STEEP: dict[str, object] = {"smoothness": 10_100, "strong_convexity": 1}
FLAT_LONG: dict[str, object] = {"smoothness": 1, "n_clients": 10, "n_local_steps": 5, "noise_std": 1}
_SECOND = "Theorem 6, second noise term / first"
SECOND_NOISE = (
    ratio("T6-second-SC", "Theorem 6, strongly convex", _SECOND, lower.SECOND_SC, lower.FIRST_SC).strengthened(
        f"{_SECOND} = κ/R, at most 1010 once R >= κ/1010: up to constants it adds nothing", Eq(quantity, L / (mu * R)),
        quantity <= lower.RATIO, given=[sigma > 0, mu > 0, lower.RATIO * mu * R >= L],
        cases=(parameters(**STEEP, n_rounds=10), parameters(**STEEP, n_rounds=1000), parameters()),
        remark="1010 is attained at R = κ/1010. For R >= κ it is at most 1."),
    ratio("T6-second-GC", "Theorem 6, general convex", f"({_SECOND})⁶", lower.GC_NOISE, lower.GC_FIRST, 6).strengthened(
        f"({_SECOND})⁶ = L²MKD²/(σ²R), at most 51^-3 under the printed condition: at most 0.14 of it",
        Eq(quantity, L**2 * M * K * D**2 / (sigma**2 * R)), quantity <= Rational(1, 51**3),
        given=[sigma > 0, D > 0, R * sigma**2 >= 51**3 * L**2 * M * K * D**2],
        cases=(parameters(**FLAT_LONG, n_rounds=50 * 51**3), parameters(**FLAT_LONG, n_rounds=10**9, initial_distance=2),
            parameters(**{**FLAT_LONG, "noise_std": 100}, n_rounds=10**4)),
        family=any_parameters(smoothness=1, noise_std=100, initial_distance="1/10"),
        remark="51^-3 is attained where the second entry of the printed maximum is R."),
)

# The dominant term for many rounds -------------------------------------------------------------------------------

_MANY: dict[str, object] = {"n_rounds": 10**12}
LATE: dict[str, Any] = {
    "cases": (
        parameters(**_MANY),
        parameters(**_MANY, n_clients=100, heterogeneity="1/10", heterogeneity_at_optimum="1/10"),
    ),
    "family": any_parameters(**_MANY, heterogeneity_slope=0),
}
_FIRST_RULES = "for many rounds and σ > 0 the first term of the rate is at least half of it"
LIMITS = (
    rate_statement("C4-limit-SC", AFTER_C4, "SFL's rate", formula.SFL_SC, **LATE).explicit(_FIRST_RULES,
        quantity <= 2 * sigma**2 / (mu * M * K * R), given=[sigma > 0, formula.NOISE_RULES_SC <= R]),
    rate_statement("C4-limit-GC", AFTER_C4, "SFL's rate", bounds.RATE_GC, **LATE).explicit(_FIRST_RULES,
        quantity <= 2 * sigma * D / sqrt(M * K * R), given=[sigma > 0, formula.NOISE_RULES_GC <= R]),
    rate_statement("C4-limit-NC", AFTER_C4, "SFL's rate", bounds.RATE_NC, GRADIENT_SQUARED, **LATE).explicit(
        _FIRST_RULES, quantity <= 2 * sqrt(L * sigma**2 * A / (M * K * R)),
        given=[sigma > 0, formula.NOISE_RULES_NC <= R]),
)

CLAIMS: tuple[Claim, ...] = (*TABLE_1, *GAPS, *SECOND_NOISE, *LIMITS, *EXTERNAL)
