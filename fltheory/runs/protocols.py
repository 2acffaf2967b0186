"""Optional capabilities of clients: laws, finite noise, equal clients, bounds on the run, their own oracle.

``isinstance`` or ``has_capability`` tests for them; a user's instance has a capability if it defines its members.
Without it the engines enumerate, simulate, or report that nothing is known.
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

Capability = TypeVar("Capability")
NoiseValues = Callable[[np.ndarray, Client, np.ndarray, Ring | None], np.ndarray]  # points, client, indices, ring


def has_capability(instance: object, offer: Callable[..., Capability]) -> TypeGuard[Capability]:
    """Test an instance for a capability like ``isinstance``, which checks all members of the protocol each time.

    For built-in classes the missing members are cached.
    """
    wanted: Any = offer
    kind: Any = type(instance)
    own = getattr(instance, "__dict__", {})
    if kind.__module__.startswith("fltheory.") and not _missing_names(kind, wanted) <= own.keys():
        return False
    return isinstance(instance, wanted)


@lru_cache(maxsize=1024)
def _missing_names(kind: type[Any], offer: type[Any]) -> frozenset[str]:
    """Return the members of a capability that a class does not define, so that only an instance itself can have them.

    The set is empty if the class defines ``__getattr__``.
    """
    declared = {name for base in kind.__mro__ for name in vars(base)}
    if "__getattr__" in declared:
        return frozenset()
    return frozenset(name for base in offer.__mro__ for name in vars(base) if name[0] != "_") - declared


@runtime_checkable
class HasExchangeableClients(Protocol):
    """Clients of which some may be known to be equal."""

    @property
    def client_types(self) -> tuple[int, ...]:
        """Return equal numbers for clients with equal objectives."""


@runtime_checkable
class AxisAligned(Protocol):
    """Clients for which it is known whether their Hessians are diagonal."""

    @property
    def axis_aligned(self) -> bool:
        """Whether no coordinate of a gradient depends on another."""


@runtime_checkable
class HasValues(Protocol):
    """Clients that return the values of their objectives."""

    def client_value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return F_m at every row of x (runs, dim), (runs,): floats, or exact if x is exact."""


@runtime_checkable
class HasProximalMaps(Protocol):
    """Clients whose objectives have a proximal map in closed form."""

    def prox(self, x: np.ndarray, client: Client, step: Element) -> np.ndarray:
        """Return argmin_u F_m(u) + |u - x|^2 / (2 step) at every row of x, (runs, dim): floats, or exact if x is exact."""


@runtime_checkable
class HasDomain(Protocol):
    """Clients on a convex decision set, outside of which no point may be played."""

    def project(self, x: np.ndarray) -> np.ndarray:
        """Return the point of the set nearest to every row of x, (runs, dim): floats, or exact if x is exact."""


@runtime_checkable
class HasSuppositions(Protocol):
    """Clients without a known minimiser, whose constants depend on more than their data."""

    @property
    def supposes(self) -> str:
        """What the constants depend on, as a phrase for verdicts."""

    @property
    def reach(self) -> float:
        """The radius around the start in which the constants are claimed; assumptions are checked only there."""

    @property
    def estimated(self) -> bool:
        """Return whether a constant is an estimate, which may be too small."""


# Quadratic clients ------------------------------------------------------------------------------------------------------


@runtime_checkable
class QuadraticStructure(Protocol):
    """Quadratic clients, for which the first two moments of a run follow from those of a round."""

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """Blocks of dependent coordinates."""

    def hessian(self, i: int, j: int) -> Number:
        """Return an entry of the Hessian of F."""

    def client_laws(self, client: int, step: Element, n_steps: int, ring: Ring) -> list[MapMoments]:
        """Return the law of ``n_steps`` local steps of a client for every block; ``step`` is an element of the ring."""


class QuadraticInstance(FederatedInstance, QuadraticStructure, HasExchangeableClients, Protocol):
    """Clients with all of these capabilities."""


@runtime_checkable
class Translatable(Protocol):
    """A problem that can be translated."""

    @property
    def centred(self) -> FederatedInstance:
        """Return the problem translated so that its minimiser is 0."""


# Noise ------------------------------------------------------------------------------------------------------------------


@runtime_checkable
class FiniteNoise(Protocol):
    """Noise with finitely many values, the same everywhere and for every client."""

    @property
    def n_noise_values(self) -> int | None:
        """The number of values of the noise; None if it is infinite."""

    def noise_support(self, ring: Ring) -> np.ndarray:
        """Return the equally likely noise vectors, (values, dim)."""


@runtime_checkable
class FiniteNoiseAtPoint(Protocol):
    """Noise with finitely many values at every point, for every client."""

    @property
    def n_noise_values(self) -> int | None:
        """The number of equally likely values for all clients."""

    def noise_value(self, x: np.ndarray, client: Client, index: np.ndarray, ring: Ring | None) -> np.ndarray:
        """Return the ``index``-th value of the noise at every row of x (seeds, dim), in floats if ``ring`` is None."""


@runtime_checkable
class OwnFactors(Protocol):
    """Noise whose covariance differs between clients."""

    def noise_factors(self, client: int) -> list[tuple[Number, ...]] | None:
        """Return vectors v_i such that the noise has covariance sum_i v_i v_i^T; None if it depends on the point."""


@runtime_checkable
class OneFactor(Protocol):
    """Noise along one vector, the same for all clients."""

    @property
    def noise_std(self) -> tuple[Number, ...]:
        """The standard deviation of every coordinate; one draw moves all of them."""


@runtime_checkable
class LargestDraw(Protocol):
    """Noise along one vector that is bounded."""

    @property
    def largest_draw(self) -> Fraction:
        """The largest size of the draw shared by all coordinates, in standard deviations."""


def noise_value_count(instance: FederatedInstance) -> int:
    """Return the number of equally likely values of the noise; 0 if it is infinite or unknown."""
    return (isinstance(instance, FiniteNoise | FiniteNoiseAtPoint) and instance.n_noise_values) or 0


def noise_values(instance: FederatedInstance) -> NoiseValues | None:
    """Return a function from indices to values of the noise; None if the values are infinitely many or unknown.

    Without a ring they are floats, or rationals that will be converted to floats.
    """
    if isinstance(instance, FiniteNoiseAtPoint):
        return instance.noise_value
    if not isinstance(instance, FiniteNoise):
        return None
    support = instance.noise_support
    return lambda x, client, index, ring: support(ring or RATIONAL)[index]


def client_noise_factors(instance: FederatedInstance, client: int) -> list[tuple[Number, ...]] | None:
    """Return vectors v_i such that a client's noise has the covariance sum_i v_i v_i^T; None if none are known."""
    if isinstance(instance, OwnFactors):
        return instance.noise_factors(client)
    return [instance.noise_std] if isinstance(instance, OneFactor) else None


# Ceilings ---------------------------------------------------------------------------------------------------------------


@runtime_checkable
class HasRunRadius(Protocol):
    """Clients with a known bound on the distance of a run."""

    def radius(self, step: float) -> list[float] | None:
        """Bound how far runs with this step size get from the minimiser in orthogonal directions; None if unknown."""


@runtime_checkable
class HasGradientCeiling(Protocol):
    """Clients with a bounded mean gradient."""

    @property
    def gradient_ceiling(self) -> float:
        """Return an upper bound on |grad F|^2."""
