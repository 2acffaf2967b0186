"""What a certificate must be: matrices of multipliers nonnegative, no value left over, no negative multiplier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq

from fltheory.papers.sfl.algorithms import sequential
from fltheory.runs.measures import LastDistance, LastGap
from fltheory.worst_case import certificate
from fltheory.worst_case.certificate import Certificate, matrix_multipliers, round_to_certificate, why_invalid
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.problem import BENT, CLIENT, TURNED, Problem
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.solver import make_table, propose
from fltheory.worst_case.symmetry_reduction import WholeFrame, frame
from fltheory.worst_case.symmetry_reduction.permutations import symmetry

SIZES: dict[str, Any] = {"initial_distance": 1, "n_local_steps": 1, "step_size": "1/2"}


def posed(functions: FunctionClass, measure: Any = None, **more: Any) -> Problem:
    return problem_of(question(sequential, functions, measure or LastDistance(), **{**SIZES, **more}))


def test_the_multipliers_of_a_quadratic_client_form_a_nonnegative_matrix() -> None:
    """Each may be negative, but not the matrix: for a second client too, on the diagonal and off it."""
    problem = posed(Quadratic(1, "1/10"), n_clients=2, n_local_steps=2, heterogeneity_at_optimum=1)
    told = frame(problem)
    a, b = problem.places[1][:2]
    wrong: list[dict[Any, int]] = [
        {(BENT, 1, a, a): -1},
        {(BENT, 1, a, a): 1, (BENT, 1, a, b): 1},
        {(BENT, 1, a, a): 1, (BENT, 1, b, b): 4, (BENT, 1, a, b): -3},
    ]
    for labels in wrong:
        kept = tuple((label, fmpq(c)) for label, c in labels.items())
        assert why_invalid(problem, Certificate(fmpq(10**6), kept), told) == (
            "the multipliers of client 1 are no nonnegative matrix"
        )
    right = (((BENT, 1, a, a), fmpq(1)), ((BENT, 1, b, b), fmpq(4)), ((BENT, 1, a, b), fmpq(-2)))
    assert "client" not in (why_invalid(problem, Certificate(fmpq(10**6), right), told) or "")


def test_matrices_are_filled_on_both_sides_of_the_diagonal() -> None:
    """An entry that is given twice counts twice; other kinds of multipliers and clients are apart."""
    given = [
        ((BENT, 0, 5, 5), fmpq(2)),
        ((BENT, 0, 5, 7), fmpq(-1)),
        ((BENT, 0, 5, 7), fmpq(-1, 2)),
        ((TURNED, 0, 5, 7), fmpq(9)),
        ((CLIENT, 0, 5, 7), fmpq(9)),
        ((BENT, 1, 5, 5), fmpq(3)),
    ]
    assert dict(matrix_multipliers(given)) == {0: [[2, fmpq(-3, 2)], [fmpq(-3, 2), 0]], 1: [[3]]}


def test_why_a_certificate_is_none() -> None:
    """One reason each, of multipliers that are nothing else wrong with."""
    problem = posed(Smooth(1, "1/10"), LastGap())
    told = frame(problem)
    found = round_to_certificate(problem, told, propose(make_table(problem, told), 1e-9))
    assert found is not None
    assert why_invalid(problem, found, told) is None
    known = dict(found.multipliers)
    (distance,) = [label for label in known if label[0] == "distance"]
    pair = next(label for label in known if label[0] == CLIENT and told.values(problem.limit(label)))

    def reason(upper: fmpq, **changed: fmpq) -> str | None:
        more = {distance: changed.get("distance", known[distance]), pair: changed.get("pair", known[pair])}
        return why_invalid(problem, Certificate(upper, tuple({**known, **more}.items())), told)

    assert reason(found.upper + 1) is None
    assert "is left over" in (reason(found.upper, pair=known[pair] + 1) or "")
    assert reason(found.upper - fmpq(1, 7)) == "the limit is short by 1/7"
    assert reason(found.upper, distance=-known[distance]) == f"the multiplier of {distance} is negative"
    assert "no nonnegative quadratic form" in (reason(found.upper, distance=known[distance] * fmpq(9, 10)) or "")
    unknown = replace(found, multipliers=(*found.multipliers, (("client", 9, 0, 1), fmpq(1))))
    assert why_invalid(problem, unknown, told) == "there is no limit ('client', 9, 0, 1)"


def test_a_proposal_is_rounded_to_a_certificate_or_to_none() -> None:
    """Multipliers near 0 from below stay negative: that is no certificate, although all others are right."""
    problem = posed(Smooth(1, "1/10"))
    told = frame(problem)
    proposal = propose(make_table(problem, told), 1e-7)
    found = round_to_certificate(problem, told, proposal)
    assert found is not None
    assert abs(found.upper - fmpq(9025, 10_000)) < fmpq(1, 10**4)
    assert all(c > 0 for _, c in found.multipliers)
    for k, _ in enumerate(told.labels):
        multipliers = proposal.multipliers.copy()
        multipliers[k] = -1.0
        spoilt = round_to_certificate(problem, told, replace(proposal, multipliers=multipliers))
        assert spoilt is None or all(c >= 0 for _, c in spoilt.multipliers)


@pytest.mark.parametrize("n_clients", [2, 3])
def test_a_certificate_without_symmetry_is_one_of_the_whole(n_clients: int) -> None:
    """The multiplier of an orbit is shared by its limits, and proves the same without blocks."""
    problem = posed(Smooth(1, "1/10"), n_clients=n_clients, heterogeneity_at_optimum=1, step_size="1/4")
    found = symmetry(problem)
    assert found is not None
    orbits = list(found.labels(problem))
    each = Certificate(fmpq(1), tuple((label, fmpq(k + 1)) for k, label in enumerate(orbits)))
    whole = dict(certificate.without_symmetry(each, found).multipliers)
    assert sum(whole.values()) == sum(c for _, c in each.multipliers)
    for label, c in each.multipliers:
        orbit = found.orbit(label)
        assert {whole[one] for one in orbit} == {c / len(orbit)}
    assert set(whole) == set(WholeFrame(problem).labels)
