"""Validation of user-supplied steps and instances."""
