"""Strategies of Flower's as their users changed them: judged as those that they are made of."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("flwr", reason="Flower is not installed: pip install 'fltheory[flower]'")

from dataclasses import replace

from fltheory.claims.check import check_claim
from tests.outside.loading import loaded

KEEPS, SAME, DELTA = (
    loaded(f"public/{name}.py") for name in ("34_flower_keeps_record", "subclass_of_fedadam", "23_flower_fedadam_delta")
)


@pytest.mark.parametrize("kind", ["Keeps", "KeepsCopy"])
def test_a_strategy_that_keeps_what_it_sent_is_judged(kind: str) -> None:
    made = KEEPS.strategy_algorithm(getattr(KEEPS, kind)(min_train_nodes=1, min_available_nodes=1))
    found = check_claim(replace(KEEPS.LISTED, algorithm=made), KEEPS.LISTED.cases[0].with_settings(n_rounds=60))
    assert (found.status, found.evidence) == ("holds", "exact")


@pytest.mark.parametrize(("kind", "base"), [("Same", "FedAdam"), ("SameAvg", "FedAvg")])
def test_a_type_that_changes_nothing_is_what_it_is_made_of(kind: str, base: str) -> None:
    own, known = SAME.judged(getattr(SAME, kind)), SAME.judged(getattr(SAME, base))
    assert (own.status, own.evidence, own.measured) == (known.status, "exact", known.measured)


@pytest.mark.deep
def test_where_orders_are_too_many_the_way_out_is_named() -> None:
    found = SAME.judged(SAME.Body)
    assert found.status == "inconclusive"
    assert "fewer with ordered=False" in found.reason
    assert SAME.judged(SAME.Body, ordered=False).evidence == "exact"


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "status"), [("FedAdam", "vacuous"), ("DeltaAdam", "vacuous")])
def test_fedadam_with_the_delta_in_place_of_the_momentum_is_judged(kind: str, status: Any) -> None:
    made = DELTA.strategy_algorithm(
        getattr(DELTA, kind)(eta=0.1, min_train_nodes=1, min_available_nodes=1), ordered=False
    )
    found = check_claim(replace(DELTA.LISTED, algorithm=made), DELTA.LISTED.cases[0].with_settings(n_rounds=20))
    assert (found.status, found.evidence) == (status, "exact")


NEAR = loaded("public/near_flower.py")


@pytest.mark.parametrize("name", ["doubled", "doubled_later", "sent_doubled", "replaced"])
def test_what_differs_a_little_from_fedavg_is_not_taken_for_it(name: str) -> None:
    found = NEAR.judged(getattr(NEAR, name)())
    assert (found.status, found.evidence) == ("violated", "exact")


@pytest.mark.parametrize("name", ["plain", "keeps_array", "keeps_list"])
def test_what_only_keeps_what_it_sent_is_fedavg(name: str) -> None:
    found = NEAR.judged(getattr(NEAR, name)())
    assert (found.status, found.evidence) == ("vacuous", "exact")
    assert found.measured == NEAR.judged(NEAR.plain()).measured
