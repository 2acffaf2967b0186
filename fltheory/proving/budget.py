"""The work that a search for a proof may take, in units that do not depend on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fltheory.work import BudgetExhausted, work_limit

GOAL = 1  # a goal is looked at in some worlds
LINE = 1  # the kernel checks one line
LINE_OPERATIONS = 150  # operations in a line and in what it uses that cost one unit more
PRODUCTS = 3_000  # of facts, among which a polynomial certificate is sought
WEIGHTS = 4  # a linear program for the weights of one combination
WEIGHT_OPERATIONS = 25  # operations in the relations combined that cost one unit more
MATCH_STEPS = 200  # steps of matching lemmas that cost one unit
MULTIPLIERS = 200  # at most, for the search for multipliers as functions of the parameters
UNITS = 80  # of ``fltheory.work`` in one unit
DEFAULT = 1_000  # units: a minute on one core, rarely more


class Exhausted(Exception):
    """Signal that the budget is spent."""


@dataclass
class Budget:
    """The units that a search may still spend."""

    most: int = DEFAULT
    spent: int = 0

    @property
    def left(self) -> int:
        """The units that are left."""
        return self.most - self.spent

    def spend(self, units: int) -> None:
        """Charge work before it is done; Exhausted if less is left."""
        if self.spent + units > self.most:
            raise Exhausted
        self.spent += units


@contextmanager
def metered(budget: Budget) -> Iterator[None]:
    """Charge what a block spends in units of ``fltheory.work``; Exhausted if it needs more than is left."""
    with work_limit(budget.left * UNITS) as meter:
        try:
            yield
        except BudgetExhausted:
            raise Exhausted from None
    budget.spend(int(meter.spent / UNITS))
