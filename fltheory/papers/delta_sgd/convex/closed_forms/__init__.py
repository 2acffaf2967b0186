"""Closed forms for Theorem 5: the Lyapunov decrease and the convex rate."""
