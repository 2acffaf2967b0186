"""What each rule needs to hold: one function a rule, which says what is wrong or nothing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import sympy
from sympy import Add, Expr, Integer, Symbol

from fltheory.proof import language as lang
from fltheory.proof.algebra import polynomial
from fltheory.proof.algebra.normal import is_zero, normal
from fltheory.proof.certificates import parse as read
from fltheory.proof.language import Relation
from fltheory.proof.rules import ball
from fltheory.proof.rules.axioms import relation_of
from fltheory.proof.sound.context import Context, class_of, nonnegative, same, same_ranges
from fltheory.proof.sound.defined import unseen
from fltheory.proof.sound.guards import fits, loose, real
from fltheory.proof.terms import Dot, E, Total, free, instantiated, is_vector, substitute

Certificate = Any


def combine(rule: lang.Combine, context: Context, certificate: Certificate) -> str | None:
    """The claim's gap is a sum of gaps times weights, of axioms and of squares."""
    claim, weights, facts = context.claim, dict(rule.weights), context.facts()
    unknown = set(weights) - set(context.used)
    if unknown:
        return f"weights for {', '.join(sorted(unknown))}, which the step does not use"
    rest = context.expand(claim.gap)
    strict = False
    default = Integer(0 if rule.weights or rule.axioms or rule.squares else 1)
    if claim.op == "==" and (
        rule.axioms or any(r.op != "==" and weights.get(n, default) != 0 for n, r in context.used.items())
    ):
        return "an inequality proves no equation"
    for name, relation in context.used.items():
        weight = context.expand(weights.get(name, default))
        if weight == 0:
            continue
        if not same_ranges(relation, claim, facts):
            return f"{name} is stated for other indices than the claim: take an instance or sum it first"
        if relation.op != "==":
            if is_vector(relation.gap):
                return f"{name} compares vectors"
            if not nonnegative(weight, facts):
                return f"the weight {weight} of {name} is not seen to be nonnegative"
        if relation.op != "==":
            strict = strict or (relation.op == "<" and polynomial.positive(normal(weight)))
        gap = context.expand(relation.gap)
        rest = rest - (Dot(weight, gap) if is_vector(weight) else weight * gap)  # <v, u - w> = 0 if u = w
    for weight, axiom in rule.axioms:
        weight = context.expand(weight)
        if not nonnegative(weight, facts):
            return f"the weight {weight} of the axiom {axiom.kind} is not seen to be nonnegative"
        member = class_of(axiom.function, context.members)
        found = relation_of(axiom, member, facts)
        rest = rest - weight * context.expand(found.gap)
    if rule.squares:
        if claim.op == "==":
            return "squares prove no equation"
        reason = _squares(certificate, context)
        if isinstance(reason, str):
            return reason
        rest = rest - sum((c * Dot(v, v) for c, v in reason), Integer(0))
    elif certificate is not None:
        return "this rule has no certificate"
    if not is_vector(rest) and claim.op != "==" and nonnegative(rest, ()):
        # the gap is a sum of what is not negative and this rest, so that slack of known sign may be left over
        strict = strict or polynomial.positive(normal(rest))
        rest = Integer(0)
    if claim.op == "<" and not strict:
        return "a strict claim needs a strict inequality with a positive weight"
    if is_zero(rest):
        return None
    return "the two sides differ by " + _short(rest)


def _short(expr: Expr) -> str:
    text = str(expr if is_vector(expr) else normal(expr))
    return text if len(text) < 400 else text[:400] + " ..."


def _squares(certificate: Certificate, context: Context) -> list[tuple[Expr, Expr]] | str:
    """The squares of a certificate: {"squares": [{"weight", "sign": certificate, "vector": [[coefficient, vector], ...]}]}."""
    if not isinstance(certificate, dict) or set(certificate) != {"squares"}:
        return "the certificate must list its squares"
    facts, above, bound = context.facts(), context.positive(), frozenset(i for i, _, _ in context.claim.over)
    found = []
    for entry in certificate["squares"]:
        if not isinstance(entry, dict) or not {"weight", "vector"} <= set(entry) <= {"weight", "vector", "sign"}:
            return "a square is a weight, perhaps with the certificate of its sign, and a vector"
        weight = read(entry["weight"])
        if weight == 0:
            return "a square without weight"
        if "sign" in entry:
            reason = polynomial.check(weight, (*facts, *above), entry["sign"])
            if reason:
                return f"the weight {weight} of a square: {reason}"
        elif not polynomial.nonnegative(weight):
            return f"the weight {weight} of a square is not seen to be nonnegative"
        if not real(weight, facts, above, bound):
            return f"the weight {weight} of a square is not seen to be a real number"
        vector = [(read(c), read(v)) for c, v in entry["vector"]]
        if not any(c == 1 for c, _ in vector) or any(c == 0 for c, _ in vector):
            return "a square's vector has a coefficient 1, and none is 0"
        if not all(real(c, facts, above, bound) and real(v, facts, above, bound) for c, v in vector):
            return "the coefficients of a square are not seen to be real numbers everywhere"
        found.append((weight, Add(*(c * v for c, v in vector))))
    return found


def summed(rule: lang.Summed, context: Context) -> str | None:
    """Both sides, times a weight, summed over indices of the used relation."""
    relation, reason = _single(context)
    if relation is None:
        return reason
    ranges = {i: (lo, hi) for i, lo, hi in relation.over}
    if not set(rule.indices) <= set(ranges):
        return "the used relation has no such index"
    rest = tuple(r for r in relation.over if r[0] not in rule.indices)
    gone: set[Symbol] = set()
    for index in rule.indices:
        if index in gone or (free(ranges[index][0]) | free(ranges[index][1])) & gone:
            return f"the range of {index} depends on an index that is summed before it"
        gone.add(index)
    if any((free(lo) | free(hi)) & gone for _, lo, hi in rest):
        return "a range that is left depends on an index that is summed"
    inner = Context(context.used, context.definitions, context.members, relation)
    weight = context.expand(sympy.sympify(rule.weight))
    wrong = unseen(inner, weight)
    if wrong is not None:
        return f"the weight {weight}: {wrong}"
    if relation.op != "==" and not nonnegative(weight, inner.facts()):
        return f"the weight {weight} is not seen to be nonnegative"
    left, right = weight * relation.left, weight * relation.right
    for index in rule.indices:
        lo, hi = ranges[index]
        if hi is sympy.oo or lo is -sympy.oo:
            return f"{index} runs without end"
        left, right = Total(left, index, lo, hi), Total(right, index, lo, hi)
    op = "<=" if relation.op == "<" else relation.op
    return _compared(context, Relation(left, op, right, rest))


def expected(rule: lang.Expected, context: Context) -> str | None:
    """The expectation of both sides."""
    relation, reason = _single(context)
    if relation is None:
        return reason
    if is_vector(relation.gap):
        return "expectations are of numbers"
    op = "<=" if relation.op == "<" else relation.op
    return _compared(context, Relation(E(relation.left), op, E(relation.right), relation.over))


def instance(rule: lang.Instance, context: Context) -> str | None:
    """The first used relation at integers within its ranges; further ones help to see that they are."""
    relation = next(iter(context.used.values()), None)
    if relation is None:
        return "there is no relation to take an instance of"
    at = dict(rule.at)
    ranges = {i: (lo, hi) for i, lo, hi in relation.over}
    if not set(at) <= set(ranges):
        return "only indices of the used relation can be set"
    facts = context.facts()
    for index, value in at.items():
        if not value.is_integer:
            return f"{value} is not known to be an integer"
        lo, hi = (substitute(end, at) for end in ranges[index])
        above = lo is -sympy.oo or nonnegative(value - lo, facts)
        if not above or (hi is not sympy.oo and not nonnegative(hi - value, facts)):
            return f"{index} = {value} is not seen to lie in {lo}..{hi}"
        if not fits(index, value, facts):
            return f"{value} is not seen to fit the assumptions on {index}"
        left_over = {i for i, _, _ in relation.over if i not in at}
        if free(value) & (left_over - {i for i, _, _ in context.claim.over}):
            return f"{value} depends on an index that the claim has under another name"
    rest = tuple((i, substitute(lo, at), substitute(hi, at)) for i, lo, hi in relation.over if i not in at)
    if same_ranges(Relation(0, "<=", 0, rest), context.claim, facts):
        rest = context.claim.over  # the values lie in the ranges wherever the claim's indices are
    return _compared(
        context, Relation(instantiated(relation.left, at), relation.op, instantiated(relation.right, at), rest)
    )


def induction(
    rule: lang.Induction, context: Context, assuming: Mapping[str, tuple[Relation, ...]], own: tuple[Relation, ...] = ()
) -> str | None:
    """Base and step of the claim for all integers from the first one on, under ``own`` assumptions free of the index."""
    if any(rule.index in loose(h) or h.over for h in own):
        return f"the assumptions must not speak of {rule.index}"
    claim = context.claim
    ranges = {i: (lo, hi) for i, lo, hi in claim.over}
    if rule.index not in ranges or len(context.used) != 2:
        return "an induction has a claim for all values of its index, and uses a base and a step"
    low, high = ranges[rule.index]
    if not low.is_integer:
        return f"{rule.index} has no first value: {low} is not known to be an integer"
    others = tuple(r for r in claim.over if r[0] != rule.index)
    (base, first), (step, second) = context.used.items()
    at = Relation(claim.left, claim.op, claim.right, others)
    if not same(Relation(*_at(at, rule.index, low)), first):
        return f"{base} is not the claim at {low}"
    if not same(
        Relation(*_at(at, rule.index, rule.index + 1)),
        Relation(second.left, second.op, second.right, tuple(r for r in second.over if r[0] != rule.index)),
    ):
        return f"{step} is not the claim at {rule.index} + 1"
    end = high - 1 if high is not sympy.oo else high
    runs = {i: (lo, hi) for i, lo, hi in second.over}.get(rule.index)
    if runs is None or runs[0] != low or not (runs[1] == end or is_zero(runs[1] - end)):
        return f"{step} must hold for {rule.index} from {low} to {end}"
    granted, apart = [*own], {i for i, _, _ in others}
    if not apart & (free(low) | free(high)).union(*map(loose, own)):
        granted.append(at)  # for all the other indices at once
    if not any(rule.index in free(lo) | free(hi) for _, lo, hi in others):
        granted.append(Relation(at.left, at.op, at.right))  # at the same values of the other indices
    if not all(any(same(h, o) for o in granted) for h in assuming[step]):
        return f"{step} may assume nothing but the claim at {rule.index}"
    if not all(any(same(h, o) for o in own) for h in assuming[base]):
        return f"{base} may assume nothing more"
    return None


def _at(relation: Relation, index: Symbol, value: Expr) -> tuple[Any, ...]:
    r = relation.at({index: value})
    return r.left, r.op, r.right, r.over


def squeezed(rule: lang.Squeezed, context: Context) -> str | None:
    """a <= b and b <= a, so a == b."""
    relations = list(context.used.values())
    if len(relations) != 2 or any(r.op != "<=" for r in relations):
        return "needs a <= b and b <= a"
    first, second = relations
    if not is_zero(first.gap + second.gap) or not is_zero(first.left - second.right):
        return "the two relations are not each other's opposite"
    over = _together(first, second)
    if over is None:
        return "one relation is for all of what the other speaks of one"
    return _compared(context, Relation(first.left, "==", first.right, over))


def _together(first: Relation, second: Relation) -> tuple[lang.Range, ...] | None:
    """The ranges of both; None where what is an index of one is a number of the other."""
    over = tuple(dict.fromkeys((*first.over, *second.over)))
    return None if (loose(first) | loose(second)) & {i for i, _, _ in over} else over


def power(rule: lang.Power, context: Context) -> str | None:
    """0 <= a, a <= b give a^p <= b^p for p >= 0."""
    relations = list(context.used.values())
    if len(relations) < 2 or any(r.op == "==" for r in relations[:2]):
        return "needs 0 <= a and a <= b"
    zero, order = relations[:2]
    exponent = context.expand(sympy.sympify(rule.exponent))
    if not is_zero(zero.left) or not is_zero(zero.right - order.left):
        return "the first relation must be 0 <= a, where the second is a <= b"
    if not nonnegative(exponent, context.facts()):
        return f"the exponent {exponent} is not seen to be nonnegative"
    over = _together(zero, order)
    if over is None:
        return "one relation is for all of what the other speaks of one"
    return _compared(context, Relation(order.left**exponent, "<=", order.right**exponent, over))


def polynomial_rule(rule: lang.Polynomial, context: Context, certificate: Certificate) -> str | None:
    """A polynomial inequality from the facts."""
    claim = context.claim
    if claim.op != "<=":
        return "only <= can be certified this way"
    return polynomial.check(normal(context.expand(claim.gap)), context.facts(), certificate)


def ball_rule(rule: lang.Ball, context: Context, certificate: Certificate) -> str | None:
    """An inequality on a box."""
    claim = context.claim
    if claim.op != "<=" or claim.over:
        return "only <= between numbers on a box can be certified this way"
    gap = normal(context.expand(claim.gap))
    if free(gap) - {s for s, _, _ in rule.box}:
        return "the box must bound every symbol of the claim"
    facts = context.facts()
    for symbol, low, high in rule.box:
        if not (nonnegative(symbol - low, facts) and nonnegative(sympy.sympify(high) - symbol, facts)):
            return f"{low} <= {symbol} <= {high} must be among the relations used"
    return ball.check(gap, {s: (sympy.Rational(lo), sympy.Rational(hi)) for s, lo, hi in rule.box}, certificate)


def known(rule: lang.Known, context: Context) -> str | None:
    """1 + u <= e^u for real u; log u <= u - 1 for positive u; the largest or smallest of some numbers; whole parts."""
    at = context.expand(sympy.sympify(rule.at))
    if rule.name == "exp":
        return _compared(context, lang.le(1 + at, sympy.exp(at)))
    if rule.name == "max":
        facts = context.facts()
        greatest = [a for a in at.args if isinstance(at, sympy.Max) and all(nonnegative(a - b, facts) for b in at.args)]
        return _compared(context, lang.eq(at, greatest[0])) if greatest else "none is seen to be the largest"
    if rule.name == "min":
        facts = context.facts()
        least = [a for a in at.args if isinstance(at, sympy.Min) and all(nonnegative(b - a, facts) for b in at.args)]
        return _compared(context, lang.eq(at, least[0])) if least else "none is seen to be the smallest"
    if rule.name == "floor":
        whole, right = context.expand(context.claim.left), context.expand(context.claim.right)
        if context.claim.op == "<=" and right == sympy.floor(at) and whole.is_integer and not context.claim.over:
            return None if nonnegative(at - whole, context.facts()) else f"{whole} is not seen to be at most {at}"
        below, above = lang.le(sympy.floor(at), at), lang.lt(at, sympy.floor(at) + 1)
        return _compared(context, below) and _compared(context, above)
    if not (polynomial.positive(at) or at.is_positive):
        return f"{at} is not seen to be positive"
    return _compared(context, lang.le(sympy.log(at), at - 1))


def cases(
    rule: lang.Cases, context: Context, assuming: Mapping[str, tuple[Relation, ...]], own: tuple[Relation, ...]
) -> str | None:
    """Every branch is the claim, and their conditions leave nothing out."""
    conditions = []
    for name, relation in context.used.items():
        if not same(relation, context.claim) or [i for i, _, _ in relation.over] != [
            i for i, _, _ in context.claim.over
        ]:
            return f"{name} is another statement than the claim"
        extra = [h for h in assuming[name] if not any(same(h, o) for o in own)]
        conditions.append(extra)
    return None if covers(conditions) else "the conditions of the cases may leave something out"


def covers(branches: list[list[Relation]], split: tuple[Relation, ...] = ()) -> bool:
    """Whether at least one branch's conditions always hold: ``split`` by one condition after the other."""
    if any(not b for b in branches) or _in_a_circle(split):
        return True
    # "for all i" has no such opposite, and vectors have no order
    condition = next((c for b in branches for c in b if c.op != "==" and not c.over and not is_vector(c.gap)), None)
    if condition is None:
        return False
    opposite = Relation(condition.right, "<" if condition.op == "<=" else "<=", condition.left)
    holds = [[c for c in b if not _implied(c, condition)] for b in branches]
    fails = [[c for c in b if not _implied(c, opposite)] for b in branches if condition not in b]
    return covers(holds, (*split, condition)) and covers(fails, (*split, opposite))


def _in_a_circle(split: tuple[Relation, ...]) -> bool:
    """Whether these inequalities can't hold together: two or three gaps, one of them > 0, that add up to 0."""
    groups = [g for size in (2, 3) for g in itertools.combinations(split, size)]
    return any(any(r.op == "<" for r in g) and is_zero(Add(*(r.gap for r in g))) for g in groups)


def _implied(condition: Relation, by: Relation) -> bool:
    if condition.op == "==" or condition.over or is_vector(condition.gap) or (condition.op == "<" and by.op != "<"):
        return False
    known = by.gap
    if by.op == "<" and condition.op == "<=" and normal(known).is_integer:
        known = known - 1  # an integer above 0 is at least 1
    difference = normal(condition.gap - known)
    return is_zero(difference) or polynomial.nonnegative(difference)


def _single(context: Context) -> tuple[Relation | None, str]:
    if len(context.used) != 1:
        return None, "this rule uses exactly one relation"
    return next(iter(context.used.values())), ""


def _compared(context: Context, found: Relation) -> str | None:
    """None if the claim is ``found``, definitions inserted."""
    expand = context.expand
    first = Relation(expand(context.claim.left), context.claim.op, expand(context.claim.right), context.claim.over)
    second = Relation(expand(found.left), found.op, expand(found.right), found.over)
    if same(first, second):
        return None
    return f"this gives {_short(second.left)} {second.op} {_short(second.right)}"
