"""What fixtures give, and what a test knows of a case: types that many tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fltheory.model.case import Case

Run = Callable[..., tuple[int, str, str]]  # words of the command line -> exit status, standard output, standard error
Recorded = Callable[[str, object], None]  # a name and a value of pytest's ``record_property``
I = TypeVar("I")


def instance_of(case: Case, kind: type[I]) -> I:
    """The case's instance, which is of this kind."""
    assert isinstance(case.instance, kind)
    return case.instance
