"""What limits are called."""

from __future__ import annotations

from collections.abc import Hashable

from fltheory.worst_case.gram import Value

Label = tuple[Hashable, ...]
LEAST: Value = "least"  # the value that is no larger than the measured quantity of any round
CLIENT, ALONE = "client", "alone"
DISTANCE, FALL, GAP, FLOOR = "distance", "fall", "gap", "floor"
HETEROGENEITY, EVERYWHERE, WORST = "heterogeneity", "everywhere", "worst"
SAMPLED = "sampled"
ROUND = "round"
NOISE, APART = "noise", "apart"
BENT, TURNED, NEAR = "bent", "turned", "near"
MATRIX_KINDS = (BENT, NEAR)  # entries of nonnegative matrices, so that their multipliers are one
FREE_SIGN_KINDS = (APART, TURNED, *MATRIX_KINDS)  # multipliers of either sign: of what is 0, and of entries
OPTIMUM = 0  # in labels: the point x*, where nothing of the basis is a gradient
