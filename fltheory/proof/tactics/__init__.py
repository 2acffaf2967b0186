"""Proof automation: claims, weights and names that an author may omit. It is not trusted: the kernel checks every line."""
