"""Instances: clients, games, data sets and set functions."""

from fltheory.problems.cosine import CosineClients
from fltheory.problems.data import from_data
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.piecewise import PiecewiseLinearClients
from fltheory.problems.interpolated.splines import SplineClients
from fltheory.problems.logistic import GeneratedLogisticClients, LogisticClients
from fltheory.problems.online.domains import Box, EuclideanBall, Simplex
from fltheory.problems.online.online_losses import OnlineLosses
from fltheory.problems.operators import AffineOperators, quadratic_game
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients

__all__ = [
    "AffineOperators",
    "Box",
    "CosineClients",
    "DenseQuadraticClients",
    "EuclideanBall",
    "FiniteSumQuadraticClients",
    "GeneratedLogisticClients",
    "InterpolatedClients",
    "LogisticClients",
    "OnlineLosses",
    "PiecewiseLinearClients",
    "PiecewiseQuadraticClients",
    "QuadraticClients",
    "Simplex",
    "SplineClients",
    "from_data",
    "quadratic_game",
]
