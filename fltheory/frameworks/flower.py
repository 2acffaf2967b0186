"""Flower strategies as algorithms: ``strategy_algorithm(FedAvg())``; the strategy's own code computes every round.

The oracle draws the samples of a strategy, and clients answer its messages at once (``flower_round``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from fltheory.frameworks.flower_client import Client, sgd, with_loss
from fltheory.frameworks.flower_round import StrategyRound
from fltheory.frameworks.flower_wire import import_flower
from fltheory.frameworks.user_modules import import_named
from fltheory.model.errors import UserError
from fltheory.runs.algorithm import ROUND, Algorithm, points_as_state

Strategy = Any  # flwr.serverapp.strategy.Strategy


@dataclass(frozen=True)
class KnownStrategy:
    """Known properties of one of Flower's own strategies, from its code.

    ``keeps``: the attributes that it carries from round to round, which may start as zeros; ``same``: whether all
    rounds are alike; ``ordered``: whether the order of the clients' answers matters (to break ties); ``apart``: whether
    each number of a model is treated separately.
    """

    keeps: tuple[str, ...] = ()
    same: bool = True
    ordered: bool = False
    apart: bool = True


TYPE_ATTRIBUTES = {  # attributes of a type that its body does not define
    *("__module__", "__doc__", "__annotations__", "__dict__", "__weakref__", "__abstractmethods__", "_abc_impl"),
    *("__firstlineno__", "__static_attributes__", "__qualname__", "__parameters__", "__orig_bases__"),
}
KNOWN_STRATEGIES = {
    "FedAvg": KnownStrategy(),
    "FedProx": KnownStrategy(),
    "FedAvgM": KnownStrategy(("momentum_vector",)),  # current_arrays is its last result
    "FedAdagrad": KnownStrategy(("v_t",)),  # beta_1 = 0: m_t is this round's step
    "FedAdam": KnownStrategy(("m_t", "v_t"), same=False),
    "FedYogi": KnownStrategy(("m_t", "v_t")),
    "FedMedian": KnownStrategy(),
    "FedTrimmedAvg": KnownStrategy(),
    "Krum": KnownStrategy(ordered=True, apart=False),
    "MultiKrum": KnownStrategy(ordered=True, apart=False),
    "QFedAvg": KnownStrategy(apart=False),
}


def strategy_algorithm(
    strategy: Strategy | Callable[[Any], Strategy],
    client: Client = sgd,
    examples: Sequence[int] | None = None,
    name: str = "",
    ordered: bool | None = None,
) -> Algorithm:
    """Return a Strategy, or a function of the constants that makes one, as an algorithm.

    ``client(x, config, ask, c)`` trains (``fltheory.frameworks.flower_client``); ``examples``: the clients' numbers of
    examples, repeated in turn (default: all 1). ``ordered=False`` is trusted: only the set of clients matters.
    UserError if Flower is missing or too old, or the strategy is not supported.
    """
    base = import_flower().strategy.Strategy
    made = strategy if callable(strategy) and not isinstance(strategy, base | type) else None
    if made is None:
        _require_drivable(strategy)
    shares = (1,) if examples is None else tuple(examples)
    if not shares or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in shares):
        raise UserError(f"examples = {examples!r}: expected how many examples each client has, integers from 1")
    known = None if made is not None else _known_strategy(strategy)
    loss = vars(strategy).get("train_loss_key") if made is None else None
    round_ = StrategyRound(
        _StrategyCopier(strategy) if made is None else _StrategyFactory(made),
        with_loss(client, loss) if loss is not None and client is sgd else client,
        shares,
        None if known is None else known.keeps,
        known is not None and known.same and client is sgd,
        known is not None and known.apart,
    )
    matters = known is None or known.ordered if ordered is None else ordered
    return Algorithm(
        name or (f"Flower's {type(strategy).__name__}" if made is None else "Flower's strategy"),
        round_,
        init=points_as_state if known is not None and not known.keeps else round_.first,
        ordered=matters,
        kind=ROUND,
    )


def _known_strategy(strategy: Strategy) -> KnownStrategy | None:
    """Return the properties of one of Flower's strategies, or of a subtype that changes nothing; None if unknown.

    An attribute of the strategy may replace a method, and a method of Flower's type may have been replaced by a user's.
    """
    kinds = type(strategy).__mro__
    if any(callable(getattr(type(strategy), name, None)) for name in getattr(strategy, "__dict__", {})):
        return None
    if any(map(_is_patched, kinds)):
        return None
    for kind in kinds:
        if kind.__module__.startswith("flwr.serverapp.strategy."):
            return KNOWN_STRATEGIES.get(kind.__name__)
        if not set(vars(kind)) <= TYPE_ATTRIBUTES:
            return None
    return None


def _is_patched(kind: type) -> bool:
    """Return whether a type of Flower's has a function that is not Flower's."""
    if not kind.__module__.startswith("flwr."):
        return False
    own = (value for value in vars(kind).values() if isinstance(value, FunctionType))
    return any(not str(function.__module__).startswith("flwr.") for function in own)


def _require_drivable(strategy: Strategy) -> None:
    """Raise UserError unless it is a Strategy with rounds of configure_train and aggregate_train."""
    base = import_flower().strategy.Strategy
    if isinstance(strategy, type) and issubclass(strategy, base):
        raise UserError(f"{strategy.__name__} is a class, expected a strategy: {strategy.__name__}(...)")
    if not isinstance(strategy, base):
        raise UserError(
            f"a {type(strategy).__name__} is no flwr.serverapp.strategy.Strategy"
            + (": this one has Flower's older interface" if "flwr.server" in type(strategy).__module__ else "")
        )
    if type(strategy).start is not base.start:
        raise UserError(f"{type(strategy).__name__} has its own loop (start), which can't be run round by round")


@dataclass(frozen=True, eq=False)
class _StrategyCopier:
    """A factory that copies a user's strategy for every run."""

    strategy: Strategy

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.strategy.aggregate_train

    def __call__(self, c: Any) -> Strategy:
        return deepcopy(self.strategy)


@dataclass(frozen=True, eq=False)
class _StrategyFactory:
    """A factory from a user's function of the constants."""

    make: Callable[[Any], Strategy]

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.make

    def __call__(self, c: Any) -> Strategy:
        strategy = self.make(c)
        _require_drivable(strategy)
        return strategy


def load_named(text: str) -> tuple[Algorithm, Path]:
    """Load ``MODULE:NAME`` or ``FILE.py:NAME``: a Strategy, a function of the constants, or an Algorithm."""
    import_flower()
    where, colon, name = text.rpartition(":")
    if not colon or not where or not name.isidentifier():
        raise UserError(f"flower:{text}: expected flower:MODULE:STRATEGY, such as flower:mymodule:strategy")
    module = import_named(where, f"flower:{where}")
    if name not in vars(module):
        raise UserError(f"flower:{text}: {where} has no {name!r}{_hint(module)}")
    found, path = vars(module)[name], Path(module.__file__ or where)
    if isinstance(found, Algorithm):
        return found, path
    if callable(found) and not isinstance(found, type):
        return strategy_algorithm(found, name=f"flower:{text}"), path
    try:
        return strategy_algorithm(found, name=f"flower:{text}"), path
    except UserError as error:
        raise UserError(f"flower:{text}: {error}") from None


def _hint(module: Any) -> str:
    """Return the existing strategies."""
    base = import_flower().strategy.Strategy
    there = [name for name, value in vars(module).items() if isinstance(value, base | Algorithm)]
    return f"; it has {', '.join(there)}" if there else ""
