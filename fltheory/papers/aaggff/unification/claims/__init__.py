"""Claims. Section 3: aggregation as online learning, and which fairness each method stands for."""
