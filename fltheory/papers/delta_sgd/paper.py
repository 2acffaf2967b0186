"""The paper, as its statements name it."""

from __future__ import annotations

from fltheory.claims.statement import Paper
from fltheory.papers.delta_sgd.notation import LETTERS

PAPER = Paper("delta_sgd", LETTERS)
