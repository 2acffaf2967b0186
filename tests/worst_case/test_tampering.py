"""Certificates that were tampered with are refused: each so that it is certainly no proof, for one of four reasons.

A value that is left over makes the form unbounded below; a constant that is negative is what the form is at 0; a negative
multiplier turns an inequality round; and what states less than a run attains is false.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy
from flint import fmpq

from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.certificate import why_invalid as refused
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.problem import APART, Label, Problem
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.symmetry_reduction import BlockFrame, Frame, WholeFrame, frame
from fltheory.worst_case.symmetry_reduction.separate_clients import AgentFrame
from fltheory.worst_case.two_sided import bracket, why_not_proved
from fltheory.worst_case.whole_run import Bracket
from tests.test_examples import example

CURVED, FLAT = Smooth(1, "1/10"), Smooth(1)
NEAR: dict[str, Any] = {"initial_distance": 1}
APARTED: dict[str, Any] = {**NEAR, "heterogeneity_at_optimum": 1, "step_size": "1/10"}
ALIKE = replace(parallel, ordered=False)
EACH = 50  # 500 altogether


def found(method: Any, functions: Smooth, measure: Any, n_clients: int, n_local_steps: int, **more: Any) -> Bracket:
    settings = {**APARTED, "n_clients": n_clients, "n_local_steps": n_local_steps, **more}
    return bracket(question(method, functions, measure, **settings))


def alone(functions: Smooth, measure: Any, n_rounds: int) -> Bracket:
    return bracket(question(sequential, functions, measure, **NEAR, n_rounds=n_rounds, n_local_steps=1, step_size=1))


def free(**near: Any) -> Bracket:
    """A descent: whatever the distance is."""
    sizes = {"n_clients": 2, "n_local_steps": 2, "step_size": "1/24", "heterogeneity_at_optimum": 1}
    return bracket(question(sequential, FLAT, RoundGrowth(sympy.Rational(2, 9)), **sizes, **near), attain=bool(near))


def far() -> Fraction | None:
    """What is attained of it from afar."""
    return free(initial_distance=3).lower


# What is asked, and the frame that it is checked in.
ASKED: Mapping[str, tuple[Callable[[], Bracket], type]] = {
    "a round of SFL": (lambda: found(sequential, CURVED, LastDistance(), 2, 2), WholeFrame),
    "convex clients": (lambda: found(sequential, FLAT, LastGap(), 2, 1), WholeFrame),
    "a fixed order, two rounds": (
        lambda: found(fixed_order, CURVED, AveragedGap(sympy.Integer(1)), 2, 1, n_rounds=2),
        WholeFrame,
    ),
    "one order kept": (
        lambda: found(example("shuffle_once").claim.algorithm, CURVED, LastDistance(), 2, 1, n_rounds=2),
        WholeFrame,
    ),
    "PFL": (lambda: found(parallel, CURVED, LastGap(), 2, 2), WholeFrame),
    "gradient descent": (lambda: alone(FLAT, LeastGradient(), 3), WholeFrame),
    "noise": (lambda: found(sequential, CURVED, LastDistance(), 2, 1, noise_std=1), WholeFrame),
    "a free start": (free, WholeFrame),
    "blocks of three clients": (lambda: found(sequential, CURVED, LastDistance(), 3, 2), BlockFrame),
    "eight clients that never meet": (lambda: found(ALIKE, CURVED, LastDistance(), 8, 2), AgentFrame),
}


@dataclass(frozen=True)
class Given:
    """A certificate with what it is checked in, and what it must not prove."""

    bracket: Bracket
    certificate: Certificate
    problem: Problem
    frame: Frame

    lower: Fraction  # attained


@cache
def given(name: str) -> Given:
    one = ASKED[name][0]()
    lower = far() if one.lower is None else one.lower
    assert one.certificate is not None
    assert lower is not None
    problem = problem_of(one.question)
    return Given(one, one.certificate, problem, frame(problem), lower)


def rational(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)


def dropped(one: Given) -> Iterator[Certificate]:
    """A multiplier of a limit with values: the others' cancel no more."""
    for i, (label, _) in enumerate(one.certificate.multipliers):
        if one.frame.values(one.problem.limit(label)):
            rest = (*one.certificate.multipliers[:i], *one.certificate.multipliers[i + 1 :])
            yield replace(one.certificate, multipliers=rest)


def changed(one: Given, i: int, label: Label, multiplier: fmpq) -> Certificate:
    before, after = one.certificate.multipliers[:i], one.certificate.multipliers[i + 1 :]
    return replace(one.certificate, multipliers=(*before, (label, multiplier), *after))


def flipped(one: Given) -> Iterator[Certificate]:
    """The sign of a multiplier, where it must not be negative."""
    for i, (label, multiplier) in enumerate(one.certificate.multipliers):
        if label[0] != APART:
            yield changed(one, i, label, -multiplier)


def scaled(one: Given) -> Iterator[Certificate]:
    """A multiplier of a limit with values, by a factor near 1."""
    for factor in (fmpq(999_999, 10**6), fmpq(1_000_001, 10**6)):
        for i, (label, multiplier) in enumerate(one.certificate.multipliers):
            if one.frame.values(one.problem.limit(label)):
                yield changed(one, i, label, multiplier * factor)


def relabelled(one: Given) -> Iterator[Certificate]:
    """The limit of a multiplier: another with other values, or none that there is."""
    labels = one.frame.labels
    for i, (label, multiplier) in enumerate(one.certificate.multipliers):
        yield changed(one, i, (*label[:-1], 10**6), multiplier)
        values = one.frame.values(one.problem.limit(label))
        for other in labels:
            if one.frame.values(one.problem.limit(other)) != values:
                yield changed(one, i, other, multiplier)
                break


def short(one: Given) -> Iterator[Certificate]:
    """A smaller upper end with the same multipliers: the constant of what is left is negative."""
    for power in range(1, 11):
        yield replace(one.certificate, upper=one.certificate.upper - fmpq(1, 10**power))


def false(one: Given) -> Iterator[Certificate]:
    """An upper end below what is attained, the multipliers in proportion, so that no constant is missing."""
    for part in (fmpq(9, 10), fmpq(99, 100), fmpq(999, 1000), fmpq(9999, 10_000)):
        upper = rational(one.lower) * part
        factor = upper / one.certificate.upper
        every = tuple((label, multiplier * factor) for label, multiplier in one.certificate.multipliers)
        yield Certificate(upper, every)
        known = tuple(
            (label, multiplier * (factor if one.problem.limit(label).constant != 0 else 1))
            for label, multiplier in one.certificate.multipliers
        )
        yield Certificate(upper, known)


WAYS = (dropped, flipped, scaled, relabelled, short, false)


def named(way: Callable[[Given], Iterator[Certificate]], one: Given) -> Iterator[tuple[str, Certificate]]:
    return ((way.__name__, certificate) for certificate in way(one))


def tampered(one: Given) -> list[tuple[str, Certificate]]:
    """As many of each way as there are, in turn, until there are enough."""
    turns = itertools.zip_longest(*(named(way, one) for way in WAYS))
    return [tried for turn in turns for tried in turn if tried is not None][:EACH]


@pytest.mark.parametrize("name", ASKED)
def test_five_hundred_perturbed_certificates_are_rejected(name: str) -> None:
    """Fifty of each of ten."""
    one = given(name)
    assert isinstance(one.frame, ASKED[name][1])
    assert refused(one.problem, one.certificate, one.frame) is None
    tried = tampered(one)
    assert len(tried) == EACH
    assert {way for way, _ in tried} == {way.__name__ for way in WAYS}
    assert len({certificate for _, certificate in tried}) == EACH
    for way, certificate in tried:
        assert certificate != one.certificate
        reason = refused(one.problem, certificate, one.frame)
        assert reason is not None, way
        assert "negative" in reason or way != "flipped"


@pytest.mark.parametrize("name", ASKED)
def test_a_bound_below_the_lower_end_is_rejected(name: str) -> None:
    """By a ten-thousandth of it; as a number alone, in the certificate alone, and in both."""
    one = given(name)
    below = one.lower * Fraction(9_999, 10_000)
    certificate = replace(one.certificate, upper=rational(below))
    assert why_not_proved(one.bracket) is None
    assert why_not_proved(replace(one.bracket, upper=below)) is not None
    assert why_not_proved(replace(one.bracket, certificate=certificate)) is not None
    assert why_not_proved(replace(one.bracket, certificate=certificate, upper=below)) is not None


@pytest.mark.parametrize("name", ASKED)
def test_a_certificate_of_another_question_is_rejected(name: str) -> None:
    """Where start or clients are farther from x* or apart than it takes into account: its constant is too small."""
    one = given(name)
    asked = one.bracket.question
    larger = {"initial_distance": Fraction(2), "heterogeneity_at_optimum": Fraction(3)}
    for key, other in larger.items():
        if key in dict(asked.settings):
            settings = tuple((k, other if k == key else v) for k, v in asked.settings)
            assert why_not_proved(replace(one.bracket, question=replace(asked, settings=settings))) is not None
