"""One round of FedAvg with sampled clients: Theorem 5 up to the drift, with (41) repaired by Young's inequality."""

from __future__ import annotations

from sympy import Integer

from fltheory.known import find
from fltheory.papers.osmd.bounds import rates as formula
from fltheory.papers.osmd.letters import I_2, B, K, L, M, alpha, mu, mu_eff, sigma
from fltheory.proof.language import (
    Apply,
    Combine,
    Defines,
    Expected,
    Given,
    Gram,
    Polynomial,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    stated,
)
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, E, Grad, RandomPositive, RandomVector, Total, Val, family, square
from proofs_checks.osmd.facts import N, U, V, Y, b, c, spread, weight, x, z
from proofs_checks.osmd.facts import j as step
from proofs_checks.osmd.facts import k as other
from proofs_checks.osmd.facts import share as one
from proofs_checks.osmd.facts import u as _u
from proofs_checks.osmd.facts import v as _v
from proofs_checks.osmd.fedavg import DRIFT, G2, SLOPE, SMOOTH, STEPS, F, i, own, w, xi, y
from proofs_checks.osmd.sampling import CLIENTS, DRAWS, X, a, drawn, estimate, k, law_of, p, u, weighed

AT, PAIRS = (CLIENTS, STEPS), (CLIENTS, (step, 0, B - 1), (other, 0, step - 1))
after, g, noise, taken, drift = (
    family(RandomVector, "after")(),
    *(family(RandomVector, s) for s in ("g", "noise", "taken", "drift")),
)
q = family(RandomPositive, "q")

# (41) as printed: with "=" for the sum of I_1 and I_2 -----------------------------------------------------------------------

_first, _second = (family(RandomVector, "xi")(t) for t in (0, 1))
_SUM, _NOISE, _SLOPES = _first + (mu * _first + _second), _first + _second, mu * _first
_VALUES = eq(E(square(_SUM)) - E(square(_NOISE)) - E(square(_SLOPES)), 2 * mu * sigma**2)
VALUES = Theorem(
    "osmd/41-values",
    _VALUES,
    (
        Given("noise", eq(E(square(_first)), sigma**2), "noise of the first step"),
        Given("unbiased", eq(E(Dot(_first, _second)), 0), "noise of the second step has mean 0 given the first"),
    ),
    (Step("1", _VALUES, Combine({"noise": 2 * mu, "unbiased": 2 * mu}), ("noise", "unbiased")),),
    place="(41)",
    note="M = K = 1, B = 2, grad F(w) = -w, from w = 0: h_0 = xi_0, h_1 = mu xi_0 + xi_1; the left side of (41) less I_1 + I_2",
)
_PRINTED = le(2 * mu * sigma**2, 0)
PRINTED = Theorem(
    "osmd/41-printed",
    _PRINTED,
    (),
    (
        Step(
            "1", _PRINTED, Witness({mu: Integer(1) / 16, sigma: 1}), expected="REFUTED", note="545/256 against 513/256"
        ),
    ),
    expected="REFUTED",
    claim="osmd/C-T5-41@printed",
    place="(41)",
    note="that in osmd/41-values the left side is at most I_1 + I_2: noise moves later gradients",
)

# (41) with the factor 2, for any gradients ------------------------------------------------------------------------------------

_h, _xi, _C41 = family(RandomVector, "h"), family(RandomVector, "xi"), find("osmd/C-T5-41@corrected").bounds[0]
_ALL_NOISE, _GRADS = Total(_xi(b), b, 1, B), Total(_h(b), b, 1, B)
_READ_41 = {I_2: E(square(_GRADS))}
_TWICE = stated(_C41, E(square(Total(_h(b) + _xi(b), b, 1, B))), _READ_41)[0]
_EACH = (b, 1, B)
TWICE = Theorem(
    "osmd/41-twice",
    _TWICE,
    (
        Given("variance", le(E(square(_xi(b))), sigma**2, _EACH), "A3: the noise of one step"),
        Given(
            "pairs", eq(E(Dot(_xi(b), _xi(c))), 0, _EACH, (c, 1, b - 1)), "A3: noise has mean 0 given the earlier one"
        ),
    ),
    (
        Step(
            "1.1",
            eq(E(square(_ALL_NOISE)), Total(E(square(_xi(b))), b, 1, B)),
            Apply("osmd/uncorrelated", {Y(b): _xi(b), N: B, weight: Integer(1)}),
            ("pairs",),
        ),
        Step("1.2", le(Total(E(square(_xi(b))), b, 1, B), B * sigma**2), Summed((b,)), ("variance",)),
        Step("1", le(E(square(_ALL_NOISE)), B * sigma**2), Combine({"1.1": 1, "1.2": 1}), ("1.1", "1.2"), note="I_1"),
        Step("2.1", le(0, square(_ALL_NOISE - _GRADS)), Apply("osmd/nonnegative", {x: _ALL_NOISE - _GRADS})),
        Step("2", le(0, E(square(_ALL_NOISE - _GRADS))), Expected(), ("2.1",)),
        Step("3", _TWICE, Combine({"1": 2, "2": 1}), ("1", "2"), note="|u + v|^2 = 2 |u|^2 + 2 |v|^2 - |u - v|^2"),
    ),
    claim="osmd/C-T5-41@corrected",
    place="(41)",
    bound=_C41,
    reading=_READ_41,
    note="h_b are the gradients along the local steps, of whatever function",
)

# What is supposed of a round ------------------------------------------------------------------------------------------------


def share(place):
    """What a client adds to the aggregate, over mu_l: its gradients, weighed by 1/M."""
    return g(place) / M


J, NOISE, TAKEN = (Total(v(a), a, 1, M) / M for v in (g, noise, taken))
UPDATE = estimate(share)
GRADIENT = Defines("gradient", g(a), noise(a) + taken(a), "what a client takes: noise and gradients")
PURE = Defines("pure", noise(a), Total(xi(a, i), i, 0, B - 1), "the noise of its steps")
EXACT = Defines("exact", taken(a), Total(Grad(F(a), y(a, i)), i, 0, B - 1), "the gradients along its steps")
STRAY = Defines(
    "stray", drift(a), Total(Grad(F(a), y(a, i)) - own(a), i, 0, B - 1), "how they differ from those at the start"
)
AFTER = Defines("after", after, w - mu_eff * UPDATE, "(15): the server's step")
FLOOR = Given("floor", le(alpha / M, q(a), CLIENTS), "the comparator stays above the floor")
LAW_Q = Given("law q", eq(Total(q(a), a, 1, M), 1), "the comparator is a law on the clients")
NOISY = (
    Given("noise", le(E(square(xi(a, i))), sigma**2, *AT), "A3: the noise of one step"),
    Given("noise q", le(E(square(xi(a, i)) / q(a)), sigma**2 * E(1 / q(a)), *AT), "A3 with a weight from the past"),
    Given(
        "unbiased", eq(E(Dot(xi(a, i), SLOPE)), 0, *AT), "A3: noise has mean 0 given the past, here the global gradient"
    ),
    Given("steps", eq(E(Dot(xi(a, step), xi(a, other))), 0, *PAIRS), "here an earlier step's noise"),
    Given("steps q", eq(E(Dot(xi(a, step), xi(a, other)) / q(a)), 0, *PAIRS), "the same, with a weight from the past"),
    Given(
        "clients", eq(E(Dot(noise(a), noise(b))), 0, CLIENTS, (b, 1, a - 1)), "clients draw their samples independently"
    ),
)
LAW = law_of(share)
TOWARDS = Given(
    "towards",
    eq(E(Dot(drawn(k, share), SLOPE)), E(Total(p(a) * Dot(share(a) / p(a), SLOPE), a, 1, M)), DRAWS),
    "a draw is client a with probability p_a, here against the global gradient",
)
SETTING = (SMOOTH, GRADIENT, PURE, EXACT, STRAY, AFTER, FLOOR, LAW_Q, *NOISY, *LAW, TOWARDS)
MORE = 1 + 1 / one  # Young's inequality gives noise the factor 1 + share, gradients this one
CAP = Given("cap", le(MORE * B * L * mu_eff, 1), "the step is small")
OLD, NEW = (E(Total(Val(F(a), point), a, 1, M) / M) for point in (w, after))
OWN_LOSS, OTHER_LOSS = E(weighed(share, p)) / (K * B), E(weighed(share, q)) / (K * B)
SPREAD = E(spread(own))  # V(q, w)


def inside(regret, variance):
    """What B L mu^2/2 is weighed with: regret, noise and the spread of the comparator's draws, given."""
    return B * regret + (1 + one) * B * sigma**2 * formula.DELTA + 2 * MORE * B**2 * variance / K


_ROUND = le(
    NEW,
    OLD
    - mu_eff * B / 2 * G2
    + mu_eff * L**2 / (2 * M) * (1 + 2 * MORE * B * L * mu_eff / (K * alpha)) * DRIFT
    + L * mu_eff**2 / 2 * inside(OWN_LOSS - OTHER_LOSS, SPREAD),
)
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
ROUND = Theorem(
    "osmd/avg-round",
    _ROUND,
    (*SETTING, CAP),
    (
        Step(
            "1.1",
            le(Val(F(a), after), _BELOW, CLIENTS),
            Combine(axioms=((1, Axiom("descent", F(a), after, w)),)),
            ("class",),
            note="Lemma 15 for each client",
        ),
        Step(
            "1.2", le(Total(Val(F(a), after), a, 1, M) / M, Total(_BELOW, a, 1, M) / M), Summed((a,), 1 / M), ("1.1",)
        ),
        Step("1.3", le(NEW, E(Total(_BELOW, a, 1, M) / M)), Expected(), ("1.2",)),
        Step(
            "1",
            le(NEW, OLD - mu_eff * E(Dot(UPDATE, SLOPE)) + L * mu_eff**2 / 2 * E(square(UPDATE))),
            Combine({"1.3": 1}),
            ("1.3",),
            ("after",),
            note="the server's step inserted",
        ),
        # the part along the gradient
        Step(
            "2.1",
            eq(E(Dot(UPDATE, SLOPE)), E(Dot(J, SLOPE))),
            Apply("osmd/C2", {X(a): share(a), u: SLOPE}),
            ("towards",),
        ),
        Step("2.2", eq(E(Dot(noise(a), SLOPE)), 0, CLIENTS), Summed((i,)), ("unbiased",), ("pure",)),
        Step("2.3", eq(E(Dot(NOISE, SLOPE)), 0), Summed((a,), 1 / M), ("2.2",)),
        Step(
            "2.4",
            le(square(_MOVE), L**2 * square(y(a, i) - w), *AT),
            Combine(axioms=((1, Axiom("lipschitz", F(a), y(a, i), w)),)),
            ("class",),
            note="A1",
        ),
        Step("2.5", le(Total(square(_MOVE), i, 0, B - 1), L**2 * _MOVED, CLIENTS), Summed((i,)), ("2.4",)),
        Step(
            "2.6",
            le(square(Total(_MOVE, i, 0, B - 1)), B * Total(square(_MOVE), i, 0, B - 1), CLIENTS),
            Apply("osmd/L16-steps", {z(step): Grad(F(a), y(a, step)) - own(a), N: B}),
        ),
        Step(
            "2.7",
            le(square(drift(a)), B * L**2 * _MOVED, CLIENTS),
            Combine({"2.5": B, "2.6": 1}),
            ("2.5", "2.6"),
            ("stray",),
        ),
        Step("2.8", le(Total(square(drift(a)), a, 1, M), B * L**2 * Total(_MOVED, a, 1, M)), Summed((a,)), ("2.7",)),
        Step(
            "2.9",
            le(square(Total(drift(a), a, 1, M)), M * Total(square(drift(a)), a, 1, M)),
            Apply("osmd/L16-sum", {z(a): drift(a), N: M}),
        ),
        Step("2.a", eq(drift(a), taken(a) - B * own(a), CLIENTS), Combine(), (), ("stray", "exact")),
        Step("2.b", eq(Total(drift(a), a, 1, M) / M, TAKEN - B * SLOPE), Summed((a,), 1 / M), ("2.a",)),
        Step(
            "2.c",
            eq(square(Total(drift(a), a, 1, M) / M), _STRAYED),
            Combine({"2.b": Total(drift(a), a, 1, M) / M + TAKEN - B * SLOPE}),
            ("2.b",),
        ),
        Step(
            "2.d",
            le(_STRAYED, B * L**2 / M * Total(_MOVED, a, 1, M)),
            Combine({"2.c": -1, "2.8": 1 / M, "2.9": 1 / M**2}),
            ("2.c", "2.8", "2.9"),
        ),
        Step(
            "2.e", le(E(_STRAYED), B * L**2 / M * DRIFT), Expected(), ("2.d",), note="(40): how far the gradients stray"
        ),
        Step(
            "2",
            le(-E(Dot(UPDATE, SLOPE)), -B / 2 * G2 - _HM / (2 * B) + L**2 / (2 * M) * DRIFT),
            Combine({"2.1": -1, "2.3": -1, "2.e": 1 / (2 * B)}),
            ("2.1", "2.3", "2.e"),
            ("gradient",),
            note="-<u, v> = (|u - v|^2 - |u|^2 - |v|^2)/2, u = B grad F",
        ),
        # the step's square
        Step(
            "3",
            eq(E(square(UPDATE)), B * OWN_LOSS + (1 - 1 / K) * E(square(J))),
            Apply("osmd/C3-second", {X(a): share(a)}),
            ("one", "mean", "two"),
            note="(37): the second moment",
        ),
        Step(
            "4.1",
            eq(E(square(Total(xi(a, i), i, 0, B - 1))), Total(E(square(xi(a, i))), i, 0, B - 1), CLIENTS),
            Apply("osmd/martingale", {**_PURE, weight: Integer(1)}),
            ("steps",),
        ),
        Step("4.2", le(Total(E(square(xi(a, i))), i, 0, B - 1), B * sigma**2, CLIENTS), Summed((i,)), ("noise",)),
        Step(
            "4.3",
            le(E(square(noise(a))), B * sigma**2, CLIENTS),
            Combine({"4.1": 1, "4.2": 1}),
            ("4.1", "4.2"),
            ("pure",),
        ),
        Step(
            "4.4",
            eq(E(square(Total(noise(a), a, 1, M))), Total(E(square(noise(a))), a, 1, M)),
            Apply("osmd/uncorrelated", {Y(b): noise(b), N: M, weight: Integer(1)}),
            ("clients",),
        ),
        Step("4.5", le(Total(E(square(noise(a))), a, 1, M), M * B * sigma**2), Summed((a,)), ("4.3",)),
        Step("4", le(E(square(NOISE)), B * sigma**2 / M), Combine({"4.4": 1 / M**2, "4.5": 1 / M**2}), ("4.4", "4.5")),
        Step(
            "5.1",
            eq(E(square(Total(xi(a, i), i, 0, B - 1)) / q(a)), Total(E(square(xi(a, i)) / q(a)), i, 0, B - 1), CLIENTS),
            Apply("osmd/martingale", {**_PURE, weight: 1 / q(a)}),
            ("steps q",),
        ),
        Step(
            "5.2",
            le(Total(E(square(xi(a, i)) / q(a)), i, 0, B - 1), B * sigma**2 * E(1 / q(a)), CLIENTS),
            Summed((i,)),
            ("noise q",),
        ),
        Step("5.3", le(1 / q(a), M / alpha, CLIENTS), Combine({"floor": M / (alpha * q(a))}), ("floor",)),
        Step("5.4", le(E(1 / q(a)), M / alpha, CLIENTS), Expected(), ("5.3",)),
        Step(
            "5.5",
            le(E(square(noise(a)) / q(a)), B * sigma**2 * M / alpha, CLIENTS),
            Combine({"5.1": 1, "5.2": 1, "5.4": B * sigma**2}),
            ("5.1", "5.2", "5.4"),
            ("pure",),
        ),
        Step("5", le(Total(E(square(noise(a)) / q(a)), a, 1, M), B * sigma**2 * M**2 / alpha), Summed((a,)), ("5.5",)),
        # the drift of the comparator's draws
        Step("6.1", le(0, M / alpha - 1 / q(a), CLIENTS), Combine({"5.3": 1}), ("5.3",)),
        Step("6.2", le(0, square(drift(a)), CLIENTS), Gram()),
        Step(
            "6.3",
            le(square(drift(a)) / q(a), M / alpha * square(drift(a)), CLIENTS),
            Combine({"6.1": square(drift(a))}),
            ("6.1", "6.2"),
        ),
        Step(
            "6.4",
            le(Total(square(drift(a)) / q(a), a, 1, M), M / alpha * Total(square(drift(a)), a, 1, M)),
            Summed((a,)),
            ("6.3",),
        ),
        Step(
            "6.5",
            le(Total(square(drift(a)) / q(a), a, 1, M), _DRIFTED * Total(_MOVED, a, 1, M)),
            Combine({"6.4": 1, "2.8": M / alpha}),
            ("6.4", "2.8"),
        ),
        Step(
            "7.1",
            le(spread(_started_and_drifted), 2 * spread(_started) + 2 * Total(square(drift(a)) / q(a), a, 1, M) / M**2),
            Apply("osmd/spread", {U(a): _started(a), V(a): drift(a)}),
            ("law q",),
            note="the ghost draws of the comparator",
        ),
        Step(
            "7.2",
            le(spread(_started_and_drifted), 2 * B**2 * spread(own) + 2 * _DRIFTED / M**2 * Total(_MOVED, a, 1, M)),
            Combine({"7.1": 1, "6.5": 2 / M**2}),
            ("7.1", "6.5"),
        ),
        Step("7.3", eq(spread(_started_and_drifted), spread(taken)), Combine(), (), ("stray", "exact")),
        Step(
            "7.4",
            le(spread(taken), 2 * B**2 * spread(own) + 2 * _DRIFTED / M**2 * Total(_MOVED, a, 1, M)),
            Combine({"7.2": 1, "7.3": -1}),
            ("7.2", "7.3"),
        ),
        Step("7", le(E(spread(taken)), 2 * B**2 * SPREAD + 2 * _DRIFTED / M**2 * DRIFT), Expected(), ("7.4",)),
        # (41), as an inequality
        Step(
            "8.0",
            le(square(noise(a) + taken(a)), (1 + one) * square(noise(a)) + MORE * square(taken(a)), CLIENTS),
            Apply("osmd/L16", {_u: noise(a), _v: taken(a)}),
        ),
        Step(
            "8.1",
            le(
                square(noise(a) + taken(a)) / q(a),
                (1 + one) * square(noise(a)) / q(a) + MORE * square(taken(a)) / q(a),
                CLIENTS,
            ),
            Combine({"8.0": 1 / q(a)}),
            ("8.0",),
        ),
        Step(
            "8.2",
            le(
                Total(square(noise(a) + taken(a)) / q(a), a, 1, M),
                (1 + one) * Total(square(noise(a)) / q(a), a, 1, M) + MORE * Total(square(taken(a)) / q(a), a, 1, M),
            ),
            Summed((a,)),
            ("8.1",),
        ),
        Step(
            "8.3",
            le(
                E(Total(square(noise(a) + taken(a)) / q(a), a, 1, M)),
                (1 + one) * E(Total(square(noise(a)) / q(a), a, 1, M))
                + MORE * E(Total(square(taken(a)) / q(a), a, 1, M)),
            ),
            Expected(),
            ("8.2",),
        ),
        Step(
            "8",
            le(B * OTHER_LOSS, (1 + one) * B * sigma**2 / (K * alpha) + MORE * (E(spread(taken)) + _HM) / K),
            Combine({"8.3": 1 / (K * M**2), "5": (1 + one) / (K * M**2)}),
            ("8.3", "5"),
            ("gradient",),
            note="I_1 and I_2 with the factors of Young's inequality",
        ),
        Step(
            "9.1",
            le(square(NOISE + TAKEN), (1 + one) * square(NOISE) + MORE * square(TAKEN)),
            Apply("osmd/L16", {_u: NOISE, _v: TAKEN}),
        ),
        Step("9.2", le(E(square(NOISE + TAKEN)), (1 + one) * E(square(NOISE)) + MORE * _HM), Expected(), ("9.1",)),
        Step(
            "9.3",
            le(E(square(J)), (1 + one) * B * sigma**2 / M + MORE * _HM),
            Combine({"9.2": 1, "4": 1 + one}),
            ("9.2", "4"),
            ("gradient",),
        ),
        Step("9.4", le(0, (K - 1) / K), Polynomial()),
        Step(
            "9",
            le((1 - 1 / K) * E(square(J)), (1 - 1 / K) * ((1 + one) * B * sigma**2 / M + MORE * _HM)),
            Combine({"9.3": (K - 1) / K}),
            ("9.3", "9.4"),
        ),
        Step(
            "10",
            le(
                E(square(UPDATE)),
                inside(OWN_LOSS - OTHER_LOSS, SPREAD) + 2 * MORE * _DRIFTED / (K * M**2) * DRIFT + MORE * _HM,
            ),
            Combine({"3": 1, "8": 1, "9": 1, "7": MORE / K}),
            ("3", "8", "9", "7"),
        ),
        Step("11.1", le(0, square(TAKEN)), Apply("osmd/nonnegative", {x: TAKEN})),
        Step("11.2", le(0, _HM), Expected(), ("11.1",)),
        Step(
            "11",
            le(0, mu_eff / (2 * B) * (1 - MORE * B * L * mu_eff) * _HM),
            Combine({"cap": mu_eff / (2 * B) * _HM}),
            ("cap", "11.2"),
        ),
        Step("12", _ROUND, Combine({"1": 1, "2": mu_eff, "10": L * mu_eff**2 / 2, "11": 1}), ("1", "2", "10", "11")),
    ),
    place="proof of Theorem 5",
    note="one round, (37) to (44)",
)
THEOREMS = (VALUES, PRINTED, TWICE, ROUND)
