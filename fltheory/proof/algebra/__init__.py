"""Exact algebra: equality of terms, and inequalities by certificates."""
