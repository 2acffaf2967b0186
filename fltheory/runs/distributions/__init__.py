"""Exact distributions of a run: enumerated sample paths, and moments of the states."""
