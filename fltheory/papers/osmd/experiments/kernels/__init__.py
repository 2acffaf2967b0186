"""Compiled kernels of the experiments."""
