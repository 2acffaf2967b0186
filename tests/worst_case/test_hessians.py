"""Quadratic clients whose Hessians are near their mean: between one Hessian for all and any."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from fltheory import Algorithm
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.interpolated.quadratics import MatrixClients, deviations, norm_at_most, shrink_deviations
from fltheory.runs.measures import LastDistance
from fltheory.worst_case import whole_run
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.lower_bounds.nearby import MAX_DIMENSION, nearby_hessians
from fltheory.worst_case.problem.labels import NEAR
from fltheory.worst_case.question import Question, question
from fltheory.worst_case.solver import Unsolved
from fltheory.worst_case.two_sided import why_not_proved, worst_case
from fltheory.worst_case.whole_run import Bracket
from tests.worst_case.brackets import proved

BENDING = Quadratic(1, "1/10")
KNOWN: dict[str, Any] = {"step_size": "1/4", "initial_distance": 1, "heterogeneity_at_optimum": 1, "n_clients": 2}


def bracket_of(method: Algorithm, n_local_steps: int, limit: object = None) -> Bracket:
    near = {} if limit is None else {"hessian_heterogeneity": limit}
    return worst_case(method, BENDING, LastDistance(), **KNOWN, n_local_steps=n_local_steps, **near)


@pytest.mark.parametrize(("method", "n_local_steps"), [(sequential, 1), (sequential, 2), (parallel, 2)])
def test_from_one_hessian_for_all_to_any(method: Algorithm, n_local_steps: int) -> None:
    """None apart: clients that differ by linear functions. From some distance on it does not matter."""
    same = proved(bracket_of(method, n_local_steps, 0))
    slopes = {**KNOWN, "n_local_steps": n_local_steps, "heterogeneity": 1}
    linear = proved(worst_case(method, BENDING, LastDistance(), **{**slopes, "heterogeneity_at_optimum": 1}))
    assert max(same[0], linear[0]) <= min(same[1], linear[1])
    any_ = proved(bracket_of(method, n_local_steps))
    far = proved(bracket_of(method, n_local_steps, "1/5"))
    assert max(any_[0], far[0]) <= min(any_[1], far[1])
    little = bracket_of(method, n_local_steps, "1/1000")
    assert little.lower is not None
    assert little.upper is not None
    assert why_not_proved(little) is None
    assert same[0] - Fraction(1, 10**8) <= little.lower <= little.upper < any_[0]
    assert little.upper - little.lower < Fraction(1, 5000)


def test_the_instance_keeps_near() -> None:
    found = bracket_of(sequential, 1, "1/20")
    proved(found)
    assert found.case is not None
    assert isinstance(found.case.instance, MatrixClients)
    hessians = found.case.instance.hessians
    assert hessians[0] != hessians[1]
    assert all(norm_at_most(off, fmpq(1, 20)) for off in deviations(hessians))
    constants = {s.name: v for s, v in found.case.instance.constants.items()}
    assert 0 < constants["hessian_heterogeneity"] <= Fraction(1, 20) + Fraction(1, 10**9)


def test_hessians_near_their_mean_are_found_jointly() -> None:
    """One point for each client says little of its Hessian: there are some with the images, near each other, and in the range."""
    draw = np.random.default_rng(0)
    places, mean = draw.normal(size=(5, 2)), np.diag([0.2, 0.3, 0.5, 0.8, 0.9])
    off = [one + one.T for one in draw.normal(size=(2, 5, 5))]
    off = [0.05 * one / np.linalg.norm(one, 2) for one in (*off, -off[0] - off[1])]
    off[2] = -off[0] - off[1]
    images = [(mean + one) @ places for one in off]
    limit = max(np.linalg.norm(one, 2) for one in off)
    found = nearby_hessians(places, images, (0.1, 1.0), limit)
    assert found is not None
    whole = sum(found) / 3
    for hessian, image in zip(found, images, strict=True):
        assert np.abs(hessian @ places - image).max() < 1e-6
        assert np.linalg.norm(hessian - whole, 2) < limit + 1e-6
        assert 0.1 - 1e-6 < np.linalg.eigvalsh(hessian)[0] <= np.linalg.eigvalsh(hessian)[-1] < 1 + 1e-6
    nearer = nearby_hessians(places, images, (0.1, 1.0), limit / 100)
    assert nearer is not None
    assert max(np.abs(h @ places - image).max() for h, image in zip(nearer, images, strict=True)) > 1e-3
    assert nearby_hessians(np.eye(MAX_DIMENSION + 1), [np.eye(MAX_DIMENSION + 1)], (0.1, 1.0), 1.0) is None


def test_its_limits_matter_to_the_proof() -> None:
    found = bracket_of(sequential, 1, "1/1000")
    assert found.certificate is not None
    given = found.certificate.multipliers
    tried = 0
    for k, (label, c) in enumerate(given):
        if label[0] == NEAR and label[2] == label[3]:
            changed = replace(found.certificate, multipliers=(*given[:k], (label, -c), *given[k + 1 :]))
            assert "no nonnegative matrix" in str(why_not_proved(replace(found, certificate=changed)))
            tried += 1
    assert tried >= 3
    without = replace(found.certificate, multipliers=tuple((label, c) for label, c in given if label[0] != NEAR))
    assert why_not_proved(replace(found, certificate=without)) is not None
    settings = {**dict(found.question.settings), "hessian_heterogeneity": Fraction(1, 20)}
    farther = replace(found.question, settings=tuple(sorted(settings.items())))
    assert why_not_proved(replace(found, question=farther)) is not None
    del settings["hessian_heterogeneity"]
    any_ = replace(found.question, settings=tuple(sorted(settings.items())))
    assert "no limit" in str(why_not_proved(replace(found, question=any_)))


def test_hessians_are_drawn_together() -> None:
    one, other = fmpq_mat(2, 2, [1, 0, 0, fmpq(1, 2)]), fmpq_mat(2, 2, [fmpq(1, 2), fmpq(1, 4), fmpq(1, 4), 1])
    near = shrink_deviations([one, other], fmpq(1, 10))
    assert sum(near[1:], near[0]) == one + other
    for off in deviations(near):
        assert norm_at_most(off, fmpq(1, 10))
        assert not norm_at_most(off, fmpq(99, 1000))
    assert shrink_deviations([one, other], fmpq(1)) == [one, other]
    assert shrink_deviations([one, one], fmpq(1, 10)) == [one, one]


@pytest.mark.parametrize(("functions", "n_clients"), [(Smooth(1), 2), (BENDING, 1)])
def test_of_others_it_is_not_known(functions: FunctionClass, n_clients: int) -> None:
    known = {**KNOWN, "n_clients": n_clients, "n_local_steps": 1, "hessian_heterogeneity": 1}
    with pytest.raises(ValueError, match="hessian_heterogeneity: this limit is supported only for several"):
        question(sequential, functions, LastDistance(), **known)


def limited(limit: Fraction | None) -> Question:
    more = {} if limit is None else {"hessian_heterogeneity": limit}
    given: dict[str, Any] = {"n_clients": 2, "n_local_steps": 1, "step_size": "1/10", "initial_distance": 1}
    return question(parallel, Quadratic(1), LastDistance(), heterogeneity_at_optimum=1, **given, **more)


ENDS: dict[Fraction | None, tuple[int | None, int | None]] = {
    Fraction(1, 2): (3, 4),
    Fraction(1, 4): (5, 3),
    Fraction(1, 8): (None, 2),
    None: (None, 7),
}


@pytest.mark.parametrize(
    ("own", "wanted", "asked_for"),
    [
        ((2, 10), (5, 7), 4),  # the best of smaller limits below, and what holds without one above
        ((6, 8), (6, 7), 4),
        ((None, None), (5, 7), 4),
        ((6, 6), (6, 6), 0),
        ((2, 5), (5, 5), 2),  # both ends agree after the second
    ],
)
def test_limits_on_hessians_are_known_from_others(
    own: Any, wanted: Any, asked_for: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instances within a half, a quarter or an eighth of it attain no more than it allows, and no limit at all allows more."""
    asked = list[tuple[Fraction | None, bool]]()

    def bracket(one: Question, attain: bool) -> Bracket:
        limit = dict(one.settings).get("hessian_heterogeneity")
        part = None if limit is None else Fraction(limit) / 2
        asked.append((part, attain))
        if part == Fraction(1, 8):
            raise Unsolved("it is too small")
        low, high = (None if v is None else Fraction(v) for v in ENDS[part])
        return Bracket(one, low, high, None, None)

    monkeypatch.setattr(whole_run, "_bracket_run", bracket)
    found = whole_run._with_hessian_limit(
        Bracket(limited(Fraction(2)), *(None if v is None else Fraction(v) for v in own), None, None), Fraction(2)
    )
    assert (found.lower, found.upper) == wanted
    assert found.question == limited(Fraction(2))
    order = [(Fraction(1, 2), True), (Fraction(1, 4), True), (Fraction(1, 8), True), (None, False)]
    assert asked == order[:asked_for]


@pytest.mark.parametrize(("limit", "attain", "refined"), [(None, True, False), (2, True, True), (2, False, False)])
def test_limits_on_hessians_are_refined_where_an_instance_is_asked_for(
    limit: int | None, attain: bool, refined: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, better = (Bracket(limited(None), Fraction(v), None, None, None) for v in (1, 2))
    monkeypatch.setattr(whole_run, "_bracket_run", lambda asked, attain: one)
    monkeypatch.setattr(whole_run, "_with_hessian_limit", lambda found, near: better)
    own = limited(None if limit is None else Fraction(limit))
    assert whole_run.bracket_run(own, attain) is (better if refined else one)


def test_a_bracket_says_its_ends() -> None:
    one = Bracket(limited(None), None, Fraction(1, 4), None, None)
    assert str(one).endswith("between ? (attained) and 0.25 (proved)")
    assert str(replace(one, lower=Fraction(1, 8), upper=None)).endswith("between 0.125 (attained) and ? (proved)")
