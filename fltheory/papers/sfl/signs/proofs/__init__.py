"""Proofs. Appendix C: sums of random signs, with and without replacement."""
