"""The pytest plugin: each claim in a list ``fltheory_claims`` of a test module becomes a test."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from fltheory.seeds import require_seed

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim

CLAIMS_VARIABLE = "fltheory_claims"


def _seed(given: str) -> int:
    try:
        seed = int(given)
        require_seed(seed)
    except ValueError:
        raise ArgumentTypeError(f"expected an integer from 0 to 2**63 - 1, got {given!r}") from None
    return seed


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for the collected claims."""
    group = parser.getgroup("fltheory")
    group.addoption("--fltheory-seed", type=_seed, default=0, help="seed of simulated checks of claims")
    group.addoption("--fltheory-profile", choices=("quick", "full"), default="quick", help="cases of claims to check")


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> pytest.Collector | None:
    """Return the collector for a module's list of claims."""
    if name != CLAIMS_VARIABLE or not isinstance(obj, list | tuple):
        return None
    return ClaimCollector.from_parent(collector, name=name, claims=tuple(obj))


class ClaimCollector(pytest.Collector):
    """The collector of one list of claims."""

    def __init__(self, *, claims: tuple[Any, ...], **named: Any) -> None:
        super().__init__(**named)
        self.claims = claims

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for every claim or id."""
        for number, claim in enumerate(self.claims):
            name = claim if isinstance(claim, str) else str(getattr(claim, "__dict__", {}).get("id", number))
            yield ClaimItem.from_parent(self, name=name, claim=claim)


class ClaimItem(pytest.Item):
    """A claim as a test: it passes if every verdict on its cases is the expected one."""

    def __init__(self, *, claim: Claim | str, **named: Any) -> None:
        super().__init__(**named)
        self.claim = claim

    def runtest(self) -> None:
        """Check the claim on its cases."""
        from fltheory.claims.ids import UnknownId
        from fltheory.testing import assert_as_recorded, require_claim

        try:
            claim = require_claim(self.claim)
        except (UnknownId, ValueError) as error:
            raise AssertionError(f"{CLAIMS_VARIABLE}: {error}") from None
        assert_as_recorded(claim, self.config.getoption("fltheory_seed"), self.config.getoption("fltheory_profile"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the verdicts with lines that reproduce them; for other errors the traceback."""
        return str(excinfo.value) if isinstance(excinfo.value, AssertionError) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the location of the list, and the claim's id."""
        return self.path, None, f"{CLAIMS_VARIABLE}: {self.name}"
