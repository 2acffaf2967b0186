"""What tests of brackets share: a bracket that is proved, replayed and narrow, and whose upper end can't be lowered."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import fmpq

from fltheory.worst_case.two_sided import Bracket, why_not_proved


def proved(found: Bracket, scale: float = 1.0) -> tuple[Fraction, Fraction]:
    """Both ends of a bracket that is narrower than a millionth of what is measured here in, like L D^2."""
    assert found.lower is not None
    assert found.upper is not None
    assert found.certificate is not None
    assert found.is_reproduced
    assert why_not_proved(found) is None
    assert 0 <= found.upper - found.lower < 1e-6 * scale
    below = found.lower * Fraction(9999, 10_000)
    lowered = replace(found.certificate, upper=fmpq(below.numerator, below.denominator))
    assert why_not_proved(replace(found, certificate=lowered, upper=below)) is not None
    assert why_not_proved(replace(found, upper=below)) is not None
    return found.lower, found.upper


def contains(found: Bracket, value: float, scale: float = 1.0) -> None:
    """Assert that a bracket is proved, narrow, and about this value, which is known in floats."""
    low, high = proved(found, scale)
    assert float(low) * (1 - 1e-12) <= value <= float(high) * (1 + 1e-12)
