"""Figures of Table 1 and Theorem 7: which algorithm wins, in the bounds and in exact errors; the rates of Table 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fltheory.model.case import Case
from fltheory.papers.sfl.instances.lemmas import Parameters
from fltheory.papers.sfl.notation import R
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture
from fltheory.plotting.sweep import sweep_cases
from fltheory.verification import find

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


@headline("Rates of Table 1: from a few rounds on SFL has the least")
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


PICTURES: dict[str, Callable[[], Picture]] = {"reference_rates": reference_rates}
