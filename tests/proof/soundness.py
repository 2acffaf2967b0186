"""What the attempts to prove something false share: terms, and a theorem that must be refused, or accepted."""

from __future__ import annotations

import json
from typing import Any

from sympy import Symbol

from fltheory.proof import certificates, export
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Outcome, Relation, Step, Theorem, le
from fltheory.proof.report import Report
from fltheory.proof.terms import Fun, RandomScalar, Scalar, Vector, family
from tests.kernel.mutants import false_somewhere

OWN = "test/t"

x, y, t = (Symbol(name, real=True) for name in "xyt")
L = Symbol("L", positive=True)
i, j, k, n, M = (Symbol(name, integer=True) for name in ("i", "j", "k", "n", "M"))
N = Symbol("N", integer=True, nonnegative=True)
P = Symbol("P", integer=True, positive=True)
a, b, c = (family(Scalar, name) for name in "abc")
u, v = family(Vector, "u"), family(Vector, "v")
X, Y = family(RandomScalar, "X"), family(RandomScalar, "Y")
f = family(Fun, "f")
FALSE = le(0, -1)
SIGN = le(0, y)


def prove(
    claim: Relation,
    *steps: Step,
    given: tuple[Any, ...] = (),
    earlier: tuple[Theorem, ...] = (),
    found: dict[str, Any] | None = None,
    unused: tuple[str, ...] = (),
    recorded: Outcome = "PROVED",
) -> Report:
    """The report of a theorem; ``found`` are certificates by step, whose marks are put right."""
    reports: dict[str, Report] = {}
    for other in earlier:
        reports[other.id] = check_theorem(other, {}, reports)
        assert reports[other.id].verdict == "PROVED", [(s.step.id, s.reason) for s in reports[other.id].steps]
    theorem = Theorem(OWN, claim, given, steps, unused=unused, recorded=recorded)
    marked = {
        s.id: {"hash": certificates.fingerprint(theorem, s), "certificate": (found or {})[s.id]}
        for s in steps
        if s.id in (found or {})
    }
    return check_theorem(theorem, marked, reports)


def exported(
    claim: Relation,
    *steps: Step,
    given: tuple[Any, ...] = (),
    earlier: tuple[Theorem, ...] = (),
    found: dict[str, Any] | None = None,
    unused: tuple[str, ...] = (),
) -> list[Any]:
    """The theorem as JSON, those that it applies before it."""
    own = Theorem(OWN, claim, given, steps, unused=unused)
    entries = {name: {"certificate": certificate} for name, certificate in (found or {}).items()}
    return json.loads(json.dumps([*(export.theorem_json(t, {}) for t in earlier), export.theorem_json(own, entries)]))


def said(report: Report) -> str:
    """Why a theorem is not proved."""
    return "; ".join([*report.faults, *(s.reason for s in report.steps if s.reason)])


def refused(*args: Any, why: str = "", **more: Any) -> None:
    """It is not proved, and ``why`` is among what is said of it."""
    report = prove(*args, **more)
    assert report.verdict == "UNKNOWN", f"{report.theorem.statement} was {report.verdict}"
    assert said(report)
    assert why in said(report), said(report)


def refused_or_true(*args: Any, **more: Any) -> None:
    """Where a line is outside of its natural domain, x/0 = 0: what is proved of it is true so at points."""
    if prove(*args, **more).verdict == "UNKNOWN":
        return refused(*args, **more)
    tried, false = false_somewhere(exported(*args, **more)[-1], str(args[0]))
    assert tried
    assert not false, f"{args[0]} is proved, and false: {false}"


def artificial(*args: Any, why: str, **more: Any) -> None:
    """It is true as it is read, x/0 = 0, and the report says of what term that is so: no claim is tied to it."""
    refused_or_true(*args, **more)
    report = prove(*args, **more)
    assert report.verdict == "PROVED", said(report)
    assert why in report.read, report.read


def accepted(*args: Any, **more: Any) -> None:
    report = prove(*args, **more)
    assert report.verdict == "PROVED", said(report)
