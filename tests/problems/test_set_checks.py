"""User-defined set functions, matroids and clients are checked set by set: a broken promise is reported."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_checks import matroid_violation, submodularity_violation
from fltheory.problems.sets.set_functions import Coverage, Mixture, Modular, TableFunction, WeightedRank


@dataclass(frozen=True, repr=False)
class Power(TableFunction):
    """|S|^power / 8: submodular up to 1 (the root in eighths)."""

    power: Number

    @property
    def n_items(self) -> int:
        return 3

    def value(self, items: Collection[int]) -> Number:
        return Fraction(round(8 * len(items) ** float(Fraction(self.power))), 8)


@dataclass(frozen=True, repr=False)
class Flattering(Modular):
    """Its extension says more than its values."""

    def extension(self, x: np.ndarray) -> np.ndarray:
        return super().extension(x) * 2


@dataclass(frozen=True, repr=False)
class Sets:
    """The sets that are listed are independent."""

    n_items: int
    listed: tuple[tuple[int, ...], ...]
    rank: int

    def independent(self, items: Iterable[int]) -> bool:
        return tuple(sorted(items)) in self.listed


@dataclass(frozen=True, repr=False)
class Modest(SubmodularClients):
    """An optimum that is none."""

    @cached_property
    def optimum(self) -> Fraction:
        return Fraction(1, 100)


@dataclass(frozen=True, repr=False)
class Bent(SubmodularClients):
    """Gradients that are none."""

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return -super().mean_gradient(x)


def test_functions_of_ones_own_are_looked_at() -> None:
    assert submodularity_violation(Power("1/2")) is None
    assert submodularity_violation(Power(1)) is None
    assert "gain more together" in str(submodularity_violation(Power(2)))
    assert "gain more together" in str(submodularity_violation(Mixture((Modular((1, 1, 1)), Power(2)))))
    assert submodularity_violation(Flattering((1, 2, 3))) == "Flattering.extension disagrees with its values"
    assert submodularity_violation(Coverage(((0,), (0, 1)), 2)) is None


def test_matroids_of_ones_own_are_looked_at() -> None:
    pairs = ((), (0,), (1,), (2,), (3,), (0, 1), (2, 3))
    assert matroid_violation(Sets(4, (*pairs[:5], (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)), 2)) is None
    assert matroid_violation(Sets(4, pairs, 2)) == "it is not a matroid: its rank is not submodular"
    assert "not all of its subsets are" in str(matroid_violation(Sets(2, ((), (0,), (0, 1)), 2)))
    assert matroid_violation(Sets(2, ((), (0,), (1,)), 2)) == "its rank is 1, not 2"
    assert "can't be checked set by set" in str(matroid_violation(Sets(11, ((),), 0)))
    assert submodularity_violation(WeightedRank(Sets(4, pairs, 2), (1, 1, 1, 1))) is not None


@pytest.mark.parametrize(
    ("clients", "words"),
    [
        (SubmodularClients((Power(2),), Uniform(3, 2)), "gain more together"),
        (SubmodularClients((Flattering((1, 2, 3)),), Uniform(3, 2)), "Flattering.extension disagrees"),
        (
            SubmodularClients((Modular((1, 1, 1, 1)),), Sets(4, ((), (0,), (1,), (2,), (3,), (0, 1), (2, 3)), 2)),
            "not a matroid",
        ),
        (Modest((Modular((1, 2, 3)),), Uniform(3, 2)), "Modest: optimum differ from the values of its functions"),
        (Bent((Modular((1, 2, 3)),), Uniform(3, 2)), "Bent.mean_gradient disagrees with its values"),
    ],
    ids=["supermodular", "extension", "matroid", "optimum", "gradient"],
)
def test_a_promise_that_is_not_kept_makes_a_claim_inapplicable(clients: SubmodularClients, words: str) -> None:
    verdict = check_claim(find("fedcg/T3.2@corrected"), Case(clients, n_rounds=3, server_step_size="1/3"))
    assert (verdict.status, verdict.broken) == ("inapplicable", False)
    assert words in verdict.reason


def test_one_that_is_kept_is_judged() -> None:
    clients = SubmodularClients((Power("1/2"), Modular((1, 2, 3))), Uniform(3, 2))
    case = Case(clients, n_rounds=3, server_step_size="1/3")
    assert check_claim(find("fedcg/T3.2@corrected"), case).status in ("holds", "vacuous")
