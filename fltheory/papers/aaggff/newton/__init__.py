"""Theorem 5.1: the regret of AAggFF-S, an online Newton step."""
