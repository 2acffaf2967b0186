"""Studies that searches draw from."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from fltheory.case import Case


def one_of(cases: tuple[Case, ...]) -> Any:
    """These very cases: what is said of experiments is said of theirs."""
    return st.sampled_from(cases)
