"""Methods: named sets of pure functions, with metadata about these particular functions.

Examples are a federated round, a client sampler, an online learner, a step-size rule and a client's optimiser.
Subclasses define the signatures; this module contains the common parts.
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
    """A run violates an assumption of the claim, so the claim does not apply to it."""


class NotEnumerable(Signal):
    """The exact value cannot be enumerated: too many paths, or noise without finite support."""


def not_exact(error: BaseException, name: str) -> NotEnumerable:
    """Convert an error on exact numbers to NotEnumerable, with the line of the user's file that raised it."""
    place = place_of(error)
    if isinstance(error, Signal):
        told = NotEnumerable(f"{place or name} {error}".strip())
    else:
        said = "" if isinstance(error, TypeError) else f" ({type(error).__name__}: {' '.join(str(error).split())})"
        told = NotEnumerable(f"{place or name} has no value on exact numbers{said}")
    told.place = place
    return told


def describes_functions(*functions: str, believed: bool = False) -> dict[str, Any]:
    """Return metadata for a field that describes these functions and is reset to its default if one is replaced.

    ``believed``: the field is trusted for functions that are not the library's, too.
    """
    return {"about": functions, "believed": believed}


@dataclass(frozen=True)
class Method:
    """A method with a ``step`` that moves a state by one round and a ``name`` for verdicts. All functions are pure.

    A subclass adds functions with defaults for the first state (``init``) and the evaluated part of it (``play``), and
    fields that describe them (``describes_functions``).
    """

    name: str
    step: Callable[..., Any]

    @property
    def own(self) -> bool:
        """Whether it is known to satisfy the assumptions of its theorem, unlike a user's method."""
        return False

    @property
    def of_library(self) -> bool:
        """Whether all its functions belong to the library."""
        return is_library(tuple(vars(self).values()))

    def believed(self) -> Self:
        """Return it without the metadata about functions that do not belong to the library."""
        foreign: dict[str, Any] = {
            f.name: f.default
            for f in _describing_fields(self)
            if not f.metadata["believed"] and not is_library(tuple(vars(self)[n] for n in f.metadata["about"]))
        }
        return replace(self, **foreign)

    def _replace(self, **changes: Any) -> Self:
        """Return a variant with some fields changed; a new function resets the metadata and the name of the old one."""
        dropped: dict[str, Any] = {
            f.name: f.default for f in _describing_fields(self) if {*f.metadata["about"]} & changes.keys()
        }
        named = {"name": "variant"} if dropped else {}
        return replace(self, **{**named, **dropped, **changes})

    def call(self, function: Callable[..., Any], *given: object, round_: int | None = None, exact: bool = False) -> Any:
        """Call one of its functions; an error becomes a VariantError with the method's name, the round, file and line.

        ``round_`` counts from 0, as ``c.round`` does.
        ``exact``: the arguments are exact numbers, for which an error becomes NotEnumerable.
        """
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return function(*given)
        except AssumptionFailed as error:
            raise error if round_ is None else AssumptionFailed(f"round {round_}, {error}") from error
        except NotExact as error:
            raise not_exact(error, self.name) from error
        except (Signal, MemoryError):
            raise
        except VariantError as error:
            if type(error) is not VariantError:
                raise
            raise VariantError(_with_place(str(error), error, round_)) from error
        except Exception as error:
            if exact:
                raise not_exact(error, self.name) from error
            said = f"KeyError: {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
            raise VariantError(_with_place(f"{self.name}: {said}", error, round_)) from error


def _with_place(said: str, error: BaseException, round_: int | None) -> str:
    """Add the round and the user's line to a message, unless it names them."""
    if round_ is not None and "in round" not in said:
        said = f"{said} (in round {round_})"
    place = place_of(error)
    return f"{said}, {place}" if place and place.rpartition(" at ")[2] not in said else said


def _describing_fields(method: Method) -> list[Field[Any]]:
    """Return the fields with metadata about functions."""
    return [f for f in fields(method) if "about" in f.metadata]


def shape_of(found: object) -> str:
    """Return the shape of an array as text, or the name of another type."""
    return str(found.shape) if type(found) is np.ndarray else type(found).__name__
