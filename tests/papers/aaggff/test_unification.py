"""Fair methods as entropic steps: mutants, and the methods by other means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr

from fltheory.claims.check import check_claim
from fltheory.claims.statement import quantity_measure
from fltheory.model.case import Case
from fltheory.number import Number, to_ball
from fltheory.papers.aaggff.unification import closed_forms as rule
from fltheory.papers.aaggff.unification.cases import Decision, Histories, QuadraticAt, Reported, TwoDecisions
from fltheory.papers.aaggff.unification.claims import fair_limits, unification
from fltheory.papers.aaggff.unification.families import quadratic_clients
from tests.typed import instance_of

CLAIMS = (*unification.CLAIMS, *fair_limits.CLAIMS)
BY_ID = {c.id.removeprefix("aaggff/"): c for c in CLAIMS}
TRUE = tuple(c for c in CLAIMS if c.entry.recorded == "holds")
AT_ZERO = tuple(c for c in TRUE if c.bound.expr == 0)  # no factor makes these stronger: mutants below


def test_the_printed_least_baseline_has_no_unit() -> None:
    claim = BY_ID["U5-domain@printed"]
    assert "dimension" in (claim.dimension_error() or "")


# Mutants of what is 0 -------------------------------------------------------------------------------------------------------


def _mutants(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """For every statement that a quantity is 0, how to break the method that it is about."""

    def method(name: str, **changed: Any) -> Callable[[], None]:
        return lambda: monkeypatch.setitem(rule.METHODS, name, replace(rule.METHODS[name], **changed))

    def function(name: str, new: Callable[..., object]) -> Callable[[], None]:
        return lambda: monkeypatch.setattr(rule, name, new)

    def slower(
        last: np.ndarray, response: np.ndarray, eta: arb | Expr, old: Callable[..., np.ndarray] = rule.entropic_step
    ) -> np.ndarray:
        return old(last, response, np.asarray(2 * eta))

    def forgetful(
        last: np.ndarray, response: np.ndarray, eta: arb | Expr, old: Callable[..., np.ndarray] = rule.entropic_step
    ) -> np.ndarray:
        return old(0 * last + 1, response, eta)

    def twice(*given: object, old: Callable[..., np.ndarray] = rule.mix_updates) -> np.ndarray:
        return 2 * old(*given)

    half = Fraction(1, 2)
    return {
        "U0@corrected": function("entropic_step", forgetful),
        "U0-softmax@corrected": function("entropic_step", slower),
        "U0-uniform@corrected": function("regularised_step", lambda r, eta: rule.entropic_step(0 * r + 1, r, 3 * eta)),
        "U1@printed": method("fedavg", response=lambda losses, _: losses),
        "U2@printed": method("qfedavg", eta=lambda _: 2),
        "U4@printed": method("term", eta=lambda tilt: tilt),
        "U5@printed": method("propfair", response=lambda losses, m: rule.METHODS["qfedavg"].response(m - losses, 1)),
        "U1-gradient@explicit": method("fedavg", objective=lambda w, losses, _: (w * losses**2).sum()),
        "U2-gradient@explicit": method(
            "qfedavg", objective=lambda w, losses, q: (w * losses ** (q + 1)).sum() / (q + 2)
        ),
        "U4-gradient@explicit": method("term", objective=lambda w, losses, t: half * rule.term.objective(w, losses, t)),
        "U5-gradient@explicit": method(
            "propfair", objective=lambda w, losses, m: rule.propfair.objective(w, losses, 2 * m)
        ),
        "U2-step@corrected": function("step_length", lambda *_: np.asarray(1)),
        "U5-step@corrected": function("step_length", lambda *_: np.asarray(1)),
        "U6-zero@printed": function("own_weights", lambda m, w, losses, _: rule.normalise(w * losses)),
    }


BROKEN = {"U4-sign@corrected": "U4-sign@printed", "U5-domain@corrected": "U5-domain@printed"}  # without the condition
OTHER = {"U7-a@corrected", "U7-c@printed"}


def test_every_statement_of_0_has_a_mutant(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {c.id.removeprefix("aaggff/") for c in AT_ZERO}
    assert names == set(_mutants(monkeypatch)) | set(BROKEN) | OTHER


MUTABLE = sorted({c.id.removeprefix("aaggff/") for c in AT_ZERO} - set(BROKEN) - OTHER)


@pytest.mark.parametrize("name", MUTABLE)
def test_a_broken_method_is_refuted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = BY_ID[name]
    _mutants(monkeypatch)[name]()
    assert any(check_claim(claim, case).status == "violated" for case in claim.cases), name


def test_a_method_with_a_state_is_told_from_one_without() -> None:
    claim = BY_ID["U7-a@corrected"]
    stateful = replace(claim, measure=fair_limits.memory("afl"))
    assert check_claim(stateful, claim.cases[0]).status == "violated"


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_the_condition_is_needed(name: str) -> None:
    claim, case = BY_ID[name], BY_ID[BROKEN[name]].cases[0]
    assert check_claim(claim, case).status == "inapplicable"
    assert check_claim(replace(claim, bounds=(replace(claim.bound, conditions=()),)), case).status == "violated"


def test_between_other_decisions_the_loss_changes_less() -> None:
    claim, case = BY_ID["U7-c-uniform@corrected"], Case(TwoDecisions((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    assert check_claim(claim, case).status == "inapplicable"
    assert check_claim(replace(claim, assumptions=()), case).status == "violated"


def test_a_strictly_convex_loss_has_a_gap() -> None:
    claim = BY_ID["U7-c@printed"]
    dimension = claim.measure.dimension  # type: ignore[union-attr]
    squares = quantity_measure(lambda one, c: _square_gap(one), dimension, name="gap of <p, F>²")
    assert check_claim(replace(claim, measure=squares), claim.cases[0]).status == "violated"


def _square_gap(at: TwoDecisions) -> Fraction:
    def loss(p: Sequence[Number]) -> Fraction:
        return sum((a * v for a, v in zip(p, at.losses, strict=True)), Fraction(0)) ** 2

    return (loss(at.p) + loss(at.q)) / 2 - loss([Fraction(a + b) / 2 for a, b in zip(at.p, at.q, strict=True)])


# Numbers of the text --------------------------------------------------------------------------------------------------------


def test_the_two_decisions_of_the_counterexample() -> None:
    at = unification.U0_THREE.instance
    last, response = (np.array([float(v) for v in values]) for values in (at.last, at.response))
    np.testing.assert_allclose(rule.regularised_step(response, 0.5), [0.17206, 0.57126, 0.25668], atol=6e-6)
    np.testing.assert_allclose(rule.entropic_step(last, response, 0.5), [0.27864, 0.55508, 0.16628], atol=6e-6)
    np.testing.assert_allclose(rule.regularised_step(0 * response, 1), 1 / 3)


# Methods by other means -----------------------------------------------------------------------------------------------------

KINDS = [(rule.fedavg, 0), (rule.qfedavg, 3), (rule.term, 2), (rule.propfair, 11)]


@pytest.mark.parametrize(("method", "constant"), KINDS, ids=lambda v: getattr(v, "name", v))
@given(st.lists(st.tuples(st.integers(1, 20), st.fractions("1/10", 10, max_denominator=50)), min_size=1, max_size=5))
def test_floats_balls_and_exact_numbers_agree(
    method: rule.Method, constant: int, clients: list[tuple[Number, ...]]
) -> None:
    total = sum(n for n, _ in clients)
    shares = np.array([Fraction(n, total) for n, _ in clients], dtype=object)
    losses = np.array([v for _, v in clients], dtype=object)
    floats = rule.step_weights(method, shares.astype(float)[None], losses.astype(float)[None], constant)
    assert floats.shape == (1, len(clients))
    own = rule.own_weights(method, shares, np.array([to_ball(v) for v in losses], dtype=object), constant)
    np.testing.assert_allclose(floats[0], own.astype(float), rtol=1e-12)
    np.testing.assert_allclose(floats.sum(), 1)


@given(quadratic_clients("loss_power"))
def test_global_steps_in_floats_are_the_printed_ones(case: Case) -> None:
    at = instance_of(case, QuadraticAt)
    q = float(dict(case.settings)["loss_power"])
    floats = [np.array([[float(v) for v in values]]) for values in (at.shares, at.losses)]
    updates = at.updates.astype(float)[None]
    for method, constant in (
        (rule.qfedavg, q),
        (rule.fedavg, 0),
        (rule.term, 0.1),
        (rule.propfair, floats[1].max() + 1),
    ):
        step = rule.global_step(method, *floats, updates, constant, float(at.smoothness))
        printed = rule.printed_step(method, *floats, updates, constant, float(at.smoothness))
        np.testing.assert_allclose(step, printed, rtol=1e-9, atol=1e-12)


def test_large_losses_do_not_overflow() -> None:
    shares, losses = np.array([0.5, 0.5]), np.array([1e4, 2e4])
    np.testing.assert_allclose(rule.step_weights(rule.term, shares, losses, 10.0), [0, 1])
    np.testing.assert_allclose(rule.step_weights(rule.qfedavg, shares, losses, 500.0), [0, 1], atol=1e-100)


@given(st.lists(st.fractions(-3, 3, max_denominator=20), min_size=1, max_size=6))
def test_the_projection_is_the_nearest_point(values: list[Fraction]) -> None:
    point = np.array(values, dtype=object)
    found = rule.project(point)
    assert found.sum() == 1
    assert (found >= 0).all()
    for vertex in np.eye(len(values), dtype=int):  # <point - found, v - found> <= 0 is all that a nearest point needs
        assert ((point - found) * (vertex - found)).sum() <= 0
    np.testing.assert_allclose(rule.project(point.astype(float)[None])[0], found.astype(float), atol=1e-12)


def test_ties_share_what_the_worst_get() -> None:
    shares = np.array([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], dtype=object)
    losses = np.array([Fraction(2), Fraction(1), Fraction(2)], dtype=object)
    assert list(rule.worst_clients(shares, losses)) == [Fraction(3, 4), 0, Fraction(1, 4)]
    near = rule.step_weights(rule.qfedavg, shares.astype(float), losses.astype(float), 200.0)
    np.testing.assert_allclose(near, [0.75, 0, 0.25], atol=1e-12)


def test_no_tilt_moves_farther_than_the_bound_and_two_clients_reach_it() -> None:
    rng = np.random.default_rng(0)
    for span in (0.1, 1.0, 5.0):
        shares = rng.dirichlet(np.ones(4), 2000)
        weights = rule.entropic_step(shares, rng.uniform(0, span, (2000, 4)), 1.0)
        limit = math.tanh(span / 4)
        assert np.abs(weights - shares).sum(axis=1).max() / 2 < limit
        two = np.array([math.exp(span / 2), 1]) / (1 + math.exp(span / 2))
        reached = rule.entropic_step(two, np.array([0, span]), 1.0)
        assert abs(reached - two).sum() / 2 == pytest.approx(limit)


@pytest.mark.parametrize(
    ("method", "losses", "constant", "words"),
    [
        (rule.qfedavg, [0.0, 1.0], 2, "losses above 0"),
        (rule.qfedavg, [1.0, 1.0], -1, "q >= 0"),
        (rule.term, [1.0, 2.0], 0, "other than 0"),
        (rule.propfair, [1.0, 2.0], 2, "below M"),
    ],
    ids=["loss 0", "q < 0", "no tilt", "M too small"],
)
def test_bad_constants_are_named(method: rule.Method, losses: list[float], constant: int, words: str) -> None:
    for weights in (rule.step_weights, rule.own_weights):
        with pytest.raises(ValueError, match=words):
            weights(method, np.array([0.5, 0.5]), np.array(losses), constant)


# Instances ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Decision((1, 0), (0, 0)), "positive"),
        (lambda: Decision(("1/2", "1/3"), (0, 0)), "sum to 1"),
        (lambda: Decision(("1/2", "1/2"), (0, 0), 0), "rate"),
        (lambda: Reported((0, 1), (1, 1)), "at least 1"),
        (lambda: Reported((1, 1), (-1, 1)), "nonnegative"),
        (lambda: Reported((1, 1), (1, 1, 1)), "3 entries"),
        (lambda: QuadraticAt((1,), (0,), ((0,),), (1,), (0,)), "positive"),
        (lambda: QuadraticAt((1,), (1,), ((0, 1),), (1,), (0,)), "coordinate"),
        (lambda: TwoDecisions((1, 0), (1, 0), (1, 2)), "different"),
        (lambda: Histories((1, 1), (1,), (1, 1), (1, 1)), "1 entries"),
    ],
    ids=lambda v: None if callable(v) else v,
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
