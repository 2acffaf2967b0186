"""Adaptive Federated Learning with Auto-Tuned Clients: step sizes that clients choose themselves (Delta-SGD)."""
