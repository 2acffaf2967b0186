"""The figure of the front page: on one game the regret passes what Theorem 5.1 allows as printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fltheory.papers.aaggff.newton.claims.newton import CLAIMS
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import Picture, claim_panel
from fltheory.plotting.sweep import sweep

NAMES = {"bound": "Theorem 5.1 as printed", "measured": "regret of AAggFF-S on this game"}


def failure() -> Picture:
    """Return regret and bound over the rounds for two clients that answer 1/10 in turn, the second for longer."""
    printed = next(claim for claim in CLAIMS if claim.id == "aaggff/T5.1@printed")
    found = sweep(printed, values=[5, 10, 20, 50, 100, 150, 200, 300, 500, 1000])
    panel = claim_panel(found, "")
    curves = tuple(
        replace(curve, label=NAMES.get(curve.style, curve.label), letter="")
        for curve in panel.curves
        if curve.style not in ("trivial", "violated")  # the zone shows where the bound is violated
    )
    zones = tuple(replace(zone, label="the regret exceeds the bound") for zone in panel.zones)
    x, wrong = found.column("value"), found.violated()
    first, times = int(x[wrong].min()), float((found.column("measured") / found.limit())[wrong].max())
    return Picture(
        f"Fair aggregation (AAggFF): Theorem 5.1 as printed fails from {first} rounds on",
        (replace(panel, curves=curves, zones=zones, at=None, x_label="rounds", y_label="regret"),),
        width=5.0,
        row_height=3.0,
        caption=fill(
            "AAggFF-S is the method of the paper for few clients, by online Newton steps; its regret is how far it ends behind "
            "the best fixed weights. Two clients; the first answers 1/10 in two fifths of the rounds, then the second "
            "does. All values are exact. "
            f"At {int(x.max())} rounds the regret is {times:.2g} times what the theorem allows.",
            80,
        ),
        legend_columns=2,
        description="The regret grows in proportion to the rounds and crosses the printed bound, which grows as their logarithm.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"failure": failure}
