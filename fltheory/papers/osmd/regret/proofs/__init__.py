"""Proofs. Theorem 6 and Corollary 7: dynamic regret of Adaptive-OSMD."""
