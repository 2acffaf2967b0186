"""Hoeffding's lemma given the past: the exponential moment of a round's deviation from its mean.

The lemma itself is taken from the library. Knowledge before a draw is any number ``past``, so a statement about
the mean of ``past`` times a number is one about a conditional mean.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, exp

from fltheory.papers.fedcg.notation import K, N
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, LAW, clients, i, p
from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.facts import exponentials, hoeffding, notation
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import E, RandomInteger, RandomNonnegative, RandomScalar, Total, family

CALLED = {  # fedcg/exp and fedcg/square use other symbols
    "exp": "exp-grows",
    "square": "means",
    "hoeffding": "L18",
    "hoeffding-wide": "L18-wide",
}
TAKEN_OVER = tuple(
    adopt("fedcg", theorem, called=CALLED)
    for theorem in (
        exponentials.GROWS,
        exponentials.SQUARE,
        exponentials.TWO_POINTS,
        exponentials.CHORD,
        hoeffding.HOEFFDING_WIDE,
        hoeffding.HOEFFDING,
    )
)

k, a = (Symbol(name, integer=True, nonnegative=True) for name in "ka")
score, pick = family(RandomScalar, "score"), family(RandomInteger, "pick")
past = family(RandomNonnegative, "past")()
mean, low = family(RandomScalar, "mean")(), family(RandomScalar, "low")()
rate, width = (Symbol(name, nonnegative=True) for name in ("rate", "width"))
DRAWS = (k, 0, K - 1)
off = score(i) - mean


def drawn(count: Expr) -> Expr:
    """Return the sum of the deviations of the first draws from the mean."""
    return Total(score(pick(a)) - mean, a, 0, count - 1)


def moment(count: Expr) -> Expr:
    """Return the exponential moment of that sum, for deviations below the mean."""
    return E(past * exp(-rate * drawn(count)))


AVERAGE = Given("average", eq(mean, clients(score(i))), "the mean over the clients")
BELOW = Given("below", le(low, score(i), CLIENTS), "the numbers lie on an interval that is known before the draws")
ABOVE = Given("above", le(score(i), low + width, CLIENTS), "of this length")
DRAWN = Given(
    "draw",
    eq(moment(k + 1), E(past * exp(-rate * drawn(k)) * clients(exp(-rate * off))), DRAWS),
    "a draw is client i with probability p_i, given the past and the earlier draws",
)
law, o, M = family(RandomNonnegative, "P"), *(Symbol(name, integer=True, positive=True) for name in "oM")
OUTCOMES = (o, 1, M)
_of_outcome = score(o) - mean
_each, _grown = Total(law(o) * exp(-rate * _of_outcome), o, 1, M), exp(rate**2 * width**2 / 8)
ADAPTIVE = (
    proof(
        "fedcg/hoeffding-adaptive",
        "proof of Theorem 3.5",
        note="Hoeffding's lemma given the past, which the probabilities depend on",
    )
    .given("law", eq(Total(law(o), o, 1, M), 1), "probabilities, given the past")
    .given("average", eq(mean, Total(law(o) * score(o), o, 1, M)), "the mean of a draw")
    .given("below", le(low, score(o), OUTCOMES), "the numbers lie on an interval that is known before the draws")
    .given("above", le(score(o), low + width, OUTCOMES), "of this length")
    .given(
        "draw",
        eq(moment(k + 1), E(past * exp(-rate * drawn(k)) * _each), DRAWS),
        "a draw is o with its probability, given the past and the earlier draws",
    )
    .step("from", le(-rate * (low + width - mean), -rate * _of_outcome, OUTCOMES), by.linear("above"))
    .step("to", le(-rate * _of_outcome, -rate * (low + width - mean) + rate * width, OUTCOMES), by.linear("below"))
    .step(
        "lemma",
        le(_each, exp(Total(law(o) * -rate * _of_outcome, o, 1, M) + (rate * width) ** 2 / 8)),
        by.apply(
            "fedcg/L18",
            {
                notation.w(notation.j): law(notation.j),
                notation.u(notation.m): -rate * (score(notation.m) - mean),
                notation.lo: -rate * (low + width - mean),
                notation.x: rate * width,
                notation.M: M,
            },
            "law",
            "from",
            "to",
        ),
    )
    .step("centred", eq(Total(law(o) * -rate * _of_outcome, o, 1, M), 0), by.linear("average", "law"))
    .step("one", le(_each, _grown), by.linear("lemma"), inserting="centred")
    .step(
        "outcome",
        le(past * exp(-rate * drawn(k)) * _each, past * exp(-rate * drawn(k)) * _grown, DRAWS),
        by.linear(one=past * exp(-rate * drawn(k))),
    )
    .step("in the mean", by.expectation("outcome"))
    .step("0", le(moment(Integer(0)), exp(0 * rate**2 * width**2 / 8) * E(past)), by.linear())
    .step(
        "1",
        le(moment(k + 1), exp((k + 1) * rate**2 * width**2 / 8) * E(past), DRAWS),
        by.linear({"draw": 1, "in the mean": 1, "assumed 1": _grown}),
        assuming=le(moment(k), exp(k * rate**2 * width**2 / 8) * E(past)),
    )
    .step("2", le(moment(k), exp(k * rate**2 * width**2 / 8) * E(past), (k, 0, K)), by.induction(k, "0", "1"))
    .qed(le(moment(K), exp(K * rate**2 * width**2 / 8) * E(past)), by.instance({k: K}, "2"))
)
GIVEN_PAST = (
    proof(
        "fedcg/hoeffding",
        "proof of Theorem 3.5",
        note="the same for K draws of clients: each costs exp(rate^2 width^2/8)",
    )
    .under(LAW, AVERAGE, BELOW, ABOVE, DRAWN)
    .qed(
        le(moment(K), exp(K * rate**2 * width**2 / 8) * E(past)),
        by.apply(ADAPTIVE, {law(o): p(o), M: N}, "law", "average", "below", "above", "draw"),
    )
)

THEOREMS = (*TAKEN_OVER, ADAPTIVE, GIVEN_PAST)
