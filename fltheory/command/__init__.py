"""The command line: what a user types, what is shown, how it ends."""
