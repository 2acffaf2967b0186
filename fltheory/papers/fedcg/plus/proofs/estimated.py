"""FedCG+ with gradients that are means over m random sets: their errors in every round, client, local step and item.

Sets are outcomes o from 1 to M, which a local step draws with probabilities P(t, i, c, o) that depend on the past;
X(i, e, o) is the marginal value of item e for a client there. ``far(t)`` is the largest estimation error in round t.
"""

from __future__ import annotations

from sympy import Abs, Expr, Symbol, exp

from fltheory.papers.fedcg.discrete.proofs import answers
from fltheory.papers.fedcg.estimates.proofs import samples
from fltheory.papers.fedcg.estimates.proofs.samples import RATE, TAIL, err, top
from fltheory.papers.fedcg.facts import hoeffding as past
from fltheory.papers.fedcg.facts import tails
from fltheory.papers.fedcg.facts.hoeffding import OUTCOMES, M, law, o
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.local.proofs.local import STEPS, c
from fltheory.papers.fedcg.notation import K, N, T, m, n, tau
from fltheory.papers.fedcg.plus.proofs.theorem43 import found, near
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, ITEMS, e, i
from fltheory.proof import Given, Step, by, eq, le, line, proof
from fltheory.proof.language import Range
from fltheory.proof.terms import E, RandomInteger, RandomNonnegative, Scalar, Total, family

PLACE = "Theorem 4.3"
t, s, k, a = full.t, tails.s, past.k, past.a
# Every estimate of a run --------------------------------------------------------------------------------------------------

value, drawn_set = family(Scalar, "X"), family(RandomInteger, "set")
SAMPLES = (k, 0, m - 1)
EVERY = (full.ROUNDS, CLIENTS, STEPS)


def off(count: Expr, client: Expr = i, step: Expr = c, item: Expr = e) -> Expr:
    """Return the sum of the deviations of the first sets of an estimate from their mean."""
    return Total(value(client, item, drawn_set(t, client, step, a)) - near(t, client, step, item), a, 0, count - 1)


def failing(client: Expr = i, step: Expr = c, item: Expr = e) -> Expr:
    """Return a number that exceeds 1 if the error of an estimate exceeds ``err`` in an item."""
    error = off(m, client, step, item)
    return exp(-RATE * (m * err + error)) + exp(-RATE * (m * err - error))


def _law(sign: int) -> Given:
    factor = Total(law(t, i, c, o) * exp(-sign * RATE * (value(i, e, o) - near(t, i, c, e))), o, 1, M)
    before, after = exp(-sign * RATE * off(k)), exp(-sign * RATE * off(k + 1))
    return Given("sample up" if sign > 0 else "sample down", eq(E(after), E(before * factor), *EVERY, ITEMS, SAMPLES),
        "a set is o with its probability at the point, whatever was drawn before")


DRAWN = (
    Given("set law", eq(Total(law(t, i, c, o), o, 1, M), 1, *EVERY), "probabilities of the sets at the point"),
    Given("set mean", eq(near(t, i, c, e), Total(law(t, i, c, o) * value(i, e, o), o, 1, M), *EVERY, ITEMS),
        "P1: the gradient is the mean of what an item adds"),
    Given("low", le(0, value(i, e, o), CLIENTS, ITEMS, OUTCOMES), "no gain is negative"),
    Given("high", le(value(i, e, o), top, CLIENTS, ITEMS, OUTCOMES), "nor above the largest value of an item"),
    _law(1),
    _law(-1),
)
IDS = tuple(h.id for h in DRAWN)


def _moment(sign: int) -> tuple[Step, ...]:
    name = "up" if sign > 0 else "down"
    least = 0 if sign > 0 else -top
    gains = (*EVERY, ITEMS)
    return (
        line(f"{name} from", le(least, sign * value(i, e, o), *gains, OUTCOMES),
            by.linear("low" if sign > 0 else "high")),
        line(f"{name} to", le(sign * value(i, e, o), least + top, *gains, OUTCOMES),
            by.linear("high" if sign > 0 else "low")),
        line(f"{name} mean",
            eq(sign * near(t, i, c, e), Total(law(t, i, c, o) * sign * value(i, e, o), o, 1, M), *gains),
            by.linear("set mean")),
        line(
            name,
            le(E(exp(-sign * RATE * off(m))), exp(m * RATE**2 * top**2 / 8), *gains),
            by.apply(
                past.ADAPTIVE,
                {
                    law(o): law(t, i, c, o),
                    past.score(o): sign * value(i, e, o),
                    past.pick(a): drawn_set(t, i, c, a),
                    past.mean: sign * near(t, i, c, e),
                    past.low: least,
                    past.past: 1,
                    past.rate: RATE,
                    past.width: top,
                    K: m,
                },
                "set law",
                f"{name} mean",
                f"{name} from",
                f"{name} to",
                f"sample {name}",
            ),
        ),
    )


def summed(term: Expr) -> Expr:
    """Return the sum over the items, local steps, clients and rounds."""
    return Total(Total(Total(Total(term, e, 1, n), c, 0, tau - 1), i, 1, N), t, 0, T - 1)


FAILS = summed(failing())
TAILS = (
    proof("fedcg/estimates", PLACE,
        note="Hoeffding's tails of all estimates of a run add up to the number of them times one")
    .under(*DRAWN)
    .steps(*_moment(1), *_moment(-1))
    .step("each", le(E(failing()), TAIL, *EVERY, ITEMS), by.linear("up", "down"))
    .step("sum", by.sum_over((e, c, i, t), "each"))
    .qed(le(E(FAILS), T * N * tau * n * TAIL), by.linear("sum"))
)
SIGNS = (
    proof("fedcg/estimates-sign", PLACE)
    .step("each", le(0, failing(), *EVERY, ITEMS), by.linear())
    .qed(le(0, FAILS), by.sum_over((e, c, i, t), "each"))
)

# No failing estimate --------------------------------------------------------------------------------------------------

item, term, count = Symbol("item", integer=True), tails.term, Symbol("count", integer=True, positive=True)
TERM = (
    proof("fedcg/term-from-0", PLACE, note="a term of a sum of numbers that are not negative, counted from 0")
    .given("terms", le(0, term(s), (s, 0, T - 1)), "no term is negative")
    .given("from", le(0, item), "a number")
    .given("to", le(item, T - 1), "of a term")
    .step("all", by.apply(tails.ONE))
    .qed(le(term(item), Total(term(s), s, 0, T - 1)), by.instance({t: item}, "all", "from", "to"))
)
far = family(RandomNonnegative, "far")
who, when, what = (family(RandomInteger, name)(t) for name in ("who", "when", "what"))
_ERROR = near(t, who, when, what) - found(t, who, when, what)
WORST = (
    Given("who from", le(1, who, full.ROUNDS), "a client"),
    Given("who to", le(who, N, full.ROUNDS), "one of N"),
    Given("when from", le(0, when, full.ROUNDS), "a local step"),
    Given("when to", le(when, tau - 1, full.ROUNDS), "one of tau"),
    Given("what from", le(1, what, full.ROUNDS), "an item"),
    Given("what to", le(what, n, full.ROUNDS), "one of n"),
    Given("worst", le(far(t), Abs(_ERROR), full.ROUNDS),
        "the largest error of a round is that of some client, local step and item"),
    Given("estimate", eq(found(t, i, c, e), Total(value(i, e, drawn_set(t, i, c, k)), k, 0, m - 1) / m, *EVERY, ITEMS),
        "the mean over m random sets"),
)
WORST_IDS = tuple(h.id for h in WORST)
q = answers.q
_OFF_AT = off(m, who, when, what)
_AT, _ITEM = failing(who, when, what), failing(who, when, e)
_STEP, _CLIENT = Total(failing(who, c, e), e, 1, n), Total(Total(failing(i, c, e), e, 1, n), c, 0, tau - 1)
_ROUND = Total(_CLIENT, i, 1, N)


def _signs(name: str, term_: Expr, *ranges: Range, inner: str = "", over: tuple[Symbol, ...] = ()) -> Step:
    """Prove that no term is negative."""
    return line(name, le(0, term_, *ranges), by.sum_over(over, inner) if over else by.linear())


FAR = (
    proof("fedcg/estimates-far", PLACE, note="where no estimate fails, none is farther off than err").under(*WORST)
    .given("inside", le(FAILS, 1), "no estimate fails")
    .steps(_signs("of item", failing(who, when, q), full.ROUNDS, (q, 1, n)),
        line("item", le(_AT, Total(_ITEM, e, 1, n), full.ROUNDS),
            by.apply(answers.TERM, {answers.item: what, answers.term(q): failing(who, when, q), answers.n: n},
                "of item", "what from", "what to")),
        _signs("of step each", failing(who, s, e), full.ROUNDS, (s, 0, tau - 1), ITEMS),
        _signs("of step", _STEP.xreplace({c: s}), full.ROUNDS, (s, 0, tau - 1), inner="of step each", over=(e,)),
        line("step", le(_STEP.xreplace({c: when}), Total(_STEP, c, 0, tau - 1), full.ROUNDS),
            by.apply(TERM, {item: when, term(s): _STEP.xreplace({c: s}), T: tau}, "of step", "when from", "when to")),
        _signs("of client each", failing(q, c, e), full.ROUNDS, (q, 1, N), STEPS, ITEMS),
        _signs("of client", _CLIENT.xreplace({i: q}), full.ROUNDS, (q, 1, N), inner="of client each", over=(e, c)),
        line("client", le(_CLIENT.xreplace({i: who}), _ROUND, full.ROUNDS),
            by.apply(answers.TERM, {answers.item: who, answers.term(q): _CLIENT.xreplace({i: q}), answers.n: N},
                "of client", "who from", "who to")),
        _signs("of round each", failing().xreplace({t: s}), (s, 0, T - 1), CLIENTS, STEPS, ITEMS),
        _signs("of round", _ROUND.xreplace({t: s}), (s, 0, T - 1), inner="of round each", over=(e, c, i)),
        line("round", le(_ROUND, FAILS, full.ROUNDS),
            by.apply(tails.ONE, {term(s): _ROUND.xreplace({t: s})}, "of round")))
    .step("at most 1", le(_AT, 1, full.ROUNDS), by.linear("item", "step", "client", "round", "inside"))
    .step("near", by.apply(samples.NEAR, {samples.Y: _OFF_AT}))
    .step("found", by.instance({i: who, c: when, e: what}, "estimate", *WORST_IDS[:6]))
    .step("is", by.fact("abs", _OFF_AT), over=full.ROUNDS)
    .step("is not", le(-_OFF_AT, Abs(_OFF_AT), full.ROUNDS), by.fact("abs", -_OFF_AT))
    .step("above", le(_ERROR, err, full.ROUNDS), by.linear("is not", "near", "found"))
    .step("below", le(-_ERROR, err, full.ROUNDS), by.linear("is", "near", "found"))
    .step("size", by.absolute("above", "below"))
    .qed(le(far(t), err, full.ROUNDS), by.linear("worst", "size"))
)

THEOREMS = (TAILS, SIGNS, TERM, FAR)
