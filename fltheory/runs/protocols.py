"""What clients may offer beyond what a run needs: laws, noise with few values, equal clients, ceilings, an oracle of their own.

It is asked for by ``isinstance``, or ``has_capability``, and an instance of a user's offers it by having it. Without an offer the
engines go another way: they enumerate, simulate, or say that nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np

from fltheory.model.case import Client, FederatedInstance
from fltheory.number import RATIONAL, Element, Number, Ring

if TYPE_CHECKING:
    from fltheory.runs.distributions.moments import MapMoments
    from fltheory.runs.distributions.randomness import Chance
    from fltheory.runs.oracle import Oracle

Capability = TypeVar("Capability")
NoiseValues = Callable[[np.ndarray, Client, np.ndarray, Ring | None], np.ndarray]  # points, client, indices, ring


def has_capability(instance: object, offer: Callable[..., Capability]) -> TypeGuard[Capability]:
    """``isinstance`` for an offer, a protocol, whose names Python goes through each time.

    That a kind of the library's has nothing under one of them is known.
    """
    wanted: Any = offer
    kind: Any = type(instance)
    own = getattr(instance, "__dict__", {})
    if kind.__module__.startswith("fltheory.") and not _missing_names(kind, wanted) <= own.keys():
        return False
    return isinstance(instance, wanted)


@lru_cache(maxsize=1024)
def _missing_names(kind: type[Any], offer: type[Any]) -> frozenset[str]:
    """The names of an offer that a kind declares nowhere, so that instances have them of their own or not at all.

    No name where it makes up what it is asked for.
    """
    declared = {name for base in kind.__mro__ for name in vars(base)}
    if "__getattr__" in declared:
        return frozenset()
    return frozenset(name for base in offer.__mro__ for name in vars(base) if name[0] != "_") - declared


@runtime_checkable
class OwnOracle(Protocol):
    """An instance whose steps ask for other things than gradients and orders of clients."""

    def oracle(self, chance: Chance) -> Oracle:
        """What an algorithm may ask in one round."""


@runtime_checkable
class HasExchangeableClients(Protocol):
    """Clients of which some may be known to be equal."""

    @property
    def client_types(self) -> tuple[int, ...]:
        """Equal numbers for clients with equal objectives."""


@runtime_checkable
class AxisAligned(Protocol):
    """Clients that say whether their Hessians are diagonal."""

    @property
    def axis_aligned(self) -> bool:
        """Whether no coordinate of a gradient depends on another."""


@runtime_checkable
class HasValues(Protocol):
    """Clients that tell the values of their objectives."""

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """F_m at every row of x (runs, dim), (runs,): floats, or exact where x is."""


@runtime_checkable
class HasSuppositions(Protocol):
    """Clients without a known minimiser, whose constants rest on more than their data."""

    @property
    def supposes(self) -> str:
        """On what, as a part of a sentence: verdicts on them say it."""

    @property
    def reach(self) -> float:
        """How far from the start the constants are meant to hold: assumptions look no further."""

    @property
    def estimated(self) -> bool:
        """Whether a constant is an estimate, so that it may be too small."""


# Quadratic clients ------------------------------------------------------------------------------------------------------


@runtime_checkable
class QuadraticStructure(Protocol):
    """Quadratic clients: two moments of a run follow from those of a round."""

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """Coordinates that move together."""

    def hessian(self, i: int, j: int) -> Number:
        """Entry of the Hessian of F."""

    def client_laws(self, client: int, step: Element, n_steps: int, ring: Ring) -> list[MapMoments]:
        """The law of ``n_steps`` local steps of a client, one for every block; ``step`` is an element of the ring."""


class QuadraticInstance(FederatedInstance, QuadraticStructure, HasExchangeableClients, Protocol):
    """Clients all of this is known of."""


@runtime_checkable
class Translatable(Protocol):
    """A problem that can be translated."""

    @property
    def centred(self) -> FederatedInstance:
        """The same with its minimiser at 0."""


# Noise ------------------------------------------------------------------------------------------------------------------


@runtime_checkable
class FiniteNoise(Protocol):
    """Noise with finitely many values, the same everywhere and for every client."""

    @property
    def n_noise_values(self) -> int | None:
        """How many values the noise takes; None where they are infinitely many."""

    def noise_support(self, ring: Ring) -> np.ndarray:
        """The equally likely noise vectors, (values, dim)."""


@runtime_checkable
class FiniteNoiseAtPoint(Protocol):
    """Noise with finitely many values at every point, for every client."""

    @property
    def n_noise_values(self) -> int | None:
        """How many equally likely values serve all clients."""

    def noise_value(self, x: np.ndarray, client: Client, index: np.ndarray, ring: Ring | None) -> np.ndarray:
        """The ``index``-th value of the noise at every row of x (seeds, dim); ``ring`` None asks for floats."""


@runtime_checkable
class OwnFactors(Protocol):
    """Noise whose covariance differs between clients."""

    def noise_factors(self, client: int) -> list[tuple[Number, ...]] | None:
        """Vectors v_i such that the noise has the covariance sum_i v_i v_i^T; None where that depends on the point."""


@runtime_checkable
class OneFactor(Protocol):
    """Noise along one vector, the same for all clients."""

    @property
    def noise_std(self) -> tuple[Number, ...]:
        """The standard deviation of every coordinate; all share one draw."""


@runtime_checkable
class LargestDraw(Protocol):
    """Noise along one vector that is bounded."""

    @property
    def largest_draw(self) -> Fraction:
        """How large the draw that all coordinates share is at most, in standard deviations."""


def noise_value_count(instance: FederatedInstance) -> int:
    """How many equally likely values the noise takes; 0 where they are infinitely many, or not known."""
    return (isinstance(instance, FiniteNoise | FiniteNoiseAtPoint) and instance.n_noise_values) or 0


def noise_values(instance: FederatedInstance) -> NoiseValues | None:
    """What gives the values of the noise with some indices; None where they are infinitely many, or not known.

    Without a ring they are floats, or rationals that are to become floats.
    """
    if isinstance(instance, FiniteNoiseAtPoint):
        return instance.noise_value
    if not isinstance(instance, FiniteNoise):
        return None
    support = instance.noise_support
    return lambda x, client, index, ring: support(ring or RATIONAL)[index]


def client_noise_factors(instance: FederatedInstance, client: int) -> list[tuple[Number, ...]] | None:
    """Vectors v_i such that a client's noise has the covariance sum_i v_i v_i^T; None where there are none, or not known."""
    if isinstance(instance, OwnFactors):
        return instance.noise_factors(client)
    return [instance.noise_std] if isinstance(instance, OneFactor) else None


# Ceilings ---------------------------------------------------------------------------------------------------------------


@runtime_checkable
class HasRunRadius(Protocol):
    """Clients of which it is known how far a run can get."""

    def radius(self, step: float) -> list[float] | None:
        """How far a run of steps of this size can get from the minimiser, in some orthogonal directions; None: not known."""


@runtime_checkable
class HasGradientCeiling(Protocol):
    """Clients whose mean gradient is bounded."""

    @property
    def gradient_ceiling(self) -> float:
        """What |grad F|^2 never exceeds."""
