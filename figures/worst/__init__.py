"""Exact worst cases of one round over all smooth, strongly convex clients: against the step size, and who wins where."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
from sympy import Expr

from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.papers.sfl.bounds import C2_PFL, C2_SFL
from fltheory.pictures.picture import PAGE, Curve, MapPanel, Panel, Picture
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance
from fltheory.symbols import heterogeneity_at_optimum, n_clients, n_local_steps, noise_std, smoothness
from fltheory.worst_case.bracket import bracket
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.question import question

CURVATURE = Fraction(1, 10)
CLASS = Smooth(1, CURVATURE)
M, K = 3, 2
STEPS = tuple(Fraction(n, 40) for n in (1, 2, 4, 6, 8, 10, 13, 16, 20, 24, 28))  # M K eta
SPREADS = tuple(Fraction(2) ** k for k in range(-2, 5))  # zeta* / D
OF_MAP = tuple(Fraction(k, 8) for k in (1, 2, 3, 4, 5, 6, 7, 8))


@cache
def worst(method: Algorithm, effective: Fraction, spread: Fraction) -> float:
    """The proved worst E|x_1 - x*|^2 / D^2 after a round with M K eta = ``effective``."""
    asked = question(
        method,
        CLASS,
        LastDistance(),
        n_clients=M,
        n_local_steps=K,
        step_size=effective / (M * K if method.name != parallel.name else K),
        initial_distance=1,
        heterogeneity_at_optimum=spread,
    )
    found = bracket(asked, attain=False).upper
    assert found is not None
    return float(found)


def recursion(second: Expr, effective: Fraction, spread: Fraction) -> float:
    """What the proof of the paper has after a round, where its step is small enough: (1 - mu eta / 2) D^2 + c_2 eta^3."""
    values = {smoothness: 1, n_clients: M, n_local_steps: K, noise_std: 0, heterogeneity_at_optimum: spread}
    return float(1 - CURVATURE * effective / 2) + float(second.subs(values)) * float(effective) ** 3


def against_step() -> Picture:
    """One round at zeta* = D: orders, parallel clients, and the recursions of the proofs."""
    x = [float(s) for s in STEPS]
    one = Fraction(1)
    small = [s for s in STEPS if s <= Fraction(1, 6)]
    curves = [
        Curve("SFL, fresh random order", x, [worst(sequential, s, one) for s in STEPS], "measured", note="exact"),
        Curve(
            "SFL, clients in a fixed order", x, [worst(fixed_order, s, one) for s in STEPS], "reference", note="exact"
        ),
        Curve("PFL", x, [worst(parallel, s, one) for s in STEPS], "reference 2", note="exact"),
    ]
    for name, second, style in (("SFL", C2_SFL, "bound"), ("PFL", C2_PFL, "reference 3")):
        y = [recursion(second, s, one) for s in small]
        curves.append(Curve(f"recursion in the proof for {name}", [float(s) for s in small], y, style))
    lowest = min(zip(curves[0].y, x, strict=True))
    panel = Panel(
        f"$M={M}$, $K={K}$, $L=1$, $\\mu=1/10$, $\\zeta_*=D$",
        "effective step size",
        "worst $E|x_1-x^*|^2/D^2$",
        tuple(curves),
        x_scale="linear",
        y_scale="linear",
    )
    return Picture(
        f"The exact worst case of a round of SFL falls to {lowest[0]:.2f} at an effective step of {lowest[1]:.2g},\n"
        f"where the recursion of its proof, which ends at 1/6, has {curves[3].y[-1]:.3f} at {curves[3].x[-1]:.2g}",
        (panel,),
        width=PAGE,
        row_height=2.9,
        legend_columns=2,
        caption="Proved by rational multipliers for all clients of the class in every dimension.",
    )


def who_wins() -> Picture:
    """The ratio of the worst cases of SFL and PFL over heterogeneity and step."""
    values = [[np.log10(worst(parallel, s, z) / worst(sequential, s, z)) for s in OF_MAP] for z in SPREADS]
    wins = sum(v > 0 for row in values for v in row)
    panel = MapPanel(
        f"One round, $M={M}$, $K={K}$, $L=1$, $\\mu=1/10$",
        "effective step size",
        "$\\zeta_*/D$",
        [float(s) for s in OF_MAP],
        [float(z) for z in SPREADS],
        values,
        "log10 of worst PFL / worst SFL",
        "SFL is better",
        "PFL is better",
    )
    share = f"{wins} of {len(SPREADS) * len(OF_MAP)}"
    return Picture(
        f"At the same effective step one round of SFL has the better exact worst case at {share} points",
        (panel,),
        width=PAGE,
        row_height=3.2,
        caption="Worst cases as proved by rational multipliers; a short step or little heterogeneity makes no difference.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"round": against_step, "winners": who_wins}
