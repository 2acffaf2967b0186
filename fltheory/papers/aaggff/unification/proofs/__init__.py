"""Proofs. Section 3: aggregation as online learning, and the fairness notion of each method."""
