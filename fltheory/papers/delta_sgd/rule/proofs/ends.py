"""Limits of Delta-SGD on L_i/2 |x - c_i|^2, as the claims measure them: squared distances over the centres' spread.

``spread`` is the largest |c_i - c_1|^2, or 1 if all centres are equal: a positive number. The weight of a client is
q_i = (1 - r_i) L_i/(L_i + mu) with r_i the product of 1 - eta_k (L_i + mu), where mu is the weight of a proximal term or 0.
"""

from __future__ import annotations

from sympy import Abs, Rational, Symbol

from fltheory.papers.delta_sgd.background.proofs.examples import (_LOCALLY, CLIENTS, LOCAL, ROUND, SHRINKS, after,
    curvature, end, eta, i, k, left, own, point, y)
from fltheory.papers.delta_sgd.notation import K, L, distance, eta_0, gamma, m, mu
from fltheory.papers.delta_sgd.smoothness.proofs.facts import mean
from fltheory.proof import Given, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import Positive, Scalar, Total, Vector, family, square
from fltheory.verification import find

spread = Symbol("spread", positive=True)
HALF = Rational(1, 2)
best, gap = family(Vector, "x_star")(), family(Vector, "gap")()
share, pull = family(Positive, "w"), family(Scalar, "q")


def every(term):
    """Return the sum over the clients."""
    return Total(term, i, 1, m)


def of_claim(name: str, quantity, note: str, reading=None, unused=()):
    """Return a theorem of a claim, with its statement and the claim's conditions."""
    claim = f"delta_sgd/{name}"
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity, reading or {})
    return proof(claim, of=claim, bound=bound, reading=reading or {}, note=note, unused=unused), statement, conditions


_OFF = square(end - best) / spread
NONE = eq(_OFF, 0)
CENTRES = (
    proof("delta_sgd/FP-centre", "Algorithm 1", note="there is one centre of positive weights")
    .given("end", eq(every(share(i) * (own(i) - end)), 0 * end), "the one")
    .given("best", eq(every(share(i) * (own(i) - best)), 0 * best), "the other")
    .given("weights", lt(0, every(share(i))), "the weights are positive")
    .step("1", eq(every(share(i)) * (best - end), 0 * end), by.linear("end", "best"))
    .step("2", eq(best - end, 0 * end), by.linear({"1": 1 / every(share(i))}, "weights"))
    .step("3", eq(end, best), by.linear("2"))
    .qed(NONE, by.linear(), inserting="3")
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
    .step("pulled", eq(every(curvature(i) * (own(i) - end)), 0 * end), by.linear("end"))
    .qed(_K1_SAYS, by.apply(CENTRES, {share(i): curvature(i)}))
)

# Other weights of the server -----------------------------------------------------------------------------------------------------

v, share_of = family(Scalar, "v"), Symbol("u", real=True)
_ENDS = Given("end", eq(every(v(i) * pull(i) * (own(i) - end)), 0 * end), "the centres weighted by v_i q_i")
one, other = (Symbol(name, real=True) for name in ("a", "b"))
TIMES = (
    proof("delta_sgd/FP-times", "Algorithm 1", note="equal numbers, times a vector")
    .given("same", eq(one, other), "equal numbers")
    .qed(eq(one * gap, other * gap), by.linear(), inserting="same")
)
_DEBIASED, _DEBIASED_SAYS, _ = of_claim("FP-debiased@explicit", _OFF, "the pulls weighted by L_i/q_i")
DEBIASED = (
    _DEBIASED.under(_ENDS, _MINIMISER, _SUM)
    .given("tuned", eq(v(i) * pull(i), curvature(i), CLIENTS), "the weights L_i/q_i")
    .step("each", by.apply(TIMES, {one: v(i) * pull(i), other: curvature(i), gap: own(i) - end}))
    .step("all", by.sum_over(i, "each"))
    .step("pulled", eq(every(curvature(i) * (own(i) - end)), 0 * end), by.linear("end", "all"))
    .qed(_DEBIASED_SAYS, by.apply(CENTRES, {share(i): curvature(i)}))
)
_MIDDLE = square(end - mean(own(i))) / spread
_INVERSE, _INVERSE_SAYS, _ = of_claim("FP-inverse@explicit", _MIDDLE, "the pulls weighted by their inverses")
INVERSE = (
    _INVERSE.under(_ENDS)
    .given("tuned", eq(v(i) * pull(i), 1, CLIENTS), "the weights 1/q_i")
    .step("each", by.apply(TIMES, {one: v(i) * pull(i), other: 1, gap: own(i) - end}))
    .step("all", by.sum_over(i, "each"))
    .step("pulled", eq(end, mean(own(i))), by.linear("end", "all"))
    .qed(_INVERSE_SAYS, by.linear(), inserting="pulled")
)

# A round, with a proximal term and any weights ------------------------------------------------------------------------------------

_PULL = (1 - left(i, K)) * curvature(i) / _STIFF
_NEAR = (curvature(i) * own(i) + _TERM * point) / _STIFF
_ROUNDS = (
    _LOCALLY[0],
    Given("local",
        eq(y(i, k + 1), y(i, k) - eta(i, k) * (curvature(i) * (y(i, k) - own(i)) + _TERM * (y(i, k) - point)), CLIENTS,
            LOCAL), "a step on L_i/2 |x - c_i|^2 + mu/2 |x - x_t|^2"),
    _LOCALLY[2],
    Given("product", eq(left(i, k + 1), left(i, k) * (1 - eta(i, k) * _STIFF), CLIENTS, LOCAL),
        "r_i, the product of 1 - eta (L_i + mu)"),
)


def server(weight):
    """Return the server's round with these weights, and its fixed point."""
    return (
        Given("server", eq(after, point + share_of * every(weight * (y(i, K) - point))),
            "the weighted mean of the moves"),
        Given("count", eq(share_of * every(weight), 1), "one over the sum of the weights"),
        Given("end", eq(every(weight * _PULL * (own(i) - end)), 0 * end), "the centres weighted by v_i q_i"),
    )


def missed(weight, factor):
    """Return the error of a round in x_inf + (1 - q)(x_t - x_inf)."""
    return square(after - end - (1 - factor * every(weight * _PULL)) * (point - end)) / spread


MOVES = (
    proof("delta_sgd/FP-moves", "Algorithm 1", note="a client's move in a round, with a proximal term").under(*_ROUNDS)
    .step("near", eq(y(i, k + 1), y(i, k) - eta(i, k) * _STIFF * (y(i, k) - _NEAR), CLIENTS, LOCAL),
        by.linear({"local": 1}))
    .step("round", by.apply(ROUND, {curvature(i): _STIFF, own(i): _NEAR}))
    .qed(eq(y(i, K) - point, _PULL * (own(i) - point), CLIENTS), by.linear({"round": 1}), name="last")
)
_WEIGHED, _WEIGHED_SAYS, _ = of_claim("FP-debiased-round@explicit", missed(v(i), share_of),
    "for any weights whose sum is not 0, those of the claim too", unused=("count",))
WEIGHED = (
    _WEIGHED.under(*_ROUNDS, *server(v(i)))
    .step("moves", by.apply(MOVES))
    .step("each", eq(v(i) * (y(i, K) - point), v(i) * _PULL * (own(i) - point), CLIENTS), by.linear("moves"))
    .step("sum", by.sum_over(i, "each"))
    .step(
        "there",
        eq(after - end, (1 - share_of * every(v(i) * _PULL)) * (point - end)),
        by.linear("server", "sum", "end"),
    )
    .step("there too", eq(after, end + (1 - share_of * every(v(i) * _PULL)) * (point - end)), by.linear("there"))
    .qed(_WEIGHED_SAYS, by.linear(), inserting="there too")
)


def equal(name: str, note: str, given, product, values, stiff):
    """Prove a round of equal clients from the one with any weights."""
    pulled = (1 - left(i, K)) * curvature(i) / stiff
    quantity = square(after - end - (1 - mean(pulled)) * (point - end)) / spread
    chain, statement, _ = of_claim(name, quantity, note)
    return (
        chain.under(*given)
        .given("mean", eq(after, mean(y(i, K))), "the server's mean")
        .given("end", eq(mean(pulled * (own(i) - end)), 0 * end), "the centres weighted by the pulls")
        .step("moves", by.apply(MOVES, values))
        .step("sum", by.sum_over(i, "moves"))
        .step("there", eq(after, end + (1 - mean(pulled)) * (point - end)), by.linear("mean", "sum", "end"))
        .qed(statement, by.linear(), inserting="there")
    )


PROX = equal("FP-prox@corrected", "the pulls of clients with a proximal term", _ROUNDS, None, {}, _STIFF)
PLAIN = equal("FP@corrected", "1 - r_i is the pull without a proximal term", _LOCALLY, None, {_TERM: 0}, curvature(i))

# The error of a round, the gap of two clients, rule (4) on a shared point

WITHIN = (
    proof("delta_sgd/FP-within", "Algorithm 1", note="a number whose square is below 1")
    .given("small", lt(one**2, 1), "its square")
    .step("1", le(one, 1), by.linear(), assuming=le(one, 1))
    .step("2.1", le(0, one), by.linear(), assuming=le(1, one))
    .step("2", le(one, 1), by.linear("small", "2.1"), assuming=le(1, one))
    .qed(le(one, 1), by.cases("1", "2"))
)
_R = mean(left(i, K))
_CONTRACTS, _CONTRACTS_SAYS, _SMALL = of_claim("FP-contraction@corrected", Abs(_R), "no client's factor leaves (-1, 1)")
CONTRACTS = (
    _CONTRACTS.under(*_LOCALLY[2:], *_SMALL)
    .given("first", eq(eta(i, 0), eta_0, CLIENTS), "clients begin with the initial step size")
    .given("smooth", le(curvature(i), L, CLIENTS), "L is the largest curvature")
    .given(
        "later",
        le(eta(i, k + 1), gamma / (2 * curvature(i)), CLIENTS, (k, 0, K - 2)),
        "the first entry, which is gamma/(2 L_i) here (R6)",
    )
    .step("small 0", lt(eta(i, 0) * curvature(i), 2, CLIENTS), by.linear("first", "smooth", "c1"))
    .step("small next", lt(eta(i, k + 1) * curvature(i), 2, CLIENTS, (k, 0, K - 2)), by.linear("later", "c2"))
    .step(
        "small again",
        lt(eta(i, k + 1) * curvature(i), 2, CLIENTS, (k, 0, K - 2)),
        by.linear("small next"),
        assuming=lt(eta(i, k) * curvature(i), 2),
    )
    .step("small", lt(eta(i, k) * curvature(i), 2, CLIENTS, LOCAL), by.induction(k, "small 0", "small again"))
    .step("all", by.apply(SHRINKS))
    .step("last", by.instance({k: K - 1}, "all"))
    .step("high", by.apply(WITHIN, {one: left(i, K)}))
    .step("back", lt((-left(i, K)) ** 2, 1, CLIENTS), by.linear("last"))
    .step("low", by.apply(WITHIN, {one: -left(i, K)}))
    .step("mean high", le(every(left(i, K)), m), by.sum_over(i, "high"))
    .step("mean low", le(-every(left(i, K)), m), by.sum_over(i, "low"))
    .step("size", by.absolute("mean high", "mean low"))
    .qed(_CONTRACTS_SAYS, by.linear("size"), name="end")
)
c1, c2 = (family(Vector, name)() for name in ("c_1", "c_2"))
r1, r2, first, second = (Symbol(name, real=True) for name in ("r_1", "r_2", "R_1", "R_2"))
low = mu
_GAP, _GAP_SAYS, _ = of_claim("FP-gap@corrected", (L + low) / 4 * square(end - best),
    "every client ends at its own minimiser")
eta1, eta2 = (Symbol(name, positive=True) for name in ("eta_1", "eta_2"))
GAP = (
    _GAP.given("reached 1", eq(eta1 * low, 1), "the first entry gamma/(2 L_1) with gamma = 2 decides the step 1")
    .given("reached 2", eq(eta2 * L, 1), "and that of the other client")
    .given("left 1", eq(r1, first * (1 - eta1 * low)), "r_1, a product with the step 1 among its factors, as K >= 2")
    .given("left 2", eq(r2, second * (1 - eta2 * L)), "and r_2")
    .given("end", eq((1 - r1) * (c1 - end) + (1 - r2) * (c2 - end), 0 * end), "the centres weighted by 1 - r_i")
    .given("best", eq(low * (c1 - best) + L * (c2 - best), 0 * best), "x* is where the gradients add up to 0")
    .given("apart", eq(distance**2, square(c1 - c2)), "the distance of the centres")
    .step("zero 1", eq(r1, 0), by.linear("left 1", "reached 1"))
    .step("zero 2", eq(r2, 0), by.linear("left 2", "reached 2"))
    .step("middle", eq(end, (c1 + c2) / 2), by.linear({"end": -HALF}), inserting=("zero 1", "zero 2"))
    .step("minimiser", eq(best, (low * c1 + L * c2) / (low + L)), by.linear({"best": -1 / (low + L)}))
    .qed(_GAP_SAYS, by.linear({"apart": -((L - low) ** 2) / (16 * (L + low))}), inserting=("middle", "minimiser"))
)
_C = mean(own(i))
_SHARED, _SHARED_SAYS, _ = of_claim("FP-shared@corrected", square(after - _C - (1 - gamma / 2) * (point - _C)) / spread,
    "each step is gamma/(2 L_i)")
SHARED = (
    _SHARED.given(
        "server",
        eq(after, point - mean(gamma / (2 * curvature(i)) * curvature(i) * (point - own(i)))),
        "rule (4) on the shared point: all steps are first entries, gamma/(2 L_i) on a quadratic (R6)",
    )
    .step("there", eq(after, _C + (1 - gamma / 2) * (point - _C)), by.linear("server"))
    .qed(_SHARED_SAYS, by.linear(), inserting="there")
)
THEOREMS = (CENTRES, ONCE, TIMES, DEBIASED, INVERSE, MOVES, WEIGHED, PROX, PLAIN, WITHIN, CONTRACTS, GAP, SHARED)
