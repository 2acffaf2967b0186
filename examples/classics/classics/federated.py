"""Federated learning: plain local steps, and methods made for clients that differ."""

from classics import corrections, local

CLAIMS = (*local.CLAIMS, *corrections.CLAIMS)
