"""Tactics of the search: goals closed in one line, lines that follow, reductions to simpler goals, lemmas."""
