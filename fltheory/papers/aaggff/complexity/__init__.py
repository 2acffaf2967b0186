"""Numbers of operations and of transmitted bits."""
