"""Closed forms for Theorem 5.1, the regret of AAggFF-S."""
