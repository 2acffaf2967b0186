"""What is known of a measured quantity, and on what it rests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from fltheory.number import Number

EvidenceKind = Literal["exact", "numerical", "sampled", "statistical"]
RATIONAL_STEPS = 400  # gradient steps of a run whose exact rational value is written out at most
BALL_STEPS = 20_000  # the same of a run in balls, where a step compares or takes roots
MAX_PATHS = 4096  # courses of a run that are enumerated at most
STAGES = (1_000, 4_000, 16_000)  # seeds of the successive looks of a statistical check
ENTRIES = 4_000_000  # floats of states held at once
ESTIMATE_ERROR_RATE = (
    1e-6  # the error rate of a whole run: runs that decide at it make the figure of a sampled quantity
)


class Interval(NamedTuple):
    """What is known of a measured quantity: it lies between these floats; ``high`` may be infinite."""

    low: float
    high: float


@dataclass(frozen=True)
class Measured:
    """A measured quantity: a Fraction, a ball that contains it, or an interval (of confidence, or of float error).

    ``estimate``: of sampled runs the mean (or quantile) over those that decide at FIGURE_RATE, over all where none do.
    A smaller error rate, as a check gets where many share one, asks for more runs but leaves the estimate as it is.
    """

    value: Number  # Fraction | int | arb | Interval
    evidence: EvidenceKind
    error_rate: float = 0.0
    n_seeds: int = 0
    note: str = ""
    estimate: float | None = None
    at_least: bool = False  # the value is only a lower limit of the measured quantity
    at_most: bool = False  # the value is only an upper limit of it
    why: str = ""  # of a user's algorithm: why it is not exact, with the line of its file


@dataclass(frozen=True)
class AtLeast:
    """What a measure returns where it can only bound its value from below."""

    value: Number


@dataclass(frozen=True)
class AtMost:
    """What a measure returns where it can only bound its value from above."""

    value: Number
