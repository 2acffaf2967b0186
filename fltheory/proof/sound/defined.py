"""Where a term has a value: nothing is divided by 0, roots and logarithms are of what has them.

Every line of a proof must be seen to have a value wherever its hypotheses and assumptions hold. Else "y/x == 0" would
follow from x == 0, where it says nothing, and times x it would say y == 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import sympy
from sympy import Expr, Pow, Symbol

from fltheory.proof import language as lang
from fltheory.proof.algebra import polynomial
from fltheory.proof.algebra.normal import is_zero, normal, opened
from fltheory.proof.algebra.samples import below_zero, differ
from fltheory.proof.sound.context import Context, nonnegative, positive
from fltheory.proof.terms import Term, Total, is_vector, substitute

Facts = tuple[Expr, ...]
REMEMBERED = 2_000  # needs of which it is remembered what showed them
_TRIED: dict[Any, list[tuple[frozenset[tuple[Expr, bool]], bool]]] = {}  # of each need: the facts, and whether they do
FEW = 10  # facts that are all tried in pairs; of more those that speak of the number's own letters alone


def undefined(context: Context, *others: Expr) -> str | None:
    """What of the claim, or of ``others``, isn't seen to have a value by what is used; None if all of it has one."""
    claim = context.claim
    ends = (end for _, low, high in claim.over for end in (low, high))
    return unseen(context, claim.left, claim.right, *ends, *others)


def unseen(context: Context, *exprs: Expr) -> str | None:
    """What of these terms isn't seen to have a value by what is used, at the indices of the claim."""
    for expr in exprs:
        for need in needs(expr):
            own = _about(context, need)
            plain = Context(own.used, (), own.members, own.claim)
            if not (_seen(need, plain) or _seen(need, own) or _seen(need.expanded(own), own)):
                return str(need)
    return None


def _seen(need: Need, context: Context) -> bool:
    facts, above = context.facts(), context.positive()
    if _met(need, facts, above):
        return True
    own = {i for i, _, _ in context.claim.over}  # by these names things may be conditional
    known = (need.inside(r) for r in context.used.values() if not own & {i for i, _, _ in r.over})
    inner = [(r.op, context.inserted(r.gap)) for r in known if r is not None]
    if not inner:
        return False
    strict = tuple(gap for op, gap in inner if op == "<")
    return _met(need, (*facts, *(gap for _, gap in inner)), (*above, *strict))


def _met(need: Need, facts: Facts, above: Facts) -> bool:
    """``need.met``, remembered: what some facts show, more facts show, and what they don't, fewer don't."""
    given = frozenset((*((f, False) for f in facts), *((f, True) for f in above)))
    tried = _TRIED.setdefault(need, [])
    for before, met in tried:
        if before <= given if met else given <= before:
            return met
    met = need.met(facts, above)
    tried.append((given, met))
    if len(_TRIED) > REMEMBERED:
        _TRIED.clear()
    return met


def _about(context: Context, need: Need) -> Context:
    """The context with those of its relations alone that share a letter with what is asked for."""
    asked = tuple(e for part in (need.base, need.exponent) for e in (part, context.expand(part)))
    letters = frozenset().union(*map(_letters, asked))
    plain = all(map(_plain, asked))  # of which no relation between vectors, means or sequences says anything
    used = {n: r for n, r in context.used.items() if letters & _letters(r.gap) and (not plain or _plain(r.gap))}
    return Context(used, context.definitions, context.members, context.claim)


@lru_cache(maxsize=20_000)
def _plain(expr: Expr) -> bool:
    """Whether there are no words of the proof language in a term but sums."""
    return not any(isinstance(part, Term) and not isinstance(part, Total) for part in sympy.preorder_traversal(expr))


@lru_cache(maxsize=20_000)
def _letters(expr: Expr) -> frozenset[Symbol]:
    return frozenset(expr.atoms(Symbol))


@dataclass(frozen=True)
class Need:
    """What a number must be, as ``base ** exponent`` or a logarithm, for the integers of the ranges of the sums around it."""

    base: Expr
    sort: Literal["nonzero", "nonnegative", "positive", "choice"]
    ranges: Facts = ()
    exponent: Expr = sympy.S.NegativeOne

    def met(self, facts: Facts = (), above: Facts = ()) -> bool:
        """Whether it is seen to be so; ``facts`` are known to be >= 0, ``above`` to be > 0."""
        facts = (*facts, *self.ranges)
        if self.sort == "nonzero":
            return nonzero(self.base, facts, above) or _rising(self.exponent, facts)
        if self.sort == "positive":
            return _positive(self.base, facts, above)
        return self.sort == "nonnegative" and _nonnegative(self.base, facts, above)

    def inside(self, known: lang.Relation) -> lang.Relation | None:
        """An inequality for all of a range, at the index of a sum over that very range around the number."""
        if len(known.over) != 1 or known.op == "==" or is_vector(known.gap):
            return None
        ((index, low, high),) = known.over
        for above, below in zip(self.ranges[::2], self.ranges[1::2], strict=True):
            for own in above.atoms(sympy.Dummy):
                if sympy.expand(own - above - low) == 0 and sympy.expand(below + own - high) == 0:
                    return lang.Relation(known.left, known.op, known.right).at({index: own})
        return None

    def expanded(self, context: Context) -> Need:
        """The same with definitions inserted."""
        return Need(context.expand(self.base), self.sort, self.ranges, context.expand(self.exponent))

    def __str__(self) -> str:
        places = {
            "nonzero": f"has the power {self.exponent}",
            "nonnegative": "has a root",
            "positive": "has a logarithm or a real power",
        }
        return f"{self.base} is not seen to be {self.sort}, and {places.get(self.sort, 'is no number of choices')} here"


@lru_cache(maxsize=20_000)
def needs(expr: Expr) -> tuple[Need, ...]:
    """What must be seen of a term's parts, that no assumption on its symbols shows."""
    found = dict.fromkeys(_needs(expr, ()))
    return tuple(need for need in found if not need.met())


def _needs(expr: Expr, ranges: Facts) -> Iterator[Need]:
    if isinstance(expr, Total):
        body, index, low, high = opened(expr)
        yield from (*_needs(low, ranges), *_needs(high, ranges))
        yield from _needs(body, (*ranges, index - low, high - index))
        return
    for part in expr.args:
        yield from _needs(part, ranges)
    if isinstance(expr, sympy.log):
        yield Need(expr.args[0], "positive", ranges)
    if isinstance(expr, sympy.binomial) and not all(a.is_integer and a.is_nonnegative for a in expr.args):
        yield Need(expr, "choice", ranges)
    if not isinstance(expr, Pow):
        return
    base, exponent = expr.args
    if exponent.is_integer and not (exponent.is_Rational and exponent >= 0):
        yield Need(base, "nonzero", ranges, exponent)
    elif not exponent.is_integer:
        rising = bool(exponent >= 0) if exponent.is_Rational else nonnegative(exponent, ranges)
        yield Need(base, "nonnegative" if rising else "positive", ranges, exponent)


def _rising(exponent: Expr, facts: Facts) -> bool:
    """Whether an exponent is seen to be at least 0, at a glance or as a fact and more."""
    return not exponent.is_Rational and any(nonnegative(e, ()) for e in (exponent, *(exponent - f for f in facts)))


def nonzero(expr: Expr, facts: Facts, above: Facts = ()) -> bool:
    """Whether each factor of a number is seen not to be 0, by its sign."""

    def seen(factor: Expr) -> bool:
        base = factor.base if isinstance(factor, Pow) else factor
        return bool(base.is_nonzero) or _positive(base, facts, above) or _positive(-base, facts, above)

    if expr.is_nonzero or all(map(seen, sympy.Mul.make_args(expr))):
        return True
    return all(map(seen, sympy.Mul.make_args(sympy.factor(normal(expr)))))


def _positive(expr: Expr, facts: Facts, above: Facts) -> bool:
    if expr.is_positive:
        return True
    if isinstance(expr, Total):  # of positive terms, at least one
        body, index, low, high = opened(expr)
        some = (low.is_integer or high.is_integer) and nonnegative(high - low, facts)
        if some and _positive(body, (*facts, index - low, high - index), above):
            return True
    if isinstance(expr, Pow) and _positive(expr.base, facts, above):
        return True
    if isinstance(expr, sympy.log) and _positive(expr.args[0] - 1, facts, above):
        return True
    plain = normal(expr)
    near = tuple(f for f in facts if _letters(f) <= _letters(plain) or len(facts) <= FEW)
    alone = any(polynomial.positive(sympy.expand(plain - f)) for f in facts if not below_zero(plain, f))
    if alone or positive(plain, near) or any(_above(plain, p) for p in above):
        return True
    if not isinstance(expr, sympy.Add):
        return False
    return all(_nonnegative(a, facts, above) for a in expr.args) and any(_positive(a, facts, above) for a in expr.args)


def _above(expr: Expr, known: Expr) -> bool:
    """Whether a number is seen to be positive as another one is: that one and more, or a positive multiple of it."""
    if not differ(expr, known) and is_zero(expr - known):
        return True
    if not below_zero(expr, known) and polynomial.nonnegative(sympy.expand(expr - known)):
        return True
    return known != 0 and polynomial.positive(sympy.cancel(sympy.together(expr / known)))


def _nonnegative(expr: Expr, facts: Facts, above: Facts) -> bool:
    if expr.is_nonnegative or nonnegative(expr, (*facts, *above)):
        return True
    if isinstance(expr, sympy.Add | sympy.Mul):
        return all(_nonnegative(a, facts, above) for a in expr.args)
    if isinstance(expr, Pow):
        real = not expr.exp.is_integer  # a root of what has one
        return _nonnegative(expr.base, facts, above) if real else _positive(expr.base, facts, above)
    return isinstance(expr, sympy.log) and nonnegative(expr.args[0] - 1, (*facts, *above))


def brought(rule: lang.Rule) -> tuple[Expr, ...]:
    """What a rule itself brings in, and must have a value: weights, points, exponents, values at any index."""
    if isinstance(rule, lang.Combine):
        axioms = (part for weight, axiom in rule.axioms for part in (weight, axiom.u, axiom.v))
        return (*(weight for _, weight in rule.weights), *axioms)
    if isinstance(rule, lang.Instance):
        return tuple(value for _, value in rule.at)
    if isinstance(rule, lang.Apply):
        return tuple(anywhere(key, value) for key, value in rule.at)
    if isinstance(rule, lang.Power):
        return (sympy.sympify(rule.exponent),)
    return (sympy.sympify(rule.at),) if isinstance(rule, lang.Known) else ()


def anywhere(left: Expr, right: Expr) -> Expr:
    """``right`` with the indices of ``left`` replaced by integers of which nothing is known."""
    return substitute(right, {s: sympy.Dummy(s.name, integer=True) for s in slots_of(left) if isinstance(s, Symbol)})


def slots_of(left: Expr) -> tuple[Any, ...]:
    """The indices of a defined term; a plain symbol has none."""
    return () if isinstance(left, Symbol) else left.args[1:]
