"""Corollary A.2 on polytopes: mutants, where it is tight, and its numbers along runs by other means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.number import as_number
from fltheory.papers.fedcg.points import claims
from fltheory.papers.fedcg.points.cases import polytopes
from fltheory.papers.fedcg.points.cases.points import AtPoint, dot
from fltheory.papers.fedcg.points.cases.polytopes import OnPolytope
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform, bases
from fltheory.problems.sets.set_functions import Coverage, Modular
from tests.typed import instance_of

CLAIM = next(c for c in claims.CLAIMS if c.id == "fedcg/A.2@printed")
TWO = SubmodularClients((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1))


def status(one: OnPolytope) -> str:
    return check_claim(CLAIM, Case(one)).status


@pytest.mark.parametrize("worse", [min, lambda gains: sum(gains) / len(gains)], ids=["worst", "mean"])
def test_another_vertex_than_the_best_is_not_enough(
    worse: Callable[[list[Fraction]], Fraction], monkeypatch: pytest.MonkeyPatch
) -> None:
    def instead(corners: np.ndarray, gradients: np.ndarray) -> np.ndarray:
        found = np.empty(len(gradients), dtype=object)
        found[:] = [worse([dot(v, g) for v in corners]) for g in gradients]
        return found

    monkeypatch.setattr(polytopes, "best", instead)
    assert any(status(replace(instance_of(case, OnPolytope))) == "violated" for case in CLAIM.cases)


def test_one_direction_for_all_clients_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    right = polytopes.best
    weakest = OnPolytope(TWO, ((1, 0), (0, 1)), (1, 1), ((0, 0),))
    assert status(weakest) == "holds"
    monkeypatch.setattr(polytopes, "best", lambda corners, gradients: right(corners[:1], gradients) - 1)
    assert status(replace(weakest)) == "violated"


def test_a_point_that_is_not_in_the_polytope_may_be_ahead_by_more() -> None:
    inside = OnPolytope(TWO, (("1/2", 0), (0, "1/2")), (1, 0), ((0, 0),))
    assert status(inside) == "holds"

    class Elsewhere(OnPolytope):
        @property
        def inside(self) -> np.ndarray:  # type: ignore[override]
            return self.corners[0] * 0 + 1

    assert status(Elsewhere(TWO, (("1/2", 0), (0, "1/2")), (1, 0), ((0, 0),))) == "violated"


def test_clients_that_agree_on_a_modular_function_make_it_an_equality() -> None:
    alike = SubmodularClients((Modular((3, 1)), Modular((3, 1))), Uniform(2, 1))
    tight = OnPolytope(alike, ((1, 0), (0, 1)), (1, 0), ((0, 0),))
    assert check_claim(CLAIM, Case(tight)).measured == 0


def test_along_a_run_it_is_lemma_a1_at_every_iterate() -> None:
    clients = SubmodularClients((Coverage(((0, 1), (1, 2)), 3), Modular((1, 2, 3))), Uniform(3, 2), (1, 2))
    vertices = tuple(tuple(int(e in b) for e in range(3)) for b in bases(clients.matroid))
    x, path = (Fraction(0),) * 3, []
    for _ in range(4):  # full participation, step 1/4
        path.append(x)
        direction = AtPoint(clients, x).direction
        x = tuple(v + Fraction(as_number(d)) / 4 for v, d in zip(x, direction, strict=True))
    best = max(vertices, key=lambda v: clients.value(frozenset(e for e in range(3) if v[e])))
    one = OnPolytope(clients, vertices, [int(v == best) for v in vertices], path)
    lags = [AtPoint(clients, y) for y in path]
    assert one.missed == max(at.gap - at.own_gain for at in lags)


def test_vertices_beat_every_point_between_them() -> None:
    one = instance_of(CLAIM.cases[1], OnPolytope)
    x = np.stack([one.corners[0] * 0])[0]
    gradients = one.clients.gradients(x[None])[:, 0]
    for a, b in product(range(4), repeat=2):
        between = (one.corners[0] * a + one.corners[1] * b) / max(a + b, 1)
        assert all(
            dot(between, g) <= most for g, most in zip(gradients, polytopes.best(one.corners, gradients), strict=False)
        )
