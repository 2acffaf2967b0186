"""Certificates that a paper's bounds hold for whole classes of clients: ``fltheory/papers/<key>/classes.json``.

``python -m proofs_checks classes KEY`` finds and writes them. They are checked again, without a solver, before anything is
concluded from them, on the algorithm that is asked about.
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
LENGTH_SETTINGS = ("n_rounds", *TANGENT_SETTINGS)  # what the certificates of single rounds hold for any value of


def certificates_path(key: str) -> Path:
    """The file of a paper."""
    return PAPERS / key / "classes.json"


@cache
def stored_certificates(key: str) -> StoredCertificates:
    """By what they are about: certificates, each the rounds of a chain; nothing of a paper from outside."""
    path = certificates_path(key)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def storage_key(asked: Question) -> str:
    """What a certificate is kept under: all of the question but how long a run is and how far its clients are apart."""
    said = [f"{name} = {exact_text(value)}" for name, value in asked.settings if name not in LENGTH_SETTINGS]
    noise = "with noise" if dict(asked.settings).get("noise_std") else "without noise"
    return "; ".join((asked.measure.name, asked.method.name, str(asked.functions), *said, noise))


def certified_bound(key: str, asked: Question) -> Fraction | None:
    """What a kept certificate proves of a question, the least; None where none does."""
    wanted = [question_key(one) for one in link_questions(asked)]
    checked = (
        links
        for links in _valid_certificates(key, normalise_length(asked))
        if [question_key(link.question) for link in links] == wanted
    )
    return min((chain_upper(asked, links) for links in checked), default=None)


def normalise_length(asked: Question) -> Question:
    """The same about clients and runs of some size."""
    settings = tuple((name, Fraction(2) if name in LENGTH_SETTINGS else value) for name, value in asked.settings)
    return replace(asked, settings=settings)


@lru_cache(maxsize=256)
def _valid_certificates(key: str, asked: Question) -> tuple[tuple[Bracket, ...], ...]:
    return tuple(_valid_chains(asked, stored_certificates(key).get(storage_key(asked), [])))


def _valid_chains(asked: Question, kept: list[list[Mapping[str, Any]]]) -> Iterator[tuple[Bracket, ...]]:
    """The certificates that are in order."""
    for rows in kept:
        try:
            links = parse_links(rows, asked)
            if why_broken(Bracket(asked, None, chain_upper(asked, links), None, None, links=links)) is None:
                yield links
        except (KeyError, TypeError, ValueError, ArithmeticError):
            continue


def with_class_scope(claim: Claim, verdict: Verdict) -> Verdict:
    """The verdict on a case; where the bound is proved for all clients of a class at its constants, it says so."""
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
