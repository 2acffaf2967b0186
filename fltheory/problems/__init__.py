"""Families of instances that papers share."""

from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients

__all__ = ["PiecewiseQuadraticClients", "QuadraticClients"]
