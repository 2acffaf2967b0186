"""Numbers of operations and of bits."""
