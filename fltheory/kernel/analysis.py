"""Interval arithmetic for proofs: signs of constants, derivatives, and inequalities on boxes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from flint import arb, ctx, fmpq

from fltheory.kernel.language.balls import ball
from fltheory.kernel.language.effort import forgets, spend
from fltheory.kernel.language.terms import MINUS, ONE, ZERO, Term, Wrong, make, minus, number, parts, put, read
from fltheory.kernel.normal import normal, scaled, sign_of, term_of, vanishes

Box = dict[Term, tuple[fmpq, fmpq]]
PRECISION, HALVES, ORDER, HIGHEST = 160, 5, 1, 12


def true(gap: Term, op: str, false: bool = False) -> bool:
    """Return whether ``0 op gap`` is verified (or refuted, with ``false``) for a number without symbols."""
    form = normal(gap)
    sign = 0 if vanishes(form) else sign_of(form) or None
    if sign is None:
        return False
    told = {"<=": sign >= 0, "<": sign > 0, "==": sign == 0}[op]
    return told is not false


@lru_cache(maxsize=50_000)
def derivative(term: Term, x: Term) -> Term:
    """Return the derivative with respect to a symbol."""
    word, args = term.word, term.args
    if term is x:
        return ONE
    if x not in term.free:
        return ZERO
    if word == "+":
        return make("+", *(derivative(a, x) for a in args))
    if word == "*":
        return make("+", *(make("*", *args[:i], derivative(a, x), *args[i + 1 :]) for i, a in enumerate(args)))
    if word == "log":
        return make("*", make("^", args[0], MINUS), derivative(args[0], x))
    if word == "poly":
        return derivative(args[0], x)
    if word in ("sin", "cos"):
        turned = make("cos", args[0]) if word == "sin" else make("*", MINUS, make("sin", args[0]))
        return make("*", turned, derivative(args[0], x))
    if word != "^":
        raise Wrong(f"{term} is not seen to be differentiable in {x}")
    if x not in args[1].free:  # valid at 0 too, where the rule below would give 0 for x^1
        return make("*", args[1], make("^", args[0], minus(args[1], ONE)), derivative(args[0], x))
    rate = make("*", make("log", args[0]), derivative(args[1], x))
    base = make("*", args[1], derivative(args[0], x), make("^", args[0], MINUS))
    return make("*", term, make("+", rate, base))


forgets(derivative.cache_clear)


def nonnegative_on(target: Term, box: Box, tree: Any) -> None:
    """Check that the tree of cuts and leaves proves target >= 0 on the box; raise Wrong if not."""
    if isinstance(tree, dict) and "cut" in tree:
        s, cut = read(tree["symbol"]), _number(tree["cut"])
        if s not in box or not box[s][0] < cut < box[s][1]:
            raise Wrong(f"the cut {tree['cut']} is not inside a side of the box")
        nonnegative_on(target, {**box, s: (box[s][0], cut)}, tree["below"])
        nonnegative_on(target, {**box, s: (cut, box[s][1])}, tree["above"])
        return
    order, boxes = ORDER, [box]
    if isinstance(tree, dict):
        s, centre, order = read(tree["symbol"]), _number(tree["centre"]), int(tree["order"])
        if s not in box:
            raise Wrong(f"the box has no side {s}")
        low, high = box[s]
        boxes = [{**box, s: (low, centre)}, {**box, s: (centre, high)}]
    elif tree not in ("direct", "mean"):
        raise Wrong(f"not a leaf: {str(tree)[:60]}")
    with ctx.workprec(PRECISION):
        if order > HIGHEST or not all(_shown(target, part, order, HALVES) for part in boxes):
            raise Wrong(f"the leaf {tree} does not prove the inequality on {box}")


def _number(value: Any) -> fmpq:
    found = read(value)
    if found.word != "number":
        raise Wrong(f"{found} is not a number")
    own: fmpq = found.args[0]
    return own


def _shown(target: Term, box: Box, order: int, halves: int) -> bool:
    """Return whether interval arithmetic proves target >= 0 on the box, or on each of its halves."""
    spend(100 * len(parts(target)))
    sides = {s: _hull(*ends) for s, ends in box.items()}
    if ball(target, sides) >= 0 or (order > 0 and _smooth(target, sides) and _rising(target, box, order)):
        return True
    if halves == 0 or not box:
        return False
    s, (low, high) = max(box.items(), key=lambda entry: entry[1][1] - entry[1][0])
    middle = (low + high) / 2
    return all(_shown(target, {**box, s: half}, order, halves - 1) for half in ((low, middle), (middle, high)))


def _rising(target: Term, box: Box, order: int) -> bool:
    """Return whether the target is >= 0 at one end of a side and does not decrease from there."""
    for s, ends in box.items():
        slope = normal(derivative(target, s))
        for end, sign in zip(ends, (1, -1), strict=True):
            there = term_of(normal(put(target, {s: number(end)})))
            side = {r: own for r, own in box.items() if r is not s}
            if _shown(there, side, order, 0) and _shown(term_of(scaled(slope, sign)), box, order - 1, 0):
                return True
    return False


def _hull(low: fmpq, high: fmpq) -> arb:
    return arb(low).union(arb(high))


def _smooth(term: Term, sides: Mapping[Term, arb]) -> bool:
    """Return whether a number is analytic on the box: it has no kinks, and a finite ball excludes poles and branch points."""
    words = ("+", "*", "^", "exp", "log", "sin", "cos", "number", "symbol", "e", "pi", "poly")
    return all(p.word in words for p in parts(term)) and bool(ball(term, sides).is_finite())
