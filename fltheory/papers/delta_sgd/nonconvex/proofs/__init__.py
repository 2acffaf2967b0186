"""Proofs. Theorem 1: the non-convex rate."""
