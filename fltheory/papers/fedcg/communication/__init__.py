"""Communication: the number of bits of each protocol."""
