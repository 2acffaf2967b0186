"""Communication: bits of each protocol."""
