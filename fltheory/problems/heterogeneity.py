"""Uniform gradient heterogeneity of clients that are (piecewise) quadratic in every coordinate, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from sympy import Symbol

from fltheory import symbols
from fltheory.number import Number, exact
from fltheory.number.vectors import average, exact_sqrt

Table = tuple[tuple[Number, ...], ...]


@lru_cache(maxsize=256)  # of the same coordinates in many runs
def uniform_heterogeneity(
    left: Table, right: Table, slopes: Table, best: tuple[Fraction, ...]
) -> Mapping[Symbol, Number]:
    """Exact A4 constants (beta, zeta), A5 constant where finite, and the Hessian heterogeneity.

    mean_m |dF_m - dF|^2 = v y^2 + 2 w y + z^2 with y = x - x*, on each side; with beta^2 = 2 v / h^2 (0 if v = 0)
    it is at most beta^2 (h y)^2 + z^2 + w^2 / v, by completing the square.
    """
    n_clients = len(slopes)
    slope_ratio, square = Fraction(0), Fraction(0)
    worst_clients = [Fraction(0)] * n_clients
    bounded, hessian = True, Fraction(0)
    for i in range(len(best)):
        sides = [left] if left == right else [left, right]
        if (
            len(sides) == 2
            and best[i] != 0
            and any(left[m][i] != left[0][i] or right[m][i] != right[0][i] for m in range(n_clients))
        ):
            return {}  # no closed form for a kink away from the minimiser with different curvatures
        extra = Fraction(0)
        for side in sides:
            h = [Fraction(side[m][i]) for m in range(n_clients)]
            b = [h[m] * best[i] + slopes[m][i] for m in range(n_clients)]
            hbar, bbar = average(h), average(b)
            v = average([(a - hbar) ** 2 for a in h])
            w = average([(a - hbar) * (c - bbar) for a, c in zip(h, b, strict=True)])
            z2 = average([(c - bbar) ** 2 for c in b])
            hessian = max([hessian, *(abs(a - hbar) for a in h)])
            if v:
                if hbar == 0:
                    return {}
                bounded = False
                slope_ratio = max(slope_ratio, 2 * v / hbar**2)
                z2 += w**2 / v
            extra = max(extra, z2)
        square += extra
        mean = average([Fraction(row[i]) for row in slopes])
        worst_clients = [s + (slopes[m][i] - mean) ** 2 for m, s in enumerate(worst_clients)]
    found: dict[Symbol, Number] = {
        symbols.heterogeneity_slope: exact_sqrt(slope_ratio),
        symbols.heterogeneity: exact_sqrt(square),
        symbols.hessian_heterogeneity: exact(hessian),
    }
    if bounded:
        found[symbols.max_heterogeneity] = exact_sqrt(max(worst_clients))
    return found
