"""The winner of a round in the exact worst case, SFL or PFL, compared with the winner by the bounds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from figures.worst.exact import BASELINES, LARGEST, Size, attained_worst, recursion
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, MapPanel, Picture

SIZE = Size(3, 2)
STEPS = (*(LARGEST / d for d in (8, 4, 2, 1)), *(Fraction(k, 8) for k in (2, 3, 4, 6, 8)))
COLOUR = r"$\log_{10}$ PFL / SFL"
SPREADS = tuple(Fraction(2) ** k for k in range(-3, 5))  # zeta* / D


def exactly() -> np.ndarray:
    """Return log10 of worst PFL / worst SFL, (spreads, steps); 0 if the intervals overlap."""
    found = np.zeros((len(SPREADS), len(STEPS)))
    for i, spread in enumerate(track(SPREADS)):
        for j, step in enumerate(track(STEPS)):
            ours, theirs = (attained_worst(method, SIZE, step, spread) for _, method, _ in BASELINES)
            if ours.upper < theirs.lower or theirs.upper < ours.lower:
                found[i, j] = np.log10(theirs.upper / ours.upper)
    return found


def by_bounds() -> np.ndarray:
    """Return the same from the recursions of the proofs; nan beyond their step sizes.

    Theorems 3 and 7 give the same order: 18/M against 12 as 6/M against 4.
    """
    found = np.full((len(SPREADS), len(STEPS)), np.nan)
    for i, spread in enumerate(SPREADS):
        for j, step in enumerate(STEPS):
            if step <= LARGEST:
                ours, theirs = (recursion(second, SIZE, step, spread) for _, _, second in BASELINES)
                found[i, j] = np.log10(theirs / ours)
    return found


def who_wins() -> Picture:
    """Return maps over heterogeneity and step: exact, by the bounds, and where these are right."""
    exact, chosen = exactly(), by_bounds()
    told = np.isfinite(chosen) & (exact != 0)
    right = np.where(told, np.sign(chosen * exact), np.nan)
    wrong = int((right < 0).sum())

    def panel(title: str, values: np.ndarray, colour: str, high: str, low: str) -> MapPanel:
        step, spread = "effective step size $\\tilde\\eta$", "$\\zeta_*/D$" if values is exact else ""
        return MapPanel(title, step, spread, [*map(float, STEPS)], [*map(float, SPREADS)], values, colour, high, low)

    ahead, behind, choices, ours = (int(v.sum()) for v in (exact > 0, exact < 0, np.isfinite(chosen), chosen > 0))
    title = (
        f"One round of SFL has the better exact worst case at {ahead} of {exact.size} points, PFL at {behind}; "
        f"the bounds choose SFL at {ours}\nof the {choices} up to an effective step of 1/6, and are wrong at {wrong} of them "
        "($M=3$, $K=2$, $L=1$, $\\mu=1/10$)"
    )
    return Picture(
        title,
        (
            panel("Exact worst case", exact, COLOUR, "SFL is better", "PFL is better"),
            panel("Bounds", chosen, COLOUR, "SFL is better", "PFL is better"),
            panel("Do the bounds choose rightly?", right, "1: rightly, -1: wrongly", "rightly", "wrongly"),
        ),
        columns=3,
        width=PAGE,
        row_height=3.0,
        caption=fill(
            "Worst cases over all clients of the class, between rational multipliers and clients that attain them; 0 "
            "where these do "
            "not tell SFL and PFL apart. Bounds: what the recursions of the proofs of Theorems 3 and 7 have after a round, up to "
            "$L\\tilde\\eta=1/6$."
        ),
    )
