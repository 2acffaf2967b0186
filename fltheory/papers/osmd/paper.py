"""The paper: its key and its letters."""

from fltheory.papers.osmd.letters import LETTERS
from fltheory.statement import Paper

PAPER = Paper("osmd", LETTERS)
