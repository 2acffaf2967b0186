"""Search for certificates by which a paper's bounds hold for whole classes of clients, at the constants of its cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fltheory.claims.claim import Claim, outside
from fltheory.model.case import Case
from fltheory.worst_case.claims import asked_of, class_of
from fltheory.worst_case.claims.certified import any_length, name_of, path_of
from fltheory.worst_case.claims.stored import link_row
from fltheory.worst_case.many_rounds import links_of, once, upper_of
from fltheory.worst_case.question import Question, problem_of
from fltheory.worst_case.solver import Unsolved
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.whole_run import Bracket

VECTORS = 150  # of a round that is looked at
NEAR = 1.05  # times the best: a certificate found before is good enough


def find_all(claims: Iterable[Claim], say: Callable[[str], None]) -> None:
    """Find the certificates of a paper's claims and write them; nothing is kept that another proves nearly as well."""
    claims = tuple(claims)
    found: dict[str, list[tuple[Bracket, ...]]] = {}
    for claim, asked in _questions(claims):
        name = name_of(asked)
        try:
            links = links_of(asked)
        except (OutOfReach, Unsolved) as error:
            say(f"{claim.id}: {error}")
            continue
        best = upper_of(asked, links)
        kept = found.setdefault(name, [])
        if not any(upper_of(asked, other) <= best * NEAR for other in kept):
            kept.append(links)
            say(f"{claim.id}: at most {float(best):.6g}, {name}")
    rows = {name: [[link_row(link) for link in links] for links in kept] for name, kept in sorted(found.items())}
    path_of(claims[0].paper).write_text(_text(rows), encoding="utf-8")


def _questions(claims: Iterable[Claim]) -> Iterator[tuple[Claim, Question]]:
    """What the claims say of the classes of their cases, where a round of it is small."""
    sizes: dict[Question, int] = {}
    for claim in claims:
        for case in claim.cases:
            asked = _question(claim, case)
            if asked is None:
                continue
            key = any_length(asked)
            if key not in sizes:
                sizes[key] = problem_of(once(key)).size
            if sizes[key] <= VECTORS:
                yield claim, asked


def _question(claim: Claim, case: Case[Any]) -> Question | None:
    if claim.expected not in ("holds", "vacuous") or claim.measure is None or outside(claim, case) is not None:
        return None
    try:
        asked = asked_of(claim, class_of(claim, claim.prepared(case)))
        once(asked)
    except (OutOfReach, ValueError):
        return None
    return asked


def _text(rows: dict[str, list[list[dict[str, Any]]]]) -> str:
    """A line for each certificate."""
    lines = []
    for name, kept in rows.items():
        certificates = ",\n".join("  " + json.dumps(links, separators=(",", ":")) for links in kept)
        lines.append(f" {json.dumps(name, ensure_ascii=False)}: [\n{certificates}\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"
