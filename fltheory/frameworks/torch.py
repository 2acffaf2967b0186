"""PyTorch's optimisers as those of the clients: ``algorithm(lambda params, c: torch.optim.SGD(params, lr=..., momentum=0.9))``.

The released ``step`` runs on tensors of floats, or on tensors that carry exact numbers: torch sees their shape alone, and what it
asks of them is done on arrays of rationals, balls or affine forms. What it keeps as floats (learning rates, betas) is read as the
binary fraction that it is. Each client begins every round with a fresh optimiser, as most federated code does.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import arb, fmpq

from fltheory.number.elements import Element
from fltheory.questions.lookup import Mistake
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.client_optimiser import Ask, ClientOptimiser, federated
from fltheory.runs.method import NotEnumerable

OLDEST = (2, 4)
Make = Callable[[list[Any], Any], Any]  # the parameters, the constants: an optimiser


@cache
def torch() -> SimpleNamespace:
    """PyTorch, and the class of its tensors of exact numbers; Mistake where it is missing or too old."""
    try:
        found = version("torch")
    except PackageNotFoundError:
        raise Mistake("PyTorch is not installed: pip install 'fltheory[torch]'") from None
    if tuple(int(part) for part in found.split("+")[0].split(".")[:2]) < OLDEST:
        raise Mistake(f"torch {found} is too old: its optimisers are driven from {OLDEST[0]}.{OLDEST[1]} on")
    module = importlib.import_module("torch")
    return SimpleNamespace(module=module, exact=_exact_tensors(module), version=found)


def _exact_tensors(module: Any) -> Any:
    """A tensor whose entries are exact numbers, ``values``: operations are those of ``OPERATIONS`` on object arrays."""

    def new(cls: Any, values: np.ndarray) -> Any:
        return module.Tensor._make_wrapper_subclass(cls, values.shape, dtype=module.float64)

    def begin(self: Any, values: np.ndarray) -> None:
        self.values = values

    def dispatch(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.__name__.split(".")[0]
        done = OPERATIONS.get(name.rstrip("_") if not name.startswith("_") else name)
        if done is None:
            raise NotEnumerable(f"{name} of a tensor has no exact counterpart")
        given = [_number(a, module) for a in args]
        found = done(*given, **{k: _number(v, module) for k, v in (kwargs or {}).items() if k in ("alpha", "value")})
        if name.endswith("_"):
            args[0].values = found
            return args[0]
        return cls(found)

    own = {
        "__new__": new,
        "__init__": begin,
        "__torch_dispatch__": classmethod(dispatch),
        "__repr__": lambda self: f"Exact({self.values!r})",
    }
    return type("Exact", (module.Tensor,), own)


def _number(value: Any, module: Any) -> Any:
    """Exact numbers of a tensor's or a float's."""
    if isinstance(value, module.Tensor):
        return vars(value)["values"] if "values" in vars(value) else _number(value.item(), module)
    if isinstance(value, float):
        return fmpq(*value.as_integer_ratio())
    return value


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, alpha=1: a + b * alpha,
    "sub": lambda a, b, alpha=1: a - b * alpha,
    "rsub": lambda a, b, alpha=1: b - a * alpha,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "clone": lambda a: a.copy(),
    "detach": lambda a: a,
    "alias": lambda a: a,
    "_to_copy": lambda a: a.copy(),
    "view": lambda a, *_: a,
    "zeros_like": lambda a: a * 0,
    "ones_like": lambda a: a * 0 + 1,
    "zero": lambda a: a * 0,
    "copy": lambda a, b, *_: b.copy(),
    "addcmul": lambda a, b, c, value=1: a + b * c * value,
    "addcdiv": lambda a, b, c, value=1: a + b / c * value,
    "lerp": lambda a, b, weight: a + (b - a) * weight,
    "sqrt": lambda a: np.sqrt(a),
    "abs": lambda a: abs(a),
    "sign": lambda a: np.where(a > 0, 1, 0) - np.where(a < 0, 1, 0),
    "maximum": lambda a, b: np.where(a >= b, a, b),
}


def client_optimiser(make: Make, name: str = "") -> ClientOptimiser:
    """``make(params, c)`` builds the optimiser, anew in every round; the points of all runs are its one parameter."""
    parts = torch()

    def init(x: np.ndarray, c: Any) -> Any:
        parameter = parts.exact(x.copy()) if x.dtype == object else parts.module.from_numpy(x.copy())
        return make([parameter], c), parameter

    def step(x: np.ndarray, state: Any, ask: Ask, c: Any) -> tuple[np.ndarray, Any]:
        optimiser, parameter = state
        gradient = ask.gradient(x)
        if x.dtype == object:
            parameter.values, parameter.grad = x.copy(), parts.exact(gradient)
        else:
            with parts.module.no_grad():
                parameter.copy_(parts.module.from_numpy(np.ascontiguousarray(x)))
            parameter.grad = parts.module.from_numpy(np.ascontiguousarray(gradient))
        optimiser.step()
        return (parameter.values if x.dtype == object else parameter.numpy()).copy(), state

    return ClientOptimiser(name or "a torch optimiser", step, init)


def algorithm(make: Make, name: str = "") -> Algorithm:
    """Federated averaging whose clients take their local steps by a torch optimiser."""
    return federated(client_optimiser(make, name))


def in_floats(value: Any) -> float:
    """A constant of a run as the float that torch keeps of it: exact numbers are rounded once."""
    inner = value.value if isinstance(value, Element) else value
    if isinstance(inner, fmpq):
        return int(inner.p) / int(inner.q)
    return float(inner.mid()) if isinstance(inner, arb) else float(inner)


def named(text: str) -> tuple[Algorithm, Path]:
    """``torch.optim.SGD?momentum=0.9&nesterov=True``; the learning rate is the claim's step size unless it is given."""
    parts = torch()
    path, _, words = text.partition("?")
    module, _, kind = path.rpartition(".")
    try:
        found = vars(importlib.import_module(module or "torch.optim"))[kind]
    except (ImportError, KeyError):
        raise Mistake(f"torch:{text}: there is no {path}, expected an optimiser such as torch.optim.SGD") from None
    if not (inspect.isclass(found) and issubclass(found, parts.module.optim.Optimizer)):
        raise Mistake(f"torch:{text}: {path} is no torch.optim.Optimizer")
    settings = dict(_setting(part, text) for part in words.split("&") if part)
    _require_known(found, settings, text)
    return algorithm(partial(_made, found, settings), f"torch:{text}"), Path(inspect.getfile(found))


def _made(kind: Any, settings: dict[str, Any], params: list[Any], c: Any) -> Any:
    return kind(params, **{"lr": in_floats(c.step_size), **settings})


def _setting(part: str, text: str) -> tuple[str, Any]:
    """``name=value`` with a number, a truth or numbers in parentheses."""
    name, sign, value = part.partition("=")
    try:
        if not sign or not name.isidentifier():
            raise ValueError
        if value in ("True", "False"):
            return name, value == "True"
        if value.startswith("(") and value.endswith(")"):
            return name, tuple(float(v) for v in value[1:-1].split(","))
        return name, float(value)
    except ValueError:
        raise Mistake(
            f"torch:{text}: {part!r}, expected NAME=VALUE, such as momentum=0.9 or betas=(0.9,0.99)"
        ) from None


def _require_known(kind: Any, settings: dict[str, Any], text: str) -> None:
    known = set(inspect.signature(kind).parameters) - {"self", "params"}
    for name in settings.keys() - known:
        raise Mistake(f"torch:{text}: {kind.__name__} has no {name}; it has {', '.join(sorted(known))}")
