"""The shape of a term: a polynomial in special parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fltheory.kernel.language.terms import E, Term, make

SKELETON = ("+", "*", "number", "poly")


def integer_value(term: Term) -> int | None:
    """Return the integer that a term equals."""
    return int(term.args[0].p) if term.word == "number" and term.args[0].q == 1 else None


def is_power(term: Term) -> bool:
    """Return whether the term is a power with a literal exponent and a base that is no special constant."""
    return term.word == "^" and integer_value(term.args[1]) is not None and term.args[0] is not E


def is_root(term: Term) -> bool:
    """Return whether the term is a power with a fractional exponent."""
    return term.word == "^" and term.args[1].word == "number" and term.args[1].args[0].q != 1


def open_parts(term: Term) -> Iterator[Term]:
    """Return the parts of a term outside binders."""
    yield term
    if term.word not in ("sum", "mean"):
        for a in term.args:
            if isinstance(a, Term):
                yield from open_parts(a)


def specials(term: Term, found: dict[Term, None]) -> None:
    """Collect the outermost parts that are not polynomial operations."""
    if term.word in SKELETON or (is_power(term) and not is_root(term.args[0])):
        for a in term.args:
            if isinstance(a, Term):
                specials(a, found)
    elif term.word != "symbol":
        found.setdefault(term)


def replace_specials(term: Term, new: Mapping[Term, Term]) -> Term:
    """Return a term with its outermost special parts replaced."""
    if term.word in SKELETON or (is_power(term) and not is_root(term.args[0])):
        return make(term.word, *(replace_specials(a, new) if isinstance(a, Term) else a for a in term.args))
    return new.get(term, term)


def collect_denominators(term: Term, found: dict[Term, None]) -> None:
    """Collect the denominators of a polynomial in special parts."""
    if term.word in SKELETON or term.word == "^":
        if is_power(term) and (integer_value(term.args[1]) or 0) < 0:
            found.setdefault(term.args[0])
        for a in term.args if is_power(term) or term.word != "^" else ():
            if isinstance(a, Term):
                collect_denominators(a, found)


def has_fraction(term: Term) -> bool:
    """Return whether a polynomial contains a fraction."""
    if term.word == "number":
        return bool(term.args[0].q != 1)
    return (term.word in SKELETON or is_power(term)) and any(has_fraction(a) for a in term.args if isinstance(a, Term))


def first_of(ways: Sequence[str]) -> str:
    """Return a tactic that tries several in turn."""
    return f"first [ {' | '.join(ways)} ]" if len(ways) > 1 else ways[0]
