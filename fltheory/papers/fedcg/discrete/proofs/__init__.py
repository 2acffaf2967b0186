"""Proofs. Theorem 5.1: the discrete problem, importance sampling, memberships."""
