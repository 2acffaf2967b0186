"""Validation of the values of a user's measure: exact numbers or balls that enclose one, but no floats."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import arb, fmpq

from fltheory.evidence.measured import AtLeast, AtMost
from fltheory.evidence.validation.rounding import rounding_mode, rounding_modes
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Ring, as_number, exact, to_ball
from fltheory.number.elements import Element, Undecided, unwrap_exact, wrap_exact
from fltheory.number.impurity import codes_of, user_functions_of, values_of
from fltheory.number.ownership import is_library
from fltheory.number.signals import Signal, VariantError, call_with_signals
from fltheory.runs.measures import DirectMeasure, Measure
from fltheory.runs.method import NotEnumerable, not_exact

EXPECTED_TYPES = "expected an int, a Fraction, a sympy number or an arb ball that encloses the value"

FLOAT_LIKE_BITS = 48  # an exact ball with at least so many bits, but no more than a float has, was a float


def direct_value(measure: DirectMeasure, case: Case, ring: Ring) -> Any:
    """Evaluate the measure's formula in the ring; VariantError if a user's result is a float or depends on floats."""
    if is_library(measure.compute):
        return measure.compute(case, ring)
    _require_no_floats(measure)
    found = _compute_direct(measure, case, ring)
    for way in rounding_modes():
        with rounding_mode(way):
            again = _compute_direct(measure, case, ring)
        if not _values_agree(found, again):
            raise VariantError(
                f"{measure.name} calculates in floats: it changes with the rounding mode, so it is no evidence; "
                f"{EXPECTED_TYPES}"
            )
    return found


def _require_no_floats(measure: DirectMeasure) -> None:
    """Raise VariantError if the formula makes floats or contains floats other than the decimals they print."""
    for function in user_functions_of(measure.name, measure.compute):
        if any("float" in code.co_names for code in codes_of(measure.name, function)):
            raise VariantError(
                f"{measure.name} makes floats of numbers ({function.__name__}): no evidence; {EXPECTED_TYPES}"
            )
        for value in values_of(measure.name, function):
            for number in _floats_in(value):
                if not abs(number) < 2**53 or Fraction(number) != Fraction(repr(number)):
                    raise VariantError(
                        f"{measure.name} has the float {number!r} ({function.__name__}), which is not {number!r}: no evidence; "
                        f"write Fraction('{number!r}')"
                    )


def _floats_in(value: object) -> Iterator[float]:
    """Yield the floats in a value, including those in containers."""
    if isinstance(value, float | np.floating):
        yield float(value)
    elif isinstance(value, tuple | list | frozenset | set):
        for one in value:
            yield from _floats_in(one)
    elif isinstance(value, dict):
        yield from _floats_in(list(value.values()))
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        yield from map(float, value.flat)


def _compute_direct(measure: DirectMeasure, case: Case, ring: Ring) -> Any:
    with _forbid_float_fractions(), decimal.localcontext() as decimals:
        decimals.traps[decimal.Inexact] = decimals.traps[decimal.FloatOperation] = True
        value = _call_measure(measure, lambda: measure.compute(case, ring))
    return measure_in_ring(measure, value, ring)


@contextmanager
def _forbid_float_fractions() -> Iterator[None]:
    """Raise ValueError if a fraction is made from a float that is not the decimal it prints, such as 0.1."""
    known = vars(Fraction)["__new__"]

    def new(cls: type, numerator: Any = 0, *given: Any, **named: Any) -> Any:
        found = known.__func__(cls, numerator, *given, **named)
        if isinstance(numerator, float) and found != Fraction(repr(numerator)):
            raise ValueError(f"Fraction({numerator!r}) is not {numerator!r}: write Fraction('{numerator!r}')")
        return found

    type.__setattr__(Fraction, "__new__", staticmethod(new))
    try:
        yield
    finally:
        type.__setattr__(Fraction, "__new__", known)


def _call_measure(measure: Measure, call: Callable[[], Any]) -> Any:
    """Call a user's formula; its errors become VariantErrors."""
    try:
        return call_with_signals(call)
    except (Signal, VariantError, MemoryError):
        raise
    except Exception as error:
        raise VariantError(f"{measure.name}: {type(error).__name__}: {error}") from error


def measure_in_ring(measure: Measure, found: Any, ring: Ring, of_run: bool = False) -> Any:
    """Convert a user's number to the ring; NotRational if it is irrational among rationals, VariantError for a float.

    ``of_run``: it is computed from exact numbers of a run, which cannot be converted to floats, so an exact ball with
    as many digits as a float is accepted.
    """
    if isinstance(found, AtLeast | AtMost) and not isinstance(found.value, AtLeast | AtMost):
        return type(found)(measure_in_ring(measure, found.value, ring))
    if isinstance(found, Element):
        found = found.value
    if isinstance(found, np.integer):
        found = int(found)
    if isinstance(found, float | np.floating):
        raise VariantError(
            f"{measure.name} is the float {float(found)!r}, a rounded number: no evidence; {EXPECTED_TYPES}"
        )
    alone = isinstance(found, arb) and not of_run
    if alone and found.is_exact() and found.is_finite() and FLOAT_LIKE_BITS <= found.bits() <= 53:
        raise VariantError(
            f"{measure.name} is a ball around the float {float(found)!r} with radius 0: no evidence; {EXPECTED_TYPES}"
        )
    if isinstance(found, bool | np.bool_) or not isinstance(found, int | Fraction | fmpq | arb | sympy.Expr):
        raise VariantError(f"{measure.name} is {found!r} ({type(found).__name__}); {EXPECTED_TYPES}")
    try:
        value = exact(as_number(found))
    except ValueError as error:
        raise VariantError(f"{measure.name}: {error}; {EXPECTED_TYPES}") from None
    if isinstance(value, sympy.Expr) and value.atoms(sympy.Float):
        raise VariantError(f"{measure.name} is {value}, with floats in it: no evidence; {EXPECTED_TYPES}")
    if ring is BALL:
        return to_ball(value)
    if not isinstance(value, int | Fraction):
        raise NotRational
    return ring.scalar(value)


def _values_agree(one: Any, two: Any) -> bool:
    if isinstance(one, AtLeast | AtMost):
        return type(one) is type(two) and _values_agree(one.value, two.value)
    if isinstance(one, arb):
        return isinstance(two, arb) and bool(one.overlaps(two) or not one.is_finite())
    return bool(one == two)


# Of runs ---------------------------------------------------------------------------------------------------------------


def run_values(measure: Any, states: np.ndarray, case: Case) -> np.ndarray:
    """Return the values of runs, (runs, k), floats or exact; NotEnumerable if a measure fails on exact numbers."""
    return _read_values(measure, lambda x: measure.values(x, case), "values", states)


def notation_of_states(measure: Any, states: np.ndarray, case: Case) -> dict[Any, np.ndarray]:
    """Return the constants that a bound takes from runs, (runs,) each, in the same way."""
    read = measure.read
    if is_library(type(measure).read):
        return dict(read(states, case))
    names = list(_call_on_numbers(measure, lambda: read(wrap_exact(states), case), states.dtype == object))
    return {name: _read_values(measure, lambda x: read(x, case)[name], "read", states) for name in names}  # noqa: B023 (called at once)


def _read_values(measure: Any, function: Callable[[np.ndarray], Any], name: str, states: np.ndarray) -> np.ndarray:
    if is_library(getattr(type(measure), name)):
        known: np.ndarray = function(states)
        return known
    on_exact = states.dtype == object
    found = unwrap_exact(_call_on_numbers(measure, lambda: function(wrap_exact(states)), on_exact))
    ndim = 2 if name == "values" else 1
    if not isinstance(found, np.ndarray) or found.ndim != ndim or len(found) != len(states):
        shape = f"an array of shape {found.shape}" if isinstance(found, np.ndarray) else type(found).__name__
        raise VariantError(f"{measure.name}: {name} gives {shape}, expected {'(runs, k)' if ndim == 2 else '(runs,)'}")
    if not on_exact:
        return found.astype(float)
    kept = np.empty(found.shape, dtype=object)
    for i, value in enumerate(found.flat):
        if found.dtype.kind == "f" or isinstance(value, float | np.floating):
            raise NotEnumerable(f"{measure.name} has floats for exact numbers")
        ring_value = measure_in_ring(measure, value, BALL, of_run=True)
        kept.flat[i] = ring_value if isinstance(value, arb) or not _is_rational(value) else fmpq(*_ratio(value))
    return kept


def _is_rational(value: Any) -> bool:
    return isinstance(value, int | np.integer | Fraction | fmpq | sympy.Rational)


def _ratio(value: Any) -> tuple[int, int]:
    number = Fraction(exact(as_number(int(value) if isinstance(value, np.integer) else value)))
    return number.numerator, number.denominator


def _call_on_numbers(measure: Any, call: Callable[[], Any], on_exact: bool) -> Any:
    try:
        return call_with_signals(call)
    except (VariantError, MemoryError, Undecided):
        raise
    except Exception as error:
        if on_exact:
            raise not_exact(error, measure.name) from error
        raise VariantError(f"{measure.name}: {type(error).__name__}: {error}") from error


def describes_own_values(measure: Measure, name: str) -> bool:
    """Return whether a measure's attribute describes its own values, not those of a base class that it overrides."""
    order = type(measure).__mro__

    def where(*names: str) -> int:
        return next((i for i, kind in enumerate(order) if {*names} & vars(kind).keys()), len(order))

    return where(name) <= where("values", "of_points", "read")
