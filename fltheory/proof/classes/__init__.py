"""Standard hypotheses on operators, subgradients and proximal maps, by their names."""

from fltheory.proof.classes.operators import Operator, prox
from fltheory.proof.classes.subgradients import ConvexFunction

__all__ = ["ConvexFunction", "Operator", "prox"]
