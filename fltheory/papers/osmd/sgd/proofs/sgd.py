"""Mini-batch SGD with sampled clients: one round, and Theorem 4 at any step size up to 1/L.

One round goes from w to ``after``. Client a's update is the mean of a mini-batch, grad F_a(w) + noise; the clients are drawn
from the distribution p with replacement, and q is the comparator. A client that is drawn twice gives the same answer.
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol

from fltheory.papers.osmd.mirror.proofs.facts import SIGN, TELESCOPE, UNCORRELATED, Y, weight
from fltheory.papers.osmd.notation import D, K, L, M, T, alpha, batch, mu, sigma, zeta_T
from fltheory.papers.osmd.sampling.proofs.sampling import (CLIENTS, DRAWS, SECOND, X, a, drawn, estimate, k, law_of, p,
    pick, u, variance_of_one, weighed)
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.proof import Axiom, Defines, Given, Member, Relation, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.facts.squares import N, b, x
from fltheory.proof.facts.sums import d, s, t
from fltheory.proof.terms import (Dot, E, Fun, Grad, RandomInteger, RandomPositive, RandomVector, Scalar, Total, Val,
    family, square, substitute)

c = Symbol("c", integer=True, positive=True)
w, after = family(RandomVector, "w")(), family(RandomVector, "after")()
F, g, xi, noise = family(Fun, "F"), family(RandomVector, "g"), family(RandomVector, "xi"), family(RandomVector, "noise")
q = family(RandomPositive, "q")
HALF = Rational(1, 2)


def own(place):
    """Return the gradient of a client at the round's start."""
    return Grad(F(place), w)


def share(place):
    """Return the term of a client in the aggregate: its update, weighted by 1/M."""
    return g(place) / M


SLOPE = Total(own(a), a, 1, M) / M
J = Total(share(a), a, 1, M)
NOISE = Total(noise(a), a, 1, M) / M
G2 = E(square(SLOPE))
OWN_LOSS, OTHER_LOSS = E(weighed(share, p)) / K, E(weighed(share, q)) / K
SPREAD = E(variance_of_one(own, q))
UPDATE = estimate(share)
OLD, NEW = (E(Total(Val(F(a), point), a, 1, M) / M) for point in (w, after))

# Hypotheses on a round ------------------------------------------------------------------------------------------------

_BATCH, _TWICE, _APART = (b, 1, batch), ((b, 1, batch), (c, 1, b - 1)), ((b, 1, batch), (c, 1, batch))
SMOOTH = Member("class", F(a), L, None, "A1: every client's loss is smooth")
GRADIENT = Defines("gradient", g(a), own(a) + noise(a), "a client's update: its gradient and noise")
MINI_BATCH = Defines("noise", noise(a), Total(xi(a, b), b, 1, batch) / batch, "the mean of a mini-batch")
AFTER = Defines("after", after, w - mu * UPDATE, "the server's step")
FLOOR = Given("floor", le(alpha / M, q(a), CLIENTS), "the comparator stays above the floor")
UNBIASED = (
    Given("unbiased", eq(E(Dot(xi(a, b), SLOPE)), 0, CLIENTS, _BATCH), "A3: noise has mean 0 given the past"),
    Given("unbiased own", eq(E(Dot(xi(a, b), own(a)) / q(a)), 0, CLIENTS, _BATCH),
        "the same, with a weight from the past"),
)
SAMPLES = (
    Given("variance", le(E(square(xi(a, b))), sigma**2, CLIENTS, _BATCH), "A3: the noise of one sample"),
    Given("samples", eq(E(Dot(xi(a, b), xi(a, c))), 0, CLIENTS, *_TWICE),
        "the samples of a mini-batch are independent"),
    Given("clients", eq(E(Dot(noise(a), noise(b))), 0, CLIENTS, (b, 1, a - 1)),
        "clients draw their samples independently"),
    Given("variance q", le(E(square(xi(a, b)) / q(a)), sigma**2 * E(1 / q(a)), CLIENTS, _BATCH),
        "A3 with a weight from the past"),
    Given("samples q", eq(E(Dot(xi(a, b), xi(a, c)) / q(a)), 0, CLIENTS, *_TWICE),
        "the same for two samples of a mini-batch"),
)
LAW = law_of(share)
TOWARDS = Given("towards",
    eq(E(Dot(drawn(k, share), SLOPE)), E(Total(p(a) * Dot(share(a) / p(a), SLOPE), a, 1, M)), DRAWS),
    "a draw is client a with probability p_a, here against the global gradient")
SETTING = (SMOOTH, GRADIENT, MINI_BATCH, AFTER, FLOOR, *UNBIASED, *SAMPLES, *LAW, TOWARDS)

# One round ---------------------------------------------------------------------------------------------------------------

_BELOW = Val(F(a), w) + Dot(own(a), after - w) + L / 2 * square(after - w)


def bracket(regret, spread):
    """Return the factor of the step's square, given the spread of the comparator's draws."""
    return sigma**2 * formula.DELTA / batch + spread / K + regret


_ROUND = le(NEW, OLD - (mu - L * mu**2 / 2) * G2 + L * mu**2 / 2 * bracket(OWN_LOSS - OTHER_LOSS, SPREAD))
_PURE = {Y(b): xi(a, b), N: batch}
ROUND = (
    proof("osmd/round", "proof of Theorem 4", note="one round: (32) to (34) with the exact variance").under(*SETTING)
    .step("1.1", le(Val(F(a), after), _BELOW, CLIENTS), by.linear((1, Axiom("descent", F(a), after, w)), "class"),
        note="Lemma 15 for each client")
    .step("1.2", le(Total(Val(F(a), after), a, 1, M) / M, Total(_BELOW, a, 1, M) / M),
        by.sum_over(a, "1.1", weight=1 / M))
    .step("1.3", by.expectation("1.2"))
    .step("1", le(NEW, OLD - mu * E(Dot(UPDATE, SLOPE)) + L * mu**2 / 2 * E(square(UPDATE))), by.linear("1.3"),
        inserting="after", note="the server's step inserted")
    .step("2.1", eq(E(Dot(UPDATE, SLOPE)), E(Dot(J, SLOPE))),
        by.apply("osmd/C2", {X(a): share(a), u: SLOPE}, "towards"), note="draws are unbiased")
    .step("2.2", eq(E(Dot(noise(a), SLOPE)), 0, CLIENTS), by.sum_over(b, "unbiased", weight=1 / batch),
        inserting="noise")
    .step("2.3", eq(E(Dot(NOISE, SLOPE)), 0), by.sum_over(a, "2.2", weight=1 / M))
    .step("2", eq(E(Dot(UPDATE, SLOPE)), G2), by.linear("2.1", "2.3"), inserting="gradient",
        note="(33): so is the noise")
    .step("3", by.apply(SECOND, {X(a): share(a)}), note="(3): the second moment")
    # the noise of all clients together
    .step(
        "4.1",
        eq(E(square(Total(xi(a, b), b, 1, batch))), Total(E(square(xi(a, b))), b, 1, batch), CLIENTS),
        by.apply(UNCORRELATED, {**_PURE, weight: Integer(1)}),
    )
    .step("4.2", le(Total(E(square(xi(a, b))), b, 1, batch), batch * sigma**2, CLIENTS), by.sum_over(b, "variance"))
    .step("4.3", le(E(square(noise(a))), sigma**2 / batch, CLIENTS), by.linear("4.1", "4.2"), inserting="noise",
        note="a mini-batch has a B-th of the variance")
    .step("4.4", eq(E(square(Total(noise(a), a, 1, M))), Total(E(square(noise(a))), a, 1, M)),
        by.apply(UNCORRELATED, {Y(a): noise(a), N: M, weight: Integer(1)}, "clients"))
    .step("4.5", le(Total(E(square(noise(a))), a, 1, M), M * sigma**2 / batch), by.sum_over(a, "4.3"))
    .step("4.6", le(E(square(NOISE)), sigma**2 / (M * batch)), by.linear("4.4", "4.5"))
    .step("4", le(E(square(J)), G2 + sigma**2 / (M * batch)), by.linear("4.6", "2.3"), inserting="gradient",
        note="the aggregate of all clients")
    # the comparator's loss
    .step("5.1", by.apply(UNCORRELATED, {**_PURE, weight: 1 / q(a)}))
    .step("5.2", le(Total(E(square(xi(a, b)) / q(a)), b, 1, batch), batch * sigma**2 * E(1 / q(a)), CLIENTS),
        by.sum_over(b, "variance q"))
    .step("5.3", le(1 / q(a), M / alpha, CLIENTS), by.linear("floor"))
    .step("5.4", by.expectation("5.3"))
    .step("5.5", le(E(square(noise(a)) / q(a)), sigma**2 * M / (alpha * batch), CLIENTS),
        by.linear("5.1", "5.2", "5.4"), inserting="noise")
    .step("5.6", eq(E(Dot(noise(a), own(a)) / q(a)), 0, CLIENTS), by.sum_over(b, "unbiased own", weight=1 / batch),
        inserting="noise")
    .step("5.7", le(E(square(g(a)) / q(a)), E(square(own(a)) / q(a)) + sigma**2 * M / (alpha * batch), CLIENTS),
        by.linear("5.5", "5.6"), inserting="gradient")
    .step("5.8",
        le(Total(E(square(g(a)) / q(a)), a, 1, M),
            Total(E(square(own(a)) / q(a)), a, 1, M) + sigma**2 * M**2 / (alpha * batch)), by.sum_over(a, "5.7"))
    .step("5", le(OTHER_LOSS, (SPREAD + G2) / K + sigma**2 / (K * alpha * batch)), by.linear("5.8"),
        note="the ghost draws of the comparator: their spread V(q, w) and their noise")
    .step("6.1", le(0, (K - 1) / K), by.polynomial())
    .step("6.2", le((1 - 1 / K) * E(square(J)), (1 - 1 / K) * (G2 + sigma**2 / (M * batch))), by.linear("4", "6.1"))
    .step("6", le(E(square(UPDATE)), G2 + bracket(OWN_LOSS - OTHER_LOSS, SPREAD)), by.linear("3", "5", "6.2"))
    .qed(_ROUND, by.linear("1", "2", "6"))
)

# All rounds --------------------------------------------------------------------------------------------------------------

low, rho = family(Scalar, "F*")(), family(Scalar, "rho")()
W = family(RandomVector, "w")
IN_ROUND = {
    w: W(t),
    after: W(t + 1),
    pick(k): family(RandomInteger, "pick")(t, k),
    **{v: v.func(v.args[0], t, *v.args[1:]) for v in (g(a), xi(a, b), noise(a), p(a), q(a))},
}
ROUNDS = (t, 1, T)


def at_round(expr):
    """Return a term of one round as that of round t."""
    return substitute_term(expr, list(IN_ROUND.items()))


def every_round(hypotheses):
    """Return the hypotheses of one round, for every round."""
    found = []
    for entry in hypotheses:
        if isinstance(entry, Defines) and entry.left != after:
            found.append(Defines(entry.id, at_round(entry.left), at_round(entry.right), entry.why))
        elif not isinstance(entry, Member):
            plain = eq(entry.left, entry.right) if isinstance(entry, Defines) else entry.relation
            over = (ROUNDS, *plain.over)
            found.append(
                Given(entry.id, Relation(at_round(plain.left), plain.op, at_round(plain.right), over), entry.why))
    return tuple(found)


def uses(hypotheses):
    """Return the hypotheses that a step with the theorem of one round uses, and the terms that it substitutes."""
    return tuple(h.id for h in hypotheses if not isinstance(h, Defines)), tuple(h.id for h in hypotheses if isinstance(h, Defines))


SLOPES, LOSSES, SPREADS = (at_round(e) for e in (G2, OWN_LOSS - OTHER_LOSS, SPREAD))
MEAN_SLOPE = Total(SLOPES, t, 1, T) / T
_VALUES = at_round(OLD)
_KEPT = mu - L * mu**2 / 2
_ADDED = L * mu**2 / 2 * bracket(LOSSES, SPREADS) - _KEPT * SLOPES
ROUNDS_SETTING = (SMOOTH, *every_round(SETTING))
OUTCOME = (
    Given("start", eq(substitute(_VALUES, {t: Integer(1)}) - low, D), "D^F: how far the start is above the infimum F*"),
    Given("bounded", le(low, substitute(_VALUES, {t: T + 1})), "A2: no value is below the infimum F*"),
    Given("game", le(Total(SPREADS, t, 1, T), T * zeta_T**2),
        "the comparator is the sampler's best policy in the game of zeta_T"),
)
REGRET = Given("regret", le(Total(LOSSES, t, 1, T), T * rho),
    "what is known of the sampler's regret against the comparator")
CAP = Given("cap", le(L * mu, 1), "the step is at most 1/L")
_PREMIN = le(MEAN_SLOPE, 2 * D / (T * mu) + L * mu * (sigma**2 * formula.DELTA / batch + zeta_T**2 / K + rho))
_USES, _BY = uses(ROUNDS_SETTING)
ALL_ROUNDS = (
    proof("osmd/rounds", "Theorem 4 (35)",
        note="the mean squared gradient at any step up to 1/L, for any bound T rho on the regret")
    .under(*ROUNDS_SETTING, *OUTCOME, REGRET, CAP)
    .step("round", by.apply(ROUND, IN_ROUND, *_USES), inserting=_BY, note="one round from w_t")
    .step("1", by.apply(TELESCOPE, {d(t): _VALUES, s(t): _ADDED, N: T}), note="all rounds")
    .step("2", le(_KEPT * Total(SLOPES, t, 1, T), D + L * mu**2 / 2 * T * bracket(rho, zeta_T**2)),
        by.linear("1", "start", "bounded", "game", "regret"))
    .step("steep 1", by.apply(SIGN, {x: at_round(SLOPE)}), over=ROUNDS)
    .step("steep 2", by.expectation("steep 1"))
    .step("steep", by.sum_over(t, "steep 2"))
    .step("3", le(0, mu / 2 * (1 - L * mu) * Total(SLOPES, t, 1, T)), by.linear("cap", "steep"),
        note="(11): mu - L mu^2/2 >= mu/2")
    .qed(_PREMIN, by.linear("2", "3"), note="(35)")
)

# The catalogue's statements: the regret of Corollary 7, and of Theorem 8 --------------------------------------------------

COROLLARY = Given("corollary", le(rho, formula.REGRET_SGD),
    "Corollary 7 at A_max = G^2/M^2 (osmd/Amax-sgd), against this comparator, over T", supposed=True)


def premin(name, claim, bound, few):
    """(35) with the regret of Corollary 7."""
    statement, conditions = statement_of(bound, MEAN_SLOPE)
    own = (*ROUNDS_SETTING, *OUTCOME, REGRET)
    inserted = uses(own)[1]
    more = {"c5": L * mu * sigma**2 / (batch * K * M)} if few else {}
    return (
        proof(name, of=claim, bound=bound, unused=("c3",)).under(*own, COROLLARY, *conditions)
        .step("1", by.apply(ALL_ROUNDS), inserting=inserted, note="at any bound on the regret")
        .qed(statement, by.linear({"1": 1, "corollary": L * mu}, "c1", "c2", more),
            note="(K - 1)/M is at most 1/alpha" if few else "in the letters of the bound")
    )


T4_PREMIN_SHARP = premin("osmd/T4-premin-sharp", "osmd/C-T4-premin@strengthened", formula.T4_PREMIN_SHARP, False)
T4_PREMIN = premin("osmd/T4-premin", "osmd/C-T4-premin@explicit", formula.T4_PREMIN, True)

THEOREMS = (ROUND, ALL_ROUNDS, T4_PREMIN_SHARP, T4_PREMIN)
