"""Flower in one process: arrays with numbers of any kind, nodes that answer at once, floats as exact numbers.

No network, no ray, no telemetry. Parts of Flower that are replaced during a round are restored afterwards.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import fmpq

from fltheory.model.errors import UserError
from fltheory.runs.method import AssumptionFailed

MIN_VERSION, TESTED_VERSIONS = (1, 41), "1.41 and 1.42"


@cache
def import_flower() -> SimpleNamespace:
    """Return the parts of Flower in use; UserError if it is missing or its version lacks them."""
    try:
        found = version("flwr")
    except PackageNotFoundError:
        raise UserError("Flower is not installed: pip install 'fltheory[flower]'") from None
    if tuple(int(part) for part in found.split(".")[:2]) < MIN_VERSION:
        raise UserError(f"flwr {found} is too old: its strategies are driven from {MIN_VERSION[0]}.{MIN_VERSION[1]} on")
    os.environ.setdefault("FLWR_TELEMETRY_ENABLED", "0")
    try:
        import flwr.app
        import flwr.serverapp.strategy
        from flwr.serverapp.strategy import strategy_utils
        from flwr.supercore.task_identity import TaskIdentity
    except ImportError as error:
        raise UserError(f"flwr {found} differs from the supported versions ({TESTED_VERSIONS}): {error}") from None
    return SimpleNamespace(
        app=flwr.app,
        strategy=flwr.serverapp.strategy,
        utils=strategy_utils,
        identity=TaskIdentity,
        log=logging.getLogger("flwr"),
        version=found,
    )


class Nodes:
    """The grid that a strategy sees: one node for every client, numbered from 1."""

    def __init__(self, n: int) -> None:
        self._n = n

    def get_node_ids(self) -> list[int]:
        """Return all nodes."""
        return list(range(1, self._n + 1))


class ExactCount(int):
    """A number of examples with exact shares."""

    def __truediv__(self, other: Any) -> Any:
        return fmpq(int(self), int(other)) if isinstance(other, int) else NotImplemented


class ExactFloat(float):
    """A float of a strategy: with floats a float, with exact numbers the rational that it is."""

    __array_priority__ = 1000.0  # takes precedence over arrays

    def _beside(self, other: Any, floats: Callable[[Any, Any], Any], exact: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, int | float):
            return ExactFloat(floats(float(self), float(other)))
        if isinstance(other, np.ndarray) and other.dtype != object:
            return exact(float(self), other)
        return exact(fmpq(*self.as_integer_ratio()), other)

    def __add__(self, other: Any) -> Any:
        return self._beside(other, lambda a, b: a + b, lambda a, b: a + b)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        return self._beside(other, lambda a, b: a * b, lambda a, b: a * b)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        return self._beside(other, lambda a, b: a - b, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._beside(other, lambda a, b: b - a, lambda a, b: b - a)

    def __truediv__(self, other: Any) -> Any:
        return self._beside(other, lambda a, b: a / b, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._beside(other, lambda a, b: b / a, lambda a, b: b / a)


class ArrayBytes(bytes):
    """The bytes of an Array replaced by its numbers, of any kind."""

    numbers: np.ndarray


def _save(cls: Any, ndarray: np.ndarray) -> Any:
    """Return an Array that keeps its numbers instead of their bytes."""
    data = ArrayBytes()
    data.numbers = ndarray.copy()
    return cls(str(ndarray.dtype), tuple(ndarray.shape), "numpy.ndarray", data)


def numbers_of(array: Any, otherwise: Callable[[Any], np.ndarray] | None = None) -> np.ndarray:
    """Return a copy of the numbers of an Array, from any maker.

    ``otherwise`` reads an Array of real bytes, such as a user's made before the run; None: the Array's own method.
    """
    if isinstance(array.data, ArrayBytes):
        return array.data.numbers.copy()
    return array.numpy() if otherwise is None else otherwise(array)


def _refuse_to_wait(_seconds: float) -> None:
    """Raise for a strategy that waits for more nodes than there are."""
    raise AssumptionFailed("the strategy waits for more clients than there are (min_available_nodes, min_train_nodes)")


@contextmanager
def patch_flower(sample: Callable[[list[int], int], list[int]]) -> Iterator[SimpleNamespace]:
    """Patch Flower for arrays with numbers of any kind and nodes sampled by ``sample(nodes, size)``."""
    parts = import_flower()
    array, utils, identity = parts.app.Array, parts.utils, parts.identity
    before = vars(array)["from_numpy_ndarray"], array.numpy, utils.random, utils.sleep, parts.log.level
    who = identity._task_id, identity._run_id, identity._node_id
    read = array.numpy
    array.from_numpy_ndarray, array.numpy = classmethod(_save), lambda one: numbers_of(one, read)
    utils.random, utils.sleep = SimpleNamespace(sample=sample), _refuse_to_wait
    identity._task_id, identity._run_id, identity._node_id = 1, 1, 0  # messages contain them
    parts.log.setLevel(logging.ERROR)
    try:
        yield parts
    finally:
        array.from_numpy_ndarray, array.numpy, utils.random, utils.sleep = before[:4]
        identity._task_id, identity._run_id, identity._node_id = who
        parts.log.setLevel(before[4])
