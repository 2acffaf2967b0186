"""Arithmetic that gives the same bits on every machine."""
