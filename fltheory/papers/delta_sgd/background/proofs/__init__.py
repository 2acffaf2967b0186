"""Proofs. Section 2: background on gradient descent and its step sizes."""
