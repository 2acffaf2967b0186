"""The bounds of OSMD and the rates of the optimisation at numbers, against the paper's formulas in plain arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, inf, isclose, log, sqrt
from types import SimpleNamespace
from typing import Any

import pytest
from sympy import Integer, Symbol, oo, sympify

from fltheory.model.bound import Bound
from fltheory.number import evaluate_ball
from fltheory.papers.osmd import bounds, notation
from fltheory.papers.osmd.sgd import bounds as sgd

USUAL: dict[str, float] = {
    "M": 20,
    "K": 3,
    "T": 150,
    "batch": 4,
    "B": 4,
    "n_experts": 6,
    "alpha": 0.4,
    "eta": 0.03,
    "gamma": 0.07,
    "A": 1.3,
    "a2": 2.1,
    "TV": 0.7,
    "beta": 0.9,
    "D1": 0.6,
    "psi": 0.35,
    "phi": 0.45,
    "smaller": 0.25,
    "Lq": 1.9,
    "Lbar": 2.3,
    "J2": 1.7,
    "L": 1.6,
    "nu": 0.8,
    "D": 1.1,
    "sigma": 0.75,
    "G": 1.45,
    "zeta_unif": 1.2,
    "zeta_T": 0.85,
    "mu": 0.004,
    "server": 1.5,
}
LONG = {**USUAL, "T": 10**7, "D": 0.001, "K": 1, "alpha": 0.9, "sigma": 3.5}
STEEP = {**USUAL, "L": 40.0, "T": 9, "D": 25.0, "zeta_T": 0.05}
SETTINGS = pytest.mark.parametrize("at", [USUAL, LONG, STEEP], ids=["usual", "long", "steep"])


def number(expr: Any, at: dict[str, float], where: Any = ()) -> float:
    known: dict[Any, Any] = {getattr(notation, name): Fraction(str(v)) for name, v in at.items()}
    for symbol, meaning in where:
        known[symbol] = evaluate_ball(meaning, known)
    return float(evaluate_ball(sympify(expr), known))


def of(one: Any, at: dict[str, float]) -> float:
    return number(one.expr, at, one.where) if isinstance(one, Bound) else number(one, at)


def letters(at: dict[str, float]) -> Any:
    c = SimpleNamespace(**at)
    c.apart = log(c.M / c.alpha)
    c.q = c.M**3 * c.A / (c.K * c.alpha**3)
    c.r = c.M**2 * c.A / (c.K * c.alpha**2)
    c.q_beta = (log(c.M) + 2 * c.beta * c.apart) / 2
    c.x = 2 * sqrt(c.q_beta / c.T)
    c.seven = c.q * sqrt(c.T * c.q_beta)
    c.experts = 1 + -floor(-log(1 + 4 * c.apart / log(c.M) * (c.T - 1)) / (2 * log(2)))
    c.regret = c.M * c.G**2 / (c.K * c.alpha**3) * sqrt(c.q_beta / c.T)
    c.delta = (1 / c.alpha + (c.K - 1) / c.M) / c.K
    c.spread = c.zeta_unif**2 + c.sigma**2 / (2 * c.B)
    c.avg = 2 * c.zeta_T**2 / c.K + c.sigma**2 / (c.K * c.B * c.alpha)
    c.safe = 4 * c.zeta_T**2 / c.K + 2 * c.sigma**2 * c.delta / c.B
    c.roots = (4 + 2 / c.alpha) ** (1 / 3)
    c.cap = 1 / (4 * c.B * c.L * sqrt(2 + 1 / c.alpha))
    c.cap_safe = min(1 / (8 * c.B * c.L), c.cap)
    c.meta = 1 + 2 * log(c.experts)
    c.regret_meta = 3 * c.regret + c.G**2 / (c.K * c.alpha**2) * c.meta / sqrt(8 * c.T)
    return c


def intrinsic(c: Any, variation: float = 2, squares: float = 2, start: float | None = None) -> float:
    first = log(c.M) if start is None else start
    return (first + variation * c.apart * c.TV) / c.eta + c.eta * c.M**6 * c.a2 / (squares * c.K**2 * c.alpha**6)


def regret(c: Any) -> dict[str, float]:
    """Proposition 13, Theorems 6, 8 and 10, Corollary 7; E experts as (23) says where it is defined so."""
    sharp = ((1 - c.alpha) * log(c.M) + c.beta * c.apart) / (2 * c.q_beta)
    moved = (exp(c.x) - 1 - c.x) / c.x**2
    second = c.alpha**2 / (c.M * c.K) + (c.K - 1) * c.alpha**3 / (c.K * c.M**2)
    choice = c.r * sqrt(c.T / 8) * c.meta
    printed = c.M / c.alpha * sqrt(c.T * c.A / (8 * c.K)) * c.meta
    any_rate = c.gamma * c.T * c.r**2 / 8 + 2 * log(c.experts) / c.gamma
    tuned = log(c.M) + c.beta * c.apart
    blocks = sum(sqrt(2.0) ** -k for k in range(200))  # of lengths T/2, T/4, .. to the root, over that of T/2
    return {
        "Q": c.q,
        "R": c.r,
        "Q_BETA": c.q_beta,
        "ETA": c.x / c.q,
        "TRIVIAL": c.T * c.M**2 * c.A / (c.K * c.alpha),
        "EXPERTS": c.experts,
        "GAMMA_PRINTED": c.alpha / c.M * sqrt(8 * c.K / (c.T * c.A)),
        "GAMMA": sqrt(8 / c.T) / c.r,
        "META": 1 + 2 * log(c.n_experts),
        "P13": intrinsic(c),
        "P13_SHARP": intrinsic(c, 1, 8, c.D1),
        "T6": intrinsic(c) + 8 * c.apart * c.psi / c.eta + c.phi / c.K,
        "T6_SHARP": intrinsic(c, 1, 8, c.D1) + c.smaller,
        "T6_PROJECTION": 8 * c.T * c.alpha * c.apart / c.eta + c.M / c.alpha * c.Lq,
        "C7_VALUE": c.seven,
        "C7": c.seven,
        "C7_EXPLICIT": 2 * c.seven,
        "C7_SHARP": c.seven * (sharp + min(0.25, 2 * moved * second)),
        "ETA_TUNED": sqrt(8 * tuned / c.T) / c.q,
        "C7_TUNED": c.q * sqrt(c.T * tuned / 2),
        "EXPERT": 3 * c.seven,
        "EXPERT_SHARP": 17 / 8 * c.seven,
        "META_PATHWISE": any_rate,
        "T8": 3 * c.seven + printed,
        "T8_CORRECTED": 3 * c.seven + choice,
        "T8_ANY_RATE": 3 * c.seven + any_rate,
        "T8_SHARP": 17 / 8 * c.seven + choice,
        "T10": 2 * (3 * c.seven + printed) / (sqrt(2) - 1),
        "T10_CORRECTED": blocks * (3 * c.seven + choice),
    }


def fourth(c: Any) -> tuple[float, float]:
    """The fourth candidate of the step, and its term."""
    root = (c.q_beta / c.T) ** 0.25 * c.G * sqrt(c.M) / (sqrt(c.K) * c.alpha**1.5)
    return sqrt(c.D / (c.L * c.T)) / root, sqrt(c.D * c.L / c.T) * root


def sgd_rate(c: Any, constants: Any, noise: float | None = None) -> float:
    middle = c.sigma * sqrt(c.D * c.L / (c.T * c.K * c.batch * c.alpha)) if noise is None else noise
    terms = (c.D * c.L / c.T, middle, c.zeta_T * sqrt(c.D * c.L / (c.T * c.K)), fourth(c)[1])
    return sum(k * t for k, t in zip(constants, terms, strict=True))


def fedavg_rate(c: Any, inside: float, first: float) -> float:
    drift = 16 * c.roots * (c.D * c.L / c.T) ** (2 / 3) * c.spread ** (1 / 3)
    return first * c.D * c.L / c.T + drift + 8 * sqrt(2 * c.D * c.L * inside / c.T)


def fedavg_premin(c: Any, inside: float) -> float:
    way = c.server * c.mu * c.B
    return 8 * c.D / (way * c.T) + 8 * (4 + 2 / c.alpha) * (way * c.L) ** 2 * c.spread + 4 * way * c.L * inside


def fedavg_step(c: Any, inside: float, cap: float, *more: float) -> float:
    second = (c.D / (c.L**2 * c.spread * c.T)) ** (1 / 3) / (c.roots * c.B)
    return min(cap, second, sqrt(2 * c.D / (c.L * c.T * inside)) / c.B, *more)


def optimisation(c: Any) -> dict[str, float]:
    """(5), Theorems 4, 5 and 9."""
    five = 2 / (c.nu * c.T * (c.T + 1))
    before = lambda inside: 2 * c.D / (c.T * c.mu) + c.L * c.mu * inside  # noqa: E731
    usual = 2 * c.sigma**2 / (c.K * c.batch * c.alpha) + 2 * c.zeta_T**2 / c.K
    first = 32 * sqrt(2 + 1 / c.alpha)
    meta_term = sqrt(c.D * c.L / c.K) * c.G / c.alpha * sqrt(c.meta) / c.T**0.75
    spread = c.zeta_unif ** (2 / 3) + (c.sigma**2 / c.B) ** (1 / 3)
    parts = c.zeta_T * sqrt(2 / c.K) + c.sigma / sqrt(c.K * c.B * c.alpha) + (c.q_beta / c.T) ** 0.25
    return {
        "FIVE": five * c.Lbar,
        "FIVE_CORRECTED": five * (c.Lbar + c.J2 - c.J2 / c.K),
        "FIVE_FACTOR": c.K * five * c.Lbar,
        "A_SGD": (c.G / c.M) ** 2,
        "ETA_SGD": c.x * c.K * c.alpha**3 / (c.M * c.G**2),
        "REGRET_SGD": c.regret,
        "DELTA": c.delta,
        "T4_PREMIN": before(usual + c.regret),
        "T4_PREMIN_SHARP": before(c.sigma**2 * c.delta / c.batch + c.zeta_T**2 / c.K + c.regret),
        "T4_EXPLICIT": sgd_rate(c, (2, 4, 4, 3)),
        "T4_CORRECTED": sgd_rate(c, (2, 3, 3, 3), c.sigma * sqrt(c.D * c.L * c.delta / (c.T * c.batch))),
        "A_FEDAVG": c.B * (c.G / c.M) ** 2,
        "ETA_FEDAVG": c.x * c.K * c.alpha**3 / (c.M * c.B * c.G**2),
        "CAP": c.cap,
        "CAP_SAFE": c.cap_safe,
        "ROOTS": c.roots,
        "DROPPED": sqrt(c.q_beta / c.T),
        "T5_PREMIN": fedavg_premin(c, c.safe + c.regret),
        "T5_PREMIN_EXPLICIT": fedavg_premin(c, c.avg + c.regret),
        "PRINTED_17": first * c.D * c.L / c.T
        + 16 * c.roots * (c.D * c.L / c.T) ** (2 / 3) * spread
        + 8 * sqrt(2 * c.D * c.L / c.T) * parts,
        "T5_EXPLICIT": fedavg_rate(c, c.avg + c.regret, first),
        "T5_CORRECTED": fedavg_rate(c, c.safe + c.regret, max(64, first)),
        "E_META": c.meta,
        "T9A_CORRECTED": sgd_rate(c, (2, 4, 4, 5)) + 2**0.75 * meta_term,
        "T9A_PREMIN": before(usual + c.regret_meta),
        "T9B_CORRECTED": fedavg_rate(c, c.safe + c.regret_meta, max(64, first)),
        "T9B_PREMIN": fedavg_premin(c, c.safe + c.regret_meta),
        "T9B_APART": fedavg_rate(c, c.safe + 3 * c.regret, max(64, first)) + 2**2.75 * meta_term,
    }


def steps(c: Any) -> dict[str, float]:
    """The steps of the theorems: the least of their candidates."""
    printed = sqrt(c.D * c.K * c.batch * c.alpha / (c.L * c.T)) / c.sigma
    exact = sqrt(c.D * c.batch / (c.L * c.T * c.delta)) / c.sigma
    rest = (1 / c.L, sqrt(c.D * c.K / (c.L * c.T)) / c.zeta_T, fourth(c)[0])
    fifth = c.alpha / c.G * sqrt(2 * c.D * c.K / (c.L * c.meta)) * (8 / c.T) ** 0.25
    fifth_printed = sqrt(c.alpha * c.D * c.K / (c.L * c.G * c.T * c.meta))
    sixth = sqrt(2 * c.alpha * c.D / (c.L * c.G * c.meta)) * (8 * c.K / (c.T * c.B**3)) ** 0.25
    first = fedavg_step(c, c.avg + sqrt(c.q_beta / c.T), c.cap)
    return {
        "T4_STEP": min(*rest, printed),
        "T4_STEP_ANY": min(*rest, exact),
        "T5_STEP": first,
        "T5_STEP_CORRECTED": fedavg_step(c, c.avg + c.regret, c.cap),
        "T5_STEP_SAFE": fedavg_step(c, c.safe + c.regret, c.cap_safe),
        "T9A_STEP_PRINTED": min(*rest, printed, fifth_printed),
        "T9A_STEP": min(*rest, printed, fifth),
        "T9B_STEP_PRINTED": min(first, sixth),
        "T9B_STEP": fedavg_step(c, c.safe + c.regret_meta, c.cap_safe),
        "T9B_STEP_APART": fedavg_step(c, c.safe + 3 * c.regret, c.cap_safe, fifth / c.B),
    }


@SETTINGS
def test_bounds_are_the_papers_formulas(at: dict[str, float]) -> None:
    c = letters(at)
    known = dict[str, float]()
    for module, paper in ((bounds, regret(c)), (sgd, {**optimisation(c), **steps(c)})):
        found = {name: of(getattr(module, name), at) for name in paper}
        assert not {n: (found[n], v) for n, v in paper.items() if not isclose(found[n], v, rel_tol=1e-9)}
        known |= paper
        assert {name for name, one in vars(module).items() if isinstance(one, Bound)} <= set(known)


@SETTINGS
def test_parts_of_bounds(at: dict[str, float]) -> None:
    """What the bounds are made of, in other variables."""
    c, u, v, w = letters(at), *(Symbol(name, positive=True) for name in "uvw")
    put = {u: Integer(3), v: Integer(5), w: sympify("2/7")}
    assert number(bounds.intrinsic(), at) == pytest.approx(intrinsic(c))
    assert number(bounds.intrinsic(3, 7, notation.psi), at) == pytest.approx(intrinsic(c, 3, 7, c.psi))
    assert number(bounds.meta(5), at) == pytest.approx(5 * c.seven)
    inside = sgd.sgd_premin(u).subs(put)
    assert number(inside, at) == pytest.approx(2 * c.D / (c.T * c.mu) + 3 * c.L * c.mu)
    assert number(sgd.sgd_rate((u, v, w, 7)).subs(put), at) == pytest.approx(sgd_rate(c, (3, 5, 2 / 7, 7)))
    assert number(sgd.sgd_rate((u, v, w, 7), v).subs(put), at) == pytest.approx(sgd_rate(c, (3, 5, 2 / 7, 7), 5))
    ways = [(number(top, at), number(bottom, at)) for top, bottom in sgd.sgd_candidates((notation.mu, notation.nu))]
    rest = sqrt(c.D * c.K), c.zeta_T * sqrt(c.L * c.T)
    assert [x for way in ways for x in way] == pytest.approx([1, c.L, c.mu, c.nu, *rest, fourth(c)[0], 1])
    own = {**at, "mu_eff": c.server * c.mu}
    assert number(sgd.fedavg_premin(u).subs(put), own) == pytest.approx(fedavg_premin(c, 3))
    assert number(sgd.fedavg_rate(u, v).subs(put), at) == pytest.approx(fedavg_rate(c, 3, 5))
    for more in ((), (sympify("1/10000"),)):
        told = number(sgd.fedavg_step(u, w, *more).subs(put), at)
        assert told == pytest.approx(fedavg_step(c, 3, 2 / 7, *map(float, more)))


def test_the_least_quotient() -> None:
    """A denominator of 0 is no candidate; alone it is infinite."""
    sigma, zeta = notation.sigma, notation.zeta_T
    told = sgd.least((Integer(3), sigma), (Integer(2), zeta), (Integer(5), Integer(2)))
    for s, z, wanted in ((1, 1, 2), (0, 1, 2), (0, 0, 2.5), (2, 4, 0.5), (3, 0, 1)):
        assert number(told, {"sigma": s, "zeta_T": z}) == pytest.approx(wanted)
    alone = sgd.least((Integer(3), sigma))
    assert number(alone, {"sigma": 0}) == inf
    assert number(alone, {"sigma": 2}) == 1.5
    assert number(sgd.minimum(Integer(3), oo), {}) == 3
