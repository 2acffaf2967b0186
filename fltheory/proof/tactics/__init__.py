"""What an author need not write: the claims that a rule determines. Nothing here is trusted: the kernel checks every line."""
