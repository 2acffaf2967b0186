"""Search for counterexamples, and their simplification."""
