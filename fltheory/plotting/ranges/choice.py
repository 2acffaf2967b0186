"""Which constant a plot follows, and over which range: that along which measured / bound varies most, where it says something."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fltheory.number import to_float
from fltheory.plotting.ranges.points import Sweep

ENOUGH = 5  # points of a readable curve
PROBES, FEW_PROBES = 7, 5  # coarse values of an axis, with a fast exact value and without
DECADES = 4.0  # a ratio further from 1 than so many powers of ten counts as this
REACH = 2.0  # powers of ten beyond the case's own violation at which a larger one says nothing more
NEARLY = 0.9  # an axis along which the ratio varies nearly as much as along the best counts as equally good


def probe_positions(count: int, own: int, fast: bool) -> list[int]:
    """Return positions of coarse values among ``count``: the ends, some between, and the case's own."""
    coarse = np.linspace(0, count - 1, min(count, PROBES if fast else FEW_PROBES))
    return sorted({own, *(round(float(at)) for at in coarse)})


def variation(found: Sweep) -> float:
    """Return how much measured / bound varies where the claim says something, in powers of ten, for the bound of the title."""
    good = found.informative()
    return 0.0 if good.sum() < 2 else _variation(found, found.titled, good)


def _variation(found: Sweep, index: int, at: np.ndarray) -> float:
    limit, measured = found.limit(index)[at], found.column("measured")[at]
    if found.claim.measure is None or found.claim.bounds[index].side == "equal":
        measured, limit = limit, np.ones_like(limit)  # a true equation has the ratio 1 everywhere
    good = (limit > 0) & (measured > 0) & np.isfinite(limit) & np.isfinite(measured)
    if good.sum() >= 2:
        return float(np.ptp(np.clip(np.log10(measured[good]) - np.log10(limit[good]), -DECADES, DECADES)))
    excess = (measured - limit)[np.isfinite(measured - limit)]
    return float(np.ptp(excess) / np.abs(excess).max()) if len(excess) and np.abs(excess).max() > 0 else 0.0


def room(found: Sweep) -> int:
    """Return at how many values of the constant the claim can say something, as far as is seen; ENOUGH stands for more."""
    x = found.column("value")[found.informative()]
    if len(x) < 2 or not found.symbol.is_integer:
        return len(x) if len(x) < 2 else ENOUGH
    return min(ENOUGH, int(x.max() - x.min()) + 1)


def best_axis(probes: Sequence[Sweep]) -> Sweep:
    """Return the first of the sweeps with the most room along which the ratio varies nearly most."""
    widest = max(map(room, probes))
    roomy = [found for found in probes if room(found) == widest]
    most = max(map(variation, roomy))
    return next(found for found in roomy if variation(found) >= NEARLY * most)


def telling(found: Sweep) -> np.ndarray:
    """Return where the claim says something, without violations far larger than that of the case: they flatten the rest."""
    limit, measured = found.limit(found.titled), found.column("measured")
    with np.errstate(all="ignore"):
        miss = np.abs(np.log10(measured / limit))
    violated = found.violated(surely=False)
    miss = np.where(violated & np.isfinite(miss), miss, 0.0)
    own = miss[found.column("value") == found.own]
    return found.informative() & (miss <= REACH + (float(own[0]) if len(own) else 0.0))


def telling_range(found: Sweep) -> tuple[float, float] | None:
    """Return the range where the claim says something, with one value beyond at each end; None if that is no less."""
    inside = telling(found)
    at = np.flatnonzero(inside | (found.column("value") == found.own))
    if not inside.any():
        return None
    first, last = max(int(at[0]) - 1, 0), min(int(at[-1]) + 1, len(inside) - 1)
    if (first, last) == (0, len(inside) - 1):
        return None
    return to_float(found.cases[first][0]), to_float(found.cases[last][0])


def values_between(low: float, high: float, count: int, whole: bool) -> list[float]:
    """Return values from low to high: whole numbers, or in a geometric progression if both are positive."""
    ends = low, high
    spaced = np.geomspace(*ends, count) if min(ends) > 0 else np.linspace(*ends, count)
    return sorted({float(round(v)) if whole else float(f"{v:.3g}") for v in spaced})


def values_inside(found: Sweep) -> list[float]:
    """Return values between those that say something and their neighbours, for an axis with few of the former."""
    x, inside = found.column("value"), telling(found)
    pairs = [(float(a), float(b)) for a, b, *near in zip(x, x[1:], inside, inside[1:], strict=False) if any(near)]
    whole = bool(found.symbol.is_integer)
    between = {v for a, b in pairs for v in values_between(a, b, ENOUGH, whole)}
    return sorted(between - set(x.tolist()))


def telling_part(found: Sweep) -> slice:
    """Return the points from the first to the last that says something, with one beyond at each end."""
    inside = telling(found)
    if not inside.any():
        return slice(None)
    at = np.flatnonzero(inside | (found.column("value") == found.own))
    return slice(max(int(at[0]) - 1, 0), int(at[-1]) + 2)
