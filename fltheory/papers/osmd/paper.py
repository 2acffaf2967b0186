"""The paper: its key and its letters."""

from fltheory.claims.statement import Paper
from fltheory.papers.osmd.notation import LETTERS

PAPER = Paper("osmd", LETTERS)
