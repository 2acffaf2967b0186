"""Federated runs: algorithms, oracles, assumptions, measures and distributions of states."""
