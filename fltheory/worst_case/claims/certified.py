"""Certificates that a paper's bounds hold for whole classes of clients: ``fltheory/papers/<key>/classes.json``.

``python -m proofs_checks classes KEY`` finds and writes them. Before use a certificate is checked again, without a
solver, on the algorithm in question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.number import exact_text
from fltheory.worst_case.claims import class_constants, question_of_claim, require_question, satisfies_bounds
from fltheory.worst_case.claims.stored import parse_links
from fltheory.worst_case.many_rounds import TANGENT_SETTINGS, chain_upper, link_questions, question_key, why_broken
from fltheory.worst_case.question import Question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.whole_run import Bracket

StoredCertificates = Mapping[str, list[list[Mapping[str, Any]]]]
PAPERS = Path(__file__).parents[2] / "papers"
LENGTH_SETTINGS = ("n_rounds", *TANGENT_SETTINGS)  # valid for all values of these


def certificates_path(key: str) -> Path:
    """Return the file of a paper's certificates."""
    return PAPERS / key / "classes.json"


@cache
def stored_certificates(key: str) -> StoredCertificates:
    """Return the stored certificates by question, each as the rounds of a chain; none for a paper from a plugin."""
    path = certificates_path(key)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def storage_key(asked: Question) -> str:
    """Return the key of a certificate: the question without the length of the run and the clients' difference."""
    said = [f"{name} = {exact_text(value)}" for name, value in asked.settings if name not in LENGTH_SETTINGS]
    noise = "with noise" if dict(asked.settings).get("noise_std") else "without noise"
    return "; ".join((asked.measure.name, asked.method.name, str(asked.functions), *said, noise))


def certified_bound(key: str, asked: Question) -> Fraction | None:
    """Return the smallest bound that a stored certificate proves for a question; None if there is none."""
    wanted = [question_key(one) for one in link_questions(asked)]
    checked = (
        links
        for links in _valid_certificates(key, normalise_length(asked))
        if [question_key(link.question) for link in links] == wanted
    )
    return min((chain_upper(asked, links) for links in checked), default=None)


def normalise_length(asked: Question) -> Question:
    """Return the question with clients and runs of a fixed size."""
    settings = tuple((name, Fraction(2) if name in LENGTH_SETTINGS else value) for name, value in asked.settings)
    return replace(asked, settings=settings)


@lru_cache(maxsize=256)
def _valid_certificates(key: str, asked: Question) -> tuple[tuple[Bracket, ...], ...]:
    return tuple(_valid_chains(asked, stored_certificates(key).get(storage_key(asked), [])))


def _valid_chains(asked: Question, kept: list[list[Mapping[str, Any]]]) -> Iterator[tuple[Bracket, ...]]:
    """Return the valid certificates."""
    for rows in kept:
        try:
            links = parse_links(rows, asked)
            if why_broken(Bracket(asked, None, chain_upper(asked, links), None, None, links=links)) is None:
                yield links
        except (KeyError, TypeError, ValueError, ArithmeticError):
            continue


def with_class_scope(claim: Claim, verdict: Verdict) -> Verdict:
    """Return the verdict on a case, marked if the bound is proved for all clients of a class at these constants."""
    if verdict.status not in ("holds", "vacuous") or verdict.evidence is None or not stored_certificates(claim.paper):
        return verdict
    try:
        require_question(claim)
        case = claim.prepared(verdict.case)
        asked = question_of_claim(claim, class_constants(claim, case))
        upper = certified_bound(claim.paper, asked)
    except (OutOfReach, ValueError, ArithmeticError):
        return verdict
    if upper is None or not satisfies_bounds(claim, upper, case.constants):
        return verdict
    return replace(verdict, scope=str(asked.functions), worst=float(upper))
