"""A claim along one of its constants: bound, measured quantity and applicability at every value. The data of a plot."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial

import numpy as np
from flint import arb
from sympy import Symbol
from sympy.core.relational import Relational

from fltheory.case import Adjustable, Case, Instance, Repeatable
from fltheory.claim import Claim, check
from fltheory.evidence.exact import round_blocks
from fltheory.number import BALL, Number, evaluate_exact, exact, symbolic, to_float
from fltheory.parts import parts, rebuilt
from fltheory.pictures.point import Point, applicability, evaluate
from fltheory.runs.laws.affine import Refused
from fltheory.runs.measures import DirectMeasure, OfRun
from fltheory.runs.offers import Exchangeable
from fltheory.runs.rows import in_rows
from fltheory.symbols import (
    VOCABULARY,
    effective_step_size,
    in_domain,
    n_clients,
    n_rounds,
    server_step_size,
    step_size,
)

POINTS, FEW_POINTS = 25, 10  # with a fast exact value, and without
STATES = 2_500  # of the recursion over orders of clients of several kinds
FURTHEST = 1_000_000  # rounds, unless the case itself has more


@dataclass(frozen=True)
class Sweep:
    """A claim along ``symbol``."""

    claim: Claim
    symbol: Symbol
    points: tuple[Point, ...]
    broken: tuple[Relational, ...] = ()  # conditions of the bounds that fail at some value

    def column(self, name: str) -> np.ndarray:
        """One field of all points, as floats."""
        return np.array([parts(p)[name] for p in self.points], dtype=float)

    def limit(self, index: int = 0) -> np.ndarray:
        """The bound at all points, NaN where the claim does not apply."""
        return np.array([p.limits[index] if p.applies else math.nan for p in self.points])

    def evidence(self) -> str:
        """The kinds of evidence, joined."""
        return " / ".join(sorted({p.evidence for p in self.points if p.evidence}))

    def vacuous(self, index: int = 0) -> np.ndarray:
        """Where an upper bound exceeds what is known without it, or a lower bound is at most zero."""
        limit = self.limit(index)
        with np.errstate(invalid="ignore"):
            return limit > self.column("trivial") if self.claim.bounds[index].side == "upper" else limit <= 0

    def ratio(self, index: int = 0) -> np.ndarray:
        """How loose: bound / measured for an upper bound, measured / bound for a lower one."""
        with np.errstate(all="ignore"):
            ratio = self.limit(index) / self.column("measured")
            return 1 / ratio if self.claim.bounds[index].side == "lower" else ratio


def exponent(x: np.ndarray, y: np.ndarray) -> float | None:
    """The slope of log y against log x over the last third of the range of log x; None with fewer than 3 points."""
    with np.errstate(all="ignore"):
        good = (x > 0) & (y > 0) & np.isfinite(y) & np.isfinite(x)
        if good.sum() < 3:
            return None
        log_x, log_y = np.log(x[good]), np.log(y[good])
    last = log_x >= log_x.max() - (log_x.max() - log_x.min()) / 3 - 1e-12
    if last.sum() < 3:
        last[-3:] = True
    slope = float(np.polyfit(log_x[last], log_y[last], 1)[0])
    return slope if abs(slope) > 5e-3 else 0.0


# Which constants are free ---------------------------------------------------------------------------------------


def free_constants(claim: Claim, case: Case) -> tuple[str, ...]:
    """Names of the constants along which the claim can be followed, the most telling first."""
    chosen = {s.name for s, _ in claim.tuning}
    names = [n for n, v in case.settings if n not in chosen and not isinstance(v, arb)]
    if isinstance(case.instance, Repeatable) or claim.builds:
        names.append(n_clients.name)
    names += sorted(own_constants(case.instance))
    consumed = {s.name for s in _consumed(claim)}
    order = [n_rounds.name, step_size.name]

    def rank(name: str) -> tuple[bool, int]:
        return name not in consumed, order.index(name) if name in order else len(order)

    return tuple(sorted(dict.fromkeys(names), key=rank))


def _consumed(claim: Claim) -> set[Symbol]:
    found: set[Symbol] = set().union(*(set(b.symbols) for b in claim.bounds))
    for symbol, expr in claim.tuning:
        if symbol in found or any(symbol in e.free_symbols for b in claim.bounds for _, e in b.where):
            found |= expr.free_symbols
    return found


def chosen_constant(claim: Claim, case: Case, along: str | None) -> Symbol:
    """The symbol to follow; ValueError names the free constants where ``along`` is not one of them."""
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


def own_constants(instance: Instance) -> dict[str, Callable[[Number], Instance]]:
    """Constants that the instance is built from, by name: each with a function that gives the instance with another value."""
    constants = {s.name: v for s, v in instance.constants.items()}
    if isinstance(instance, Adjustable):  # it says itself which, and how
        return {n: partial(instance.adjusted, n) for n in instance.adjustable}
    if is_dataclass(instance):
        own = parts(instance)
        same = [n for n, v in own.items() if n in constants and (v is constants[n] or v == constants[n])]
        return {n: partial(_with_part, instance, n) for n in same}
    kind: Callable[..., Instance] = type(instance)
    try:
        bare = kind(**constants) == instance
    except (TypeError, ValueError):
        return {}
    return {n: partial(_of_constants, kind, constants, n) for n in constants if bare}


def _with_part(instance: Instance, name: str, value: Number) -> Instance:
    return rebuilt(instance, **{name: value})


def _of_constants(kind: Callable[..., Instance], constants: Mapping[str, Number], name: str, value: Number) -> Instance:
    return kind(**{**constants, name: value})


def moved(claim: Claim, case: Case, symbol: Symbol, value: Number) -> Case:
    """The case with one constant changed; the step size is rescaled so that the effective step stays as it was."""
    before = case.constants
    settings: dict[str, object] = dict(case.settings)
    if claim.builds is not None:
        with contextlib.suppress(AttributeError):  # it reads a constant that the case does not set
            return claim.builds(**{**settings, n_clients.name: before[n_clients], symbol.name: value})
    own = own_constants(case.instance)
    if symbol.name in settings:
        new = case.with_settings(**{symbol.name: value})
    elif symbol.name in own:
        new = Case(own[symbol.name](value), **settings)
    else:
        new = Case(case.instance.repeated(int(value) // int(before[n_clients])), **settings)
    if symbol != server_step_size and server_step_size.name in settings:
        new = _same_travel(claim, case, new, symbol)
    effective = dict(claim.bound.where).get(effective_step_size)
    if effective is None or symbol == step_size or symbol not in effective.free_symbols:
        return new
    if step_size not in before or step_size in dict(claim.tuning):
        return new
    others = effective / step_size
    old, now = evaluate_exact(others, before), evaluate_exact(others, new.constants)
    return new.with_settings(step_size=exact(symbolic(before[step_size]) * symbolic(old / now)))


def _same_travel(claim: Claim, case: Case, new: Case, symbol: Symbol) -> Case:
    """The server's step rescaled so that a condition on its product with the moved constant is met as before."""
    for condition in claim.bound.conditions:
        left = condition.lhs
        if {symbol, server_step_size} <= left.free_symbols and not (left / server_step_size).has(server_step_size):
            rest = left / server_step_size
            old, now = evaluate_exact(rest, case.constants), evaluate_exact(rest, new.constants)
            return new.with_settings(
                server_step_size=exact(symbolic(case.constants[server_step_size]) * symbolic(old / now))
            )
    return new


# Where to evaluate ----------------------------------------------------------------------------------------------


def values_along(claim: Claim, case: Case, symbol: Symbol, fast: bool) -> list[Number]:
    """Log-spaced values around the case's own: integers, or three digits up to just beyond the conditions."""
    base, n = case.constants[symbol], POINTS if fast else FEW_POINTS
    domain = VOCABULARY[symbol.name].domain
    if symbol == n_clients and n_clients.name not in own_constants(case.instance):
        kinds = len(set(case.instance.client_types)) if isinstance(case.instance, Exchangeable) else 1
        repeats = max(int(STATES ** (1 / kinds)) // -(-int(base) // kinds), 2)
        return [int(base) * t for t in _integers(1, min(64, repeats) if fast else 4, n)]
    if "integer" in domain:
        top = int(base)
        if symbol == n_rounds:
            top = max(top, min(10 * top, FURTHEST), 100) if fast else max(top, 10)
        else:
            top = max(4 * top, 32) if fast else max(2 * top, 4)
        return sorted({max(int(base), 1), *_integers(1, top, n)})
    at = to_float(base)
    if domain == "real" or at <= 0:
        return [_three_digits(v) for v in np.linspace(at - abs(at) - 1, at + abs(at) + 1, n)]
    most = _largest(claim, case, symbol, at)
    return [_three_digits(v) for v in [*np.geomspace(most * 1e-3, most, n - 4), *(most * np.array([1.2, 1.5, 2, 3]))]]


def _largest(claim: Claim, case: Case, symbol: Symbol, at: float) -> float:
    """The largest value, to three digits, at which the claim applies; the case's own where none is found."""
    good = [v for v in at * 10.0 ** np.linspace(-4, 4, 65) if _applies(claim, case, symbol, v)]
    if not good:
        return at
    low, high = max(good), max(good) * 10**0.125
    for _ in range(12):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _applies(claim, case, symbol, middle) else (low, middle)
    digits = 10.0 ** (math.floor(math.log10(low)) - 2)
    return math.floor(low / digits * (1 + 1e-9)) * digits


def _applies(claim: Claim, case: Case, symbol: Symbol, value: float) -> bool:
    number = _three_digits(value)
    try:
        return in_domain(symbol, number) and not applicability(claim, moved(claim, case, symbol, number))[0]
    except ValueError:
        return False


def _three_digits(value: float) -> Number:
    return exact(float(f"{value:.3g}"))


def _integers(low: int, high: int, n: int) -> list[int]:
    return sorted({round(v) for v in np.geomspace(float(low), float(high), n)})


# Evaluation -----------------------------------------------------------------------------------------------------


def is_fast(claim: Claim, case: Case) -> bool:
    """Whether the measured quantity has a fast exact value here."""
    if claim.measure is None or isinstance(claim.measure, DirectMeasure):
        return True
    if claim.mode == "surely" or claim.algorithm is None or not isinstance(claim.measure, OfRun):
        return False
    if claim.measure.of_its_own:
        return True
    full = claim.prepared(case)
    return not isinstance(round_blocks(in_rows(claim.algorithm, full), full, BALL), Refused)


def sweep(
    claim: Claim,
    case: Case | None = None,
    along: str | None = None,
    values: Sequence[object] | None = None,
    seed: int = 0,
) -> Sweep:
    """The claim along a free constant of the case (default: its first case, along the rounds if they matter).

    ValueError where the claim has no case or no such free constant, with their names.
    """
    if case is None:
        if not claim.cases:
            raise ValueError(f"{claim.id} has no case of its own: give one")
        case = telling_case(claim)
    symbol = chosen_constant(claim, case, along)
    fast = is_fast(claim, case)
    chosen = [exact(v) for v in values] if values is not None else values_along(claim, case, symbol, fast)
    cases: list[tuple[Number, Case]] = []
    for value in chosen:
        with contextlib.suppress(
            ValueError
        ):  # no such instance: an odd number of clients, a constant out of its domain
            made = moved(claim, case, symbol, value)
            made_value = made.constants.get(symbol, value)  # a game may only come near to the value
            if not any(made_value is v or made_value == v for v, _ in cases):
                cases.append((made_value, made))
    return over(claim, symbol, cases, seed)


def telling_case(claim: Claim) -> Case:
    """The claim's first case, or the first that refutes it where the claim is recorded as false."""
    if claim.expected == "violated":
        for case in claim.cases:
            if check(claim, case).status == "violated":
                return case
    return claim.cases[0]


def over(claim: Claim, symbol: Symbol, cases: Iterable[tuple[Number, Case]], seed: int = 0) -> Sweep:
    """The claim on given cases, one for every value of ``symbol``."""
    found = [evaluate(claim, v, c, seed) for v, c in cases]
    broken = tuple(dict.fromkeys(c for _, c in found if c is not None))
    return Sweep(claim, symbol, tuple(p for p, _ in found), broken)
