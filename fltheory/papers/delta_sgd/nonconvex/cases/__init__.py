"""Cases for Theorem 1, the non-convex rate."""
