"""Where Delta-SGD ends on L_i/2 |x - c_i|^2, as the claims measure it: squared distances over the spread of the centres.

``spread`` is the largest |c_i - c_1|^2, or 1 where all are the same: a positive number. The pull of a client is
q_i = (1 - r_i) L_i/(L_i + mu) with r_i the product of 1 - eta_k (L_i + mu), where mu is the weight of a proximal term or 0.
"""

from __future__ import annotations

from sympy import Abs, Symbol

from fltheory.known import find
from fltheory.papers.delta_sgd.letters import K, L, distance, eta_0, gamma, m, mu
from fltheory.proof import Given, by, eq, le, line, lt, proof, stated
from fltheory.proof.terms import Positive, Scalar, Total, Vector, family, square
from proofs_checks.delta_sgd.examples import (
    CLIENTS,
    _LOCALLY,
    LOCAL,
    after,
    curvature,
    end,
    eta,
    i,
    k,
    left,
    own,
    point,
    y,
)
from proofs_checks.delta_sgd.facts import mean

spread = Symbol("spread", positive=True)
best, gap = family(Vector, "x_star")(), family(Vector, "gap")()
share, pull = family(Positive, "w"), family(Scalar, "q")


def every(term):
    """The sum over the clients."""
    return Total(term, i, 1, m)


def of_claim(name: str, quantity, note: str, reading=None):
    """A theorem of a claim, with its statement and the claim's conditions."""
    claim = f"delta_sgd/{name}"
    bound = find(claim).bound
    statement, conditions = stated(bound, quantity, reading or {})
    return proof(claim, of=claim, bound=bound, reading=reading or {}, note=note), statement, conditions


_OFF = square(end - best) / spread
NONE = eq(_OFF, 0)
CENTRES = (
    proof("delta_sgd/FP-centre", "Algorithm 1", note="there is one centre of positive weights")
    .given("end", eq(every(share(i) * (own(i) - end)), 0 * end), "the one")
    .given("best", eq(every(share(i) * (own(i) - best)), 0 * best), "the other")
    .given("weights", lt(0, every(share(i))), "the weights are positive")
    .step("1", eq(every(share(i)) * (best - end), 0 * end), by.combine({"end": 1, "best": -1}))
    .step("2", eq(best - end, 0 * end), by.combine({"1": 1 / every(share(i))}, "weights"))
    .step("3", eq(end, best), by.combine({"2": -1}))
    .qed(NONE, by.combine(), inserting="3")
)
_SUM = Given("weights", lt(0, every(curvature(i))), "curvatures are positive")
_MINIMISER = Given("best", eq(every(curvature(i) * (own(i) - best)), 0 * best), "x* is where the gradients add up to 0")


_K1, _K1_SAYS, _ = of_claim("FP-K1@corrected", _OFF, "each client's pull is in proportion to its curvature")
_TERM = Symbol("mu_prox", nonnegative=True)
_STIFF = curvature(i) + _TERM
ONCE = (
    _K1.given(
        "end",
        eq(every((1 - (1 - eta_0 * _STIFF)) * curvature(i) / _STIFF * (own(i) - end)), 0 * end),
        "the centres weighted by the pulls, r_i = 1 - eta_0 (L_i + mu)",
    )
    .under(_MINIMISER, _SUM)
    .step("pulled", eq(every(curvature(i) * (own(i) - end)), 0 * end), by.combine({"end": 1 / eta_0}))
    .qed(_K1_SAYS, by.apply("delta_sgd/FP-centre", {share(i): curvature(i)}, "pulled", "best", "weights"))
)
THEOREMS = (CENTRES, ONCE)
