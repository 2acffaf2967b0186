"""Labels of limits."""

from __future__ import annotations

from collections.abc import Hashable

from fltheory.worst_case.gram import Value

Label = tuple[Hashable, ...]
LEAST: Value = "least"  # a value that is at most the measured quantity of every round
CLIENT, ALONE = "client", "alone"
DISTANCE, FALL, GAP, FLOOR = "distance", "fall", "gap", "floor"
HETEROGENEITY, EVERYWHERE, WORST = "heterogeneity", "everywhere", "worst"
SAMPLED = "sampled"
ROUND = "round"
NOISE, APART = "noise", "apart"
BENT, TURNED, NEAR = "bent", "turned", "near"
MATRIX_KINDS = (BENT, NEAR)  # entries of nonnegative matrices, whose multipliers form one too
EQUAL = "equal"
FREE_SIGN_KINDS = (APART, TURNED, EQUAL, *MATRIX_KINDS)  # multipliers of either sign: of equations, and of entries
OPTIMUM = 0  # in labels: the point x*, where no gradient is in the basis
