"""The worst case as a rational number: both limits of a bracket moved to it, where it is recognised."""

from __future__ import annotations

from dataclasses import replace

from flint import fmpq

from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.certificate.face import (
    ACTIVE,
    MOST_UNKNOWNS,
    Face,
    certificate_of,
    find_face,
    instance_of,
    is_tried,
    rational_vectors,
    refined,
)
from fltheory.worst_case.lower_bounds import WorstInstance, instance_at
from fltheory.worst_case.problem import Problem
from fltheory.worst_case.question import problem_of
from fltheory.worst_case.solver import Unsolved, make_table, propose
from fltheory.worst_case.symmetry_reduction import WholeFrame, frame
from fltheory.worst_case.whole_run import Bracket, case_of_instance, record_options, reproduces


def with_exact_value(found: Bracket) -> Bracket:
    """Return a bracket whose limits are the worst case itself, as far as it is recognised; else its own limits."""
    if found.certificate is None or found.lower == found.upper:
        return found
    asked = found.question
    problem = problem_of(asked, **record_options(asked))
    certificate, instance = _at_the_face(problem)
    if certificate is None:
        return found
    upper = to_python_fraction(certificate.upper)
    if found.upper is not None and upper < found.upper:
        found = replace(found, upper=upper, certificate=certificate)
    if instance is None or found.lower is None or to_python_fraction(instance.lower) <= found.lower:
        return found
    case, lower = case_of_instance(asked, problem, instance), to_python_fraction(instance.lower)
    if case is None:
        return found
    return replace(found, lower=lower, case=case, is_reproduced=reproduces(asked, case, lower))


def _at_the_face(problem: Problem) -> tuple[Certificate | None, WorstInstance | None]:
    """Return the certificate and the instance of the first face whose multipliers are valid."""
    told = frame(problem)
    if not isinstance(told, WholeFrame) or not is_tried(problem, told):
        return None, None
    try:
        proposal = propose(make_table(problem, told), 0.0)
    except Unsolved:
        return None, None
    for least in ACTIVE:
        face = find_face(problem, told, proposal, least)
        if face is None or face.unknowns > MOST_UNKNOWNS:
            return None, None
        face = refined(problem, face)
        vectors = rational_vectors(face)
        certificate = None if vectors is None else certificate_of(problem, face, vectors)
        if vectors is not None and certificate is not None:
            return certificate, None if problem.free or not problem.sufficient else _instance(problem, face, vectors)
    return None, None


def _instance(problem: Problem, face: Face, vectors: list[list[fmpq]]) -> WorstInstance | None:
    """Return the instance on the face if it meets every limit."""
    found = instance_of(problem, face, vectors)
    return None if found is None else instance_at(problem, *found)
