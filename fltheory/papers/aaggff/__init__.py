"""Fair aggregation as online convex optimisation (Hahn, Kim, Lee 2024): AAggFF."""
