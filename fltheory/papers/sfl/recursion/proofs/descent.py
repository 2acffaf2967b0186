"""One round of sequential clients with a server step, non-convex case, with full participation: U9 and U10.

The symbols are those of ``round``. The next model is ``x - theta sum g``: theta is eta gamma for sequential and
eta gamma / M for parallel clients, so that both rounds are one theorem.
"""

from __future__ import annotations

from sympy import Rational, Symbol, sqrt

from fltheory.papers.sfl.notation import A, G, K, L, M, S, beta, eta, gamma, sigma, zeta
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs import draws
from fltheory.papers.sfl.recursion.proofs.drift import full
from fltheory.papers.sfl.recursion.proofs.round import (AT, DRIFT, GRADIENT, LOCAL, PAST, STEP, STEPS, VARIANCE, B, F,
    a, after, client, drift_part, g, k, l, n, per_step, so_far, x, xi, y)
from fltheory.proof import Axiom, Defines, Given, Member, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import Dot, E, Grad, Scalar, Total, Val, Vector, family, square, substitute

theta = Symbol("theta", positive=True)
low = family(Scalar, "F*")()
SLOPE = Total(Grad(F(a), x), a, 1, M) / M  # the gradient of the global objective at the round's start
G2 = E(square(SLOPE))


def own_part(p, q=0):
    """Return the client's gradient minus the global one at the round's start."""
    return Grad(client(p), x) - SLOPE


def slope_part(p, q=0):
    """Return the global gradient at the round's start."""
    return SLOPE


def every(term):
    """Return the relation, hypothesis or term for full participation."""
    return term.at({S: M}) if hasattr(term, "at") else substitute(term, {S: M})


CLASS = Member("class", F(a), L, None, "Assumption 1: every client is smooth")
START = Given("start", eq(E(Dot(SLOPE, xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased, here against the global gradient at the round's start")
V = Total(E(square(Grad(F(a), x) - SLOPE)), a, 1, M) / M
UNIFORM = Given("uniform", le(V, beta**2 * G2 + zeta**2), "Assumption 4, in mean over the round's start")
_DRAWS = {h.id: h for h in draws.given(lambda p: Grad(F(p), x) - SLOPE, V)}
ONE, TWO = _DRAWS["one"], _DRAWS["two"]
READING = {G: sqrt(G2), A: E(Total(Val(F(a), x), a, 1, M) / M - low)}
NEW_GAP = E(Total(Val(F(a), after), a, 1, M) / M - low)

# Squared sums of stochastic gradients -------------------------------------------------------------------------------

_PARTS = (xi, drift_part, slope_part, own_part)
_FOUR_VECTORS = tuple(family(Vector, name)() for name in "abcd")
_SPLIT = le(square(so_far(g)), 4 * sum(square(so_far(part)) for part in _PARTS), *AT)
BLOCK = E(square(so_far(own_part)))
SQUARED_SUM = le(E(square(so_far(g))), 4 * (B * sigma**2 + L**2 * B * DRIFT + B**2 * G2 + BLOCK), *AT)
# these lines need smoothness only
_KEPT = tuple(s for s in STEPS.steps if s.id.split()[0] in ("noise", "drift", "moved", "whole"))
STEPS_NC = (
    proof("sfl/steps-nc", "Appendix E.2", note="the squared sum of the stochastic gradients before a step")
    .under(CLASS, GRADIENT, VARIANCE, PAST)
    .step("split", _SPLIT, by.apply("sfl/four", dict(zip(_FOUR_VECTORS, map(so_far, _PARTS), strict=True))),
        inserting="gradient", note="noise, drift, the global gradient and the rest of the client's own")
    .step("split in mean", by.expectation("split"))
    .steps(*_KEPT)
    .qed(SQUARED_SUM, by.linear("split in mean", "noise", "drift"), name="sum")
)

# U9: one round ------------------------------------------------------------------------------------------------------

FAR = every(DRIFT)
_MOVED = every(per_step(square(y(n, k) - x)))
_TAKEN = every(per_step(g(n, k)))
_EXACT = every(per_step(Grad(client(n), y(n, k))))
AFTER = Defines("after", after, x - theta * _TAKEN, "the server's step")
CAP = Given("cap", le(theta * M * K, 1 / (6 * L)), "the step is small")
_BELOW = Val(F(a), x) + Dot(Grad(F(a), x), after - x) + L / 2 * square(after - x)
_MEAN = Total(_BELOW, a, 1, M) / M - low


def nonnegative(vector):
    """Prove that a squared sum is nonnegative."""
    ones = {Symbol(s, integer=True, nonnegative=True): 1 for s in "pq"}
    return by.apply("sfl/squares", {family(Vector, "v")(n, k): vector, **ones})


SIGNS = (
    line("steep 1", le(0, square(SLOPE)), nonnegative(SLOPE)),
    line("steep", le(0, G2), by.expectation("steep 1"), note="a mean square is not negative"),
    line("far 1", every(le(0, square(y(n, k) - x), *STEP)), by.sos()),
    line("far 2", every(le(0, E(square(y(n, k) - x)), *STEP)), by.expectation("far 1")),
    line("far", le(0, FAR), by.sum_over((k, n), "far 2"), note="nor is the drift"),
)
ROUND = (
    proof("sfl/round-nc", "Appendix E.2", note="one round with a server step")
    .under(*full((CLASS, GRADIENT, VARIANCE, PAST, START)), AFTER, CAP)
    .step("1.1", le(Val(F(a), after), _BELOW, (a, 1, M)), by.linear((1, Axiom("descent", F(a), after, x)), "class"),
        note="the descent lemma for each client")
    .step("1.2", le(Total(Val(F(a), after), a, 1, M) / M, Total(_BELOW, a, 1, M) / M),
        by.sum_over(a, "1.1", weight=1 / M), note="and so for their mean")
    .step("1.3", le(Total(Val(F(a), after), a, 1, M) / M - low, _MEAN), by.linear("1.2"))
    .step("1", by.expectation("1.3"))
    .step(
        "2.1",
        le(square(every(per_step(drift_part(n, k)))), M * K * every(per_step(square(drift_part(n, k))))),
        by.apply(
            "sfl/jensen",
            {
                family(Vector, "v")(n, k): drift_part(n, k),
                family(Vector, "w")(l): drift_part(l, 0),
                **{Symbol(s, integer=True, nonnegative=True): v for s, v in (("p", M), ("q", K), ("r", 0))},
            },
        ),
        note="Jensen's inequality",
    )
    .step("2.2", every(le(square(drift_part(n, k)), L**2 * square(y(n, k) - x), *STEP)),
        by.linear((1, Axiom("lipschitz", client(n), y(n, k), x)), "class"), note="smoothness")
    .step("2.3", le(every(per_step(square(drift_part(n, k)))), L**2 * _MOVED), by.sum_over((k, n), "2.2"))
    .step("2.4", le(0, square(_EXACT)), nonnegative(_EXACT))
    .step("2.5", le(-Dot(SLOPE, _EXACT), L**2 / 2 * _MOVED - M * K / 2 * square(SLOPE)), by.linear("2.1", "2.3", "2.4"),
        note="-<a, b> = (|a - b|^2 - |a|^2 - |b|^2)/2, where a is M K times the global gradient: all clients take part")
    .step("2.6", le(E(-Dot(SLOPE, _EXACT)), L**2 / 2 * FAR - M * K / 2 * G2), by.expectation("2.5"))
    .step("2.7", eq(E(Dot(SLOPE, every(per_step(xi(n, k))))), 0), by.sum_over((k, n), "start"),
        note="the noise drops out")
    .step("2", le(-E(Dot(SLOPE, _TAKEN)), L**2 / 2 * FAR - M * K / 2 * G2), by.linear("2.6", "2.7"),
        inserting="gradient")
    .step("3.1", by.apply(STEPS_NC, {S: M}), inserting="gradient", note="the squared sum of gradients")
    .step("3", le(E(square(_TAKEN)), 4 * (M * K * sigma**2 + L**2 * M * K * FAR + (M * K) ** 2 * G2)),
        by.instance({n: M - 1, k: K}, "3.1"), note="the whole round: the clients' own parts add up to 0")
    .steps(*SIGNS)
    .step("cap 1", le(2 * L * theta**2 * (M * K) ** 2 * G2, theta * M * K * G2 / 3), by.linear("cap", "steep"))
    .step("cap 2", le(2 * L**3 * theta**2 * M * K * FAR, theta * L**2 * FAR / 3), by.linear("cap", "far"))
    .step("4", eq(E(_MEAN), READING[A] - theta * E(Dot(SLOPE, _TAKEN)) + L * theta**2 / 2 * E(square(_TAKEN))),
        by.linear(), inserting="after", note="the server's step inserted")
    .qed(
        le(NEW_GAP - Rational(5, 6) * theta * L**2 * FAR,
            READING[A] - theta * M * K * G2 / 6 + 2 * L * theta**2 * M * K * sigma**2),
        by.linear("1", "4", "2", "3", "cap 1", "cap 2"), note="-1/2 + 2/6 = -1/6 and 1/2 + 2/6 = 5/6")
)

# U10: the drift of sequential clients -------------------------------------------------------------------------------

_SUM_B, _SUM_B2 = M * K * (M * K - 1) / 2, M * K * (M * K - 1) * (2 * M * K - 1) / 6
_SUM_BLOCK = K**3 * M * (M - 1) / 2 + M * K * (K - 1) * (2 * K - 1) / 6
_NINE_FOURTHS, _THREE_HALVES = Rational(9, 4), Rational(3, 2)
OWN = (
    line("own 0", le(0, square(Grad(F(a), x) - SLOPE), (a, 1, M)), nonnegative(Grad(F(a), x) - SLOPE)),
    line("own 1", le(0, E(square(Grad(F(a), x) - SLOPE)), (a, 1, M)), by.expectation("own 0")),
    line("own", le(0, V), by.sum_over(a, "own 1", weight=1 / M), note="heterogeneity is not negative"),
)
DRIFT_OF = (
    proof("sfl/drift-nc", "Appendix E.2", note="the drift of sequential clients")
    .under(*full((CLASS, GRADIENT, VARIANCE, PAST, LOCAL, ONE, TWO)), UNIFORM)
    .given("cap", le(eta * M * K, 1 / (6 * L)), "the step is small")
    .step("1", by.apply(STEPS_NC, {S: M}), inserting="gradient", note="the squared sum of gradients")
    .steps(*OWN)
    .step("2", le(every(BLOCK), (K**2 * n + k**2) * V, *every(le(0, 1, *STEP)).over),
        by.apply(draws.BLOCK, {draws.X(a): Grad(F(a), x) - SLOPE, draws.V: V}, "one", "two", "own"),
        note="draws without replacement")
    .step("move", every(eq(square(y(n, k) - x), eta**2 * square(so_far(g)), *STEP)),
        by.linear(local=y(n, k) - x - eta * so_far(g)), note="the local steps")
    .step("moved", every(eq(E(square(y(n, k) - x)), eta**2 * E(square(so_far(g))), *STEP)), by.expectation("move"))
    .step("3",
        every(
            le(E(square(y(n, k) - x)),
                4 * eta**2 * (B * sigma**2 + L**2 * B * DRIFT + B**2 * G2 + (K**2 * n + k**2) * V), *STEP)),
        by.linear("moved", "1", "2"))
    .step("4", le(FAR, 4 * eta**2 * (_SUM_B * (sigma**2 + L**2 * FAR) + _SUM_B2 * G2 + _SUM_BLOCK * V)),
        by.sum_over((k, n), "3"), note="sums of powers of n and k")
    .steps(*SIGNS)
    .step("B", le(_SUM_B, M**2 * K**2 / 2), by.linear(), note="the sum of B")
    .step("B2 1", le((M * K - 1) * (2 * M * K - 1), 2 * M**2 * K**2), by.polynomial())
    .step("B2", le(_SUM_B2, M**3 * K**3 / 3), by.linear("B2 1"), note="the sum of B^2")
    .step("blocks 1", le(K**2 * (M - 1) / 2 + (K - 1) * (2 * K - 1) / 6, M * K**2 / 2), by.polynomial())
    .step("blocks", le(_SUM_BLOCK, M**2 * K**3 / 2), by.linear("blocks 1"))
    .step("cap 1", le(L * eta * M * K, Rational(1, 6)), by.linear("cap"))
    .step("cap 0", le(0, L * eta * M * K), by.linear())
    .step("cap 2", by.power(2, "cap 0", "cap 1"))
    .step("B drift", le(_SUM_B * FAR, M**2 * K**2 / 2 * FAR), by.linear("B", "far"))
    .step("B2 steep", le(_SUM_B2 * G2, M**3 * K**3 / 3 * G2), by.linear("B2", "steep"))
    .step("blocks own", le(_SUM_BLOCK * V, M**2 * K**3 / 2 * V), by.linear("blocks", "own"))
    .step("cap drift", le((L * eta * M * K) ** 2 * FAR, FAR / 36), by.linear("cap 2", "far"))
    .step("5",
        le(Rational(17, 18) * FAR,
            4 * eta**2 * (M**2 * K**2 / 2 * sigma**2 + M**3 * K**3 / 3 * G2 + M**2 * K**3 / 2 * V)),
        by.linear("4", "B", "B drift", "B2 steep", "blocks own", "cap drift"), note="1 - 4/2/36 = 17/18")
    .step("6",
        le(FAR,
            eta**2 * M**2 * K**2 * (Rational(36, 17) * (sigma**2 + K * (beta**2 * G2 + zeta**2)) + Rational(24, 17) * M * K * G2)),
        by.linear("5", "uniform"))
    .qed(
        le(
            FAR,
            M**2 * K**2 * eta**2 * (_NINE_FOURTHS * sigma**2 + _NINE_FOURTHS * K * zeta**2)
            + (_NINE_FOURTHS * beta**2 / M + _THREE_HALVES) * M**3 * K**3 * eta**2 * G2,
        ),
        by.linear("6", "steep"),
        note="36/17 <= 9/4 and (4/3)(18/17) <= 3/2",
    )
)

# The catalogue's statements -------------------------------------------------------------------------------------------


def catalogued(name, claim, bound, quantity, theorem, at=(), unused=(), first=(), instead=()):
    """Prove the catalogue's bound from a theorem read with ``at``; the steps ``first`` prove hypotheses ``instead``."""
    statement, conditions = statement_of(bound, quantity, READING)
    hypotheses = []
    for h in theorem.hypotheses:
        if isinstance(h, Defines):
            hypotheses.append(Defines(h.id, h.left, substitute(h.right, dict(at)), h.why))
        elif h.id not in ("cap", "c1", *(s.id for s in first)):
            hypotheses.append(h)
    kept = (*hypotheses, *conditions, *first)
    used = tuple(h.id for h in kept if not isinstance(h, Defines) and h.id not in unused)
    inserted = tuple(h.id for h in reversed(hypotheses) if isinstance(h, Defines))
    return (
        proof(name, of=claim, bound=bound, reading=READING, unused=unused).under(*hypotheses, *instead, *conditions)
        .steps(*first)
        .step("1", theorem.statement.at(dict(at)), by.apply(theorem.id, at, *used), inserting=inserted,
            note=theorem.note)
        .qed(statement, by.linear("1"), note="in the letters of the bound")
    )


U9 = catalogued("sfl/U9", "sfl/U9@printed", formula.U9, NEW_GAP - formula.U9_DRIFT * FAR, ROUND,
    ((theta, eta * gamma),), ("c2",))
U10 = catalogued("sfl/U10", "sfl/U10@explicit", formula.U10, FAR, DRIFT_OF)

THEOREMS = (STEPS_NC, ROUND, DRIFT_OF, U9, U10)
