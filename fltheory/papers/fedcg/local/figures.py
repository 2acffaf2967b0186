"""Figures of FedCG+ (local steps in their modes) and of the answers in the federated discrete greedy (Algorithm 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fltheory.number import streams
from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.guarantees.figures.runs import band
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture

# Participants -------------------------------------------------------------------------------------------------------------

CLIENTS = tuple(int(v) for v in np.round(np.geomspace(30, 300_000, 9)))
SIZES = ((5, 2, 0.5), (20, 5, 0.25))  # items, rank, accuracy


def importances(scores: np.ndarray) -> np.ndarray:
    """Return max_e f_i({e}) / F({e}) of each client, F = sum_i f_i, from scores (clients, items)."""
    return (scores / scores.sum(axis=0)).max(axis=1)


def _count_answers(scores: np.ndarray, scale: float, coins: int) -> tuple[float, float, np.ndarray]:
    """Return expected answers with F the sum and F the mean of the clients, and counts of some rounds for the sum."""
    factors = importances(scores)
    chances, means = np.minimum(1, scale * factors), np.minimum(1, scale * len(scores) * factors)
    drawn = [np.sum(streams.uniform(9, r, 0, np.arange(len(scores)), 0) < chances) for r in range(coins)]
    return float(chances.sum()), float(means.sum()), np.array(drawn)


def _participants(items: int, rank: int, eps: float, y_label: str) -> Panel:
    values = {notation.n: items, notation.r: rank, notation.eps: eps}
    scale = float(bounds.KAPPA_UNIFORM.subs(values))
    found = []
    for n in track(CLIENTS):
        scores = streams.uniform(8, np.arange(n)[:, None], items, np.arange(items)[None], 0)
        found.append(_count_answers(scores, scale, 5))
    curves = (
        Curve("expected, $F$ the sum of $f_i$", CLIENTS, [f[0] for f in found], "first", note="float64"),
        band("mean of five simulated rounds", CLIENTS, [f[2] for f in found], "outside"),
        Curve(
            "expected, $F$ the mean of $f_i$, taken literally", CLIENTS, [f[1] for f in found], "second", note="float64"
        ),
        Curve("$\\kappa n$", CLIENTS, [scale * items] * len(CLIENTS), "bound"),
        Curve("all clients", CLIENTS, CLIENTS, "trivial"),
    )
    curves = (curves[0], replace(curves[1], note="five rounds, band from the least to the largest"), *curves[2:])
    return Panel(
        f"$n={items}$, $k={rank}$, $\\varepsilon={eps:g}$: $\\kappa={scale:.0f}$", "clients $N$", y_label, curves
    )


@headline("However many clients there are, only a bounded number answers")
def participants() -> Picture:
    """Plot the number of answers in a round of Algorithm 3 with the scale for which Theorem 5.1 is proved here."""
    panels = tuple(
        _participants(items, rank, eps, "participants in a round" if i == 0 else "")
        for i, (items, rank, eps) in enumerate(SIZES)
    )
    flat = [p.curves[0].y[-1] for p in panels]
    return Picture(
        f"With $F$ the sum of the clients about {flat[0]:.0f} (left) and {flat[1]:.0f} (right) of 300000 answer in a round, "
        "below $\\kappa n$ and however\nmany there are; with $F$ their mean and $f_i$ unscaled, all do",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.6,
        legend_columns=3,
        caption="Facility location, uniform scores. Client $i$ answers with probability $\\min(1,\\kappa w_i)$, "
        "$w_i=\\mathrm{max}_e\\,f_i(\\{e\\})/F(\\{e\\})$, $\\kappa$ for $1-1/e-\\varepsilon$ under a cardinality $k$.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"participants": participants}
