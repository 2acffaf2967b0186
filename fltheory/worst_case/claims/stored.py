"""Certificates as JSON: the data to check them again, without a solver, against a question that is posed anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fltheory.number import RATIONAL, exact
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.many_rounds import TANGENT_SETTINGS, link_questions
from fltheory.worst_case.measures import ConstrainedQuantity
from fltheory.worst_case.question import Question
from fltheory.worst_case.whole_run import Bracket

Row = Mapping[str, Any]


def certificate_row(found: Certificate) -> dict[str, Any]:
    """Return the proved number and the multipliers by label."""
    return {"upper": str(found.upper), "multipliers": [[list(label), str(c)] for label, c in found.multipliers]}


def parse_certificate(row: Row) -> Certificate:
    """Return the certificate of a row; KeyError, TypeError or ValueError if the row holds none."""
    multipliers = tuple((tuple(label), RATIONAL.scalar(exact(c))) for label, c in row["multipliers"])
    return Certificate(RATIONAL.scalar(exact(row["upper"])), multipliers)


def link_row(link: Bracket) -> dict[str, Any]:
    """Return one round of a chain: the constants at which its certificate is tight, and the certificate."""
    asked = link.question
    assert link.certificate is not None
    tight = {name: str(value) for name, value in asked.settings if name in TANGENT_SETTINGS}
    fall = {"fall": str(asked.measure.fall)} if isinstance(asked.measure, ConstrainedQuantity) else {}
    return {"at": {**tight, **fall}, **certificate_row(link.certificate)}


def parse_links(rows: list[Row], asked: Question) -> tuple[Bracket, ...]:
    """Return the rounds in these rows, for the question; KeyError, TypeError or ValueError if a row is invalid."""
    wanted = tuple(link_questions(asked))
    if len(rows) != len(wanted):
        raise ValueError(f"expected {len(wanted)} rounds, got {len(rows)}")
    return tuple(_link(row, one) for row, one in zip(rows, wanted, strict=True))


def _link(row: Row, asked: Question) -> Bracket:
    tight = {str(name): Fraction(str(value)) for name, value in row["at"].items()}
    measure = asked.measure
    if isinstance(measure, ConstrainedQuantity):
        measure = replace(measure, fall=tight.pop("fall"))
    settings = {name: value for name, value in asked.settings if name not in TANGENT_SETTINGS}
    if not set(tight) <= set(TANGENT_SETTINGS):
        raise ValueError(f"a round is tight at {', '.join(TANGENT_SETTINGS)}, got {', '.join(tight)}")
    found = parse_certificate(row)
    upper = Fraction(int(found.upper.p), int(found.upper.q))
    about = replace(asked, measure=measure, settings=tuple(sorted({**settings, **tight}.items())))
    return Bracket(about, None, upper, found, None)
