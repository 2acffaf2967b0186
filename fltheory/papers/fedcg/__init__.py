"""Decomposable Submodular Maximization in Federated Setting (A. Rafiey)."""
