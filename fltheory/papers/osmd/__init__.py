"""Adaptive Client Sampling in Federated Learning via Online Learning with Bandit Feedback (Zhao et al.)."""
