"""Precision grows until a comparison means something: honest steps of long runs have their verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational

from fltheory import Algorithm, Case, find, quantity, theorem
from fltheory.claims.check import check_claim
from fltheory.problems import PiecewiseQuadraticClients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance


def heavy_ball(s: dict[str, Any], oracle: Any, c: Any) -> dict[str, Any]:
    return {"x": s["x"] - oracle.gradient(s["x"], 0) * 4 / 121 + (s["x"] - s["last"]) * 49 / 121, "last": s["x"]}


@pytest.mark.parametrize("rounds", [600, 720])
def test_heavy_ball_on_a_kinked_function_has_its_verdict(rounds: int) -> None:
    """Its balls have a radius of 0.46 at the first precision: their middles say nothing of it."""
    clients = PiecewiseQuadraticClients(left=(4,), right=(81,), slopes=(-13,), start="-9/2")
    case = Case(clients, n_rounds=rounds)
    mine = Algorithm("heavy ball", heavy_ball, init=lambda start, c: {"x": start, "last": start})
    for factor, status in ((Rational(1, 10**300), "violated"), (Rational(1, 10**200), "holds")):
        limit = initial_distance**2 * factor
        claim = theorem("t", quantity <= limit, algorithm=mine, measure=LastDistance(), cases=[case], key="t")
        found = check_claim(claim, case)
        assert (found.status, found.evidence) == (status, "exact")


def cancelling(s: dict[str, Any], oracle: Any, c: Any) -> dict[str, Any]:
    """Two parts of the state grow as 3^r and cancel."""
    x, total = s["x"], 0 * s["x"]
    for m in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * (oracle.gradient(y, m, k) + s["a"] - s["b"])
        total = total + y
    return {"x": total / c.n_clients, "a": s["a"] * 3 + x, "b": s["b"] * 3 + x}


def test_parts_that_grow_and_cancel_have_their_verdict() -> None:
    claim = find("sfl/T7@explicit")
    mine = Algorithm("cancels", cancelling, init=lambda start, c: {"x": start, "a": start, "b": start})
    found = check_claim(replace(claim, algorithm=mine), claim.cases[0].with_settings(n_rounds=800))
    assert (found.status, found.evidence) == ("holds", "exact")
    assert found.ratio == pytest.approx(1.97e-59, rel=1e-2)


def another(s: dict[str, Any], oracle: Any, c: Any) -> dict[str, Any]:
    """In floats alone it is another step."""
    plain = heavy_ball(s, oracle, c)
    return plain if plain["x"].dtype == object else {"x": 2 * plain["x"], "last": plain["last"]}


def test_a_step_that_is_another_in_floats_is_refused_all_the_same() -> None:
    clients = PiecewiseQuadraticClients(left=(4,), right=(81,), slopes=(-13,), start="-9/2")
    case = Case(clients, n_rounds=600)
    mine = Algorithm("heavy ball", another, init=lambda start, c: {"x": start, "last": start})
    claim = theorem("t", quantity <= initial_distance**2, algorithm=mine, measure=LastDistance(), cases=[case], key="t")
    assert check_claim(claim, case).status == "inapplicable"
