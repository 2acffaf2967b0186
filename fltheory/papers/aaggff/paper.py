"""The paper, from which its statements are made."""

from __future__ import annotations

from functools import partial

from fltheory.claims.statement import Paper
from fltheory.papers.aaggff.notation import LETTERS

PAPER = Paper("aaggff", LETTERS)
lemma = partial(PAPER.lemma, mode="surely")  # for a deterministic quantity
measured = partial(PAPER.theorem, kind="lemma", mode="surely")  # for a deterministic measure
theorem = PAPER.theorem  # for runs of a learner
