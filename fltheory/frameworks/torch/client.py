"""PyTorch's optimisers for clients: ``optimiser_algorithm(lambda params, c: torch.optim.SGD(params, lr=...))``.

The released ``step`` runs on tensors of floats, or on tensors of exact numbers. Of these torch sees only the shape;
operations are done on arrays of rationals, balls or affine forms, in place where torch works in place, so that tensors
with common memory keep it. Float settings (learning rates, betas) are read as the binary fractions that they are. Each
client starts every round with a fresh optimiser, as in most federated code.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import cache, reduce
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from fltheory.model.errors import UserError
from fltheory.number.elements import Element
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.client_optimiser import ClientOptimiser, ClientOracle, federated_averaging
from fltheory.runs.method import NotEnumerable, VariantError

MIN_VERSION = (2, 4)
OptimiserFactory = Callable[[list[Any], Any], Any]  # function of the parameters and constants that makes an optimiser


@cache
def import_torch() -> SimpleNamespace:
    """Return PyTorch, and the class of its tensors of exact numbers; UserError if it is missing or too old."""
    try:
        found = version("torch")
    except PackageNotFoundError:
        raise UserError("PyTorch is not installed: pip install 'fltheory[torch]'") from None
    if tuple(int(part) for part in found.split("+")[0].split(".")[:2]) < MIN_VERSION:
        raise UserError(
            f"torch {found} is too old: its optimisers are driven from {MIN_VERSION[0]}.{MIN_VERSION[1]} on"
        )
    module = importlib.import_module("torch")
    return SimpleNamespace(module=module, exact=_exact_tensors(module), watching=_watching_class(module), version=found)


def _exact_tensors(module: Any) -> Any:
    """Return a class of tensors with exact entries, ``values``: operations are those of ``OPERATIONS``."""

    def new(cls: Any, values: np.ndarray) -> Any:
        return module.Tensor._make_wrapper_subclass(cls, values.shape, dtype=module.float64)

    def begin(self: Any, values: np.ndarray) -> None:
        self.values = values

    def dispatch(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.__name__.split(".")[0]
        in_place = name.endswith("_")
        done = OPERATIONS.get(name.rstrip("_") if in_place else name)
        if done is None:
            raise NotEnumerable(f"{name} of a tensor has no exact counterpart")
        told = dict(kwargs or {})
        into = args[0] if in_place else told.pop("out", None)
        if into is not None and not isinstance(into, cls):
            raise NotEnumerable(f"{name} writes exact numbers into a tensor of floats")
        found = done(*[exact_numbers(a, module) for a in args], **_operation_factors(name, told, module))
        if into is None:
            return cls(found)
        into.values[...] = found
        return into

    def put(self: Any, other: Any) -> None:
        self.values[...] = exact_numbers(other, module)

    own = {
        "__new__": new,
        "data": property(lambda self: self.detach(), put),
        "__init__": begin,
        "__torch_dispatch__": classmethod(dispatch),
        "__repr__": lambda self: f"Exact({self.values!r})",
    }
    return type("Exact", (module.Tensor,), own)


def exact_numbers(value: Any, module: Any) -> Any:
    """Return the exact numbers of a tensor or a float."""
    if isinstance(value, module.Tensor):
        return vars(value)["values"] if "values" in vars(value) else _floats_as_exact(value)
    if isinstance(value, float):
        return fmpq(*value.as_integer_ratio())
    return value


def _floats_as_exact(tensor: Any) -> Any:
    """Return a tensor of floats as the binary fractions that they are: a number, or an array of its shape."""
    floats = tensor.detach().double().numpy()
    if not np.isfinite(floats).all():
        raise NotEnumerable("a tensor of the optimiser holds a value that is not finite")
    found = np.empty(floats.shape, dtype=object)
    found.flat[:] = [fmpq(*value.as_integer_ratio()) for value in floats.flat]
    return found if found.ndim else found.item()


def _operation_factors(name: str, kwargs: dict[str, Any], module: Any) -> dict[str, Any]:
    """Return the factors among an operation's keywords; those without effect on values are dropped, others refused."""
    plain = {"dtype": module.float64, "device": module.device("cpu"), "pin_memory": False, "layout": module.strided}
    for key, value in kwargs.items():
        if (
            key in FACTOR_ARGUMENTS
            or key in IGNORED_ARGUMENTS
            or value is None
            or (key in plain and value == plain[key])
        ):
            continue
        raise NotEnumerable(f"{name} of a tensor with {key}={value} has no exact counterpart")
    return {key: exact_numbers(value, module) for key, value in kwargs.items() if key in FACTOR_ARGUMENTS}


FACTOR_ARGUMENTS = frozenset({"alpha", "value"})
IGNORED_ARGUMENTS = frozenset({"memory_format", "non_blocking"})


def _reshape(a: np.ndarray, shape: Any) -> np.ndarray:
    """Return the same memory in another shape."""
    found = a.reshape(tuple(shape))
    if not np.shares_memory(found, a):
        raise NotEnumerable("a view of a tensor that is not contiguous has no exact counterpart")
    return found


def _power(a: np.ndarray, exponent: Any) -> np.ndarray:
    """Return a power with a whole exponent."""
    whole = int(exponent)
    if whole != exponent or whole < 0:
        raise NotEnumerable(f"the power {exponent} of a tensor has no exact counterpart")
    return a * 0 + 1 if whole == 0 else reduce(lambda product, _: product * a, range(whole - 1), a)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, alpha=1: a + b * alpha,
    "sub": lambda a, b, alpha=1: a - b * alpha,
    "rsub": lambda a, b, alpha=1: b - a * alpha,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": _power,
    "clone": lambda a: a.copy(),
    "detach": lambda a: a,
    "alias": lambda a: a,
    "_to_copy": lambda a: a.copy(),
    "view": _reshape,
    "_unsafe_view": _reshape,
    "zeros_like": lambda a: a * 0,
    "ones_like": lambda a: a * 0 + 1,
    "full_like": lambda a, value: a * 0 + value,
    "zero": lambda a: a * 0,
    "copy": lambda a, b: b,
    "addcmul": lambda a, b, c, value=1: a + b * c * value,
    "addcdiv": lambda a, b, c, value=1: a + b / c * value,
    "lerp": lambda a, b, weight: a + (b - a) * weight,
    "sqrt": lambda a: np.sqrt(a),
    "abs": lambda a: abs(a),
    "sign": lambda a: np.where(a > 0, 1, 0) - np.where(a < 0, 1, 0),
    "maximum": lambda a, b: np.where(a >= b, a, b),
}
COORDINATEWISE_OPERATIONS = frozenset(
    {"detach", "alias", "clone", "_to_copy", "copy_", "zeros", "ones", "full", "empty", "fill_", "zero_"}
) | {
    f"{kind}_like" for kind in ("zeros", "ones", "full", "empty")
}  # coordinatewise operations that torch does not call pointwise
# Torch's own optimisers that update each coordinate from its gradients alone: the runs may share one parameter.
ELEMENTWISE_OPTIMISERS = (
    *("ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax"),
    *("NAdam", "RAdam", "RMSprop", "Rprop", "SGD"),
)


class CoordinatesMixed(Exception):
    """An operation that may mix coordinates."""


def _watching_class(module: Any) -> Any:
    """Return a context ``Watching(known)`` for a step on many runs; VariantError at torch's own random draws.

    CoordinatesMixed at operations that may mix coordinates, unless the optimiser is ``known`` not to.
    """
    base = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode

    def dispatch(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if module.Tag.nondeterministic_seeded in func.tags:
            raise VariantError(
                f"{func.__name__} draws from torch's generator: all randomness must come from the oracle"
            )
        name = func.__name__.split(".")[0]
        apart = module.Tag.pointwise in func.tags or name in COORDINATEWISE_OPERATIONS or func.namespace == "profiler"
        if not (self.known or apart):
            raise CoordinatesMixed(name)
        return func(*args, **(kwargs or {}))

    def begin(self: Any, known: bool) -> None:
        base.__init__(self)
        self.known = known

    return type("Watching", (base,), {"__init__": begin, "__torch_dispatch__": dispatch})


class _OptimiserRun(NamedTuple):
    """An optimiser and its one parameter: the points of the runs ``rows``; with the points and gradients so far."""

    optimiser: Any
    parameter: Any
    rows: slice
    past: list[tuple[np.ndarray, np.ndarray]]


def client_optimiser(make: OptimiserFactory, name: str = "") -> ClientOptimiser:
    """A client optimiser from ``make(params, c)``, fresh in every round; a run's point is its one parameter."""
    parts = import_torch()

    def begun(x: np.ndarray, rows: slice, c: Any) -> _OptimiserRun:
        parameter = tensor(x[rows], parts)
        return _OptimiserRun(require_optimiser(make([parameter], c), name, parts), parameter, rows, [])

    def apart(together: _OptimiserRun, c: Any) -> list[_OptimiserRun]:
        """Return an optimiser for each run, in the state of the common one."""
        x = together.past[0][0]
        runs = [begun(x, slice(row, row + 1), c) for row in range(len(x))]
        for run in runs:
            for x, gradient in together.past[:-1]:
                _step_run(run, x[run.rows], gradient[run.rows], parts, known=True)
        return runs

    def init(x: np.ndarray, c: Any) -> list[_OptimiserRun]:
        return [begun(x, slice(None), c)]

    def step(
        x: np.ndarray, state: list[_OptimiserRun], ask: ClientOracle, c: Any
    ) -> tuple[np.ndarray, list[_OptimiserRun]]:
        gradient = ask.gradient(x)
        if len(state) == 1:
            run = state[0]
            run.past.append((x.copy(), gradient.copy()))
            try:
                return _step_run(
                    run, x, gradient, parts, known=len(x) == 1 or is_elementwise(run.optimiser, parts)
                ).copy(), state
            except CoordinatesMixed:
                state = apart(run, c)
        after = [_step_run(run, x[run.rows], gradient[run.rows], parts, known=True) for run in state]
        return np.concatenate(after), state

    return ClientOptimiser(name or "a torch optimiser", step, init)


def is_elementwise(optimiser: Any, parts: Any) -> bool:
    """Return whether it is one of torch's own that never mix coordinates."""
    return any(type(optimiser) is vars(parts.module.optim).get(kind) for kind in ELEMENTWISE_OPTIMISERS)


def _step_run(run: _OptimiserRun, x: np.ndarray, gradient: np.ndarray, parts: Any, known: bool) -> np.ndarray:
    return step_optimiser(run.optimiser, run.parameter, x, gradient, parts, known)


def tensor(values: np.ndarray, parts: Any) -> Any:
    """Return a tensor with memory of its own."""
    return parts.exact(values.copy()) if values.dtype == object else parts.module.from_numpy(values.copy())


def step_optimiser(
    optimiser: Any, parameter: Any, x: np.ndarray, gradient: np.ndarray, parts: Any, known: bool
) -> np.ndarray:
    """Return the points after the released step from x; VariantError if it needs more than gradients (LBFGS)."""
    if _wants_closure(type(optimiser)):
        raise VariantError(f"{type(optimiser).__name__} needs the loss as a closure: only gradients are available")
    if x.dtype == object:
        parameter.values[...] = x
        parameter.grad = tensor(gradient, parts)
        optimiser.step()
        return parameter.values
    with parts.module.no_grad():
        parameter.copy_(parts.module.from_numpy(np.ascontiguousarray(x)))
    parameter.grad = tensor(np.ascontiguousarray(gradient), parts)
    with parts.watching(known):
        optimiser.step()
    return parameter.detach().numpy()


def _wants_closure(kind: Any) -> bool:
    """Return whether its step needs the loss."""
    closure = inspect.signature(inspect.unwrap(kind.step)).parameters.get("closure")
    return closure is not None and closure.default is closure.empty


def require_optimiser(found: Any, name: str, parts: Any) -> Any:
    if not isinstance(found, parts.module.optim.Optimizer):
        raise VariantError(f"{name or 'the maker'} returned {type(found).__name__}, expected a torch.optim.Optimizer")
    return found


def optimiser_algorithm(make: OptimiserFactory, name: str = "") -> Algorithm:
    """Return federated averaging whose clients take their local steps by a torch optimiser."""
    return federated_averaging(client_optimiser(make, name))


def as_torch_float(value: Any) -> float:
    """Return a constant of a run as a torch float: exact numbers are rounded once."""
    inner = value.value if isinstance(value, Element) else value
    if isinstance(inner, fmpq):
        return int(inner.p) / int(inner.q)
    return float(inner.mid()) if isinstance(inner, arb) else float(inner)
