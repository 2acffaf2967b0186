"""Proofs. The decision loss: gradients, convexity, Lipschitz constants."""
