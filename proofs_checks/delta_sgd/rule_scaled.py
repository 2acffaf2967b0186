"""The step-size rule beyond its limits: the printed floor, equivariance R5, isotropic quadratics R6."""

from __future__ import annotations

from sympy import Min, Rational, Symbol, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.letters import L, delta, eta_0, gamma, theta_0
from fltheory.proof.language import Combine, Given, Step, Theorem, Witness, eq, stated
from fltheory.proof.terms import Vector, family, square
from proofs_checks.delta_sgd.rule import ENTRY, PLACE, move, step, turn

# The floor as it is printed ------------------------------------------------------------------------------------------------

_PRINTED, _ = stated(formula.FLOOR_PRINTED, step)
_SMALL = Given(
    "rule", eq(step, Min(1 / (2 * L), sqrt(1 + theta_0) * eta_0)), "(4), where the gradient turns by L times the move"
)
PRINTED = Theorem(
    "delta_sgd/R2@printed",
    _PRINTED,
    (_SMALL,),
    (
        Step(
            "1",
            _PRINTED,
            Witness({step: Rational(1, 5), L: 1, theta_0: 3, eta_0: Rational(1, 10)}),
            ("rule",),
            expected="REFUTED",
            note="the second entry may be the smaller one",
        ),
    ),
    "REFUTED",
    place="after (43)",
    note="the printed floor forgets that steps may begin small",
    claim="delta_sgd/R2@printed",
    bound=formula.FLOOR_PRINTED,
)

# R4 for this rule, R5: what is scaled, R6: isotropic quadratics ---------------------------------------------------------------

scale, stretch = (Symbol(name, positive=True) for name in ("c", "lambda"))
x, y, z, minimum, slope = (family(Vector, name)() for name in ("x", "y", "z", "c", "g"))
_LARGER = stretch**2 / scale * step
_MOVED = eq(stretch * x - _LARGER * (scale / stretch * slope), stretch * y)
MOVED = Theorem(
    "delta_sgd/R5-step",
    _MOVED,
    (Given("step", eq(y, x - step * slope), "a step on f"),),
    (Step("1", _MOVED, Combine({"step": -stretch}), ("step",)),),
    place=PLACE,
    claim="delta_sgd/R5@explicit",
    note="R5: the same step on c f(./lambda), whose gradient at lambda x is c/lambda times that of f at x; entries and caps follow",
)
_SCALED = eq(gamma * (stretch * move) / (2 * (scale / stretch * turn)), stretch**2 / scale * ENTRY)
SCALED = Theorem(
    "delta_sgd/R5-entry",
    _SCALED,
    (),
    (Step("1", _SCALED, Combine()),),
    place=PLACE,
    note="R5: the first entry is scaled as steps are",
)
later = Symbol("eta_later", positive=True)
_CAPPED = eq(
    sqrt(1 + delta * (_LARGER / (stretch**2 / scale * later))) * _LARGER,
    stretch**2 / scale * (sqrt(1 + delta * step / later) * step),
)
CAPPED = Theorem(
    "delta_sgd/R5-cap",
    _CAPPED,
    (),
    (Step("1", _CAPPED, Combine()),),
    place=PLACE,
    note="R5: so is the second entry: ratios of steps stay as they are",
)
_AT = (
    Given("x", eq(y, L * (x - minimum)), "the gradient of L/2 |x - c|^2 at x"),
    Given("z", eq(slope, L * (z - minimum)), "and at z"),
)
_EXACT = eq(4 * (gamma / (2 * L)) ** 2 * square(slope - y), gamma**2 * square(z - x))
ISOTROPIC = Theorem(
    "delta_sgd/R6",
    _EXACT,
    _AT,
    (Step("1", _EXACT, Combine(), (), ("x", "z")),),
    place=PLACE,
    claim="delta_sgd/R6@explicit",
    note="R6: on an isotropic quadratic the first entry is gamma/(2 L), wherever the points are; squared",
)

THEOREMS = (PRINTED, MOVED, SCALED, CAPPED, ISOTROPIC)
