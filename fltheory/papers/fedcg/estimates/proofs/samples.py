"""Appendix C.3, values and gradients, as their claims state them: the probability that sample means have a large error.

Estimates are numbered by j from 1 to J, entries by e from 1 to n. A sample of estimate j is the outcome o with probability
P(j, o), and then its entry e is X(j, e, o): f(R + e) - f(R - e), or the only entry f(R) for a value.
"""

from __future__ import annotations

from sympy import Abs, Expr, Symbol, exp, log, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.fedcg.discrete.proofs import answers
from fltheory.papers.fedcg.estimates.proofs import estimates
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.facts import hoeffding as past
from fltheory.papers.fedcg.notation import J, K, N, delta, eps, m, m_max, n, sigma
from fltheory.papers.fedcg.points.proofs import lemmas
from fltheory.proof import Chain, Given, Relation, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import E, Indicator, Nonnegative, RandomInteger, Scalar, Total, family
from fltheory.verification import find

PLACE = "Appendix C.3"
j, e = (Symbol(name, integer=True, positive=True) for name in "je")
o, k, a = lemmas.i, past.k, past.a  # outcomes, samples from 0
chance, value, mean = family(Nonnegative, "P"), family(Scalar, "X"), family(Scalar, "mean")
pick = family(RandomInteger, "pick")
ESTIMATES, ITEMS, OUTCOMES, SAMPLES = (j, 1, J), (e, 1, n), (o, 1, N), (k, 0, m - 1)
top, err = Symbol("top", positive=True), Symbol("err", positive=True)
RATE = 4 * err / top**2


def off(count: Expr, which: Expr = j, entry: Expr = e) -> Expr:
    """Return the sum of the deviations of the first samples of an entry from its mean."""
    return Total(value(which, entry, pick(which, a)) - mean(which, entry), a, 0, count - 1)


def one_side(sign: int, which: Expr = j, entry: Expr = e) -> Expr:
    """Return a number that exceeds 1 if the error of the sample mean exceeds ``err`` on this side."""
    return exp(-RATE * (m * err + sign * off(m, which, entry)))


def failing(which: Expr = j, entry: Expr = e) -> Expr:
    """Return the same for either side."""
    return one_side(1, which, entry) + one_side(-1, which, entry)


def law(sign: int) -> Given:
    """Return the factor of a sample in the exponential moment, on one side."""
    factor = Total(chance(j, o) * exp(-sign * RATE * (value(j, e, o) - mean(j, e))), o, 1, N)
    before, after = exp(-sign * RATE * off(k)), exp(-sign * RATE * off(k + 1))
    return Given("sample up" if sign > 0 else "sample down",
        eq(E(after), E(before * factor), ESTIMATES, ITEMS, SAMPLES),
        "a sample is the outcome o with its probability, whatever the samples before it")


DRAWN = (
    Given("law", eq(Total(chance(j, o), o, 1, N), 1, ESTIMATES), "probabilities of the sets that are drawn"),
    Given("mean", eq(mean(j, e), Total(chance(j, o) * value(j, e, o), o, 1, N), ESTIMATES, ITEMS),
        "the estimate is of the mean of a sample: of the extension, or by P1 of its gradient"),
    Given("low", le(0, value(j, e, o), ESTIMATES, ITEMS, OUTCOMES), "no value and no gain is negative"),
    Given("high", le(value(j, e, o), top, ESTIMATES, ITEMS, OUTCOMES), "nor above the largest"),
    law(1),
    law(-1),
)
IDS = tuple(h.id for h in DRAWN)


def _moment(sign: int) -> tuple[Step, ...]:
    """Bound one side's tail by Hoeffding's lemma."""
    name = "up" if sign > 0 else "down"
    least = 0 if sign > 0 else -top
    ranges = (ESTIMATES, ITEMS)
    return (
        line(f"{name} from", le(least, sign * value(j, e, o), *ranges, OUTCOMES),
            by.linear("low" if sign > 0 else "high")),
        line(f"{name} to", le(sign * value(j, e, o), least + top, *ranges, OUTCOMES),
            by.linear("high" if sign > 0 else "low")),
        line(f"{name} mean", eq(sign * mean(j, e), Total(chance(j, o) * sign * value(j, e, o), o, 1, N), *ranges),
            by.linear("mean")),
        line(
            name,
            le(E(exp(-sign * RATE * off(m))), exp(m * RATE**2 * top**2 / 8), *ranges),
            by.apply(
                past.GIVEN_PAST,
                {
                    lemmas.p(o): chance(j, o),
                    past.score(o): sign * value(j, e, o),
                    past.pick(a): pick(j, a),
                    past.mean: sign * mean(j, e),
                    past.low: least,
                    past.past: 1,
                    past.rate: RATE,
                    past.width: top,
                    K: m,
                },
                "law",
                f"{name} mean",
                f"{name} from",
                f"{name} to",
                f"sample {name}",
            ),
        ),
    )


TAIL = 2 * exp(-2 * m * err**2 / top**2)
TAILS = (
    proof("fedcg/samples", PLACE, note="Hoeffding's tails of every entry of every estimate, on both sides")
    .under(*DRAWN)
    .steps(*_moment(1), *_moment(-1))
    .qed(le(E(failing()), TAIL, ESTIMATES, ITEMS), by.linear("up", "down"))
)
which, entry = Symbol("which", integer=True, positive=True), Symbol("entry", integer=True, positive=True)
Y = Symbol("Y", real=True)


def _near(sign: int) -> Step:
    return line("near" if sign > 0 else "far", le(-RATE * (m * err + sign * Y), 0),
        by.apply(answers.NEGATIVE, {algebra.X: -RATE * (m * err + sign * Y)}, "up" if sign > 0 else "down"))


_FAILS_Y = exp(-RATE * (m * err + Y)) + exp(-RATE * (m * err - Y))
NEAR = (
    proof("fedcg/samples-near", PLACE, note="where neither side fails the mean is off by at most err")
    .given("inside", le(_FAILS_Y, 1), "neither side fails")
    .step("up", le(exp(-RATE * (m * err + Y)), 1), by.linear("inside"))
    .step("down", le(exp(-RATE * (m * err - Y)), 1), by.linear("inside"))
    .steps(_near(1), _near(-1))
    .step("above", le(Y, m * err), by.linear("far"))
    .step("below", le(-Y, m * err), by.linear("near"))
    .qed(le(Abs(Y), m * err), by.absolute("above", "below"))
)

# In probability ------------------------------------------------------------------------------------------------------------


def event(chain: Chain, gap: Expr, fails: Expr, signs: tuple[Step, ...]) -> Chain:
    """Prove ``outcome``, 1 minus the failures is at most 1{0 <= gap}, from ``spare``, 0 <= gap if nothing fails."""
    inside, outside = le(fails, 1), lt(1, fails)
    case = le(1 - fails, Indicator(gap))
    return (
        chain.step("one", eq(Indicator(gap), 1), by.fact("indicator", gap, "spare"), assuming=inside)
        .steps(*signs)
        .step("case 1", case, by.linear("one", "signs"), assuming=inside)
        .step("case 2", case, by.linear(), assuming=outside)
        .step("outcome", by.cases("case 1", "case 2"))
    )


def within(fails: Expr) -> Step:
    """Return the assumption that nothing fails."""
    return line("within", le(fails, 1), by.linear(), assuming=le(fails, 1))


_GAP = err - Abs(Y) / m
EVENT = event(
    proof("fedcg/samples-event", PLACE, note="an error above err is a failure on one side")
    .steps(within(_FAILS_Y))
    .step("close", by.apply(NEAR), assuming=le(_FAILS_Y, 1))
    .step("spare", le(0, _GAP), by.linear("close"), assuming=le(_FAILS_Y, 1)),
    _GAP,
    _FAILS_Y,
    (line("signs", le(0, _FAILS_Y), by.linear()),),
).qed(le(1 - _FAILS_Y, Indicator(_GAP)), by.linear("outcome"))


def over(relation: Relation) -> Relation:
    """Return a relation for every entry of every estimate."""
    return Relation(relation.left, relation.op, relation.right, (ESTIMATES, ITEMS))


def at(reading: dict[Expr, Expr]) -> tuple[Given, ...]:
    """Return the distribution of the samples with the error in another notation."""
    return tuple(Given(h.id, h.relation.at(reading), h.why) for h in DRAWN)


_RELATIVE = {err: eps * top}
_FAILS = 1 - Indicator(eps * top - (Abs(off(m)) / m))
_HOEFFDING = find("fedcg/C.3@corrected").bound
C3 = (
    proof("fedcg/C.3-relative-error", "Appendix C.3", of="fedcg/C.3@corrected", bound=_HOEFFDING,
        note="of any numbers from 0 to the largest value: the mean of m of them is off by more than its part sigma")
    .under(*at(_RELATIVE))
    .step("tails", by.apply(TAILS, _RELATIVE))
    .step("event", over(EVENT.statement.at({**_RELATIVE, Y: off(m)})), by.apply(EVENT, {**_RELATIVE, Y: off(m)}))
    .step("in the mean", by.expectation("event"))
    .qed(over(statement_of(_HOEFFDING, E(_FAILS))[0]), by.linear("tails", "in the mean"))
)
_LARGE = find("fedcg/C.3-large@corrected").bound
_CLAIM, ENOUGH = statement_of(_LARGE, E(_FAILS))
C3_LARGE = (
    proof("fedcg/C.3-large@corrected", "Appendix C.3", of="fedcg/C.3-large@corrected", bound=_LARGE,
        note="where the printed tail is above Hoeffding's")
    .under(*at(_RELATIVE), *ENOUGH)
    .step("tail", by.apply(C3))
    .step("less", by.apply(estimates.C3_ENOUGH, {sigma: eps}))
    .qed(over(_CLAIM), by.linear("tail", "less"))
)

# Some entry of some estimate -------------------------------------------------------------------------------------------------

worst, place = family(RandomInteger, "worst")(), family(RandomInteger, "place")()
_ALL = Total(Total(failing(), e, 1, n), j, 1, J)
SIGNS = (
    proof("fedcg/samples-sign", PLACE)
    .step("each", le(0, failing(), ESTIMATES, ITEMS), by.linear())
    .qed(le(0, _ALL), by.sum_over((e, j), "each"))
)
ALL = (
    proof("fedcg/samples-all", PLACE, note="in the mean all tails add up to the number of them times Hoeffding's")
    .under(*DRAWN)
    .step("each", by.apply(TAILS))
    .step("sum", by.sum_over((e, j), "each"))
    .qed(le(E(_ALL), n * J * TAIL), by.linear("sum"))
)


def member(name: str, number: Expr, count: Expr, what: str) -> tuple[Given, Given]:
    """Return the hypotheses that a number is that of an estimate, or of an entry."""
    return Given(f"{name} from", le(1, number), what), Given(f"{name} to", le(number, count), what)


_WORST = member("estimate", worst, J, "the number of an estimate, which may depend on the samples: the worst of them")
_PLACE = member("entry", place, n, "the number of its entry that is farthest off")
_OF_ONE = Total(failing(), e, 1, n)
ONE = (
    proof("fedcg/samples-one", PLACE, note="where no entry of any estimate fails, none of this one does").under(*_WORST)
    .given("inside", le(_ALL, 1), "no entry fails")
    .step("sign", le(0, failing(), ESTIMATES, ITEMS), by.linear())
    .step("signs", by.sum_over(e, "sign"))
    .step("signs q", by.instance({j: answers.q}, "signs"), over=(answers.q, 1, J))
    .step("one", le(_OF_ONE.xreplace({j: worst}), _ALL),
        by.apply(answers.TERM,
            {answers.item: worst, answers.term(answers.q): _OF_ONE.xreplace({j: answers.q}), answers.n: J}))
    .step("sign q", le(0, failing(worst), ITEMS), by.linear())
    .step("term", le(failing(worst), _OF_ONE.xreplace({j: worst}), ITEMS),
        by.apply(algebra.ONE, {algebra.term(algebra.j): failing(worst, algebra.j), algebra.count: n}, "sign q"))
    .step("at most 1", le(failing(worst), 1, ITEMS), by.linear("one", "term", "inside"))
    .qed(le(Abs(off(m, worst)), m * err, ITEMS), by.apply(NEAR, {Y: off(m, worst)}))
)


def enough(error: Expr, count: Expr) -> tuple[Given, Step, Step]:
    """Return the hypothesis and the steps by which all tails add up to at most delta."""
    return (
        Given("worth", lt(0, m_max), "the function is not 0"),
        line("all", le(E(_ALL.xreplace(_at(error))), n * J * TAIL.xreplace(_at(error))),
            by.apply(ALL, _at(error), *IDS, "worth", "error")),
        line("total", le(2 * n * J * exp(-2 * m * error**2 / m_max**2), delta),
            by.apply(estimates.S8, {estimates.m_f: m_max, estimates.number: m, estimates.error: error, n: n * J},
                "number", "worth", "error")),
    )


def _at(error: Expr) -> dict[Expr, Expr]:
    return {err: error, top: m_max}


def some(name: str, error: Expr, gap: Expr, close: tuple[Step, ...], entry: tuple[Given, ...], note: str) -> Theorem:
    """Bound by delta the probability that some estimate of the run has an error above sigma."""
    bound: Bound = find(name).bound
    statement, (number, *_) = statement_of(bound, E(1 - Indicator(gap)))
    fails = _ALL.xreplace(_at(error))
    worth, every, total = enough(error, n)
    chain = (
        proof(name, "Section 4, gradient estimation", of=name, bound=bound, note=note)
        .under(*at(_at(error)), *_WORST, *entry, worth, number)
        .given("sigma", lt(0, sigma), "an error")
        .step("error", lt(0, error), by.linear(sigma=error / sigma) if error != sigma else by.linear("sigma"))
        .step("number", le(m_max**2 / (2 * error**2) * log(2 * n * J / delta), m), by.linear("c1"))
        .steps(every, total, within(fails))
        .step("near", by.apply(ONE, _at(error), "estimate from", "estimate to", "within", "worth", "error"),
            assuming=le(fails, 1))
        .steps(*close)
    )
    signs = (line("signs", le(0, fails), by.apply(SIGNS, _at(error), "worth", "error")),)
    return (
        event(chain, gap, fails, signs)
        .step("in the mean", by.expectation("outcome"))
        .qed(statement, by.linear("in the mean", "all", "total"))
    )


_IN_MAX = le(_ALL.xreplace(_at(sigma)), 1)
_ENTRY = off(m, worst, place)
SAMPLES_MAX = some("fedcg/C.3-samples@corrected", sigma, sigma - Abs(_ENTRY) / m,
    (
        line("there", le(Abs(_ENTRY), m * sigma), by.instance({e: place}, "near", "entry from", "entry to"),
            assuming=_IN_MAX), line("spare", le(0, sigma - Abs(_ENTRY) / m), by.linear("there"), assuming=_IN_MAX)),
    _PLACE, "whatever entry of whatever estimate is looked at: by Hoeffding's tails of all of them")
_PART = sigma / sqrt(n)
_IN_ALL = le(_ALL.xreplace(_at(_PART)), 1)
_LENGTH = Total((off(m, worst) / m) ** 2, e, 1, n)
SAMPLES_EUCLIDEAN = some("fedcg/C.3-samples-euclidean@corrected", _PART, sigma**2 - _LENGTH,
    (
        line("square", le((off(m, worst) / m) ** 2, sigma**2 / n, ITEMS),
            by.linear(near=(Abs(off(m, worst)) + m * _PART) / m**2), assuming=_IN_ALL),
        line("squares", le(_LENGTH, sigma**2), by.sum_over(e, "square"), assuming=_IN_ALL),
        line("spare", le(0, sigma**2 - _LENGTH), by.linear("squares"), assuming=_IN_ALL)), (),
    "each entry is off by at most sigma over the root of n; lengths and sigma are compared as squares")

THEOREMS = (TAILS, NEAR, EVENT, C3, C3_LARGE, SIGNS, ALL, ONE, SAMPLES_MAX, SAMPLES_EUCLIDEAN)
