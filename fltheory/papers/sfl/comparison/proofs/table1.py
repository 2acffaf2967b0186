"""Comparisons of rates: Table 1, random reshuffling, Appendix F, and the dominant term for many rounds."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, exp

from fltheory.model.bound import Bound
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.comparison import bounds as formula
from fltheory.papers.sfl.lower import bounds as lower
from fltheory.papers.sfl.notation import A, D, K, L, M, R, beta, mu, sigma, sigma_star, zeta, zeta_star
from fltheory.proof import Given, Step, Theorem, by, le, line, proof, statement_of
from fltheory.verification import find

TABLE, AFTER_C4, APPENDIX = "Table 1", "after Corollary 4", "Appendix F"
THIRD, TWO_THIRDS = Rational(1, 3), Rational(2, 3)

# Two terms, one over the other --------------------------------------------------------------------------------------


def ratio(claim: str, place: str, top: Expr, bottom: Expr, power: int = 1) -> Theorem:
    """Prove the claim on top / bottom, or on a power: both sides are equal."""
    (bound,) = find(f"sfl/{claim}@printed").bounds
    statement, conditions = statement_of(bound, top**power / bottom**power)
    chain = proof(f"sfl/{claim}", place, of=f"sfl/{claim}@printed", bound=bound).under(*conditions)
    return chain.qed(statement, by.linear({c.id: Integer(0) for c in conditions}))


def exponent(rate: Expr) -> Expr:
    """Return the exponent of the one exponential term of a rate."""
    (term,) = rate.atoms(exp)
    return term.args[0]


RATIOS = (
    ratio("TAB1-zeta-SC", TABLE, formula.ZETA_PFL_SC, formula.ZETA_SFL_SC),
    ratio("TAB1-zeta-GC", TABLE, formula.ZETA_PFL_GC, formula.ZETA_SFL_GC, 3),
    ratio("TAB1-zeta-NC", TABLE, formula.ZETA_PFL_NC, formula.ZETA_SFL_NC, 3),
    ratio("RR-comparison-SC", AFTER_C4, L / mu * formula.ZETA_SFL_SC, formula.ZETA_SFL_SC),
    ratio("RR-comparison-SC-exponent", AFTER_C4, exponent(formula.RR_SC.expr), exponent(formula.SFL_SC)),
    ratio("T5-gap", "after Theorem 5", formula.ZETA_SFL_SC.subs(zeta_star, zeta), formula.ZETA_T5),
    ratio("APPF", APPENDIX, lower.T17_LONG.expr, formula.ZETA_T5),
    ratio("APPF-short", APPENDIX, lower.T17_SHORT.expr, formula.ZETA_T5),
    ratio("APPF-small-step", APPENDIX, lower.T18_SC.expr, formula.ZETA_T6_SC),
    ratio("APPF-small-step-GC", APPENDIX, lower.T18_GC.expr, formula.ZETA_T6_GC, 3),
)

# SFL's rates at K = 1 without noise ---------------------------------------------------------------------------------


def like_reshuffling(claim: str, ours: Expr, last: Expr) -> Theorem:
    """Prove that the two rates without their last terms, cubed, are equal."""
    (bound,) = find(f"sfl/{claim}@printed").bounds
    statement, conditions = statement_of(bound, (ours.subs({sigma: 0, beta: 0, K: 1}) - last) ** 3)
    none = tuple(c.id for c in conditions)
    chain = proof(f"sfl/{claim}", AFTER_C4, of=f"sfl/{claim}@printed", bound=bound, unused=none).under(*conditions)
    return chain.qed(statement, by.linear())


SAME = (
    like_reshuffling("RR-comparison-GC", bounds.RATE_GC, L * D**2 / R),
    like_reshuffling("RR-comparison-NC", bounds.RATE_NC, L * A / R),
)

# Table 1: SFL's rate is at most PFL's -------------------------------------------------------------------------------

_SHARE = L / (mu**2 * R**2)

_m = Symbol("m", positive=True)
INVERSE = proof("sfl/TAB1-inverse", TABLE, note="1/m^2 is not negative").qed(le(0, 1 / _m**2), by.linear())


def sc(bound: Bound, rival: str, weights: dict[str, Expr], unused: tuple[str, ...], *more: Given) -> Theorem:
    """Compare SFL's strongly convex rate with one of PFL's: second-order drift and noise terms are M times smaller."""
    statement, conditions = statement_of(bound, formula.SFL_SC)
    noise, spread = (sigma_star, zeta_star) if "c4" in weights and rival == "Koloskova" else (sigma, zeta_star)
    drift = L / (M * R**2) * (noise**2 / K + spread**2)
    fewer = {"c2": drift / mu**2, "inverse": drift}
    name = f"sfl/TAB1-SC-{rival}"
    chain = proof(name, TABLE, of="sfl/TAB1-SC@printed", bound=bound, unused=unused).under(*conditions, *more)
    steps = (line("K", le(1, K), by.polynomial()),) if "K" in weights else ()
    inverse = line("inverse", le(0, 1 / mu**2), by.apply(INVERSE, {_m: mu}, "c1"))
    return chain.steps(inverse, *steps).qed(statement, by.linear({**fewer, **weights}))


def roots(*pairs: tuple[Expr, Expr, str]) -> tuple[Step, ...]:
    """M^(1/3) >= 1, and a <= b to the power 2/3 for some pairs."""
    steps = [line("one", le(1, M), by.polynomial()), line("root", le(1, M**THIRD), by.power(THIRD, "zero", "one"))]
    for i, (a, b, known) in enumerate(pairs):
        steps.append(line(f"sign {i}", le(0, a), by.linear()))
        steps.append(line(f"spread {i}", le(a**TWO_THIRDS, b**TWO_THIRDS), by.power(TWO_THIRDS, f"sign {i}", known)))
    return (line("zero", le(0, 1), by.linear()), *steps)


def flat(
    claim: str,
    bound: Bound,
    rate: Expr,
    rival: str,
    scale: Expr,
    weights: dict[str, Expr],
    *pairs: tuple[Expr, Expr, str],
) -> Theorem:
    """Compare a rate with powers of 1/3 with one of PFL's; ``scale`` is their prefactor."""
    statement, conditions = statement_of(bound, rate)
    heterogeneity = zeta if claim == "TAB1-NC" else zeta_star
    noise = sigma_star if rival == "Koloskova" else sigma
    fewer = scale * (noise**TWO_THIRDS / K**THIRD + heterogeneity**TWO_THIRDS) / M**THIRD
    used = [c.id for c in conditions if c.id in weights or any(c.id == known for _, _, known in pairs)]
    unused = tuple(c.id for c in conditions if c.id not in used)
    name = f"sfl/{claim}" + (f"-{rival}" if rival else "")
    chain = proof(name, TABLE, of=f"sfl/{claim}@printed", bound=bound, unused=unused).under(*conditions)
    return chain.steps(*roots(*pairs)).qed(statement, by.linear({"root": fewer, **weights}))


_SC, _GC, _NC = (find(f"sfl/TAB1-{kind}@printed").bounds for kind in ("SC", "GC", "NC"))
_GC_SCALE = L**THIRD * D ** Rational(4, 3) / R**TWO_THIRDS
TABLE_1 = (
    INVERSE,
    sc(_SC[0], "PFL", {}, ("c3",)),
    sc(_SC[1], "Karimireddy", {"c4": _SHARE * (zeta + zeta_star)}, ("c3",)),
    sc(
        _SC[2],
        "Koloskova",
        {
            "c4": (sigma + sigma_star) * ((1 / (mu * M * K * R)) + _SHARE / (M * K)),
            "curvatures": D**2 * exp(-mu * R / L),
            "K": L * D**2 * exp(-mu * R / L),
        },
        ("c3",),
        Given("curvatures", le(mu, L), "a strong convexity constant is at most a smoothness constant"),
    ),
    flat("TAB1-GC", _GC[0], bounds.RATE_GC, "Karimireddy", _GC_SCALE, {"spread 0": _GC_SCALE}, (zeta_star, zeta, "c3")),
    flat("TAB1-GC", _GC[1], bounds.RATE_GC, "Koloskova", _GC_SCALE,
        {"spread 0": _GC_SCALE / (M * K) ** THIRD, "c3": D / (M * K * R) ** Rational(1, 2)}, (sigma, sigma_star, "c3")),
    flat("TAB1-NC", _NC[0], formula.SFL_NC, "", L**TWO_THIRDS * A**TWO_THIRDS / R**TWO_THIRDS, {}),
)

THEOREMS = (*RATIOS, *SAME, *TABLE_1)
