"""Closed forms. Theorem 5: the Lyapunov decrease and the convex rate."""
