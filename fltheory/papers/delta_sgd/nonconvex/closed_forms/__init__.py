"""Closed forms. Theorem 1: the non-convex rate."""
