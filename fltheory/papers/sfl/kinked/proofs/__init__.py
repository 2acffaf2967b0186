"""Proofs. Appendix C: one round and many rounds on the kinked functions of the lower bound."""
