"""The rules of inference: one function for each, which raises Wrong if the step does not follow."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from flint import fmpq

from fltheory.kernel import analysis
from fltheory.kernel.context import (
    Context,
    alike,
    beyond_domain,
    class_of,
    fits,
    integer,
    nonnegative,
    not_negative,
    same,
    same_ranges,
    says,
)
from fltheory.kernel.language.effort import spend
from fltheory.kernel.language.lines import Line, named
from fltheory.kernel.language.terms import (
    MINUS,
    ONE,
    ZERO,
    Term,
    Wrong,
    anywhere,
    endless,
    make,
    minus,
    number,
    parts,
    put,
    read,
    read_at,
    whole,
)
from fltheory.kernel.limits import equal, is_zero, settled
from fltheory.kernel.needs import ranging
from fltheory.kernel.normal import Normal, glance, normal, plus, raised, scaled, term_of, times, value, vanishes

Rule = Mapping[str, Any]
HALF = number(fmpq(1, 2))
PLACE = 5  # units of work for a term of a sum or a value of an index


def need(true: bool, text: str) -> None:
    """Raise Wrong with this text if the condition is false."""
    if not true:
        raise Wrong(text)


def combine(rule: Rule, context: Context) -> None:
    """Check that the claim's gap is a nonnegative combination of gaps, axioms and squares, plus a nonnegative rest.

    Each of these parts is nonnegative where the lines and the classes hold, so their sum is. An equation must be a combination of
    equations.
    """
    claim, facts = context.claim, context.facts()
    weights = {name: read(w) for name, w in rule["weights"].items()}
    plain = not (weights or rule["axioms"] or rule["squares"] is not None)
    need(set(weights) <= set(context.used), "a weight is given for a line that is not used")
    taken, strict = [], False
    for name, known in context.used.items():
        weight = context.expand(weights.get(name, ONE if plain else ZERO))
        if is_zero(weight):
            continue
        need(same_ranges(known, claim, facts), f"{name} is stated for other indices")
        if known.op != "==":
            need(claim.op != "==", f"the inequality {name} cannot prove an equation")
            need(not_negative(weight, facts), f"the weight {weight} of {name} is not seen to be nonnegative")
            strict = strict or (known.op == "<" and glance(normal(weight), True))
        gap = context.expand(known.gap)
        taken.append(make("dot" if weight.vector else "*", weight, gap))
    for entry in rule["axioms"]:
        weight = context.expand(read(entry["weight"]))
        need(claim.op != "==" and not_negative(weight, facts), "the weight of an axiom is not seen to be nonnegative")
        taken.append(make("*", weight, context.expand(_axiom(entry, context).gap)))
    for entry in rule["squares"] or ():
        weight = read(entry["weight"])
        if "sign" in entry:
            polynomial_identity(normal(weight), entry["sign"], (*facts, *context.above()))
        else:
            need(glance(normal(weight)), f"the weight {weight} of a square is not seen to be nonnegative")
        vector = [make("*", read(c), read(v)) for c, v in entry["vector"]]
        need(claim.op != "==", "a square cannot prove an equation")
        taken.append(make("*", weight, make("dot", make("+", *vector), make("+", *vector))))
    rest = minus(context.expand(claim.gap), make("+", *taken)) if taken else context.expand(claim.gap)
    if claim.op != "==":
        strict = claim.op == "<=" or strict or glance(normal(rest), True)
        need(strict, "a strict claim needs a strict inequality with a positive weight")
        if not settled(rest):
            raise Wrong(f"the sides differ by {str(term_of(normal(rest)))[:300]}")
        return
    need(is_zero(rest), "the sides differ")


def _axiom(entry: Rule, context: Context) -> Line:
    f, u, v = (read(entry[k]) for k in ("function", "u", "v"))
    member = class_of(f, context.members)
    smooth, convex, kind = member.smooth, member.convex, entry["kind"]
    away, turn = minus(u, v), minus(make("grad", f, u), make("grad", f, v))
    tangent = make("+", make("val", f, v), make("dot", make("grad", f, v), away))
    square = make("dot", away, away)
    if kind == "convex" and convex is not None:
        return Line(make("+", tangent, make("*", HALF, convex, square)), "<=", make("val", f, u))
    if kind == "descent" and smooth is not None:
        return Line(make("val", f, u), "<=", make("+", tangent, make("*", HALF, smooth, square)))
    if kind == "ascent" and smooth is not None:
        return Line(minus(tangent, make("*", HALF, smooth, square)), "<=", make("val", f, u))
    if kind == "lipschitz" and smooth is not None:
        return Line(make("dot", turn, turn), "<=", make("*", smooth, smooth, square))
    if kind == "cocoercive" and smooth is not None and convex is not None and not_negative(convex, context.facts()):
        part = make("*", HALF, make("^", smooth, MINUS), make("dot", turn, turn))
        return Line(make("+", tangent, part), "<=", make("val", f, u))
    if kind == "interpolated" and smooth is not None and convex is not None:
        curved = minus(make("*", HALF, smooth, convex, square), make("*", convex, make("dot", turn, away)))
        rest = minus(make("val", f, u), tangent)
        return Line(
            make("+", make("*", HALF, make("dot", turn, turn)), curved), "<=", make("*", minus(smooth, convex), rest)
        )
    raise Wrong(f"{member.name} does not give the axiom {kind!r}")


def polynomial_identity(target: Normal, certificate: Rule, facts: Sequence[Normal]) -> None:
    """Check that multiplier * target is a sum of positive numbers times products of facts times squares.

    The multiplier is positive and the facts are nonnegative, so the target is nonnegative.
    """

    multiplier = normal(read(certificate["multiplier"]))
    need(glance(multiplier, True), "the multiplier is not seen to be positive")
    total: Normal = {}
    for entry in certificate["terms"]:
        product = normal(read(entry["coefficient"]))
        need(set(product) == {()} and product[()] > 0, "a coefficient is not positive")
        for fact, power in entry["facts"]:
            own = normal(read(fact))
            need(power > 0, "a power is not a positive integer")
            need(nonnegative(own, facts), f"{fact} is not seen to be nonnegative")
            product = times(product, raised(own, power))
        if "square" in entry:
            product = times(product, raised(normal(read(entry["square"])), 2))
        total = plus(total, product)
    need(vanishes(plus(times(multiplier, target), scaled(total, -1))), "the identity does not hold")


def polynomial(rule: Rule, context: Context) -> None:
    """Prove a polynomial inequality from the lines used: a positive multiple of its gap is a sum of nonnegative terms."""
    need(context.claim.op == "<=", "this rule proves only <=")
    polynomial_identity(normal(context.expand(context.claim.gap)), rule["certificate"], context.facts())


def ball(rule: Rule, context: Context) -> None:
    """Prove an inequality on a box by interval arithmetic; lines used must show that the symbols lie in the box."""
    claim = context.claim
    need(claim.op == "<=" and not claim.over, "this rule proves only <= between numbers, on a box and without ranges")
    gap = term_of(normal(context.expand(claim.gap)))
    box = {read(s): (read(lo), read(hi)) for s, lo, hi in rule["box"]}
    need(all(s.word == "symbol" for s in box), "the sides of a box must belong to symbols")
    need(all(e.word == "number" for ends in box.values() for e in ends), "the ends of a box must be numbers")
    need(gap.free <= set(box), "the box must bound every symbol")
    for s, (lo, hi) in box.items():
        inside = (minus(s, lo), minus(hi, s))
        need(all(not_negative(side, context.facts()) for side in inside), f"{s} is not seen to lie in {lo}..{hi}")
    sides = {s: (ends[0].args[0], ends[1].args[0]) for s, ends in box.items() if s in gap.free}
    analysis.nonnegative_on(gap, sides, rule["certificate"])


def compared(context: Context, found: Line) -> None:
    """Raise Wrong unless the claim is the line found, with the same names of indices, by which other lines refer to them."""
    need(context.claim.names == found.names, "an index has a different name in the claim, or two ranges")
    need(
        says(context.line(context.claim), context.line(found)),
        f"this gives {found.left} {found.op} {found.right}"[:400],
    )


def _only(context: Context) -> Line:
    need(len(context.used) == 1, "this rule uses exactly one line")
    return next(iter(context.used.values()))


def summed(rule: Rule, context: Context) -> None:
    """Multiply both sides by a nonnegative weight and sum over indices; < becomes <=, as a range may be empty."""
    known = _only(context)
    indices, ranges = [read(i) for i in rule["indices"]], {i: (lo, hi) for i, lo, hi in known.over}
    need(set(indices) <= set(ranges), "the line has no such index")
    rest = tuple(r for r in known.over if r[0] not in indices)
    gone: set[Term] = set()
    for i in indices:
        need(i not in gone and not (ranges[i][0].free | ranges[i][1].free) & gone, "the sums are in the wrong order")
        gone.add(i)
    need(not any((lo.free | hi.free) & gone for _, lo, hi in rest), "a range depends on an index that is summed over")
    inner = Context(context.used, context.definitions, context.members, known)
    weight = context.expand(read(rule["weight"]))
    with ranging(known.over):
        seen = known.op == "==" or not_negative(weight, inner.facts())
    need(seen, "the weight is not seen to be nonnegative")
    left, right = (make("*", weight, side) if side is not ZERO else ZERO for side in (known.left, known.right))
    for i in indices:
        lo, hi = ranges[i]
        need(not endless(lo, hi), f"{i} has an infinite range")
        left, right = (make("sum", s, i, lo, hi) if s is not ZERO else ZERO for s in (left, right))
    compared(context, Line(left, "<=" if known.op == "<" else known.op, right, rest))


def expected(rule: Rule, context: Context) -> None:
    """Take the expectation of both sides: an order that holds for every outcome is preserved."""
    known = _only(context)
    need(not known.gap.vector, "expectations are taken of numbers only")
    op = "<=" if known.op == "<" else known.op
    compared(context, Line(make("mean", known.left), op, make("mean", known.right), known.over))


def instance(rule: Rule, context: Context) -> None:
    """Specialise the first line to integers within its ranges."""
    need(bool(context.used), "this rule needs a line")
    known, facts = next(iter(context.used.values())), context.facts()
    at, ranges = {read(i): read(v) for i, v in rule["at"]}, {i: (lo, hi) for i, lo, hi in known.over}
    need(set(at) <= set(ranges), "only indices of the line can be set")
    for i, v in at.items():
        lo, hi = (read_at(e, at) for e in ranges[i])
        inside = (lo.word == "-oo" or not_negative(minus(v, lo), facts)) and (
            hi.word == "oo" or not_negative(minus(hi, v), facts)
        )
        need(inside and integer(v), f"{i} = {v} is not seen to be in its range")
    rest = tuple((i, read_at(lo, at), read_at(hi, at)) for i, lo, hi in known.over if i not in at)
    if same_ranges(Line(ZERO, "<=", ZERO, rest), context.claim, facts):
        rest = context.claim.over
    compared(context, Line(read_at(known.left, at), known.op, read_at(known.right, at), rest))


def squeezed(rule: Rule, context: Context) -> None:
    """Prove a == b from a <= b and b <= a."""
    lines = list(context.used.values())
    need(len(lines) == 2, "needs a <= b and b <= a")
    one, two = lines
    need(equal(one.left, two.right) and equal(one.right, two.left), "the two lines are not opposite")
    compared(context, Line(one.left, "==", one.right, _together(one, two)))


def _together(one: Line, two: Line) -> tuple[Any, ...]:
    over = tuple(dict.fromkeys((*one.over, *two.over)))
    need(not (one.loose | two.loose) & {i for i, _, _ in over}, "an index of one line is a free symbol of the other")
    return over


def power(rule: Rule, context: Context) -> None:
    """Prove a^p <= b^p from 0 <= a and a <= b for p >= 0, or 0 <= b^p from the same lines."""
    lines = list(context.used.values())
    need(len(lines) > 1, "needs 0 <= a and a <= b")
    zero, order = lines[:2]
    exponent = context.expand(read(rule["exponent"]))
    need(is_zero(zero.left) and equal(zero.right, order.left), "the first line must be 0 <= a")
    need(not_negative(exponent, context.facts()), f"{exponent} is not seen to be nonnegative")
    low, high = (make("^", s, exponent) for s in (order.left, order.right))
    compared(context, Line(ZERO if is_zero(context.claim.left) else low, "<=", high, _together(zero, order)))


def known(rule: Rule, context: Context) -> None:
    """Prove an elementary fact about one function: exp, log, max, min, floor, abs or indicator."""
    at, name, facts, claim = context.expand(read(rule["at"])), rule["name"], context.facts(), context.claim
    if name == "exp":
        return compared(context, Line(make("+", ONE, at), "<=", make("exp", at)))
    if name == "log":
        need(glance(normal(at), True), f"{at} is not seen to be positive")
        return compared(context, Line(make("log", at), "<=", minus(at, ONE)))
    if name in ("max", "min"):
        need(at.word == name, f"{at} is not a {name}")
        far = [a for a in at.args if all(not_negative(_ahead(a, b, name), facts) for b in at.args)]
        return _any(context, [Line(at, "==", a) for a in far])
    if name == "floor":
        down, (left, right) = make("floor", at), (context.expand(claim.left), context.expand(claim.right))
        if claim.op == "<=" and right is down and whole(left):
            return need(not_negative(minus(at, left), facts), f"{left} is not seen to be at most {at}")
        return _any(context, [Line(down, "<=", at), Line(at, "<", make("+", down, ONE))])
    size, one = make("abs", at), make("indicator", at)
    if name == "abs":
        return _any(context, [Line(at, "<=", size)])
    need(name == "indicator", f"there is no fact named {name!r}")
    lines = [Line(one, "<=", ONE), Line(make("*", at, one), "==", make("*", HALF, make("+", at, size)))]
    lines += [Line(make("*", size, one), "==", make("*", at, one))]
    lines += [Line(ONE, "<=", make("+", one, make("indicator", make("*", MINUS, at))))]
    lines += [Line(one, "==", ONE)] if not_negative(at, facts) else []
    return _any(context, lines)


def _ahead(a: Term, b: Term, name: str) -> Term:
    return minus(a, b) if name == "max" else minus(b, a)


def _any(context: Context, lines: Sequence[Line]) -> None:
    own = context.line(context.claim)
    need(
        any(says(own, Line(k.left, k.op, k.right, own.over)) for k in lines),
        "the claim is not a fact about this function",
    )


def absolute(rule: Rule, context: Context) -> None:
    """Prove |a| <= b from a <= b and -a <= b."""
    claim, size = context.claim, context.expand(context.claim.left)
    need(claim.op == "<=" and size.word == "abs", "the claim must be |a| <= b")
    for side in (size.args[0], make("*", MINUS, size.args[0])):
        _bounded(minus(context.expand(claim.right), side), context)


def _bounded(gap: Term, context: Context) -> None:
    plain = [k for k in context.used.values() if not k.gap.vector and same_ranges(k, context.claim)]
    need(
        any(equal(context.expand(k.gap), gap) for k in plain),
        f"0 <= {gap} is not among the lines that the step uses"[:300],
    )


def monotone(rule: Rule, context: Context) -> None:
    """Prove 1{a >= 0} <= 1{b >= 0} from a <= b."""
    low, high = context.expand(context.claim.left), context.expand(context.claim.right)
    need(context.claim.op == "<=" and low.word == high.word == "indicator", "the claim must compare two indicators")
    _bounded(minus(high.args[0], low.args[0]), context)


def rising(rule: Rule, context: Context, others: Sequence[Term]) -> None:
    """Prove 0 <= f(x) for every x >= 0 from 0 <= f(0) and 0 <= f'(x).

    No term of ``others``, which are the hypotheses and assumptions, may contain x.
    """
    x, claim = read(rule["symbol"]), context.claim
    need(claim.op == "<=" and not claim.over, "this rule proves only <= between numbers, without ranges")
    need(x.word == "symbol" and x.args[1] == "nonnegative", f"{x} must be a symbol of the sort nonnegative")
    need(not any(x in parts(t) for t in others), f"a hypothesis contains {x}")
    lines = [k for name, k in context.used.items() if not name.startswith("assumed ")]
    need(len(lines) > 1 and all(k.op != "==" and not k.over for k in lines[:2]), "needs 0 <= f(0) and 0 <= f'(x)")
    f = term_of(normal(context.expand(claim.gap)))
    allowed = ("+", "*", "exp", "log", "number", "symbol", "e", "poly")
    for p in parts(f):
        smooth = p.word in allowed or (
            p.word == "^" and (p.args[0].word == "e" or (p.args[1].word == "number" and whole(p.args[1])))
        )
        need(p is x or x not in p.free or smooth, f"{p} is not seen to be differentiable in {x}")
    need(beyond_domain((f,), context) is None, f"{f} is not seen to lie in its domain for every {x}")
    start, slope = (context.expand(k.gap) for k in lines[:2])
    need(equal(start, put(f, {x: ZERO})), f"the first line is not the claim at {x} = 0")
    need(equal(slope, analysis.derivative(f, x)), "the second line is not the derivative of the claim")


# Rules for assumptions ------------------------------------------------------------------------------------------------

Under = Mapping[str, Sequence[Line]]


def cases(rule: Rule, context: Context, under: Under, own: Sequence[Line]) -> None:
    """Check that each line used is the claim and that at each point the assumptions of one of them hold."""
    branches = []
    for name, known in context.used.items():
        need(says(context.claim, known) and known.names == context.claim.names, f"{name} does not state the claim")
        branches.append([h for h in under[name] if not any(alike(h, o) for o in own)])
    need(_covered(branches, ()), "the cases are not seen to be exhaustive")


def _covered(branches: list[list[Line]], split: tuple[Line, ...]) -> bool:
    spend(1 + len(split) ** 3)
    if any(not b for b in branches) or _impossible(split):
        return True
    one = next((h for b in branches for h in b if h.op != "==" and not h.over and not h.gap.vector), None)
    if one is None:
        return False
    other = Line(one.right, "<" if one.op == "<=" else "<=", one.left)
    holds = [[h for h in b if not _follows(h, one)] for b in branches]
    fails = [[h for h in b if not _follows(h, other)] for b in branches if one not in b]
    return _covered(holds, (*split, one)) and _covered(fails, (*split, other))


def _impossible(split: tuple[Line, ...]) -> bool:
    groups = [g for n in (2, 3) for g in itertools.combinations(split, n)]
    return any(any(h.op == "<" for h in g) and is_zero(make("+", *(h.gap for h in g))) for g in groups)


def _follows(wanted: Line, by: Line) -> bool:
    if wanted.op == "==" or wanted.over or wanted.gap.vector or (wanted.op == "<" and by.op != "<"):
        return False
    gap = by.gap
    if by.op == "<" and wanted.op == "<=" and integer(gap):
        gap = minus(gap, ONE)
    form = normal(minus(wanted.gap, gap))
    return vanishes(form) or glance(form)


def induction(rule: Rule, context: Context, under: Under, own: Sequence[Line]) -> None:
    """Prove the claim from its first integer on by induction: the base case, and the step from i to i + 1."""
    i, claim = read(rule["index"]), context.claim
    need(not any(i in h.loose or h.over for h in own), f"an assumption contains {i} or has a range")
    ranges = {j: (lo, hi) for j, lo, hi in claim.over}
    need(i in ranges and len(context.used) == 2, "needs a claim for all values of its index, a base and a step")
    low, high = ranges[i]
    need(low.word != "-oo" and whole(low), f"{i} has no first value")
    others = tuple(r for r in claim.over if r[0] is not i)
    (base, first), (step, second) = context.used.items()
    for known in (first, second):
        need(
            [j for j in known.names if j is not i] == [j for j, _, _ in others],
            "an index has a different name in the claim",
        )
    at = Line(claim.left, claim.op, claim.right, others)
    need(same(at.mapped(lambda t: put(t, {i: low})), first), f"{base} is not the claim at {low}")
    left = Line(second.left, second.op, second.right, tuple(r for r in second.over if r[0] is not i))
    above = {i: make("+", i, ONE)}
    runs = next(((lo, hi) for j, lo, hi in second.over if j is i), (ZERO, MINUS))
    ends = equal(runs[0], low) and (
        runs[1].word == high.word == "oo" or (not endless(runs[1], high) and equal(runs[1], minus(high, ONE)))
    )
    need(ends and i in second.indices, f"{step} must hold for {i} from {low} to {high} - 1")
    with ranging(((i, *runs),)):  # the claim's other ranges may not constrain i here
        seen = same(at.mapped(lambda t: put(t, above)), left)
    need(seen, f"{step} is not the claim at {i} + 1")
    granted = [*own]
    if not {j for j, _, _ in others} & (low.free | high.free).union(*(h.loose for h in own)):
        granted.append(at)
    if not any(i in lo.free | hi.free for _, lo, hi in others):
        granted.append(Line(at.left, at.op, at.right))
    need(all(any(alike(h, g) for g in granted) for h in under[step]), f"{step} assumes more than the claim at {i}")
    need(all(any(alike(h, o) for o in own) for h in under[base]), f"{base} assumes more")


# Numbers --------------------------------------------------------------------------------------------------------------


def at_numbers(term: Term, values: Mapping[Term, Term]) -> Term:
    """Substitute numbers for all symbols of a number and write out its sums."""
    if term.word == "sum":
        body, i, low, high = term.args
        return make("+", ZERO, *(at_numbers(body, {**values, i: number(j)}) for j in _range(low, high, values)))
    if term.word == "symbol":
        need(term in values, f"no value for {term}")
        return values[term]
    need(term.word not in ("family", "draw", "grad", "val", "dot", "mean", "indicator"), f"{term} has no value")
    return make(term.word, *(at_numbers(a, values) if isinstance(a, Term) else a for a in term.args))


def _range(low: Term, high: Term, values: Mapping[Term, Term]) -> range:
    first, last = (value(normal(at_numbers(e, values))) for e in (low, high))
    if first is None or last is None or first.q != 1 or last.q != 1:
        raise Wrong(f"{low}..{high} is not a range of integers")
    spend(PLACE * max(int(last.p) + 1 - int(first.p), 0))
    return range(int(first.p), int(last.p) + 1)


def holds(own: Line, values: Mapping[Term, Term]) -> bool:
    """Return whether a line is true at numbers, for all integers of its ranges."""
    return all(analysis.true(at_numbers(own.gap, v), own.op) for v in integers(own.over, values))


def integers(over: Sequence[Any], values: Mapping[Term, Term]) -> Any:
    """Yield every assignment of the indices."""
    if not over:
        yield dict(values)
        return
    (i, low, high), *rest = over
    for n in _range(low, high, values):
        yield from integers(rest, {**values, i: number(n)})


def enumerated(rule: Rule, context: Context) -> None:
    """Check the claim at every integer of its ranges, which must be finite and bind every symbol."""
    own = context.line(context.claim)
    need(rule["scope"] != "all parameters", "an enumeration cannot have the scope of all parameters")
    need(own.over != () and not own.loose, "the claim has a free symbol, or no range")
    places = list(integers(own.over, {}))
    need(bool(places), "the ranges are empty")
    need(holds(own, {}), _failing(own, places))


def _failing(own: Line, places: Sequence[Mapping[Term, Term]]) -> str:
    at = next((p for p in places if not analysis.true(at_numbers(own.gap, p), own.op)), {})
    return f"it fails at {', '.join(f'{i} = {n}' for i, n in at.items())}"


def witness(rule: Rule, context: Context) -> None:
    """Check that at the given numbers the hypotheses hold and the claim fails, so that the claim does not follow."""
    values = {read(s): read(v) for s, v in rule["at"]}
    own, nothing = context.line(context.claim), Context({}, (), (), Line(ZERO, "<=", ZERO))
    for s, v in values.items():
        sort = s.word == "symbol" and not any(named(p) for p in parts(v)) and fits(s, v, ())
        need(sort and beyond_domain((v,), nothing) is None, f"{s} = {v} is out of its domain")
    short = [(d.left, d.right) for d in context.definitions]
    short += [(m.function, c) for m in context.members for c in (m.smooth, m.convex) if c is not None]
    for left, right in short:
        need(left not in values, f"{left} is defined, so no value can be given for it")
        there = put(context.expand(anywhere(left, right)), values)
        need(beyond_domain((there,), nothing) is None, f"{right} does not lie in its natural domain there")
    for i, low, high in own.over:
        need(i in values, f"the claim's index {i} has no value")
        need(not endless(low, high) and whole(values[i]), f"{i} has an infinite range, or its value is not an integer")
        ends = [_natural(e, values) for e in (low, high)]
        inside = analysis.true(minus(values[i], ends[0]), "<=") and analysis.true(minus(ends[1], values[i]), "<=")
        need(inside, f"{i} is out of its range")
    for one, two in itertools.product(context.members, repeat=2):
        alike = one.function.args[:2] == two.function.args[:2]
        constants = (two.smooth if alike else one.smooth, two), (one.convex, one)
        smooth, convex = (None if c is None else anywhere(m.function, c) for c, m in constants)  # with fresh indices
        least = ZERO if convex is None else at_numbers(make("max", ZERO, convex), values)
        some = smooth is None or analysis.true(minus(at_numbers(smooth, values), least), "<=")
        need(some, f"the function class {one.name} may be empty")
    fixed = {s: v for s, v in values.items() if s not in own.indices}
    for name, known in context.used.items():
        at, here = values if name.startswith("assumed ") else fixed, context.line(known)
        need(holds(here, at), f"{name} does not hold there")
        for side in (here.left, here.right):  # check the domain of a line as that of a sum over its ranges
            _natural(reduce(lambda t, r: make("sum", t, *r), reversed(here.over), side), at)
    for side in (own.left, own.right):
        _natural(side, values)
    need(analysis.true(at_numbers(own.gap, values), own.op, false=True), "the claim is not seen to fail there")


def _natural(term: Term, values: Mapping[Term, Term]) -> Term:
    """Return the term at numbers; raise Wrong if a value in it depends on the convention x/0 = 0."""
    _natural_ends(term, values)
    there = at_numbers(term, values)
    missing = beyond_domain((there,), Context({}, (), (), Line(ZERO, "<=", ZERO)))
    need(missing is None, f"{term} does not lie in its natural domain there"[:300])
    return there


def _natural_ends(term: Term, values: Mapping[Term, Term]) -> None:
    if term.word == "sum":
        body, i, low, high = term.args
        for end in (low, high):
            _natural(end, values)
        for j in _range(low, high, values):
            _natural_ends(body, {**values, i: number(j)})
        return
    for part in term.args:
        if isinstance(part, Term):
            _natural_ends(part, values)


RULES = {
    "Combine": combine,
    "Summed": summed,
    "Expected": expected,
    "Instance": instance,
    "Squeezed": squeezed,
    "Power": power,
    "Polynomial": polynomial,
    "Ball": ball,
    "Known": known,
    "Absolute": absolute,
    "Monotone": monotone,
    "Enumerate": enumerated,
}
