"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "osmd/C-11@printed": "a value of a game, the least over policies of the most over courses: the language has no quantifier over policies",
    "osmd/C-11-fixed@printed": "a value of a game, the least over policies of the most over courses: the language has no quantifier over policies",
    "osmd/C-11-budget@printed": "a value of a game, the least over policies of the most over courses: the language has no quantifier over policies",
    "osmd/C-11-floor@printed": "a value of a game, the least over policies of the most over courses: the language has no quantifier over policies",
    "osmd/C-11-floor-fixed@printed": "a value of a game, the least over policies of the most over courses: the language has no quantifier over policies",
    "osmd/C-11-round@printed": "a value of a game, the least over policies of the most over courses: the language has no quantifier over policies",
    "osmd/C-11-still@printed": "a value of a game, the least over policies of the most over courses: the language has no quantifier over policies",
    "osmd/C-min@explicit": "a value of a game, the least over policies: the language has no quantifier over policies",
    "osmd/I9@explicit": "needs the solution of a game in which the budget binds",
    "osmd/I9-middle@explicit": "needs the solution of a game in which the budget binds",
    "osmd/C-31@corrected": "with the best plan as a hypothesis it would be a chain of two definitions",
    "osmd/C-5-two-quadratic@printed": "the noise's weights are harmonic sums, and losses of later rounds are needed: no proof found for every T",
    "osmd/C-T5scale@corrected": "nearly attained from below, by (1 - 1/(sqrt(2) B))^B: needs bounds of that power for every B",
    "osmd/C-T5@printed": "held false by statistics of very long runs: no case small enough to enumerate is known",
    "osmd/C-T9b@printed": "held false by statistics of very long runs: no case small enough to enumerate is known",
    "osmd/C-T8@printed": "held false by statistics of very long runs: no case small enough to enumerate is known",
    "osmd/C-T10@printed": "held false by statistics of very long runs: no case small enough to enumerate is known",
    "osmd/L19@printed": "the minimiser as Algorithm 2 prints it: C-P12@printed proves the same of its closed form",
}
