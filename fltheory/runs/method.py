"""Methods: pure functions under a name, and what more is known of just these functions.

A round of federated learning, a sampler of clients, an online learner, a step-size rule, a client's optimiser: each is one.
They differ in what their functions are asked, which the subclass says; what is the same stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, fields, replace
from typing import Any, Self

import numpy as np

from fltheory.number.elements import NotExact
from fltheory.number.ownership import is_library
from fltheory.number.signals import Signal, place_of
from fltheory.number.signals import VariantError as VariantError


class AssumptionFailed(VariantError):
    """A run shows that a hypothesis of the claim fails: the claim is not about it."""


class NotEnumerable(Signal):
    """Too many courses, or noise without finite support: enumeration is no way to the exact value."""


def not_exact(error: BaseException, name: str) -> NotEnumerable:
    """What an error on exact numbers means: that the step has no value there; which line of the user's file made it."""
    place = place_of(error)
    if isinstance(error, Signal):
        told = NotEnumerable(f"{place or name} {error}".strip())
    else:
        said = "" if isinstance(error, TypeError) else f" ({type(error).__name__}: {' '.join(str(error).split())})"
        told = NotEnumerable(f"{place or name} has no value on exact numbers{said}")
    told.place = place
    return told


def describes_functions(*functions: str, believed: bool = False) -> dict[str, Any]:
    """Metadata of a field that tells of these functions, and has its default again where one of them is replaced.

    ``believed``: also of functions that are not the library's.
    """
    return {"about": functions, "believed": believed}


@dataclass(frozen=True)
class Method:
    """``step`` moves a state by one round; ``name`` is what it is called in verdicts. All functions are pure.

    A subclass adds the functions that make the first state (``init``) and say what is looked at (``play``), with a default,
    and fields ``describes_functions`` them.
    """

    name: str
    step: Callable[..., Any]

    @property
    def own(self) -> bool:
        """Whether more is known of it than of a user's: that it keeps to what its theorem supposes."""
        return False

    @property
    def of_library(self) -> bool:
        """Whether all its functions are the library's."""
        return is_library(tuple(vars(self).values()))

    def believed(self) -> Self:
        """The same without what it says of functions that are not the library's."""
        foreign: dict[str, Any] = {
            f.name: f.default
            for f in _describing_fields(self)
            if not f.metadata["believed"] and not is_library(tuple(vars(self)[n] for n in f.metadata["about"]))
        }
        return replace(self, **foreign)

    def _replace(self, **changes: Any) -> Self:
        """A variant with some fields changed: a new function drops what described the old one, the name included."""
        dropped: dict[str, Any] = {
            f.name: f.default for f in _describing_fields(self) if {*f.metadata["about"]} & changes.keys()
        }
        named = {"name": "variant"} if dropped else {}
        return replace(self, **{**named, **dropped, **changes})

    def call(self, function: Callable[..., Any], *given: object, round_: int | None = None, exact: bool = False) -> Any:
        """What one of its functions returns; what it raises is a VariantError with the method's name and the round.

        ``exact``: of exact numbers, where an error means that there is no such value: NotEnumerable.
        """
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return function(*given)
        except AssumptionFailed as error:
            raise error if round_ is None else AssumptionFailed(f"round {round_}, {error}") from error
        except NotExact as error:
            raise not_exact(error, self.name) from error
        except (Signal, VariantError, MemoryError):
            raise
        except Exception as error:
            if exact:
                raise not_exact(error, self.name) from error
            where = "" if round_ is None else f" (in round {round_})"
            raise VariantError(f"{self.name}: {error}{where}") from error


def _describing_fields(method: Method) -> list[Field[Any]]:
    """The fields that tell of functions."""
    return [f for f in fields(method) if "about" in f.metadata]


def shape_of(found: object) -> str:
    """What was returned: the shape of an array, else the type's name."""
    return str(found.shape) if type(found) is np.ndarray else type(found).__name__
