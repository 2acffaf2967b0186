"""Functions that answer questions about the catalogue."""
