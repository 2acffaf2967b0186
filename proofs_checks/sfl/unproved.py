"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "sfl/S6.1@corrected": "one task has a ratio of 0.976 at the largest step: too near for the estimates that are proved"
}
