"""What is said where no framework is installed; nothing is imported unless asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import numpy as np
import pytest

from fltheory import frameworks
from fltheory.frameworks import flower, flower_memory, flower_wire
from fltheory.model.errors import UserError


def test_a_missing_framework_is_told(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    flower_wire.import_flower.cache_clear()
    monkeypatch.setattr(flower_wire, "version", missing)
    with pytest.raises(UserError, match="Flower is not installed"):
        frameworks.load_named("flower:mymodule:strategy")


def test_files_are_no_frameworks():
    assert not frameworks.is_framework_spec("flower.py:step")
    assert frameworks.is_framework_spec("flower:mymodule:strategy")


def test_nothing_is_imported_unless_asked():
    modules = "fltheory.command.variant, fltheory.frameworks.flower, fltheory.papers.sfl.claims"
    code = f"import sys, {modules}; print({{'flwr', 'torch', 'nvflare'}} & {{*sys.modules}})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


# With stand-ins for Flower's types ----------------------------------------------------------------------------------------


class Array:
    """One whose bytes can be read by its own way alone: an empty file once they are none."""

    def __init__(self, data):
        self.data = data

    def numpy(self):
        if not self.data:
            raise EOFError("No data left in file")
        return np.frombuffer(self.data)


class ArrayRecord(dict):
    """As Flower's, a mapping of names to arrays."""


def carried(*numbers):
    data = flower_wire.ArrayBytes()
    data.numbers = np.array(numbers)
    return Array(data)


def test_a_record_that_a_strategy_keeps_is_read_outside_of_a_round_too(monkeypatch):
    parts = SimpleNamespace(app=SimpleNamespace(ArrayRecord=ArrayRecord, Array=Array))
    monkeypatch.setattr(flower_memory, "import_flower", lambda: parts)
    before = SimpleNamespace(last=None)
    after = SimpleNamespace(last=ArrayRecord(x=carried(1.0, 2.0)))
    assert flower_memory.changed_attributes(before, after) == ("last",)
    assert flower_memory.changed_attributes(after, SimpleNamespace(last=ArrayRecord(x=carried(1.0, 2.0)))) == ()
    assert flower_memory.changed_attributes(after, SimpleNamespace(last=ArrayRecord(x=carried(1.0, 3.0)))) == ("last",)
    (found,) = flower_memory.attribute_arrays(after, "last").values()
    assert found.tolist() == [1.0, 2.0]


def test_arrays_of_bytes_are_read_as_they_were_made():
    plain = Array(np.array([3.0]).tobytes())
    assert flower_wire.numbers_of(plain).tolist() == [3.0]
    assert flower_wire.numbers_of(plain, lambda one: one.numpy() * 2).tolist() == [6.0]


def test_a_type_without_a_body_is_known_as_what_it_is_made_of():
    made = type("FedAdam", (), {"__module__": "flwr.serverapp.strategy.fedadam", "aggregate_train": lambda self: 1})

    class Same(made):
        """Says nothing else."""

    class Twice(Same):
        pass

    class Body(made):
        def aggregate_train(self):
            return 2

    class Field(Twice):
        eta = 3

    known = flower._known_strategy
    assert known(made()) == known(Same()) == known(Twice()) == flower.KNOWN_STRATEGIES["FedAdam"]
    assert known(Body()) is known(Field()) is known(object()) is None
