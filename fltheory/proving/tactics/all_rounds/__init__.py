"""Tactics for statements about all rounds, for every number of rounds."""
