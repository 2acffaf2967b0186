"""Closed forms. Convergence of FedAvg under adaptive sampling."""
