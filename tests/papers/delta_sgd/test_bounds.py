"""The bounds of Delta-SGD at numbers, against the paper's formulas in plain arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, sqrt
from types import SimpleNamespace
from typing import Any

import pytest
from sympy import Integer, Symbol, sympify

from fltheory.model.bound import HIDDEN_CONSTANT, Bound
from fltheory.number import evaluate_ball
from fltheory.papers.delta_sgd import bounds, notation
from fltheory.papers.delta_sgd.background import bounds as background
from fltheory.papers.delta_sgd.displays import bounds as displays
from fltheory.papers.delta_sgd.nonconvex import bounds as nonconvex
from fltheory.papers.delta_sgd.rule import bounds as rule

NOISY: dict[str, float] = {
    "D": 1.7,
    "D_t": 0.9,
    "G": 1.3,
    "K": 3,
    "L": 1.9,
    "L_hat": 2.1,
    "Pi": 2.3,
    "S": 4.1,
    "T": 500,
    "R": 1.6,
    "a": 0.005,
    "b": 2,
    "delta": 0.7,
    "distance": 0.6,
    "eta_0": 0.35,
    "gamma": 0.8,
    "gap": 1.1,
    "h": 0.003,
    "rho": 0.2,
    "sigma": 0.75,
    "slope": 0.45,
    "step_size": 0.004,
    "theta_0": 1.2,
    "mu": 0.55,
}
QUICK = {**NOISY, "sigma": 2.5, "delta": 0.1, "theta_0": 4.0, "eta_0": 0.02, "rho": 0.05, "T": 900}
SETTINGS = pytest.mark.parametrize("at", [NOISY, QUICK], ids=["usual", "quick"])


def number(expr: Any, at: dict[str, float]) -> float:
    known: dict[Any, Any] = {getattr(notation, name): Fraction(str(v)) for name, v in at.items()}
    return float(evaluate_ball(sympify(expr.expr if isinstance(expr, Bound) else expr), known))


def letters(at: dict[str, float]) -> Any:
    c = SimpleNamespace(**at)
    c.first = c.eta_0 * sqrt(1 + c.delta * c.theta_0)
    c.psi = c.sigma**2 / c.b + c.G**2
    c.least = min(c.gamma / (2 * c.L_hat), c.first)
    c.floor = c.T * c.least + c.least**2 / c.eta_0
    c.most = max(sqrt(1 + c.delta * c.theta_0), (c.delta + sqrt(c.delta**2 + 4)) / 2)
    c.kept_x = 0.5 - c.rho - 2 * (1 + c.rho) * c.L * c.a * c.K
    c.kept_y = (1 - sqrt(c.rho)) / 2 - 2 * (1 + c.rho) * c.L * c.a * c.K
    return c


def errors(c: Any, drift: float) -> float:
    way = c.a * c.K
    return 2 * c.L * way * c.a * c.sigma**2 / c.b + drift * c.L**2 * c.psi * way**3 + 4 / 3 * c.L**3 * c.psi * way**4


def theorem_1(c: Any) -> dict[str, float]:
    root, walked, shrunk = sqrt(c.T), c.step_size * c.K, 1 / (3 * (1 - sqrt(c.rho)))
    late = 16 * c.L**2 * c.psi / c.T + 32 * c.L**3 * c.psi / c.T**1.5
    constant = 2 * c.gap / (walked * c.T) + 4 * c.L * c.sigma**2 * walked / c.b
    constant += 4 * (c.L * walked) ** 2 * c.psi + 8 * (c.L * walked) ** 3 * c.psi
    return {
        "PSI_1": max(c.sigma**2 / c.b, c.gap),
        "PSI_2": c.psi,
        "T1_PRINTED": 8 * max(c.sigma**2 / c.b, c.gap) / root + late,
        "KEPT_STEP": 1 - 2 * c.rho - 4 * (1 + c.rho) * c.L * walked,
        "T1_STEP": constant / (1 - 2 * c.rho - 4 * (1 + c.rho) * c.L * walked),
        "T1_P": (8 * c.gap + 16 * c.L * c.sigma**2 / c.b) / root + late,
        "T1_P_STEP": 1 / (c.K * root),
        "KEPT_X": c.kept_x,
        "KEPT_Y": c.kept_y,
        "T1_X": (c.gap / c.T + errors(c, 2 / 3)) / (c.kept_x * c.h * c.K),
        "T1_Y": (c.gap / c.T + errors(c, shrunk)) / (c.kept_y * c.h * c.K),
        "T1_28_X": c.D_t * c.kept_x * c.slope**2 - errors(c, 2 / 3),
        "T1_28_Y": c.D_t * c.kept_y * c.slope**2 - errors(c, shrunk),
    }


def theorem_5(c: Any) -> dict[str, float]:
    printed = 2 * c.D * c.L_hat**2 / (2 * c.L_hat * c.T + 1)
    uncapped = c.gamma / (2 * c.L_hat)
    last = c.gamma**2 / (4 - c.gamma**2)
    return {
        "FIRST_CAP": c.first,
        "GROWTH": c.eta_0 * c.Pi,
        "FLOOR_PRINTED": 1 / (2 * c.L),
        "FLOOR": min(c.eta_0, c.gamma / (2 * c.L)),
        "FLOOR_LATER": min(c.first, c.gamma / (2 * c.L)),
        **dict.fromkeys(("DECREASE", "LYAPUNOV", "LYAPUNOV_AMPLIFIED"), 1),
        **dict.fromkeys(("T5_PRINTED", "T5_MET", "T5_RANGE"), printed),
        "MOVE_WEIGHT": last,
        "T5_SUM": c.D / (2 * c.S),
        "T5_WEIGHT": (c.D - c.distance**2 / 2 + last * c.distance**2) / (2 * c.S),
        "LEAST": c.least,
        "SUM_FLOOR": c.floor,
        "T5_FIXED": c.D / (2 * c.floor),
        "MOST": c.most,
        "T5_SHARED": (1 + c.most) * c.D / (2 * c.floor),
        "UNCAPPED": uncapped,
        "T5_UNCAPPED": c.D / (2 * uncapped * (c.T + uncapped / c.eta_0)),
        "T5_APART": 3 * printed,
        "NEAR": c.D,
        "SUM": c.S,
        "SUM_LEAST": c.floor,
        "SUM_PRINTED": c.T / (2 * c.L_hat) + (1 / (2 * c.L_hat)) ** 2,
    }


def rates(c: Any) -> dict[str, float]:
    """Theorem 1 with the steps gamma = 1/(K sqrt T) and eta_0 = gamma/(2 L), and for how many rounds it is enough."""
    kept = 0.5 - c.rho - (1 + c.rho) * c.Pi / sqrt(c.T)
    way = c.Pi**3 * c.psi / 6
    return {
        "GAMMA": 1 / (c.K * sqrt(c.T)),
        "RATE_STEP": c.gamma / (2 * c.L),
        "KEPT_RATE": kept,
        "T1_RATE": (
            2 * c.L * c.gap / sqrt(c.T)
            + c.Pi**2 * c.sigma**2 / (c.b * c.K * sqrt(c.T))
            + way / c.T
            + c.Pi * way / c.T**1.5
        )
        / kept,
        "T1_ROUNDS": 4
        * (2 * c.L * c.gap + c.Pi**2 * c.sigma**2 / (c.b * c.K) + way + c.Pi * way)
        / (1 - 2 * c.rho)
        / sqrt(c.T),
        "T1_NORM": float(HIDDEN_CONSTANT) * c.G**2 / c.T,
        "T1_NEAR": theorem_1(c)["T1_PRINTED"],
        "T1_ANY_STEPS": theorem_1(c)["T1_PRINTED"],
    }


def others(c: Any) -> dict[Any, dict[str, float]]:
    return {
        background: {"GD_ATTAINED": c.L * c.R**2 / (4 * c.T + 2), "OPTIMAL_STEP": c.L * c.R**2 / 6},
        displays: {
            **dict.fromkeys(("TOWER", "ADDED"), 0),
            "EXPECTED": c.L,
            "A1_CHOSEN": 2 * (c.K * c.L) ** 2 * c.psi,
            "A4_CHOSEN": 4 * c.K**2 * c.L**3 * c.psi,
            "ROUND": 1,
            "TAKEN": 0.75,
            "SUMMED": c.gap / (c.h * c.K),
            "SUMMED_OMEGA": c.gap / (c.a * c.K),
        },
        rule: {
            "RATIO": c.most,
            "EXPONENTIAL": c.eta_0 * c.most**c.T,
            "OF_ORDER": 1000 * max(c.eta_0, c.gamma / (2 * c.L)),
            "CEILING_OF_RUN": c.gamma / (2 * c.mu),
            **dict.fromkeys(("AT_MINIMISER", "FEDNOVA"), 0),
        },
        nonconvex: rates(c),
    }


@SETTINGS
def test_bounds_are_the_papers_formulas(at: dict[str, float]) -> None:
    c = letters(at)
    all_of_them = {bounds: {**theorem_1(c), **theorem_5(c)}, **others(c)}
    known = {name for paper in all_of_them.values() for name in paper}
    for module, paper in all_of_them.items():
        found = {name: number(getattr(module, name), at) for name in paper}
        assert not {name: v for name, v in paper.items() if not isclose(found[name], v, rel_tol=1e-9)}
        assert {name for name, one in vars(module).items() if isinstance(one, Bound)} <= known


@SETTINGS
def test_errors_of_a_round(at: dict[str, float]) -> None:
    """2 L K a^2 sigma^2/b from noise, the drift of order a^3 with its factor, and 4/3 L^3 Psi_2 (a K)^4."""
    c, factor = letters(at), Symbol("factor")
    expr = bounds.errors_of_a_round(factor)
    for drift in ("0", "2/3", "5"):
        told = number(expr.subs(factor, sympify(drift)), at)
        assert told == pytest.approx(errors(c, float(Fraction(drift))), rel=1e-12)


def test_a_bound_of_this_paper() -> None:
    """A whole number is an expression too; its letters are those of the convex part or of Theorem 1."""
    one = bounds.bound(3, "(7)", "strict", note="mine")
    assert one.expr == Integer(3)
    assert isinstance(one.expr, Integer)
    assert (one.source.paper, one.source.place, one.source.reading, one.source.note) == (
        "delta_sgd",
        "(7)",
        "strict",
        "mine",
    )
    assert one.side == "upper"
    assert one.letters == notation.LETTERS
    curved = bounds.bound(notation.L, "(7)", side="lower", convex=True)
    assert curved.expr == notation.L
    assert curved.letters == notation.CONVEX
    assert curved.side == "lower"
