"""One round of FedAvg with sampled clients: Theorem 5 up to the drift, with (41) repaired by Young's inequality."""

from __future__ import annotations

from sympy import Integer

from fltheory.papers.osmd.fedavg.proofs.fedavg import DRIFT, G2, SLOPE, SMOOTH, STEPS, F, i, own, w, xi, y
from fltheory.papers.osmd.mirror.proofs.facts import JENSEN, SIGN, UNCORRELATED, YOUNG, U, V, Y, spread, weight
from fltheory.papers.osmd.mirror.proofs.facts import j as step
from fltheory.papers.osmd.mirror.proofs.facts import k as other
from fltheory.papers.osmd.mirror.proofs.facts import share as one
from fltheory.papers.osmd.notation import I_2, B, K, L, M, alpha, mu, mu_eff, sigma
from fltheory.papers.osmd.sampling.proofs.sampling import (CLIENTS, DRAWS, X, a, drawn, estimate, k, law_of, p, u,
    weighed)
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.proof import Axiom, Defines, Given, by, eq, le, proof, statement_of
from fltheory.proof.facts.squares import N, b, c, x, z
from fltheory.proof.facts.squares import u as _u
from fltheory.proof.facts.squares import v as _v
from fltheory.proof.terms import Dot, E, Grad, RandomPositive, RandomVector, Total, Val, family, square
from fltheory.verification import find

AT, PAIRS = (CLIENTS, STEPS), (CLIENTS, (step, 0, B - 1), (other, 0, step - 1))
after, g, noise, taken, drift = (
    family(RandomVector, "after")(),
    *(family(RandomVector, s) for s in ("g", "noise", "taken", "drift")),
)
q = family(RandomPositive, "q")

# (41) as printed: with "=" for the sum of I_1 and I_2 -----------------------------------------------------------------------

_first, _second = (family(RandomVector, "xi")(t) for t in (0, 1))
_SUM, _NOISE, _SLOPES = _first + (mu * _first + _second), _first + _second, mu * _first
VALUES = (
    proof("osmd/41-values", "(41)",
        note="M = K = 1, B = 2, grad F(w) = -w, from w = 0: h_0 = xi_0, h_1 = mu xi_0 + xi_1; the left side of (41) less I_1 + I_2")
    .given("noise", eq(E(square(_first)), sigma**2), "noise of the first step")
    .given("unbiased", eq(E(Dot(_first, _second)), 0), "noise of the second step has mean 0 given the first")
    .qed(eq(E(square(_SUM)) - E(square(_NOISE)) - E(square(_SLOPES)), 2 * mu * sigma**2),
        by.linear("noise", "unbiased"))
)
PRINTED = proof(
    "osmd/41-printed",
    "(41)",
    of="osmd/C-T5-41@printed",
    recorded="REFUTED",
    note="that in osmd/41-values the left side is at most I_1 + I_2: noise moves later gradients",
).qed(le(2 * mu * sigma**2, 0), by.counterexample({mu: Integer(1) / 16, sigma: 1}), note="545/256 against 513/256")

# (41) with the factor 2, for any gradients ------------------------------------------------------------------------------------

_h, _xi, _C41 = family(RandomVector, "h"), family(RandomVector, "xi"), find("osmd/C-T5-41@corrected").bounds[0]
_ALL_NOISE, _GRADS = Total(_xi(b), b, 1, B), Total(_h(b), b, 1, B)
_READ_41 = {I_2: E(square(_GRADS))}
_EACH = (b, 1, B)
TWICE = (
    proof("osmd/41-twice", "(41)", of="osmd/C-T5-41@corrected", bound=_C41, reading=_READ_41,
        note="h_b are the gradients along the local steps, of whatever function")
    .given("variance", le(E(square(_xi(b))), sigma**2, _EACH), "A3: the noise of one step")
    .given("pairs", eq(E(Dot(_xi(b), _xi(c))), 0, _EACH, (c, 1, b - 1)), "A3: noise has mean 0 given the earlier one")
    .step("1.1", by.apply(UNCORRELATED, {Y(b): _xi(b), N: B, weight: Integer(1)}))
    .step("1.2", le(Total(E(square(_xi(b))), b, 1, B), B * sigma**2), by.sum_over(b, "variance"))
    .step("1", le(E(square(_ALL_NOISE)), B * sigma**2), by.linear("1.1", "1.2"), note="I_1")
    .step("2.1", by.apply(SIGN, {x: _ALL_NOISE - _GRADS}))
    .step("2", by.expectation("2.1"))
    .qed(statement_of(_C41, E(square(Total(_h(b) + _xi(b), b, 1, B))), _READ_41)[0], by.linear("1", "2"),
        note="|u + v|^2 = 2 |u|^2 + 2 |v|^2 - |u - v|^2")
)

# Hypotheses on a round ------------------------------------------------------------------------------------------------


def share(place):
    """Return the term of a client in the aggregate, over mu_l: its gradients, weighted by 1/M."""
    return g(place) / M


J, NOISE, TAKEN = (Total(v(a), a, 1, M) / M for v in (g, noise, taken))
UPDATE = estimate(share)
GRADIENT = Defines("gradient", g(a), noise(a) + taken(a), "what a client takes: noise and gradients")
PURE = Defines("pure", noise(a), Total(xi(a, i), i, 0, B - 1), "the noise of its steps")
EXACT = Defines("exact", taken(a), Total(Grad(F(a), y(a, i)), i, 0, B - 1), "the gradients along its steps")
STRAY = Defines("stray", drift(a), Total(Grad(F(a), y(a, i)) - own(a), i, 0, B - 1),
    "how they differ from those at the start")
AFTER = Defines("after", after, w - mu_eff * UPDATE, "(15): the server's step")
FLOOR = Given("floor", le(alpha / M, q(a), CLIENTS), "the comparator stays above the floor")
LAW_Q = Given("law q", eq(Total(q(a), a, 1, M), 1), "the comparator is a law on the clients")
NOISY = (
    Given("noise", le(E(square(xi(a, i))), sigma**2, *AT), "A3: the noise of one step"),
    Given("noise q", le(E(square(xi(a, i)) / q(a)), sigma**2 * E(1 / q(a)), *AT), "A3 with a weight from the past"),
    Given("unbiased", eq(E(Dot(xi(a, i), SLOPE)), 0, *AT),
        "A3: noise has mean 0 given the past, here the global gradient"),
    Given("steps", eq(E(Dot(xi(a, step), xi(a, other))), 0, *PAIRS), "here an earlier step's noise"),
    Given("steps q", eq(E(Dot(xi(a, step), xi(a, other)) / q(a)), 0, *PAIRS), "the same, with a weight from the past"),
    Given("clients", eq(E(Dot(noise(a), noise(b))), 0, CLIENTS, (b, 1, a - 1)),
        "clients draw their samples independently"),
)
LAW = law_of(share)
TOWARDS = Given("towards",
    eq(E(Dot(drawn(k, share), SLOPE)), E(Total(p(a) * Dot(share(a) / p(a), SLOPE), a, 1, M)), DRAWS),
    "a draw is client a with probability p_a, here against the global gradient")
SETTING = (SMOOTH, GRADIENT, PURE, EXACT, STRAY, AFTER, FLOOR, LAW_Q, *NOISY, *LAW, TOWARDS)
MORE = 1 + 1 / one  # Young's inequality gives noise the factor 1 + share, and gradients this factor
CAP = Given("cap", le(MORE * B * L * mu_eff, 1), "the step is small")
OLD, NEW = (E(Total(Val(F(a), point), a, 1, M) / M) for point in (w, after))
OWN_LOSS, OTHER_LOSS = E(weighed(share, p)) / (K * B), E(weighed(share, q)) / (K * B)
SPREAD = E(spread(own))  # V(q, w)


def inside(regret, variance):
    """Return the factor of B L mu^2/2: regret, noise and the spread of the comparator's draws."""
    return B * regret + (1 + one) * B * sigma**2 * formula.DELTA + 2 * MORE * B**2 * variance / K


_BELOW = Val(F(a), w) + Dot(own(a), after - w) + L / 2 * square(after - w)
_STRAYED, _HM = square(B * SLOPE - TAKEN), E(square(TAKEN))
_MOVE = Grad(F(a), y(a, i)) - own(a)
_MOVED = Total(square(y(a, i) - w), i, 0, B - 1)
_PURE = {Y(step): xi(a, step), N: B}


def _started(place):
    return B * own(place)


def _started_and_drifted(place):
    return B * own(place) + drift(place)


_DRIFTED = B * L**2 * M / alpha
ROUND = (
    proof("osmd/avg-round", "proof of Theorem 5", note="one round, (37) to (44)").under(*SETTING, CAP)
    .step("1.1", le(Val(F(a), after), _BELOW, CLIENTS), by.linear((1, Axiom("descent", F(a), after, w)), "class"),
        note="Lemma 15 for each client")
    .step("1.2", le(Total(Val(F(a), after), a, 1, M) / M, Total(_BELOW, a, 1, M) / M),
        by.sum_over(a, "1.1", weight=1 / M))
    .step("1.3", by.expectation("1.2"))
    .step("1", le(NEW, OLD - mu_eff * E(Dot(UPDATE, SLOPE)) + L * mu_eff**2 / 2 * E(square(UPDATE))), by.linear("1.3"),
        inserting="after", note="the server's step inserted")
    # the part along the gradient
    .step(
        "2.1", eq(E(Dot(UPDATE, SLOPE)), E(Dot(J, SLOPE))), by.apply("osmd/C2", {X(a): share(a), u: SLOPE}, "towards")
    )
    .step("2.2", eq(E(Dot(noise(a), SLOPE)), 0, CLIENTS), by.sum_over(i, "unbiased"), inserting="pure")
    .step("2.3", eq(E(Dot(NOISE, SLOPE)), 0), by.sum_over(a, "2.2", weight=1 / M))
    .step("2.4", le(square(_MOVE), L**2 * square(y(a, i) - w), *AT),
        by.linear((1, Axiom("lipschitz", F(a), y(a, i), w)), "class"), note="A1")
    .step("2.5", le(Total(square(_MOVE), i, 0, B - 1), L**2 * _MOVED, CLIENTS), by.sum_over(i, "2.4"))
    .step("2.6", le(square(Total(_MOVE, i, 0, B - 1)), B * Total(square(_MOVE), i, 0, B - 1), CLIENTS),
        by.apply("osmd/L16-steps", {z(step): Grad(F(a), y(a, step)) - own(a), N: B}))
    .step("2.7", le(square(drift(a)), B * L**2 * _MOVED, CLIENTS), by.linear("2.5", "2.6"), inserting="stray")
    .step("2.8", le(Total(square(drift(a)), a, 1, M), B * L**2 * Total(_MOVED, a, 1, M)), by.sum_over(a, "2.7"))
    .step("2.9", by.apply(JENSEN, {z(a): drift(a), N: M}))
    .step("2.a", eq(drift(a), taken(a) - B * own(a), CLIENTS), by.linear(), inserting=("stray", "exact"))
    .step("2.b", eq(Total(drift(a), a, 1, M) / M, TAKEN - B * SLOPE), by.sum_over(a, "2.a", weight=1 / M))
    .step("2.c", eq(square(Total(drift(a), a, 1, M) / M), _STRAYED),
        by.linear({"2.b": Total(drift(a), a, 1, M) / M + TAKEN - B * SLOPE}))
    .step("2.d", le(_STRAYED, B * L**2 / M * Total(_MOVED, a, 1, M)), by.linear("2.c", "2.8", "2.9"))
    .step("2.e", le(E(_STRAYED), B * L**2 / M * DRIFT), by.expectation("2.d"), note="(40): how far the gradients stray")
    .step("2", le(-E(Dot(UPDATE, SLOPE)), -B / 2 * G2 - _HM / (2 * B) + L**2 / (2 * M) * DRIFT),
        by.linear("2.1", "2.3", "2.e"), inserting="gradient",
        note="-<u, v> = (|u - v|^2 - |u|^2 - |v|^2)/2, u = B grad F")
    # the step's square
    .step(
        "3",
        eq(E(square(UPDATE)), B * OWN_LOSS + (1 - 1 / K) * E(square(J))),
        by.apply("osmd/C3-second", {X(a): share(a)}, "one", "mean", "two"),
        note="(37): the second moment",
    )
    .step("4.1", eq(E(square(Total(xi(a, i), i, 0, B - 1))), Total(E(square(xi(a, i))), i, 0, B - 1), CLIENTS),
        by.apply("osmd/martingale", {**_PURE, weight: Integer(1)}, "steps"))
    .step("4.2", le(Total(E(square(xi(a, i))), i, 0, B - 1), B * sigma**2, CLIENTS), by.sum_over(i, "noise"))
    .step("4.3", le(E(square(noise(a))), B * sigma**2, CLIENTS), by.linear("4.1", "4.2"), inserting="pure")
    .step("4.4", eq(E(square(Total(noise(a), a, 1, M))), Total(E(square(noise(a))), a, 1, M)),
        by.apply(UNCORRELATED, {Y(b): noise(b), N: M, weight: Integer(1)}, "clients"))
    .step("4.5", le(Total(E(square(noise(a))), a, 1, M), M * B * sigma**2), by.sum_over(a, "4.3"))
    .step("4", le(E(square(NOISE)), B * sigma**2 / M), by.linear("4.4", "4.5"))
    .step("5.1",
        eq(E(square(Total(xi(a, i), i, 0, B - 1)) / q(a)), Total(E(square(xi(a, i)) / q(a)), i, 0, B - 1), CLIENTS),
        by.apply("osmd/martingale", {**_PURE, weight: 1 / q(a)}, "steps q"))
    .step("5.2", le(Total(E(square(xi(a, i)) / q(a)), i, 0, B - 1), B * sigma**2 * E(1 / q(a)), CLIENTS),
        by.sum_over(i, "noise q"))
    .step("5.3", le(1 / q(a), M / alpha, CLIENTS), by.linear("floor"))
    .step("5.4", by.expectation("5.3"))
    .step("5.5", le(E(square(noise(a)) / q(a)), B * sigma**2 * M / alpha, CLIENTS), by.linear("5.1", "5.2", "5.4"),
        inserting="pure")
    .step("5", le(Total(E(square(noise(a)) / q(a)), a, 1, M), B * sigma**2 * M**2 / alpha), by.sum_over(a, "5.5"))
    # the drift of the comparator's draws
    .step("6.1", le(0, M / alpha - 1 / q(a), CLIENTS), by.linear("5.3"))
    .step("6.2", le(0, square(drift(a)), CLIENTS), by.sos())
    .step("6.3", le(square(drift(a)) / q(a), M / alpha * square(drift(a)), CLIENTS), by.linear("6.1", "6.2"))
    .step("6.4", le(Total(square(drift(a)) / q(a), a, 1, M), M / alpha * Total(square(drift(a)), a, 1, M)),
        by.sum_over(a, "6.3"))
    .step("6.5", le(Total(square(drift(a)) / q(a), a, 1, M), _DRIFTED * Total(_MOVED, a, 1, M)),
        by.linear("6.4", "2.8"))
    .step("7.1",
        le(spread(_started_and_drifted), 2 * spread(_started) + 2 * Total(square(drift(a)) / q(a), a, 1, M) / M**2),
        by.apply("osmd/spread", {U(a): _started(a), V(a): drift(a)}, "law q"), note="the ghost draws of the comparator")
    .step("7.2",
        le(spread(_started_and_drifted), 2 * B**2 * spread(own) + 2 * _DRIFTED / M**2 * Total(_MOVED, a, 1, M)),
        by.linear("7.1", "6.5"))
    .step("7.3", eq(spread(_started_and_drifted), spread(taken)), by.linear(), inserting=("stray", "exact"))
    .step("7.4", le(spread(taken), 2 * B**2 * spread(own) + 2 * _DRIFTED / M**2 * Total(_MOVED, a, 1, M)),
        by.linear("7.2", "7.3"))
    .step("7", le(E(spread(taken)), 2 * B**2 * SPREAD + 2 * _DRIFTED / M**2 * DRIFT), by.expectation("7.4"))
    # (41), as an inequality
    .step(
        "8.0",
        le(square(noise(a) + taken(a)), (1 + one) * square(noise(a)) + MORE * square(taken(a)), CLIENTS),
        by.apply(YOUNG, {_u: noise(a), _v: taken(a)}),
    )
    .step("8.1",
        le(square(noise(a) + taken(a)) / q(a), (1 + one) * square(noise(a)) / q(a) + MORE * square(taken(a)) / q(a),
            CLIENTS), by.linear("8.0"))
    .step("8.2",
        le(Total(square(noise(a) + taken(a)) / q(a), a, 1, M),
            (1 + one) * Total(square(noise(a)) / q(a), a, 1, M) + MORE * Total(square(taken(a)) / q(a), a, 1, M)),
        by.sum_over(a, "8.1"))
    .step("8.3",
        le(E(Total(square(noise(a) + taken(a)) / q(a), a, 1, M)),
            (1 + one) * E(Total(square(noise(a)) / q(a), a, 1, M)) + MORE * E(Total(square(taken(a)) / q(a), a, 1, M))),
        by.expectation("8.2"))
    .step("8", le(B * OTHER_LOSS, (1 + one) * B * sigma**2 / (K * alpha) + MORE * (E(spread(taken)) + _HM) / K),
        by.linear("8.3", "5"), inserting="gradient", note="I_1 and I_2 with the factors of Young's inequality")
    .step("9.1", by.apply(YOUNG, {_u: NOISE, _v: TAKEN}))
    .step("9.2", le(E(square(NOISE + TAKEN)), (1 + one) * E(square(NOISE)) + MORE * _HM), by.expectation("9.1"))
    .step("9.3", le(E(square(J)), (1 + one) * B * sigma**2 / M + MORE * _HM), by.linear("9.2", "4"),
        inserting="gradient")
    .step("9.4", le(0, (K - 1) / K), by.polynomial())
    .step("9", le((1 - 1 / K) * E(square(J)), (1 - 1 / K) * ((1 + one) * B * sigma**2 / M + MORE * _HM)),
        by.linear("9.3", "9.4"))
    .step("10",
        le(E(square(UPDATE)),
            inside(OWN_LOSS - OTHER_LOSS, SPREAD) + 2 * MORE * _DRIFTED / (K * M**2) * DRIFT + MORE * _HM),
        by.linear("3", "8", "9", "7"))
    .step("11.1", le(0, square(TAKEN)), by.apply(SIGN, {x: TAKEN}))
    .step("11.2", by.expectation("11.1"))
    .step("11", le(0, mu_eff / (2 * B) * (1 - MORE * B * L * mu_eff) * _HM), by.linear("cap", "11.2"))
    .qed(
        le(
            NEW,
            OLD
            - mu_eff * B / 2 * G2
            + mu_eff * L**2 / (2 * M) * (1 + 2 * MORE * B * L * mu_eff / (K * alpha)) * DRIFT
            + L * mu_eff**2 / 2 * inside(OWN_LOSS - OTHER_LOSS, SPREAD),
        ),
        by.linear("1", "2", "10", "11"),
    )
)
THEOREMS = (VALUES, PRINTED, TWICE, ROUND)
