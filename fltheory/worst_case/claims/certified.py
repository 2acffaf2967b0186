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
from fltheory.number import text
from fltheory.worst_case.claims import asked_of, class_of, require_asked, within
from fltheory.worst_case.claims.stored import links_of
from fltheory.worst_case.many_rounds import TIGHT, about, broken, meant, upper_of
from fltheory.worst_case.question import Question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.whole_run import Bracket

Kept = Mapping[str, list[list[Mapping[str, Any]]]]
PAPERS = Path(__file__).parents[2] / "papers"
OF_LENGTH = ("n_rounds", *TIGHT)  # what the certificates of single rounds hold for any value of


def path_of(key: str) -> Path:
    """The file of a paper."""
    return PAPERS / key / "classes.json"


@cache
def of_paper(key: str) -> Kept:
    """By what they are about: certificates, each the rounds of a chain; nothing of a paper from outside."""
    path = path_of(key)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def name_of(asked: Question) -> str:
    """What a certificate is kept under: all of the question but how long a run is and how far its clients are apart."""
    said = [f"{name} = {text(value)}" for name, value in asked.settings if name not in OF_LENGTH]
    noise = "with noise" if dict(asked.settings).get("noise_std") else "without noise"
    return "; ".join((asked.measure.name, asked.method.name, str(asked.functions), *said, noise))


def proved(key: str, asked: Question) -> Fraction | None:
    """What a kept certificate proves of a question, the least; None where none does."""
    wanted = [about(one) for one in meant(asked)]
    checked = (
        links for links in _checked(key, any_length(asked)) if [about(link.question) for link in links] == wanted
    )
    return min((upper_of(asked, links) for links in checked), default=None)


def any_length(asked: Question) -> Question:
    """The same about clients and runs of some size."""
    settings = tuple((name, Fraction(2) if name in OF_LENGTH else value) for name, value in asked.settings)
    return replace(asked, settings=settings)


@lru_cache(maxsize=256)
def _checked(key: str, asked: Question) -> tuple[tuple[Bracket, ...], ...]:
    return tuple(_holding(asked, of_paper(key).get(name_of(asked), [])))


def _holding(asked: Question, kept: list[list[Mapping[str, Any]]]) -> Iterator[tuple[Bracket, ...]]:
    """The certificates that are in order."""
    for rows in kept:
        try:
            links = links_of(rows, asked)
            if broken(Bracket(asked, None, upper_of(asked, links), None, None, links=links)) is None:
                yield links
        except (KeyError, TypeError, ValueError, ArithmeticError):
            continue


def scoped(claim: Claim, verdict: Verdict) -> Verdict:
    """The verdict on a case; where the bound is proved for all clients of a class at its constants, it says so."""
    if verdict.status not in ("holds", "vacuous") or verdict.evidence is None or not of_paper(claim.paper):
        return verdict
    try:
        require_asked(claim)
        case = claim.prepared(verdict.case)
        asked = asked_of(claim, class_of(claim, case))
        upper = proved(claim.paper, asked)
    except (OutOfReach, ValueError, ArithmeticError):
        return verdict
    if upper is None or not within(claim, upper, case.constants):
        return verdict
    return replace(verdict, scope=str(asked.functions), worst=float(upper))
