"""Clients made from a user's own data."""

from fltheory.problems.data.clients import LeastSquaresData, LogisticData, from_data

__all__ = ["LeastSquaresData", "LogisticData", "from_data"]
