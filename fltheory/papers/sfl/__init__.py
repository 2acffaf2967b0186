"""Sharp Bounds for Sequential Federated Learning on Heterogeneous Data (Li, Lyu)."""
