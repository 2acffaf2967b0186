"""Facts that the proofs of several papers apply; a paper takes each over under its own key, and it is checked there."""
