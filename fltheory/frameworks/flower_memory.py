"""State that a strategy keeps in attributes between rounds, as arrays and back: ``momentum_vector/0``, ``v_t/x``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fltheory.frameworks.flower_wire import import_flower, numbers_of
from fltheory.runs.method import VariantError


def changed_attributes(before: Any, after: Any) -> tuple[str, ...]:
    """Return the attributes of a strategy that have changed."""
    then, now = vars(before), vars(after)
    return tuple(name for name in now if name not in then or _comparable(then[name]) != _comparable(now[name]))


def _comparable(value: Any) -> Any:
    """Return a comparable form of a value: functions by identity, objects by their own attributes."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tolist()
    if isinstance(value, import_flower().app.Array):
        return _comparable(numbers_of(value))
    if isinstance(value, import_flower().app.ArrayRecord):
        return {key: _comparable(numbers_of(array)) for key, array in value.items()}
    if isinstance(value, Mapping):
        return {key: _comparable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_comparable(inner) for inner in value]
    if value is None or callable(value) or isinstance(value, bool | int | float | complex | str | bytes):
        return value
    try:
        return type(value), {key: _comparable(inner) for key, inner in vars(value).items()}
    except TypeError:  # without attributes: compared by its text
        return type(value), repr(value)


def attribute_arrays(strategy: Any, name: str) -> dict[str, np.ndarray]:
    """Return the arrays and numbers of an attribute by path; VariantError if it holds anything else."""
    return {f"{name}{path}": leaf for path, leaf in _arrays_by_path(vars(strategy)[name], name).items()}


def _arrays_by_path(value: Any, name: str) -> dict[str, np.ndarray]:
    if value is None:
        return {}
    if isinstance(value, import_flower().app.Array):
        value = numbers_of(value)
    if isinstance(value, np.ndarray):
        return {"": value}
    if isinstance(value, import_flower().app.ArrayRecord):
        value = {key: numbers_of(array) for key, array in value.items()}
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = {str(i): inner for i, inner in enumerate(value)}.items()
    elif isinstance(value, bool | str | bytes) or not _is_number(value):
        raise VariantError(
            f"the strategy keeps a {type(value).__name__} in {name} from round to round: only arrays and numbers can be state"
        )
    else:
        found = np.empty((), dtype=float if isinstance(value, int | float) else object)
        found[()] = value
        return {"": found}
    return {f"/{key}{path}": leaf for key, inner in parts for path, leaf in _arrays_by_path(inner, name).items()}


def _is_number(value: Any) -> bool:
    """Return whether the value adds like a number."""
    try:
        _ = value + 0
    except TypeError:
        return False
    return True


def zeros_for_part(part: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return zeros for every run in the shape of a part, with the points' kind of numbers."""
    found = np.empty((len(start), *part.shape), dtype=start.dtype)
    if len(start):
        found[...] = (start[:1, :1] * 0)[0, 0]
    return found


def restore_attributes(strategy: Any, like: Any, parts: Mapping[str, np.ndarray]) -> None:
    """Restore the attributes of a strategy in the form that they have in ``like``, a strategy after its trial."""
    for name in dict.fromkeys(path.split("/")[0] for path in parts):
        vars(strategy)[name] = _rebuild(vars(like)[name], name, parts)


def _rebuild(form: Any, path: str, parts: Mapping[str, np.ndarray]) -> Any:
    app = import_flower().app
    if form is None:
        return None
    if isinstance(form, app.ArrayRecord):
        return app.ArrayRecord({key: app.Array(parts[f"{path}/{key}"].copy()) for key in form})
    if isinstance(form, app.Array):
        return app.Array(parts[path].copy())
    if isinstance(form, Mapping):
        return {key: _rebuild(inner, f"{path}/{key}", parts) for key, inner in form.items()}
    if isinstance(form, list | tuple):
        return type(form)(_rebuild(inner, f"{path}/{i}", parts) for i, inner in enumerate(form))
    found = parts[path]
    return found.copy() if isinstance(form, np.ndarray) else found.item() if found.dtype != object else found[()]
