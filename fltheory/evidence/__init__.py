"""Evidence for a verdict: exact values, all paths, or simulated runs with a stated error rate."""
