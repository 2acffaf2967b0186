"""The bounds of AAggFF at numbers, against the paper's formulas in plain arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, log, sqrt
from types import SimpleNamespace
from typing import Any

import pytest

from fltheory.model.bound import Bound
from fltheory.number import evaluate_ball
from fltheory.papers.aaggff import bounds, notation
from fltheory.papers.aaggff.losses import bounds as losses

EVEN: dict[str, float] = {
    "K": 6,
    "T": 90,
    "m": 2,
    "C1": 0.25,
    "C2": 1.5,
    "alpha": 1.7,
    "beta": 0.35,
    "Ls": 0.45,
    "c": 0.8,
}
WIDE = {**EVEN, "K": 3, "m": 3, "C1": 0.0, "C2": 0.2, "c": 0.05}


def of(one: Any, at: dict[str, float]) -> float:
    known: dict[Any, Any] = {getattr(notation, name): Fraction(str(v)) for name, v in at.items()}
    for symbol, meaning in one.where if isinstance(one, Bound) else ():
        known[symbol] = evaluate_ball(meaning, known)
    if not isinstance(one, Bound) and notation.C in one.free_symbols:
        known[notation.C] = Fraction(str(at["m"])) / Fraction(str(at["K"]))
    return float(evaluate_ball(one.expr if isinstance(one, Bound) else one, known))


def regret(v: Any) -> dict[str, float]:
    """Theorems 5.1 and 5.2, Corollary 5.3; the range of a gradient's entries is V, its half H, and C = m/K."""
    dr = v.big + 2 * v.range * v.K / v.m
    half = v.range * v.K / (2 * v.m)
    newton = 2 * v.big * v.K * (1 + log(1 + v.T / (16 * v.K)))
    first = v.alpha / 2 * (1 - 1 / v.K)
    spread = v.K * (v.range / 2) ** 2 / (v.K - 1)
    return {
        "L": v.big,
        "V": v.range,
        "H": v.range / 2,
        "L_DR": dr,
        "H_DR": half,
        "BETA_STAR": 2 / v.range**2 * (v.range - log(1 + v.range)),
        "TRIVIAL": v.T * log((1 + v.C2) / (1 + v.C1)),
        "ALPHA": 4 * v.K * v.big,
        "BETA": 1 / (4 * v.big),
        "T51": newton,
        "T51_WINDOW": newton,
        "T51_GENERAL": first + v.K / (2 * v.beta) * log(1 + v.beta / v.alpha * v.T * v.big**2),
        "T51_SHARP": first + (v.K - 1) / (2 * v.beta) * log(1 + v.beta / v.alpha * v.T * spread),
        "T52": 2 * v.big * v.root,
        "T52_AT_D": 2 * v.big * v.root,
        "T52_STEP": v.Ls * v.root + v.big**2 / v.Ls * v.root,
        "T52_SHARP": v.Ls * v.root + v.range**2 / 4 / v.Ls * v.root,
        "T52_HALF": v.range * v.root,
        "C53": 2 * v.big * v.root,
        "C53_K": 2 * v.K * v.big * v.root,
        "P1": 2 * dr * v.root,
        "P1_SHARP": 2 * half * v.root,
        "P2": 2 * half * v.root + v.T * v.square,
        "P2_MIDDLE": 2 * half * v.root + v.T * v.range**2 / (2 + v.range),
        "P2_BEST": 2 * half * v.root + v.T * v.square / 2,
        "P2_REMEMBERING": 2 * half * v.root + v.T * v.square,
        "P3": (v.C2 - v.C1) * v.K / v.m * v.root,
        "VERTEX": 0.99 * v.T * (log(1 + v.C2) - log(1 + v.C1 + (v.C2 - v.C1) / v.K)),
    }


def lemmas(v: Any) -> dict[str, float]:
    wide = (v.C2 - v.C1) / (1 + v.c)
    return {
        **dict.fromkeys(("L41", "L41_FEW", "L41_THRESHOLD", "L41_GRADIENT", "L41_SUM", "L41_CHAIN"), v.big),
        "L41_SUP": int(v.K) // 2 * v.range,
        "L41_HALF": v.range / 2,
        "L41_RANGE": 1 + v.range,
        "BIAS": (v.K / v.m - 1) / (v.K - 1),
        "SQUARE": v.square,
        "REACH": wide * max((v.c - v.C1) / (1 + v.C1), (v.C2 - v.c) / (1 + v.C2)),
        "MIDDLE": (v.C1 + v.C2) / 2,
        "HARMONIC": 2 / (1 / (1 + v.C1) + 1 / (1 + v.C2)) - 1,
        "REMAINDER": v.square,
        "REMAINDER_MIDDLE": v.range**2 / (2 + v.range),
        "REMAINDER_BEST": v.square / 2,
        "A2": v.big + 2 * v.range * v.K / v.m,
        "A2_HALF": v.range * v.K / (2 * v.m),
        **dict.fromkeys(("A10_CHOICE", "A10_CHOICE_LARGE", "A10_CHOICE_SMALL"), 1),
    }


@pytest.mark.parametrize("at", [EVEN, WIDE], ids=["even", "wide"])
def test_bounds_are_the_papers_formulas(at: dict[str, float]) -> None:
    v = SimpleNamespace(**at)
    v.big, v.range = v.C2 / (1 + v.C1), (v.C2 - v.C1) / (1 + v.C1)
    v.square, v.root = v.range**2 / (1 + v.range), sqrt(v.T * log(v.K))
    known = set[str]()
    for module, paper in ((bounds, regret(v)), (losses, lemmas(v))):
        found = {name: of(getattr(module, name), at) for name in paper}
        assert not {n: (found[n], x) for n, x in paper.items() if not isclose(found[n], x, rel_tol=1e-9)}
        known |= set(paper)
        assert {name for name, one in vars(module).items() if isinstance(one, Bound)} <= known
