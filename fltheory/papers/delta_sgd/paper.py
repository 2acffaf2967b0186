"""The paper, as its statements name it."""

from __future__ import annotations

from fltheory.papers.delta_sgd.letters import LETTERS
from fltheory.statement import Paper

PAPER = Paper("delta_sgd", LETTERS)
