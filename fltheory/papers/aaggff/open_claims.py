"""Claims that no theorem decides, each with the obstacle."""

from __future__ import annotations

NOT_YET = "a line of the paper that has its claim and its exact cases, but no theorem yet"
WHY = dict.fromkeys(
    ("aaggff/A.2-39@printed", "aaggff/A.2-43@printed", "aaggff/A.2-43-unseen@printed", "aaggff/87@corrected"), NOT_YET
)
