"""Figures of Table 1 and Theorem 7: which algorithm wins, in the bounds and in exact errors; the rates of Table 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fltheory.claims.claim import Claim
from fltheory.evidence.exact import exact_ball
from fltheory.model.case import Case
from fltheory.number import exact, to_float
from fltheory.papers.sfl.instances.lemmas import Parameters
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.notation import R
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Curve, MapPanel, Panel, Picture
from fltheory.plotting.point import evaluate
from fltheory.plotting.sweep import sweep_cases
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import RunMeasure
from fltheory.verification import find

SPREADS = np.geomspace(1e-2, 1e2, 13)
ROUNDS = np.unique(np.geomspace(3, 30_000, 13).round().astype(int))
RIVALS = (("sfl/C4-GC@corrected", "MK"), ("sfl/T7-GC-tuned@explicit", "K"))


def _rival(spread: float) -> QuadraticClients:
    """Return two nearly equal curvatures, twice with mirrored starts: no step lets the bias cancel the transient."""
    slope = exact(float(f"{spread:.3g}"))
    return QuadraticClients(((1, 1), ("9/10", "9/10")), ((slope, slope), (-slope, -slope)), (1, -1), noise_std="1/10")


def _least_error(claim: Claim, case: Case, steps: str) -> float:
    """Return the exact error at the best effective step up to 1/L, found by a coarse and then a fine search."""
    instance, measure, algorithm = case.instance, claim.measure, claim.algorithm
    assert isinstance(instance, QuadraticClients)
    assert isinstance(measure, RunMeasure)
    assert isinstance(algorithm, Algorithm)

    def error(power: float) -> float:
        tried = at_effective_step(instance, exact(float(f"{10**power:.4g}")), steps, **dict(case.settings))
        return to_float(exact_ball(measure, algorithm, tried).value)

    coarse = np.linspace(-5, 0, 11)
    best = min(coarse, key=error)
    return min(error(v) for v in np.linspace(best - 0.4, min(best + 0.4, 0), 7))


def winners() -> Picture:
    """Plot log10 of PFL over SFL by heterogeneity and rounds: in the bounds, at their steps, at the best steps."""
    maps = np.full((3, len(ROUNDS), len(SPREADS)), np.nan)
    for k, spread in enumerate(track(SPREADS)):
        instance = _rival(spread)
        for j, rounds in enumerate(track(ROUNDS)):
            case = Case(instance, n_rounds=int(rounds), n_local_steps=5)
            found = []
            for name, steps in RIVALS:
                claim = find(name)
                point, _ = evaluate(claim, int(rounds), case)
                found.append((point.limits[0], point.measured, _least_error(claim, case, steps)))
            maps[:, j, k] = np.log10(np.array(found[1]) / np.array(found[0]))
    titles = ("In the bounds", "In fact, at the bounds' steps", "In fact, at the best steps")
    panels = tuple(
        MapPanel(
            title,
            r"heterogeneity $\zeta$ (in units of $F x^{-1}$)",
            "" if i else "rounds $R$",
            SPREADS,
            ROUNDS,
            maps[i],
            r"$\log_{10}$ PFL / SFL",
            "SFL wins",
            "PFL wins",
        )
        for i, title in enumerate(titles)
    )
    shares = [100 * float((m > 0).mean()) for m in maps]
    return Picture(
        f"SFL is ahead on {shares[0]:.0f}% of the map in the bounds, in fact on {shares[1]:.0f}% "
        f"(bounds' steps) and {shares[2]:.0f}% (best steps)",
        panels,
        columns=3,
        width=PAGE,
        row_height=3.0,
        caption=r"$F_{1,2}=\sum_{i\leq 2} c_{1,2}x_i^2/2\pm\zeta x_i$ with $c_1=1$, $c_2=0.9$, start $(1,-1)$, "
        r"$\zeta_*=\sqrt{2}\zeta$, $K=5$, $\sigma=0.1$ in each coordinate; exact errors."
        "\nBounds and their steps: Corollary 4 and Theorem 7, convex, each tuned. "
        r"Best steps: of 18 effective steps up to $1/L$ for each. Black line: equal.",
    )


ROWS = (("Karimireddy", "reference 2"), ("Koloskova", "reference 3"), ("Woodworth", "reference 4"))
CONSTANTS: dict[str, object] = {
    "n_clients": 10,
    "n_local_steps": 10,
    "smoothness": 1,
    "strong_convexity": "1/50",
    "initial_distance": 10,
    "initial_gap": 50,
    "noise_std": 1,
    "noise_std_at_optimum": 1,
    "heterogeneity": 2,
    "heterogeneity_at_optimum": 1,
    "heterogeneity_slope": 0,
    "max_heterogeneity": 4,
}


def reference_rates() -> Picture:
    """Plot the rates of Table 1 over the rounds."""
    rounds = [int(r) for r in np.geomspace(1, 1e5, 31).round()]
    panels, ahead = [], {}
    for kind, title, ours in (
        ("SC", "strongly convex", "sfl/TAB1-SC@printed"),
        ("GC", "convex", "sfl/TAB1-GC@printed"),
    ):
        cases = [(r, Case(Parameters(**CONSTANTS, n_rounds=r))) for r in dict.fromkeys(rounds)]
        table = sweep_cases(find(ours), R, cases)
        x = table.column("value")
        curves = [Curve("SFL, Corollary 4 (Assumption 3)", x, table.column("measured"), "measured")]
        for row, style in ROWS:
            found = sweep_cases(find(f"sfl/TAB1-{kind}-{row}@printed"), R, cases)
            assumed = {"Karimireddy": 4, "Koloskova": 3, "Woodworth": 5}[row]
            curves.append(Curve(f"PFL, {row} et al. (Assumption {assumed})", x, found.limit(), style))
        others = np.min([c.y for c in curves[1:]], axis=0)
        ahead[kind] = int(x[np.flatnonzero(curves[0].y > others).max(initial=-1) + 1])
        panels.append(
            Panel(f"Table 1, {title}", "rounds $R$", "" if panels else "rate (in units of $F$)", tuple(curves))
        )
    return Picture(
        f"Table 1's rates: SFL's is the least from $R={ahead['SC']}$ on (strongly convex) and from $R={ahead['GC']}$ on (convex)",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=2,
        caption=r"Constants and logarithms dropped. $M=K=10$, $L=1$, $\mu=\frac{1}{50}$, $D=10$, $\sigma=\sigma_*=1$, $\zeta_*=1$, "
        r"$\zeta=2$, $\hat\zeta=4$, $\beta=0$.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"winners": winners, "reference_rates": reference_rates}
