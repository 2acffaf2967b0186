"""Theorem 5.2 and Corollary 5.3: regret of AAggFF-D, with full and partial participation."""
