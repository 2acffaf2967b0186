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
    whole = rest * lead
    if len(whole.to_dict()) > MOST_TERMS:
        return None
    terms = []
    for letters, c in whole.to_dict().items():
        own = _with_letters(problem, powers, letters)
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


def _with_letters(problem: polynomial.Problem, powers: list[int], letters: tuple[int, ...]) -> list[int] | None:
    """Return the powers of facts for a monomial times the known ones; None if the sign of a letter is not known."""
    own = list(powers)
    for letter, power in zip(problem.ring.gens(), letters, strict=True):
        if power:
            place = next((k for k, fact in enumerate(problem.facts) if fact == letter), None)
            if place is None:
                return None
            own[place] += int(power)
    return own
