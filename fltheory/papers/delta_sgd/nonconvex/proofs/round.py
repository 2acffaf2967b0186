"""One round of Theorem 1 with any steps up to a: descent of the server's value for given angles of clients' gradients.

The server goes from ``x`` to ``after``, the mean of the clients ``pick(1)`` to ``pick(p m)``, drawn without replacement.
"""

from __future__ import annotations

from sympy import Rational, Symbol

from fltheory.papers.delta_sgd.bounds import PSI_2, errors_of_a_round
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import (BOUNDED, CEILING, CLIENTS, FAR, LOCAL, MOVES, NOISY,
    PAIRS, PLACE, SMOOTH, SQUARED_STEP, VARIANCE, F, N, Y, eta, i, k, l, n, own, part, spread, u, v, w, x, xi, y, z)
from fltheory.papers.delta_sgd.notation import K, L, P, a, b, m, rho, sigma
from fltheory.proof import Axiom, Defines, Given, by, eq, le, line, proof
from fltheory.proof.facts import squares
from fltheory.proof.terms import Dot, E, Grad, RandomInteger, RandomVector, Total, Val, family, square

HALF = Rational(1, 2)
j = Symbol("j", integer=True, positive=True)
TAKING_PART = (j, 1, P)
kept, drift = Symbol("kappa", real=True), Symbol("lambda", nonnegative=True)
pick, update = family(RandomInteger, "pick"), family(RandomVector, "u")
slope, after = family(RandomVector, "g")(), family(RandomVector, "after")()

# Hypotheses on a round besides its local steps ------------------------------------------------------------------------

WHOLE = Total(eta(i, k) * (own(i, k) + xi(i, k)), k, 0, K - 1)
GLOBAL = Defines("gradient", slope, Total(Grad(F(i), x), i, 1, m) / m,
    "the gradient of f, the mean of the clients' objectives")
UPDATE = Defines("update", update(i), WHOLE, "what a client moves in its local steps, or would move")
AFTER = Defines("after", after, x - Total(update(pick(j)), j, 1, P) / P, "the mean of the clients that take part")
DRAWN = (
    Given("drawn", eq(E(Dot(update(pick(j)), slope)), E(Total(Dot(update(i), slope), i, 1, m) / m), TAKING_PART),
        "each client is as likely as any other to be the one in place j, whatever its update"),
    Given("drawn too", eq(E(square(update(pick(j)))), E(Total(square(update(i)), i, 1, m) / m), TAKING_PART),
        "the same of the squares"),
)
UNBIASED = Given("unbiased", eq(E(eta(i, k) * Dot(xi(i, k), slope)), 0, CLIENTS, LOCAL),
    "a step is independent of the noise that it multiplies")
ALIKE = Given("alike", le(square(Grad(F(i), x) - slope), rho * square(slope), CLIENTS), "A1c, at the server's iterate")
FIRST = Given("first", le(-Dot(slope, own(i, k)), -kept * square(slope) + drift * L**2 * FAR, CLIENTS, LOCAL),
    "how far a client's gradient points along that of f")
ROUND_STEPS = (SMOOTH, MOVES, CEILING, VARIANCE, PAIRS, BOUNDED)
SERVER = (GLOBAL, UPDATE, AFTER, *DRAWN, UNBIASED, ALIKE)

# The squared move of the server ---------------------------------------------------------------------------------------------

LENGTH = Total(eta(i, k), k, 0, K - 1)
D_SUM = Total(LENGTH, i, 1, m) / m
_MOVE = Total(update(pick(j)), j, 1, P) / P
_NOISE = Total(eta(i, k) * xi(i, k), k, 0, K - 1)
_TURN = Total(eta(i, k) * (own(i, k) - Grad(F(i), x)), k, 0, K - 1)
_FAR = 2 * a**2 * k**2 * PSI_2
_DISTANCE = Rational(2, 3) * K**3 * a**2 * PSI_2  # at least the sum of the squared distances over the local steps
_PIECES = 4 * (square(_NOISE) + square(_TURN) + LENGTH**2 * square(Grad(F(i), x) - slope) + LENGTH**2 * square(slope))
_SIZE = 4 * (K * a**2 * sigma**2 / b + K * a**2 * L**2 * _DISTANCE + (1 + rho) * a * K * E(D_SUM * square(slope)))
_TURNED = le(square(own(i, k) - Grad(F(i), x)), L**2 * FAR, CLIENTS, LOCAL)
DISTANCE = (
    line("drift", le(E(FAR), _FAR, CLIENTS, LOCAL),
        by.apply("delta_sgd/drift", "local", "ceiling", "variance", "pairs", "bounded")),
    line("drift all", le(Total(E(FAR), k, 0, K - 1), Total(_FAR, k, 0, K - 1), CLIENTS), by.sum_over(k, "drift")),
    line("distance", le(Total(E(FAR), k, 0, K - 1), _DISTANCE, CLIENTS), by.linear("drift all"),
        note="the sum of k^2 is at most K^3/3"),
)
JENSEN = (
    proof("delta_sgd/14-size", "(14)", note="the squared mean over those who are drawn").under(DRAWN[1])
    .step("8", le(square(Total(update(pick(j)), j, 1, P)), P * Total(square(update(pick(j))), j, 1, P)),
        by.apply("delta_sgd/8", {squares.z(squares.a): update(pick(squares.a)), squares.N: P}))
    .step("8 mean", le(E(square(Total(update(pick(j)), j, 1, P))), P * Total(E(square(update(pick(j)))), j, 1, P)),
        by.expectation("8"))
    .step("all", eq(Total(E(square(update(pick(j)))), j, 1, P), P * E(Total(square(update(i)), i, 1, m) / m)),
        by.sum_over(j, "drawn too"))
    .qed(le(E(square(_MOVE)), E(Total(square(update(i)), i, 1, m) / m)), by.linear("8 mean", "all"))
)
SIZE = (
    proof("delta_sgd/size", PLACE, note="the squared move of the server").under(*ROUND_STEPS, UPDATE, DRAWN[1], ALIKE)
    .step("14", by.apply(JENSEN))
    .step("19", le(square(update(i)), _PIECES, CLIENTS),
        by.apply("delta_sgd/four", {u: _NOISE, v: _TURN, w: LENGTH * (Grad(F(i), x) - slope), z: LENGTH * slope}),
        inserting="update", note="(19)")
    .steps(*DISTANCE)
    # noise
    .step("xi", by.apply(NOISY))
    .step("pairs n", by.instance({k: n}, "pairs"), over=(CLIENTS, (n, 0, K - 1), (l, 0, n - 1)))
    .step("xi n", by.instance({k: n}, "xi"), over=(CLIENTS, (n, 0, K - 1)))
    .step("23", le(E(square(_NOISE)), K * a**2 * sigma**2 / b, CLIENTS),
        by.apply("delta_sgd/noise", {Y(n): eta(i, n) * xi(i, n), spread: a**2 * sigma**2 / b, N: K}, "pairs n", "xi n"))
    # gradients at the local points
    .step(
        "24.1",
        le(square(_TURN), K * Total(eta(i, k) ** 2 * square(own(i, k) - Grad(F(i), x)), k, 0, K - 1), CLIENTS),
        by.apply("delta_sgd/8-steps", {part(k): eta(i, k) * (own(i, k) - Grad(F(i), x)), n: K}),
    )
    .step("24.2", _TURNED, by.linear((1, Axiom("lipschitz", F(i), y(i, k), x)), "class"))
    .steps(SQUARED_STEP)
    .step("24.3", le(0, FAR, CLIENTS, LOCAL), by.sos())
    .step("24.4", le(eta(i, k) ** 2 * square(own(i, k) - Grad(F(i), x)), a**2 * L**2 * FAR, CLIENTS, LOCAL),
        by.linear("24.2", "eta", "24.3"))
    .step("24.5",
        le(Total(eta(i, k) ** 2 * square(own(i, k) - Grad(F(i), x)), k, 0, K - 1),
            a**2 * L**2 * Total(FAR, k, 0, K - 1), CLIENTS), by.sum_over(k, "24.4"))
    .step("24.6", le(square(_TURN), K * a**2 * L**2 * Total(FAR, k, 0, K - 1), CLIENTS), by.linear("24.1", "24.5"))
    .step("24.7", le(E(square(_TURN)), K * a**2 * L**2 * Total(E(FAR), k, 0, K - 1), CLIENTS), by.expectation("24.6"))
    .step("24", le(E(square(_TURN)), K * a**2 * L**2 * _DISTANCE, CLIENTS), by.linear("24.7", "distance"),
        note="(24), (25)")
    # the gradients at the server's iterate
    .step("26.1", le(LENGTH, a * K, CLIENTS), by.sum_over(k, "ceiling"))
    .step("26.2", le(0, square(slope)), by.sos())
    .step("26.3", le(0, eta(i, k), CLIENTS, LOCAL), by.linear())
    .step("26.4", by.sum_over(k, "26.3"))
    .step("26.5", le(0, LENGTH * square(slope), CLIENTS), by.linear("26.4", "26.2"))
    .step("26.6", le(LENGTH**2 * square(slope), a * K * LENGTH * square(slope), CLIENTS), by.linear("26.1", "26.5"))
    .step("26.7", le(0, LENGTH**2, CLIENTS), by.linear({"26.4": LENGTH}))
    .step("26.8", le(LENGTH**2 * square(Grad(F(i), x) - slope), rho * LENGTH**2 * square(slope), CLIENTS),
        by.linear("alike", "26.7"))
    .step("26.9",
        le(LENGTH**2 * square(Grad(F(i), x) - slope) + LENGTH**2 * square(slope),
            (1 + rho) * a * K * LENGTH * square(slope), CLIENTS), by.linear("26.8", "26.6"))
    .step("26",
        le(E(LENGTH**2 * square(Grad(F(i), x) - slope)) + E(LENGTH**2 * square(slope)),
            (1 + rho) * a * K * E(LENGTH * square(slope)), CLIENTS), by.expectation("26.9"), note="(26), (27)")
    # together
    .step("19 mean", by.expectation("19"))
    .step("one",
        le(E(square(update(i))),
            4 * (K * a**2 * sigma**2 / b + K * a**2 * L**2 * _DISTANCE + (1 + rho) * a * K * E(LENGTH * square(slope))),
            CLIENTS), by.linear("19 mean", "23", "24", "26"))
    .step("mean", le(E(Total(square(update(i)), i, 1, m) / m), _SIZE), by.sum_over(i, "one", weight=1 / m))
    .qed(le(E(square(_MOVE)), _SIZE), by.linear("14", "mean"), name="last")
)

# One round --------------------------------------------------------------------------------------------------------------------

OLD, NEW = (E(Total(Val(F(i), point), i, 1, m) / m) for point in (x, after))
ERRORS = errors_of_a_round(Rational(2, 3) * drift)
_KEPT = kept - 2 * (1 + rho) * L * a * K
_BELOW = Val(F(i), x) + Dot(Grad(F(i), x), after - x) + L / 2 * square(after - x)
_PULL = Total(Total(eta(i, k) * Dot(own(i, k), slope), k, 0, K - 1), i, 1, m) / m
_STRAY = Total(Total(eta(i, k) * FAR, k, 0, K - 1), i, 1, m) / m
ROUND = (
    proof("delta_sgd/round", "(28)", note="one round, however the clients' gradients are seen to point along that of f")
    .under(*ROUND_STEPS, *SERVER, FIRST)
    .step("13.1", le(Val(F(i), after), _BELOW, CLIENTS), by.linear((1, Axiom("descent", F(i), after, x)), "class"),
        note="(10) for each client")
    .step("13.2", le(Total(Val(F(i), after), i, 1, m) / m, Total(_BELOW, i, 1, m) / m),
        by.sum_over(i, "13.1", weight=1 / m))
    .step("13.3", by.expectation("13.2"))
    .step("13.4", eq(E(Total(_BELOW, i, 1, m) / m), OLD + E(Dot(slope, after - x)) + L / 2 * E(square(after - x))),
        by.linear(), inserting="gradient", note="the gradient of f")
    .step("13.5", le(NEW, OLD + E(Dot(slope, after - x)) + L / 2 * E(square(after - x))), by.linear("13.3", "13.4"))
    .step("13", le(NEW, OLD - E(Dot(_MOVE, slope)) + L / 2 * E(square(_MOVE))), by.linear("13.5"), inserting="after",
        note="(13)")
    .step("14.1", eq(E(Dot(_MOVE, slope)), E(Total(Dot(update(i), slope), i, 1, m) / m)),
        by.sum_over(j, "drawn", weight=1 / P))
    .step("14.2", eq(E(Total(Total(eta(i, k) * Dot(xi(i, k), slope), k, 0, K - 1), i, 1, m) / m), 0),
        by.sum_over((k, i), "unbiased", weight=1 / m))
    .step("14", eq(E(Dot(_MOVE, slope)), E(_PULL)), by.linear("14.1", "14.2"), inserting="update",
        note="(14): neither the draw nor the noise has a direction")
    # the first order
    .step(
        "17.1",
        le(
            -eta(i, k) * Dot(own(i, k), slope),
            -kept * eta(i, k) * square(slope) + drift * L**2 * eta(i, k) * FAR,
            CLIENTS,
            LOCAL,
        ),
        by.linear("first"),
    )
    .step("17.2", le(-_PULL, -kept * D_SUM * square(slope) + drift * L**2 * _STRAY),
        by.sum_over((k, i), "17.1", weight=1 / m))
    .step("17", le(-E(_PULL), -kept * E(D_SUM * square(slope)) + drift * L**2 * E(_STRAY)), by.expectation("17.2"))
    .step("20.1", le(0, FAR, CLIENTS, LOCAL), by.sos())
    .step("20.2", le(eta(i, k) * FAR, a * FAR, CLIENTS, LOCAL), by.linear("ceiling", "20.1"))
    .step("20.3", le(E(eta(i, k) * FAR), a * E(FAR), CLIENTS, LOCAL), by.expectation("20.2"))
    .step("20.4", le(Total(E(eta(i, k) * FAR), k, 0, K - 1), a * Total(E(FAR), k, 0, K - 1), CLIENTS),
        by.sum_over(k, "20.3"))
    .steps(*DISTANCE)
    .step("20.5", le(Total(E(eta(i, k) * FAR), k, 0, K - 1), a * _DISTANCE, CLIENTS), by.linear("20.4", "distance"))
    .step("20", le(E(_STRAY), a * _DISTANCE), by.sum_over(i, "20.5", weight=1 / m), note="(20), (21)")
    # the second order
    .step("size", by.apply(SIZE), inserting="update")
    .qed(le(E(D_SUM * square(slope)) * _KEPT - ERRORS, OLD - NEW), by.linear("13", "14", "17", "20", "size"), name="28",
        note="(28)")
)

THEOREMS = (JENSEN, SIZE, ROUND)
