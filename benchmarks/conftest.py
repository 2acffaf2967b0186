"""What every benchmark prints with."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a line although the output of tests is captured."""

    def show(line: str) -> None:
        with capsys.disabled():
            print("\n" + line, end="")

    return show
