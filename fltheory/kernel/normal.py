"""The normal form of a number: a sum of rational multiples of products of powers of atoms.

It is ``{((atom, power), ...): coefficient}`` with integer powers, which may be negative; a denominator that is a sum of several
terms is an atom. Expectations, sums and inner products are expanded by linearity; sums are split at their ends, evaluated and
reordered. Two numbers are equal if their difference, multiplied by its denominators, has no term.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce

from flint import Ordering, ctx, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpz

from fltheory.kernel.language.balls import ball
from fltheory.kernel.language.effort import forgets, spend
from fltheory.kernel.language.terms import (
    ONE,
    SIGNS,
    ZERO,
    E,
    Term,
    Wrong,
    endless,
    fresh,
    insert,
    make,
    minus,
    number,
    parts,
    put,
    whole,
)
from fltheory.kernel.needs import Need, averaged, closed, decides, inside, noted, ranging, remembered, suppose

Mono = tuple[tuple[Term, int], ...]
Normal = dict[Mono, fmpq]
HIGHEST, FEW, LONG, TRIED = 64, 8, 40, 10_000
COMBINED = ("poly", "abs", "^")  # atoms whose powers are rewritten
NOTHING: Normal = {}
UNIT: Normal = {(): fmpq(1)}


def plus(*parts: Normal) -> Normal:
    """Return the sum."""
    found = dict(parts[0])
    for part in parts[1:]:
        for mono, c in part.items():
            new = found.get(mono, 0) + c
            if new == 0:
                del found[mono]
            else:
                found[mono] = new
    return found


def times(one: Normal, two: Normal) -> Normal:
    """Return the product; roots and sums whose powers become positive integers are multiplied out."""
    spend(len(one) * len(two))
    found: Normal = {}
    for (a, c), (b, d) in itertools.product(one.items(), two.items()):
        powers = dict(a)
        for atom, power in b:
            if powers.get(atom) == -power:
                supposed("nonzero", atom)  # x x^-1 = 1
            powers[atom] = powers.get(atom, 0) + power
        mono, more = _reduced(powers)
        for own, e in ({mono: 1} if more is None else times(more, {mono: fmpq(1)})).items():
            new = found.get(own, 0) + c * d * e
            if new == 0:
                found.pop(own, None)
            else:
                found[own] = new
    return found


def _reduced(powers: dict[Term, int]) -> tuple[Mono, Normal | None]:
    """Return the monomial and a factor still to be multiplied: sums in numerators, squares of absolute values.

    Powers of one base become one power. Its integer part is multiplied out and its fraction is in lowest terms; a power of e is
    not split.
    """
    if all(atom.word not in COMBINED for atom in powers):
        return tuple(sorted((a, e) for a, e in powers.items() if e)), None
    more: Normal | None = None
    for atom in [a for a, e in powers.items() if e == 0]:
        del powers[atom]
    for atom, power in list(powers.items()):
        if atom.word == "poly" and power > 0:
            del powers[atom]
            more = times(UNIT if more is None else more, raised(normal(atom.args[0]), power))
        elif atom.word == "abs" and abs(power) > 1:
            whole_part, powers[atom] = divmod(power, 2)
            more = times(UNIT if more is None else more, raised(normal(atom.args[0]), 2 * whole_part))
    roots = [a for a in powers if a.word == "^" and a.args[1].word == "number"]
    for base in {a.args[0]: None for a in roots}:
        own = [a for a in roots if a.args[0] is base]
        total = sum((powers.pop(a) * a.args[1].args[0] for a in own), fmpq(powers.pop(E, 0) if base is E else 0))
        if total.q == 1:  # b^(1/2) b^(1/2) = b; if a fraction is left both sides are 0 for b <= 0
            supposed("nonnegative" if total != 0 else "positive", base)
        whole_part, part = (0, total) if base is E else (total.floor(), total - total.floor())
        if part.q == 1 and base is E:
            powers[E] = int(part.p)
        elif part:
            powers[make("^", base, number(fmpq(1, part.q)))] = int(part.p)
        if whole_part:
            more = times(UNIT if more is None else more, raised(normal(base), int(whole_part)))
    _gather_letters(powers)
    return tuple(sorted((a, e) for a, e in powers.items() if e)), more


def _gather_letters(powers: dict[Term, int]) -> None:
    """Merge powers of one base whose exponents are multiples of one monomial: b^(x/2) b^(x/2) is b^x, in lowest terms."""
    groups: dict[tuple[Term, Mono], list[tuple[Term, fmpq]]] = {}
    for atom in powers:
        if atom.word == "^" and atom.args[1].word != "number":
            exponent = normal(atom.args[1])
            if len(exponent) == 1:
                ((mono, c),) = exponent.items()
                groups.setdefault((atom.args[0], mono), []).append((atom, c))
    for (base, mono), own in groups.items():
        total = sum((powers[atom] * c for atom, c in own), fmpq(0))
        if len(own) == 1 and total.q == own[0][1].q and own[0][1].p == 1:
            continue
        counts = _integer(mono) and all(c.q == 1 for _, c in own)
        if total == 0:  # b^x b^-x = 1
            supposed("nonzero" if counts else "positive", base)
        elif not counts:
            supposed("nonnegative", base)
        for atom, _ in own:
            del powers[atom]
        powers[make("^", base, term_of({mono: fmpq(1, int(total.q))}))] = int(total.p)


def supposed(kind: str, term: Term) -> None:
    """Note a need of this kind, unless the normal form already shows that it is met."""
    own = term.args[0] if term.word == "poly" else term
    if own.word == "^" and kind == "nonzero":  # b^x is nonzero if b is (x an integer), or if b is positive
        return supposed("nonzero" if whole(own.args[1]) else "positive", own.args[0])
    form = normal(own)
    if glance(form, kind != "nonnegative") or (kind == "nonzero" and glance(scaled(form, -1), True)):
        return
    suppose(Need(kind, own))


def _integer(mono: Mono) -> bool:
    return all(whole(a) and e > 0 for a, e in mono)


def _product_of(powers: dict[Term, int]) -> Normal:
    mono, more = _reduced(powers)
    return {mono: fmpq(1)} if more is None else times(more, {mono: fmpq(1)})


def scaled(form: Normal, c: fmpq | int) -> Normal:
    """Return a rational multiple."""
    return {m: c * v for m, v in form.items()} if c != 0 else {}


def raised(base: Normal, power: int) -> Normal:
    """Return an integer power."""
    if base == UNIT:
        return UNIT
    if len(base) == 1:
        ((mono, c),) = base.items()
        spend(_bits(c) * abs(power))
        return times({(): c**power}, _product_of({a: e * power for a, e in mono}))
    if abs(power) > HIGHEST:
        raise Wrong(f"the power {power} is too large to be multiplied out")
    if power < 0:
        return _inverse(base, -power)
    return reduce(times, [base] * power, UNIT)


def _bits(c: fmpq) -> int:
    """Return how many bits each further factor adds to a power of the number: none for 1 and -1."""
    return int((abs(c.p) - 1).bit_length() + (c.q - 1).bit_length())


def _inverse(base: Normal, power: int) -> Normal:
    top, below = cleared(base)
    if not top:
        return {}  # 0^-1 = 0
    c, mono, rest = content(top)
    found: Normal = times({(): 1 / c**power}, {tuple((a, -e * power) for a, e in mono): fmpq(1)})
    if rest != UNIT:
        found = times(found, {((make("poly", term_of(rest)), -power),): fmpq(1)})
    return times(found, raised(below, power))


def cleared(form: Normal) -> tuple[Normal, Normal]:
    """Return (numerator, denominator), whose quotient is the number; the numerator has no sum in a denominator."""
    below = UNIT
    while True:
        least: dict[Term, int] = {}
        for mono in form:
            for atom, e in mono:
                if atom.word == "poly":
                    least[atom] = max(least.get(atom, 0), -e)
        if not least:
            return form, below
        for atom, e in least.items():
            if any(atom not in dict(m) for m in form):  # if all terms contain it, both sides are 0 where it is 0
                supposed("nonzero", atom)
            own = raised(normal(atom.args[0]), e)
            kept: Normal = {}
            for mono, c in form.items():
                have = dict(mono).get(atom, 0)
                bare = {tuple(p for p in mono if p[0] is not atom): c}
                kept = plus(kept, times(bare, raised(normal(atom.args[0]), e + have)))
            form, below = kept, times(below, own)


def content(form: Normal) -> tuple[fmpq, Mono, Normal]:
    """Return (c, common monomial, rest), whose product is the form.

    The rest has integer coefficients without a common factor, and its first coefficient is positive.
    """
    shared: dict[Term, int] = dict(min(form))
    for mono in form:
        have = dict(mono)
        shared = {a: min(shared.get(a, 0), have.get(a, 0)) for a in {*shared, *have}}
    mono = tuple(sorted((a, e) for a, e in shared.items() if e))
    rest = _taken_out(form, mono) if mono else form
    if not rest:
        raise Wrong("a number that is 0 although its form has terms cannot be factored")
    top, below = fmpz(0), fmpz(1)
    for c in rest.values():
        top, below = top.gcd(c.p), below * c.q / below.gcd(c.q)
    size = fmpq(top, below) * (1 if rest[min(rest)] > 0 else -1)
    return size, mono, scaled(rest, 1 / size) if size != 1 else rest


def _taken_out(form: Normal, mono: Mono) -> Normal:
    """Return form / mono, where mono contains the least power of each atom in the form."""
    found = NOTHING
    for own, c in form.items():
        powers = dict(own)
        for a, e in mono:
            if a not in powers:  # 1 = x^-1 x, as e < 0
                supposed("nonzero", a)
            powers[a] = powers.get(a, 0) - e
        found = plus(found, scaled(_product_of(powers), c))
    return found


def lowest(form: Normal) -> tuple[Normal, Normal]:
    """Return (numerator, denominator) without a common polynomial factor."""
    top, below = cleared(form)
    if below == UNIT or len(top) < 2:
        return top, below
    (size, mono, rest), (c, other, under) = content(top), content(below)
    if any(map(negative, (rest, under))):
        return top, below
    (one, two), letters = polynomials(rest, under)
    shared = one.gcd(two)
    if shared.is_constant():
        return top, below
    supposed("nonzero", term_of(form_of(shared, letters)))
    return times(form_of(one / shared, letters), {mono: size}), times(form_of(two / shared, letters), {other: c})


def negative(form: Normal) -> bool:
    """Return whether an atom has a negative power."""
    return any(e < 0 for m in form for _, e in m)


@decides
def vanishes(form: Normal) -> bool:
    """Return whether a number is 0 wherever it is defined."""
    return not cleared(form)[0]


@decides
def is_zero(term: Term) -> bool:
    """Return whether a number or a vector is identically 0."""
    if term.vector:
        return all(vanishes(c) for c in linear(term).values())
    return vanishes(normal(term))


def _product(mono: Mono) -> Term:
    factors = [a if e == 1 else make("^", a, number(e)) for a, e in mono]
    return ONE if not factors else factors[0] if len(factors) == 1 else make("*", *factors)


def term_of(form: Normal) -> Term:
    """Return the normal form as a term; equal forms give the same term."""
    summands = []
    for mono in sorted(form):
        own = _product(mono)
        summands.append(own if form[mono] == 1 else make("*", number(form[mono]), own) if mono else number(form[mono]))
    return ZERO if not summands else summands[0] if len(summands) == 1 else make("+", *summands)


def plain(term: Term) -> Term:
    """Return the term rebuilt from its normal form."""
    return term_of(normal(term))


@remembered
def normal(term: Term) -> Normal:
    """Return the normal form of a number."""
    word, args = term.word, term.args
    if term.vector:
        raise Wrong(f"{term} is a vector where a number is required")
    if word == "number":
        return {(): args[0]} if args[0] != 0 else {}
    if word == "+":
        return plus(*map(normal, args))
    if word == "*":
        return reduce(times, map(normal, args))
    if word == "^":
        return power(normal(args[0]), normal(args[1]), args[0])
    if word == "exp":
        return power(normal(E), normal(args[0]))
    if word == "dot":
        return _dot(linear(args[0]), linear(args[1]))
    if word == "mean":
        with averaged():
            return plus(NOTHING, *(_mean(m, c) for m, c in normal(args[0]).items()))
    if word == "sum":
        body, index, low, high = opened(term)
        with inside(index, low, high):
            form = normal(body)
        return plus(NOTHING, *(times({(): c}, _number_total(m, index, low, high)) for m, c in form.items()))
    if word == "poly":
        return normal(args[0])
    return SPECIAL.get(word, _plain_atom)(term)


def atom(term: Term) -> Normal:
    """Return the normal form that consists of the term as an atom."""
    return {((term, 1),): fmpq(1)}


def _plain_atom(term: Term) -> Normal:
    word, args = term.word, term.args
    if word == "family":
        return atom(make(word, *args[:2], *map(plain, args[2:])))
    if word == "val":
        return atom(make(word, _function(args[0]), vector_of(linear(args[1]))))
    if endless(term):
        raise Wrong("infinity is not a number")
    return atom(make(word, *(plain(a) for a in args)) if word != "symbol" else term)


def _function(term: Term) -> Term:
    return make(term.word, *term.args[:2], *map(plain, term.args[2:]))


def value(form: Normal) -> fmpq | None:
    """Return the rational number that the form is, or None."""
    return fmpq(0) if not form else form[()] if set(form) == {()} else None


# Powers ---------------------------------------------------------------------------------------------------------------


def power(base: Normal, exponent: Normal, written: Term | None = None) -> Normal:
    """Return base^exponent, split along the summands of the exponent.

    ``written`` is the base as it is written; its parts may show its sign.
    """
    found = UNIT
    if closed() and len(base) > 1 and any(m for m in exponent) and not glance(base, True):
        return _closed(term_of(base), exponent)
    if len(exponent) > 1:
        counts = all(c.q == 1 and _integer(m) for m, c in exponent.items())
        rising = all(glance({m: c}) for m, c in exponent.items())
        if not (counts and rising):
            kind = "nonzero" if counts else "nonnegative" if rising else "positive"
            with noted() as needs:
                supposed(kind, written or term_of(base))
            if needs and closed():
                return _closed(term_of(base), exponent)
            for need in needs:
                suppose(need)
    for mono, c in exponent.items():
        if mono:
            found = times(found, _letter_power(base, mono, c))
            continue
        whole_part, part = divmod(int(c.p), int(c.q))
        found = times(found, raised(base, whole_part))
        if part:
            found = times(found, _rational_power(base, fmpq(part, int(c.q))))
    return found


def _closed(base: Term, exponent: Normal) -> Normal:
    """Return a power without splitting it; only a power of a power with two integer exponents is merged."""
    counts = all(c.q == 1 and _integer(m) for m, c in exponent.items())
    if base.word == "^" and counts and whole(base.args[1]):
        return power(normal(base.args[0]), times(normal(base.args[1]), exponent))
    return atom(make("^", base, term_of(exponent)))


def _rational_power(base: Normal, exponent: fmpq) -> Normal:
    def one(b: Term, e: fmpq) -> Normal:
        return _root(b, e * exponent)

    return _spread(base, one, True)


def _letter_power(base: Normal, mono: Mono, c: fmpq) -> Normal:
    integer = c.q == 1 and _integer(mono)
    if base == atom(E) and len(mono) == 1 and mono[0][0].word == "log" and mono[0][1] == 1:
        supposed("positive", mono[0][0].args[0])
        return power(normal(mono[0][0].args[0]), {(): c})  # e^(c log a) = a^c

    def one(b: Term, e: fmpq) -> Normal:
        k = c * e
        counts = integer and e.q == 1
        if b.word == "^" and (counts or sure(b.args[0]) or not whole(b.args[1])):
            if not whole(b.args[1]):
                supposed("nonnegative", b.args[0])
            return power(normal(b.args[0]), times(normal(b.args[1]), {mono: k}))
        if not counts and k.p != 1:
            supposed("nonnegative", b)
        return {((make("^", b, term_of({mono: fmpq(1, int(k.q))})), int(k.p)),): fmpq(1)}

    return _spread(base, one, not integer)


def _spread(base: Normal, one: Callable[[Term, fmpq], Normal], signed: bool) -> Normal:
    """Distribute a power of a product over its factors.

    The factors are primes, nonnegative atoms (all atoms unless ``signed``), and the rest.
    """
    if not base:
        return one(ZERO, fmpq(1))
    c, mono, rest = content(base)
    of_e = sum((e * _exponent_of_e(a) for a, e in mono), fmpq(0))
    mono = tuple((a, e) for a, e in mono if _exponent_of_e(a) == 0)
    found = one(E, of_e) if of_e != 0 else UNIT
    kept = rest if c > 0 else scaled(rest, -1)
    for prime, e in (*_factors(abs(c).p), *((p, -e) for p, e in _factors(c.q))):
        found = times(found, one(number(prime), fmpq(e)))
    for a, e in mono:
        if not signed or sure(a):
            found = times(found, one(a.args[0] if a.word == "poly" else a, fmpq(e)))
        elif e % 2 == 0:
            found = times(found, one(make("abs", a), fmpq(e)))
        else:
            kept = times(kept, {((a, e),): fmpq(1)})
    top, below = lowest(kept)
    if signed:
        if closed() and not glance(below):
            return times(found, one(term_of(kept), fmpq(1)))
        supposed("nonnegative", term_of(below))
    for part, e in zip((top, below), (1, -1), strict=True):
        square = _square(part) if signed and len(part) > 1 else None
        if square is not None:
            size, root = square
            whole_root = _absolute(make("abs", term_of(root)))
            found = times(found, times(_scaled_power({(): size}, one, e), _scaled_power(whole_root, one, 2 * e)))
        elif part != UNIT:
            found = times(found, one(term_of(part), fmpq(e)))
    return found


def _scaled_power(base: Normal, one: Callable[[Term, fmpq], Normal], times_e: int) -> Normal:
    def own(b: Term, e: fmpq) -> Normal:
        return one(b, e * times_e)

    return _spread(base, own, True)


def _factors(n: fmpz) -> list[tuple[int, int]]:
    """Return the prime factors with their powers: by trial division, then by factoring a rest that is small enough."""
    if n <= 1:
        return []
    found = [(int(p), int(e)) for p, e in fmpz(n).factor(trial_limit=TRIED)]
    rest = max(p for p, _ in found)
    spend(1 if fmpz(rest).is_probable_prime() else 2 ** min(rest.bit_length() // 6, 64))
    return [(int(p), int(e)) for p, e in fmpz(n).factor()]


def _exponent_of_e(a: Term) -> fmpq:
    """Return 1/q for a q-th root of e, else 0."""
    return a.args[1].args[0] if a.word == "^" and a.args[0] is E and a.args[1].word == "number" else fmpq(0)


def _root(b: Term, e: fmpq) -> Normal:
    """Return b^e for a rational e."""
    if b is ZERO:
        return {}
    whole_part, part = divmod(int(e.p), int(e.q))
    found = raised(normal(b), whole_part)
    if part:
        if b.word == "^" and (sure(b.args[0]) or not whole(b.args[1])):
            supposed("nonnegative", b.args[0])
            return times(found, power(normal(b.args[0]), times(normal(b.args[1]), {(): fmpq(part, int(e.q))})))
        found = times(found, {((make("^", b, number(fmpq(1, int(e.q)))), part),): fmpq(1)})
    return found


def _square(form: Normal) -> tuple[fmpq, Normal] | None:
    """Return (c, s) if a sum is c s^2 with a positive c, else None."""
    if len(form) > LONG or negative(form):
        return None
    (polynomial,), letters = polynomials(form)
    lead, factors = polynomial.factor_squarefree()
    if lead < 0 or any(e % 2 for _, e in factors):
        return None
    return fmpq(lead), reduce(times, (raised(form_of(f, letters), int(e) // 2) for f, e in factors), UNIT)


def polynomials(*forms: Normal) -> tuple[tuple[fmpq_mpoly, ...], tuple[Term, ...]]:
    """Return forms without negative powers as FLINT polynomials, and their atoms in order."""
    letters = tuple(sorted({a for f in forms for m in f for a, _ in m}))
    spend(max((sum(abs(e) for _, e in m) for f in forms for m in f), default=0) ** 2)
    return tuple(polynomial_in(f, letters) for f in forms), letters


def polynomial_in(form: Normal, letters: tuple[Term, ...]) -> fmpq_mpoly:
    """Return a form as a FLINT polynomial in these atoms; raise Wrong for negative powers, as FLINT would read -2 as 2."""
    if negative(form):
        raise Wrong("a sum with negative powers of its atoms is not a polynomial in them")
    ring = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(letters))], Ordering.degrevlex)
    place = {a: i for i, a in enumerate(letters)}
    terms = {}
    for m, c in form.items():
        powers = [0] * len(letters)
        for a, e in m:
            powers[place[a]] = e
        terms[tuple(powers)] = c
    return ring.from_dict(terms)


def form_of(polynomial: fmpq_mpoly, letters: tuple[Term, ...]) -> Normal:
    """Return a FLINT polynomial in these atoms as a normal form."""
    found = {}
    for powers, c in polynomial.to_dict().items():
        found[tuple((a, int(e)) for a, e in zip(letters, powers, strict=True) if e)] = fmpq(c)
    return found


# Functions ------------------------------------------------------------------------------------------------------------


def _log(term: Term) -> Normal:
    inside = normal(term.args[0])
    if not inside:
        return {}  # log 0 = 0
    top, below = lowest(inside)
    if below != UNIT and glance(below, True):
        supposed("positive", term.args[0])
        return plus(_log(make("log", term_of(top))), scaled(_log(make("log", term_of(below))), -1))
    c, mono, rest = content(top if value(below) == 1 else inside)
    found: Normal = {}
    if c < 0:
        c, rest = -c, scaled(rest, -1)
    for prime, e in (*_factors(c.p), *((p, -e) for p, e in _factors(c.q))):
        found = plus(found, scaled(atom(make("log", number(prime))), e))
    kept = rest
    for a, e in mono:
        if not sure(a, True):
            kept = times(kept, {((a, e),): fmpq(1)})
        elif a is E:
            found = plus(found, {(): fmpq(e)})
        elif a.word == "^":
            found = plus(found, scaled(times(normal(a.args[1]), _log(make("log", a.args[0]))), e))
        else:
            found = plus(found, scaled(atom(make("log", a)), e))
    if kept == UNIT:
        return found
    if found:
        supposed("positive", term.args[0])
    return plus(found, atom(make("log", term_of(kept))))


def _absolute(term: Term) -> Normal:
    inside = normal(term.args[0])
    if not inside:
        return {}
    if glance(inside):
        return inside
    if glance(scaled(inside, -1)):
        return scaled(inside, -1)
    c, mono, rest = content(inside)
    found: Normal = {(): abs(c)}
    kept = rest
    for a, e in mono:
        if sure(a) or e % 2 == 0:
            found = times(found, {((a, e),): fmpq(1)})
        else:
            kept = times(kept, {((a, e),): fmpq(1)})
    return times(found, atom(make("abs", term_of(kept)))) if kept != UNIT else found


def _extreme(term: Term) -> Normal:
    sign = 1 if term.word == "max" else -1
    flat: list[Term] = []
    for a in map(plain, term.args):
        flat += a.args if a.word == term.word else [a]
    kept: list[Term] = []
    for i, a in enumerate(dict.fromkeys(flat)):
        others = [*kept, *list(dict.fromkeys(flat))[i + 1 :]]
        if not any(glance(scaled(plus(normal(b), scaled(normal(a), -1)), sign)) for b in others):
            kept.append(a)
    return normal(kept[0]) if len(kept) == 1 else atom(make(term.word, *sorted(kept)))


def _floor(term: Term) -> Normal:
    inside = normal(term.args[0])
    out = {m: c for m, c in inside.items() if c.q == 1 and all(whole(a) and e > 0 for a, e in m)}
    rest = {m: c for m, c in inside.items() if m not in out}
    constant = rest.get((), fmpq(0))
    if constant != 0:
        down = constant.floor()
        out = plus(out, {(): fmpq(down)}) if down != 0 else out
        rest = plus(rest, {(): -fmpq(down)}) if down != 0 else rest
    if value(rest) is not None:
        return out
    return plus(out, atom(make("floor", term_of(rest))))


def _choices(term: Term) -> Normal:
    n, k = (value(normal(a)) for a in term.args)
    if n is None or k is None or n.q != 1 or k.q != 1 or n < 0 or k < 0:
        return atom(make("binomial", *map(plain, term.args)))
    if k > n:
        return {}
    spend(min(int(k), int(n - k)) * int(n.p).bit_length())
    return plus({(): fmpq(math.comb(int(n), int(k)))}, NOTHING)


SPECIAL: dict[str, Callable[[Term], Normal]] = {
    "log": _log,
    "abs": _absolute,
    "max": _extreme,
    "min": _extreme,
    "floor": _floor,
    "binomial": _choices,
}

# Vectors --------------------------------------------------------------------------------------------------------------


@remembered
def linear(term: Term) -> dict[Term, Normal]:
    """Return a vector as a linear combination of atomic vectors and of sums of them."""
    if term is ZERO:
        return {}
    if term.word == "family" and term.vector:
        return {_function(term): UNIT}
    if term.word == "grad":
        return {make("grad", _function(term.args[0]), vector_of(linear(term.args[1]))): UNIT}
    if term.word == "+":
        return _gathered((v, c) for a in term.args for v, c in linear(a).items())
    if term.word == "*":
        if any(a is ZERO for a in term.args):  # as after substituting 0 for a gradient
            return {}
        vectors = [a for a in term.args if a.vector]
        if len(vectors) != 1:
            raise Wrong(f"{term} is not a multiple of exactly one vector")
        factor = reduce(times, (normal(a) for a in term.args if a is not vectors[0]), UNIT)
        return _gathered((v, times(factor, c)) for v, c in linear(vectors[0]).items())
    if term.word == "sum":
        body, index, low, high = opened(term)
        with inside(index, low, high):
            pairs = [(v, m, c) for v, form in linear(body).items() for m, c in form.items()]
        return _gathered((w, scaled(d, c)) for v, m, c in pairs for w, d in _total(m, index, low, high, v).items())
    raise Wrong(f"{term} is not a vector")


def _gathered(pairs: Iterable[tuple[Term, Normal]]) -> dict[Term, Normal]:
    found: dict[Term, Normal] = {}
    for v, c in pairs:
        found[v] = plus(found.get(v, NOTHING), c)
    return {v: found[v] for v in sorted(found) if found[v]}


def vector_of(parts: dict[Term, Normal]) -> Term:
    """Return a linear combination as a term."""
    one = [v if c == UNIT else make("*", term_of(c), v) for v, c in parts.items()]
    return ZERO if not one else one[0] if len(one) == 1 else make("+", *one)


def _dot(u: dict[Term, Normal], v: dict[Term, Normal]) -> Normal:
    pairs = itertools.product(u.items(), v.items())
    return plus(NOTHING, *(times(times(c, d), _pair(a, b)) for (a, c), (b, d) in pairs))


def _pair(a: Term, b: Term) -> Normal:
    for first, second in ((a, b), (b, a)):
        if first.word == "sum":
            body, index, low, high = opened(first)
            return normal(make("sum", make("dot", body, second), index, low, high))
    return atom(make("dot", *sorted((a, b))))


# Sums and means -------------------------------------------------------------------------------------------------------


def opened(total: Term) -> tuple[Term, Term, Term, Term]:
    """Return (body, index, low, high) with a fresh index whose sort is derived from its range."""
    body, index, low, high = total.args
    if endless(low, high):
        raise Wrong(f"{total} has an infinite range")
    low, high = plain(low), plain(high)
    first = normal(low)
    sort = "from 1" if glance(plus(first, {(): fmpq(-1)})) else "from 0" if glance(first) else "integer"
    own = fresh(index, sort)
    return put(body, {index: own}), own, low, high


def _mean(mono: Mono, c: fmpq) -> Normal:
    fixed = {tuple(p for p in mono if not p[0].random): c}
    chance = [p for p in mono if p[0].random]
    if not chance:
        return fixed
    for a, e in chance:
        if a.word == "sum" and not (a.args[2].random or a.args[3].random):
            body, index, low, high = opened(a)
            rest = _product(tuple(p for p in chance if p[0] is not a) + (((a, e - 1),) if e > 1 else ()))
            if e > 0:
                return times(fixed, normal(make("sum", make("mean", make("*", body, rest)), index, low, high)))
    return times(fixed, atom(make("mean", _product(tuple(chance)))))


def _counted(moving: Term, low: Term, high: Term) -> bool:
    """Return whether the terms of a sum may be written out one by one."""
    means = (low.random or high.random) and any(p.word == "mean" for p in parts(moving))
    return whole(low) and whole(high) and not means


def _ends(moving: Term, low: Term, high: Term) -> tuple[str, int, Normal]:
    """Return how to split a sum: into ``all`` of its terms, ``off`` the last few, one ``more``, or not at all."""
    count = plus(normal(high), scaled(normal(low), -1), UNIT)
    if not _counted(moving, low, high):
        return "", 0, count
    fixed = value(count)
    if fixed is not None and fixed.q == 1 and fixed <= FEW:
        return "all", max(int(fixed.p), 0), count
    extra = count.get((), fmpq(0))
    base = plus(count, {(): -extra}) if extra != 0 else count
    if extra.q == 1 and extra > 0 and glance(base):
        spend(int(extra.p))
        return "off", int(extra.p), count
    if extra == -1 and glance(base, True):
        return "more", 1, count
    return "", 0, count


def _total(mono: Mono, index: Term, low: Term, high: Term, v: Term = ONE) -> dict[Term, Normal]:
    """Return the sum of a monomial times an atomic vector as a linear combination; for numbers the only "vector" is 1."""
    fixed = {tuple(p for p in mono if index not in p[0].free): fmpq(1)}
    moving_mono = tuple(p for p in mono if index in p[0].free)
    if index not in v.free and v is not ONE:
        return {v: _number_total(mono, index, low, high)}
    moving = _product(moving_mono) if v is ONE else make("*", _product(moving_mono), v) if moving_mono else v
    how, n, count = _ends(moving, low, high)

    def at(place: Term, c: int = 1) -> dict[Term, Normal]:
        return {w: scaled(d, c) for w, d in _combination(put(moving, {index: place})).items()}

    def with_rest(end: Term, *more: dict[Term, Normal]) -> dict[Term, Normal]:
        return _gathered(p for part in (_total(moving_mono, index, low, end, v), *more) for p in part.items())

    power_of = -1 if v is not ONE else 0 if not moving_mono else moving_mono[0][1]
    found: dict[Term, Normal]
    if how == "all":
        found = _gathered(p for j in range(n) for p in at(make("+", low, number(j))).items())
    elif power_of >= 0 and moving_mono in ((), ((index, power_of),)):
        closed = _counted(moving, low, high) and glance(count)
        found = {ONE: _power_sum(power_of, low, high) if closed else atom(_bound(moving, index, low, high))}
    elif how == "off":
        last = (at(make("+", high, number(-j))) for j in range(n))
        found = with_rest(plain(make("+", high, number(-n))), *last)
    elif how == "more":
        longer = plain(make("+", high, ONE))
        found = with_rest(longer, at(longer, -1))
    elif (drawn := _reordered(moving, index, low, high)) is not None:
        found = _combination(drawn)
    else:
        whole_sum = _bound(moving, index, low, high)
        found = {ONE: atom(whole_sum)} if v is ONE else {whole_sum: UNIT}
    return {w: times(fixed, d) for w, d in found.items()}


def _combination(term: Term) -> dict[Term, Normal]:
    return linear(term) if term.vector else {ONE: normal(term)}


def _number_total(mono: Mono, index: Term, low: Term, high: Term) -> Normal:
    return _total(mono, index, low, high).get(ONE, NOTHING)


def _reordered(body: Term, index: Term, low: Term, high: Term) -> Term | None:
    """Rewrite a sum over a permutation of 1..M at 1..M as a sum over 1..M; return None for any other sum."""
    draws = [p for p in parts(body) if p.word == "draw" and index in p.free]
    means = [p for p in parts(body) if p.word == "mean" and any(d in parts(p) for d in draws)]
    nested = bool(means) and (means != [body] or any(p.word == "mean" for p in parts(body.args[0])))
    if len(draws) != 1 or nested or (means and (low.random or high.random)):
        return None
    (draw,) = draws
    place, population, *which = draw.args
    shift = minus(place, index)
    ends = is_zero(minus(make("+", low, shift), ONE)) and is_zero(minus(make("+", high, shift), population))
    if not ends or index in term_of(normal(shift)).free.union(population.free, *(w.free for w in which)):
        return None
    own = fresh(index, "from 1")
    body = insert(body, draw, own, anywhere=False)
    return None if index in body.free else make("sum", body, own, ONE, population)


@remembered
def _power_sum(degree: int, low: Term, high: Term) -> Normal:
    """Return the sum of i^degree over low..high, which may be empty."""

    def up_to(end: Normal) -> Normal:  # Faulhaber: sum over 1..n, with B(1) = 1/2
        found = NOTHING
        spend(degree**3)
        for k in range(degree + 1):
            b = fmpq.bernoulli(k) if k != 1 else fmpq(1, 2)
            found = plus(found, scaled(raised(end, degree + 1 - k), b * math.comb(degree + 1, k)))
        return scaled(found, fmpq(1, degree + 1))

    return plus(up_to(normal(high)), scaled(up_to(plus(normal(low), {(): fmpq(-1)})), -1))


def _bound(body: Term, index: Term, low: Term, high: Term) -> Term:
    """Return a sum with canonical names of its indices and a canonical order of nested sums.

    The names continue the numbers of the surrounding sums whose indices occur in it, so that no index is captured.
    """
    binders = [(index, low, high)]
    while (total := next((a for a in (body, *_factors_of(body)) if a.word == "sum"), None)) is not None:
        inside, inner, lo, hi = opened(total)
        body = inside if total is body else make("*", *_without(_factors_of(body), total), inside)
        binders.append((inner, lo, hi))
    return min(_named(body, order) for order in _orders(binders))


def _orders(binders: Sequence[tuple[Term, Term, Term]]) -> Iterator[tuple[tuple[Term, Term, Term], ...]]:
    """Yield the orders in which the sums may be nested; if no range contains an index of another, by the order of the ranges."""
    spend(math.factorial(len(binders)))
    if not any(b in lo.free | hi.free for _, lo, hi in binders for b, _, _ in binders):
        alike = itertools.groupby(sorted(binders, key=lambda b: b[1:]), key=lambda b: b[1:])
        for groups in itertools.product(*(itertools.permutations(list(own)) for _, own in alike)):
            yield tuple(itertools.chain.from_iterable(groups))
        return
    for order in itertools.permutations(binders):
        if not any(b in lo.free | hi.free for i, (_, lo, hi) in enumerate(order) for b, _, _ in order[i:]):
            yield order


def _factors_of(term: Term) -> tuple[Term, ...]:
    """Return the factors of a product; a positive integer power is repeated."""
    if term.word == "^" and term.args[1].word == "number" and term.args[1].args[0].q == 1 and term.args[1].args[0] > 0:
        spend(int(term.args[1].args[0].p))
        return (term.args[0],) * int(term.args[1].args[0].p)
    return tuple(f for a in term.args for f in (_factors_of(a) or (a,))) if term.word == "*" else ()


def _without(factors: tuple[Term, ...], one: Term) -> tuple[Term, ...]:
    place = factors.index(one)
    return (*factors[:place], *factors[place + 1 :])


def _named(body: Term, order: Sequence[tuple[Term, Term, Term]]) -> Term:
    own = {b for b, _, _ in order}
    taken = {t for b in (body, *(e for _, *ends in order for e in ends)) for t in b.free} - own
    last = max((int(t.args[0][1:]) for t in taken if re.fullmatch("#[0-9]+", t.args[0])), default=0)
    names = {b: make("symbol", f"#{last + i}", b.args[1]) for i, b in enumerate((b for b, _, _ in order), 1)}
    body = put(body, names)
    with ranging(tuple((names[b], put(low, names), put(high, names)) for b, low, high in order)):
        body = vector_of(linear(body)) if body.vector else plain(body)
    for b, low, high in reversed(order):
        body = make("sum", body, names[b], plain(put(low, names)), plain(put(high, names)))
    return body


# Signs at a glance ----------------------------------------------------------------------------------------------------


@remembered
@decides
def sure(a: Term, strict: bool = False) -> bool:
    """Return whether an atom is known to be nonnegative, or positive with ``strict``."""
    word, args = a.word, a.args
    if word == "symbol":
        return args[1] in ("positive", "from 1") or (not strict and args[1] in ("nonnegative", "from 0"))
    if word == "number":
        return bool(args[0] > 0 or (args[0] == 0 and not strict))
    if word == "family":
        return SIGNS.get(args[0], -1) >= strict
    if word == "^":  # roots are taken of nonnegative numbers and are nonnegative
        even = args[1].word == "number" and (args[1].args[0].q != 1 or int(args[1].args[0].p) % 2 == 0)
        return (even and not strict) or sure(args[0], strict) or glance(normal(args[0]), strict)
    if word in ("max", "min"):
        return (any if word == "max" else all)(glance(normal(b), strict) for b in args)
    if word == "log":
        return glance(plus(normal(args[0]), {(): fmpq(-1)}), strict)
    if word == "mean" and not strict:
        with averaged():
            return glance(normal(args[0]))
    if word == "poly" or (word == "floor" and not strict):
        return glance(normal(args[0]), strict)
    if strict:
        return word in ("draw", "e", "pi")
    if word == "sum":
        if args[0].vector:
            return False
        body, index, low, high = opened(a)
        with inside(index, low, high):
            return glance(normal(body))
    return word in ("abs", "indicator", "draw", "e", "pi") or (word == "dot" and args[0] is args[1])


def glance(form: Normal, strict: bool = False) -> bool:
    """Return whether no term is negative (with ``strict``, and one is positive).

    If that fails, symbols of the sort "from 1" are replaced by 1 + (a nonnegative integer).
    """
    return _glance(tuple(sorted(form.items())), strict)


@remembered
@decides
def _glance(items: tuple[tuple[Mono, fmpq], ...], strict: bool) -> bool:
    form = dict(items)
    if _terms(form, strict):
        return True
    if all(_constant(a) for m in form for a, _ in m):
        return sign_of(form) > 0
    top, below = cleared(form)
    if below != UNIT:
        return any(glance(scaled(below, s), True) and glance(scaled(top, s), strict) for s in (1, -1))
    return _from_one(form, strict)


@lru_cache(maxsize=100_000)
def _constant(a: Term) -> bool:
    words = ("number", "+", "*", "^", "exp", "log", "e", "pi", "poly", "abs", "max", "min", "floor", "sin", "cos")
    return all(p.word in words for p in parts(a))


forgets(_constant.cache_clear)


def sign_of(form: Normal) -> int:
    """Return 1 or -1 if interval arithmetic decides the sign of a number without symbols, else 0."""
    for precision in (64, 256, 1024, 4096):
        with ctx.workprec(precision):
            x = ball(term_of(form), {})
            if x > 0 or x < 0:
                return 1 if x > 0 else -1
    return 0


def _from_one(form: Normal, strict: bool) -> bool:
    counts = {a for m in form for a, _ in m if a.word == "symbol" and a.args[1] == "from 1"}
    if not counts:
        return False
    least = {a: max(0, *(-e for m in form for b, e in m if b is a)) for a in counts}
    form = times(form, {tuple(sorted((a, e) for a, e in least.items() if e)): fmpq(1)})
    for a in counts:
        more = plus(atom(make("symbol", a.args[0] + "~less 1", "from 0")), UNIT)
        kept = NOTHING
        for m, c in form.items():
            kept = plus(kept, times({tuple(p for p in m if p[0] is not a): c}, raised(more, dict(m).get(a, 0))))
        form = kept
    return _terms(form, strict)


def _terms(form: Normal, strict: bool) -> bool:
    for mono, c in form.items():
        if c < 0 or any(e % 2 and not sure(a) for a, e in mono):
            return False
    return not strict or any(all(sure(a, True) for a, _ in m) for m in form)
