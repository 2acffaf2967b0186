"""Proofs. Theorems 8 and 10: experts over a grid of learning rates."""
