"""Theorem 5.1 with coins tossed once (S7): Chernoff's multiplicative tail, and greedy on the sampled function.

Sets are numbered from 1 to ``count``: the nonempty independent sets. Each has a positive value, as items of value 0 are
left out: w_i divides by F(e). ``part(S, i)`` is f_i(S), ``found(S)`` is F(S) and F'(S) the sum of the answers, each
counted 1/kappa_i times.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Abs, Expr, Integer, Rational, Symbol, exp, log

from fltheory.papers.fedcg.discrete import bounds
from fltheory.papers.fedcg.discrete.proofs import answers as fresh
from fltheory.papers.fedcg.discrete.proofs import theorem51 as greedy
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.facts import bernstein as one
from fltheory.papers.fedcg.notation import OPT, N, T, eps, independent, kappa, n, r
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.chain import Chain
from fltheory.proof.terms import (E, Indicator, Nonnegative, Positive, RandomInteger, RandomNonnegative, RandomScalar,
    Total, family)

PLACE = "Theorem 5.1"
s, i, j, k = Symbol("s", integer=True, positive=True), one.i, one.j, one.k
count = Symbol("count", integer=True, positive=True)
SETS, CLIENTS = (s, 1, count), one.CLIENTS
part, found, weight = family(Nonnegative, "part"), family(Positive, "found"), family(Nonnegative, "w")
coin, chance = family(RandomScalar, "coin"), one.chance
off_by = Symbol("eps_1", positive=True)
LOG = log(2 * n * independent)
RATE, SPENT, CAP = 3 * off_by * kappa / (4 * r), 3 * off_by**2 * kappa / (8 * r), r / kappa  # times or over F(S)


def total(where: Expr, clients: Expr = N) -> Expr:
    """Return F(S), or the sum over the first clients."""
    return Total(part(where, j), j, 1, clients)


def off(where: Expr, clients: Expr = N) -> Expr:
    """Return the error of F'(S)."""
    return Total(coin(j) * part(where, j) / chance(j) - part(where, j), j, 1, clients)


def rate(where: Expr) -> Expr:
    """Return the rate at which a set's deviation enters its exponential moment."""
    return RATE / found(where)


def spent(where: Expr) -> Expr:
    """Return the part of the exponent that a unit of the set's value uses."""
    return SPENT / found(where)


def excess(sign: int, where: Expr) -> Expr:
    """Return a number that is positive only if the set's value has a large error on this side."""
    return sign * rate(where) * off(where) - spent(where) * total(where) - LOG


def failing(where: Expr) -> Expr:
    """Return a number that exceeds 1 if the set's value has a large error, on either side."""
    return exp(excess(1, where)) + exp(excess(-1, where))


FAILS = Total(failing(s), s, 1, count)


def law(sign: int) -> Given:
    """Return the distribution of one coin for each client, tossed once."""
    before = exp(sign * rate(s) * off(s, k) - spent(s) * total(s, k + 1))
    after = exp(sign * rate(s) * off(s, k + 1) - spent(s) * total(s, k + 1))
    mixed = one.mixture(sign, part(s, k + 1), chance(k + 1)).xreplace({one.rate: rate(s)})
    return Given("coins up" if sign > 0 else "coins down", eq(E(after), E(before * mixed), SETS, one.ORDER),
        "client k + 1 answers with its probability, given the answers before it")


COINS = (Given("certain", le(chance(i), 1, CLIENTS), "probabilities"), law(1), law(-1))
ANSWERS = (
    Given("one of both", eq((1 - chance(i)) * (kappa * weight(i) - chance(i)), 0, CLIENTS),
        "kappa_i = min(1, kappa w_i): it is the one or the other"),
    Given("share", le(part(s, i), r * weight(i) * found(s), SETS, CLIENTS), "fedcg/S7-share: f_i(S) <= r w_i F(S)"),
    Given("sum", eq(found(s), total(s), SETS), "F is the sum of the clients' functions"),
    Given("few", le(count, independent), "they are no more than all independent sets"),
)
SMALL = Given("small", le(off_by, 1), "a part of the value")


def one_side(sign: int) -> tuple[Step, ...]:
    """Prove the probability that a set's value has a large error on one side, and its sum over the sets."""
    side = "up" if sign > 0 else "down"
    inner = exp(sign * rate(s) * off(s) - spent(s) * total(s))
    reading = {
        one.past: Integer(1),
        one.gain(i): part(s, i),
        one.coin(i): coin(i),
        one.rate: rate(s),
        one.spent: spent(s),
        one.cap: CAP * found(s),
    }
    return (
        line(side, le(E(inner), 1, SETS),
            by.apply(f"fedcg/bernstein-{side}", reading, "certain", "range", "least", "spent", f"coins {side}")),
        line(f"{side} fails", le(E(exp(-LOG) * inner), exp(-LOG), SETS), by.linear(side)),
        line(f"{side} of all", le(Total(E(exp(-LOG) * inner), s, 1, count), count * exp(-LOG)),
            by.sum_over(s, f"{side} fails")),
    )


CHERNOFF = (
    proof("fedcg/S7-tails", PLACE,
        note="Chernoff's tails of all independent sets: in the mean they add up to at most 1/n")
    .under(*COINS, *ANSWERS[:2], ANSWERS[3], SMALL)
    .step("absent", le(0, 1 - chance(i), CLIENTS), by.linear("certain"))
    .step("range", le((1 - chance(i)) * part(s, i), (1 - chance(i)) * chance(i) * CAP * found(s), SETS, CLIENTS),
        by.linear("share", "one of both", "absent"))
    .step("least", le(rate(s) * CAP * found(s), Rational(9, 4), SETS), by.linear("small"))
    .step("spent", le(rate(s) ** 2 * CAP * found(s), 2 * (1 - rate(s) * CAP * found(s) / 3) * spent(s), SETS),
        by.linear("small"))
    .steps(*one_side(1), *one_side(-1))
    .qed(le(E(FAILS), 1 / n), by.linear("up of all", "down of all", "few"))
)

# No set with a large error --------------------------------------------------------------------------------------------

where = Symbol("where", integer=True)
ENOUGH = Given("enough", le(LOG, 3 * off_by**2 * kappa / (8 * r)), "kappa is large enough")
AT = (Given("from", le(1, where), "one of the sets"), Given("to", le(where, count), "one of the sets"))


def near(sign: int) -> Theorem:
    """State that no set's value has a relative error above eps_1 on one side."""
    over = excess(sign, where)
    return (
        proof(f"fedcg/S7-{'above' if sign > 0 else 'below'}", PLACE, note="where no set is far off, on one side")
        .under(*AT, ENOUGH)
        .given("sum", eq(found(where), total(where)), "F is the sum of the clients' functions")
        .given("inside", le(FAILS, 1), "no set is far off")
        .step("sign", le(0, failing(s), SETS), by.linear())
        .step("of all", le(failing(where), FAILS),
            by.apply(fresh.TERM, {fresh.item: where, fresh.term(fresh.q): failing(fresh.q), n: count}, "sign", "from",
                "to"))
        .step("at most 1", le(exp(over), 1), by.linear("of all", "inside"))
        .step("not far", by.apply(fresh.NEGATIVE, {algebra.X: over}))
        .qed(le(sign * off(where), off_by * found(where)), by.linear("not far", "enough", "sum"))
    )


NEAR = (near(1), near(-1))

# In probability --------------------------------------------------------------------------------------------------------------

worst, picked = family(RandomInteger, "worst")(), family(RandomInteger, "picked")()
optimal = Symbol("optimal", integer=True)
LOG_SIGN = (
    line("tangent", le(1 - LOG, exp(-LOG)), by.fact("exp", -LOG)),
    line("log", le(0, LOG), by.linear("tangent")),
)


def at(given: Given, here: Mapping[Expr, Expr]) -> Given:
    """Return a hypothesis at a value of eps_1."""
    left, right = (side.xreplace(dict(here)) for side in (given.relation.left, given.relation.right))
    return Given(given.id, Relation(left, given.relation.op, right, given.relation.over), given.why)


def member(name: str, number: Expr, what: str) -> tuple[Given, Given]:
    """Return the hypotheses that a number is that of a set."""
    return Given(f"{name} from", le(1, number), what), Given(f"{name} to", le(number, count), what)


def beside(name: str, side: str, number: Expr, here: Mapping[Expr, Expr]) -> Step:
    """Prove that the error of a set is small on one side, if it is so for all sets."""
    sign = 1 if side == "above" else -1
    return line(f"{name} {side}", le(sign * off(number), off_by.xreplace(dict(here)) * found(number)),
        by.apply(f"fedcg/S7-{side}", {**here, where: number}, f"{name} from", f"{name} to", "enough", f"{name} sum",
            "within"), assuming=le(FAILS.xreplace(dict(here)), 1))


def summed(name: str, number: Expr) -> Step:
    """Prove that F of a set is the sum of its parts."""
    return line(f"{name} sum", eq(found(number), total(number)),
        by.instance({s: number}, "sum", f"{name} from", f"{name} to"))


def likely(chain: Chain, gap: Expr, here: Mapping[Expr, Expr], last: str) -> Chain:
    """Conclude from the step ``last``, 0 <= gap without large errors, to the probability of 0 <= gap."""
    fails = FAILS.xreplace(dict(here))
    inside, outside = le(fails, 1), lt(1, fails)
    case = le(1 - fails, Indicator(gap))
    return (
        chain.step("one", eq(Indicator(gap), 1), by.fact("indicator", gap, last), assuming=inside)
        .step("sign", le(0, failing(s).xreplace(dict(here)), SETS), by.linear())
        .step("signs", by.sum_over(s, "sign"))
        .step("case 1", case, by.linear("one", "signs"), assuming=inside)
        .step("case 2", case, by.linear(), assuming=outside)
        .step("either", by.cases("case 1", "case 2"))
        .step("in the mean", by.expectation("either"))
        .step("tails", by.apply(CHERNOFF, here))
    )


_FINE = eps * found(worst) - Abs(off(worst))
_DEVIATION, (_PART, _ENOUGH) = statement_of(bounds.S7_DEVIATION, E(1 - Indicator(_FINE)))
_EPS = {off_by: eps}
DEVIATION = likely(
    proof(
        "fedcg/S7-deviation",
        PLACE,
        of="fedcg/S7-deviation@strengthened",
        bound=bounds.S7_DEVIATION,
        note="whatever independent set is looked at once the coins are thrown",
    )
    .under(*(at(h, _EPS) for h in COINS), *ANSWERS, _PART, _ENOUGH)
    .under(*member("set", worst, "the number of a set, which may depend on the coins"))
    .steps(
        *LOG_SIGN,
        line("small", le(eps, 1), by.linear("c1")),
        line("enough", ENOUGH.relation.at(_EPS), by.linear("c2", "log")),
        line("within", le(FAILS.xreplace(_EPS), 1), by.linear(), assuming=le(FAILS.xreplace(_EPS), 1)),
        summed("set", worst),
        beside("set", "above", worst, _EPS),
        beside("set", "below", worst, _EPS),
        line("off", le(Abs(off(worst)), eps * found(worst)), by.absolute("set above", "set below"),
            assuming=le(FAILS.xreplace(_EPS), 1)),
        line("spare", le(0, _FINE), by.linear("off"), assuming=le(FAILS.xreplace(_EPS), 1)),
    ),
    _FINE,
    _EPS,
    "spare",
).qed(_DEVIATION, by.linear("in the mean", "tails"))

# Greedy on the sampled function ------------------------------------------------------------------------------------

t = greedy.t
tried, value, best, joined, ended = (family(RandomNonnegative, name) for name in ("F'_O", "F'", "G'", "U'", "W'"))
SAMPLED: Mapping[Expr, Expr] = {
    OPT: tried(),
    greedy.value(t): value(t),
    greedy.best(t): best(t),
    greedy.joined(t, greedy.k): joined(t, greedy.k),
    greedy.ended(t): ended(t),
}
FACTOR = {"uniform": 1 - exp(-1), "matroid": Rational(1, 2)}
NWF = {"uniform": bounds.NWF_UNIFORM, "matroid": bounds.NWF_MATROID}


def on_sampled(*given: Given) -> tuple[Given, ...]:
    """Return the hypotheses on greedy for the sampled function, which is monotone and submodular too."""
    return tuple(Given(h.id, substitute_relation(h.relation, list(SAMPLED.items())), f"of F': {h.why}") for h in given)


_HALF = {off_by: eps / 2}
_INSIDE = le(FAILS.xreplace(_HALF), 1)


def _beside(share: Expr) -> tuple[Step, ...]:
    """Translate a guarantee on F' to F: both sets are within their tails."""
    uses = {"promised": 1, "S above": 1, "O below": share, "end": 1, "tried": -share, "optimum": share * (1 - eps / 2)}
    return (
        line("sampled", le(share * (1 - eps / 2) * OPT, (1 + eps / 2) * found(picked)), by.linear(uses, "share sign"),
            assuming=_INSIDE),
        line("part", le((1 - eps) * share * OPT, found(picked)),
            by.linear({"sampled": 1 / (1 + eps / 2), "share sign": OPT * eps**2 / (2 * (1 + eps / 2))}),
            assuming=_INSIDE),
    )


def once(kind: str, note: str) -> Theorem:
    """State the guarantee of greedy on the sampled function for the true one, with probability 1 - 1/n."""
    bound, share = {"uniform": bounds.S7_UNIFORM, "matroid": bounds.S7_MATROID}[kind], FACTOR[kind]
    statement, conditions = statement_of(bound, found(picked))
    promised = substitute_relation(statement_of(NWF[kind], greedy.value(r))[0], list(SAMPLED.items()))
    close = on_sampled(greedy.EXACT, *{"uniform": greedy.JOINED, "matroid": greedy.EXCHANGED}[kind], greedy.START)
    gap = statement.gap
    signs: tuple[Step, ...] = (line("share sign", le(0, share), by.linear()),)
    if kind == "uniform":
        signs = (
            line("two", le(2, exp(1)), by.fact("exp", 1)),
            line("share sign", le(0, share), by.linear("two")),
            line("P8", algebra.P8.statement.at({T: r}), by.apply(algebra.P8, {T: r})),
        )
    chain = (
        proof(f"fedcg/S7-{kind}", PLACE, of=f"fedcg/S7-{kind}@strengthened", bound=bound, failure=1 / n, note=note)
        .under(*(at(h, _HALF) for h in COINS), *ANSWERS, *close, *conditions)
        .under(*member("S", picked, "greedy's set on F', which depends on the coins"))
        .under(*member("O", optimal, "an optimal set"))
        .given("end", eq(value(r), found(picked) + off(picked)), "F' of greedy's set")
        .given("tried", eq(tried(), found(optimal) + off(optimal)), "F' of an optimal set")
        .given("optimum", eq(OPT, found(optimal)), "it is one for F")
        .steps(*LOG_SIGN, *signs, line("share most", le(share, 1), by.linear()))
        .step("small", le(eps / 2, 1), by.linear("c1"))
        .step("enough", ENOUGH.relation.at(_HALF), by.linear("c2", "log"))
        .step("within", _INSIDE, by.linear(), assuming=_INSIDE)
        .steps(summed("S", picked), summed("O", optimal))
        .steps(beside("S", "above", picked, _HALF), beside("O", "below", optimal, _HALF))
        .step("by greedy", promised, by.apply(f"fedcg/NWF-{kind}", SAMPLED, *(h.id for h in close)))
        .step("promised", le(share * tried(), value(r)),
            by.linear({"by greedy": 1, **({"P8": tried()} if kind == "uniform" else {})}))
        .steps(*_beside(share))
        .step("spare", le(0, gap), by.linear("part", "share most"), assuming=_INSIDE)
    )
    return likely(chain, gap, _HALF, "spare").qed(le(1 - 1 / n, E(Indicator(gap))), by.linear("in the mean", "tails"))


ONCE = (
    once("uniform", "1 - 1/e - eps with coins thrown once: no sampled value is far off but with probability 1/n"),
    once("matroid", "1/2 - eps with coins thrown once, likewise"),
)

THEOREMS = (CHERNOFF, *NEAR, DEVIATION, *ONCE)
