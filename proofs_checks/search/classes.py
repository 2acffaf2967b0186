"""Search for certificates by which a paper's bounds hold for whole classes of clients, at the constants of its cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fltheory.claims.check import inapplicable_reason
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.worst_case.claims import class_constants, question_of_claim
from fltheory.worst_case.claims.certified import certificates_path, normalise_length, storage_key
from fltheory.worst_case.claims.stored import link_row
from fltheory.worst_case.many_rounds import chain_upper, one_round_question, prove_links
from fltheory.worst_case.question import Question, problem_of
from fltheory.worst_case.solver import Unsolved
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.whole_run import Bracket

MAX_VECTORS = 150  # of a round that is looked at
NEAR = 1.05  # times the best: a certificate found before is good enough


def find_class_certificates(claims: Iterable[Claim], say: Callable[[str], None]) -> None:
    """Find the certificates of a paper's claims and write them; nothing is kept that another proves nearly as well."""
    claims = tuple(claims)
    found: dict[str, list[tuple[Bracket, ...]]] = {}
    for claim, asked in _questions(claims):
        name = storage_key(asked)
        try:
            links = prove_links(asked)
        except (OutOfReach, Unsolved) as error:
            say(f"{claim.id}: {error}")
            continue
        best = chain_upper(asked, links)
        kept = found.setdefault(name, [])
        if not any(chain_upper(asked, other) <= best * NEAR for other in kept):
            kept.append(links)
            say(f"{claim.id}: at most {float(best):.6g}, {name}")
    rows = {name: [[link_row(link) for link in links] for links in kept] for name, kept in sorted(found.items())}
    certificates_path(claims[0].paper).write_text(_rows_text(rows), encoding="utf-8")


def _questions(claims: Iterable[Claim]) -> Iterator[tuple[Claim, Question]]:
    """What the claims say of the classes of their cases, where a round of it is small."""
    sizes: dict[Question, int] = {}
    for claim in claims:
        for case in claim.cases:
            asked = _question(claim, case)
            if asked is None:
                continue
            key = normalise_length(asked)
            if key not in sizes:
                sizes[key] = problem_of(one_round_question(key)).size
            if sizes[key] <= MAX_VECTORS:
                yield claim, asked


def _question(claim: Claim, case: Case[Any]) -> Question | None:
    if (
        claim.entry.recorded not in ("holds", "vacuous")
        or claim.measure is None
        or inapplicable_reason(claim, case) is not None
    ):
        return None
    try:
        asked = question_of_claim(claim, class_constants(claim, claim.prepared(case)))
        one_round_question(asked)
    except (OutOfReach, ValueError):
        return None
    return asked


def _rows_text(rows: dict[str, list[list[dict[str, Any]]]]) -> str:
    """A line for each certificate."""
    lines = []
    for name, kept in rows.items():
        certificates = ",\n".join("  " + json.dumps(links, separators=(",", ":")) for links in kept)
        lines.append(f" {json.dumps(name, ensure_ascii=False)}: [\n{certificates}\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"
