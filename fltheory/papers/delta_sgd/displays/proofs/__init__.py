"""Proofs. The displays of the proof of Theorem 1, one by one."""
