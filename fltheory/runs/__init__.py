"""Rounds of federated learning: algorithms, what they may ask, and what is known of their runs."""
