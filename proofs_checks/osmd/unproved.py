"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

GAME = (
    "a value of a game, the least over policies of the most over courses: no quantifier over policies in the language"
)
SOLVED = "needs the solution of a game in which the budget binds"
LONG = "held false by statistics of very long runs: no case small enough to enumerate is known"
GAMES = ("11", "11-fixed", "11-budget", "11-floor", "11-floor-fixed", "11-round", "11-still")
WHY = {
    **{f"osmd/C-{name}@printed": GAME for name in GAMES},
    "osmd/C-min@explicit": GAME,
    "osmd/I9@explicit": SOLVED,
    "osmd/I9-middle@explicit": SOLVED,
    "osmd/C-31@corrected": "with the best plan as a hypothesis it would be a chain of two definitions",
    "osmd/C-5-two-quadratic@printed": "harmonic weights of the noise, and losses of later rounds: no proof for every T is known",
    **{f"osmd/C-{name}@printed": LONG for name in ("T5", "T9b", "T8", "T10")},
}
