"""What a step may rely on: lines, what is not negative by them, definitions, members of classes of functions."""

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

ROUNDS, DEPTH = 3, 3  # how often lines may grant what other lines suppose; how deep a need may rest on needs
Forms = tuple[Normal, ...]


@dataclass(frozen=True)
class Context:
    """A step's surroundings."""

    used: Mapping[str, Line]
    definitions: tuple[Definition, ...]
    members: tuple[Member, ...]
    claim: Line
    grounds: tuple[Context, Context] | None = None  # what grants a need: here, and for every outcome
    calm: bool = False  # no line is under a condition on chance
    _kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def expand(self, term: Term) -> Term:
        """The term with the definitions inserted, one after the other."""
        for d in self.definitions:
            term = insert(term, d.left, d.right, d.anywhere)
        return term

    def facts(self) -> Forms:
        """What is not negative."""
        return self._signs()[0]

    def above(self) -> Forms:
        """What is positive."""
        return self._signs()[1]

    def _signs(self) -> tuple[Forms, Forms]:
        """(not negative, positive): what the lines say in normal form, those first that suppose nothing, then what these grant."""
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
        """Of each line the forms that are not negative, whether they are positive, and what this supposes."""
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
        """A line with the definitions inserted, its ranges as they are."""
        return Line(self.expand(own.left), own.op, self.expand(own.right), own.over)


@decides
def same_ranges(known: Line, claim: Line, facts: Forms = ()) -> bool:
    """Whether every index of a line runs in the claim too, there within the same range."""
    own = {i: (lo, hi) for i, lo, hi in claim.over}
    return all(i in own and _within(own[i], (lo, hi), facts) for i, lo, hi in known.over)


def _within(inner: tuple[Term, Term], outer: tuple[Term, Term], facts: Forms) -> bool:
    low = outer[0].word == "-oo" or _reaches(inner[0], outer[0], facts)
    return low and (outer[1].word == "oo" or _reaches(outer[1], inner[1], facts))


def _reaches(high: Term, low: Term, facts: Forms) -> bool:
    return not endless(high, low) and not_negative(minus(high, low), facts)


@decides
def nonnegative(form: Normal, facts: Iterable[Normal], above: Forms = (), depth: int = 2) -> bool:
    """Whether a number is not negative: at a glance, as a fact and more, as a fact times more, factor by factor."""
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
    """The number less those multiples of a fact that take a term away, and less the fact itself if they share a term."""
    if not _share(form, fact):
        return
    for c in {fmpq(1), *(form[m] / c for m, c in fact.items() if m in form and form[m] / c > 0)}:
        yield plus(form, scaled(fact, -c))


def _share(one: Normal, two: Normal) -> bool:
    return any(m and m in two for m in one)


@decides
def positive(form: Normal, facts: Iterable[Normal], above: Iterable[Normal] = (), depth: int = 2) -> bool:
    """Whether a number is positive: at a glance, as something positive or one or two facts and more, factor by factor."""
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
    """By the sign of each factor: letters that all terms share, and those of the rest above and below the line."""
    top, below = cleared(form)
    if not top:
        return not strict  # 0, which its terms do not show
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
    """Whether the product has no negative sign, by the sign of each factor of an odd power."""
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
    """A number whose product with ``by`` is ``form``; None where none is found."""
    with noted():  # how it is found supposes nothing: it is multiplied out
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
        return None  # in each letter the degree of a product is the sum of those of its factors
    shifts = []
    for part in (top, other):
        least: dict[Term, int] = {}
        for m in part:
            for a, e in m:
                least[a] = max(least.get(a, 0), -e)
        shifts.append({tuple(sorted((a, e) for a, e in least.items() if e)): fmpq(1)})
    shifted = times(top, shifts[0]), times(other, shifts[1])
    if any(map(negative, shifted)):
        return None  # what is multiplied out may be divided by letters again
    (one, two), letters = polynomials(*shifted)
    c, mono, bare = content(form_of(two, letters))  # a power that all terms share may stand below the line
    if negative(bare) or not {a for m in bare for a, _ in m} <= set(letters):
        return None
    quotient, _ = divmod(one, polynomial_in(bare, letters))  # whether anything is left is asked of the product
    found = times(form_of(quotient, letters), times(raised(shifts[0], -1), shifts[1]))
    found = times(found, raised({mono: c}, -1))
    return times(times(found, raised(below, -1)), under)


def _degrees(form: Normal) -> dict[Term, int]:
    """By how much the power of each letter differs among the terms."""
    powers = [dict(m) for m in form]
    return {a: max(p.get(a, 0) for p in powers) - min(p.get(a, 0) for p in powers) for p in powers for a in p}


@decides
def same(first: Line, second: Line) -> bool:
    """Whether two lines say the same, up to the names of indices, for all integers of their ranges."""
    return _alike(first, second, bound=True)


def alike(first: Line, second: Line) -> bool:
    """Whether two suppositions are the same with nothing supposed: by what stands under one, no need of this is met."""
    with noted() as needs:
        return same(first, second) and not needs


@decides
def says(claim: Line, found: Line) -> bool:
    """Whether a line is the claim, where what is known of the claim's indices is known of them."""
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
    """What is known of a function: that of its family."""
    for m in members:
        if function.args[:2] == m.function.args[:2] and len(function.args) == len(m.function.args):
            at = dict(zip(m.function.args[2:], function.args[2:], strict=True))
            smooth, convex = (None if c is None else read_at(c, at) for c in (m.smooth, m.convex))
            return Member(m.name, function, smooth, convex)
    raise Wrong(f"nothing used says what kind of function {function} is")


# Where a term is read within its natural domain ------------------------------------------------------------------------


def domain(term: Term) -> Iterator[tuple[Need, ...]]:
    """Where every division, logarithm, root and negative power of a term lies in its natural domain: of each one need is met."""
    if term.word == "sum":
        yield from (*domain(term.args[2]), *domain(term.args[3]))  # as they are written
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
    """What is not seen of terms that should lie in their natural domain, nor of what was supposed to see where that is."""
    for term in terms:
        with noted() as supposed:
            asked = dict.fromkeys(domain(term))
        for needs in (*asked, *((need,) for need in supposed)):
            if all(unmet((need,), context) is not None for need in needs):
                return needs[0]
    return None


def unmet(needs: Iterable[Need], context: Context) -> Need | None:
    """The first need that the lines of a context are not seen to meet, before or after its definitions are inserted."""
    for need in dict.fromkeys(needs):
        if not _met(need, context, (context.facts(), context.above()), DEPTH):
            return need
    return None


def _met(need: Need, context: Context, signs: tuple[Forms, Forms], depth: int) -> bool:
    """Whether it is seen, where what the search for that supposes is met in turn, by ever shorter searches."""
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
    """Strict inequalities for all of a range, at the index of a sum over that very range."""
    for known in context.used.values():
        if len(known.over) != 1 or known.op != "<" or known.indices & context.claim.indices:
            continue  # what stands under a supposition about the claim's own index says nothing of other integers
        ((index, low, high),) = known.over
        for own, lower, upper in around:
            if not endless(low, high) and equal(lower, low) and equal(upper, high):
                yield normal(context.expand(put(known.gap, {index: own})))


@decides
def nonzero(term: Term, facts: Forms, above: Forms) -> bool:
    """Whether each factor of a number is seen not to be 0."""
    form = normal(term)
    if not form:
        return False
    if _positive(term, facts, above):
        return True
    if len(form) == 1 and any(len(p) == 1 and set(dict(min(form))) <= set(dict(min(p))) for p in above):
        return True  # each factor of a product that is positive
    factors, (top, below) = list[Normal](), cleared(form)
    if not top:
        return False
    for part in (top, below):  # what stands below the line too: 1/0 = 0
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
    """Whether a number is seen not to be negative, by its normal form or by its parts."""
    return _by_form(term, facts, above) or _by_parts(term, facts, above, False)


@decides
def _by_form(term: Term, facts: Forms, above: Forms) -> bool:
    return nonnegative(normal(term), (*facts, *above))


@decides
def _by_parts(term: Term, facts: Forms, above: Forms, strict: bool) -> bool:
    """Whether a sum, a product, a power or a logarithm has a sign by those of its parts."""
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
    """1 or -1 for a product whose factors have a sign: those below 0 are numbers and logarithms of what is at most 1.

    With ``strict`` a logarithm is below 0 where 0 < a < 1: for a <= 0 it is 0.
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
    """Whether a value is of the sort of the letter that it stands for."""
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
    """Whether a number is seen to be an integer, perhaps by its normal form."""
    return whole(term) or whole(term_of(normal(term)))


@decides
def of_kind(kind: str, value: Term, facts: Forms = (), above: Forms = ()) -> bool:
    """Whether a number is of the sort of the numbers of a family."""
    sort = ("nonnegative", "positive")[SIGNS[kind]] if kind in SIGNS else "real"
    return fits(symbol("x", sort), value, facts, above) and (kind != "RandomInteger" or integer(value))


def _whole(term: Term, facts: Forms, above: Forms) -> bool:
    return integer(term)


KINDS = {"nonzero": nonzero, "positive": _positive, "nonnegative": not_negative, "whole": _whole}
