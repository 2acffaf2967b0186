"""The questions that one asks of the catalogue, as functions whose answers are values."""
