"""True versions of Corollary 5.3: the linearised regret of the estimate on each path, and the regret in expectation.

``seen`` is 1 for a participating client, else 0. ``ref`` is imputed to the others, and the gradient is linearised
there: it is the mean of the participants (10), or a number fixed before the draw (D1).
"""

from __future__ import annotations

from sympy import Expr, Symbol, exp

from fltheory.model.bound import Bound
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.entropic.proofs import theorem52 as exact
from fltheory.papers.aaggff.entropic.proofs.theorem52 import LAST, OTHER, RATES, RISING, spread, tuned
from fltheory.papers.aaggff.losses.proofs import entropy as linear
from fltheory.papers.aaggff.losses.proofs.entropy import DECISIONS, base, eta, g, q
from fltheory.papers.aaggff.losses.proofs.facts import EACH, PART, ROUNDS, SPARE, P, a, b, i, j, s, t, whole
from fltheory.papers.aaggff.notation import C1, C2, C, K, Ls, T, m
from fltheory.proof import Given, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import RandomNonnegative, RandomScalar, Total, family

PLACE = "Corollary 5.3"
logp, z = family(RandomScalar, "log p"), family(RandomScalar, "z")
seen, r, ref = family(RandomNonnegative, "seen"), family(RandomScalar, "r"), family(RandomNonnegative, "ref")
factor, common = family(RandomNonnegative, "factor"), family(RandomScalar, "common")
largest = Symbol("largest", positive=True)

# Any gradient of this form --------------------------------------------------------------------------------------------


def estimate(now: Expr, client: Expr) -> Expr:
    """Return a gradient: a term of the client, which is 0 if it is absent, plus a term common to all clients."""
    return -seen(now, client) / C * (r(now, client) - ref(now)) * factor(now) + common(now)


def before(now: Expr, client: Expr) -> Expr:
    """Return the sum of a client's estimates before a round."""
    return Total(estimate(s, client), s, 1, now - 1)


CLOSED = Given("decision", eq(logp(t, i), -before(t, i) / eta(t) - z(t), DECISIONS, EACH), "(12): exponential weights")
SUM = Given("sum", eq(whole(exp(logp(t, j))), 1, DECISIONS), "decisions are distributions")
SEEN = Given("seen", eq(seen(t, i) ** 2, seen(t, i), ROUNDS, EACH), "1 for a client that takes part, else 0")
RANGE = (
    Given("low", le(C1, r(t, i), ROUNDS, EACH), "responses are in [C1, C2]"),
    Given("high", le(r(t, i), C2, ROUNDS, EACH), "and not above"),
    Given("ref low", le(C1, ref(t), ROUNDS), "so is the reference: a mean of responses, or chosen so"),
    Given("ref high", le(ref(t), C2, ROUNDS), "and not above"),
)
FACTOR = Given("factor", le(factor(t), largest, ROUNDS), "the factor of the linearisation is bounded")
ORDER = Given("order", lt(C1, C2), "a range of positive length")
TUNING = (exact.CLIENTS, RATES, LAST, RISING)
RUN = (CLOSED, SUM, SEEN, *RANGE, OTHER, *TUNING)
LINEAR = Total(whole(estimate(t, j) * (exp(logp(t, j)) - q(j))), t, 1, T)
SIZE = (C2 - C1) * largest / C
_down = common(t) - (C2 - ref(t)) * factor(t) / C
ANY = (
    proof("aaggff/estimated", PLACE, note="on each path, for any scale L_s of the rate").under(*RUN, FACTOR, ORDER)
    .step("part", by.apply(PART, {P: seen(t, i)}))
    .step("lowest", le(_down, estimate(t, i), ROUNDS, EACH), by.linear("high", "ref high", "part"))
    .step("highest 1", le(estimate(t, i), common(t) + (ref(t) - C1) * factor(t) / C, ROUNDS, EACH),
        by.linear("low", "ref low", "part"))
    .step("highest", le(estimate(t, i), _down + SIZE, ROUNDS, EACH), by.linear("highest 1", "factor", "order"),
        note="who isn't seen adds 0, which lies between")
    .step("size", le(0, SIZE), by.linear("order"))
    .qed(le(LINEAR, tuned(SIZE)),
        by.apply(exact.TUNED,
            {linear.logp(t, i): logp(t, i), linear.z(t): z(t), g(t, i): estimate(t, i), base(t): _down, spread: SIZE},
            "decision", "sum", "lowest", "highest", "other", *(h.id for h in TUNING), "size"))
)

# (P1): Algorithm 3 as stated ------------------------------------------------------------------------------------------

SHARE = {C: m / K}


def robust(now: Expr, client: Expr) -> Expr:
    """(10)."""
    return (1 - seen(now, client) / C) * ref(now) + seen(now, client) / C * r(now, client)


def doubly(now: Expr, client: Expr) -> Expr:
    """(11) of (10)."""
    along = whole(exp(logp(now, j)) * (robust(now, j) - ref(now)))
    return -robust(now, client) / (1 + ref(now)) + ref(now) * along / (1 + ref(now)) ** 2


def at_share(entry: Given, scale: Expr) -> Given:
    """Return a hypothesis for m of K clients a round and a given scale."""
    return Given(entry.id, entry.relation.at({**SHARE, Ls: scale}), entry.why)


_before = Total(doubly(s, i), s, 1, t - 1)
_DOUBLY = Given("decision", eq(logp(t, i), -_before / eta(t) - z(t), DECISIONS, EACH),
    "(12) with the estimates (11) of (10)")
ALGORITHM = (_DOUBLY, *RUN[1:])
_LINEAR = Total(whole(doubly(t, j) * (exp(logp(t, j)) - q(j))), t, 1, T).xreplace(SHARE)
ABOVE = line("factor", le(1 / (1 + ref(t)), 1 / (1 + C1), ROUNDS), by.linear("ref low"))
_common = -ref(t) / (1 + ref(t)) + ref(t) * whole(exp(logp(t, j)) * (robust(t, j) - ref(t))) / (1 + ref(t)) ** 2
_P1_READ = {factor(t): 1 / (1 + ref(t)), common(t): _common.xreplace(SHARE), largest: 1 / (1 + C1), **SHARE}


def on_each_path(name: str, bound: Bound, scale: Expr, excess: int, note: str) -> Theorem:
    """State the bound of the catalogue on the linearised regret of the estimate, at a scale of the rate."""
    statement, conditions = statement_of(bound, _LINEAR)
    scale = scale.xreplace(SHARE)
    setting = tuple(at_share(h, scale) for h in ALGORITHM if h.id != "clients")
    wide = le(_LINEAR, tuned(SIZE).xreplace(_P1_READ).xreplace({Ls: scale}))
    half = bounds.H_DR.xreplace(SHARE)
    return (
        proof(name, PLACE, of=name, bound=bound, unused=("c3",), note=note).under(*setting, *conditions)
        .steps(ABOVE)
        .step("half", lt(0, half), by.linear("c1"))
        .step("order", le(half, scale), by.linear(half=excess))
        .step("scale", lt(0, scale), by.linear("half", "order"))
        .step("any", wide,
            by.apply(ANY, {**_P1_READ, Ls: scale}, *(h.id for h in setting), "c2", "factor", "c1", "scale"))
        .step("spare", by.apply(SPARE, {a: scale, b: half}, "scale", "half", "order"))
        .qed(statement, by.linear("any", "spare"))
    )


P1 = on_each_path("aaggff/C5.3-paths@corrected", bounds.P1, bounds.L_DR, 3, "Algorithm 3's own scale")
P1_SHARP = on_each_path("aaggff/C5.3-paths@strengthened", bounds.P1_SHARP, bounds.H_DR, 0, "the half-span as the scale")

THEOREMS = (ANY, P1, P1_SHARP)
