"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

COMPOSED = "the gradient of a composed function: no rule for chains, and as a hypothesis it would be the claim"
WHY = {**dict.fromkeys((f"aaggff/U{n}-gradient@explicit" for n in (1, 2, 4, 5)), COMPOSED)}
WHY = {
    "aaggff/E-T5.1@printed": "false at the printed range of T for some responses; of those that training gives, a finding of runs"
}
