"""The language of exported proofs: terms, lines, their enclosures, and the work that a check may take."""
