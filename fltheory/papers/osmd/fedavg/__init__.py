"""Convergence of FedAvg under adaptive sampling."""
