"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "sfl/S6.1@corrected": "at the largest step the ratio is 0.976 in tasks 4 and 9: it takes the mean of F over rounds of 20 steps "
    "across the kink within 2 %, and that at every step size",
}
