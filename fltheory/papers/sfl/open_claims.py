"""Claims that no theorem decides, each with the obstacle."""

from __future__ import annotations

NOT_YET = "a line of the paper that has its claim and its exact cases, but no theorem yet"
WHY = {
    "sfl/S6.1@corrected": "in tasks 4 and 9 the ratio is about 0.95 at the largest step: a proof needs the mean of F over rounds "
    "of 20 steps across the kink to within 5 %, at every step size",
    "sfl/J1@printed": NOT_YET,
    "sfl/J2@printed": NOT_YET,
}
