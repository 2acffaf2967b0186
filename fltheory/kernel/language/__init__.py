"""The language of exported proofs: terms, lines, balls around them, and the work that a check may take."""
