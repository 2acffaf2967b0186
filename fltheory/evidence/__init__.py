"""How do we know? Exactly, on every path, or from simulated runs with a stated error rate."""
