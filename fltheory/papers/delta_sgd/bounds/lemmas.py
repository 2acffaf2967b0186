"""The bounds of Section 2 and of the lemmas on smoothness, in the paper's order; ``bounds.py`` has (3) itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Integer, Max, sqrt

from fltheory.bound import Bound, Side
from fltheory.papers.delta_sgd.bounds import bound as _bound
from fltheory.papers.delta_sgd.letters import CONVEX, L, L_hat, R, T, m, mu, rho, step_size

NONE, ONE = Integer(0), Integer(1)
EQUAL: Side = "equal"
LEAST: Side = "lower"
_HERE = {L: "L", step_size: r"\eta", mu: "L_j", L_hat: r"\tilde L"}  # where the letters are not those of the theorems
LETTERS = tuple((symbol, _HERE.get(symbol, letter)) for symbol, letter in CONVEX)


def bound(*parts: Any, **options: Any) -> Bound:
    """A bound of this paper in the letters of these sections."""
    return replace(_bound(*parts, **options), letters=LETTERS)


# Section 2 ----------------------------------------------------------------------------------------------------------

_STEP = L * step_size
_WORST = L * R**2 / 2 * Max(1 / (2 * _STEP + 1), (1 - _STEP) ** 2, evaluate=False)
GD_ATTAINED = bound(L * R**2 / (4 * T + 2), "(3)", "sharpened", note="no less does", side=EQUAL)
OPTIMAL_STEP = bound(
    L * R**2 / 6, "Section 2", "literal", note='"optimal" in quotes taken as minimax, after one step', side=LEAST
)
BEST_STEP = bound(L * R**2 / 8, "Section 2", "sharpened", note="what the step 3/(2L) guarantees", side=LEAST)
ONE_STEP = bound(_WORST, "Section 2", "corrected", (_STEP <= 2,))
ONE_STEP_ATTAINED = bound(_WORST, "Section 2", "sharpened", (_STEP <= 2,), "no less does", EQUAL)
STEP_RULE = bound(ONE, "Section 3, footnote 1")
STEP_RULE_EQUAL = bound(NONE, "Section 3, footnote 1", "sharpened", side=EQUAL)
SLOWEST = bound((1 - mu / L) ** 2, "Section 2", "explicit", note="1/L_max on a quadratic", side=EQUAL)
ARBITRARILY_SLOW = bound(1 - 2 * T * mu / L, "Section 2", "explicit", note="as L_max grows", side=LEAST)

# The lemmas on smoothness -------------------------------------------------------------------------------------------

PRODUCT = bound(ONE, "(7)")
SUM = bound(m, "(8)")
DESCENT = bound(L_hat, "Lemma 2, (9)")
LIPSCHITZ = bound(L_hat**2, "Lemma 2, (10)")
INNER = bound(L_hat, "proof of Lemma 2")
AT_LEAST = bound(ONE, "Lemma 3", "literal", note='"at least" said of the constant', side=LEAST)
AT_MOST = bound(ONE, "Lemma 3", note='"at least" said of the smoothness, as its proof has it')
MEAN_LIPSCHITZ = bound(ONE, "proof of Lemma 3, (11)")
LARGEST_LIPSCHITZ = bound(L_hat**2, "proof of Lemma 3, (12)")
MEAN_DESCENT = bound(L_hat, "proof of Lemma 3, after (12)")

# What Assumption (1c) says of directions ----------------------------------------------------------------------------

_PLACE = "Assumption 1, (1c)"
CLIENT_SIZE = bound((1 + sqrt(rho)) ** 2, _PLACE, "explicit")
CLIENT_SLOPE = bound(sqrt(rho), _PLACE, "explicit")
CONE_ANY = bound(NONE, _PLACE, "explicit", note="for every rho", side=LEAST)
CONE = bound(1 - sqrt(rho), _PLACE, "corrected", (rho < 1,), side=LEAST)
