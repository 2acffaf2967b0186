"""The paper, from which its statements are made."""

from __future__ import annotations

from fltheory.claims.statement import Paper
from fltheory.papers.delta_sgd.notation import LETTERS

PAPER = Paper("delta_sgd", LETTERS)
