"""Claims that no theorem decides, each with the obstacle."""

from __future__ import annotations

NOT_YET = "a line of the paper that has its claim and its exact cases, but no theorem yet"
WHY = dict.fromkeys(
    (
        "osmd/C-T10-sum@corrected",
        "osmd/C-49@printed",
        "osmd/C-Amax-first@corrected",
        "osmd/C-Amax-estimate@corrected",
        "osmd/L19-69@printed",
        "osmd/L19-70@printed",
        "osmd/C-54@printed",
    ),
    NOT_YET,
)
