"""Closed forms. Convergence of mini-batch SGD under adaptive sampling."""
