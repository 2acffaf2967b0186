"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "aaggff/E-T5.1@printed": "false at the printed range of T for some responses; of those that training gives, a finding of runs"
}
