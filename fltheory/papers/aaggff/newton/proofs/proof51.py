"""The proof of Theorem 5.1, display by display: true statements for any gradients, any α and β, any comparator q.

(7) before a round is ``newton.leader``; without the linear losses it is the regulariser R. ``h`` are the gradients,
v_t solves B_t v = h_t.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Abs, Expr, log

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.losses.proofs import lipschitz
from fltheory.papers.aaggff.losses.proofs.facts import ROUNDS, TELESCOPED, N, a, b, d, i, j, rise, s, t, whole
from fltheory.papers.aaggff.newton.proofs import newton, theorem51
from fltheory.papers.aaggff.newton.proofs.newton import (EIGENVALUES, END, OPTIMAL, SIZE, SOLVE, h, lam, leader, most,
    p, q, rank, slope, v)
from fltheory.papers.aaggff.newton.proofs.theorem51 import CURVATURE, GROWN, OTHER, REGRET, SLOPE, START
from fltheory.papers.aaggff.notation import K, T, alpha, beta
from fltheory.proof import Given, Theorem, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import Dot, Positive, Total, Vector, family, square
from fltheory.verification import find

x, u = family(Vector, "x")(), family(Vector, "u")()


def regulariser(now: Expr | int, at: Expr) -> Expr:
    """R^(t) at a point."""
    return alpha / 2 * square(at) + Total(beta / 2 * Dot(h(s), at - p(s)) ** 2, s, 1, now - 1)


LINEAR = Total(Dot(h(t), p(t) - q), t, 1, T)
FIRST = regulariser(T + 1, q) - regulariser(1, p(1))
SECOND = leader(T + 1, p(T + 1)) - leader(T + 1, q)
THIRD = Total(leader(t, p(t)) - leader(t + 1, p(t + 1)) + Dot(h(t), p(t)), t, 1, T)
SQUARES = Total(Dot(h(t), p(t) - q) ** 2, t, 1, T)
COSTS = Total(Dot(h(t), v(t)), t, 1, T)
cost, logs = family(Positive, "cost")(), family(Positive, "logs")()
MOVED = Given("moved", eq(cost, COSTS), "the sum is not 0 as some gradient is not: B_t is positive definite")

# (66) to (71) --------------------------------------------------------------------------------------------------------

_rise = leader(t + 1, p(t + 1)) - leader(t, p(t))
PARTS = (
    proof("aaggff/66", "(66)", of="aaggff/66@printed",
        note="any points, any gradients: Lemma A.4 with the squares of (7)")
    .step("one", eq(leader(t + 1, p(t + 1)), leader(t, p(t)) + _rise, ROUNDS), by.linear())
    .step("all", by.apply(TELESCOPED, {d(t): leader(t, p(t)), rise(t): _rise, N: T}))
    .qed(eq(LINEAR, FIRST + SECOND + THIRD), by.linear("all"))
)
BEND = proof(
    "aaggff/67-convex",
    "after (67)",
    of="aaggff/67-convex@corrected",
    note="L^(T+1) is a quadratic function with the matrix B^(T): 1-convex in its norm, and no more",
).qed(eq(leader(T + 1, q) - leader(T + 1, x) - slope(T + 1, x, q - x), newton.curve(T, q - x) / 2), by.linear())
FIRST_LESS = (
    proof("aaggff/68-first", "before (68)", of="aaggff/68-first@printed", note="R^(1) is not negative")
    .step("square", le(0, square(p(1))), by.apply("aaggff/nonnegative", {newton.x: p(1)}))
    .qed(le(FIRST, regulariser(T + 1, q)), by.linear("square"))
)
FIRST_WHOLE = (
    proof("aaggff/68-whole", "(68)", of="aaggff/68-whole@strengthened", note="(i) as it is, from the uniform decision")
    .under(replace(START, supposed=True))
    .qed(eq(FIRST, alpha / 2 * (square(q) - 1 / K) + beta / 2 * SQUARES), by.linear("start"))
)
SECOND_PART = (
    proof("aaggff/68-second", "after (68)", of="aaggff/68-second@printed", note="p^(T+1) minimises L^(T+1)").under(END)
    .step("square", by.apply(newton.POSITIVE, {newton.x: q - p(T + 1), newton.count: T}))
    .qed(le(SECOND, 0), by.linear("end", "square"))
)
THIRD_PART = (
    proof("aaggff/70-sum", "(70)", note="(iii) is at most half of the sum of |g|^2 in the norms of the inverses")
    .under(OPTIMAL, SOLVE)
    .step("round", by.apply(newton.ROUND))
    .step("each", le(leader(t, p(t)) - leader(t + 1, p(t + 1)) + Dot(h(t), p(t)), Dot(h(t), v(t)) / 2, ROUNDS),
        by.linear("round"))
    .qed(le(THIRD, COSTS / 2), by.sum_over(t, "each"))
)


def ratio(claim: str, place: str, top: Expr, known: Theorem, *uses: Given, note: str) -> Theorem:
    """Prove a claim on a quotient by the sum of |g|^2, whose numerator is at most half of it by a theorem."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, top / cost)
    return (
        proof(claim, place, of=claim, bound=bound, note=note).under(*uses, MOVED, *conditions)
        .step("known", known.statement, by.apply(known.id, *known_ids(known)))
        .qed(statement, by.linear("known", "moved"))
    )


def known_ids(theorem: Theorem) -> tuple[str, ...]:
    """Return the hypotheses of a theorem."""
    return tuple(given.id for given in theorem.hypotheses)


INCREMENTS = (
    proof("aaggff/71", "(71)", of="aaggff/71@printed", note="the increment of the regulariser vanishes at p^(t)")
    .step("each", eq(regulariser(t, p(t)), regulariser(t + 1, p(t)), ROUNDS), by.linear())
    .qed(eq(Total(regulariser(t, p(t)) - regulariser(t + 1, p(t)), t, 1, T), 0), by.sum_over(t, "each"))
)

# (72), (73) ----------------------------------------------------------------------------------------------------------

_REST = LINEAR - alpha / 2 * (square(q) - 1 / K) - beta / 2 * SQUARES
REST = (
    proof("aaggff/72-sum", "(72)", note="all parts together, from the uniform decision")
    .under(OPTIMAL, END, SOLVE, START)
    .step("newton", by.apply(newton.ALL))
    .qed(le(_REST, COSTS / 2), by.linear("newton", "start"))
)
REST_TIED = ratio("aaggff/72@corrected", "(72)", _REST, REST, OPTIMAL, END, SOLVE, START,
    note="any gradients, any α and β, any comparator")
_CURVED = theorem51.CURVED
_LOSS = REGRET - alpha / 2 * (square(q) - 1 / K)
LOSS = (
    proof("aaggff/73-sum", "(73)", note="what the curvature takes off are the squares of (i)")
    .under(OPTIMAL, END, SOLVE, START, SLOPE, GROWN, OTHER, *CURVATURE)
    .step("curved loss", by.apply(_CURVED))
    .step("newton", by.apply(newton.ALL))
    .qed(le(_LOSS, COSTS / 2), by.linear("curved loss", "newton", "start"))
)

_BOUND_73 = find("aaggff/73-regret@corrected").bound
_STATED_73, _CONDITIONS_73 = statement_of(_BOUND_73, _LOSS / cost)
LOSS_TIED = (
    proof("aaggff/73-regret@corrected", "(73)", of="aaggff/73-regret@corrected", bound=_BOUND_73, unused=("c2",),
        note="any α, any comparator")
    .under(OPTIMAL, END, SOLVE, START, SLOPE, GROWN, OTHER, MOVED, *_CONDITIONS_73)
    .step("known", by.apply(LOSS))
    .qed(_STATED_73, by.linear("known", "moved"))
)
_CURVE = find("aaggff/73@corrected").bound
_STATED_CURVE, _CONDITIONS_CURVE = statement_of(_CURVE, REGRET - LINEAR + beta / 2 * SQUARES)
TAKEN_OFF = (
    proof("aaggff/73@corrected", "(73)", of="aaggff/73@corrected", bound=_CURVE, unused=("c2",),
        note="Lemma A.10, sharp")
    .under(SLOPE, GROWN, OTHER, *_CONDITIONS_CURVE)
    .step("known", by.apply(_CURVED))
    .qed(_STATED_CURVE, by.linear("known"))
)

# (74), (75) ----------------------------------------------------------------------------------------------------------

o_, s_ = lipschitz.o, lipschitz.s
S_HIGH = lipschitz.average("p high", "high", lipschitz.p(j), "sum p")
O_LOW = lipschitz.average("q low", "low", lipschitz.q(j), "sum q")


def reach(claim: str, limit: Expr, note: str) -> Theorem:
    """Bound |<g, q - p>| = |1 + <p, r> - (1 + <q, r>)| / (1 + <p, r>) in a round."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, Abs(s_ - o_) / s_)
    return (
        proof(claim, "(74)", of=claim, bound=bound, unused=("c2",), note=note).under(*lipschitz.SETTING, *conditions)
        .steps(lipschitz.P_LOW, lipschitz.S_LOW, lipschitz.Q_HIGH, S_HIGH, O_LOW)
        .step("range", lt(0, bounds.V), by.linear("c1"))
        .step("up", le(s_ - o_, bounds.V * s_),
            by.linear({"p high": 1, "at p": 1, "q low": 1, "at q": -1, "s low": bounds.V}, "range"))
        .step("down", le(-(s_ - o_), bounds.V * s_), by.linear("p low", "at p", "q high", "at q", "s low", "range"))
        .step("size", by.absolute("up", "down"))
        .step("sign", le(bounds.V, limit), by.linear())
        .qed(statement, by.linear("size", "sign"))
    )


REACH = (
    reach("aaggff/74@printed", 2 * bounds.L, "2 L_inf is more than V"),
    reach("aaggff/74@strengthened", bounds.V, "V"),
)
_LENGTH = find("aaggff/75@printed").bound
_STATED, _ = statement_of(_LENGTH, whole(lipschitz.p(j) ** 2))
LENGTH = (
    proof("aaggff/75@printed", "(75)", of="aaggff/75@printed", bound=_LENGTH, note="|p|_2 <= 1 on the simplex")
    .under(*lipschitz.SETTING[:1])
    .qed(_STATED, by.apply(lipschitz.SQUARES))
)

# (76) to (79) --------------------------------------------------------------------------------------------------------

ROUND = (
    proof("aaggff/76-round", "(76)", of="aaggff/76-round@explicit",
        note="1 + beta <h, B_(t-1)^(-1) h> is by how much the determinant grows")
    .given("before", eq(newton.solved(t - 1, u), h(t)), "u = B_(t-1)^(-1) h_t")
    .given("now", eq(newton.solved(t, v(t)), h(t)), "v_t = B_t^(-1) h_t")
    .given("grown", lt(0, 1 + beta * Dot(h(t), u)), "the matrices are positive definite")
    .step("product", by.apply(newton.SHERMAN, {newton.u: u}))
    .qed(eq(beta * Dot(h(t), v(t)), 1 - 1 / (1 + beta * Dot(h(t), u))),
        by.linear({"product": beta / (1 + beta * Dot(h(t), u))}, "grown"))
)
_BOUND = find("aaggff/76@corrected").bound
_STATED_76, _ = statement_of(_BOUND, COSTS / logs)
LOGS = (
    proof("aaggff/76@corrected", "(76)", of="aaggff/76@corrected", bound=_BOUND, note="gradients times the root of β")
    .under(*EIGENVALUES[:-1])
    .given("moved", eq(logs, Total(log(1 + lam(j) / alpha), j, 1, rank)), "not 0 as some gradient is not")
    .step("logs", by.apply(newton.LOGS))
    .qed(_STATED_76, by.linear("logs", "moved"))
)


def means(name: str, claim: str, size: Expr, note: str) -> Theorem:
    """Compare the arithmetic and the geometric mean of 1 + lambda/alpha, in logarithms."""
    total, logs = Total(lam(j), j, 1, size), Total(log(1 + lam(j) / alpha), j, 1, size)
    mean = 1 + total / (size * alpha)
    return (
        proof(name, "(77)", of=claim, note=note)
        .step("zero", le(0, lam(j), (j, 1, size)), by.linear())
        .step("sum", by.sum_over(j, "zero"))
        .step("sign", lt(0, mean), by.linear("sum"))
        .step("tangent", le(log(1 + lam(i) / alpha) - log(mean), (lam(i) / alpha + 1 - mean) / mean, (i, 1, size)),
            by.apply(newton.SLOPE, {a: 1 + lam(i) / alpha, b: mean}, "sign"))
        .step("all", le(logs - size * log(mean), (total / alpha + size * (1 - mean)) / mean), by.sum_over(i, "tangent"))
        .qed(le(logs, size * log(mean)), by.linear("all", "sign"))
    )


MEANS = (
    means("aaggff/77", "aaggff/77@printed", K, "all K eigenvalues"),
    means("aaggff/77-rank", "aaggff/77-rank@strengthened", rank, "all but ``rank`` of them are 0"),
)
_BOUND_78 = find("aaggff/78@printed").bound
_STATED_78, _CONDITIONS_78 = statement_of(_BOUND_78, Total(square(h(t)), t, 1, T))
LENGTHS = (
    proof("aaggff/78@printed", "(78)", of="aaggff/78@printed", bound=_BOUND_78, unused=("c1", "c2"))
    .under(Given("size", SIZE.relation.at({most: K * bounds.L**2}), "K entries of at most L_inf"), *_CONDITIONS_78)
    .qed(_STATED_78, by.sum_over(t, "size"))
)
_CENTRED = find("aaggff/78-centred@strengthened").bound
_STATED_CENTRED, _CONDITIONS_CENTRED = statement_of(_CENTRED, Total(square(h(t)), t, 1, T))
CENTRED = (
    proof("aaggff/78-centred@strengthened", "(78)", of="aaggff/78-centred@strengthened", bound=_CENTRED,
        unused=("c1", "c2"))
    .under(Given("size", SIZE.relation.at({most: K * bounds.H**2}), "K entries within H"), *_CONDITIONS_CENTRED)
    .qed(_STATED_CENTRED, by.sum_over(t, "size"))
)
_AT = {beta: bounds.BETA}
_BOUND_79 = find("aaggff/79@corrected").bound
_STATED_79, _CONDITIONS_79 = statement_of(_BOUND_79, COSTS, _AT)
_SIZES = {rank: K, most: K * bounds.L**2}
_SETTING = tuple(Given(g.id, g.relation.at(_SIZES).at(_AT), g.why) for g in (*EIGENVALUES, SIZE))
LIMIT = (
    proof("aaggff/79@corrected", "(79)", of="aaggff/79@corrected", bound=_BOUND_79, reading=_AT, unused=("c1", "c2"),
        note="at β = 1/(4 L_inf)")
    .under(*_SETTING, *_CONDITIONS_79)
    .step("logs", by.apply(newton.LIMIT, {**_SIZES, **_AT}))
    .qed(_STATED_79, by.linear("logs"))
)

# (80), (81) ----------------------------------------------------------------------------------------------------------

_BOUND_80 = find("aaggff/80@corrected").bound
_STATED_80, _CONDITIONS_80 = statement_of(_BOUND_80, REGRET)
_GIVEN_80 = tuple(
    Given(g.id, g.relation.at(_AT), g.why) for g in theorem51.GENERAL.hypotheses if g.id[0] != "c" or g.id == "curved"
)
SUM = (
    proof("aaggff/80@corrected", "(80)", of="aaggff/80@corrected", bound=_BOUND_80,
        note="the general form at β = 1/(4 L_inf)")
    .under(*_GIVEN_80, *_CONDITIONS_80)
    .step("general", by.apply(theorem51.GENERAL, _AT))
    .qed(_STATED_80, by.linear("general"))
)
_FREE = alpha / 2 + 2 * bounds.L * K * log(1 + T * bounds.L / (4 * alpha))
LAST = proof("aaggff/81", "(81)", of="aaggff/81@printed", note="α = 4 L_inf K").qed(
    eq(_FREE.xreplace({alpha: bounds.ALPHA}), bounds.T51.expr), by.linear())

# Algorithm 2 as released ---------------------------------------------------------------------------------------------


def released(at: Expr) -> Expr:
    """Return the objective that the authors' code minimises after T rounds."""
    ridge = alpha * (1 + beta) / 2 * square(at)
    return ridge + Total(Dot(h(s), at) + beta / 2 * Dot(h(s), at) ** 2, s, 1, T)


OBJECTIVE = proof(
    "aaggff/A2-objective",
    "Algorithm 2",
    of="aaggff/A2-objective@explicit",
    note="from one point to another: released less (7) changes by αβ/2 |q|^2 and β Σ <h, p_s><h, q>",
).qed(
    eq(released(q) - leader(T + 1, q) - released(x) + leader(T + 1, x),
        alpha * beta / 2 * (square(q) - square(x)) + beta * Total(Dot(h(s), p(s)) * Dot(h(s), q - x), s, 1, T)),
    by.linear())

THEOREMS = (
    PARTS,
    BEND,
    FIRST_LESS,
    FIRST_WHOLE,
    SECOND_PART,
    THIRD_PART,
    ratio("aaggff/70@corrected", "(70)", THIRD, THIRD_PART, OPTIMAL, SOLVE, note="with the modulus 1 for β"),
    INCREMENTS,
    REST,
    REST_TIED,
    LOSS,
    LOSS_TIED,
    TAKEN_OFF,
    *REACH,
    LENGTH,
    ROUND,
    LOGS,
    *MEANS,
    LENGTHS,
    CENTRED,
    LIMIT,
    SUM,
    LAST,
    OBJECTIVE,
)
