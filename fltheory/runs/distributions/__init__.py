"""What is known of all courses of a run at once: a list of them, the moments of their states."""
