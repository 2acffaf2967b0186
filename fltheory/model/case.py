"""Instances, assumptions and cases, on which claims are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import getattr_static
from typing import Any, Generic, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from flint import arb, fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.model import html_cards
from fltheory.number import BALL, RATIONAL, Number, Ring, exact, exact_text, to_ball
from fltheory.symbols import VOCABULARY, in_domain


@runtime_checkable
class Instance(Protocol):
    """An immutable problem with exact constants and optimum; its ``repr`` rebuilds it."""

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """All constants of the instance, exactly."""


I = TypeVar("I", bound=Instance, covariant=True)
Client = int | np.integer | np.ndarray  # a client, or one for every seed


@runtime_checkable
class HasClients(Protocol):
    """An object with clients."""

    @property
    def n_clients(self) -> int:
        """The number of clients."""


@runtime_checkable
class HasDimension(Protocol):
    """An object on a parameter space."""

    @property
    def dim(self) -> int:
        """The dimension of the parameter space."""


@runtime_checkable
class FederatedInstance(Instance, HasClients, HasDimension, Protocol):
    """Clients with objectives F_m on R^d; F is their mean.

    ``x`` has shape (seeds, dim): floats, or exact ring elements (dtype object); ``client`` is an int or (seeds,) ints.
    """

    @property
    def start(self) -> tuple[Number, ...]:
        """The starting point of runs."""

    @property
    def minimiser(self) -> tuple[Number, ...]:
        """The minimiser of F nearest to the start."""

    @property
    def draws(self) -> int:
        """The number of uniform random numbers in one stochastic gradient."""

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return the gradient of F_m, shape (seeds, dim)."""

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return the stochastic gradient minus the gradient, from uniform numbers of shape (seeds, draws)."""

    def gap(self, x: np.ndarray) -> np.ndarray:
        """Return F(x) - F*, shape (seeds,)."""

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        """Return the gradient of F, shape (seeds, dim)."""


# Optional capabilities. An instance has one if it defines its members.


@runtime_checkable
class RangedGame(Protocol):
    """A game with a known range of the regret."""

    def regret_range(self) -> tuple[float, float]:
        """Return a range that contains the regret of a player on the floored simplex on every path."""


@runtime_checkable
class Repeatable(Protocol):
    """An instance whose clients can be duplicated without a change of F or of constants except n_clients."""

    def repeated(self, times: int) -> Self:
        """Return the instance with every client repeated ``times`` times."""


@runtime_checkable
class Adjustable(Protocol):
    """An instance that can change some of its constants itself."""

    @property
    def adjustable(self) -> tuple[str, ...]:
        """The canonical names of these constants."""

    def adjusted(self, name: str, value: Number) -> Self:
        """Return the instance with a constant at this value, or near it."""


@runtime_checkable
class Shrinkable(Protocol):
    """An instance, or data inside one, that defines its own shrinking."""

    def smaller(self) -> Iterator[Self]:
        """Return smaller versions, with one client, round or item less."""


@runtime_checkable
class InWords(Protocol):
    """An instance that says in a few words what it is, for captions."""

    def in_words(self) -> str:
        """Return the instance in words, without its constants if the case names them."""


class OnlyConstants:
    """Base class of an instance that consists only of constants, so that settings may change them freely."""

    def in_words(self) -> str:
        """Return that there is nothing else."""
        return "constants alone"


@dataclass(frozen=True)
class Assumption:
    """A hypothesis of a theorem, which is checked on every case.

    Parameters
    ----------
    name : str
        The name of the assumption in messages.
    check : callable
        ``check(case)`` returns the reason why the assumption fails, or None if it holds.
    of_step : callable, optional
        ``of_step(algorithm, case)`` does the same for an assumption on what the algorithm does.

    Examples
    --------
    >>> from fltheory import Assumption
    >>> full = Assumption("all clients take part", lambda case: None)
    >>> full.name
    'all clients take part'
    """

    name: str
    check: Callable[[Case], str | None]
    of_step: Callable[[Any, Case], str | None] | None = None

    def failed(self, case: Case, algorithm: Any = None) -> str | None:
        """Return why the assumption fails for this algorithm in the case, or None."""
        reason = self.check(case)
        if reason or self.of_step is None or algorithm is None:
            return reason
        return self.of_step(algorithm, case)


@dataclass(frozen=True, init=False)
class Case(Generic[I]):
    """An instance together with the free constants of a run.

    ``Case[FederatedInstance]`` annotates a case whose instance is of some kind.

    Parameters
    ----------
    instance : instance
        The clients or the game, such as ``QuadraticClients``: anything with ``constants``.
    **settings : int, float, str, Fraction
        The free constants (rounds, local steps, step sizes) by their canonical names. Numbers are read exactly:
        ``step_size="1/60"``; see ``fltheory.number.exact``.

    Raises
    ------
    ValueError
        If the instance has no constants, a setting is not a constant of ``fltheory.symbols``, or a value is outside the
        constant's domain.

    Examples
    --------
    >>> from fltheory import Case
    >>> from fltheory.problems import QuadraticClients
    >>> case = Case(QuadraticClients(curvatures=(1, 1), slopes=(1, -1), start=2), n_rounds=10, step_size="1/60")
    >>> dict(case.settings)["step_size"]
    Fraction(1, 60)
    """

    instance: I
    settings: tuple[tuple[str, Number], ...]

    def __init__(self, instance: I, **settings: object) -> None:
        if getattr_static(instance, "constants", None) is None:  # isinstance would compute them
            raise ValueError(f"expected an instance, an object with constants, got {instance!r}")
        values = []
        for name, value in sorted(settings.items()):
            if name not in VOCABULARY:
                raise ValueError(f"{name} is not a known constant (see fltheory.symbols)")
            values.append((name, _read_constant(name, value)))
        object.__setattr__(self, "instance", instance)
        object.__setattr__(self, "settings", tuple(values))

    @cached_property
    def own(self) -> dict[Symbol, Number]:
        """The instance's own constants, read exactly."""
        return _instance_constants(self.instance)

    @property
    def constants(self) -> dict[Symbol, Number]:
        """The exact constants of the instance and the settings, by symbol. Settings take precedence."""
        return {**self.own, **{VOCABULARY[n].symbol: v for n, v in self.settings}}

    def with_settings(self, **settings: object) -> Case[I]:
        """Return the case with some settings added or changed."""
        changed = Case(self.instance, **{**dict(self.settings), **settings})
        if "own" in self.__dict__:  # it has the same instance
            changed.__dict__["own"] = self.own
        return changed

    def arguments(self) -> str:
        """Return the arguments that rebuild the case, as text."""
        return ", ".join([repr(self.instance), *(f"{n}={exact_text(v)!r}" for n, v in self.settings)])

    def __repr__(self) -> str:
        return f"Case({self.arguments()})"

    def _repr_html_(self) -> str:
        settings = [(name, html_cards.code(str(exact_text(value)))) for name, value in self.settings]
        return html_cards.card("case", [("instance", html_cards.code(repr(self.instance))), *settings])


def _read_constant(name: str, value: object) -> Number:
    """Read a constant exactly; ValueError if it is not a number or out of its domain."""
    try:
        number = exact(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    entry = VOCABULARY[name]
    if not isinstance(number, arb) and not in_domain(entry.symbol, number):
        raise ValueError(f"{name} = {value} is out of its domain: {entry.domain}")
    return number


def _instance_constants(instance: Instance) -> dict[Symbol, Number]:
    """Return the instance's exact constants; those of a user's instance are parsed like settings."""
    found = {}
    for symbol, value in instance.constants.items():
        name = symbol.name if isinstance(symbol, Symbol) else None
        if name not in VOCABULARY or VOCABULARY[name].symbol != symbol:
            raise ValueError(f"{symbol} in the constants of {type(instance).__name__} is not in fltheory.symbols")
        found[symbol] = _read_constant(name, value)
    return found


# Constants that are only bounds: a theorem stays true if a bound is weaker than the instance's true value.
_MAY_RISE = {
    symbols.smoothness,
    symbols.noise_std,
    symbols.noise_std_at_optimum,
    symbols.heterogeneity_at_optimum,
    symbols.heterogeneity,
    symbols.heterogeneity_slope,
    symbols.max_heterogeneity,
    symbols.hessian_heterogeneity,
    symbols.fixed_heterogeneity,
    symbols.dynamic_heterogeneity,
    symbols.gradient_bound,
    symbols.max_feedback,
    symbols.variation_budget,
    symbols.response_high,
    symbols.max_singleton,
    symbols.max_client_singleton,
    symbols.estimate_error,
}
_MAY_FALL = {symbols.strong_convexity, symbols.response_low}


def contradiction(case: Case, sides: set[str]) -> str | None:
    """Return how the settings contradict the constants of the instance, or None.

    A setting may differ from the true value only if all bounds are upper bounds, and only if it is weaker. Lower bounds
    on runs are about instances built from their own constants, which their assumptions compare.
    """
    if isinstance(case.instance, OnlyConstants):
        return None
    own = case.own
    for name, value in case.settings:
        symbol = VOCABULARY[name].symbol
        if symbol not in own or own[symbol] is value or (not isinstance(value, arb) and own[symbol] == value):
            continue
        if sides == {"lower"} and isinstance(case.instance, FederatedInstance | RangedGame):
            return None
        promised, true = to_ball(value), to_ball(own[symbol])
        weaker = (symbol in _MAY_RISE and promised >= true) or (symbol in _MAY_FALL and promised <= true)
        if sides != {"upper"} or not weaker:
            need = "at least " if symbol in _MAY_RISE else "at most " if symbol in _MAY_FALL else ""
            return f"{name} = {exact_text(value)} contradicts the instance: it is {need}{exact_text(own[symbol])}"
    return None


def kind_mismatch(instance: Instance, own: Iterable[Instance]) -> str | None:
    """Return which types of instances a claim is about if this instance has none of them, else None."""
    kind, kinds = type(instance), {type(i) for i in own}
    if not kinds or kind in kinds:
        return None
    alike = kind.__name__ in {k.__name__ for k in kinds}
    names = sorted(_name(k, alike) for k in kinds)
    return f"about {' or '.join(names)}, not about {_name(kind, alike)}"


def _name(kind: type, in_full: bool) -> str:
    return f"{kind.__module__}.{kind.__name__}" if in_full else kind.__name__


@runtime_checkable
class OverRing(Protocol):
    """An element with its ring as an attribute, such as an affine form."""

    ring: Ring


def ring_of(x: np.ndarray) -> Ring | None:
    """Return the exact ring of an object array, or None for floats."""
    if x.dtype != object:
        return None
    element = x.flat[0]
    if isinstance(element, fmpq | int):
        return RATIONAL
    if isinstance(element, arb):
        return BALL
    return element.ring if isinstance(element, OverRing) else BALL
