"""What functions and blocks ask of the problem that they belong to."""

from __future__ import annotations

from typing import Any, Protocol

from fltheory.performance.points import Condition, Point, Quantity
from fltheory.worst_case.gram import Vector


class Space(Protocol):
    """Unknown vectors and numbers, and conditions on them."""

    def new_vector(self, place: bool = False) -> Vector:
        """Return a new vector of the basis; ``place``: a point rather than a direction."""

    def vector(self) -> Point:
        """Return an unknown direction."""

    def number(self) -> Quantity:
        """Return an unknown number."""

    def function(self, kind: Any) -> Any:
        """Declare a function, or an operator, of a class."""

    def require(self, *conditions: Condition) -> None:
        """State conditions."""

    def require_own(self, x: Point) -> None:
        """Raise an error unless this is a point of the problem."""

    def limit_to_upper(self, reason: str) -> None:
        """State that solutions need not be instances, and why."""
