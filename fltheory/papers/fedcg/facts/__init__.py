"""Inequalities that the proofs share: algebra, sets, tails of sums."""
