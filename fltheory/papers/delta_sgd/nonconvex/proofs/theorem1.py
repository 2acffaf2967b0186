"""Theorem 1 corrected: (28) in both versions given the server's iterate, and the rates with any steps in [h, a].

Rounds are counted from 0, ``W(t)`` is the server's iterate before round t.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Rational, Symbol, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.bounds import errors_of_a_round
from fltheory.papers.delta_sgd.nonconvex.proofs.drift import CLIENTS, LOCAL, F, eta, i, k, x, xi, y
from fltheory.papers.delta_sgd.nonconvex.proofs.round import (D_SUM, FIRST, NEW, OLD, ROUND, ROUND_STEPS, SERVER, after,
    drift, kept, pick, slope, update)
from fltheory.papers.delta_sgd.notation import D_t, K, L, T, a, gap, m, rho
from fltheory.papers.delta_sgd.smoothness.proofs import direction
from fltheory.papers.delta_sgd.smoothness.proofs.facts import FALLEN, ROUNDS, SIGN, also, level, rise, t
from fltheory.proof import Defines, Given, Member, Relation, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.facts import squares
from fltheory.proof.terms import E, RandomInteger, RandomVector, Scalar, Total, Vector, family, square

Hypotheses = tuple[Any, ...]


def read(
    hypotheses: Hypotheses, at: dict[Any, Any], over: tuple[Any, ...] = (), plain: tuple[Any, ...] = ()
) -> Hypotheses:
    """Return the hypotheses with terms replaced, for all ``over``; definitions of terms ``plain`` become equations."""
    found: list[Any] = []
    for h in hypotheses:
        if isinstance(h, Member):
            found.append(h)
        elif isinstance(h, Defines) and h.left not in plain:
            found.append(
                Defines(h.id, substitute_term(h.left, [*at.items()]), substitute_term(h.right, [*at.items()]), h.why))
        else:
            r = eq(h.left, h.right) if isinstance(h, Defines) else h.relation
            left, right = (substitute_term(side, [*at.items()]) for side in (r.left, r.right))
            found.append(Given(h.id, Relation(left, r.op, right, (*over, *r.over)), h.why))
    return tuple(found)


def names(hypotheses: Hypotheses) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the hypotheses that a step uses, and the terms that it substitutes."""
    return tuple(h.id for h in hypotheses if not isinstance(h, Defines)), tuple(
        h.id for h in reversed(hypotheses) if isinstance(h, Defines)
    )


# Differences of the versions: the share of the gradient that remains, and the factor of the drift ---------------------

_ROOT = 1 - sqrt(rho)
X: dict[Any, Expr] = {kept: Rational(1, 2) - rho, drift: Rational(1)}
Y: dict[Any, Expr] = {kept: _ROOT / 2, drift: 1 / (2 * _ROOT)}


def ahead(version: str, conditions: tuple[Given, ...]) -> tuple[tuple[str, ...], tuple[Step, ...]]:
    """Return the condition on rho that a version needs, and its preliminary steps."""
    if version == "X":
        return (), ()
    (small,) = (g.id for g in conditions if g.relation == direction.SMALL.relation)
    return ((small,), (line("room", lt(0, _ROOT), by.linear({small: 1 / (1 + sqrt(rho))})),
            line("sign", le(0, 1 / (2 * _ROOT)), by.apply(direction.INVERSE, {direction.part: _ROOT}, "room"))))


# (28), given the server's iterate --------------------------------------------------------------------------------------------

HERE, POINT = family(Vector, "g")(), family(Vector, "x")()
GIVEN_X: dict[Any, Any] = {x: POINT, slope: HERE}
SETTING = read((*ROUND_STEPS, *SERVER), GIVEN_X)
USED, PUT = names(SETTING)


def per_round(version: str, values: dict[Any, Expr], bound: Bound, claim: str) -> Theorem:
    """Prove the corrected (28)."""
    reading = {D_t: E(D_SUM), notation.slope: sqrt(square(HERE))}
    quantity = substitute_term(OLD - NEW, [*GIVEN_X.items()])
    statement, conditions = statement_of(bound, quantity, reading)
    first = (
        substitute_term(FIRST.relation.left, [*GIVEN_X.items()]),
        substitute_term(FIRST.relation.right, [*GIVEN_X.items(), *values.items()]),
    )
    own_first = le(*first, CLIENTS, LOCAL)
    small, before = ahead(version, conditions)
    at = {direction.f: F(i), direction.s: HERE, direction.x: POINT, direction.y: y(i, k)}
    return (
        proof(f"delta_sgd/T1-28-{version}", "(28)", of=claim, bound=bound, reading=reading, unused=(conditions[-1].id,),
            note=f"one round given its iterate, version {version}")
        .under(*SETTING, *conditions)
        .steps(*before)
        .step("first", own_first, by.apply(f"delta_sgd/direction-{version}", at, "class", "alike", *small))
        .step("28", by.apply(ROUND, {**GIVEN_X, **values}, *USED, "first", *(s.id for s in before)), inserting=PUT)
        .qed(statement, by.linear({"28": 1}), name="last", note="in the letters of the bound")
    )


T1_28_X = per_round("X", X, formula.T1_28_X, "delta_sgd/T1-28@corrected")
T1_28_Y = per_round("Y", Y, formula.T1_28_Y, "delta_sgd/T1-28@strengthened")

# All rounds, for either hypothesis on the directions of the clients' gradients ----------------------------------------

whole, top = family(Scalar, "q")(), family(Scalar, "c")()
room = Symbol("p", positive=True)
DIVIDED = (
    proof("delta_sgd/divided", "Theorem 1")
    .given("times", le(room * whole, top), "times something positive")
    .qed(le(whole, top / room), by.linear("times"))
)

W, low, h = family(RandomVector, "w"), family(Scalar, "f*")(), Symbol("h", positive=True)
_FAMILIES = (y(i, k), xi(i, k), eta(i, k), update(i))
IN_ROUND: dict[Any, Any] = {
    x: W(t),
    after: W(t + 1),
    pick(k): family(RandomInteger, "pick")(t, k),
    slope: family(RandomVector, "g")(t),
    **{v: v.func(v.args[0], t, *v.args[1:]) for v in _FAMILIES},
}


def in_round(expr: Expr) -> Expr:
    """Return a term of one round as that of round t."""
    return substitute_term(expr, [*IN_ROUND.items()])


SLOPES, STEP_SUM = in_round(square(slope)), in_round(D_SUM)
MEAN = Total(E(SLOPES), t, 0, T - 1) / T
VALUE = in_round(OLD)
GAP = VALUE.subs(t, 0) - low
LOWEST = Given("lowest", le(low, VALUE, (t, 0, T)), "f has a lower bound")
FLOOR = Given("floor", le(h, in_round(eta(i, k)), ROUNDS, CLIENTS, LOCAL), "no step is smaller than h")
ALL = (*read((*ROUND_STEPS, *SERVER), IN_ROUND, (ROUNDS,), (after,)), FLOOR, LOWEST)
ALL_USED, ALL_PUT = names(ALL[:-2])
(FIRST_ALL,) = read((FIRST,), IN_ROUND, (ROUNDS,))
_KEPT = kept - 2 * (1 + rho) * L * a * K
_ERRORS = errors_of_a_round(Rational(2, 3) * drift)
_RATE = le(MEAN, (GAP / T + _ERRORS) / (_KEPT * h * K))
_LOSS = _ERRORS - _KEPT * h * K * E(SLOPES)
RATE = (
    proof("delta_sgd/rate", "Theorem 1", note="all rounds").under(*ALL, FIRST_ALL)
    .given("positive", lt(0, _KEPT), "the steps are small")
    .step("28", by.apply(ROUND, IN_ROUND, *ALL_USED, "first"), inserting=ALL_PUT, note="every round")
    .step("long", le(h * K, STEP_SUM, ROUNDS), by.sum_over((k, i), "floor", weight=1 / m), note="D_t is at least h K")
    .step("square", by.apply(SIGN, {squares.x: in_round(slope)}), over=ROUNDS)
    .step("long 1", le(h * K * SLOPES, STEP_SUM * SLOPES, ROUNDS), by.linear("long", "square"))
    .step("long 2", le(h * K * E(SLOPES), E(STEP_SUM * SLOPES), ROUNDS), by.expectation("long 1"))
    .step("fall", le(VALUE.subs(t, t + 1), VALUE + _LOSS, ROUNDS), by.linear("28", "long 2", "positive"))
    .step("sum", by.apply(FALLEN, {level(t): VALUE, rise(t): _LOSS}),
        note="the values telescope before anything is divided")
    .step("end", by.instance({t: T}, "lowest"))
    .step("all", le(_KEPT * MEAN, (GAP / T + _ERRORS) / (h * K)), by.linear("sum", "end"))
    .qed(_RATE, by.apply(DIVIDED, {room: _KEPT, whole: MEAN, top: (GAP / T + _ERRORS) / (h * K)}, "all", "positive"),
        name="last")
)

# The corrected rates ------------------------------------------------------------------------------------------------------------


def rate(version: str, values: dict[Any, Expr], bound: Bound, claim: str) -> Theorem:
    """Prove the rate with steps between h and a."""
    statement, conditions = statement_of(bound, MEAN, {gap: GAP, notation.h: h})
    over, left = FIRST_ALL.relation.over, FIRST_ALL.relation.left
    at = {direction.f: F(i), direction.s: in_round(slope), direction.x: W(t), direction.y: in_round(y(i, k))}
    small, before = ahead(version, conditions)
    return (
        proof(f"delta_sgd/T1-{version}", "Theorem 1", of=claim, bound=bound, reading={gap: GAP, notation.h: h},
            unused=tuple(g.id for g in conditions[:2]), note=f"any steps between h and a, version {version}")
        .under(*ALL, *conditions)
        .steps(*before)
        .step("first", Relation(left, "<=", substitute_term(FIRST_ALL.relation.right, [*values.items()]), over),
            by.apply(f"delta_sgd/direction-{version}", at, "class", "alike", *small))
        .step("all", by.apply(RATE, values, *names(ALL)[0], "first", conditions[-1].id, *(s.id for s in before)),
            inserting=ALL_PUT)
        .qed(statement, by.linear(all=1), name="last", note="in the letters of the bound")
    )


T1_X = rate("X", X, formula.T1_X, "delta_sgd/T1-X@corrected")
T1_Y = rate("Y", Y, formula.T1_Y, "delta_sgd/T1-Y@strengthened")

OTHERS = tuple(
    also(f"delta_sgd/T1-X-{name}", T1_X, f"delta_sgd/T1-X-{name}@corrected", note)
    for name, note in (
        ("exact", "exact gradients: no noise at all"),
        ("clipped", "steps clipped to [h, a]"),
        ("fresh", "fresh mini-batches for the step: it is independent of the noise that it multiplies"),
    )
)

THEOREMS = (T1_28_X, T1_28_Y, DIVIDED, RATE, T1_X, T1_Y, *OTHERS)
