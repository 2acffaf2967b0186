"""The context of a step: lines, the signs that follow from them, definitions, and function classes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from fltheory.kernel.language.effort import spend
from fltheory.kernel.language.lines import Definition, Line, Member
from fltheory.kernel.language.terms import (
    ONE,
    SIGNS,
    Term,
    Wrong,
    a_function,
    endless,
    insert,
    make,
    minus,
    put,
    read_at,
    symbol,
    whole,
)
from fltheory.kernel.limits import equal, is_zero
from fltheory.kernel.needs import Around, Need, averaged, decides, inside, noted, ranging
from fltheory.kernel.normal import (
    HIGHEST,
    LONG,
    UNIT,
    Normal,
    atom,
    cleared,
    content,
    form_of,
    glance,
    negative,
    normal,
    opened,
    plus,
    polynomial_in,
    polynomials,
    raised,
    scaled,
    sure,
    term_of,
    times,
    vanishes,
)

ROUNDS, DEPTH = 3, 3  # passes in which lines meet needs of other lines; depth of needs of needs
Forms = tuple[Normal, ...]


@dataclass(frozen=True)
class Context:
    """The lines, definitions and function classes that a step may use, with its claim."""

    used: Mapping[str, Line]
    definitions: tuple[Definition, ...]
    members: tuple[Member, ...]
    claim: Line
    grounds: tuple[Context, Context] | None = None  # contexts that meet needs: at this step, and for every outcome
    calm: bool = False  # no line depends on a random assumption
    _kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def expand(self, term: Term) -> Term:
        """Return the term with the definitions inserted one after the other."""
        for d in self.definitions:
            term = insert(term, d.left, d.right, d.anywhere)
        return term

    def facts(self) -> Forms:
        """Return the normal forms that are nonnegative."""
        return self._signs()[0]

    def above(self) -> Forms:
        """Return the normal forms that are positive."""
        return self._signs()[1]

    def _signs(self) -> tuple[Forms, Forms]:
        """Return (nonnegative forms, positive forms) of the lines; a line with needs counts once others meet them."""
        if "signs" not in self._kept:
            facts, above, left = list[Normal](), list[Normal](), list(self._said())
            self._kept["signs"] = ((), ())
            for _ in range(ROUNDS):
                own = (tuple(facts), tuple(above))
                open_ones = []
                for forms, strict, needs in left:
                    if all(self._grants(n, own) for n in needs):
                        facts += forms
                        above += forms if strict else []
                    else:
                        open_ones.append((forms, strict, needs))
                if len(open_ones) in (0, len(left)):
                    break
                left = open_ones
            self._kept["signs"] = (tuple(facts), tuple(above))
        found: tuple[Forms, Forms] = self._kept["signs"]
        return found

    def _grants(self, need: Need, own: tuple[Forms, Forms]) -> bool:
        if self.grounds is None:
            return _met(need, self, own, DEPTH)
        other = self.grounds[need.averaged]
        return _met(need, other, (other.facts(), other.above()), DEPTH)

    def _said(self) -> Iterator[tuple[list[Normal], bool, tuple[Need, ...]]]:
        """Yield for each line its nonnegative forms, whether they are positive, and the needs on which this depends."""
        for known in self.used.values():
            if known.gap.vector:
                continue
            with noted() as needs:
                if not same_ranges(known, self.claim):
                    continue
                gap = normal(self.expand(known.gap))
            yield [gap] if known.op != "==" else [gap, scaled(gap, -1)], known.op == "<", tuple(needs)
        for index, low, high in self.claim.over:
            for end, above in ((low, minus(index, low)), (high, minus(high, index))):
                if not endless(end):
                    with noted() as needs:
                        form = normal(above)
                    yield [form], False, tuple(needs)

    def line(self, own: Line) -> Line:
        """Return a line with the definitions inserted in both sides; the ranges stay."""
        return Line(self.expand(own.left), own.op, self.expand(own.right), own.over)


@decides
def same_ranges(known: Line, claim: Line, facts: Forms = ()) -> bool:
    """Return whether every index of a line is an index of the claim, whose range is contained in the line's."""
    own = {i: (lo, hi) for i, lo, hi in claim.over}
    return all(i in own and _within(own[i], (lo, hi), facts) for i, lo, hi in known.over)


def _within(inner: tuple[Term, Term], outer: tuple[Term, Term], facts: Forms) -> bool:
    low = outer[0].word == "-oo" or _reaches(inner[0], outer[0], facts)
    return low and (outer[1].word == "oo" or _reaches(outer[1], inner[1], facts))


def _reaches(high: Term, low: Term, facts: Forms) -> bool:
    return not endless(high, low) and not_negative(minus(high, low), facts)


@decides
def nonnegative(form: Normal, facts: Iterable[Normal], above: Forms = (), depth: int = 2) -> bool:
    """Return whether a number is seen to be nonnegative.

    The tests in order: the normal form alone; a fact plus a nonnegative rest; a fact times a nonnegative number; the signs of
    the factors.
    """
    if glance(form):
        return True
    facts = tuple(facts)
    spend(10 + len(facts))
    if any(glance(more) for f in (*facts, *above) for more in less(form, f)):
        return True
    if depth == 0:
        return False
    top, below = cleared(form)
    for f in facts:
        quotient = divided(top, f)
        if quotient is not None and nonnegative(times(quotient, below), facts, above, depth - 1):
            return True
    return _of_parts(form, facts, above, depth - 1, False)


def less(form: Normal, fact: Normal) -> Iterator[Normal]:
    """Yield the number minus multiples of a fact that cancel a term, and minus the fact itself if they share a term."""
    if not _share(form, fact):
        return
    for c in {fmpq(1), *(form[m] / c for m, c in fact.items() if m in form and form[m] / c > 0)}:
        yield plus(form, scaled(fact, -c))


def _share(one: Normal, two: Normal) -> bool:
    return any(m and m in two for m in one)


@decides
def positive(form: Normal, facts: Iterable[Normal], above: Iterable[Normal] = (), depth: int = 2) -> bool:
    """Return whether a number is seen to be positive.

    The tests in order: the normal form alone; a positive form, or one or two facts, plus a rest; the signs of the factors.
    """
    if glance(form, True):
        return True
    facts, above = tuple(facts), tuple(above)
    spend(10 + len(facts) ** 2)
    if any(glance(more) or vanishes(more) for p in above for more in less(form, p)):
        return True
    if any(glance(more, True) for f in facts for more in less(form, f)):
        return True
    near = [(i, plus(form, scaled(f, -1))) for i, f in enumerate(facts) if _share(form, f)]
    if any(
        glance(plus(one, scaled(f, -1)), True) for i, one in near for f in facts if f is not facts[i] and _share(one, f)
    ):
        return True
    return depth > 0 and _of_parts(form, facts, above, depth - 1, True)


Factors = list[tuple[Normal, int]]


def _of_parts(form: Normal, facts: Forms, above: Forms, depth: int, strict: bool) -> bool:
    """Return whether the number has the sign by its factors: common powers, and the rest of numerator and denominator."""
    top, below = cleared(form)
    if not top:
        return not strict  # the number is 0 although its form has terms
    sign, found = 1, list[tuple[Normal, int]]()
    for part in (top, below):
        c, mono, rest = content(part)
        sign *= 1 if c > 0 else -1
        found += [(atom(a), e) for a, e in mono] + ([(rest, 1)] if rest != UNIT else [])
    return _signed(*_factored(found, sign), facts, above, depth, strict)


def _factored(parts: Factors, sign: int) -> tuple[int, Factors]:
    found: Factors = []
    for form, e in parts:
        if len(form) == 1 or len(form) > LONG or any(not 0 <= e <= HIGHEST for mono in form for _, e in mono):
            found.append((form, e))
            continue
        (polynomial,), letters = polynomials(form)
        lead, factors = polynomial.factor()
        sign *= 1 if lead > 0 else -1
        found += [(form_of(f, letters), int(k) * e) for f, k in factors]
    return sign, found


def _signed(sign: int, factors: Factors, facts: Forms, above: Forms, depth: int, strict: bool) -> bool:
    """Return whether the product has the wanted sign, from the signs of its factors (of odd powers, unless ``strict``)."""
    seen = positive if strict else nonnegative
    for f, e in factors:
        if e % 2 == 0 and not strict:
            continue
        if not seen(f, facts, above, depth):
            if not seen(scaled(f, -1), facts, above, depth):
                return False
            sign *= -1 if e % 2 else 1
    return sign > 0


def divided(form: Normal, by: Normal) -> Normal | None:
    """Return a number whose product with ``by`` is ``form``, or None if none is found."""
    with noted():  # the search has no needs: its result is verified by multiplication
        found = _quotient(form, by)
    return found if found is not None and vanishes(plus(form, scaled(times(found, by), -1))) else None


def _quotient(form: Normal, by: Normal) -> Normal | None:
    found = times(form, raised(by, -1)) if len(by) == 1 else _of_sums(form, by)
    own = {a for m in form for a, e in m if e < 0}
    if found is None or not all(e > 0 or a in own or sure(a, True) for m in found for a, e in m):
        return None
    return found


def _of_sums(form: Normal, by: Normal) -> Normal | None:
    (top, below), (other, under) = cleared(form), cleared(by)
    degrees = _degrees(top)
    if not other or any(d > degrees.get(a, 0) for a, d in _degrees(other).items()):
        return None  # in each atom the degree of a product is the sum of the degrees
    shifts = []
    for part in (top, other):
        least: dict[Term, int] = {}
        for m in part:
            for a, e in m:
                least[a] = max(least.get(a, 0), -e)
        shifts.append({tuple(sorted((a, e) for a, e in least.items() if e)): fmpq(1)})
    shifted = times(top, shifts[0]), times(other, shifts[1])
    if any(map(negative, shifted)):
        return None  # multiplying out may bring back negative powers
    (one, two), letters = polynomials(*shifted)
    c, mono, bare = content(form_of(two, letters))  # a common power may be in the denominator
    if negative(bare) or not {a for m in bare for a, _ in m} <= set(letters):
        return None
    quotient, _ = divmod(
        one, polynomial_in(bare, letters)
    )  # the caller verifies the product, so the remainder is ignored
    found = times(form_of(quotient, letters), times(raised(shifts[0], -1), shifts[1]))
    found = times(found, raised({mono: c}, -1))
    return times(times(found, raised(below, -1)), under)


def _degrees(form: Normal) -> dict[Term, int]:
    """Return for each atom the difference between its highest and its lowest power in the form."""
    powers = [dict(m) for m in form]
    return {a: max(p.get(a, 0) for p in powers) - min(p.get(a, 0) for p in powers) for p in powers for a in p}


@decides
def same(first: Line, second: Line) -> bool:
    """Return whether two lines are equivalent, up to names of indices, for all integers of their ranges."""
    return _alike(first, second, bound=True)


def alike(first: Line, second: Line) -> bool:
    """Return whether two assumptions are equal without any need: lines under one of them could not be used to meet it."""
    with noted() as needs:
        return same(first, second) and not needs


@decides
def says(claim: Line, found: Line) -> bool:
    """Return whether a line is the claim; its needs may be met with the ranges of the claim's indices."""
    return _alike(claim, found, bound=False)


def _alike(first: Line, second: Line, bound: bool) -> bool:
    if first.op != second.op or len(first.over) != len(second.over):
        return False
    names = {j: i for (i, _, _), (j, _, _) in zip(first.over, second.over, strict=True) if i is not j}
    if set(names.values()) & second.loose:
        return False
    renamed = second.renamed(names)
    for n, ((_, *ends), (_, *others)) in enumerate(zip(first.over, renamed.over, strict=True)):
        with ranging(first.over[:n] if bound else ()):
            pairs = zip(ends, others, strict=True)
            if not all(a is b or (not endless(a, b) and equal(a, b)) for a, b in pairs):
                return False
    gap, other = first.gap, renamed.gap
    with ranging(first.over if bound else ()):
        if gap.vector != other.vector and not (is_zero(gap) or is_zero(other)):
            return False
        return equal(gap, other) or (first.op == "==" and is_zero(make("+", gap, other)))


def class_of(function: Term, members: Iterable[Member]) -> Member:
    """Return the function class of a function: that of its family."""
    for m in members:
        if function.args[:2] == m.function.args[:2] and len(function.args) == len(m.function.args):
            at = dict(zip(m.function.args[2:], function.args[2:], strict=True))
            smooth, convex = (None if c is None else read_at(c, at) for c in (m.smooth, m.convex))
            return Member(m.name, function, smooth, convex)
    raise Wrong(f"no membership used gives the class of the function {function}")


# Natural domains ----------------------------------------------------------------------------------------------------------


def domain(term: Term) -> Iterator[tuple[Need, ...]]:
    """Yield the natural-domain conditions of a term in groups; at least one need of each group must be met."""
    if term.word == "sum":
        yield from (*domain(term.args[2]), *domain(term.args[3]))  # as written
        body, index, low, high = opened(term)
        with inside(index, low, high):
            own = tuple(domain(body))
        yield from (tuple(n.bound(index, low, high) for n in needs) for needs in own)
        return
    if term.word == "mean":
        with averaged():
            own = tuple(domain(term.args[0]))
        yield from (tuple(n.everywhere() for n in needs) for needs in own)
        return
    for a in term.args:
        yield from domain(a) if isinstance(a, Term) else ()
    if term.word == "log":
        yield (Need("positive", term.args[0]),)
    elif term.word == "^":
        base, exponent = term.args
        rising = glance(normal(exponent))
        if whole(exponent):
            yield from () if rising else ((Need("nonzero", base), Need("nonnegative", exponent)),)
        else:
            yield (Need("nonnegative" if rising else "positive", base),)
    elif term.word == "binomial":
        yield from ((Need(kind, a),) for a in term.args for kind in ("whole", "nonnegative"))


def beyond_domain(terms: Iterable[Term], context: Context) -> Need | None:
    """Return a natural-domain condition of the terms that is not seen to hold, or None."""
    for term in terms:
        with noted() as supposed:
            asked = dict.fromkeys(domain(term))
        for needs in (*asked, *((need,) for need in supposed)):
            if all(unmet((need,), context) is not None for need in needs):
                return needs[0]
    return None


def unmet(needs: Iterable[Need], context: Context) -> Need | None:
    """Return the first need that the context does not meet, before or after its definitions are inserted, or None."""
    for need in dict.fromkeys(needs):
        if not _met(need, context, (context.facts(), context.above()), DEPTH):
            return need
    return None


def _met(need: Need, context: Context, signs: tuple[Forms, Forms], depth: int) -> bool:
    """Return whether a need is met; the needs of that search must be met in turn, by searches of smaller depth."""
    if depth < 0 or (need.averaged and not context.calm):
        return False
    with noted() as needs:
        ends = [pair for i, low, high in need.around for pair in ((low, i), (i, high)) if not endless(*pair)]
        around = [normal(minus(above, below)) for below, above in ends]
        facts, above = (*signs[0], *around), (*signs[1], *_inside(context, need.around))
    for own in dict.fromkeys((need.term, context.expand(need.term))):
        with noted() as more:
            found = KINDS[need.kind](own, facts, above)
        if found and all(_met(n, context, signs, depth - 1) for n in {**needs, **more}):
            return True
    return False


def _inside(context: Context, around: Around) -> Iterator[Normal]:
    """Yield strict inequalities that hold on a whole range, at the index of a sum over the same range."""
    for known in context.used.values():
        if len(known.over) != 1 or known.op != "<" or known.indices & context.claim.indices:
            continue  # a line under an assumption on the claim's index need not hold for other integers
        ((index, low, high),) = known.over
        for own, lower, upper in around:
            if not endless(low, high) and equal(lower, low) and equal(upper, high):
                yield normal(context.expand(put(known.gap, {index: own})))


@decides
def nonzero(term: Term, facts: Forms, above: Forms) -> bool:
    """Return whether each factor of a number is seen to be nonzero."""
    form = normal(term)
    if not form:
        return False
    if _positive(term, facts, above):
        return True
    if len(form) == 1 and any(len(p) == 1 and set(dict(min(form))) <= set(dict(min(p))) for p in above):
        return True  # a factor of a positive product
    factors, (top, below) = list[Normal](), cleared(form)
    if not top:
        return False
    for part in (top, below):  # the denominator too, as 1/0 = 0
        _, mono, rest = content(part)
        factors += [*(atom(a) for a, _ in mono), rest]
    return all(any(_positive(term_of(scaled(f, s)), facts, above) for s in (1, -1)) for f in factors)


@decides
def _positive(term: Term, facts: Forms, above: Forms) -> bool:
    form = normal(term)
    if positive(form, facts, above):
        return True
    if any(d is not None and glance(d, True) for p in above for d in [divided(form, p)]):
        return True
    if term.word == "sum":
        body, index, low, high = opened(term)
        ranges = (normal(minus(index, low)), normal(minus(high, index)))
        some = (whole(low) or whole(high)) and not_negative(minus(high, low), facts)
        return some and _positive(body, (*facts, *ranges), above)
    return _by_parts(term, facts, above, True)


@decides
def not_negative(term: Term, facts: Forms, above: Forms = ()) -> bool:
    """Return whether a number is seen to be nonnegative, from its normal form or from its parts."""
    return _by_form(term, facts, above) or _by_parts(term, facts, above, False)


@decides
def _by_form(term: Term, facts: Forms, above: Forms) -> bool:
    return nonnegative(normal(term), (*facts, *above))


@decides
def _by_parts(term: Term, facts: Forms, above: Forms, strict: bool) -> bool:
    """Return whether the sign of a sum, a product, a power or a logarithm follows from the signs of its parts."""
    seen = _positive if strict else not_negative
    if term.word == "+" and strict:
        some = any(_positive(a, facts, above) for a in term.args)
        return some and all(not_negative(a, facts, above) for a in term.args)
    if term.word == "+":
        return all(seen(a, facts, above) for a in term.args)
    if term.word == "*":
        return _side(term, facts, above, strict) > 0
    if term.word == "^":
        return seen(term.args[0], facts, above)
    return term.word == "log" and seen(minus(term.args[0], ONE), facts, above)


def _side(term: Term, facts: Forms, above: Forms, strict: bool) -> int:
    """Return the sign (1 or -1) of a product whose factors have known signs, else 0.

    Negative factors are numbers, and logarithms of arguments that are at most 1. With ``strict``, log a is negative only if
    0 < a < 1, as log a = 0 for a <= 0.
    """
    seen = _positive if strict else not_negative
    if term.word == "*":
        return math.prod(_side(a, facts, above, strict) for a in term.args)
    if seen(term, facts, above):
        return 1
    if term.word == "log":
        return -(seen(minus(ONE, term.args[0]), facts, above) and (not strict or seen(term.args[0], facts, above)))
    return -(term.word == "number" and bool(term.args[0] < 0))


@decides
def fits(letter: Term, value: Term, facts: Forms, above: Forms = ()) -> bool:
    """Return whether a value is of the sort of the symbol that it replaces."""
    sort = letter.args[1]
    if value.vector or a_function(value):
        return False
    if sort in ("integer", "from 0", "from 1", "unknown") and not integer(value):
        return False
    if sort in ("from 0", "nonnegative"):
        return not_negative(value, facts, above)
    return sort not in ("from 1", "positive") or _positive(value, facts, above)  # a positive integer is at least 1


@decides
def integer(term: Term) -> bool:
    """Return whether a number is seen to be an integer, as it is written or in normal form."""
    return whole(term) or whole(term_of(normal(term)))


@decides
def of_kind(kind: str, value: Term, facts: Forms = (), above: Forms = ()) -> bool:
    """Return whether a number is of the sort of the members of a family."""
    sort = ("nonnegative", "positive")[SIGNS[kind]] if kind in SIGNS else "real"
    return fits(symbol("x", sort), value, facts, above) and (kind != "RandomInteger" or integer(value))


def _whole(term: Term, facts: Forms, above: Forms) -> bool:
    return integer(term)


KINDS = {"nonzero": nonzero, "positive": _positive, "nonnegative": not_negative, "whole": _whole}
