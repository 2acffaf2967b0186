"""Measured quantities: values or intervals with their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from fltheory.number import Number

EvidenceKind = Literal["exact", "numerical", "sampled", "statistical"]
RATIONAL_STEPS = 400  # most gradient steps of a run with an exact rational value
BALL_STEPS = 20_000  # most gradient steps of a run in balls, for steps with comparisons or roots
MAX_PATHS = 4096  # largest number of paths to enumerate
STAGES = (1_000, 4_000, 16_000)  # numbers of seeds at the interim analyses of a statistical check
ENTRIES = 4_000_000  # floats of states in memory at once
ESTIMATE_ERROR_RATE = (
    1e-6  # error rate of a whole command: the estimate of a sampled quantity uses the runs that decide at this rate
)


class Interval(NamedTuple):
    """An interval between floats that contains a measured quantity; ``high`` may be infinite."""

    low: float
    high: float


@dataclass(frozen=True)
class Measured:
    """A measured quantity: a Fraction, a ball that contains it, or an interval (of confidence, or of float error).

    ``estimate``: the mean (or quantile) of the sampled runs that suffice for a decision at ``ESTIMATE_ERROR_RATE``, or of all
    runs. So a smaller error rate, such as a share of a common one, needs more runs but does not change the estimate.
    """

    value: Number  # Fraction | int | arb | Interval
    evidence: EvidenceKind
    error_rate: float = 0.0
    n_seeds: int = 0
    note: str = ""
    estimate: float | None = None
    at_least: bool = False  # the value is only a lower bound on the measured quantity
    at_most: bool = False  # the value is only an upper bound on it
    why: str = ""  # why the value of a user's algorithm is not exact, with the line of its file


@dataclass(frozen=True)
class AtLeast:
    """The result of a measure that can only bound its value from below."""

    value: Number


@dataclass(frozen=True)
class AtMost:
    """The result of a measure that can only bound its value from above."""

    value: Number
