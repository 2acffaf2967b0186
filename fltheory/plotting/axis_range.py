"""The range of a plot: a claim's free constants, the case with one of them changed, and the values to evaluate."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

import numpy as np
from flint import arb
from sympy import Symbol

from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import Number, exact, to_float
from fltheory.plotting.point import applicability
from fltheory.runs.protocols import HasExchangeableClients
from fltheory.symbols import (
    VOCABULARY,
    estimation_failure,
    failure_probability,
    in_domain,
    n_clients,
    n_rounds,
    participation,
    probability_floor,
    unit_interval,
)
from fltheory.verification.settings import free_constants, own_constants, with_constant

POINTS, FEW_POINTS = 25, 10  # with a fast exact value, and without
MAX_STATES = 2_500  # of the recursion over orders of clients of several kinds
MAX_ROUNDS = 1_000_000  # rounds, unless the case itself has more
SPAN = 30.0  # factor on the case's own value, up and down, if nothing ends earlier
BEYOND = 1.25  # one value beyond the end of a claim, labelled with the reason
AT_MOST_ONE = {failure_probability, estimation_failure, participation, probability_floor, unit_interval}


# Which constants are free ---------------------------------------------------------------------------------------


def chosen_constant(claim: Claim, case: Case, along: str | None) -> Symbol:
    """Return the symbol to vary; ValueError names the free constants if ``along`` is not one of them."""
    names = free_constants(claim, case)
    if not names:
        raise ValueError(f"{claim.id} has no free constant to plot along")
    if along is None:
        return VOCABULARY[names[0]].symbol
    letters = {letter.lstrip("\\"): s.name for s, letter in claim.bound.letters}
    name = along if along in names else letters.get(along.lstrip("\\"), along)
    if name not in names:
        raise ValueError(f"{claim.id} can't be plotted along {along!r}: its free constants are {', '.join(names)}")
    return VOCABULARY[name].symbol


# Where to evaluate ----------------------------------------------------------------------------------------------


def values_along(claim: Claim, case: Case, symbol: Symbol, fast: bool) -> list[Number]:
    """Return values around the case's own (included) to just beyond the claim's end; log-spaced if possible."""
    base, n = case.constants[symbol], POINTS if fast else FEW_POINTS
    domain = VOCABULARY[symbol.name].domain
    if symbol == n_clients and n_clients.name not in own_constants(case.instance):
        kinds = len(set(case.instance.client_types)) if isinstance(case.instance, HasExchangeableClients) else 1
        repeats = max(int(MAX_STATES ** (1 / kinds)) // -(-int(base) // kinds), 2)
        return [int(base) * t for t in _integers(1, min(64, repeats) if fast else 4, n)]
    if "integer" in domain:
        return _integer_values(int(base), symbol, fast, n)
    at = to_float(base)
    if domain == "real" or at <= 0:
        low = at - abs(at) - 1 if domain == "real" else 0.0
        return _with_own(base, [_three_digits(v) for v in np.linspace(low, at + abs(at) + 1, n)])
    return _with_own(base, _values_around(claim, case, symbol, at, n))


def _with_own(base: Number, others: list[Number]) -> list[Number]:
    """Return the values in order, with the case's own in place of those that round to it."""
    at = to_float(base)
    apart = (v for v in others if abs(to_float(v) - at) > 1e-2 * abs(at))
    return sorted(dict.fromkeys([base, *apart]), key=to_float)


def _integer_values(base: int, symbol: Symbol, fast: bool, n: int) -> list[Number]:
    if symbol == n_rounds:
        top = max(base, min(10 * base, MAX_ROUNDS), 100) if fast else max(base, 10)
        top = 10 * base if base > MAX_ROUNDS else top  # no run has so many: such values come from a formula
    else:
        top = max(4 * base, 32) if fast else max(2 * base, 4)
    if not base:
        return list(range(min(top, n)))
    return sorted({base, *(v for v in _integers(1, top, n) if abs(v - base) > 1e-6 * base)})


def _values_around(claim: Claim, case: Case, symbol: Symbol, at: float, n: int) -> list[Number]:
    """Return values around ``at``, within a factor SPAN, where the claim applies, and one beyond at each end."""
    most = 1.0 if symbol in AT_MOST_ONE and at <= 1 else math.inf
    low, high = (_range_end(claim, case, symbol, at, factor, most) for factor in (1 / SPAN, SPAN))
    values = [_three_digits(v) for v in np.geomspace(low, high, n - 2)[1:-1]]
    values += [_inwards(low, math.ceil), _inwards(high, math.floor)]
    if low > at / SPAN:
        values.append(_three_digits(low / BEYOND))
    if high < min(at * SPAN, most):
        values.append(_three_digits(min(high * BEYOND, most)))
    return values


def _range_end(claim: Claim, case: Case, symbol: Symbol, at: float, factor: float, most: float) -> float:
    """Return how far the claim applies from ``at`` in one direction; the whole range if it doesn't apply there."""
    furthest = min(at * factor, most)
    steps = np.geomspace(at, furthest, 7)[1:]
    inside = at
    for step in steps:
        if not _applies(claim, case, symbol, float(step)):
            break
        inside = float(step)
    if inside == steps[-1] or (inside == at and not applies(claim, case)):
        return furthest
    outside = float(steps[list(steps).index(inside) + 1] if inside != at else steps[0])
    for _ in range(9):
        middle = math.sqrt(inside * outside)
        inside, outside = (middle, outside) if _applies(claim, case, symbol, middle) else (inside, middle)
    return inside


def _inwards(value: float, rounded: Callable[[float], int]) -> Number:
    """Return a value rounded to three digits towards the inside."""
    digits = 10.0 ** (math.floor(math.log10(value)) - 2)
    near = value / digits
    return exact(float(f"{rounded(near * (1 + 1e-9 if rounded is math.floor else 1 - 1e-9)) * digits:.3g}"))


def _applies(claim: Claim, case: Case, symbol: Symbol, value: float) -> bool:
    number = _three_digits(value)
    try:
        return in_domain(symbol, number) and applies(claim, with_constant(claim, case, symbol, number))
    except ValueError:
        return False


def applies(claim: Claim, case: Case) -> bool:
    """Return whether every assumption and condition holds in the case."""
    return not applicability(claim, case)[0]


def cases_along(claim: Claim, case: Case, symbol: Symbol, values: list[Number]) -> list[tuple[Number, Case]]:
    """Return the cases at these values; the case itself at its own. Values without such an instance are dropped."""
    own, found = case.constants.get(symbol), list[tuple[Number, Case]]()
    for value in values:
        # no such instance: an odd number of clients, a constant out of its domain
        with contextlib.suppress(ValueError):
            same = own is not None and (value is own or (not isinstance(value, arb) and value == own))
            made = case if same else with_constant(claim, case, symbol, value)
            made_value = made.constants.get(symbol, value)  # a game may only come near to the value
            if not any(made_value is v or made_value == v for v, _ in found):
                found.append((made_value, made))
    return found


def trim_cases(claim: Claim, cases: list[tuple[Number, Case]], own: Number | None) -> list[tuple[Number, Case]]:
    """Drop cases beyond the first on either side after which the claim never applies."""
    good = [applies(claim, case) or value is own for value, case in cases]
    if True not in good:
        return cases
    first, last = good.index(True), len(good) - 1 - good[::-1].index(True)
    return cases[max(first - 1, 0) : last + 2]


def _three_digits(value: float) -> Number:
    return exact(float(f"{value:.3g}"))


def _integers(low: int, high: int, n: int) -> list[int]:
    return sorted({round(v) for v in np.geomspace(float(low), float(high), n)})
