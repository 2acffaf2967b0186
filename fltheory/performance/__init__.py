"""Performance estimation: the worst value of a quantity over classes of functions and operators, in every dimension, exact.

Declare functions by their classes, a start, steps and a measure; the answer is an attained and a proved value.
"""

from fltheory.performance.blocks import BlockSmooth
from fltheory.performance.classes import (
    Convex,
    Indicator,
    Lojasiewicz,
    QuadraticGrowth,
    RestrictedSecant,
    StronglyConvex,
    Support,
)
from fltheory.performance.matrices import LinearOperator, SkewSymmetric, SymmetricLinear
from fltheory.performance.operators import (
    Cocoercive,
    LipschitzMonotone,
    LipschitzOperator,
    Monotone,
    NegativelyComonotone,
    StronglyMonotone,
)
from fltheory.performance.problem import Problem
from fltheory.performance.solving import WorstValue, why_not_proved
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic

__all__ = [
    "BlockSmooth",
    "Cocoercive",
    "Convex",
    "Indicator",
    "LinearOperator",
    "Lipschitz",
    "LipschitzMonotone",
    "LipschitzOperator",
    "Lojasiewicz",
    "Monotone",
    "NegativelyComonotone",
    "NonConvex",
    "Problem",
    "Quadratic",
    "QuadraticGrowth",
    "RestrictedSecant",
    "SkewSymmetric",
    "Smooth",
    "StronglyConvex",
    "StronglyMonotone",
    "Support",
    "SymmetricLinear",
    "WorstValue",
    "why_not_proved",
]
