"""FedCG+ in one round: local steps with estimated gradients; Claims C.1 and C.2, Lemma 4.2, also under S5a, S5b.

g(i, e) are a client's partial derivatives at the round's point x, near(i, j, e) those at its point after j local steps,
found(i, j, e) the estimates of these, step(i, j, e) the base of that local step, local(i, e) the mean of the tau bases.
"""

from __future__ import annotations

from sympy import Abs, Expr, Rational, Symbol, sqrt

from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import B, K, L, N, n, r, sigma, tau
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs import multilinear as path
from fltheory.papers.fedcg.points.proofs import sampling as draws
from fltheory.papers.fedcg.points.proofs.lemmas import (CLIENTS, ITEMS, LARGEST, LAW, NEAR, PARTIAL, clients, e, g,
    gamma, gamma_max, i, items, j, p, v)
from fltheory.proof import Given, Relation, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.terms import Nonnegative, Scalar, Total, family
from fltheory.verification import find

c = Symbol("c", integer=True, nonnegative=True)  # local steps, from 0
near, found = family(Scalar, "near"), family(Scalar, "found")
step, local, other = family(Nonnegative, "step"), family(Nonnegative, "local"), family(Nonnegative, "other")
STEPS = (c, 0, tau - 1)
TAU_MEAN = Given("local", eq(local(i, e), Total(step(i, c, e), c, 0, tau - 1) / tau, ITEMS),
    "the mean of the local bases")
ERROR_LOW = Given("error below", le(near(i, c, e) - found(i, c, e), sigma, STEPS, ITEMS),
    "A4: the estimates are off by at most sigma")
ERROR_HIGH = Given("error above", le(found(i, c, e) - near(i, c, e), sigma, STEPS, ITEMS), "A4, the other sign")
ANTITONE = Given("antitone", le(near(i, c, e), g(i, e), STEPS, ITEMS),
    "P3: gradients fall along local steps in the cube")
DRIFT = Given("drift", le(g(i, e) - near(i, c, e), B, STEPS, ITEMS), "by at most B")
CHOSEN = Given("chosen", le(items(other(i, e) * found(i, c, e)), items(step(i, c, e) * found(i, c, e)), STEPS),
    "each local base is best for the estimate, also against this feasible point")
BASE = Given("base", le(items(step(i, c, e)), r, STEPS), "a base has r ones")
FEASIBLE = Given("feasible", le(items(other(i, e)), r), "the other point is in the polytope")
LOCAL = (TAU_MEAN, ERROR_LOW, ERROR_HIGH, ANTITONE, DRIFT, CHOSEN, BASE, FEASIBLE)
LOCAL_IDS = tuple(h.id for h in LOCAL)


def _sum(term: Expr) -> Expr:
    return Total(term, c, 0, tau - 1)


up = Symbol("B_up", nonnegative=True)
RISE = Given("rise", le(near(i, c, e) - g(i, e), up, STEPS, ITEMS), "and rise by no more than this")
EITHER = (*(h for h in LOCAL if h.id != "antitone"), RISE)
_own, _best = items(step(i, c, e) * g(i, e)), items(other(i, e) * g(i, e))
_REACHED = items(local(i, e) * g(i, e))
_COST = 2 * r * sigma + r * B + r * up
C2_EITHER = (
    proof("fedcg/C.2-either", "Claim C.2",
        note="<local, f'> >= <v, f'> - 2 r sigma - r B - r B_up for any feasible v, where gradients fall by B and rise by B_up")
    .under(*EITHER)
    .step("1", le(items(step(i, c, e) * (near(i, c, e) - g(i, e))), up * items(step(i, c, e)), STEPS),
        by.sum_over(e, "rise", weight=step(i, c, e)),
        note="how much worse the round's point is for a local base than the point that it was found at")
    .step("2", le(items(step(i, c, e) * (found(i, c, e) - near(i, c, e))), sigma * items(step(i, c, e)), STEPS),
        by.sum_over(e, "error above", weight=step(i, c, e)))
    .step("3", le(items(other(i, e) * (near(i, c, e) - found(i, c, e))), sigma * items(other(i, e)), STEPS),
        by.sum_over(e, "error below", weight=other(i, e)))
    .step("4", le(items(other(i, e) * (g(i, e) - near(i, c, e))), B * items(other(i, e)), STEPS),
        by.sum_over(e, "drift", weight=other(i, e)))
    .step("each", le(_best - _COST, _own, STEPS), by.linear("1", "2", "3", "4", "chosen", "base", "feasible"))
    .step("all", le(tau * (_best - _COST), _sum(_own)), by.sum_over(c, "each"))
    .step("means", eq(_REACHED, items(Total(step(i, c, e), c, 0, tau - 1) * g(i, e)) / tau),
        by.sum_over(e, "local", weight=g(i, e)))
    .step("swap",
        eq(Total(Total(step(i, c, e) * g(i, e), e, 1, n), c, 0, tau - 1),
            Total(Total(step(i, c, e) * g(i, e), c, 0, tau - 1), e, 1, n)),
        by.apply(algebra.SWAP_STEPS,
            {algebra.pair(c, e): step(i, c, e) * g(i, e), algebra.first: tau, algebra.second: n}))
    .qed(le(_best - _COST, _REACHED), by.linear("all", "means", "swap"), name="last")
)
ALLOWED = 2 * r * sigma + r * B
S5B = (
    proof("fedcg/S5b", "Claim C.2", note="one drift is enough, as gradients fall").under(*LOCAL)
    .step("no rise", le(near(i, c, e) - g(i, e), 0, STEPS, ITEMS), by.linear("antitone"))
    .qed(le(_best - ALLOWED, _REACHED), by.apply(C2_EITHER, {up: 0}), name="last")
)

_MISSED = items(other(i, e) * g(i, e)) - _REACHED
C2_SHARP = (
    proof("fedcg/C.2@strengthened", "Claim C.2", of="fedcg/C.2@strengthened", bound=bounds.C2_SHARP).under(*LOCAL)
    .qed(le(_MISSED, statement_of(bounds.C2_SHARP, _MISSED)[0].right), by.apply(S5B))
)
l = Symbol("l", integer=True, positive=True)
moved = family(Nonnegative, "moved")
MOVE = (
    Given("inside", le(moved(i, c, l), 1, STEPS, (l, 1, n)),
        "(58): the way from the round's point, both ends in the cube"),
    Given("length", le(Total(moved(i, c, l), l, 1, n), r, STEPS), "(59): each of tau local steps adds a base over tau"),
    Given("lipschitz", le((g(i, e) - near(i, c, e)) ** 2, L**2 * Total(moved(i, c, l) ** 2, l, 1, n), STEPS, ITEMS),
        "(60): L is the gradient's Lipschitz constant; no coordinate changes by more"),
)


def _at_one(hypothesis: Given) -> Given:
    """Return a hypothesis of one local step and one item."""
    plain = hypothesis.relation
    inner = tuple(entry for entry in plain.over if entry[0] == l)
    return Given(hypothesis.id, Relation(plain.left, plain.op, plain.right, inner), hypothesis.why)


_CHANGE = g(i, e) - near(i, c, e)
ONE_MOVE = tuple(_at_one(h) for h in MOVE)
CHANGED = (
    proof("fedcg/58-60-size", "(58)-(60)", note="the same up or down").under(*ONE_MOVE)
    .step("short", le(moved(i, c, l) ** 2, moved(i, c, l), (l, 1, n)), by.linear("inside"))
    .step("lengths", by.sum_over(l, "short"))
    .step("square", le(_CHANGE**2, L**2 * r), by.linear("lipschitz", "lengths", "length"))
    .step("sign", by.apply(algebra.SQUARE, {algebra.X: _CHANGE}))
    .qed(le(Abs(_CHANGE), L * sqrt(r)), by.power(Rational(1, 2), "sign", "square"))
)
MOVING = (
    proof("fedcg/58-60", "(58)-(60)",
        note="no coordinate changes by more than L times the length of the way, which is at most sqrt(r)")
    .under(*ONE_MOVE)
    .step("root", by.apply(CHANGED))
    .step("size", by.fact("abs", _CHANGE))
    .qed(le(_CHANGE, L * sqrt(r)), by.linear("root", "size"))
)
_SHORT = {B: L * sqrt(r)}
C2 = (
    proof("fedcg/C.2", "Claim C.2", of="fedcg/C.2@printed", bound=bounds.C2,
        note="true, with twice the drift that it needs")
    .under(*(h for h in LOCAL if h.id != "drift"), *MOVE)
    .step("drift", by.apply(MOVING))
    .step("sharp", by.apply(S5B, _SHORT))
    .qed(le(_MISSED, statement_of(bounds.C2, _MISSED)[0].right), by.linear("sharp"))
)
REPAIRED = (
    proof("fedcg/L4.2-69@corrected", "proof of Lemma 4.2 (69)", of="fedcg/L4.2-69@corrected",
        bound=bounds.L42_69_CORRECTED,
        note="another client's mean of local bases is feasible too: the error counts twice, the drift once")
    .under(*LOCAL)
    .qed(le(_MISSED, statement_of(bounds.L42_69_CORRECTED, _MISSED)[0].right), by.apply(S5B))
)

# Claim C.1 ------------------------------------------------------------------------------------------------------------------

LOCAL_RANK = Given("local rank", le(items(local(i, e)), r, CLIENTS), "a mean of bases is in the matroid polytope")
REACHED = clients(items(local(i, e) * g(i, e)))
ALONG = items(clients(local(i, e)) * PARTIAL)
C1 = (
    proof("fedcg/C.1", "Claim C.1", of="fedcg/C.1@printed", bound=bounds.C1, reading={notation.gamma: gamma_max},
        note="Lemma A.3 for the local directions")
    .under(LAW, LOCAL_RANK, NEAR, LARGEST)
    .step("lemma", le(REACHED - r * gamma_max, ALONG), by.apply(one.A3, {v(i, e): local(i, e)}))
    .qed(statement_of(bounds.C1, REACHED - ALONG, {notation.gamma: gamma_max})[0], by.linear("lemma"))
)

# Lemma 4.2 ------------------------------------------------------------------------------------------------------------------

best = draws.best


def _for_each(hypothesis: Given) -> Given:
    """Return a hypothesis of one client for every client, against v*."""
    one_client = substitute_relation(hypothesis.relation, list({other(i, e): best(e)}.items()))
    whole = Relation(one_client.left, one_client.op, one_client.right, (CLIENTS, *one_client.over))
    return Given(hypothesis.id, whole, hypothesis.why)


BEST_LOCAL = tuple(_for_each(h) for h in LOCAL if h.id != "feasible")
SCORE = items(local(i, e) * PARTIAL)
AVERAGE = clients(SCORE)
SPREAD = clients((SCORE - AVERAGE) ** 2)
BEST_F = Given("best F", le(SCORE, draws.MOST, CLIENTS), "v* is a best base for F")
BEST_BASE = Given("best base", le(items(best(e)), r), "v* is a base")
_LENGTH = 2 * r * gamma_max + ALLOWED
_LOW = le(draws.MOST - _LENGTH, SCORE, CLIENTS)
SPREAD_GIVEN = (*BEST_LOCAL, LOCAL_RANK, NEAR, draws.BELOW, LARGEST, BEST_F, BEST_BASE)
READING = {notation.gamma: gamma_max}
LOW = (
    proof("fedcg/L4.2-range", "Lemma 4.2", note="no client's local direction is much worse for F than the best base")
    .under(*(h for h in SPREAD_GIVEN if h.id != "best F"))
    .step("rank of best", le(items(best(e)), r, CLIENTS), by.linear("best base"))
    .step("reached", by.apply(S5B, {other(i, e): best(e)}, *(h.id for h in BEST_LOCAL), "rank of best"))
    .step("own", le(items(local(i, e) * (g(i, e) - PARTIAL)), gamma(i) * items(local(i, e)), CLIENTS),
        by.sum_over(e, "near", weight=local(i, e)))
    .step("theirs", le(items(best(e) * (PARTIAL - g(i, e))), gamma(i) * items(best(e)), CLIENTS),
        by.sum_over(e, "below", weight=best(e)))
    .qed(_LOW, by.linear("reached", "own", "theirs", "local rank", "rank of best", "largest"))
)
_CASE_2 = find("fedcg/L4.2-case2@corrected").bound
_BELOW_MEAN = statement_of(_CASE_2, AVERAGE - SCORE, READING)[0]
CASE_2 = (
    proof("fedcg/L4.2-case2@corrected", "proof of Lemma 4.2, case 2", of="fedcg/L4.2-case2@corrected", bound=_CASE_2,
        reading=READING, note="2 r gamma are enough, the error counts twice")
    .under(LAW, *SPREAD_GIVEN)
    .step("low", by.apply(LOW))
    .step("averages", by.sum_over(i, "best F", weight=p(i)))
    .qed(le(_BELOW_MEAN.left, _BELOW_MEAN.right, CLIENTS), by.linear("low", "averages", "law"))
)
S5A = (
    proof("fedcg/L4.2@strengthened", "Lemma 4.2", of="fedcg/L4.2@strengthened", bound=bounds.L42_SHARP, reading=READING,
        note="the variance of the drawn local directions' inner product")
    .under(LAW, *SPREAD_GIVEN)
    .step("low", by.apply(LOW))
    .step("square",
        by.apply(draws.POPOVICIU, {draws.u(i): SCORE, draws.low: draws.MOST - _LENGTH, draws.high: draws.MOST}))
    .qed(statement_of(bounds.L42_SHARP, SPREAD / K, READING)[0], by.linear("square"), note="Popoviciu's inequality")
)
_EVERY_MOVE = tuple(_for_each(h) for h in MOVE)
L42 = (
    proof("fedcg/L4.2", "Lemma 4.2", of="fedcg/L4.2@printed", bound=bounds.L42, reading=READING,
        note="the printed bound is true, though (69) is not")
    .under(LAW, *(h for h in SPREAD_GIVEN if h.id != "drift"), *_EVERY_MOVE)
    .step("drift", by.apply(MOVING))
    .step("sharp", by.apply(S5A, _SHORT))
    .qed(statement_of(bounds.L42, SPREAD / K, READING)[0], by.linear("sharp"))
)

# Case 1 of Lemma 4.2 -----------------------------------------------------------------------------------------------------

_ENVIED = {other(i, e): local(j, e)}


def _against_each(hypothesis: Given) -> Given:
    """Return a hypothesis of one client for every client, against every client's local direction."""
    one_client = substitute_relation(hypothesis.relation, list(_ENVIED.items()))
    whole = Relation(one_client.left, one_client.op, one_client.right, (CLIENTS, one.OTHERS, *one_client.over))
    return Given(hypothesis.id, whole, hypothesis.why)


ENVY = tuple(_against_each(h) for h in LOCAL if h.id != "feasible")
_CASE_1 = find("fedcg/L4.2-case1@corrected").bound
_ABOVE_MEAN = statement_of(_CASE_1, items(local(j, e) * PARTIAL) - AVERAGE, READING)[0]
CASE_1 = (
    proof("fedcg/L4.2-case1@corrected", "proof of Lemma 4.2, case 1", of="fedcg/L4.2-case1@corrected", bound=_CASE_1,
        reading=READING, note="the error counts twice here too")
    .under(LAW, one.MEAN, *ENVY, LOCAL_RANK, NEAR, LARGEST)
    .step("rank j", by.instance({i: j}, "local rank"), over=(CLIENTS, one.OTHERS))
    .step("each", by.apply(S5B, _ENVIED))
    .step("all", by.sum_over(i, "each", weight=p(i)))
    .step("gradients", by.sum_over(e, "mean", weight=local(j, e)))
    .step("swap",
        eq(Total(Total(p(i) * local(j, e) * g(i, e), e, 1, n), i, 1, N),
            Total(Total(p(i) * local(j, e) * g(i, e), i, 1, N), e, 1, n), one.OTHERS),
        by.apply(algebra.SWAP, {algebra.pair(i, e): p(i) * local(j, e) * g(i, e), algebra.first: N, algebra.second: n}))
    .step("C.1", by.apply(C1))
    .steps(one.swapped("swap 2", p(i) * local(i, e) * PARTIAL))
    .qed(le(_ABOVE_MEAN.left, _ABOVE_MEAN.right, one.OTHERS),
        by.linear("all", "gradients", "swap", "C.1", "swap 2", "law"))
)

# Lemma 4.1 and the Lipschitz lines -----------------------------------------------------------------------------------------

L41 = (
    proof("fedcg/L4.1", "Lemma 4.1", of="fedcg/L4.1@printed",
        note="score(i) is <local_i, F'(x)>, all local randomness of all clients being given")
    .under(draws.ONCE)
    .qed(draws.UNBIASED.statement, by.apply(draws.UNBIASED))
)
m_f = Symbol("m_f", nonnegative=True)
LIP1 = (
    proof("fedcg/Lip1@corrected", "Section 4", of="fedcg/Lip1@corrected",
        note="no partial derivative V falls by more than m r/tau in a local step; none rises")
    .under(path.MOVES)
    .given("slopes", le(-m_f, path.slope(path.l), (path.l, 1, path.n)),
        "P4: second derivatives are at least -m inside the cube")
    .given("length", le(Total(path.d(path.k), path.k, 1, path.n), r / tau), "a local step has r coordinates of 1/tau")
    .step("drift", by.apply(path.DRIFT, {path.m: m_f}))
    .qed(le(path.V(0) - path.V(path.n), m_f * r / tau), by.linear("drift", "length"))
)

THEOREMS = (C2_EITHER, S5B, C2_SHARP, CHANGED, MOVING, C2, REPAIRED, C1, LOW, CASE_2, S5A, L42, CASE_1, L41, LIP1)
