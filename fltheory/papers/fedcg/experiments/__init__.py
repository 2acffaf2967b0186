"""Experiments on ratings of films."""
