"""What the kernel has worked out for one test is forgotten before the next: each asks all that it is about."""

from __future__ import annotations

import pytest

from fltheory.kernel.language import effort


@pytest.fixture(autouse=True)
def _afresh() -> None:
    effort._forget()
