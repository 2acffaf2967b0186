"""Instances: clients, games, data sets and set functions."""

from fltheory.problems.cosine import CosineClients
from fltheory.problems.data import from_data
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.logistic import GeneratedLogisticClients, LogisticClients
from fltheory.problems.operators import AffineOperators, quadratic_game
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients

__all__ = [
    "AffineOperators",
    "CosineClients",
    "DenseQuadraticClients",
    "FiniteSumQuadraticClients",
    "GeneratedLogisticClients",
    "LogisticClients",
    "PiecewiseQuadraticClients",
    "QuadraticClients",
    "from_data",
    "quadratic_game",
]
