"""Theorems 3.2 and 3.5: approximation guarantees of FedCG."""
