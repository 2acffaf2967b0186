"""Proofs. Theorem 3 and Corollary 4, non-convex."""
