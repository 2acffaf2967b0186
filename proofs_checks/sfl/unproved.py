"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

LAW = "needs the law of a sum of draws without replacement in closed form, with binomials of letters"
WHY = {
    "sfl/L12@sharpened": LAW,
    "sfl/L13-law@printed": LAW,
    "sfl/S6.1@corrected": "one task has a ratio of 0.976 at the largest step: too near for the estimates that are proved",
    "sfl/I11a@printed": "an event at every place of a round: the language has none whose number of parts is a letter",
    "sfl/J-three@sharpened": "the drift in (8) leaves 0.187 of the 0.19 that are claimed: three steps need a finer estimate",
}
