"""Algorithms out of released frameworks, unchanged, before the judge: ``flower:...``, ``torch:...`` and ``nvflare:...``.

A framework is an extra of the package, and imported when it is asked for. Its adaptor is a module here with ``load_named(text)``,
which makes an Algorithm of what stands behind the colon.
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
    """Whether a variant is a framework's, by what stands before its first colon."""
    return spec.partition(":")[0] in SPEC_FORMATS


def load_named(spec: str) -> tuple[Any, Path]:
    """The algorithm of ``flower:...``, ``torch:...`` or ``nvflare:...``, and the file that its errors are placed in.

    UserError where the framework is missing or too old, or where nothing of that name fits.
    """
    framework, _, text = spec.partition(":")
    if not text:
        raise UserError(f"--variant {spec!r}: expected {SPEC_FORMATS[framework]}")
    module = f"{__name__}.{framework}"
    if find_spec(module) is None:
        raise UserError(f"--variant {spec!r}: there is no adaptor of {framework} in this version of fltheory")
    return import_module(module).load_named(text)
