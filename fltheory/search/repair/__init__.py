"""Repairs of a false claim: small changes of its bound that agree with all found cases and survive their own search."""
