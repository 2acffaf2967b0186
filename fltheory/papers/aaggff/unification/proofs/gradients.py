"""Table 1: the gradients of the fair methods' objectives, from the definition of the gradient, along any axis.

f has the gradient g if for every n there is a step s <= 1/n for which f(x + s h) - f(x) is s <g, h> up to s/n.
Such a remainder, a constant times s/n, passes from the losses through logarithm, exponential and sum to the objective.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, exp, log, oo

from fltheory.papers.aaggff.losses.proofs.facts import EACH, i, j, whole
from fltheory.papers.aaggff.notation import M, q, tilt
from fltheory.papers.aaggff.unification.proofs.mixing import SHARES, lam, scaled, tied, total, w
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, proof
from fltheory.proof.chain import Chain
from fltheory.proof.facts import limits
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import Dot, Fun, Grad, Nonnegative, Positive, Scalar, Val, Vector, family

PLACE = "Table 1"
n = Symbol("n", integer=True, positive=True)
LATE = (n, 1, oo)
TAKEN_OVER = tuple(adopt("aaggff", theorem) for theorem in (limits.ALMOST, limits.LIMIT))

# One number along a step ------------------------------------------------------------------------------------------------

X, Y, c, u, v = (Symbol(name, real=True) for name in ("X", "Y", "c", "u", "v"))
s, least, now = (Symbol(name, positive=True) for name in ("s", "eps", "Y_0"))
ahead = Symbol("X_0", positive=True)
C, scale, bound = (Symbol(name, nonnegative=True) for name in ("C", "a", "b"))
HALF = Rational(1, 2)
WAY = 1 + c**2 + C


def expands(after: Expr, before: Expr, slope: Expr, most: Expr) -> Relation:
    """State that ``after`` is ``before`` + s slope, up to most s/n."""
    return le(Abs(after - before - s * slope), most * s * least)


def start(name: str, note: str, *given: Given, after: Expr = X, before: Expr = Y) -> Chain:
    """Begin with a number that is known up to a remainder after a short step."""
    return (
        proof(f"aaggff/grad-{name}", PLACE, note=note)
        .given("known", expands(after, before, c, C), "the number after the step")
        .given("short", le(s, least), "the step is short")
        .given("small", le(least, 1), "and 1/n is at most 1")
        .under(*given)
    )


NEAR = (
    start("near", "a number moves by the order of the step")
    .step("up", by.fact("abs", X - Y - s * c))
    .step("down", by.fact("abs", -(X - Y - s * c)))
    .step("c below", le(0, (c - HALF) ** 2), by.apply("aaggff/nonnegative-square", {u: c - HALF}))
    .step("c above", le(0, (c + HALF) ** 2), by.apply("aaggff/nonnegative-square", {u: c + HALF}))
    .step("c up", le(c, 1 + c**2), by.linear("c below"))
    .step("c down", le(-c, 1 + c**2), by.linear("c above"))
    .step("high", le(X - Y, s * WAY), by.linear("up", "known", "c up", "small"))
    .step("low", le(-(X - Y), s * WAY), by.linear("down", "known", "c down", "small"))
    .step("room", le(0, s * WAY + X - Y), by.linear("low"))
    .step("square", le((X - Y) ** 2, s**2 * WAY**2), by.linear("high", "room"))
    .step("way", le(0, WAY**2), by.linear())
    .qed(le((X - Y) ** 2, WAY**2 * s * least), by.linear("square", "short", "way"))
)
_ENDS = (
    ("up", le(X - Y - s * c, Abs(X - Y - s * c)), by.fact("abs", X - Y - s * c)),
    ("down", le(-(X - Y - s * c), Abs(X - Y - s * c)), by.fact("abs", -(X - Y - s * c))),
)
_TURNED = (exp(X) - exp(Y)) * (X - Y)
_TWICE = le(_TURNED, 2 * exp(Y) * (X - Y) ** 2)
_RISES, _FALLS = le(Y, X), le(X, Y)
_EXP = exp(Y) * (C + 2 * WAY**2)
EXP = (
    start("exp", "its exponential", Given("near", le(exp(X), 2 * exp(Y)), "the step is short: it doubles nothing"))
    .step("square", by.apply(NEAR))
    .step(*_ENDS[0])
    .step(*_ENDS[1])
    .step("tangent", by.fact("exp", X - Y))
    .step("back", by.fact("exp", Y - X))
    .step("positive", le(0, (X - Y) ** 2), by.apply("aaggff/nonnegative-square", {u: X - Y}))
    .step("1.1", le(_TURNED, exp(X) * (X - Y) ** 2), by.linear("back"), assuming=_RISES)
    .step("1", _TWICE, by.linear("1.1", "near", "positive"), assuming=_RISES)
    .step("2", _TWICE, by.linear("tangent", "positive"), assuming=_FALLS)
    .step("turned", by.cases("1", "2"))
    .step("high", le(exp(X) - exp(Y) - s * exp(Y) * c, _EXP * s * least),
        by.linear("back", "turned", "square", "up", "known"))
    .step("way", le(0, 2 * exp(Y) * WAY**2 * s * least), by.linear())
    .step("low", le(-(exp(X) - exp(Y) - s * exp(Y) * c), _EXP * s * least),
        by.linear("tangent", "down", "known", "way"))
    .qed(expands(exp(X), exp(Y), exp(Y) * c, _EXP), by.absolute("high", "low"))
)
ROOM = proof("aaggff/nonnegative-square", PLACE).qed(le(0, u**2), by.linear())
_LOG = C / now + 2 * WAY**2 / now**2
_OFF = log(ahead) - log(now) - s * c / now
LOG = (
    start("log", "the logarithm of a positive one",
        Given("near", le(now, 2 * ahead), "the step is short: it halves nothing"), after=ahead, before=now)
    .step("square", by.apply(NEAR, {X: ahead, Y: now}))
    .step("up", by.fact("abs", ahead - now - s * c))
    .step("down", by.fact("abs", -(ahead - now - s * c)))
    .step("tangent", by.fact("log", ahead / now))
    .step("back", by.fact("log", now / ahead))
    .step("way", le(0, 2 * WAY**2 / now**2 * s * least), by.linear())
    .step("high", le(_OFF, _LOG * s * least), by.linear("tangent", "up", "known", "way"))
    .step("positive", by.apply(ROOM, {u: ahead - now}))
    .step("low", le(-_OFF, _LOG * s * least), by.linear("back", "near", "square", "down", "known", "positive"))
    .qed(expands(log(ahead), log(now), c / now, _LOG), by.absolute("high", "low"))
)

# Sums, and the gradient itself ---------------------------------------------------------------------------------------------

part, most = family(Scalar, "u"), family(Nonnegative, "e")
SUM = (
    proof("aaggff/grad-sum", PLACE, note="remainders add up")
    .given("each", le(Abs(part(i)), most(i), EACH), "of each client")
    .step("up 1", by.fact("abs", part(i)), over=EACH)
    .step("down 1", by.fact("abs", -part(i)), over=EACH)
    .step("up", le(part(i), most(i), EACH), by.linear("up 1", "each"))
    .step("down", le(-part(i), most(i), EACH), by.linear("down 1", "each"))
    .step("high", le(whole(w(j) * part(j)), whole(w(j) * most(j))), by.sum_over(i, "up", weight=w(i)))
    .step("low", le(-whole(w(j) * part(j)), whole(w(j) * most(j))), by.sum_over(i, "down", weight=w(i)))
    .qed(le(Abs(whole(w(j) * part(j))), whole(w(j) * most(j))), by.absolute("high", "low"))
)
step, value = family(Positive, "s"), family(Scalar, "V")
first, own, other = family(Scalar, "V_0")(), Symbol("D", real=True), Symbol("S", real=True)


def moved(slope: Expr) -> Expr:
    """Return the change of the objective minus the slope times the step."""
    return value(n) - first - step(n) * slope


_OWN, _OTHER = moved(own), moved(other)
SAME = (
    proof("aaggff/grad-same", PLACE, note="there is one slope along an axis")
    .given("own", le(Abs(_OWN), step(n) / n, LATE), "the one")
    .given("other", le(Abs(_OTHER), C * step(n) / n, LATE), "the other")
    .step("own up", by.fact("abs", _OWN), over=LATE)
    .step("own down", by.fact("abs", -_OWN), over=LATE)
    .step("other up", by.fact("abs", _OTHER), over=LATE)
    .step("other down", by.fact("abs", -_OTHER), over=LATE)
    .step("low 1", le(0, own - other + (1 + C) / n, LATE), by.linear("own up", "own", "other down", "other"))
    .step("high 1", le(0, other - own + (1 + C) / n, LATE), by.linear("own down", "own", "other up", "other"))
    .step("low", le(0, own - other), by.apply("aaggff/limit", {limits.level: own - other, limits.size: 1 + C}, "low 1"))
    .step("high", le(0, other - own),
        by.apply("aaggff/limit", {limits.level: other - own, limits.size: 1 + C}, "high 1"))
    .step("most", le(own - other, 0), by.linear("high"))
    .qed(eq(own - other, 0), by.antisymmetry("most", "low"), name="end")
)
TIMES = (
    proof("aaggff/grad-times", PLACE)
    .given("most", le(Abs(u), bound), "what is known of a number")
    .given("same", eq(v, scale * u), "and a multiple of it")
    .step("up 1", by.fact("abs", u))
    .step("down 1", by.fact("abs", -u))
    .step("up", le(v, scale * bound), by.linear("up 1", "most", "same"))
    .step("down", le(-v, scale * bound), by.linear("down 1", "most", "same"))
    .qed(le(Abs(v), scale * bound), by.absolute("up", "down"))
)
TOLD = (
    proof("aaggff/grad-told", PLACE)
    .given("same", eq(u, v), "another word for a number")
    .given("most", le(Abs(v), bound), "what is known of it")
    .qed(le(Abs(u), bound), by.linear("most"), inserting="same")
)

# Table 1 ---------------------------------------------------------------------------------------------------------------------

f, objective = family(Fun, "f"), family(Fun, "Phi")()
point, axis = family(Vector, "theta")(), family(Vector, "axis")()
AHEAD = point + step(n) * axis
EARLY, SLOPE = Val(f(i), point), Dot(Grad(f(i), point), axis)
AFTER, TURN = Val(f(i), AHEAD), Val(f(i), AHEAD) - EARLY - step(n) * SLOPE
_UP = Dot(Grad(objective, point), axis)
STEPS = (
    Given("short", le(step(n), 1 / n, LATE), "the step along the axis is as short as one likes, and so short that"),
    Given("losses", le(Abs(TURN), step(n) / n, EACH, LATE),
        "losses have gradients: what these leave of a step is small,"),
    Given("objective", le(Abs(Val(objective, AHEAD) - Val(objective, point) - step(n) * _UP), step(n) / n, LATE),
        "and so has the objective"),
)
ONE = (line("n", le(1, n, LATE), by.linear()), line("small", le(1 / n, 1, LATE), by.linear("n")))


def gradient(
    claim: str,
    mass: Expr,
    factor: Expr,
    note: str,
    reading: Mapping[Any, Any] | None = None,
    idle: tuple[str, ...] = (),
) -> tuple[Chain, Relation]:
    """Begin the proof: the objective's slope along an axis minus ``factor`` times that of the decision's mean."""
    decided = whole((mass / total * Grad(f(i), point)).xreplace({i: j}))
    chain, said = tied(claim, Dot(Grad(objective, point) - factor * decided, axis), reading, note, idle=idle)
    return chain.under(*STEPS, scaled(mass)), said


def values(chain: Chain, ahead: Expr, before: Expr) -> Chain:
    """State the objective's values after the step and before it."""
    return chain.given("value", eq(Val(objective, AHEAD), ahead, LATE), "the objective after the step").given(
        "value before", eq(Val(objective, point), before), "and before it"
    )


def summed(term: Expr) -> Expr:
    """Return the sum over the clients of a term in i."""
    return whole(term.xreplace({i: j}))


def sign(term: Expr, name: str = "sign") -> tuple[Step, ...]:
    """Prove that a sum of nonnegative numbers is nonnegative."""
    return (
        line(f"{name} each", le(0, term, EACH), by.linear()),
        line(name, le(0, summed(term)), by.sum_over(i, f"{name} each")),
    )


def finished(chain: Chain, slope: Expr, left: Expr, most: Expr, said: Relation, rest: Mapping[str, Expr]) -> Theorem:
    """Conclude from the remainder ``left`` of at most ``most`` s/n, known as "left", to the gradient."""
    turn = Val(objective, AHEAD) - Val(objective, point) - step(n) * slope
    return (
        chain.step("told", eq(turn, left, LATE), by.linear("value", "value before"))
        .step("found", by.apply(TOLD, {u: turn, v: left, bound: most * step(n) / n}))
        .step(
            "same",
            by.apply(
                SAME,
                {value(n): Val(objective, AHEAD), first: Val(objective, point), own: _UP, other: slope, C: most},
                "objective",
                "found",
                "sign",
            ),
        )
        .qed(said, by.linear({"same": 1, **rest}), name="end")
    )


def expanded(after: Expr, before: Expr, slope: Expr) -> Expr:
    """Return the remainder of a slope along a step."""
    return after - before - step(n) * slope


_SHARED, _SAID = gradient("U1-gradient@explicit", w(i), Integer(1), "FedAvg: the mean of the losses by the shares",
    idle=("short",))
_SUM = summed(w(i) * SLOPE)
FEDAVG = finished(
    values(_SHARED.under(SHARES), summed(w(i) * AFTER), summed(w(i) * EARLY))
    .steps(*sign(w(i)))
    .step("left", le(Abs(summed(w(i) * TURN)), summed(w(i)) * step(n) / n, LATE),
        by.apply(SUM, {part(i): TURN, most(i): step(n) / n})),
    _SUM,
    summed(w(i) * TURN),
    summed(w(i)),
    _SAID,
    {"total": _SUM / total, "shares": _SUM / total},
)
gap_ahead, gap_now = family(Positive, "gap_s"), family(Positive, "gap")
_SPAN = {ahead: gap_ahead(i, n), now: gap_now(i), c: -SLOPE, C: Integer(1), s: step(n), least: 1 / n}
_LOG_LEFT = expanded(log(gap_ahead(i, n)), log(gap_now(i)), -SLOPE / gap_now(i))
_LOG_MOST = _LOG.xreplace(_SPAN)
_CHAIN, _SAID = gradient("U5-gradient@explicit", w(i) / gap_now(i), total, "PropFair: M is above all losses",
    idle=("total",))
PROPFAIR = finished(
    values(_CHAIN, -summed(w(i) * log(gap_ahead(i, n))), -summed(w(i) * log(gap_now(i))))
    .given("gap after", eq(gap_ahead(i, n), M - AFTER, EACH, LATE), "M less the loss after the step")
    .given("gap before", eq(gap_now(i), M - EARLY, EACH), "and before it, positive numbers")
    .given("near", le(gap_now(i), 2 * gap_ahead(i, n), EACH, LATE), "the step is so short that it halves nothing")
    .step("gaps", eq(expanded(gap_ahead(i, n), gap_now(i), -SLOPE), -TURN, EACH, LATE),
        by.apply("aaggff/grad-gap", {X: gap_ahead(i, n), Y: gap_now(i), u: AFTER, v: EARLY, c: step(n) * SLOPE},
            "gap after", "gap before"))
    .step("gap", by.apply(TOLD, {u: expanded(gap_ahead(i, n), gap_now(i), -SLOPE), v: -TURN, bound: step(n) / n}))
    .steps(*ONE)
    .step("logs", by.apply(LOG, _SPAN))
    .steps(*sign(w(i) * _LOG_MOST))
    .step("left", le(Abs(summed(w(i) * _LOG_LEFT)), summed(w(i) * _LOG_MOST) * step(n) / n, LATE),
        by.apply(SUM, {part(i): _LOG_LEFT, most(i): _LOG_MOST * step(n) / n})),
    summed(w(i) / gap_now(i) * SLOPE),
    -summed(w(i) * _LOG_LEFT),
    summed(w(i) * _LOG_MOST),
    _SAID,
    {},
)
GAP = (
    proof("aaggff/grad-gap", PLACE)
    .given("after", eq(X, M - u), "what is left up to M after the step")
    .given("before", eq(Y, M - v), "and before it")
    .qed(eq(X - Y + c, -(u - v - c)), by.linear("after", "before"))
)

# TERM: the logarithm of a mean of exponentials

sum_ahead = family(Positive, "Z")
_TILT = {X: lam * AFTER, Y: lam * EARLY, c: lam * SLOPE, C: lam, s: step(n), least: 1 / n}
_TILTED = expanded(lam * AFTER, lam * EARLY, lam * SLOPE)
_EXP_LEFT = expanded(exp(lam * AFTER), exp(lam * EARLY), exp(lam * EARLY) * lam * SLOPE)
_EXP_MOST = _EXP.xreplace(_TILT)
_MASS = w(i) * exp(lam * EARLY)
_RISE, _LEFT = summed(_MASS * lam * SLOPE), summed(w(i) * _EXP_LEFT)
_MOST = summed(w(i) * _EXP_MOST)
_TOTAL = {ahead: sum_ahead(n), now: total, c: _RISE, C: _MOST, s: step(n), least: 1 / n}
_SUM_LEFT = expanded(sum_ahead(n), total, _RISE)
_TERM_LEFT = expanded(log(sum_ahead(n)), log(total), _RISE / total)
_TERM_MOST = _LOG.xreplace(_TOTAL)
_CHAIN, _SAID = gradient("U4-gradient@explicit", _MASS, Integer(1), "TERM", {tilt: lam})
TERM = finished(
    values(_CHAIN, log(sum_ahead(n)) / lam, log(total) / lam)
    .given("sum after", eq(sum_ahead(n), summed(w(i) * exp(lam * AFTER)), LATE),
        "the sum of the weights after the step")
    .given("near", le(exp(lam * AFTER), 2 * exp(lam * EARLY), EACH, LATE),
        "the step is so short that it doubles no weight")
    .given("near sum", le(total, 2 * sum_ahead(n), LATE), "nor halves their sum")
    .step("multiple", eq(_TILTED, lam * TURN, EACH, LATE), by.linear())
    .step("tilted", by.apply(TIMES, {u: TURN, v: _TILTED, scale: lam, bound: step(n) / n}))
    .steps(*ONE)
    .step("exps", by.apply(EXP, _TILT))
    .step("sums", le(Abs(_LEFT), _MOST * step(n) / n, LATE),
        by.apply(SUM, {part(i): _EXP_LEFT, most(i): _EXP_MOST * step(n) / n}))
    .steps(*sign(w(i) * _EXP_MOST, "sum sign"))
    .step("way", by.apply(ROOM, {u: WAY.xreplace(_TOTAL)}))
    .step("sign", le(0, _TERM_MOST / lam), by.linear("sum sign", "way"))
    .step("named", eq(_SUM_LEFT, _LEFT, LATE), by.linear("sum after", "total"))
    .step("sum", by.apply(TOLD, {u: _SUM_LEFT, v: _LEFT, bound: _MOST * step(n) / n}))
    .step("logs", by.apply(LOG, _TOTAL, "sum", "short", "small", "near sum", "sum sign"))
    .step("left", le(Abs(_TERM_LEFT / lam), _TERM_MOST / lam * step(n) / n, LATE), by.linear("logs")),
    _RISE / total / lam,
    _TERM_LEFT / lam,
    _TERM_MOST / lam,
    _SAID,
    {},
)

# q-FedAvg: powers, as exponentials of multiples of the logarithm

log_ahead, log_now = family(Scalar, "f_s"), family(Scalar, "f_0")
_NOW = exp(log_now(i))
_LOSS = {ahead: exp(log_ahead(i, n)), now: _NOW, c: SLOPE, C: Integer(1), s: step(n), least: 1 / n}
_LOG_MOST_Q = _LOG.xreplace(_LOSS)
_POWER = {
    X: (q + 1) * log_ahead(i, n),
    Y: (q + 1) * log_now(i),
    c: (q + 1) * SLOPE / _NOW,
    C: (q + 1) * _LOG_MOST_Q,
    s: step(n),
    least: 1 / n,
}
_LOGS = expanded(log_ahead(i, n), log_now(i), SLOPE / _NOW)
_TIMES = expanded((q + 1) * log_ahead(i, n), (q + 1) * log_now(i), (q + 1) * SLOPE / _NOW)
_POWER_LEFT = expanded(exp((q + 1) * log_ahead(i, n)), exp((q + 1) * log_now(i)),
    exp((q + 1) * log_now(i)) * (q + 1) * SLOPE / _NOW)
_POWER_MOST = _EXP.xreplace(_POWER)
_MASS_Q = w(i) * exp(log_now(i)) ** q
_CHAIN, _SAID = gradient("U2-gradient@explicit", _MASS_Q, total, "q-FedAvg: losses are positive, exp(f)",
    idle=("total",))
_LOSS_LEFT = expanded(exp(log_ahead(i, n)), _NOW, SLOPE)
QFEDAVG = finished(
    values(_CHAIN, summed(w(i) * exp(log_ahead(i, n)) ** (q + 1)) / (q + 1),
        summed(w(i) * exp(log_now(i)) ** (q + 1)) / (q + 1))
    .given("log after", eq(exp(log_ahead(i, n)), AFTER, EACH, LATE), "the loss after the step is positive")
    .given("log before", eq(_NOW, EARLY, EACH), "and before it")
    .given("near", le(_NOW, 2 * exp(log_ahead(i, n)), EACH, LATE), "the step is so short that it halves no loss")
    .given("near power", le(exp((q + 1) * log_ahead(i, n)), 2 * exp((q + 1) * log_now(i)), EACH, LATE),
        "nor doubles its power")
    .step("named", eq(_LOSS_LEFT, TURN, EACH, LATE),
        by.apply("aaggff/grad-loss", {X: exp(log_ahead(i, n)), Y: _NOW, u: AFTER, v: EARLY, c: step(n) * SLOPE},
            "log after", "log before"))
    .step("loss", by.apply(TOLD, {u: _LOSS_LEFT, v: TURN, bound: step(n) / n}))
    .steps(*ONE)
    .step("logs", by.apply(LOG, _LOSS))
    .step("multiple", eq(_TIMES, (q + 1) * _LOGS, EACH, LATE), by.linear())
    .step("times", by.apply(TIMES, {u: _LOGS, v: _TIMES, scale: q + 1, bound: _LOG_MOST_Q * step(n) / n}))
    .step("powers", by.apply(EXP, _POWER))
    .step("sums", le(Abs(summed(w(i) * _POWER_LEFT)), summed(w(i) * _POWER_MOST) * step(n) / n, LATE),
        by.apply(SUM, {part(i): _POWER_LEFT, most(i): _POWER_MOST * step(n) / n}))
    .steps(*sign(w(i) * _POWER_MOST, "sum sign"))
    .step("sign", le(0, summed(w(i) * _POWER_MOST) / (q + 1)), by.linear("sum sign"))
    .step("left",
        le(Abs(summed(w(i) * _POWER_LEFT) / (q + 1)), summed(w(i) * _POWER_MOST) / (q + 1) * step(n) / n, LATE),
        by.linear(sums=1 / (q + 1))),
    summed(_MASS_Q * SLOPE),
    summed(w(i) * _POWER_LEFT) / (q + 1),
    summed(w(i) * _POWER_MOST) / (q + 1),
    _SAID,
    {},
)
NAMED = (
    proof("aaggff/grad-loss", PLACE)
    .given("after", eq(X, u), "another word for the loss after the step")
    .given("before", eq(Y, v), "and before it")
    .qed(eq(X - Y - c, u - v - c), by.linear("after", "before"))
)
THEOREMS = (*TAKEN_OVER, ROOM, NEAR, EXP, LOG, SUM, SAME, TIMES, TOLD, GAP, NAMED, FEDAVG, QFEDAVG, TERM, PROPFAIR)
