"""Proofs. Lemmas on local smoothness and directional smoothness."""
