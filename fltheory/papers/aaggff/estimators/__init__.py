"""Lemmas 4.3 and 4.4: estimators under partial participation."""
