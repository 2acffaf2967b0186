"""Rounding of fractional points to sets."""
