"""Runs of Delta-SGD with too many courses to list, whose mean squared gradient, or a lower limit of it, is known."""
