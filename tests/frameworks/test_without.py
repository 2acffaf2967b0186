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
from fltheory.frameworks.user_modules import import_named
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


def test_one_array_that_a_strategy_keeps_is_its_state_too(monkeypatch):
    parts = SimpleNamespace(app=SimpleNamespace(ArrayRecord=ArrayRecord, Array=Array))
    monkeypatch.setattr(flower_memory, "import_flower", lambda: parts)
    before, after = (SimpleNamespace(last=carried(*numbers)) for numbers in ((1.0, 2.0), (1.0, 3.0)))
    assert flower_memory.changed_attributes(before, after) == ("last",)
    assert flower_memory.changed_attributes(before, SimpleNamespace(last=carried(1.0, 2.0))) == ()
    assert {k: v.tolist() for k, v in flower_memory.attribute_arrays(after, "last").items()} == {"last": [1.0, 3.0]}
    blank = SimpleNamespace(last=None)
    flower_memory.restore_attributes(blank, after, {"last": np.array([5.0, 6.0])})
    assert isinstance(blank.last, Array)
    assert blank.last.data.tolist() == [5.0, 6.0]


def test_arrays_of_bytes_are_read_as_they_were_made():
    plain = Array(np.array([3.0]).tobytes())
    assert flower_wire.numbers_of(plain).tolist() == [3.0]
    assert flower_wire.numbers_of(plain, lambda one: one.numpy() * 2).tolist() == [6.0]


def flowers_adam():
    """A stand-in for a type of Flower's: its function is Flower's by the name of its module."""

    def aggregate_train(self):
        return 1

    aggregate_train.__module__ = "flwr.serverapp.strategy.fedadam"
    return type("FedAdam", (), {"__module__": aggregate_train.__module__, "aggregate_train": aggregate_train})


def test_a_strategy_with_a_method_replaced_is_not_taken_for_flowers_own():
    known, kind = flower._known_strategy, flowers_adam()
    one = kind()
    one.eta = 1
    assert known(one) == flower.KNOWN_STRATEGIES["FedAdam"]
    one.aggregate_train = lambda *given: None
    assert known(one) is None
    kind.configure_train = lambda self: None  # on the type
    assert known(kind()) is None


def test_a_module_in_the_current_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "optimisers_here.py").write_text("KIND = 7\n")
    (tmp_path / "broken_here.py").write_text("1 / 0\n")
    (tmp_path / "needs_more.py").write_text("import not_installed_anywhere\n")
    assert import_named("optimisers_here", "torch:optimisers_here.Mine").KIND == 7
    for where, said in (
        ("nowhere", "torch:x: there is no module 'nowhere' here, nor is one installed"),
        ("broken_here", "torch:x: ZeroDivisionError: division by zero"),
        ("needs_more", "torch:x: No module named 'not_installed_anywhere'"),
        ("missing.py", "torch:x: there is no such file"),
    ):
        with pytest.raises(UserError, match=said):
            import_named(where, "torch:x")


def test_a_type_without_a_body_is_known_as_what_it_is_made_of():
    made = flowers_adam()

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
