"""Proofs. Theorem 5.1: regret of AAggFF-S, the online Newton step."""
