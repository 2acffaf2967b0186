"""Proofs. Heterogeneity of the clients: optimal sampling against uniform sampling, and the game between them."""
