"""Optimisers of torch by name, as algorithms: ``torch:torch.optim.SGD?momentum=0.9``, ``torch:server:torch.optim.Adam``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fltheory.frameworks.torch.client import as_torch_float, import_torch, optimiser_algorithm
from fltheory.frameworks.torch.server import mean_after_local_steps, server_algorithm
from fltheory.frameworks.user_modules import import_named
from fltheory.model.errors import UserError
from fltheory.runs.algorithm import Algorithm


def load_named(text: str) -> tuple[Algorithm, Path]:
    """Load ``torch.optim.SGD?momentum=0.9&nesterov=True`` for clients, ``server:torch.optim.Adam?lr=0.1`` for a server.

    The default learning rate of a client is the claim's step size, that of the server is 1.
    """
    where, colon, rest = text.partition(":")
    if colon and where != "server":
        raise UserError(f"torch:{text}: expected torch:OPTIMISER of the clients, or torch:server:OPTIMISER")
    kind, settings = _parse_optimiser(rest if colon else text, text)
    path = Path(inspect.getfile(kind))
    if not colon:
        return optimiser_algorithm(OptimiserSpec(kind, settings, True), f"torch:{text}"), path
    return server_algorithm(mean_after_local_steps, OptimiserSpec(kind, settings, False), f"torch:{text}"), path


def _parse_optimiser(words: str, text: str) -> tuple[Any, dict[str, Any]]:
    """Return the optimiser of ``torch.optim.SGD?momentum=0.9`` and its settings."""
    parts = import_torch()
    path, _, given = words.partition("?")
    module, _, kind = path.rpartition(".")
    found = vars(import_named(module or "torch.optim", f"torch:{text}")).get(kind)
    if found is None:
        raise UserError(f"torch:{text}: there is no {path}, expected an optimiser such as torch.optim.SGD")
    if not (inspect.isclass(found) and issubclass(found, parts.module.optim.Optimizer)):
        raise UserError(f"torch:{text}: {path} is no torch.optim.Optimizer")
    settings = dict(_parse_setting(part, text) for part in given.split("&") if part)
    _require_known_settings(found, settings, text)
    return found, settings


@dataclass(frozen=True, eq=False)
class OptimiserSpec:
    """An optimiser by class and settings; ``lr`` defaults to the case's step size if ``tuned``."""

    kind: Any
    settings: dict[str, Any]
    tuned: bool

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """Return the wrapped function, see ``ownership.unwrap_function``."""
        step: Callable[..., Any] = self.kind.step
        return step

    def __call__(self, params: list[Any], c: Any) -> Any:
        """Return the optimiser of these parameters."""
        tuned = {"lr": as_torch_float(c.step_size)} if self.tuned else {"lr": 1.0}
        return self.kind(params, **{**tuned, **self.settings})


def _parse_setting(part: str, text: str) -> tuple[str, Any]:
    """Parse ``name=value`` with a number, a boolean or numbers in parentheses."""
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
        raise UserError(
            f"torch:{text}: {part!r}, expected NAME=VALUE, such as momentum=0.9 or betas=(0.9,0.99)"
        ) from None


def _require_known_settings(kind: Any, settings: dict[str, Any], text: str) -> None:
    known = set(inspect.signature(kind).parameters) - {"self", "params"}
    for name in settings.keys() - known:
        raise UserError(f"torch:{text}: {kind.__name__} has no {name}; it has {', '.join(sorted(known))}")
