"""Cases: instances with the free constants of a run."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.model.case import Case, FederatedInstance, Instance, ring_of
from fltheory.number import BALL, RATIONAL
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import quadratic_clients

INSTANCE = QuadraticClients((1, "1/3"), (1, -1), 2)


def test_the_librarys_instances_follow_the_protocols():
    for instance in (INSTANCE, PiecewiseQuadraticClients((1, 2), (2, 1), (1, -1), 2)):
        assert isinstance(instance, Instance)
        assert isinstance(instance, FederatedInstance)


@given(quadratic_clients(), st.integers(1, 10**6), st.fractions(Fraction(1, 10**6), 10, max_denominator=10**6))
def test_repr_rebuilds_the_case(instance, rounds, step):
    case = Case(instance, n_rounds=rounds, step_size=step)
    names = {c.__name__: c for c in (Case, QuadraticClients, PiecewiseQuadraticClients)}
    again = eval(repr(case), names)
    assert again == case
    assert hash(again) == hash(case)
    assert again.constants == case.constants


def test_irrational_settings_are_rebuilt_too():
    case = Case(INSTANCE, step_size="sqrt(2)/100")
    assert eval(repr(case), {"Case": Case, "QuadraticClients": QuadraticClients}) == case


def test_settings_are_read_exactly_and_win_over_the_instance():
    case = Case(INSTANCE, step_size=0.1, noise_std=3)
    assert case.constants[symbols.step_size] == Fraction(1, 10)
    assert case.constants[symbols.noise_std] == 3
    assert case.with_settings(step_size="1/7").constants[symbols.step_size] == Fraction(1, 7)
    assert case.constants[symbols.step_size] == Fraction(1, 10)


def test_the_order_of_settings_does_not_matter():
    assert Case(INSTANCE, n_rounds=1, step_size=1) == Case(INSTANCE, step_size=1, n_rounds=1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rounds": 3}, "rounds is not a known constant"),
        ({"n_rounds": 0}, "n_rounds = 0 is out of its domain: positive integer"),
        ({"n_rounds": 1.5}, r"n_rounds = 1\.5 is out of its domain"),
        ({"step_size": "-1/3"}, "step_size = -1/3 is out of its domain: positive"),
        ({"step_size": "fast"}, "step_size: expected a number"),
        ({"step_size": float("nan")}, "step_size: expected a finite number"),
    ],
)
def test_bad_settings_are_named(settings, words):
    with pytest.raises(ValueError, match=words):
        Case(INSTANCE, **settings)


def test_instances_and_cases_are_frozen():
    with pytest.raises(AttributeError):
        INSTANCE.start = (3,)
    with pytest.raises(AttributeError):
        Case(INSTANCE).settings = ()


def test_ring_of():
    assert ring_of(np.zeros(3)) is None
    for ring in (RATIONAL, BALL):
        array = np.empty(1, dtype=object)
        array[0] = ring.scalar(Fraction(1, 3))
        assert ring_of(array) is ring


CONTRADICTIONS = [
    ("sfl/T3-SC@corrected", {"step_size": 3, "effective_step_size": "1/1000"}, "contradicts its definition"),
    ("sfl/T3-SC@corrected", {"step_size": "1/36", "heterogeneity_at_optimum": 0}, "it is at least 1"),
    ("sfl/T3-SC@corrected", {"step_size": "1/36", "strong_convexity": 2}, "it is at most 1"),
    ("sfl/T3-SC@corrected", {"step_size": "1/36", "n_clients": 3}, "it is 2"),
    ("sfl/U6@explicit", {"step_size": "1/36", "initial_gap": 10000}, "it is 18"),
    ("sfl/T3-sketch@printed", {"step_size": "1/36", "initial_gradient": 100}, "it is 6"),
]


@pytest.mark.parametrize(("name", "settings", "words"), CONTRADICTIONS, ids=lambda v: str(v)[:40])
def test_settings_that_contradict_the_instance_are_refused(name, settings, words):
    """A true claim is never called violated because of a number that the instance denies."""
    from fltheory import verify

    instance = QuadraticClients((1, 1), (1, -1), 6)
    verdict = verify(name, instance, n_rounds=1000, n_local_steps=3, **settings)
    assert verdict.status == "inapplicable"
    assert words in verdict.reason


def test_a_weaker_promise_is_no_contradiction():
    from fltheory import verify

    instance = QuadraticClients((1, 1), (1, -1), 6)
    assert (
        verify("sfl/T3-SC@corrected", instance, n_rounds=1000, n_local_steps=3, step_size="1/72", smoothness=2).status
        == "holds"
    )


class Given:
    def __init__(self, **constants):
        self.constants = {getattr(symbols, name): value for name, value in constants.items()}


def test_the_constants_of_a_users_instance_are_read_exactly():
    case = Case(Given(smoothness=0.1, noise_std=np.float64(0.5), n_clients=np.int64(2)))
    assert list(case.constants.values()) == [Fraction(1, 10), Fraction(1, 2), 2]
    assert type(case.constants[symbols.n_clients]) is int


@pytest.mark.parametrize(
    ("constants", "words"),
    [
        ({"smoothness": float("nan")}, "smoothness: expected a finite number"),
        ({"smoothness": -1}, "smoothness = -1 is out of its domain: positive"),
        ({"n_clients": 1.5}, "n_clients = 1.5 is out of its domain"),
        ({"noise_std": [1]}, "noise_std: expected a number"),
    ],
)
def test_bad_constants_of_a_users_instance_are_named(constants, words):
    with pytest.raises(ValueError, match=words):
        assert Case(Given(**constants)).constants


def test_what_is_no_instance_is_no_case():
    with pytest.raises(ValueError, match="expected an instance, an object with constants, got 3"):
        Case(3)
