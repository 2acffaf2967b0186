"""Definition 4.2 and Appendix B.1: properties of (8) for any distribution function P(X <= x).

Each of the six is one: Weibull's, Frechet's, Gumbel's, the exponential, the logistic and the normal one.
"""

from __future__ import annotations

from sympy import Expr

from fltheory.papers.aaggff.notation import C1, C2
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Given, Theorem, by, le, lt
from fltheory.proof.terms import E, Indicator, Nonnegative, Positive, RandomScalar, family

X, normal = family(RandomScalar, "X")(), family(RandomScalar, "N")()
less, more, mean = family(Nonnegative, "F1")(), family(Nonnegative, "F2")(), family(Positive, "mean")()
ORDER = Given("order", lt(less, more), "the losses of any two clients that differ")


def chance(loss: Expr) -> Expr:
    """Return the distribution function at the input F/mean F: the probability that X is at most that."""
    return E(Indicator(loss / mean - X))


def released(loss: Expr) -> Expr:
    """Return 1/2 (1 + erfc((x - 1)/sqrt 2)); erfc(u/sqrt 2) is twice the probability that a normal N exceeds u."""
    above = 1 - E(Indicator(loss / mean - 1 - normal))
    return (1 + 2 * above) / 2


def ordered(claim: str, quantity: Expr, low: Expr, high: Expr, weight: int, note: str) -> Theorem:
    """Prove that the probability grows with the loss."""
    chain, said = tied(claim, quantity, note=note)
    return (
        chain.under(ORDER)
        .step("inputs", le(low, high), by.linear("order"))
        .step("each", by.monotone("inputs"))
        .step("chances", by.expectation("each"))
        .qed(said, by.linear("chances"))
    )


_ANY = "any distribution function: the chance that X is at most the input"
KEPT = ordered("B1@printed", chance(less) - chance(more), less / mean - X, more / mean - X, 1, _ANY)
_ERFC = "erfc((x - 1)/sqrt 2) is twice the chance of a normal number above x - 1"
REVERSED = ordered("B1-normal@explicit", released(more) - released(less), less / mean - 1 - normal,
    more / mean - 1 - normal, 1, _ERFC)
_RESPONSE = C1 + (C2 - C1) * chance(less)
_CHAIN, _STATED = tied("B1-range@printed", _RESPONSE, used=("c1",), note=_ANY)
HIGHEST = (
    _CHAIN.step("each", le(Indicator(less / mean - X), 1), by.fact("indicator", less / mean - X))
    .step("chance", le(chance(less), E(1)), by.expectation("each"))
    .qed(_STATED, by.linear("chance", "c1"))
)
_CHAIN, _STATED = tied("B1-least@printed", _RESPONSE, used=("c1",), note=_ANY)
LOWEST = _CHAIN.step("chance", le(0, chance(less)), by.linear()).qed(_STATED, by.linear("chance", "c1"))
_CHAIN, _STATED = tied("B1-normal-range@explicit", released(less), note=_ERFC)
REACH = _CHAIN.step("chance", le(0, E(Indicator(less / mean - 1 - normal))), by.linear()).qed(
    _STATED, by.linear("chance")
)
THEOREMS = (KEPT, HIGHEST, LOWEST, REVERSED, REACH)
