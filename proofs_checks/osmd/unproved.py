"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

SOLVED = "needs the solution of a game in which the budget binds"
LONG = "held false by statistics of very long runs: no case small enough to enumerate is known"
WHY = {
    "osmd/I9-middle@explicit": SOLVED,
    "osmd/C-5-two-quadratic@printed": "harmonic weights of the noise, and losses of later rounds: no proof for every T is known",
    **{f"osmd/C-{name}@printed": LONG for name in ("T5", "T9b", "T8", "T10")},
}
