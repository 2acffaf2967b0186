"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "aaggff/U1-gradient@explicit": "the gradient of a composed function: the language has no chain rule, and as a hypothesis it would be the claim",
    "aaggff/U2-gradient@explicit": "the gradient of a composed function: the language has no chain rule, and as a hypothesis it would be the claim",
    "aaggff/U4-gradient@explicit": "the gradient of a composed function: the language has no chain rule, and as a hypothesis it would be the claim",
    "aaggff/U5-gradient@explicit": "the gradient of a composed function: the language has no chain rule, and as a hypothesis it would be the claim",
    "aaggff/E-T5.1@printed": "false in the printed range of T for some responses; of responses that training gives it is a finding of runs",
}
