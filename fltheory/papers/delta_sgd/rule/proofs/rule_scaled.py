"""The step-size rule beyond its limits: the printed floor, equivariance R5, isotropic quadratics R6."""

from __future__ import annotations

from sympy import Min, Rational, Symbol, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.notation import L, delta, eta_0, gamma, theta_0
from fltheory.papers.delta_sgd.rule.proofs.rule import ENTRY, PLACE, move, step, turn
from fltheory.proof import Given, by, eq, proof, statement_of
from fltheory.proof.terms import Vector, family, square

# The printed floor ----------------------------------------------------------------------------------------------------

_PRINTED, _ = statement_of(formula.FLOOR_PRINTED, step)
PRINTED = (
    proof("delta_sgd/R2@printed", "after (43)", of="delta_sgd/R2@printed", bound=formula.FLOOR_PRINTED,
        recorded="REFUTED", note="the printed floor forgets that steps may begin small")
    .given("rule", eq(step, Min(1 / (2 * L), sqrt(1 + theta_0) * eta_0)),
        "(4), where the gradient turns by L times the move")
    .qed(_PRINTED, by.counterexample({step: Rational(1, 5), L: 1, theta_0: 3, eta_0: Rational(1, 10)}, "rule"),
        note="the second entry may be the smaller one")
)

# R4 for this rule, R5: scaled quantities, R6: isotropic quadratics ----------------------------------------------------

scale, stretch = (Symbol(name, positive=True) for name in ("c", "lambda"))
x, y, z, minimum, slope = (family(Vector, name)() for name in ("x", "y", "z", "c", "g"))
_LARGER = stretch**2 / scale * step
MOVED = (
    proof("delta_sgd/R5-step", PLACE, of="delta_sgd/R5@explicit",
        note="R5: the same step on c f(./lambda), whose gradient at lambda x is c/lambda times that of f at x; entries and caps "
        "follow")
    .given("step", eq(y, x - step * slope), "a step on f")
    .qed(eq(stretch * x - _LARGER * (scale / stretch * slope), stretch * y), by.linear("step"))
)
SCALED = proof("delta_sgd/R5-entry", PLACE, note="R5: the first entry is scaled as steps are").qed(
    eq(gamma * (stretch * move) / (2 * (scale / stretch * turn)), stretch**2 / scale * ENTRY), by.linear())
later = Symbol("eta_later", positive=True)
CAPPED = proof("delta_sgd/R5-cap", PLACE, note="R5: so is the second entry: ratios of steps stay as they are").qed(
    eq(sqrt(1 + delta * (_LARGER / (stretch**2 / scale * later))) * _LARGER,
        stretch**2 / scale * (sqrt(1 + delta * step / later) * step)), by.linear())
_AT = (
    Given("x", eq(y, L * (x - minimum)), "the gradient of L/2 |x - c|^2 at x"),
    Given("z", eq(slope, L * (z - minimum)), "and at z"),
)
ISOTROPIC = (
    proof("delta_sgd/R6", PLACE, of="delta_sgd/R6@explicit",
        note="R6: on an isotropic quadratic the first entry is gamma/(2 L), wherever the points are; squared")
    .under(*_AT)
    .qed(eq(4 * (gamma / (2 * L)) ** 2 * square(slope - y), gamma**2 * square(z - x)), by.linear(),
        inserting=("x", "z"))
)

THEOREMS = (PRINTED, MOVED, SCALED, CAPPED, ISOTROPIC)
