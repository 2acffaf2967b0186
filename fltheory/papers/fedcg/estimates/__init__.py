"""Estimates of the gradient from samples."""
