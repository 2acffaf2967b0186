"""Theorems 5 and 6 from the regimes of the step size, and the statements of the paper that are false as printed.

A stored case of the catalogue violates each printed statement by exact evidence; a printed step fails at exact numbers.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, Symbol, sqrt

from fltheory.bound import Bound
from fltheory.claim import find
from fltheory.proof.language import (
    Enumerate,
    Step,
    Theorem,
    Violated,
    Witness,
    le,
    stated,
)
from fltheory.proof.terms import E, Nonnegative, RandomScalar, Total, family
from fltheory.symbols import initial_distance as D
from fltheory.symbols import n_clients as M
from fltheory.symbols import n_local_steps as K
from fltheory.symbols import n_rounds as R
from fltheory.symbols import n_signs
from fltheory.symbols import smoothness as L

# Printed statements that are false -------------------------------------------------------------------------------

n, m = Symbol("n", integer=True, nonnegative=True), Symbol("m", integer=True, positive=True)
x, ERROR = family(RandomScalar, "x"), family(Nonnegative, "error")()


def printed(name: str, quantity: Expr, note: str) -> Theorem:
    """A printed statement that a stored case of the catalogue violates, by exact evidence."""
    claim = find(f"sfl/{name}@printed")
    bound: Bound = claim.bounds[0]
    statement, conditions = stated(bound, quantity)
    step = Step("1", statement, Violated(claim.id), expected="REFUTED", note=note)
    return Theorem(
        f"sfl/{name}-printed", statement, conditions, (step,), "REFUTED", claim.id, bound.source.place, note,
        tuple(c.id for c in conditions), bound,
    )  # fmt: skip


PRINTED = (
    printed("L10", E(Abs(x(n_signs) - x(0))), "the step must be small against lam0, not lam"),
    printed("J", E(x(M * K)), "the last term lacks the factor lam0 eta"),
    printed("T5", ERROR, "at kappa = 1 every instance of equal distance, noise and heterogeneity errs alike, and less"),
    printed("T5-proof-constant", ERROR, "the same, with the constant of the proof, after more rounds"),
    printed("T6-GC", ERROR, "at much noise the first term exceeds the initial error of every instance"),
    printed(
        "S4.3-GC", (L * D**2 / R) ** 3, "the first term of Corollary 4 exceeds the third beyond that number of rounds"
    ),
    printed("S6.1", family(Nonnegative, "ratio")(), "the sequential method errs more on one of those tasks"),
)

_ROOTS = Total(sqrt(n), n, 0, m - 1)
_OVER = le(Rational(2, 3) * m ** Rational(3, 2), _ROOTS)
_BELOW = le(Rational(518, 1000) * m ** Rational(3, 2), _ROOTS, (m, 4, 60))
ROOTS = Theorem(
    "sfl/C2-roots", _BELOW, (),
    (
        Step("printed", _OVER, Witness({m: Integer(4)}), expected="REFUTED",
             note="the integral of the root, (2/3) N^(3/2), is above the sum over n < N"),
        Step("sum", _BELOW, Enumerate("4 <= N <= 60")),
    ),
    place="Appendix C.2",
)  # fmt: skip

THEOREMS = (*PRINTED, ROOTS)
