"""Terms of exported proofs: immutable shared trees that are read from JSON, and substitution in them.

A number is ``"p/q"``; every other term is a list that begins with a word. Equal terms are the same object.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from flint import fmpq

from fltheory.kernel.language.effort import Account, forgets, spend

SORTS = ("real", "nonnegative", "positive", "integer", "from 0", "from 1", "unknown")
KEPT = {"~", "#"}  # characters reserved for names made by this package
VECTORS = ("Vector", "RandomVector")
SIGNS = {"Nonnegative": 0, "Positive": 1, "RandomNonnegative": 0, "RandomPositive": 1}
SCALARS = ("Scalar", "RandomScalar", "RandomInteger", *SIGNS)
KINDS = (*VECTORS, *SCALARS, "Fun")
ARITY = {"exp": 1, "log": 1, "abs": 1, "floor": 1, "sin": 1, "cos": 1, "mean": 1, "indicator": 1, "^": 2, "binomial": 2}
ARITY |= {"grad": 2, "val": 2, "dot": 2, "sum": 4, "e": 0, "pi": 0, "oo": 0, "-oo": 0}


DIGITS = "[0-9]{1,4000}"  # more take too long to read


class Wrong(ValueError):
    """Raised for a value that is not a valid proof; the message says what is wrong."""


class Term:
    """A node: a word and its arguments, which are terms, names (str) or numbers (fmpq).

    Terms are ordered by their structure, the less deep first, independently of what was read before, so that every process
    gives the same answers.
    """

    __slots__ = ("args", "free", "made", "place", "random", "vector", "word")
    word: str
    args: tuple[Any, ...]
    free: frozenset[Term]
    made: int  # the turn in which it was last counted
    random: bool
    vector: bool
    place: tuple[int, int, int]  # depth, hash of the structure, and a serial number

    def __repr__(self) -> str:
        if self.word == "number":
            return str(self.args[0])
        if self.word == "symbol":
            return str(self.args[0])
        return f"{self.word}({', '.join(map(str, self.args))})"

    def __lt__(self, other: Term) -> bool:
        return self.place < other.place


_SHARED: dict[Any, Term] = {}
_NUMBER = itertools.count()


def make(word: str, *args: Any) -> Term:
    """Return the unique term with this word and these arguments."""
    key = (word, *args) if word != "number" else (word, int(args[0].p), int(args[0].q))
    found = _SHARED.get(key)
    if found is None or found.made != Account.turn:
        spend(1 + len(args))
    if found is None:
        found = Term()
        found.word, found.args, found.place = word, args, _place(word, args)
        parts = [a for a in args if isinstance(a, Term)]
        found.free = frozenset().union(*(p.free for p in parts))
        found.random = word != "mean" and any(p.random for p in parts)
        found.vector = any(p.vector for p in parts) if word in ("+", "*") else word == "grad"
        if word == "symbol":
            found.free = frozenset((found,))
        elif word == "family":
            found.vector, found.random = args[0] in VECTORS, found.random or args[0].startswith("Random")
        elif word == "draw":
            found.random = True
        elif word == "sum":
            body, index, low, high = args
            found.free, found.vector = (body.free - {index}) | low.free | high.free, body.vector
        _SHARED[key] = found  # only when complete: an exception before leaves no partial term
    found.made = Account.turn
    return found


def _place(word: str, args: tuple[Any, ...]) -> tuple[int, int, int]:
    depth = 1 + max((a.place[0] for a in args if isinstance(a, Term)), default=0)
    text = "\0".join((word, *(str(a.place[:2]) if isinstance(a, Term) else str(a).partition("~")[0] for a in args)))
    return depth, int.from_bytes(blake2b(text.encode(), digest_size=7).digest()), next(_NUMBER)


def number(value: Any) -> Term:
    """Return a rational number as a term."""
    return make("number", fmpq(value))


def symbol(name: str, sort: str) -> Term:
    """Return a symbol of one of the ``SORTS``."""
    return make("symbol", name, sort)


def fresh(like: Term, sort: str = "") -> Term:
    """Return a new symbol that occurs in no other term, with the name of ``like`` and a number."""
    return symbol(f"{like.args[0].split('~')[0]}~{next(_NUMBER)}", sort or like.args[1])


def unmarked(text: str) -> str:
    """Return a message in which fresh symbols have their original names."""
    return re.sub("~[0-9]*", "", text)


ZERO, ONE, MINUS, E = number(0), number(1), number(-1), make("e")


def minus(a: Term, b: Term) -> Term:
    """Return the term a - b."""
    return make("+", a, make("*", MINUS, b)) if b is not ZERO else a


def read(value: Any) -> Term:
    """Read a term from JSON; raise Wrong for anything that is not a term."""
    if isinstance(value, str):
        p, over, q = value.partition("/")
        if not (re.fullmatch(DIGITS, p.removeprefix("-")) and (not over or (re.fullmatch(DIGITS, q) and int(q)))):
            raise Wrong(f"not a number: {value[:40]!r}")
        return number(fmpq(int(p), int(q or 1)))
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise Wrong(f"not a term: {str(value)[:60]}")
    word, *rest = value
    if word == "symbol":
        if len(rest) != 2 or not _names(rest[0]) or set(rest[0]) & KEPT or rest[1] not in SORTS:
            raise Wrong(f"not a symbol: {value}")
        return symbol(*rest)
    if word == "family":
        if len(rest) < 2 or rest[0] not in KINDS or not _names(rest[1]) or "~" in rest[1]:
            raise Wrong(f"not a family: {value}")
        return make("family", rest[0], rest[1], *map(read, rest[2:]))
    args = [read(r) for r in rest]
    known = word in ("+", "*", "max", "min") or (word == "draw" and len(args) in (2, 3))
    if not (known and args) and ARITY.get(word) != len(args):
        raise Wrong(f"{word!r} with {len(args)} arguments is not a term")
    if word == "sum" and args[1].word != "symbol":
        raise Wrong("the index of a sum must be a symbol")
    return make(word, *args)


def _names(value: Any) -> bool:
    """Return whether the value is printable text."""
    return isinstance(value, str) and value.isprintable()


def a_function(term: Term) -> bool:
    """Return whether a term is a function."""
    return term.word == "family" and bool(term.args[0] == "Fun")


@lru_cache(maxsize=100_000)
def whole(term: Term) -> bool:
    """Return whether the form of a term shows that it is an integer."""
    if term.word == "number":
        return bool(term.args[0].q == 1)
    if term.word == "symbol":
        return term.args[1] in ("integer", "from 0", "from 1")
    if term.word in ("+", "*", "max", "min", "abs"):
        return all(map(whole, term.args))
    if term.word == "^":
        exponent = term.args[1]
        counts = exponent.word == "symbol" and exponent.args[1] in ("from 0", "from 1")
        return whole(term.args[0]) and (
            counts or (exponent.word == "number" and whole(exponent) and exponent.args[0] >= 0)
        )
    if term.word == "sum":
        body, index, low, _ = term.args
        return whole(put(body, {index: symbol(index.args[0] + "~any", _granted_sort(index, low))}))
    return term.word in ("draw", "floor", "indicator") or (term.word == "family" and term.args[0] == "RandomInteger")


def _granted_sort(index: Term, low: Term) -> str:
    """Return the sort of a sum's index that its lower end justifies, whatever sort is given: 2^i is no integer for i = -1."""
    sort: str = index.args[1]
    least = 1 if sort == "from 1" else 0
    from_letter = low.word == "symbol" and low.args[1] in ("from 1", "from 0")[: 2 - least]
    known = from_letter or (low.word == "number" and bool(low.args[0] >= least))
    return sort if known and sort in ("from 0", "from 1") else "integer"


def put(term: Term, new: Mapping[Term, Term]) -> Term:
    """Return the term after simultaneous substitution of symbols; bound indices are renamed to avoid capture."""
    if all(old.word == "symbol" and old not in term.free for old in new):
        return term
    return _put(term, tuple(new.items()))


@lru_cache(maxsize=200_000)
def _put(term: Term, new: tuple[tuple[Term, Term], ...]) -> Term:
    mapping = dict(new)
    if term in mapping:
        return mapping[term]
    if term.word == "sum":
        body, index, low, high = term.args
        inner = {o: n for o, n in mapping.items() if index not in o.free}
        if any(index in n.free for n in inner.values()):
            own = fresh(index)
            body, index = put(body, {index: own}), own
        return make("sum", put(body, inner), index, put(low, mapping), put(high, mapping))
    return make(term.word, *(put(a, mapping) if isinstance(a, Term) else a for a in term.args))


def read_at(term: Term, mapping: Mapping[Term, Term]) -> Term:
    """Substitute values for indices; raise Wrong if a random value would be put for an index under an expectation."""
    chance = {s for s, v in mapping.items() if v.random}
    if chance and any(chance & mean.free for mean in parts(term) if mean.word == "mean"):
        raise Wrong("a random value is substituted for an index inside an expectation")
    return put(term, mapping)


@lru_cache(maxsize=20_000)
def parts(term: Term) -> tuple[Term, ...]:
    """Return the term and all of its subterms."""
    return tuple(dict.fromkeys((term, *(p for a in term.args if isinstance(a, Term) for p in parts(a)))))


def endless(*terms: Term) -> bool:
    """Return whether one of the ends of a range is infinite."""
    return any(t.word in ("oo", "-oo") for t in terms)


def slots(left: Term) -> tuple[Term, ...]:
    """Return the indices of a family, which must be distinct symbols; a symbol has none."""
    if left.word == "symbol":
        return ()
    own: tuple[Term, ...] = left.args[2:]
    if left.word != "family" or len(set(own)) != len(own) or any(s.word != "symbol" for s in own):
        raise Wrong(f"{left} is neither a symbol nor a family with distinct symbols as indices")
    return own


def anywhere(left: Term, right: Term) -> Term:
    """Return ``right`` with the indices of ``left`` replaced by fresh integers, of which nothing else is known."""
    return put(right, {s: fresh(s, "integer") for s in slots(left)})


def insert(term: Term, left: Term, right: Term, anywhere: bool = True) -> Term:
    """Replace every occurrence of ``left`` by ``right``, for any values of its indices or (not ``anywhere``) literally."""
    if left.word == "symbol":
        return put(term, {left: right})
    return _insert(term, left, right, slots(left) if anywhere else None)


@lru_cache(maxsize=100_000)
def _insert(term: Term, left: Term, right: Term, own: tuple[Term, ...] | None) -> Term:
    if not any(p is left if own is None else p.args[:2] == left.args[:2] for p in parts(term)):
        return term
    if term is left and own is None:
        return right
    if term.word == "sum":
        body, index, *ends = term.args
        if own is not None or index not in left.free:  # else the sum binds a symbol of the replaced term
            if index in right.free - set(own or ()):
                new = fresh(index)
                body, index = put(body, {index: new}), new
            body = _insert(body, left, right, own)
        return make("sum", body, index, *(_insert(e, left, right, own) for e in ends))
    args = tuple(_insert(a, left, right, own) if isinstance(a, Term) else a for a in term.args)
    if own is not None and term.word == "family" and args[:2] == left.args[:2] and len(args) == len(left.args):
        return read_at(right, dict(zip(own, args[2:], strict=True)))
    return make(term.word, *args)


for _kept in (whole, _put, parts, _insert):
    forgets(_kept.cache_clear)
