"""What an instance offers is found by its having it, and an instance that has little is asked for little."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sympy import Symbol, sqrt

from fltheory import symbols
from fltheory.claims.catalogue import catalogue
from fltheory.evidence.exact import LiftedClients
from fltheory.model.case import Adjustable, Case, FederatedInstance, Repeatable
from fltheory.model.dataclass_fields import field_values, fields_of, replace_fields
from fltheory.number import RATIONAL, NotRational
from fltheory.papers.sfl.lower.cases import Construction
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.logistic import GeneratedLogisticClients
from fltheory.problems.responses import ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import protocols
from fltheory.runs.constants import run_constants
from fltheory.runs.oracle import OwnOracle

QUADRATIC = QuadraticClients((1, "1/10"), (1, -1), 3, "1/2")


class Bare:
    """A user's parabola with what every federated instance has, and nothing more."""

    n_clients, dim, start, minimiser, draws = 2, 1, (1,), (0,), 0

    @property
    def constants(self) -> Mapping[Symbol, Any]:
        return {symbols.n_clients: 2, symbols.smoothness: 1}

    def gradient(self, x: Any, client: Any) -> Any:
        return x

    def mean_gradient(self, x: Any) -> Any:
        return x

    def gap(self, x: Any) -> Any:
        return (x * x).sum(axis=-1) / 2

    def noise(self, x: Any, client: Any, uniforms: Any) -> Any:
        return 0 * x


class Halfway(Bare):
    """Half of what quadratic clients offer."""

    def hessian(self, i: int, j: int) -> int:
        return 1


OFFERS = (
    OwnOracle,
    protocols.HasExchangeableClients,
    protocols.AxisAligned,
    protocols.QuadraticStructure,
    protocols.Translatable,
    protocols.FiniteNoise,
    protocols.FiniteNoiseAtPoint,
    protocols.OwnFactors,
    protocols.OneFactor,
    protocols.HasRunRadius,
    protocols.HasGradientCeiling,
    Adjustable,
    Repeatable,
)


@pytest.mark.parametrize("offer", OFFERS)
def test_an_instance_of_a_users_offers_nothing_but_what_it_has(offer: Any) -> None:
    assert isinstance(Bare(), FederatedInstance)
    assert not isinstance(Bare(), offer)
    assert not isinstance(Halfway(), offer)


def test_quadratic_clients_offer_their_laws_and_their_noise() -> None:
    assert isinstance(QUADRATIC, protocols.QuadraticStructure | protocols.FiniteNoise)
    assert protocols.noise_value_count(QUADRATIC) == 2
    assert protocols.client_noise_factors(QUADRATIC, 1) == [(Fraction(1, 2),)]
    values = protocols.noise_values(QUADRATIC)
    assert values is not None
    assert [int(v * 2) for v in values(np.zeros((2, 1)), 0, np.array([0, 1]), RATIONAL)[:, 0]] == [1, -1]


def test_noise_with_infinitely_many_values_has_no_number_of_them() -> None:
    assert protocols.noise_value_count(QuadraticClients((1, 1), (0, 0), 1, 1, "uniform")) == 0
    assert protocols.noise_value_count(Bare()) == 0
    assert protocols.noise_values(Bare()) is None
    assert protocols.client_noise_factors(Bare(), 0) is None


def test_noise_that_depends_on_the_client_or_the_point_says_so() -> None:
    own = FiniteSumQuadraticClients((1, 1), ((1, -1), (0,)), 1)
    assert isinstance(own, protocols.OwnFactors)
    assert isinstance(own, protocols.FiniteNoiseAtPoint)
    assert [len(protocols.client_noise_factors(own, m) or ()) for m in range(2)] == [2, 1]
    assert not isinstance(GeneratedLogisticClients(batch_size=1), protocols.OwnFactors)


def test_what_a_constant_is_by_default_does_not_hide_one_that_can_not_be_held() -> None:
    c = run_constants(Case(QUADRATIC, n_rounds=1, step_size=sqrt(2)), RATIONAL)
    assert (c.get("n_rounds", 7), c.get("n_local_steps", 7)) == (1, 7)
    with pytest.raises(NotRational, match="step_size"):
        c.get("step_size", 7)


def test_claims_that_assume_the_instance_of_a_construction_say_what_builds_it() -> None:
    of_constructions = {c.id for c in catalogue() if any(a.name.startswith("the instance of ") for a in c.assumptions)}
    assert {c.id for c in catalogue() if isinstance(c.builds, Construction)} == of_constructions
    assert of_constructions


def test_fields_are_what_data_is_rebuilt_from() -> None:
    game = ResponseTable(((1, 0),), (3,))
    assert list(fields_of(ResponseTable)) == list(field_values(game))
    assert field_values(game)["counts_of"] == (3,)
    assert replace_fields(game, **field_values(game)) == game
    assert field_values(3) == {} == field_values("text")
    with pytest.raises(TypeError, match="expected a dataclass"):
        replace_fields(3, numerator=4)


def test_offers_are_known_as_isinstance_knows_them() -> None:
    """Of every kind of instance in the catalogue, of a user's, and of one that says yes to whatever it is asked for."""
    kinds = {type(case.instance): case.instance for claim in catalogue() for case in claim.cases}
    for instance in (*kinds.values(), Bare(), LiftedClients(QUADRATIC, (1,)), object()):
        for offer in (FederatedInstance, protocols.HasSuppositions, *OFFERS):
            assert protocols.has_capability(instance, offer) == isinstance(instance, offer)
