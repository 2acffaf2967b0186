"""Bernstein's inequality given the past: client i's gain counts 1/kappa_i times, with probability kappa_i.

``cap`` is the largest contribution of a random answer (kappa_i < 1). Knowledge before the draws is any number
``past``. The same moment gives Chernoff's multiplicative tail.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, diff, exp

from fltheory.papers.fedcg.notation import N
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, proof
from fltheory.proof.terms import E, Positive, RandomNonnegative, RandomScalar, Total, family

PLACE = "Theorem 5.1"

# Above and below exp --------------------------------------------------------------------------------------------------

u = Symbol("u", nonnegative=True)
_above = 1 + 2 * u / 3 + u**2 / 6 - (1 - u / 3) * exp(u)
_below = 1 - u + u**2 / 2 - exp(-u)


def rises(f: Expr, name: str, above: str) -> tuple[Step, ...]:
    """Prove 0 <= f from 0 <= f(0) and 0 <= f'(u)."""
    return (
        line(f"{name} at 0", le(0, f.xreplace({u: 0 * u})), by.linear()),
        line(name, le(0, f), by.derivative(u, f"{name} at 0", above)),
    )


EXP_UP = (
    proof(
        "fedcg/exp-up", PLACE, note="(1 - u/3) exp(u) <= 1 + 2u/3 + u^2/6: exp(u) <= 1 + u + u^2/(2 (1 - u/3)) below 3"
    )
    .step("d3", le(0, diff(_above, u, 3)), by.linear())
    .steps(*rises(diff(_above, u, 2), "d2", "d3"), *rises(diff(_above, u), "d1", "d2"), *rises(_above, "d0", "d1"))
    .qed(le((1 - u / 3) * exp(u), 1 + 2 * u / 3 + u**2 / 6), by.linear("d0"))
)
EXP_DOWN = (
    proof("fedcg/exp-down", PLACE, note="exp(-u) <= 1 - u + u^2/2")
    .step("tangent", by.fact("exp", -u))
    .step("d1", le(0, diff(_below, u)), by.linear("tangent"))
    .steps(*rises(_below, "d0", "d1"))
    .qed(le(exp(-u), 1 - u + u**2 / 2), by.linear("d0"))
)

# One answer -----------------------------------------------------------------------------------------------------------------

g, rate, cap, spent = (Symbol(name, nonnegative=True) for name in ("g", "rate", "cap", "spent"))
c = Symbol("kappa_i", positive=True)
SLACK = 1 - rate * cap / 3
CERTAIN = Given("certain", le(c, 1), "a probability")
RANGE = Given("range", le((1 - c) * g, (1 - c) * c * cap), "a random answer, of kappa_i < 1, counts at most cap")
RATE = (
    Given("small", le(rate * cap, Rational(9, 4)), "what keeps 1 - rate cap/3 away from 0"),
    Given("spent", le(rate**2 * cap, 2 * SLACK * spent), "what a unit of gain takes of the exponent"),
)
ANSWERS, STAYS_AWAY = (
    rate * (1 - c) * g / c,
    rate * g,
)  # an answer minus its mean, and its absence below the mean, times the rate
SHARE = line("share", le(0, 1 - c), by.linear("certain"))
SIGN = line("sign", le(0, ANSWERS), by.linear("share"))


def below_top(at: Expr) -> Expr:
    """Return SLACK (1 + at) + at^2/2, which is at least SLACK exp(at) up to rate cap."""
    return SLACK * (1 + at) + at**2 / 2


def bounded(at: Expr, *known: str) -> tuple[Step, ...]:
    """Return bounds of exp(at) for a nonnegative exponent."""
    above = 1 + 2 * at / 3 + at**2 / 6
    return (
        line("exp", le((1 - at / 3) * exp(at), above), by.apply(EXP_UP, {u: at}, *known)),
        line("tangent", le(1 + at, exp(at)), by.fact("exp", at)),
    )


def ended(mixed: Expr) -> tuple[Step, ...]:
    """Conclude from the bound of the mixture times SLACK to exp(spent g)."""
    return (
        line("both", le(SLACK * mixed, SLACK * (1 + spent * g)), by.linear("mixture", "spent")),
        line("one", le(mixed, 1 + spent * g), by.linear({"both": 1 / SLACK}, "small")),
        line("grows", le(1 + spent * g, exp(spent * g)), by.fact("exp", spent * g)),
    )


def mixture(sign: int, gain: Expr = g, chance: Expr = c) -> Expr:
    """Return the mean of exp(sign rate (answer - gain))."""
    answers, away = rate * (1 - chance) * gain / chance, rate * gain
    return chance * exp(sign * answers) + (1 - chance) * exp(-sign * away)


_ROOM = rate**2 * (1 - c) * g / (2 * c) + rate**2 * g / 2  # the range for both squares
UP = (
    proof("fedcg/answer-up", PLACE, note="the exponential moment of one answer, above its mean")
    .under(CERTAIN, RANGE, *RATE)
    .steps(SHARE, SIGN)
    .step("top", le(ANSWERS, rate * cap), by.linear("range"))
    .steps(*bounded(ANSWERS, "sign"))
    .step("order", le(SLACK * exp(ANSWERS), below_top(ANSWERS)), by.linear("exp", "tangent", "top"))
    .step("fewer", by.apply(EXP_DOWN, {u: STAYS_AWAY}))
    .step(
        "away",
        le((1 - c) * exp(-STAYS_AWAY), (1 - c) * (1 - STAYS_AWAY + STAYS_AWAY**2 / 2)),
        by.linear("fewer", "share"),
    )
    .step(
        "mixture",
        le(SLACK * mixture(1), SLACK + rate**2 * cap * g / 2),
        by.linear({"order": c, "away": SLACK, "range": _ROOM, "share": rate**3 * g**2 * cap / 6}, "small"),
    )
    .steps(*ended(mixture(1)))
    .qed(le(mixture(1), exp(spent * g)), by.linear("one", "grows"))
)
DOWN = (
    proof("fedcg/answer-down", PLACE, note="the same below its mean")
    .under(CERTAIN, RANGE, *RATE)
    .steps(SHARE, SIGN, *bounded(STAYS_AWAY))
    .step(
        "top",
        le((1 - c) * STAYS_AWAY, (1 - c) * rate * cap),
        by.linear("range", "share"),
        note="nothing is asked of a client that is sure to answer",
    )
    .step(
        "part",
        le((1 - c) * SLACK * exp(STAYS_AWAY), (1 - c) * below_top(STAYS_AWAY)),
        by.linear("exp", "tangent", "top", "share"),
    )
    .step("fewer", by.apply(EXP_DOWN, {u: ANSWERS}, "sign"))
    .step("answers", le(c * exp(-ANSWERS), c * (1 - ANSWERS + ANSWERS**2 / 2)), by.linear("fewer"))
    .step(
        "mixture",
        le(SLACK * mixture(-1), SLACK + rate**2 * cap * g / 2),
        by.linear(
            {"answers": SLACK, "part": 1, "range": _ROOM, "share": rate**3 * g**2 * cap * (1 - c) / (6 * c)}, "small"
        ),
    )
    .steps(*ended(mixture(-1)))
    .qed(le(mixture(-1), exp(spent * g)), by.linear("one", "grows"))
)

# All answers, given the past ----------------------------------------------------------------------------------------------------

i, j = (Symbol(name, integer=True, positive=True) for name in "ij")
k = Symbol("k", integer=True, nonnegative=True)
past, gain = family(RandomNonnegative, "past")(), family(RandomNonnegative, "gain")
coin, chance = family(RandomScalar, "coin"), family(Positive, "kappa")
CLIENTS, ORDER = (i, 1, N), (k, 0, N - 1)


def total(count: Expr) -> Expr:
    """Return the sum of the gains of the first clients."""
    return Total(gain(j), j, 1, count)


def off(count: Expr) -> Expr:
    """Return the deviation of their answers from it."""
    return Total(coin(j) * gain(j) / chance(j) - gain(j), j, 1, count)


def known(sign: int, count: Expr) -> Expr:
    """Return the knowledge before the next draw: past, earlier answers, and all gains up to ``count + 1``."""
    return past * exp(sign * rate * off(count) - spent * total(count + 1))


def moment(sign: int, count: Expr) -> Expr:
    """Return the exponential moment of the deviation of the first answers, minus the exponent used."""
    return E(past * exp(sign * rate * off(count) - spent * total(count)))


def law(sign: int) -> Given:
    """Return the distribution of an answer: client k + 1 answers with its probability, given any past."""
    return Given(
        "coin up" if sign > 0 else "coin down",
        eq(moment(sign, k + 1), E(known(sign, k) * mixture(sign, gain(k + 1), chance(k + 1))), ORDER),
        "client k + 1 answers with probability kappa, given the past and the answers before it; gains are known before the coins",
    )


EACH = (
    Given("certain", le(chance(i), 1, CLIENTS), "probabilities"),
    Given(
        "range",
        le((1 - chance(i)) * gain(i), (1 - chance(i)) * chance(i) * cap, CLIENTS),
        "a random answer, of kappa_i < 1, counts at most cap",
    ),
)


def bernstein(sign: int) -> Theorem:
    """Prove the exponential supermartingale of answers, on one side of their mean."""
    side = "up" if sign > 0 else "down"
    one = mixture(sign, gain(i), chance(i))
    after = mixture(sign, gain(k + 1), chance(k + 1))
    return (
        proof(
            f"fedcg/bernstein-{side}",
            PLACE,
            note=f"Bernstein's inequality given the past, {'above' if sign > 0 else 'below'} the mean, in exponential form",
        )
        .under(*EACH, *RATE, law(sign))
        .step(
            "one",
            le(one, exp(spent * gain(i)), CLIENTS),
            by.apply(f"fedcg/answer-{side}", {g: gain(i), c: chance(i)}, "certain", "range", "small", "spent"),
        )
        .step("next", by.instance({i: k + 1}, "one"), over=ORDER)
        .step(
            "outcome",
            le(known(sign, k) * after, past * exp(sign * rate * off(k) - spent * total(k)), ORDER),
            by.linear("next"),
        )
        .step("in the mean", by.expectation("outcome"))
        .step("0", le(moment(sign, Integer(0)), E(past)), by.linear())
        .step(
            "1",
            le(moment(sign, k + 1), E(past), ORDER),
            by.linear(law(sign).id, "in the mean"),
            assuming=le(moment(sign, k), E(past)),
            note="one client more",
        )
        .step("2", le(moment(sign, k), E(past), (k, 0, N)), by.induction(k, "0", "1"))
        .qed(le(moment(sign, N), E(past)), by.instance({k: N}, "2"))
    )


ABOVE, BELOW = bernstein(1), bernstein(-1)

THEOREMS = (EXP_UP, EXP_DOWN, UP, DOWN, ABOVE, BELOW)
