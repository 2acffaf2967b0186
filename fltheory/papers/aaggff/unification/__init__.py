"""Section 3: aggregation as online learning, and the fairness objective of each method."""
