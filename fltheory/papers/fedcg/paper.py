"""The paper: its key, letters and units, and the assumptions that most of its statements share."""

from __future__ import annotations

from fractions import Fraction

import sympy

from fltheory.claims.statement import Paper, requires
from fltheory.model.bound import Dimension
from fltheory.papers.fedcg.notation import LETTERS
from fltheory.problems.decomposable import SubmodularClients, monotone_submodular
from fltheory.runs.measures import ENERGY

fedcg = Paper("fedcg", LETTERS)

VALUE = ENERGY  # the unit of the functions' values
SQUARED: Dimension = (sympy.Integer(2), sympy.Integer(0))

SUBMODULAR = (monotone_submodular,)
OPTIMAL = (
    monotone_submodular,
    requires(
        "the optimum is known exactly",
        lambda one, c: (
            not isinstance(one.clients.optimum, int | Fraction) and "the optimum is known only as an interval"
        ),
    ),
)
CLIENTS = (
    requires(
        "clients under a matroid constraint", lambda one, c: not isinstance(one, SubmodularClients) and "they are none"
    ),
    monotone_submodular,
)
WORTH = requires("some set is worth something", lambda one, c: not c.optimum > 0 and "every set is worth 0")
