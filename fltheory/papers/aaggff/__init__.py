"""Pursuing Overall Welfare in Federated Learning through Sequential Decision Making (Hahn, Kim, Lee)."""
