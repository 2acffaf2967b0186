"""The paper as what its statements are made with."""

from __future__ import annotations

from functools import partial

from fltheory.claims.statement import Paper
from fltheory.papers.aaggff.notation import LETTERS

PAPER = Paper("aaggff", LETTERS)
lemma = partial(PAPER.lemma, mode="surely")  # of a quantity in which nothing is left to chance
measured = partial(PAPER.theorem, kind="lemma", mode="surely")  # the same of a measure
theorem = PAPER.theorem  # of the runs of a learner
