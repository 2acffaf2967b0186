"""Stored counterexamples to printed statements and to stricter readings of them; the tests reproduce them.

All were found by ``falsify``.
"""

from __future__ import annotations

from fltheory.model.case import Case
from fltheory.problems.separable import QuadraticClients

T3_SC_LITERAL = (
    Case(QuadraticClients(((1, "1/20"),), ((0, 0),), (1, 0)), n_rounds=120, n_local_steps=1, step_size="1/600"),
)
C4_SC_LITERAL = (Case(QuadraticClients(((1, "1/10"),), ((0, 0),), (0, 1)), n_rounds=6000, n_local_steps=1),)
T7_LITERAL = C4_SC_LITERAL
# Without noise and heterogeneity, kappa = 10: at steps of at most 1/(6 L) descent is slower than exp(-mu R/L).
EXPONENT = (Case(QuadraticClients(((1, "1/10"),), ((0, 0),), (0, 1)), n_rounds=600, n_local_steps=1),)
EXPONENT_PARTS = (
    Case(QuadraticClients(((1, "1/10"),) * 2, ((0, 0),) * 2, (0, 1)), n_rounds=600, n_local_steps=1, n_participating=1),
)
C4_GC_PRINTED = (
    Case(QuadraticClients((0, "1/500", 0), (910, 910, -1820), 1), n_rounds=10**15, n_local_steps=1),
    Case(QuadraticClients((0, "1/500", 0), (910, 910, -1820), 1), n_rounds=10**18, n_local_steps=1),
)
