"""What each rule asks of a step: a function a rule, which raises Wrong where the step does not follow."""

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
PLACE = 5  # units for a term of a sum, or one value of an index


def need(true: bool, text: str) -> None:
    """Wrong where it is not so."""
    if not true:
        raise Wrong(text)


def combine(rule: Rule, context: Context) -> None:
    """The claim's gap is a sum of gaps, of axioms and of squares, each times what is not negative, and slack.

    None of these parts is negative where the lines and the classes hold, so their sum is not; an equation is a sum of equations.
    """
    claim, facts = context.claim, context.facts()
    weights = {name: read(w) for name, w in rule["weights"].items()}
    plain = not (weights or rule["axioms"] or rule["squares"] is not None)
    need(set(weights) <= set(context.used), "a weight of what is not used")
    taken, strict = [], False
    for name, known in context.used.items():
        weight = context.expand(weights.get(name, ONE if plain else ZERO))
        if is_zero(weight):
            continue
        need(same_ranges(known, claim, facts), f"{name} is stated for other indices")
        if known.op != "==":
            need(claim.op != "==", f"the inequality {name} proves no equation")
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
        need(claim.op != "==", "a square proves no equation")
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
    """multiplier * target is a sum of positive numbers times products of facts times squares, so it is not negative."""

    multiplier = normal(read(certificate["multiplier"]))
    need(glance(multiplier, True), "the multiplier is not manifestly positive")
    total: Normal = {}
    for entry in certificate["terms"]:
        product = normal(read(entry["coefficient"]))
        need(set(product) == {()} and product[()] > 0, "a coefficient is not positive")
        for fact, power in entry["facts"]:
            own = normal(read(fact))
            need(power > 0, "a power is no positive integer")
            need(nonnegative(own, facts), f"{fact} is not seen to be nonnegative")
            product = times(product, raised(own, power))
        if "square" in entry:
            product = times(product, raised(normal(read(entry["square"])), 2))
        total = plus(total, product)
    need(vanishes(plus(times(multiplier, target), scaled(total, -1))), "the identity does not hold")


def polynomial(rule: Rule, context: Context) -> None:
    """A polynomial inequality from what is used: a positive multiple of its gap is a sum of what is not negative."""
    need(context.claim.op == "<=", "only <= is certified this way")
    polynomial_identity(normal(context.expand(context.claim.gap)), rule["certificate"], context.facts())


def ball(rule: Rule, context: Context) -> None:
    """An inequality on a box, in which the letters lie by lines: a ball holds every value that a term takes there."""
    claim = context.claim
    need(claim.op == "<=" and not claim.over, "only <= between numbers on a box is certified this way")
    gap = term_of(normal(context.expand(claim.gap)))
    box = {read(s): (read(lo), read(hi)) for s, lo, hi in rule["box"]}
    need(all(s.word == "symbol" for s in box), "a box is of letters")
    need(all(e.word == "number" for ends in box.values() for e in ends), "a box has numbers for ends")
    need(gap.free <= set(box), "the box must bound every letter")
    for s, (lo, hi) in box.items():
        inside = (minus(s, lo), minus(hi, s))
        need(all(not_negative(side, context.facts()) for side in inside), f"{s} is not seen to lie in {lo}..{hi}")
    sides = {s: (ends[0].args[0], ends[1].args[0]) for s, ends in box.items() if s in gap.free}
    analysis.nonnegative_on(gap, sides, rule["certificate"])


def compared(context: Context, found: Line) -> None:
    """Wrong unless the claim is what was found, by the same names: what stands beside it knows its indices by them."""
    need(context.claim.names == found.names, "an index has another name in the claim, or two ranges")
    need(
        says(context.line(context.claim), context.line(found)),
        f"this gives {found.left} {found.op} {found.right}"[:400],
    )


def _only(context: Context) -> Line:
    need(len(context.used) == 1, "this rule uses exactly one line")
    return next(iter(context.used.values()))


def summed(rule: Rule, context: Context) -> None:
    """Both sides, times a weight that is not negative, summed over indices: of no term, both are 0, so < becomes <=."""
    known = _only(context)
    indices, ranges = [read(i) for i in rule["indices"]], {i: (lo, hi) for i, lo, hi in known.over}
    need(set(indices) <= set(ranges), "there is no such index")
    rest = tuple(r for r in known.over if r[0] not in indices)
    gone: set[Term] = set()
    for i in indices:
        need(i not in gone and not (ranges[i][0].free | ranges[i][1].free) & gone, "the sums are in another order")
        gone.add(i)
    need(not any((lo.free | hi.free) & gone for _, lo, hi in rest), "a range depends on what is summed")
    inner = Context(context.used, context.definitions, context.members, known)
    weight = context.expand(read(rule["weight"]))
    with ranging(known.over):
        seen = known.op == "==" or not_negative(weight, inner.facts())
    need(seen, "the weight is not seen to be nonnegative")
    left, right = (make("*", weight, side) if side is not ZERO else ZERO for side in (known.left, known.right))
    for i in indices:
        lo, hi = ranges[i]
        need(not endless(lo, hi), f"{i} runs without end")
        left, right = (make("sum", s, i, lo, hi) if s is not ZERO else ZERO for s in (left, right))
    compared(context, Line(left, "<=" if known.op == "<" else known.op, right, rest))


def expected(rule: Rule, context: Context) -> None:
    """The expectation of both sides: a mean keeps an order that holds for every outcome."""
    known = _only(context)
    need(not known.gap.vector, "expectations are of numbers")
    op = "<=" if known.op == "<" else known.op
    compared(context, Line(make("mean", known.left), op, make("mean", known.right), known.over))


def instance(rule: Rule, context: Context) -> None:
    """The first line at integers within its ranges: it is said for all of these."""
    need(bool(context.used), "this rule uses a line")
    known, facts = next(iter(context.used.values())), context.facts()
    at, ranges = {read(i): read(v) for i, v in rule["at"]}, {i: (lo, hi) for i, lo, hi in known.over}
    need(set(at) <= set(ranges), "only indices can be set")
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
    """a == b from a <= b and b <= a: two numbers that are each at most the other are one."""
    lines = list(context.used.values())
    need(len(lines) == 2, "needs a <= b and b <= a")
    one, two = lines
    need(equal(one.left, two.right) and equal(one.right, two.left), "the two are not opposite")
    compared(context, Line(one.left, "==", one.right, _together(one, two)))


def _together(one: Line, two: Line) -> tuple[Any, ...]:
    over = tuple(dict.fromkeys((*one.over, *two.over)))
    need(not (one.loose | two.loose) & {i for i, _, _ in over}, "one is for all of what the other speaks of one")
    return over


def power(rule: Rule, context: Context) -> None:
    """a^p <= b^p from 0 <= a and a <= b, for p >= 0; and so 0 <= b^p, as no power of what is not negative is negative."""
    lines = list(context.used.values())
    need(len(lines) > 1, "needs 0 <= a and a <= b")
    zero, order = lines[:2]
    exponent = context.expand(read(rule["exponent"]))
    need(is_zero(zero.left) and equal(zero.right, order.left), "the first line must be 0 <= a")
    need(not_negative(exponent, context.facts()), f"{exponent} is not seen to be nonnegative")
    low, high = (make("^", s, exponent) for s in (order.left, order.right))
    compared(context, Line(ZERO if is_zero(context.claim.left) else low, "<=", high, _together(zero, order)))


def known(rule: Rule, context: Context) -> None:
    """A textbook fact of one line: each holds for every number, or for those that are named."""
    at, name, facts, claim = context.expand(read(rule["at"])), rule["name"], context.facts(), context.claim
    if name == "exp":
        return compared(context, Line(make("+", ONE, at), "<=", make("exp", at)))
    if name == "log":
        need(glance(normal(at), True), f"{at} is not seen to be positive")
        return compared(context, Line(make("log", at), "<=", minus(at, ONE)))
    if name in ("max", "min"):
        need(at.word == name, f"{at} is no {name}")
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
    need(name == "indicator", f"no fact is called {name!r}")
    lines = [Line(one, "<=", ONE), Line(make("*", at, one), "==", make("*", HALF, make("+", at, size)))]
    lines += [Line(make("*", size, one), "==", make("*", at, one))]
    lines += [Line(ONE, "<=", make("+", one, make("indicator", make("*", MINUS, at))))]
    lines += [Line(one, "==", ONE)] if not_negative(at, facts) else []
    return _any(context, lines)


def _ahead(a: Term, b: Term, name: str) -> Term:
    return minus(a, b) if name == "max" else minus(b, a)


def _any(context: Context, lines: Sequence[Line]) -> None:
    own = context.line(context.claim)
    need(any(says(own, Line(k.left, k.op, k.right, own.over)) for k in lines), "this is none of its facts")


def absolute(rule: Rule, context: Context) -> None:
    """|a| <= b from a <= b and -a <= b: |a| is one of these two."""
    claim, size = context.claim, context.expand(context.claim.left)
    need(claim.op == "<=" and size.word == "abs", "the claim must be |a| <= b")
    for side in (size.args[0], make("*", MINUS, size.args[0])):
        _bounded(minus(context.expand(claim.right), side), context)


def _bounded(gap: Term, context: Context) -> None:
    plain = [k for k in context.used.values() if not k.gap.vector and same_ranges(k, context.claim)]
    need(any(equal(context.expand(k.gap), gap) for k in plain), f"0 <= {gap} is not among what the step uses"[:300])


def monotone(rule: Rule, context: Context) -> None:
    """1{a >= 0} <= 1{b >= 0} from a <= b: where a >= 0 is b >= 0 too."""
    low, high = context.expand(context.claim.left), context.expand(context.claim.right)
    need(context.claim.op == "<=" and low.word == high.word == "indicator", "the claim must compare two indicators")
    _bounded(minus(high.args[0], low.args[0]), context)


def rising(rule: Rule, context: Context, others: Sequence[Term]) -> None:
    """0 <= f(x) for every x >= 0 from 0 <= f(0) and 0 <= f'(x): no function falls where its slope is not negative.

    Of ``others``, which are supposed, none speaks of x.
    """
    x, claim = read(rule["symbol"]), context.claim
    need(claim.op == "<=" and not claim.over, "only <= between numbers is proved this way")
    need(x.word == "symbol" and x.args[1] == "nonnegative", f"{x} must be nonnegative and nothing more")
    need(not any(x in parts(t) for t in others), f"a hypothesis speaks of {x}")
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
    need(equal(slope, analysis.derivative(f, x)), "the second line is not the slope of the claim")


# What assumptions are for ---------------------------------------------------------------------------------------------

Under = Mapping[str, Sequence[Line]]


def cases(rule: Rule, context: Context, under: Under, own: Sequence[Line]) -> None:
    """Each line used is the claim, and what they suppose leaves nothing out: at each point one of them holds."""
    branches = []
    for name, known in context.used.items():
        need(
            says(context.claim, known) and known.names == context.claim.names,
            f"{name} is another statement than the claim",
        )
        branches.append([h for h in under[name] if not any(alike(h, o) for o in own)])
    need(_covered(branches, ()), "the cases may leave something out")


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
    """The claim from its first integer on: there, and at i + 1 if at i, so at each integer after it in turn."""
    i, claim = read(rule["index"]), context.claim
    need(not any(i in h.loose or h.over for h in own), f"an assumption speaks of {i}")
    ranges = {j: (lo, hi) for j, lo, hi in claim.over}
    need(i in ranges and len(context.used) == 2, "needs a claim for all values of its index, a base and a step")
    low, high = ranges[i]
    need(low.word != "-oo" and whole(low), f"{i} has no first value")
    others = tuple(r for r in claim.over if r[0] is not i)
    (base, first), (step, second) = context.used.items()
    for known in (first, second):
        need(
            [j for j in known.names if j is not i] == [j for j, _, _ in others],
            "an index has another name in the claim",
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
    with ranging(((i, *runs),)):  # other ranges of the claim say nothing of an i before its own
        seen = same(at.mapped(lambda t: put(t, above)), left)
    need(seen, f"{step} is not the claim at {i} + 1")
    granted = [*own]
    if not {j for j, _, _ in others} & (low.free | high.free).union(*(h.loose for h in own)):
        granted.append(at)
    if not any(i in lo.free | hi.free for _, lo, hi in others):
        granted.append(Line(at.left, at.op, at.right))
    need(all(any(alike(h, g) for g in granted) for h in under[step]), f"{step} supposes more than the claim at {i}")
    need(all(any(alike(h, o) for o in own) for h in under[base]), f"{base} supposes more")


# Numbers --------------------------------------------------------------------------------------------------------------


def at_numbers(term: Term, values: Mapping[Term, Term]) -> Term:
    """A number with all of its letters set; sums are added up."""
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
        raise Wrong(f"{low}..{high} is no range of integers")
    spend(PLACE * max(int(last.p) + 1 - int(first.p), 0))
    return range(int(first.p), int(last.p) + 1)


def holds(own: Line, values: Mapping[Term, Term]) -> bool:
    """Whether a line is true at numbers, for all integers of its ranges."""
    return all(analysis.true(at_numbers(own.gap, v), own.op) for v in integers(own.over, values))


def integers(over: Sequence[Any], values: Mapping[Term, Term]) -> Any:
    """Every value of the indices."""
    if not over:
        yield dict(values)
        return
    (i, low, high), *rest = over
    for n in _range(low, high, values):
        yield from integers(rest, {**values, i: number(n)})


def enumerated(rule: Rule, context: Context) -> None:
    """The claim at every integer of its ranges: these are finitely many, and there is no other letter."""
    own = context.line(context.claim)
    need(rule["scope"] != "all parameters", "what is enumerated does not stand for all parameters")
    need(own.over != () and not own.loose, "the claim has letters that no range bounds")
    places = list(integers(own.over, {}))
    need(bool(places), "the ranges are empty")
    need(holds(own, {}), _failing(own, places))


def _failing(own: Line, places: Sequence[Mapping[Term, Term]]) -> str:
    at = next((p for p in places if not analysis.true(at_numbers(own.gap, p), own.op)), {})
    return f"it fails at {', '.join(f'{i} = {n}' for i, n in at.items())}"


def witness(rule: Rule, context: Context) -> None:
    """Numbers at which what is used holds and the claim does not: so it does not follow."""
    values = {read(s): read(v) for s, v in rule["at"]}
    own, nothing = context.line(context.claim), Context({}, (), (), Line(ZERO, "<=", ZERO))
    for s, v in values.items():
        sort = s.word == "symbol" and not any(named(p) for p in parts(v)) and fits(s, v, ())
        need(sort and beyond_domain((v,), nothing) is None, f"{s} = {v} is out of its domain")
    short = [(d.left, d.right) for d in context.definitions]
    short += [(m.function, c) for m in context.members for c in (m.smooth, m.convex) if c is not None]
    for left, right in short:
        need(left not in values, f"{left} is defined: it has no value of its own")
        there = put(context.expand(anywhere(left, right)), values)
        need(beyond_domain((there,), nothing) is None, f"{right} does not lie in its natural domain there")
    for i, low, high in own.over:
        need(i in values, f"the claim's index {i} is given no number")
        need(not endless(low, high) and whole(values[i]), f"{i} has no range")
        ends = [_natural(e, values) for e in (low, high)]
        inside = analysis.true(minus(values[i], ends[0]), "<=") and analysis.true(minus(ends[1], values[i]), "<=")
        need(inside, f"{i} is out of its range")
    for one, two in itertools.product(context.members, repeat=2):
        alike = one.function.args[:2] == two.function.args[:2]
        constants = (two.smooth if alike else one.smooth, two), (one.convex, one)
        smooth, convex = (None if c is None else anywhere(m.function, c) for c, m in constants)  # no letter is a slot
        least = ZERO if convex is None else at_numbers(make("max", ZERO, convex), values)
        some = smooth is None or analysis.true(minus(at_numbers(smooth, values), least), "<=")
        need(some, f"there may be no function as {one.name} says")
    fixed = {s: v for s, v in values.items() if s not in own.indices}
    for name, known in context.used.items():
        at, here = values if name.startswith("assumed ") else fixed, context.line(known)
        need(holds(here, at), f"{name} does not hold there")
        for side in (here.left, here.right):  # a line is natural where a sum over its ranges is
            _natural(reduce(lambda t, r: make("sum", t, *r), reversed(here.over), side), at)
    for side in (own.left, own.right):
        _natural(side, values)
    need(analysis.true(at_numbers(own.gap, values), own.op, false=True), "the claim may hold there")


def _natural(term: Term, values: Mapping[Term, Term]) -> Term:
    """The term at numbers; Wrong where a value in it is another one, or none, to a reader who takes x/0 to have none."""
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
