"""Bounds of Section 2 that proofs use too."""

from __future__ import annotations

from dataclasses import replace

from fltheory.papers.delta_sgd.bounds import bound
from fltheory.papers.delta_sgd.notation import LEMMAS, L, R, T

GD_ATTAINED = replace(
    bound(L * R**2 / (4 * T + 2), "(3)", "strengthened", note="attained", side="equal"), letters=LEMMAS
)
OPTIMAL_STEP = replace(
    bound(
        L * R**2 / 6, "Section 2", "strict", note='"optimal" in quotes taken as minimax, after one step', side="lower"
    ),
    letters=LEMMAS,
)
