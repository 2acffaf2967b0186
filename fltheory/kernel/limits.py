"""Removable side conditions: equalities and weak inequalities between polynomials in q that hold for q != 0 hold at q = 0.

The normal form writes q^(n-1) as q^n q^-1, which is a different number at q = 0. If the given term contains q only with
integer powers that are seen to be nonnegative, both sides are continuous in q, and the case q = 0 needs no side condition.
"""

from __future__ import annotations

from collections.abc import Callable

from fltheory.kernel import normal as forms
from fltheory.kernel.language.terms import Term, fresh, make, minus, parts, symbol, whole
from fltheory.kernel.needs import Need, averaged, decides, inside, noted, suppose
from fltheory.kernel.normal import Normal, glance, normal

LETTER = symbol("q", "real")
REALS = ("real", "nonnegative", "positive")  # sorts without isolated points
REAL_FAMILIES = ("Scalar", "Nonnegative", "Positive")


@decides
def is_zero(term: Term) -> bool:
    """Return whether a number or a vector is identically 0."""
    return _to_the_limit(term, forms.is_zero)


def equal(a: Term, b: Term) -> bool:
    """Return whether two numbers, or two vectors, are equal."""
    return a is b or is_zero(minus(a, b))


@decides
def settled(term: Term) -> bool:
    """Return whether a number is seen to be nonnegative from its normal form alone."""
    return is_zero(term) or _to_the_limit(term, _at_a_glance)


def _at_a_glance(term: Term) -> bool:
    return glance(normal(term))


def _to_the_limit(term: Term, asked: Callable[[Term], bool]) -> bool:
    """Return whether ``asked`` holds for the term, or for the term with fresh symbols in place of the bases of powers.

    A statement that holds for all values of these symbols holds for the bases too.
    """
    best: tuple[Need, ...] | None = None
    for own, letters in ((term, frozenset[Term]()), _with_letters(term)):
        with noted() as needs:
            found = asked(own)
        if not found:
            continue
        with noted() as left:
            for need in needs:
                if not (need.kind == "nonzero" and _left_out(need, own, needs)):
                    suppose(need)
        if not any(letters & n.letters for n in left) and (best is None or not left):
            best = tuple(left)
        if not left or own is not term:
            break
    for need in best or ():
        suppose(need)
    return best is not None


def _with_letters(term: Term) -> tuple[Term, frozenset[Term]]:
    """Replace each sum raised to a symbolic power by a fresh symbol, unless it contains an index of a sum or is random."""
    bound = {p.args[1] for p in parts(term) if p.word == "sum"}
    bases = {p.args[0] for p in parts(term) if p.word == "^" and p.args[1].free and p.args[0].word == "+"}
    new = {b: fresh(LETTER) for b in sorted(bases) if not (b.free & bound or b.random)}
    return _replaced(term, new) if new else term, frozenset(new.values())


def _replaced(term: Term, new: dict[Term, Term]) -> Term:
    if term in new:
        return new[term]
    return make(term.word, *(_replaced(a, new) if isinstance(a, Term) else a for a in term.args))


def _left_out(need: Need, term: Term, needs: dict[Need, None]) -> bool:
    """Return whether the points where a need fails are limits of others and the term is continuous there."""
    if need.around:
        return False
    form = normal(need.term)
    for mono in form:
        if len(mono) != 1 or not _ranges_over_reals(mono[0][0]):
            continue  # else a power of one symbol plus terms without it, which is 0 at isolated points
        letter = mono[0][0]
        rest: Normal = {m: d for m, d in form.items() if m != mono}
        if any(_speaks(letter, a) for m in rest for a, _ in m):
            continue
        if any(_speaks(letter, e) for n in needs for around in n.around for e in around):
            continue  # the length of a range may jump at the point
        others = [n for n in needs if _speaks(letter, n.term)]
        with noted() as more:
            smooth = polynomial_in(term, letter) and all(
                n.kind != "nonnegative" and polynomial_in(n.term, letter) for n in others
            )
        if smooth:
            for own in more:
                suppose(own)
            return True
    return False


def _ranges_over_reals(letter: Term) -> bool:
    return (letter.word == "symbol" and letter.args[1] in REALS) or (
        letter.word == "family" and letter.args[0] in REAL_FAMILIES
    )


def _speaks(letter: Term, term: Term) -> bool:
    """Return whether a term contains the symbol, or a member of the family that could be the same."""
    if letter.word == "symbol":
        return letter in term.free
    return any(p.word == "family" and p.args[:2] == letter.args[:2] for p in parts(term))


def polynomial_in(term: Term, letter: Term) -> bool:
    """Return whether a term is a polynomial in a symbol, provided that the exponents noted as needs are nonnegative."""
    word, args = term.word, term.args
    if term is letter or not _speaks(letter, term):
        return True
    if word == "family":
        return args[:2] == letter.args[:2] and not any(_speaks(letter, a) for a in args[2:])
    if word == "mean":
        with averaged():
            return polynomial_in(args[0], letter)
    if word in ("+", "*", "dot", "poly"):
        return all(polynomial_in(a, letter) for a in args)
    if word == "^" and whole(args[1]) and not _speaks(letter, args[1]):
        if args[1].word == "number" and args[1].args[0] < 0:
            return False
        if not glance(normal(args[1])):
            suppose(Need("nonnegative", args[1]))
        return polynomial_in(args[0], letter)
    if word == "sum" and not any(_speaks(letter, e) for e in args[2:]):
        body, index, low, high = forms.opened(term)
        with inside(index, low, high):
            return polynomial_in(body, letter)
    return False
