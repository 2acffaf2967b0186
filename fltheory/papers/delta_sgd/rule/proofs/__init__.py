"""Proofs. The step-size rule, line 9 of Algorithm 1, and the fixed points of Delta-SGD."""
