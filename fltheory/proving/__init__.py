"""Proofs that are found: complete theorems from hypotheses and a statement."""
