"""Federated learning: plain local steps, and methods made for clients that differ."""

from classics import corrections, local, minibatch

CLAIMS = (*local.CLAIMS, *minibatch.CLAIMS, *corrections.CLAIMS)
