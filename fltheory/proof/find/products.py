"""A certificate of a product whose factors are facts times numbers, or visibly nonnegative: no search is needed."""

from __future__ import annotations

from typing import Any

from flint import fmpq_mpoly
from sympy import Expr

from fltheory.proof.algebra import polynomial

MOST_TERMS = 200


def product_of_facts(target: Expr, facts: tuple[Expr, ...]) -> dict[str, Any] | None:
    """Return a certificate of a product each of whose factors is a fact times a number, or has no negative term."""
    try:
        problem = polynomial.Problem.read(target, facts)
    except polynomial.Unreadable:
        return None
    lead, factors = problem.target.factor()
    powers, rest = [0] * len(problem.facts), problem.ring.constant(1)
    for factor, times in factors:
        known = _place(problem, factor)
        if known is None:
            rest *= factor**times
            continue
        place, c = known
        if c < 0 and times % 2:
            rest *= -1
        lead, powers[place] = lead / abs(c) ** int(times), powers[place] + int(times)
    letters = [_letter(problem, letter) for letter in problem.ring.gens()]
    whole = rest * lead
    if letters:
        whole = whole.compose(*(x + shift for x, (_, shift) in zip(problem.ring.gens(), letters, strict=True)))
    if len(whole.to_dict()) > MOST_TERMS:
        return None
    terms = []
    for monomial, c in whole.to_dict().items():
        own = _with_letters(powers, monomial, [place for place, _ in letters])
        if own is None or c < 0:
            return None
        terms.append({"coefficient": str(c), "powers": [str(p) for p in own]})
    return {"terms": terms}


def _place(problem: polynomial.Problem, factor: fmpq_mpoly) -> tuple[int, Any] | None:
    """Return a fact that is a number times the factor, and this number, a positive one if there is."""
    found = list[tuple[int, Any]]()
    for place, fact in enumerate(problem.facts):
        if not fact.is_constant() and fact.total_degree() == factor.total_degree():
            c = fact.leading_coefficient() / factor.leading_coefficient()
            if fact == factor * c:
                found.append((place, c))
    return max(found, key=lambda one: one[1] > 0, default=None)


def _letter(problem: polynomial.Problem, letter: fmpq_mpoly) -> tuple[int | None, int]:
    """Return the fact that says that a letter is nonnegative, or at least 1, and which of both; None if there is neither."""
    for shift in (0, 1):
        for place, fact in enumerate(problem.facts):
            if fact == letter - shift:
                return place, shift
    return None, 0


def _with_letters(powers: list[int], monomial: tuple[int, ...], places: list[int | None]) -> list[int] | None:
    """Return the powers of facts for a monomial times the known ones; None if the sign of a letter is not known."""
    own = list(powers)
    for place, power in zip(places, monomial, strict=True):
        if power and place is None:
            return None
        if power and place is not None:
            own[place] += int(power)
    return own
