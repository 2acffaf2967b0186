"""Distributions in balls: the best one of a round, the projection (53) and the functionals of (19)."""

from __future__ import annotations

from typing import NamedTuple

from flint import arb

from fltheory.papers.osmd.algorithms.mirror import project_balls

Distribution = list[arb]


def best(feedback: list[arb]) -> Distribution:
    """Return the distribution of least loss in the simplex: proportional to the roots of the feedback."""
    roots = [a.sqrt() for a in feedback]
    total = sum(roots, arb(0))
    return [r / total for r in roots]


def floored_best(feedback: list[arb], alpha: arb) -> Distribution:
    """Return the distribution of least loss in the floored simplex: max(alpha/M, c sqrt(a_m))."""
    return project_balls([a.sqrt() for a in feedback], alpha)


def divergence(q: Distribution) -> arb:
    """Return D_Phi(q | uniform) = log M + sum q log q."""
    found = arb(len(q)).log()
    for v in q:
        if not v.is_zero():
            found += v * v.log()
    return found


class Projection(NamedTuple):
    """The projection of a distribution onto the floored simplex: the functionals (19) and the point (53)."""

    psi: arb
    omega: arb
    phi: arb
    point: Distribution


def projection(q: Distribution, alpha: arb) -> Projection:
    """Return the functionals (19) and the projection (53): all 0 and the point itself inside the floored simplex."""
    n = len(q)
    floor = alpha / n
    above = [(v - floor).max(arb(0)) for v in q]
    psi = sum(((floor - v).max(arb(0)) for v in q), arb(0))
    room = sum(above, arb(0))
    if psi.is_zero():
        return Projection(psi, psi, psi, q)
    omega = psi / room
    return Projection(psi, omega, omega / (1 - omega * (1 - floor)), [floor + (1 - omega) * v for v in above])


def loss(feedback: list[arb], q: Distribution) -> arb:
    """Return sum_m a_m / q_m; a client without feedback costs nothing."""
    return sum((a / v for a, v in zip(feedback, q, strict=True) if not a.is_zero()), arb(0))
