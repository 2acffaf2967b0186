"""Unmodified algorithms of released frameworks, for evaluation: ``flower:...``, ``torch:...`` and ``nvflare:...``.

A framework is an extra of the package and is imported on demand. Its adaptor is a module here with
``load_named(text)``, which makes an Algorithm from the text after the colon.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fltheory.model.errors import UserError

SPEC_FORMATS = {
    "flower": "flower:MODULE:STRATEGY, such as flower:mymodule:strategy",
    "torch": "torch:[server:]OPTIMISER, such as torch:torch.optim.SGD?momentum=0.9",
    "nvflare": "nvflare:CONTROLLER, such as nvflare:Cyclic",
}


def is_framework_spec(spec: str) -> bool:
    """Return whether a variant belongs to a framework, by the text before its first colon."""
    return spec.partition(":")[0] in SPEC_FORMATS


def load_named(spec: str) -> tuple[Any, Path]:
    """Return the algorithm of ``flower:...``, ``torch:...`` or ``nvflare:...``, and the file named in its errors.

    UserError if the framework is missing or too old, or has nothing of that name.
    """
    framework, _, text = spec.partition(":")
    if not text:
        raise UserError(f"--variant {spec!r}: expected {SPEC_FORMATS[framework]}")
    module = f"{__name__}.{framework}"
    if find_spec(module) is None:
        raise UserError(f"--variant {spec!r}: there is no adaptor of {framework} in this version of fltheory")
    return import_module(module).load_named(text)
