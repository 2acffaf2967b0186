"""Appendix A.1: total variation distance of weights proportional to w x to the shares w, and FedAvg as the limit."""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, diff, exp, log, sqrt

from fltheory.papers.aaggff.losses.proofs.facts import EACH, P, Q, i, j, whole
from fltheory.papers.aaggff.notation import M, low, q, tilt, top
from fltheory.papers.aaggff.unification.proofs.mixing import SHARES, F, gap, lam, w
from fltheory.proof import Given, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import Positive, family
from fltheory.verification import find

PLACE = "Appendix A.1"
x, X = family(Positive, "x"), family(Positive, "X")()
rho, R, base, u = *(Symbol(n, positive=True) for n in ("rho", "R", "base")), Symbol("x", nonnegative=True)

# The distance: sum |p - w|/2 is the mean of |x - X| under the shares, over 2 X ----------------------------------------

_ALL = whole(w(j) * Abs(x(j) - X))
SETTING = (
    SHARES,
    Given("mean", eq(X, whole(w(j) * x(j))), "what the weights w x add up to"),
    Given("least", le(base, x(i), EACH), "no factor is below this one"),
)


def up_to(root: Expr) -> Given:
    """Return the largest factor."""
    return Given("most", le(x(i), root**2 * base, EACH), "no factor is above R^2 times the least")


def ends(root: Expr) -> tuple[Step, ...]:
    """Prove that the mean lies in the range of the factors."""
    return (
        line("low", le(base * whole(w(j)), whole(w(j) * x(j))), by.sum_over(i, "least", weight=w(i))),
        line("high", le(whole(w(j) * x(j)), root**2 * base * whole(w(j))), by.sum_over(i, "most", weight=w(i))),
        line("X low", le(base, X), by.linear("low", "mean", "shares")),
        line("X high", le(X, root**2 * base), by.linear("high", "mean", "shares")),
    )


_R = 1 + rho
_SPAN = base * (_R**2 - 1)
_CHORD = ((x(i) - base) * (_R**2 * base - X) + (_R**2 * base - x(i)) * (X - base)) / _SPAN
_CHORDS = whole(w(j) * _CHORD.xreplace({i: j}))
WIDE = (
    proof("aaggff/tending-wide", PLACE, note="R = 1 + rho: the chord of the convex |x - X|, and (X - R base)^2 >= 0")
    .under(*SETTING, up_to(_R))
    .steps(*ends(_R))
    .step("up", le(x(i) - X, _CHORD, EACH), by.linear("most", "X low"))
    .step("down", le(X - x(i), _CHORD, EACH), by.linear("least", "X high"))
    .step("each", by.absolute("up", "down"))
    .step("all", le(_ALL, _CHORDS), by.sum_over(i, "each", weight=w(i)))
    .step("value", eq(_CHORDS, 2 * (X - base) * (_R**2 * base - X) / _SPAN), by.linear("mean", "shares"))
    .step("square", le(4 * X * _R * base, (X + _R * base) ** 2), by.apply("aaggff/square", {P: X, Q: _R * base}))
    .qed(le(_ALL / (2 * X), (_R - 1) / (_R + 1)), by.linear("all", "square", "value"))
)
_DISTANCE = le(_ALL / (2 * X), (R - 1) / (R + 1))
_ONE, _MORE = le(R, 1), lt(1, R)
_NONE = (R**2 - 1) * base
DISTANCE = (
    proof("aaggff/tending", PLACE, note="tanh(S/4) where the factors spread over e^S = R^2")
    .under(*SETTING, up_to(R), Given("root", le(1, R), "R is the root of the quotient of the extremes"))
    .step("more", lt(0, R - 1), by.linear(), assuming=_MORE)
    .step("wide", by.apply(WIDE, {rho: R - 1}, "shares", "mean", "least", "most", "more"), assuming=_MORE)
    .steps(*ends(R))
    .step("square", le(R**2, 1), by.linear(), assuming=_ONE)
    .step("up", le(x(i) - X, _NONE, EACH), by.linear("most", "X low"))
    .step("down", le(X - x(i), _NONE, EACH), by.linear("X high", "least"))
    .step("each", by.absolute("up", "down"))
    .step("all", le(_ALL, _NONE * whole(w(j))), by.sum_over(i, "each", weight=w(i)))
    .step("none", le(_ALL, 0), by.linear("all", "shares", "square"), assuming=_ONE)
    .step("narrow", _DISTANCE, by.linear("none", "root"), assuming=_ONE)
    .qed(_DISTANCE, by.cases("wide", "narrow"))
)
_SLOW = log(1 + u) - 2 * u / (2 + u)
SLOW = (
    proof("aaggff/tanh", PLACE, note="tanh(s/2) <= s/2, with 1 + x = e^s")
    .step("start", le(0, _SLOW.xreplace({u: Integer(0)})), by.linear())
    .step("slope", le(0, diff(_SLOW, u)), by.linear())
    .qed(le(0, _SLOW), by.derivative(u, "start", "slope"), name="last")
)

less, more_ = (Symbol(name, nonnegative=True) for name in ("less", "more"))
RISES = (
    proof("aaggff/half-tangent", PLACE, note="(R - 1)/(R + 1) grows")
    .given("order", le(less, more_), "two roots")
    .qed(le((less - 1) / (less + 1), (more_ - 1) / (more_ + 1)), by.linear("order"))
)

# The methods -----------------------------------------------------------------------------------------------------------------

AT_ROOTS = ("sign", "same", "roots", "root sign", "rises")


def rates(
    name: str,
    factors: tuple[Expr, Expr, Expr],
    reading: dict[Any, Any],
    given: tuple[Given, ...],
    steps: tuple[Step, ...],
    more: dict[str, Expr] | None = None,
    inserting: tuple[str, ...] = (),
    seen: tuple[str, ...] = (),
    limit: Expr | None = None,
    turned: dict[str, Expr] | None = None,
) -> tuple[Theorem, Theorem]:
    """Prove two rates of a method from its weights' factor, the least one and the root R of the extremes' quotient."""
    factor, least, root = factors
    at = {x(i): factor, base: least, R: root}
    found = []
    for word in ("strengthened", "corrected"):
        claim = f"aaggff/{name}@{word}"
        bound = find(claim).bound
        quantity = whole(w(j) * Abs(factor.xreplace({i: j}) - X)) / (2 * X)
        statement, conditions = statement_of(bound, quantity, reading)
        chain = (
            proof(claim, of=claim, bound=bound, reading=reading,
                unused=tuple(c.id for c in conditions if c.id not in seen))
            .under(SHARES, *given, *conditions)
            .given("mean", eq(X, whole(w(j) * factor.xreplace({i: j}))), "what the weights add up to")
            .steps(*(s for s in steps if s.id not in {"strengthened": more or {}, "corrected": AT_ROOTS}[word]))
            .step("known", by.apply(DISTANCE, at, *(h.id for h in (*SETTING, up_to(R))), "root"))
        )
        if word == "strengthened":
            last = by.linear({"known": 1, **(turned or {})}, *seen)
            found.append(chain.qed(statement, last, inserting=() if turned else inserting))
            continue
        found.append(
            chain.step("room", le(0, root - 1), by.linear("root"))
            .step("slow", by.apply(SLOW, {u: root - 1}, "room"))
            .step(
                "plain",
                le(quantity, limit) if limit else statement,
                by.linear({"known": 1, "slow": Rational(1, 2), **(more or {})}),
            )
            .qed(statement, by.linear({"plain": 1}, *seen), inserting=inserting)
        )
    return found[0], found[1]


least_loss, top_loss = Symbol("F_min", positive=True), family(Positive, "F_max")()
near, far = family(Positive, "near")(), family(Positive, "far")()


def exponential(
    name: str, scale: Expr, response: Expr, least: Expr, most: Expr, reading: dict[Any, Any]
) -> tuple[Theorem, Theorem]:
    """Prove the rates for weights proportional to w exp(scale times response)."""
    factor, bottom, root = exp(scale * response), exp(scale * least), exp(scale * (most - least) / 2)
    top_two = scale * most
    given = (
        Given("bottom", le(least, response, EACH), "the smallest of them"),
        Given("top", le(response, most, EACH), "the largest"),
        Given("order", le(least, most), "the smallest and the largest"),
    )
    steps = (
        line("least 1", le(scale * least, scale * response, EACH), by.linear("bottom")),
        line("least", le(bottom, factor, EACH),
            by.apply("aaggff/exp", {P: scale * least, Q: scale * response}, "least 1")),
        line("most 1", le(scale * response, top_two, EACH), by.linear("top")),
        line("most", le(factor, exp(top_two), EACH),
            by.apply("aaggff/exp", {P: scale * response, Q: top_two}, "most 1")),
        line("root 1", le(1 + scale * (most - least) / 2, root), by.fact("exp", scale * (most - least) / 2)),
        line("root", le(1, root), by.linear("root 1", "order")),
    )
    return rates(name, (factor, bottom, root), reading, given, steps)


_ROOT, _ROOT_Q, _POSITIVE = sqrt(far / near), (top_loss / least_loss) ** (q / 2), family(Positive, "F")
_TURNED = sqrt((M - low) / (M - top))
_SPLIT = {"is near": far / (near * (M - top)), "is far": -1 / (M - top)}
METHODS = (
    *rates("U6-q", (_POSITIVE(i) ** q, least_loss**q, _ROOT_Q), {low: least_loss},
        (Given("bottom", le(least_loss, _POSITIVE(i), EACH), "the smallest loss"),
            Given("top", le(_POSITIVE(i), top_loss, EACH), "the largest"),
            Given("order", le(least_loss, top_loss), "the smallest and the largest"),
            Given("is top", eq(top_loss, top), "a positive number, as the smallest is")),
        (line("signs", le(0, _POSITIVE(i), EACH), by.linear()),
            line("bottom each", le(0, least_loss, EACH), by.linear()),
            line("least", le(least_loss**q, _POSITIVE(i) ** q, EACH), by.power(q, "bottom each", "bottom")),
            line("most", le(_POSITIVE(i) ** q, top_loss**q, EACH), by.power(q, "signs", "top")),
            line("zero", le(0, 1), by.linear()), line("quotient", le(1, top_loss / least_loss), by.linear("order")),
            line("positive", lt(0, top / least_loss), by.linear({"is top": 1 / least_loss})),
            line("root", le(1, _ROOT_Q), by.power(q / 2, "zero", "quotient"))), inserting=("is top",),
        seen=("positive",), limit=q * log(top_loss / least_loss) / 4),
    *exponential("U6-tilt", lam, F(i), low, top, {tilt: lam}),
    *rates("U6-baseline", (1 / gap(i), 1 / far, _ROOT), {},
        (Given("is near", eq(near, M - top), "M less the largest loss, a positive number"),
            Given("is far", eq(far, M - low), "M less the smallest"),
            Given("near", le(near, gap(i), EACH), "M - F is between them"),
            Given("far", le(gap(i), far, EACH), "on both sides"),
            Given("order", le(near, far), "the smallest loss and the largest")),
        (line("least", le(1 / far, 1 / gap(i), EACH), by.linear("far")),
            line("most", le(1 / gap(i), 1 / near, EACH), by.linear("near")), line("zero", le(0, 1), by.linear()),
            line("quotient", le(1, far / near), by.linear("order")),
            line("root", le(1, _ROOT), by.power(Rational(1, 2), "zero", "quotient")),
            line("above", lt(0, M - low), by.linear("c1", "order", "is far", "is near")),
            line("split", eq((M - low) / (M - top), far / near), by.linear(_SPLIT, "c1")),
            line("positive", le(0, (M - low) / (M - top)), by.linear("split", "c1")),
            line("sign", le(0, far / near), by.linear()),
            line("same", le(far / near, (M - low) / (M - top)), by.linear("split", "c1")),
            line("roots", le(_ROOT, _TURNED), by.power(Rational(1, 2), "sign", "same")),
            line("root sign", le(0, _TURNED), by.linear("roots")),
            line("rises", le((_ROOT - 1) / (_ROOT + 1), (_TURNED - 1) / (_TURNED + 1)),
                by.apply(RISES, {less: _ROOT, more_: _TURNED}, "roots", "root sign")),
            line("log", le(log(far / near), far / near - 1), by.fact("log", far / near))), {"log": Rational(1, 4)},
        ("is near", "is far"), ("c1", "above", "positive"), (far - near) / (4 * near), {"rises": Integer(1)}),
)
THEOREMS = (WIDE, DISTANCE, SLOW, RISES, *METHODS)
