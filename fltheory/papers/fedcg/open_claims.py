"""Claims that no theorem decides, each with the obstacle."""

from __future__ import annotations

NOT_YET = "a line of the paper that has its claim and its exact cases, but no theorem yet"
WHY = dict.fromkeys(
    ("fedcg/L3.4-31@printed", "fedcg/L4.2-65@printed", "fedcg/L4.2-80@printed", "fedcg/C-102@corrected"), NOT_YET
)
