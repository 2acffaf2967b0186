"""The docstrings of the public names: numpydoc's sections, every parameter in its order, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

import pytest

import fltheory
from fltheory import proof, testing
from fltheory.claims.statement import Paper, Statement
from fltheory.proof import by

NAMES = [name for name in fltheory.__all__ if name != "quantity"]  # a symbol, whose docstring is its class's
SECTION = r"^{}\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)"


def section(made: Any, title: str) -> str:
    """The text of a section of a docstring, empty where there is none."""
    found = re.search(SECTION.format(title), inspect.getdoc(made) or "", re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def told(made: Any) -> list[str]:
    """The parameters that a docstring tells of, in its order."""
    heads = re.findall(r"^(\*{0,2}\w[\w, ]*)(?: : .*)?$", section(made, "Parameters"), re.MULTILINE)
    return [name.strip("* ") for head in heads for name in head.split(",")]


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_told(name: str) -> None:
    made = getattr(fltheory, name)
    assert told(made) == list(inspect.signature(made).parameters)


@pytest.mark.parametrize("name", NAMES)
def test_the_sections_are_there(name: str) -> None:
    made = getattr(fltheory, name)
    text = inspect.getdoc(made) or ""
    assert re.match(r"[A-Z][^\n]*\.\n\n", text), "the summary is one sentence on one line"
    if isinstance(made, FunctionType):
        assert section(made, "Returns")
        assert section(made, "Raises" if name != "catalogue" else "Warns")  # catalogue raises nothing of its own


def functions_of(module: ModuleType, names: Iterable[str]) -> list[FunctionType]:
    """The functions of these names that the module itself, or a file of its package, defines."""
    found = [getattr(module, name) for name in names if not name.startswith("_")]
    return [f for f in found if isinstance(f, FunctionType) and f.__module__.startswith(module.__name__)]


WRITTEN_WITH = [
    *functions_of(proof, proof.__all__),
    *functions_of(by, vars(by)),
    *functions_of(testing, ["assert_holds", "assert_as_recorded", "assert_refuted", "assert_matches", "cases"]),
    *(vars(Paper)[name] for name in ("lemma", "theorem", "quoted")),
    *(vars(Statement)[name] for name in ("restated", "reading", "readings")),
]


@pytest.mark.parametrize("made", WRITTEN_WITH, ids=lambda made: made.__qualname__)
def test_what_claims_and_proofs_are_written_with_is_told(made: FunctionType) -> None:
    assert told(made) == [name for name in inspect.signature(made).parameters if name != "self"]
    assert re.match(r"[A-Z][^\n]*\.\n\n", inspect.getdoc(made) or ""), "the summary is one sentence on one line"
    assert section(made, "Returns") or made.__annotations__["return"] == "None"


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_run(name: str) -> None:
    made = getattr(fltheory, name)
    assert ">>>" in section(made, "Examples")
    (found,) = doctest.DocTestFinder(recurse=False).find(made, name)
    said: list[str] = []
    doctest.DocTestRunner().run(found, out=said.append)
    assert not said


def test_a_parameter_that_is_not_told_would_be_seen() -> None:
    def half(one: int, two: int) -> None:
        """Do something.

        Parameters
        ----------
        one : int
            The first.
        """

    assert told(half) == ["one"]
