"""Bounds for any number of rounds of a memoryless step from a bound for one round.

A certificate of one round holds for every distance and heterogeneity: its multipliers are the coefficients of a
recursion. With fresh draws in every round the expectations chain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import sympy

from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.many_rounds import Coefficients, coefficients, distance_after, require_equal_rounds
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.question import question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.whole_run import Bracket, bracket_run, why_run_unproved

ZERO = Fraction(0)


@dataclass(frozen=True)
class Recursion:
    """E|x_{r+1} - x*|^2 <= contraction E|x_r - x*|^2 + spread zeta*^2 + noise sigma^2, for all clients of the class in every
    dimension; ``noise`` None: without noise.
    """

    contraction: Fraction
    spread: Fraction
    noise: Fraction | None
    proof: Bracket = field(repr=False)

    def after(
        self, n_rounds: int, initial_distance: Fraction, heterogeneity: Fraction, noise_std: Fraction = ZERO
    ) -> Fraction:
        """Return contraction^R D^2 + (spread zeta*^2 + noise sigma^2)(1 + ... + contraction^(R-1)) >= E|x_R - x*|^2."""
        own = Coefficients(self.contraction, self.spread, self.noise)
        return distance_after(own, n_rounds, Fraction(initial_distance), Fraction(heterogeneity), Fraction(noise_std))

    def refused(self) -> str | None:
        """Return why it is not proved, or None: checks the certificate again and recomputes its coefficients."""
        found = why_run_unproved(self.proof, whatever=True)
        own = (self.contraction, self.spread, self.noise)
        return found if found or own == coefficients(self.proof) else "the coefficients are others"


@dataclass(frozen=True)
class Descent:
    """E|x_{r+1} - x*|^2 <= E|x_r - x*|^2 - gain E[F(x_r) - F*] + spread zeta*^2 + noise sigma^2, for all clients of the class.

    So the mean of E[F(x_r) - F*] over R rounds is at most (D^2 / R + spread zeta*^2 + noise sigma^2) / gain, and so is that of
    their average. ``noise`` None: without noise.
    """

    gain: Fraction
    spread: Fraction
    noise: Fraction | None
    proof: Bracket = field(repr=False)

    def after(
        self, n_rounds: int, initial_distance: Fraction, heterogeneity: Fraction, noise_std: Fraction = ZERO
    ) -> Fraction:
        """Return the upper bound on the mean gap of x_0, ..., x_{R-1}."""
        own = Coefficients(Fraction(1, n_rounds), self.spread, self.noise)
        return own.total(Fraction(initial_distance) ** 2, Fraction(heterogeneity), Fraction(noise_std)) / self.gain

    def refused(self) -> str | None:
        """Return why it is not proved, or None."""
        found = why_run_unproved(self.proof, whatever=True)
        return (
            found
            if found or (self.spread, self.noise) == coefficients(self.proof)[1:]
            else "the coefficients are others"
        )


def recursion(method: Algorithm, functions: Smooth | Quadratic, **settings: object) -> Recursion:
    """Return the recursion that is tight at these values of initial_distance and heterogeneity_at_optimum.

    Raises OutOfReach for a step that uses memory or its round index, or if no certificate was found.
    """
    found = _one_round(method, functions, LastDistance(), settings)
    return Recursion(*coefficients(found), found)


def descent(method: Algorithm, functions: Smooth | Quadratic, gain: object, **settings: object) -> Descent:
    """Return the descent with the least spread for a rational ``gain``; see ``Descent``."""
    weight = Fraction(str(gain))
    measure = RoundGrowth(sympy.Rational(weight.numerator, weight.denominator))
    found = _one_round(method, functions, measure, settings)
    return Descent(weight, *coefficients(found)[1:], found)


def best_recursion(
    method: Algorithm,
    functions: Smooth | Quadratic,
    n_rounds: int,
    initial_distance: Fraction,
    heterogeneity: Fraction,
    noise_std: Fraction = ZERO,
    ratios: Iterable[object] = ("1/16", "1/4", 1, 4, 16),
    **settings: object,
) -> Recursion:
    """Return the best recursion for this many rounds among those tight at these fractions of the distance."""
    noise = {"noise_std": noise_std} if noise_std else {}
    known = {"heterogeneity_at_optimum": heterogeneity, **noise, **settings}
    found = [
        recursion(method, functions, initial_distance=initial_distance * Fraction(str(r)), **known) for r in ratios
    ]
    return min(found, key=lambda one: one.after(n_rounds, initial_distance, heterogeneity, noise_std))


def _one_round(
    method: Algorithm, functions: Smooth | Quadratic, measure: LastDistance | RoundGrowth, settings: dict[str, object]
) -> Bracket:
    asked = replace(question(method, functions, measure, **settings, n_rounds=1), alone=True)
    require_equal_rounds(asked)
    found = bracket_run(asked, attain=False)
    if found.certificate is None:
        raise OutOfReach("no certificate of one round was found")
    return found
