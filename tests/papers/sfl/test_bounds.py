"""The paper's upper bounds at numbers, against plain arithmetic: theorems, tuned rates, Table 1, one round and its drift."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, isclose, log, sqrt
from types import SimpleNamespace
from typing import Any

import pytest
from sympy import Integer, Rational, Symbol, oo, sympify

from fltheory.model.bound import HIDDEN_CONSTANT, Bound
from fltheory.number import evaluate_ball
from fltheory.papers.sfl import bounds, notation
from fltheory.papers.sfl.comparison import bounds as comparison
from fltheory.papers.sfl.recursion import bounds as recursion

ROOMY: dict[str, float] = {
    "M": 5,
    "S": 3,
    "K": 2,
    "R": 40,
    "n_draws": 2,
    "L": 1.3,
    "mu": 0.7,
    "D": 2.2,
    "A": 1.7,
    "G": 1.9,
    "sigma": 0.6,
    "sigma_star": 0.55,
    "zeta_star": 0.8,
    "zeta": 0.9,
    "beta": 0.4,
    "zeta_hat": 1.1,
    "eta": 0.011,
    "gamma": 1.5,
    "eta_max": 0.12,
    "a": 0.3,
    "b": 0.25,
    "c1": 0.45,
    "c2": 0.35,
    "distance": 1.4,
    "divergence": 0.65,
}
QUIET = {**ROOMY, "sigma": 0.0, "zeta_star": 0.0, "zeta": 0.0, "c1": 0.0, "c2": 0.0, "gamma": 1.0}
LONG = {**ROOMY, "R": 5000, "M": 1, "S": 1, "D": 0.3, "L": 2.0}
SETTINGS = pytest.mark.parametrize("at", [ROOMY, QUIET, LONG], ids=["usual", "quiet", "long"])


def value(expr: Any, at: dict[str, float], where: Any = ()) -> float:
    """At these numbers, with the definitions of letters after one another."""
    known: dict[Any, Any] = {getattr(notation, name): Fraction(str(v)) for name, v in at.items()}
    return number(expr, known, where)


def number(expr: Any, known: dict[Any, Any], where: Any = ()) -> float:
    own = dict(known)
    for symbol, meaning in where:
        own[symbol] = evaluate_ball(meaning, own)
    return float(evaluate_ball(sympify(expr), own))


def of(bound: Bound, at: dict[str, float]) -> float:
    return value(bound.expr, at, bound.where)


def step_sc(c: Any, c1: float, c2: float) -> float:
    """min{eta_max, max(1/2, ln min(a^2 R D^2 / c1, a^3 R^2 D^2 / c2)) / (a R)}."""
    a = c.mu / 2
    if c2 <= 0:
        return 1 / (6 * c.L)
    ratio = min(a**2 * c.R * c.D**2 / c1 if c1 else inf, a**3 * c.R**2 * c.D**2 / c2)
    return min(1 / (6 * c.L), max(0.5, log(ratio)) / (a * c.R))


def rate_sc(c: Any, c1: float, c2: float) -> float:
    a = c.mu / 2
    ell = a * c.R * step_sc(c, c1, c2)
    tail = (3 + ell) * c1 / (a * c.R) + (3 + ell**2) * c2 / (a * c.R) ** 2
    return 3 * (3 * a * c.D**2 * exp(-a * c.R / (6 * c.L)) + tail)


def step_gc(c: Any, c1: float, c2: float, d0: float, top: float, exponent: float = 1 / 3) -> float:
    noise = sqrt(d0 / (c1 * c.R)) if c1 else inf
    drift = (d0 / c2) ** (1 / 3) / c.R**exponent if c2 else inf
    return min(top, noise, drift)


def rate_gc(c: Any, c1: float, c2: float, b: float, d0: float, top: float) -> float:
    return (d0 / (top * c.R) + 2 * sqrt(c1 * d0 / c.R) + 2 * c2 ** (1 / 3) * (d0 / c.R) ** (2 / 3)) / b


def letters(at: dict[str, float]) -> Any:
    c = SimpleNamespace(**at)
    c.sampling = (c.M - c.S) / (c.S * max(c.M - 1, 1))
    c.c1_sfl, c.c2_sfl = 4 * c.sigma**2 / (c.M * c.K), 6 * c.L * (c.sigma**2 / c.K + c.zeta_star**2) / c.M
    c.c2_pfl = 6 * c.L * c.sigma**2 / c.K + 4 * c.L * c.zeta_star**2
    c.c1_nc = 2 * c.L * c.sigma**2 / (c.M * c.K)
    c.c2_nc = 15 / 8 * c.L**2 * (c.sigma**2 / c.K + c.zeta**2) / c.M
    c.c2_nc_pfl = c.L**2 * (15 * c.sigma**2 / c.K + 10 * c.zeta**2) / 8
    c.c1_pp = 4 * (c.sigma**2 / (c.S * c.K) + c.zeta_star**2 * c.sampling)
    c.c2_pp = 6 * c.L / c.S * (c.sigma**2 / c.K + c.zeta_star**2)
    c.top, c.top_nc = 1 / (6 * c.L), 1 / (6 * c.L * (1 + c.beta**2 / c.M))
    c.top_nc_pfl = 1 / (6 * c.L * (1 + c.beta**2))
    return c


@pytest.mark.parametrize("first", ["0", "0.45", "30"])
@pytest.mark.parametrize("second", ["0", "0.35", "900"])
@pytest.mark.parametrize("n_rounds", [40, 5000])
def test_rules_of_tuning(first: str, second: str, n_rounds: int) -> None:
    """What the steps and rates are made of, at the boundaries too."""
    c1, c2, d0, top = (Symbol(name, nonnegative=True) for name in ("u", "v", "w", "t"))
    at = {**ROOMY, "mu": 0.7, "R": n_rounds, "D": 2.2, "L": 1.3}
    c, one, two = SimpleNamespace(**at), float(first), float(second)
    own: dict[Any, Any] = {getattr(notation, name): Fraction(str(v)) for name, v in at.items()}
    own |= {c1: Fraction(first), c2: Fraction(second), d0: Fraction(17, 10), top: Fraction(9, 10)}
    step, bound = bounds.tuned_rate_sc(c1, c2)
    assert number(step, own) == pytest.approx(step_sc(c, one, two))
    assert number(bound, own, bounds.log_factor_of(step)) == pytest.approx(rate_sc(c, one, two))
    for exponent in (Rational(1, 3), Rational(2, 3)):
        given = number(bounds.tuned_step_gc(c1, c2, d0, top, exponent), own)
        assert given == pytest.approx(step_gc(c, one, two, 1.7, 0.9, float(exponent)))
    assert number(bounds.tuned_step_gc(c1, c2, d0, top), own) == pytest.approx(step_gc(c, one, two, 1.7, 0.9))
    assert number(bounds.tuned_step_gc(c1, c2, d0, top), {**own, d0: Fraction(0)}) == pytest.approx(0.9)
    flat = bounds.tuned_rate_gc(c1, c2, Rational(1, 5), d0, top)
    assert number(flat, own) == pytest.approx(rate_gc(c, one, two, 0.2, 1.7, 0.9))
    assert dict(bounds.log_factor_of(step)) == {
        notation.eta_eff: step,
        notation.ell_e: notation.mu * notation.eta_eff * notation.R / 2,
    }


def test_parts_of_rules() -> None:
    own: dict[Any, Any] = {notation.R: 40}
    assert [number(bounds.at_least_half(Integer(v)), own) for v in (0, 1, 8)] == pytest.approx([0.5, 0.5, log(8)])
    for steep in (Integer(0), Rational(1, 10), Integer(5)):
        told = number(bounds.capped_step(Rational(1, 4), Integer(2), steep), own)
        assert told == pytest.approx(min(0.25, 2 / (float(steep) * 40)) if steep else 0.25)
    assert bounds._or_infinite(Integer(0), Integer(3)) == oo
    assert bounds._or_infinite(Integer(2), Integer(18), Rational(1, 2)) == 3
    assert bounds._or_infinite(Integer(2), Integer(18)) == 9


def theorems(c: Any) -> dict[str, float]:
    """Theorems 3, 7, 15, 16, Corollary 20 and partial participation, at their effective steps."""
    found: dict[str, float] = {}
    exact = lambda e: 1.5 * c.mu * c.D**2 / ((1 - c.mu * e / 2) ** -(c.R + 1) - 1)  # noqa: E731
    decay = lambda e: 4.5 * c.mu * c.D**2 * exp(-c.mu * e * c.R / 2)  # noqa: E731
    flat = lambda e: 3 * c.D**2 / (e * c.R)  # noqa: E731
    e = c.eta * c.M * c.K
    tail = 12 * e * c.sigma**2 / (c.M * c.K) + 18 * c.L * e**2 / c.M * (c.sigma**2 / c.K + c.zeta_star**2)
    found |= dict.fromkeys(("T3_SC_LITERAL", "T3_SC"), decay(e) + tail)
    found |= {"T3_SC_STAR": exact(e) + tail, "T3_GC": flat(e) + tail}
    found["T3_GC_SHARP"] = 3 * c.D**2 / (e * (c.R + 1)) + tail
    found["T3_GC_TIGHT"] = (
        c.D**2 / (2 * e * (c.R + 1))
        + 0.75 * c.eta * c.sigma**2
        + (1 + 1 / (c.M * c.K**2)) * c.L * e**2 * c.zeta_star**2 / (7 * c.M)
    )
    rough = lambda e: 10 * c.A / (e * c.R) + 20 * c.L * e * c.sigma**2 / (c.M * c.K)  # noqa: E731
    found["T3_NC"] = rough(e) + 75 / 4 * c.L**2 * e**2 / c.M * (c.sigma**2 / c.K + c.zeta**2)
    e = c.gamma * c.eta * c.M * c.K
    found["T15"] = rough(e) + 75 / 4 * (c.L * e / c.gamma) ** 2 / c.M * (c.sigma**2 / c.K + c.zeta**2)
    e = c.gamma * c.eta * c.K
    found["T16"] = rough(e) + (c.L * e / c.gamma) ** 2 * (75 * c.sigma**2 / c.K + 50 * c.zeta**2) / 4
    e = c.eta * c.M * c.K
    drift = 12 * c.L * e**2 / c.M * (c.sigma**2 / c.K + c.zeta_star**2) / c.mu
    found["C20"] = c.D**2 * (1 - c.mu * e / 2) ** c.R + 8 * c.eta * c.sigma**2 / c.mu + drift
    e = c.eta * c.K
    pfl = 18 * c.L * e**2 * c.sigma**2 / c.K + 12 * c.L * e**2 * c.zeta_star**2
    tail = 12 * e * c.sigma**2 / (c.M * c.K) + pfl
    found |= {"T7": decay(e) + tail, "T7_STAR": exact(e) + tail, "T7_GC": flat(e) + tail}
    few = 12 * e * (c.sigma**2 / (c.S * c.K) + c.zeta_star**2 * c.sampling) + pfl
    found |= {"PP_PFL": decay(e) + few, "PP_PFL_STAR": exact(e) + few, "PP_PFL_GC": flat(e) + few}
    e = c.eta * c.S * c.K
    few = 12 * e * (c.sigma**2 / (c.S * c.K) + c.zeta_star**2 * c.sampling)
    few += 18 * c.L * e**2 / c.S * (c.sigma**2 / c.K + c.zeta_star**2)
    found |= {"PP_SFL": decay(e) + few, "PP_SFL_STAR": exact(e) + few, "PP_SFL_GC": flat(e) + few}
    return found


def tuned(c: Any) -> tuple[dict[str, float], dict[str, float]]:
    """The tuned rates and the steps that they are of."""
    d = c.D**2
    flat = 1 / 3, d, c.top
    rates = {
        "C4_SC": rate_sc(c, c.c1_sfl, c.c2_sfl),
        "T7_TUNED": rate_sc(c, c.c1_sfl, c.c2_pfl),
        "PP_SFL_TUNED": rate_sc(c, c.c1_pp, c.c2_pp),
        "PP_PFL_TUNED": rate_sc(c, c.c1_pp, c.c2_pfl),
        "C4_GC": rate_gc(c, c.c1_sfl, c.c2_sfl, *flat),
        "T7_GC_TUNED": rate_gc(c, c.c1_sfl, c.c2_pfl, *flat),
        "PP_SFL_GC_TUNED": rate_gc(c, c.c1_pp, c.c2_pp, *flat),
        "PP_PFL_GC_TUNED": rate_gc(c, c.c1_pp, c.c2_pfl, *flat),
        "C4_NC": rate_gc(c, c.c1_nc, c.c2_nc, 0.1, c.A, c.top_nc),
        "T15_TUNED": rate_gc(c, c.c1_nc, c.c2_nc / c.gamma**2, 0.1, c.A, c.top_nc),
        "T16_TUNED": rate_gc(c, c.c1_nc, c.c2_nc_pfl / c.gamma**2, 0.1, c.A, c.top_nc_pfl),
    }
    printed = 6 * c.L * (c.sigma**2 / c.K + c.zeta**2) / c.M
    steps = {
        "C4_SC_STEP": step_sc(c, c.c1_sfl, c.c2_sfl),
        "T7_TUNED_STEP": step_sc(c, c.c1_sfl, c.c2_pfl),
        "PP_SFL_TUNED_STEP": step_sc(c, c.c1_pp, c.c2_pp),
        "PP_PFL_TUNED_STEP": step_sc(c, c.c1_pp, c.c2_pfl),
        "C4_SC_LITERAL_STEP": min(1 / (6 * c.L), 1 / (c.mu * c.R)),
        "C4_GC_STEP": step_gc(c, c.c1_sfl, c.c2_sfl, d, c.top),
        "C4_GC_PRINTED_STEP": step_gc(c, c.c1_sfl, printed, d, c.top, 2 / 3),
        "T7_GC_TUNED_STEP": step_gc(c, c.c1_sfl, c.c2_pfl, d, c.top),
        "PP_SFL_GC_TUNED_STEP": step_gc(c, c.c1_pp, c.c2_pp, d, c.top),
        "PP_PFL_GC_TUNED_STEP": step_gc(c, c.c1_pp, c.c2_pfl, d, c.top),
        "C4_NC_STEP": step_gc(c, c.c1_nc, c.c2_nc, c.A, c.top_nc),
        "C4_NC_PRINTED_STEP": step_gc(c, c.c1_nc, c.c2_nc, c.A, c.top_nc, 2 / 3),
        "T15_TUNED_STEP": step_gc(c, c.c1_nc, c.c2_nc / c.gamma**2, c.A, c.top_nc),
        "T16_TUNED_STEP": step_gc(c, c.c1_nc, c.c2_nc_pfl / c.gamma**2, c.A, c.top_nc_pfl),
    }
    if c.zeta_star:
        ell = max(0.5, log(c.mu**3 * c.M * c.R**2 * d / (c.L * c.zeta_star**2)))
        steps["C20_TUNED_STEP"] = min(c.top, ell / (2 * c.mu * c.R))
    else:
        steps["C20_TUNED_STEP"] = c.top
    spread = c.L * c.zeta_star**2 / (c.mu**3 * c.M * c.R**2)
    rates["C20_TUNED"] = 2 * d * exp(-c.mu * c.R / (3 * c.L)) + spread * (
        2 + 6 * (2 * c.mu * c.R * steps["C20_TUNED_STEP"]) ** 2
    )
    return rates, steps


def printed(c: Any) -> dict[str, float]:
    """Orders with the hidden constant and, where it is dropped, the square of 1 + ln R."""
    cube = lambda v: v ** (1 / 3)  # noqa: E731
    decay = c.mu * c.D**2 * exp(-c.mu * c.R / (12 * c.L))
    sc = c.sigma**2 / (c.mu * c.M * c.K * c.R) + c.L * (c.sigma**2 / c.K + c.zeta_star**2) / (c.M * c.mu**2 * c.R**2)
    pfl = c.sigma**2 / (c.mu * c.M * c.K * c.R) + c.L * (c.sigma**2 / c.K + c.zeta_star**2) / (c.mu * c.R) ** 2
    roots = cube(c.L * c.sigma**2 * c.D**4 / (c.M * c.K)) + cube(c.L * c.zeta_star**2 * c.D**4 / c.M)
    gc = c.sigma * c.D / sqrt(c.M * c.K * c.R) + c.L * c.D**2 / c.R + roots / c.R ** (2 / 3)
    roots = cube((c.L * c.sigma * c.A) ** 2 / (c.M * c.K)) + cube((c.L * c.zeta * c.A) ** 2 / c.M)
    nc = sqrt(c.L * c.sigma**2 * c.A / (c.M * c.K * c.R)) + roots / c.R ** (2 / 3)
    nc += c.L * c.A * (1 + c.beta**2 / c.M) / c.R
    hidden = float(HIDDEN_CONSTANT)
    return {
        "C4_SC_LITERAL": hidden * (1 + log(c.R)) ** 2 * (sc + decay),
        "T7_LITERAL": hidden * (1 + log(c.R)) ** 2 * (pfl + decay),
        "C4_GC_PRINTED": hidden * gc,
        "C4_NC_PRINTED": hidden * nc,
    }


@SETTINGS
def test_upper_bounds_are_the_papers_formulas(at: dict[str, float]) -> None:
    c = letters(at)
    rates, steps = tuned(c)
    paper = {**theorems(c), **rates, **printed(c)}
    far = {name: v for name, v in paper.items() if not isclose(of(getattr(bounds, name), at), v, rel_tol=1e-9)}
    assert not far
    far = {name: v for name, v in steps.items() if not isclose(value(getattr(bounds, name), at), v, rel_tol=1e-9)}
    assert not far
    assert {name for name, one in vars(bounds).items() if isinstance(one, Bound)} == set(paper)


def table_1(c: Any) -> dict[str, float]:
    """Rates of parallel FL by others, and of random reshuffling, without constants."""
    cube = lambda v: v ** (1 / 3)  # noqa: E731

    def sc(noise: float, spread: float, last: float) -> float:
        return (
            noise**2 / (c.mu * c.M * c.K * c.R)
            + c.L * noise**2 / (c.mu**2 * c.K * c.R**2)
            + c.L * spread**2 / (c.mu * c.R) ** 2
            + last
        )

    def gc(noise: float, spread: float, last: float) -> float:
        roots = cube(c.L * noise**2 * c.D**4 / c.K) + cube(c.L * spread**2 * c.D**4)
        return noise * c.D / sqrt(c.M * c.K * c.R) + roots / c.R ** (2 / 3) + last

    decay, d = c.mu * c.D**2 * exp(-c.mu * c.R / c.L), c.D**2
    ratio = c.mu * c.R / c.L
    star = c.L * c.zeta_star**2 / (c.M * c.mu**2 * c.R**2)
    third = c.R ** (2 / 3)
    roots = cube((c.L * c.sigma * c.A) ** 2 / c.K) + cube((c.L * c.zeta * c.A) ** 2)
    return {
        "KARIMIREDDY_SC": sc(c.sigma, c.zeta, decay),
        "KOLOSKOVA_SC": sc(c.sigma_star, c.zeta_star, c.L * c.K * d * exp(-ratio)),
        "PFL_SC": sc(c.sigma, c.zeta_star, decay),
        "WOODWORTH_SC": sc(c.sigma, c.zeta_hat, c.mu * d * exp(-c.K * ratio)),
        "KARIMIREDDY_GC": gc(c.sigma, c.zeta, c.L * d / c.R),
        "KOLOSKOVA_GC": gc(c.sigma_star, c.zeta_star, c.L * d / c.R),
        "WOODWORTH_GC": gc(c.sigma, c.zeta_hat, c.L * d / (c.K * c.R)),
        "PFL_NC": sqrt(c.L * c.sigma**2 * c.A / (c.M * c.K * c.R)) + roots / third + c.L * c.A / c.R,
        "DECAY": decay,
        "FAST_DECAY": c.mu * d * exp(-c.K * ratio),
        "ZETA_SFL_SC": star,
        "ZETA_PFL_SC": c.M * star,
        "ZETA_SFL_GC": cube(c.L * c.zeta_star**2 * c.D**4 / c.M) / third,
        "ZETA_PFL_GC": cube(c.L * c.zeta_star**2 * c.D**4) / third,
        "ZETA_SFL_NC": cube((c.L * c.zeta * c.A) ** 2 / c.M) / third,
        "ZETA_PFL_NC": cube((c.L * c.zeta * c.A) ** 2) / third,
        "ZETA_T5": c.zeta**2 / (c.mu * c.M * c.R**2),
        "ZETA_T6_SC": c.L * c.zeta**2 / (c.M * c.mu**2 * c.R**2),
        "ZETA_T6_GC": cube(c.L * c.zeta**2 * c.D**4 / c.M) / third,
        "RR_SC": c.L / c.mu * (star + c.mu * d * exp(-c.M * ratio)),
        "RR_GC": cube(c.L * c.zeta_star**2 * c.D**4 / c.M) / third + c.L * d / c.R,
        "RR_NC": cube((c.L * c.zeta * c.A) ** 2 / c.M) / third + c.L * c.A / c.R,
        "C19": d * exp(-c.M * c.K * ratio) + star / c.mu,
    }


@pytest.mark.parametrize("at", [ROOMY, LONG], ids=["usual", "long"])
def test_compared_rates_are_the_papers(at: dict[str, float]) -> None:
    c = letters(at)
    paper = table_1(c)
    parts = {name: getattr(comparison, name) for name in paper}
    found = {name: of(one, at) if isinstance(one, Bound) else value(one, at) for name, one in parts.items()}
    assert not {name: v for name, v in paper.items() if not isclose(found[name], v, rel_tol=1e-9)}
    size = c.M * c.K
    rules = {
        "NOISE_RULES_SC": max(
            3 * c.L / c.mu,
            3 * c.K * c.L * c.zeta_star**2 / (c.mu * c.sigma**2),
            6 * (c.L * c.D) ** 2 * size / c.sigma**2,
        ),
        "NOISE_RULES_GC": 729 * (c.L * c.D) ** 2 * size * max(1 / c.sigma**2, c.zeta_star**4 * c.K**2 / c.sigma**6),
        "NOISE_RULES_NC": c.L
        * c.A
        * size
        * max(729 / c.sigma**2, 729 * c.zeta**4 * c.K**2 / c.sigma**6, 9 * (1 + c.beta**2 / c.M) ** 2 / c.sigma**2),
    }
    assert not {n: v for n, v in rules.items() if not isclose(value(getattr(comparison, n), at), v, rel_tol=1e-9)}
    plain = comparison.RATE_NC.subs(notation.beta, 0)
    assert value(comparison.SFL_NC - plain, at) == pytest.approx(0)
    assert value(comparison.SFL_SC - comparison.RATE_SC - comparison.DECAY, at) == pytest.approx(0)


@pytest.mark.parametrize("at", [ROOMY, LONG], ids=["usual", "long"])
def test_rules_of_compared_rates(at: dict[str, float]) -> None:
    """What Table 1 and the drift of parallel clients are made of, for noise and spread of any kind."""
    c, last = letters(at), notation.A
    for noise, spread in ((notation.sigma, notation.zeta_hat), (notation.sigma_star, notation.zeta)):
        n, s = at[noise_of(noise)], at[noise_of(spread)]
        sc = n**2 / (c.mu * c.M * c.K * c.R) + c.L * n**2 / (c.K * (c.mu * c.R) ** 2) + c.L * (s / (c.mu * c.R)) ** 2
        assert value(comparison._parallel_sc(noise, spread, last), at) == pytest.approx(sc + c.A)
        roots = (c.L * n**2 * c.D**4 / c.K) ** (1 / 3) + (c.L * s**2 * c.D**4) ** (1 / 3)
        gc = n * c.D / sqrt(c.M * c.K * c.R) + roots / c.R ** (2 / 3)
        assert value(comparison._parallel_gc(noise, spread, last), at) == pytest.approx(gc + c.A)
    each = (c.K * c.eta) ** 2 * (9 / 4 * c.sigma**2 + 1.5 * c.K * c.zeta_star**2 + 3 * c.L * c.K * c.A)
    for clients, many in ((notation.M, c.M), (notation.S, c.S)):
        assert value(recursion._parallel_drift(clients), at) == pytest.approx(many * each)
    for made in (comparison.rate(last, "here", note="mine"), recursion.lemma(last, "here", note="mine")):
        assert (made.expr, made.source.paper, made.source.place, made.source.note) == (last, "sfl", "here", "mine")
        assert (made.side, made.conditions) == ("upper", ())


def noise_of(letter: Any) -> str:
    return next(name for name in ROOMY if getattr(notation, name) == letter)


def rounds(c: Any) -> dict[str, float]:
    """One round and its drift (U1 to U12)."""
    found: dict[str, float] = {"U1": c.L * c.distance**2, "U2": 2 * c.L * c.divergence}
    if c.M > 1:
        found["U3"] = c.zeta_star**2 * (c.M - c.n_draws) / (c.M - 1) / c.n_draws
        found["U3_PAIR"] = -(c.zeta_star**2) / (c.M - 1)
        squares = c.K**3 * c.S * (c.S - 1) * (0.5 - (c.S - 2) / (3 * (c.M - 1)))
        squares += c.S * sum(k**2 for k in range(int(c.K)))
        squares -= c.K**2 * (c.K - 1) * c.S * (c.S - 1) / 2 / (c.M - 1)
        found["U3B_PART_SHARP"] = c.zeta_star**2 * squares
    found["U3B"] = c.M**2 * c.K**3 * c.zeta_star**2 / 2
    found["U3B_SHARP"] = c.M * c.K * (c.K**2 * c.M + 1) * c.zeta_star**2 / 6
    found["U3B_PART"] = c.S**2 * c.K**3 * c.zeta_star**2 / 2
    e = c.eta * c.M * c.K
    shrunk = lambda e: c.D**2 - c.mu * e * c.D**2 / 2  # noqa: E731
    noise = c.sigma**2 / (c.M * c.K)
    found["U4"] = shrunk(e) + 4 * e * c.eta * c.sigma**2 - 2 * e * c.A / 3
    mk = c.M * c.K * c.eta
    drift = 9 / 4 * mk**2 * (c.sigma**2 + c.K * c.zeta_star**2)
    found["U5"] = drift + 3 * c.L * c.M * c.K * mk**2 * c.A
    found["U6"] = (
        shrunk(e) - e * c.A / 3 + 4 * e**2 * noise + 6 * c.L * e**3 / c.M * (c.sigma**2 / c.K + c.zeta_star**2)
    )
    found["U6_TIGHT"] = (
        c.D**2 - 2 * e * c.A + 1.5 * e**2 * noise + 2 / 7 * (1 + 1 / (c.M * c.K**2)) * c.L * e**3 * c.zeta_star**2 / c.M
    )
    descent = lambda e: c.A - e * c.G**2 / 6 + 2 * c.L * e**2 * noise  # noqa: E731
    found["U9"] = descent(c.gamma * e)
    found["U10"] = 9 / 4 * mk**2 * (c.sigma**2 + c.K * c.zeta**2) + mk**2 * c.K * c.G**2 * (
        9 / 4 * c.beta**2 + 1.5 * c.M
    )
    one = c.eta**2 * c.K**2
    parallel = one * (9 / 4 * c.sigma**2 + 1.5 * c.K * c.zeta_star**2 + 3 * c.L * c.K * c.A)
    found |= {"U11_DRIFT": c.M * parallel, "U12_PFL_DRIFT": c.S * parallel}
    e = c.eta * c.K
    found["U11_ROUND"] = shrunk(e) + 4 * e**2 * noise - 2 * e * c.A / 3
    tail = 6 * c.L * e**3 * c.sigma**2 / c.K + 4 * c.L * e**3 * c.zeta_star**2
    found["U11"] = shrunk(e) - e * c.A / 3 + 4 * e**2 * noise + tail
    rough = 9 / 4 * c.sigma**2 + 1.5 * c.K * (c.zeta**2 + (1 + c.beta**2) * c.G**2)
    found["U11_NC_DRIFT"] = c.M * one * rough
    found["U11_NC_ROUND"] = descent(c.gamma * e)
    sampled = lambda e: (  # noqa: E731
        shrunk(e) - e * c.A / 3 + 4 * e**2 * (c.sigma**2 / (c.S * c.K) + c.zeta_star**2 * c.sampling)
    )
    found["U12_PFL"] = sampled(e) + tail
    e = c.eta * c.S * c.K
    found["U12_SFL"] = sampled(e) + 6 * c.L * e**3 / c.S * (c.sigma**2 / c.K + c.zeta_star**2)
    found["U12_SFL_DRIFT"] = e**2 * (9 / 4 * (c.sigma**2 + c.K * c.zeta_star**2) + 3 * c.L * c.S * c.K * c.A)
    return found


def averages(c: Any, e: float) -> dict[str, float]:
    """From the recursion to the average (U7, U8), at the effective step ``e``, with ell_e = a e R where it is tuned."""
    d, ell = c.D**2, c.a * e * c.R
    tail = c.c1 * e + c.c2 * e**2
    return {
        "U7_SHARP": (c.a * d / ((1 - c.a * e) ** -(c.R + 1) - 1) + tail) / c.b,
        "U7": (3 * c.a * d * exp(-c.a * e * c.R) + tail) / c.b,
        "U7T": (
            3 * c.a * d * exp(-c.a * c.eta_max * c.R)
            + (3 + ell) * c.c1 / (c.a * c.R)
            + (3 + ell**2) * c.c2 / (c.a * c.R) ** 2
        )
        / c.b,
        "U8": (d / (e * (c.R + 1)) + tail) / c.b,
        "U8T": rate_gc(c, c.c1, c.c2, c.b, d, c.eta_max),
    }


@SETTINGS
def test_one_round_and_its_drift(at: dict[str, float]) -> None:
    c = letters(at)
    paper = rounds(c)
    assert not {n: v for n, v in paper.items() if not isclose(of(getattr(recursion, n), at), v, rel_tol=1e-9)}
    step = {**at, "eta_eff": 0.07}
    means = averages(c, 0.07)
    assert not {n: v for n, v in means.items() if not isclose(of(getattr(recursion, n), step), v, rel_tol=1e-9)}
    named = {name for name, one in vars(recursion).items() if isinstance(one, Bound)}
    assert named == {*rounds(letters(ROOMY)), *means}
    assert value(recursion.U4_DRIFT, at) == pytest.approx(8 / 3 * c.L * c.eta)
    assert value(recursion.U9_DRIFT, at) == pytest.approx(5 / 6 * c.eta * c.gamma * c.L**2)
    assert value(recursion.U11_ROUND_DRIFT, at) == pytest.approx(8 / 3 * c.L * c.eta / c.M)
    assert value(recursion.U11_NC_ROUND_DRIFT, at) == pytest.approx(5 / 6 * c.eta * c.gamma * c.L**2 / c.M)
    if c.c2:
        ratio = min(c.a**2 * c.R * c.D**2 / c.c1, c.a**3 * c.R**2 * c.D**2 / c.c2)
        ell = max(0.5, log(ratio))
        assert value(recursion.U7T_LOG, at) == pytest.approx(ell)
        assert value(recursion.U7T_STEP, at) == pytest.approx(min(c.eta_max, ell / (c.a * c.R)))
    else:
        assert value(recursion.U7T_LOG, at) == inf
    assert value(recursion.U8T_STEP, at) == pytest.approx(step_gc(c, c.c1, c.c2, c.D**2, c.eta_max))
