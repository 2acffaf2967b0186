"""The constants of a run as attributes for a step: floats or elements of a ring by canonical name, and the round."""

from __future__ import annotations

import difflib
from types import SimpleNamespace
from typing import Any

from fltheory.model.case import Case, FederatedInstance, HasClients
from fltheory.number import RATIONAL, NotRational, Number, Ring, to_float
from fltheory.runs.method import VariantError
from fltheory.symbols import VOCABULARY


class MissingConstant(VariantError, AttributeError):
    """A step reads a constant that the case does not give."""


class Constants(SimpleNamespace):
    """Read-only constants of a run by canonical name, and the ``round``; see ``run_constants``."""

    def __setattr__(self, name: str, value: object) -> None:
        raise VariantError(f"the constants of a run can't be changed: {name}")

    def __delattr__(self, name: str) -> None:
        raise VariantError(f"the constants of a run can't be changed: {name}")

    def get(self, name: str, default: object = None) -> Any:
        """Return the constant, or the default if the case does not give it."""
        known = vars(self)
        hidden = name == "round" or name in known.get("_irrational", ()) or name in known.get("_barred", ())
        return self.__getattr__(name) if hidden else known.get(name, default)

    def in_round(self, round_: int) -> Constants:
        """Return the constants for another round; ``uses_round`` then records whether a step reads the round."""
        return Constants(**{**vars(self), "_round": round_, "_seen": []})

    def without(self, *names: str) -> Constants:
        """Return the constants without these names, for a step that must not depend on them."""
        return Constants(**{name: v for name, v in vars(self).items() if name not in names}, _barred=names)

    @property
    def uses_round(self) -> bool:
        """Whether a step has read the round."""
        return bool(vars(self).get("_seen"))

    def __getattr__(self, name: str) -> Any:
        if name == "round" and "_round" in self.__dict__:
            self.__dict__["_seen"].append(True)
            return self.__dict__["_round"]
        if name == "round":
            raise MissingConstant("c.round is available only in a step: init runs before the first round")
        if name in self.__dict__.get("_irrational", ()):
            raise NotRational(f"needs {name}, which is irrational")
        if name in self.__dict__.get("_barred", ()):
            raise MissingConstant(f"reads {name}, which a step on unknown functions can't know")
        if name in VOCABULARY:
            raise MissingConstant(f"the case gives no {name}: {VOCABULARY[name].text}")
        near = difflib.get_close_matches(name, [*VOCABULARY, "round"], n=2)
        hint = f", did you mean {' or '.join(near)}?" if near else " (fltheory.symbols)"
        raise MissingConstant(f"{name} is not a known constant{hint}")


def run_constants(case: Case, ring: Ring | None) -> Constants:
    """Return the case's constants by canonical name: ints unchanged, the others as floats or ring elements.

    A constant that the ring cannot represent raises NotRational only when a step reads it.
    """
    everyone = case.instance.n_clients if isinstance(case.instance, HasClients) else 1
    values: dict[str, Any] = {"server_step_size": 1, "n_participating": everyone}
    values |= {s.name: v for s, v in case.constants.items()}

    def convert(name: str, value: Number) -> Any:
        counted = name not in VOCABULARY or "integer" in VOCABULARY[name].domain
        if isinstance(value, int) and (counted or ring is not RATIONAL):
            return value
        return to_float(value) if ring is None else ring.scalar(value)

    converted, irrational = {}, set()
    for name, value in values.items():
        try:
            converted[name] = convert(name, value)
        except NotRational:
            irrational.add(name)
    return Constants(**converted, _irrational=irrational)


def participants_per_round(instance: FederatedInstance, c: Constants) -> int:
    """Return how many clients take part in a round; VariantError if the instance has fewer."""
    size = int(c.n_participating)
    if size > instance.n_clients:
        raise VariantError(f"n_participating = {size}, but the instance has {instance.n_clients} clients")
    return size
