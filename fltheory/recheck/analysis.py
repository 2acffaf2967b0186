"""Numbers in balls: signs of constants, derivatives, inequalities on boxes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from flint import arb, ctx, fmpq

from fltheory.recheck.balls import ball
from fltheory.recheck.normal import normal, sign_of, term_of, vanishes
from fltheory.recheck.terms import MINUS, ONE, ZERO, E, Term, Wrong, make, minus, number, parts, put, read

Box = dict[Term, tuple[fmpq, fmpq]]
PRECISION, DEEPEST, HALVES = 160, 100, 5


def true(gap: Term, op: str, false: bool = False) -> bool:
    """Whether 0 op gap is seen to be true (or ``false``), gap being a number without letters."""
    form = normal(gap)
    sign = 0 if vanishes(form) else sign_of(form) or None
    if sign is None:
        return False
    told = {"<=": sign >= 0, "<": sign > 0, "==": sign == 0}[op]
    return told is not false


@lru_cache(maxsize=50_000)
def derivative(term: Term, x: Term) -> Term:
    """The derivative in a letter."""
    word, args = term.word, term.args
    if term is x:
        return ONE
    if x not in term.free:
        return ZERO
    if word == "+":
        return make("+", *(derivative(a, x) for a in args))
    if word == "*":
        return make("+", *(make("*", *args[:i], derivative(a, x), *args[i + 1 :]) for i, a in enumerate(args)))
    if word in ("exp", "log"):
        outer = term if word == "exp" else make("^", args[0], MINUS)
        return make("*", outer, derivative(args[0], x))
    if word == "poly":
        return derivative(args[0], x)
    if word in ("sin", "cos"):
        turned = make("cos", args[0]) if word == "sin" else make("*", MINUS, make("sin", args[0]))
        return make("*", turned, derivative(args[0], x))
    if word == "^" and x not in args[1].free:
        return make("*", args[1], make("^", args[0], minus(args[1], ONE)), derivative(args[0], x))
    if word == "^":
        rate = make("*", make("log", args[0]), derivative(args[1], x)) if args[0] is not E else derivative(args[1], x)
        base = make("*", args[1], derivative(args[0], x), make("^", args[0], MINUS))
        return make("*", term, make("+", rate, base))
    raise Wrong(f"{term} is not seen to be differentiable in {x}")


def nonnegative_on(target: Term, box: Box, tree: Any, depth: int = 0) -> None:
    """Wrong unless the tree of cuts and leaves shows target >= 0 on the box."""
    if isinstance(tree, dict) and set(tree) == {"symbol", "cut", "below", "above"}:
        s, cut = read(tree["symbol"]), _number(tree["cut"])
        if s not in box or not box[s][0] < cut < box[s][1] or depth >= DEEPEST:
            raise Wrong(f"the box has no side that {tree['cut']} cuts")
        nonnegative_on(target, {**box, s: (box[s][0], cut)}, tree["below"], depth + 1)
        nonnegative_on(target, {**box, s: (cut, box[s][1])}, tree["above"], depth + 1)
        return
    with ctx.workprec(PRECISION):
        sides = {s: _hull(*ends) for s, ends in box.items()}
        if tree in ("direct", "mean"):
            shown = _halved(target, box, HALVES)
        elif isinstance(tree, dict) and set(tree) == {"symbol", "centre", "order"}:
            shown = _taylor(target, box, sides, read(tree["symbol"]), _number(tree["centre"]), int(tree["order"]))
        else:
            raise Wrong(f"no leaf: {str(tree)[:60]}")
    if not shown:
        raise Wrong(f"the leaf {tree} does not show it on {box}")


def _number(value: Any) -> fmpq:
    found = read(value)
    if found.word != "number":
        raise Wrong(f"{found} is no number")
    own: fmpq = found.args[0]
    return own


def _halved(target: Term, box: Box, times: int) -> bool:
    """Whether the target is seen to be >= 0 on the box, or on each of its parts."""
    sides = {s: _hull(*ends) for s, ends in box.items()}
    if ball(target, sides) >= 0 or _mean(target, box, sides):
        return True
    if times == 0 or not box:
        return False
    s, (low, high) = max(box.items(), key=lambda entry: entry[1][1] - entry[1][0])
    middle = (low + high) / 2
    return all(_halved(target, {**box, s: half}, times - 1) for half in ((low, middle), (middle, high)))


def _hull(low: fmpq, high: fmpq) -> arb:
    return arb(low).union(arb(high)) if low != high else arb(low)


def _smooth(term: Term, sides: Mapping[Term, arb]) -> bool:
    """Whether a number is analytic on the box: no kinks, no poles, no branch points."""
    for p in parts(term):
        if p.word == "^" and not (p.args[1].word == "number" and p.args[1].args[0].q == 1):
            if not (p.args[0] is E or ball(p.args[0], sides) > 0):
                return False
        elif p.word not in ("+", "*", "^", "exp", "log", "sin", "cos", "number", "symbol", "e", "pi", "poly"):
            return False
    return bool(ball(term, sides).is_finite())


def _mean(target: Term, box: Box, sides: Mapping[Term, arb]) -> bool:
    middle = {s: (low + high) / 2 for s, (low, high) in box.items()}
    total = ball(target, {s: arb(m) for s, m in middle.items()})
    for s, m in middle.items():
        slope = derivative(target, s)
        if not (_smooth(target, sides) and _smooth(slope, sides)):
            return False
        total += ball(slope, sides) * (sides[s] - arb(m))
    return bool(total >= 0)


def _taylor(target: Term, box: Box, sides: Mapping[Term, arb], s: Term, centre: fmpq, order: int) -> bool:
    """Whether target = (s - centre)^order / order! * its derivative in between, which has the sign that is needed."""
    if s not in box or not 1 <= order <= 12:
        return False
    low, high = box[s]
    wide = {**sides, s: _hull(min(low, centre), max(high, centre))}
    found = target
    for _ in range(order):
        if not _smooth(found, wide) or not vanishes(normal(put(found, {s: number(centre)}))):
            return False
        found = term_of(normal(derivative(found, s)))
    if not _smooth(found, wide):
        return False
    value = ball(found, wide)
    left, right = low < centre, high > centre
    return bool((not right or value >= 0) and (not left or (value >= 0 if order % 2 == 0 else value <= 0)))
