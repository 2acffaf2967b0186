"""Theorem 5.1 in probability: all estimates of all rounds hold but with probability 1/n, by Bernstein given the past.

The probability of an answer is arbitrary as long as a random answer counts at most m_F/kappa: the importance factors
w_i ensure that, and so do the smaller factors max f_i(e)/m_F, for which nobody needs to know the other values of F.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Expr, Integer, Rational, Symbol, exp

from fltheory.papers.fedcg.bounds import KAPPA_MATROID, KAPPA_UNIFORM
from fltheory.papers.fedcg.discrete import bounds
from fltheory.papers.fedcg.discrete.proofs import theorem51 as greedy
from fltheory.papers.fedcg.facts import algebra, tails
from fltheory.papers.fedcg.facts import bernstein as one
from fltheory.papers.fedcg.notation import N, eps, kappa, m_F, n, r
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.terms import (E, Indicator, Nonnegative, RandomInteger, RandomNonnegative, RandomScalar, Scalar,
    Total, family)
from fltheory.verification import find

PLACE = "Theorem 5.1"
t, e, i, j, k = greedy.t, Symbol("e", integer=True, positive=True), one.i, one.j, one.k
ROUNDS, ITEMS, CLIENTS = greedy.ROUNDS, (e, 1, n), one.CLIENTS
gain, coin, chance = family(RandomNonnegative, "gain"), family(RandomScalar, "coin"), one.chance
rate, spent, cap, level = one.rate, one.spent, one.cap, greedy.level


def gains(now: Expr, item: Expr, count: Expr = N) -> Expr:
    """Return F(e|S_t): the sum of the gains of all clients, or of the first ``count``."""
    return Total(gain(now, j, item), j, 1, count)


def off(now: Expr, item: Expr, count: Expr = N) -> Expr:
    """Return the error of the estimate: answers count 1/kappa_i times."""
    return Total(coin(now, j) * gain(now, j, item) / chance(j) - gain(now, j, item), j, 1, count)


def estimate(now: Expr, item: Expr) -> Expr:
    """Return X(t, e), the sum at the server."""
    return gains(now, item) + off(now, item)


def excess(sign: int, now: Expr, item: Expr) -> Expr:
    """Return a number that is positive only if an estimate fails on this side."""
    return sign * rate * off(now, item) - spent * gains(now, item) - level


def law(sign: int) -> Given:
    """Return the distribution of fresh coins: client k + 1 answers with its probability, given earlier answers."""
    before = exp(sign * rate * off(t, e, k) - spent * gains(t, e, k + 1))
    after = exp(sign * rate * off(t, e, k + 1) - spent * gains(t, e, k + 1))
    return Given("coins up" if sign > 0 else "coins down",
        eq(E(after), E(before * one.mixture(sign, gain(t, k + 1, e), chance(k + 1))), ROUNDS, ITEMS, one.ORDER),
        "fresh coins: client k + 1 answers with its probability, given S_t and the answers before it")


FRESH = (
    Given("certain", le(chance(i), 1, CLIENTS), "probabilities"),
    Given("range", le((1 - chance(i)) * gain(t, i, e), (1 - chance(i)) * chance(i) * cap, ROUNDS, ITEMS, CLIENTS),
        "a random answer, of kappa_i < 1, counts at most cap"),
    law(1),
    law(-1),
)
READING = {one.past: Integer(1), one.gain(i): gain(t, i, e), one.coin(i): coin(t, i)}


def one_side(sign: int) -> tuple[Step, ...]:
    """Prove the probability that an estimate of a round fails on one side, summed over all of them."""
    side = "up" if sign > 0 else "down"
    moment = E(exp(sign * rate * off(t, e) - spent * gains(t, e)))
    failing = exp(-level) * exp(sign * rate * off(t, e) - spent * gains(t, e))
    return (
        line(side, le(moment, 1, ROUNDS, ITEMS),
            by.apply(f"fedcg/bernstein-{side}", READING, "certain", "range", "small", "spent", f"coins {side}")),
        line(f"{side} fails", le(E(failing), exp(-level), ROUNDS, ITEMS), by.linear(side)),
        line(f"{side} of all", le(Total(Total(E(failing), e, 1, n), t, 0, r - 1), r * n * exp(-level)),
            by.sum_over((e, t), f"{side} fails")),
    )


def failing(now: Expr, item: Expr) -> Expr:
    """Return a number that exceeds 1 if an estimate fails on either side."""
    return exp(excess(1, now, item)) + exp(excess(-1, now, item))


FAILS = Total(Total(failing(t, e), e, 1, n), t, 0, r - 1)
TAILS = (
    proof("fedcg/S6-tails", PLACE, note="all 2 r n tails: in the mean they add up to at most 2 r n exp(-level)")
    .under(*FRESH, *one.RATE)
    .steps(*one_side(1), *one_side(-1))
    .qed(le(E(FAILS), 2 * r * n * exp(-level)), by.linear("up of all", "down of all"))
)

# No failing estimate --------------------------------------------------------------------------------------------------

worth = Symbol("worth", positive=True)  # m_F, which is positive: else OPT = 0, and the claim is trivial
picked, top = family(RandomInteger, "picked"), family(RandomInteger, "top")
value, joined, ended = (family(RandomNonnegative, name) for name in ("F", "U", "W"))
item, q = Symbol("item", integer=True), Symbol("q", integer=True, positive=True)
term = family(Scalar, "term")
TERM = (
    proof("fedcg/term", PLACE, note="a term of a sum of numbers that are not negative, at any item")
    .given("terms", le(0, term(q), (q, 1, n)), "no term is negative")
    .given("from", le(1, item), "an item")
    .given("to", le(item, n), "one of n")
    .step("all", le(term(algebra.i), Total(term(q), q, 1, n), (algebra.i, 1, n)),
        by.apply(algebra.ONE, {algebra.count: n}, "terms"))
    .qed(le(term(item), Total(term(q), q, 1, n)), by.instance({algebra.i: item}, "all", "from", "to"))
)
NEGATIVE = (
    proof("fedcg/exp-negative", PLACE, note="exp is at most 1 only where its exponent is not positive")
    .given("small", le(exp(algebra.X), 1), "exp of it is at most 1")
    .step("tangent", by.fact("exp", algebra.X))
    .qed(le(algebra.X, 0), by.linear("small", "tangent"))
)
best = family(RandomNonnegative, "best")
BEST = Given("best", eq(best(t), gains(t, top(t)), ROUNDS), "a name for the largest gain of a round")
eps_1 = greedy.one
AT = {rate: 3 * eps_1 * kappa / (4 * worth), spent: 3 * eps_1**2 * kappa / (8 * worth), cap: worth / kappa}
OFF = greedy.OFF.xreplace({m_F: worth, greedy.best(t): best(t)})


def at(expr: Expr) -> Expr:
    """Return a term at the rate for eps_1."""
    return expr.xreplace(AT)


CHOICE = (
    Given("picked from", le(1, picked(t), ROUNDS), "an item is picked in every round"),
    Given("picked to", le(picked(t), n, ROUNDS), "one of n"),
    Given("top from", le(1, top(t), ROUNDS), "the item of the largest gain"),
    Given("top to", le(top(t), n, ROUNDS), "one of n"),
    Given("top", le(gains(t, picked(t)), gains(t, top(t)), ROUNDS), "no item that may be picked gains more"),
)
INSIDE = le(at(FAILS), 1)


def not_failed(sign: int, name: str, where: Expr) -> tuple[Step, ...]:
    """Prove that the estimate at an item does not fail on this side."""
    over, other = at(excess(sign, t, where)), at(failing(t, where))
    return (
        line("sign", le(0, at(failing(t, e)), ROUNDS, ITEMS), by.linear()),
        line("in round", le(other, Total(at(failing(t, e)), e, 1, n), ROUNDS),
            by.apply(TERM, {item: where, term(q): at(failing(t, q))}, "sign", f"{name} from", f"{name} to")),
        line("rounds", le(0, Total(at(failing(t, e)), e, 1, n), ROUNDS), by.sum_over(e, "sign")),
        line("rounds s", le(0, Total(at(failing(tails.s, e)), e, 1, n), (tails.s, 0, r - 1)),
            by.instance({t: tails.s}, "rounds")),
        line("of all", le(Total(at(failing(t, e)), e, 1, n), at(FAILS), ROUNDS),
            by.apply(tails.ONE, {tails.term(t): Total(at(failing(t, e)), e, 1, n), tails.T: r}, "rounds s")),
        line("at most 1", le(exp(over), 1, ROUNDS), by.linear("in round", "of all", "inside")),
        line("not failed", le(over, 0, ROUNDS), by.apply(NEGATIVE, {algebra.X: over}, "at most 1")),
    )


RIVAL = (
    proof("fedcg/S6-rival", PLACE, note="where no estimate fails, the best item's is not far below its gain")
    .under(*CHOICE[2:4], BEST)
    .given("inside", INSIDE, "no estimate fails")
    .steps(*not_failed(-1, "top", top(t)))
    .qed(le(best(t) - estimate(t, top(t)), OFF, ROUNDS), by.linear("not failed", "best"))
)
PICKED = (
    proof("fedcg/S6-picked", PLACE, note="nor that of the item that is picked far above")
    .under(*CHOICE[:2], CHOICE[4], BEST)
    .given("inside", INSIDE, "no estimate fails")
    .steps(*not_failed(1, "picked", picked(t)))
    .qed(le(estimate(t, picked(t)) - gains(t, picked(t)), OFF, ROUNDS), by.linear("not failed", "top", "best"))
)

# In probability ------------------------------------------------------------------------------------------------------------

RUN: Mapping[Expr, Expr] = {
    greedy.value(t): value(t),
    greedy.best(t): best(t),
    greedy.chosen(t): estimate(t, picked(t)),
    greedy.rival(t): estimate(t, top(t)),
    greedy.joined(t, greedy.k): joined(t, greedy.k),
    greedy.ended(t): ended(t),
    m_F: worth,
}


def along(*given: Given) -> tuple[Given, ...]:
    """Return the hypotheses on greedy, for the run."""
    return tuple(Given(h.id, substitute_relation(h.relation, list(RUN.items())), h.why) for h in given)


ADDS = Given("adds", eq(value(t + 1) - value(t), gains(t, picked(t)), ROUNDS), "the picked item is added")
LOG = greedy.LOG
SHARES = {"uniform": greedy.EPS_UNIFORM, "matroid": eps}
SIGNED: dict[str, tuple[Step, ...]] = {
    "uniform": (
        line("two", le(2, exp(1)), by.fact("exp", 1)),
        line("half", le(Rational(1, 2), 1 - exp(-1)), by.linear("two")),
        line("level", le(greedy.EPS_UNIFORM, 1), by.linear("half", "c1", "two")),
    ),
    "matroid": (line("level", le(eps, 1), by.linear("c1")),),
}
factor = family(Nonnegative, "v")
FACTOR = Given("one of both", eq((1 - chance(i)) * (kappa * factor(i) - chance(i)), 0, CLIENTS),
    "kappa_i = min(1, kappa v_i): it is the one or the other")
GAIN = le(gain(t, i, e), factor(i) * worth, ROUNDS, ITEMS, CLIENTS)


def read_at(given: Given, here: Mapping[Expr, Expr]) -> Given:
    """Return a hypothesis on the coins at the rate for eps_1, and at these values."""
    left, right = (at(side).xreplace(dict(here)) for side in (given.relation.left, given.relation.right))
    return Given(given.id, Relation(left, given.relation.op, right, given.relation.over), given.why)


COINS = tuple(h for h in FRESH if h.id != "range")
ALL = (
    proof("fedcg/S6-all", PLACE, note="at the rate that fits eps_1, where a client's gain is at most v_i m_F")
    .under(*(read_at(h, {}) for h in COINS), FACTOR, Given("level", le(eps_1, 1), "eps_1 <= 1"))
    .given("gain", GAIN, "what v_i says")
    .step("share", le(0, 1 - chance(i), CLIENTS), by.linear("certain"))
    .step("range", le((1 - chance(i)) * gain(t, i, e), (1 - chance(i)) * chance(i) * AT[cap], ROUNDS, ITEMS, CLIENTS),
        by.linear("gain", "one of both", "share"))
    .step("small", le(AT[rate] * AT[cap], Rational(9, 4)), by.linear("level"))
    .step("spent", le(AT[rate] ** 2 * AT[cap], 2 * (1 - AT[rate] * AT[cap] / 3) * AT[spent]), by.linear("level"))
    .qed(le(E(at(FAILS)), 2 * r * n * exp(-level)), by.apply(TAILS, AT))
)
SIGNS = (
    proof("fedcg/S6-sign", PLACE)
    .step("each", le(0, at(failing(t, e)), ROUNDS, ITEMS), by.linear())
    .qed(le(0, at(FAILS)), by.sum_over((e, t), "each"))
)
_LOG_SIGN = line("log", le(0, LOG), by.apply(greedy.LOG_SIZE))
_LOGS = (
    line("logs", le(0, (1 - exp(-1)) * LOG), by.linear("log", "half")),
    line("least", le(0, KAPPA_UNIFORM), by.linear("logs")),
)
LEAST: dict[str, tuple[Expr, tuple[Step, ...]]] = {
    "uniform": (KAPPA_UNIFORM, _LOGS),
    "matroid": (KAPPA_MATROID, (line("least", le(0, KAPPA_MATROID), by.linear("log")),)),
}


def _on_the_run(here: Mapping[Any, Any], known: Sequence[str], inside: tuple[Relation, ...]) -> tuple[Step, ...]:
    """Prove that all relevant estimates are close if none fails."""
    far = OFF.xreplace(here)
    return (
        line("rival", le(best(t) - estimate(t, top(t)), far, ROUNDS),
            by.apply(RIVAL, here, "top from", "top to", "best", "within", *known), assuming=inside),
        line("above", le(estimate(t, picked(t)) - gains(t, picked(t)), far, ROUNDS),
            by.apply(PICKED, here, "picked from", "picked to", "top", "best", "within", *known), assuming=inside),
        line("picked", le(estimate(t, picked(t)) - (value(t + 1) - value(t)), far, ROUNDS), by.linear("above", "adds"),
            assuming=inside),
    )


def likely(
    kind: str, claim: str, place: str, why: str, note: str, printed: bool = False, named: str | None = None
) -> Theorem:
    """State the value of Algorithm 3 with probability 1 - 1/n if a client's gain is at most v_i m_F; ``why`` says why.

    ``printed``: at a kappa that is n times larger than necessary; ``named``: its name, if not that of the claim.
    """
    share = SHARES[kind]
    bound = {"uniform": bounds.S6_UNIFORM, "matroid": bounds.S6_MATROID}[kind]
    statement, (below, scale) = statement_of(bound, value(r))
    here = {eps_1: share, level: LOG}
    close = along(*{"uniform": greedy.JOINED, "matroid": greedy.EXCHANGED}[kind], greedy.START, greedy.SIZE)
    fails, gap = at(FAILS).xreplace(here), statement.gap
    case = le(1 - fails, Indicator(gap))
    inside, outside = (le(fails, 1),), (lt(1, fails),)
    least, signs = LEAST[kind]
    larger = Given("c2", le(n * least, kappa), "condition of the claim: n times as much")
    enough = (line("enough", scale.relation, by.linear("c2", "least")),)
    known = ("level", *(("half",) if kind == "uniform" else ()), "log")
    own, name = find(f"fedcg/{claim}").bound, named or f"fedcg/{claim.split('@')[0]}"
    return (
        proof(name, place, of=f"fedcg/{claim}", bound=own, failure=1 / n, note=note)
        .under(*(read_at(h, here) for h in COINS), FACTOR, *CHOICE, BEST)
        .given("chosen", along(greedy.CHOSEN)[0].relation, "the item of the largest estimate is picked")
        .under(ADDS, *close, below, larger if printed else scale)
        .given("gain", GAIN, why)
        .steps(*SIGNED[kind], _LOG_SIGN, *((*signs, *enough) if printed else ()))
        .step("tails", by.apply(ALL, here, *(h.id for h in COINS), "one of both", "gain", *known))
        .step("union", by.apply(greedy.UNION))
        .step("within", le(fails, 1), by.linear(), assuming=inside)
        .steps(*_on_the_run(here, known, inside))
        .step("outcome", statement,
            by.apply(f"fedcg/S6-{kind}-outcome", RUN, "rival", "picked", "chosen", *(h.id for h in close), "c1",
                "enough" if printed else "c2"), assuming=inside)
        .step("spare", le(0, gap), by.linear("outcome"), assuming=inside)
        .step("one", eq(Indicator(gap), 1), by.fact("indicator", gap, "spare"), assuming=inside)
        .step("signs", by.apply(SIGNS, here, *known))
        .step("1", case, by.linear("one", "signs"), assuming=inside)
        .step("2", case, by.linear(), assuming=outside)
        .step("either", by.cases("1", "2"))
        .step("in the mean", by.expectation("either"))
        .qed(le(1 - 1 / n, E(Indicator(gap))), by.linear("in the mean", "tails", "union"))
    )


IMPORTANCE = "f_i(e|S) <= f_i(e) <= w_i F(e) <= w_i m_F: the importance factors"
BY_LARGEST = "f_i(e|S) <= f_i(e) <= v_i m_F, v_i = max f_i(e)/m_F: no importance factors"
FRESH_COINS = "fresh coins: no estimate fails but with probability 2 r n exp(-l) = 1/n"
S6 = tuple(likely(kind, f"S6-{kind}@strengthened", PLACE, IMPORTANCE, FRESH_COINS) for kind in ("uniform", "matroid"))
LARGEST = (
    *(likely(kind, f"T5.1-largest-{kind}@strengthened", PLACE, BY_LARGEST, FRESH_COINS) for kind in ("uniform", "matroid")),
    likely("uniform", "D.4-sampled@explicit", "Remark D.4", BY_LARGEST, "clients sampled alike, for maximum coverage"),
)
PRINTED = (
    *(likely(kind, f"T5.1-{kind}@corrected", PLACE, IMPORTANCE, FRESH_COINS, True) for kind in ("uniform", "matroid")),
    likely("uniform", "D.2@printed", "Theorem D.2", IMPORTANCE, "Theorem 5.1 for facility location", True),
    likely("uniform", "D.5@printed", "Theorem D.5", IMPORTANCE, "Theorem 5.1 for maximum coverage", True),
)

THEOREMS = (TAILS, TERM, NEGATIVE, RIVAL, PICKED, ALL, SIGNS, *S6, *LARGEST, *PRINTED)
